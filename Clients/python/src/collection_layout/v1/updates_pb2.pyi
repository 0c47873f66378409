from collection_layout.v1 import attributes_pb2 as _attributes_pb2
from collection_layout.v1 import collection_pb2 as _collection_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class UpdateBatch(_message.Message):
    __slots__ = ("request_id", "expected_data_version", "operations", "snapshot", "outline", "animated", "new_cell_kind_names")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    NEW_CELL_KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    expected_data_version: int
    operations: UpdateOperations
    snapshot: SnapshotUpdate
    outline: OutlineUpdate
    animated: bool
    new_cell_kind_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, request_id: _Optional[str] = ..., expected_data_version: _Optional[int] = ..., operations: _Optional[_Union[UpdateOperations, _Mapping[str, object]]] = ..., snapshot: _Optional[_Union[SnapshotUpdate, _Mapping[str, object]]] = ..., outline: _Optional[_Union[OutlineUpdate, _Mapping[str, object]]] = ..., animated: bool = ..., new_cell_kind_names: _Optional[_Iterable[str]] = ...) -> None: ...

class UpdateOperations(_message.Message):
    __slots__ = ("operations",)
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    operations: _containers.RepeatedCompositeFieldContainer[UpdateOperation]
    def __init__(self, operations: _Optional[_Iterable[_Union[UpdateOperation, _Mapping[str, object]]]] = ...) -> None: ...

class UpdateOperation(_message.Message):
    __slots__ = ("insert_items", "delete_items", "move_item", "reload_items", "reconfigure_items", "insert_sections", "delete_sections", "move_section", "reload_section", "set_section_metrics")
    INSERT_ITEMS_FIELD_NUMBER: _ClassVar[int]
    DELETE_ITEMS_FIELD_NUMBER: _ClassVar[int]
    MOVE_ITEM_FIELD_NUMBER: _ClassVar[int]
    RELOAD_ITEMS_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURE_ITEMS_FIELD_NUMBER: _ClassVar[int]
    INSERT_SECTIONS_FIELD_NUMBER: _ClassVar[int]
    DELETE_SECTIONS_FIELD_NUMBER: _ClassVar[int]
    MOVE_SECTION_FIELD_NUMBER: _ClassVar[int]
    RELOAD_SECTION_FIELD_NUMBER: _ClassVar[int]
    SET_SECTION_METRICS_FIELD_NUMBER: _ClassVar[int]
    insert_items: InsertItems
    delete_items: ItemRange
    move_item: MoveItem
    reload_items: ReplaceItems
    reconfigure_items: ReplaceItems
    insert_sections: InsertSections
    delete_sections: SectionRange
    move_section: MoveSection
    reload_section: ReplaceSection
    set_section_metrics: SetSectionMetrics
    def __init__(self, insert_items: _Optional[_Union[InsertItems, _Mapping[str, object]]] = ..., delete_items: _Optional[_Union[ItemRange, _Mapping[str, object]]] = ..., move_item: _Optional[_Union[MoveItem, _Mapping[str, object]]] = ..., reload_items: _Optional[_Union[ReplaceItems, _Mapping[str, object]]] = ..., reconfigure_items: _Optional[_Union[ReplaceItems, _Mapping[str, object]]] = ..., insert_sections: _Optional[_Union[InsertSections, _Mapping[str, object]]] = ..., delete_sections: _Optional[_Union[SectionRange, _Mapping[str, object]]] = ..., move_section: _Optional[_Union[MoveSection, _Mapping[str, object]]] = ..., reload_section: _Optional[_Union[ReplaceSection, _Mapping[str, object]]] = ..., set_section_metrics: _Optional[_Union[SetSectionMetrics, _Mapping[str, object]]] = ...) -> None: ...

class ItemRange(_message.Message):
    __slots__ = ("section", "first_item", "item_count")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    FIRST_ITEM_FIELD_NUMBER: _ClassVar[int]
    ITEM_COUNT_FIELD_NUMBER: _ClassVar[int]
    section: int
    first_item: int
    item_count: int
    def __init__(self, section: _Optional[int] = ..., first_item: _Optional[int] = ..., item_count: _Optional[int] = ...) -> None: ...

class SectionRange(_message.Message):
    __slots__ = ("first_section", "section_count")
    FIRST_SECTION_FIELD_NUMBER: _ClassVar[int]
    SECTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    first_section: int
    section_count: int
    def __init__(self, first_section: _Optional[int] = ..., section_count: _Optional[int] = ...) -> None: ...

class InsertItems(_message.Message):
    __slots__ = ("at", "blocks")
    AT_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    at: _attributes_pb2.IndexPath
    blocks: _containers.RepeatedCompositeFieldContainer[_collection_pb2.ItemBlock]
    def __init__(self, at: _Optional[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]] = ..., blocks: _Optional[_Iterable[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]]] = ...) -> None: ...

class MoveItem(_message.Message):
    __slots__ = ("to",)
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    to: _attributes_pb2.IndexPath
    def __init__(self, to: _Optional[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]] = ..., **kwargs: object) -> None: ...

class ReplaceItems(_message.Message):
    __slots__ = ("range", "blocks")
    RANGE_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    range: ItemRange
    blocks: _containers.RepeatedCompositeFieldContainer[_collection_pb2.ItemBlock]
    def __init__(self, range: _Optional[_Union[ItemRange, _Mapping[str, object]]] = ..., blocks: _Optional[_Iterable[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]]] = ...) -> None: ...

class InsertSections(_message.Message):
    __slots__ = ("at", "sections")
    AT_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    at: int
    sections: _containers.RepeatedCompositeFieldContainer[_collection_pb2.Section]
    def __init__(self, at: _Optional[int] = ..., sections: _Optional[_Iterable[_Union[_collection_pb2.Section, _Mapping[str, object]]]] = ...) -> None: ...

class MoveSection(_message.Message):
    __slots__ = ("to",)
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    to: int
    def __init__(self, to: _Optional[int] = ..., **kwargs: object) -> None: ...

class ReplaceSection(_message.Message):
    __slots__ = ("section", "contents")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    section: int
    contents: _collection_pb2.Section
    def __init__(self, section: _Optional[int] = ..., contents: _Optional[_Union[_collection_pb2.Section, _Mapping[str, object]]] = ...) -> None: ...

class SetSectionMetrics(_message.Message):
    __slots__ = ("section", "metrics")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    section: int
    metrics: _collection_pb2.SectionMetrics
    def __init__(self, section: _Optional[int] = ..., metrics: _Optional[_Union[_collection_pb2.SectionMetrics, _Mapping[str, object]]] = ...) -> None: ...

class SnapshotUpdate(_message.Message):
    __slots__ = ("contents", "reloaded_item_keys", "reconfigured_item_keys")
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    RELOADED_ITEM_KEYS_FIELD_NUMBER: _ClassVar[int]
    RECONFIGURED_ITEM_KEYS_FIELD_NUMBER: _ClassVar[int]
    contents: _collection_pb2.CollectionContents
    reloaded_item_keys: _containers.RepeatedScalarFieldContainer[str]
    reconfigured_item_keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, contents: _Optional[_Union[_collection_pb2.CollectionContents, _Mapping[str, object]]] = ..., reloaded_item_keys: _Optional[_Iterable[str]] = ..., reconfigured_item_keys: _Optional[_Iterable[str]] = ...) -> None: ...

class OutlineUpdate(_message.Message):
    __slots__ = ("edits",)
    EDITS_FIELD_NUMBER: _ClassVar[int]
    edits: _containers.RepeatedCompositeFieldContainer[OutlineEdit]
    def __init__(self, edits: _Optional[_Iterable[_Union[OutlineEdit, _Mapping[str, object]]]] = ...) -> None: ...

class OutlineEdit(_message.Message):
    __slots__ = ("insert", "remove", "replace_children", "move", "expansion")
    INSERT_FIELD_NUMBER: _ClassVar[int]
    REMOVE_FIELD_NUMBER: _ClassVar[int]
    REPLACE_CHILDREN_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    EXPANSION_FIELD_NUMBER: _ClassVar[int]
    insert: InsertOutlineItems
    remove: RemoveOutlineItems
    replace_children: ReplaceOutlineChildren
    move: MoveOutlineItem
    expansion: OutlineChange
    def __init__(self, insert: _Optional[_Union[InsertOutlineItems, _Mapping[str, object]]] = ..., remove: _Optional[_Union[RemoveOutlineItems, _Mapping[str, object]]] = ..., replace_children: _Optional[_Union[ReplaceOutlineChildren, _Mapping[str, object]]] = ..., move: _Optional[_Union[MoveOutlineItem, _Mapping[str, object]]] = ..., expansion: _Optional[_Union[OutlineChange, _Mapping[str, object]]] = ...) -> None: ...

class OutlinePlace(_message.Message):
    __slots__ = ("last_child_of", "before", "after", "last_root_of")
    LAST_CHILD_OF_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LAST_ROOT_OF_FIELD_NUMBER: _ClassVar[int]
    last_child_of: str
    before: str
    after: str
    last_root_of: str
    def __init__(self, last_child_of: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., last_root_of: _Optional[str] = ...) -> None: ...

class InsertOutlineItems(_message.Message):
    __slots__ = ("at", "blocks")
    AT_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    at: OutlinePlace
    blocks: _containers.RepeatedCompositeFieldContainer[_collection_pb2.ItemBlock]
    def __init__(self, at: _Optional[_Union[OutlinePlace, _Mapping[str, object]]] = ..., blocks: _Optional[_Iterable[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]]] = ...) -> None: ...

class RemoveOutlineItems(_message.Message):
    __slots__ = ("keys",)
    KEYS_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, keys: _Optional[_Iterable[str]] = ...) -> None: ...

class ReplaceOutlineChildren(_message.Message):
    __slots__ = ("parent", "blocks")
    PARENT_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    parent: str
    blocks: _containers.RepeatedCompositeFieldContainer[_collection_pb2.ItemBlock]
    def __init__(self, parent: _Optional[str] = ..., blocks: _Optional[_Iterable[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]]] = ...) -> None: ...

class MoveOutlineItem(_message.Message):
    __slots__ = ("key", "to")
    KEY_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    key: str
    to: OutlinePlace
    def __init__(self, key: _Optional[str] = ..., to: _Optional[_Union[OutlinePlace, _Mapping[str, object]]] = ...) -> None: ...

class OutlineChange(_message.Message):
    __slots__ = ("expand", "collapse", "toggled_slots", "descendants", "animated")
    EXPAND_FIELD_NUMBER: _ClassVar[int]
    COLLAPSE_FIELD_NUMBER: _ClassVar[int]
    TOGGLED_SLOTS_FIELD_NUMBER: _ClassVar[int]
    DESCENDANTS_FIELD_NUMBER: _ClassVar[int]
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    expand: _containers.RepeatedScalarFieldContainer[str]
    collapse: _containers.RepeatedScalarFieldContainer[str]
    toggled_slots: _containers.RepeatedScalarFieldContainer[int]
    descendants: bool
    animated: bool
    def __init__(self, expand: _Optional[_Iterable[str]] = ..., collapse: _Optional[_Iterable[str]] = ..., toggled_slots: _Optional[_Iterable[int]] = ..., descendants: bool = ..., animated: bool = ...) -> None: ...
