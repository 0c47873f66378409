from collection_layout.v1 import attributes_pb2 as _attributes_pb2
from collection_layout.v1 import collection_pb2 as _collection_pb2
from collection_layout.v1 import updates_pb2 as _updates_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CollectionView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COLLECTION_VIEW_UNSPECIFIED: _ClassVar[CollectionView]
    COLLECTION_VIEW_BASIC: _ClassVar[CollectionView]
    COLLECTION_VIEW_FULL: _ClassVar[CollectionView]
COLLECTION_VIEW_UNSPECIFIED: CollectionView
COLLECTION_VIEW_BASIC: CollectionView
COLLECTION_VIEW_FULL: CollectionView

class CreateCollectionRequest(_message.Message):
    __slots__ = ("collection_id", "collection", "contents")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    collection: _collection_pb2.Collection
    contents: _collection_pb2.CollectionContents
    def __init__(self, collection_id: _Optional[str] = ..., collection: _Optional[_Union[_collection_pb2.Collection, _Mapping[str, object]]] = ..., contents: _Optional[_Union[_collection_pb2.CollectionContents, _Mapping[str, object]]] = ...) -> None: ...

class CreateCollectionResponse(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: _collection_pb2.Collection
    def __init__(self, collection: _Optional[_Union[_collection_pb2.Collection, _Mapping[str, object]]] = ...) -> None: ...

class GetCollectionRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetCollectionResponse(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: _collection_pb2.Collection
    def __init__(self, collection: _Optional[_Union[_collection_pb2.Collection, _Mapping[str, object]]] = ...) -> None: ...

class ListCollectionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "view")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    view: CollectionView
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[CollectionView, str]] = ...) -> None: ...

class ListCollectionsResponse(_message.Message):
    __slots__ = ("collections", "next_page_token")
    COLLECTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    collections: _containers.RepeatedCompositeFieldContainer[_collection_pb2.Collection]
    next_page_token: str
    def __init__(self, collections: _Optional[_Iterable[_Union[_collection_pb2.Collection, _Mapping[str, object]]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateCollectionRequest(_message.Message):
    __slots__ = ("collection", "update_mask")
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    collection: _collection_pb2.Collection
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, collection: _Optional[_Union[_collection_pb2.Collection, _Mapping[str, object]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, object]]] = ...) -> None: ...

class UpdateCollectionResponse(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: _collection_pb2.Collection
    def __init__(self, collection: _Optional[_Union[_collection_pb2.Collection, _Mapping[str, object]]] = ...) -> None: ...

class DeleteCollectionRequest(_message.Message):
    __slots__ = ("name", "etag", "allow_missing")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    allow_missing: bool
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class DeleteCollectionResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ImportContentsRequest(_message.Message):
    __slots__ = ("header", "section", "items", "end")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    header: ImportHeader
    section: _collection_pb2.Section
    items: _collection_pb2.ItemBlock
    end: ImportEnd
    def __init__(self, header: _Optional[_Union[ImportHeader, _Mapping[str, object]]] = ..., section: _Optional[_Union[_collection_pb2.Section, _Mapping[str, object]]] = ..., items: _Optional[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]] = ..., end: _Optional[_Union[ImportEnd, _Mapping[str, object]]] = ...) -> None: ...

class ImportHeader(_message.Message):
    __slots__ = ("name", "expected_data_version", "cell_kind_names")
    NAME_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    CELL_KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    name: str
    expected_data_version: int
    cell_kind_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., expected_data_version: _Optional[int] = ..., cell_kind_names: _Optional[_Iterable[str]] = ...) -> None: ...

class ImportEnd(_message.Message):
    __slots__ = ("section_count", "item_count")
    SECTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    ITEM_COUNT_FIELD_NUMBER: _ClassVar[int]
    section_count: int
    item_count: int
    def __init__(self, section_count: _Optional[int] = ..., item_count: _Optional[int] = ...) -> None: ...

class ImportContentsResponse(_message.Message):
    __slots__ = ("collection",)
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    collection: _collection_pb2.Collection
    def __init__(self, collection: _Optional[_Union[_collection_pb2.Collection, _Mapping[str, object]]] = ...) -> None: ...

class ExportContentsRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ExportContentsResponse(_message.Message):
    __slots__ = ("header", "section", "items", "cell_kind_names")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    CELL_KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    header: _collection_pb2.Collection
    section: _collection_pb2.Section
    items: _collection_pb2.ItemBlock
    cell_kind_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, header: _Optional[_Union[_collection_pb2.Collection, _Mapping[str, object]]] = ..., section: _Optional[_Union[_collection_pb2.Section, _Mapping[str, object]]] = ..., items: _Optional[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]] = ..., cell_kind_names: _Optional[_Iterable[str]] = ...) -> None: ...

class ApplyUpdatesRequest(_message.Message):
    __slots__ = ("name", "batch")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    name: str
    batch: _updates_pb2.UpdateBatch
    def __init__(self, name: _Optional[str] = ..., batch: _Optional[_Union[_updates_pb2.UpdateBatch, _Mapping[str, object]]] = ...) -> None: ...

class ApplyUpdatesResponse(_message.Message):
    __slots__ = ("data_version", "duplicate")
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    data_version: int
    duplicate: bool
    def __init__(self, data_version: _Optional[int] = ..., duplicate: bool = ...) -> None: ...

class WatchUpdatesRequest(_message.Message):
    __slots__ = ("name", "after_data_version", "incarnation")
    NAME_FIELD_NUMBER: _ClassVar[int]
    AFTER_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    after_data_version: int
    incarnation: int
    def __init__(self, name: _Optional[str] = ..., after_data_version: _Optional[int] = ..., incarnation: _Optional[int] = ...) -> None: ...

class WatchUpdatesResponse(_message.Message):
    __slots__ = ("data_version", "batch", "incarnation")
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    data_version: int
    batch: _updates_pb2.UpdateBatch
    incarnation: int
    def __init__(self, data_version: _Optional[int] = ..., batch: _Optional[_Union[_updates_pb2.UpdateBatch, _Mapping[str, object]]] = ..., incarnation: _Optional[int] = ...) -> None: ...

class CreateLayoutRequest(_message.Message):
    __slots__ = ("parent", "layout_id", "layout")
    PARENT_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_ID_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    parent: str
    layout_id: str
    layout: _collection_pb2.NamedLayout
    def __init__(self, parent: _Optional[str] = ..., layout_id: _Optional[str] = ..., layout: _Optional[_Union[_collection_pb2.NamedLayout, _Mapping[str, object]]] = ...) -> None: ...

class CreateLayoutResponse(_message.Message):
    __slots__ = ("layout",)
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    layout: _collection_pb2.NamedLayout
    def __init__(self, layout: _Optional[_Union[_collection_pb2.NamedLayout, _Mapping[str, object]]] = ...) -> None: ...

class GetLayoutRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetLayoutResponse(_message.Message):
    __slots__ = ("layout",)
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    layout: _collection_pb2.NamedLayout
    def __init__(self, layout: _Optional[_Union[_collection_pb2.NamedLayout, _Mapping[str, object]]] = ...) -> None: ...

class ListLayoutsRequest(_message.Message):
    __slots__ = ("parent", "page_size", "page_token")
    PARENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    parent: str
    page_size: int
    page_token: str
    def __init__(self, parent: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListLayoutsResponse(_message.Message):
    __slots__ = ("layouts", "next_page_token")
    LAYOUTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    layouts: _containers.RepeatedCompositeFieldContainer[_collection_pb2.NamedLayout]
    next_page_token: str
    def __init__(self, layouts: _Optional[_Iterable[_Union[_collection_pb2.NamedLayout, _Mapping[str, object]]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateLayoutRequest(_message.Message):
    __slots__ = ("layout", "update_mask", "animated")
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    layout: _collection_pb2.NamedLayout
    update_mask: _field_mask_pb2.FieldMask
    animated: bool
    def __init__(self, layout: _Optional[_Union[_collection_pb2.NamedLayout, _Mapping[str, object]]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping[str, object]]] = ..., animated: bool = ...) -> None: ...

class UpdateLayoutResponse(_message.Message):
    __slots__ = ("layout",)
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    layout: _collection_pb2.NamedLayout
    def __init__(self, layout: _Optional[_Union[_collection_pb2.NamedLayout, _Mapping[str, object]]] = ...) -> None: ...

class DeleteLayoutRequest(_message.Message):
    __slots__ = ("name", "etag", "allow_missing")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    name: str
    etag: str
    allow_missing: bool
    def __init__(self, name: _Optional[str] = ..., etag: _Optional[str] = ..., allow_missing: bool = ...) -> None: ...

class DeleteLayoutResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TransferItemsRequest(_message.Message):
    __slots__ = ("source", "destination", "request_id", "animated")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    source: TransferSource
    destination: TransferDestination
    request_id: str
    animated: bool
    def __init__(self, source: _Optional[_Union[TransferSource, _Mapping[str, object]]] = ..., destination: _Optional[_Union[TransferDestination, _Mapping[str, object]]] = ..., request_id: _Optional[str] = ..., animated: bool = ...) -> None: ...

class TransferSource(_message.Message):
    __slots__ = ("name", "expected_data_version", "keys", "paths")
    NAME_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    PATHS_FIELD_NUMBER: _ClassVar[int]
    name: str
    expected_data_version: int
    keys: _containers.RepeatedScalarFieldContainer[str]
    paths: _containers.RepeatedCompositeFieldContainer[_attributes_pb2.IndexPath]
    def __init__(self, name: _Optional[str] = ..., expected_data_version: _Optional[int] = ..., keys: _Optional[_Iterable[str]] = ..., paths: _Optional[_Iterable[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]]] = ...) -> None: ...

class TransferDestination(_message.Message):
    __slots__ = ("name", "expected_data_version", "at", "relative_to")
    NAME_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    RELATIVE_TO_FIELD_NUMBER: _ClassVar[int]
    name: str
    expected_data_version: int
    at: _attributes_pb2.IndexPath
    relative_to: _updates_pb2.OutlinePlace
    def __init__(self, name: _Optional[str] = ..., expected_data_version: _Optional[int] = ..., at: _Optional[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]] = ..., relative_to: _Optional[_Union[_updates_pb2.OutlinePlace, _Mapping[str, object]]] = ...) -> None: ...

class TransferItemsResponse(_message.Message):
    __slots__ = ("source_data_version", "destination_data_version", "duplicate")
    SOURCE_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    source_data_version: int
    destination_data_version: int
    duplicate: bool
    def __init__(self, source_data_version: _Optional[int] = ..., destination_data_version: _Optional[int] = ..., duplicate: bool = ...) -> None: ...
