from collection_layout.v1 import attributes_pb2 as _attributes_pb2
from collection_layout.v1 import collection_pb2 as _collection_pb2
from collection_layout.v1 import geometry_pb2 as _geometry_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DescribeLayoutsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DescribeLayoutsResponse(_message.Message):
    __slots__ = ("layouts",)
    LAYOUTS_FIELD_NUMBER: _ClassVar[int]
    layouts: _containers.RepeatedCompositeFieldContainer[ProvidedLayout]
    def __init__(self, layouts: _Optional[_Iterable[_Union[ProvidedLayout, _Mapping[str, object]]]] = ...) -> None: ...

class ProvidedLayout(_message.Message):
    __slots__ = ("name", "description", "parameters_schema", "scroll_direction", "max_items")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    parameters_schema: str
    scroll_direction: _geometry_pb2.ScrollDirection
    max_items: int
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., parameters_schema: _Optional[str] = ..., scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., max_items: _Optional[int] = ...) -> None: ...

class PrepareLayoutRequest(_message.Message):
    __slots__ = ("start", "section", "items")
    START_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    start: PrepareLayoutStart
    section: _collection_pb2.Section
    items: _collection_pb2.ItemBlock
    def __init__(self, start: _Optional[_Union[PrepareLayoutStart, _Mapping[str, object]]] = ..., section: _Optional[_Union[_collection_pb2.Section, _Mapping[str, object]]] = ..., items: _Optional[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]] = ...) -> None: ...

class PrepareLayoutStart(_message.Message):
    __slots__ = ("layout", "parameters", "container", "cell_kind_names", "section_count", "item_count")
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    CELL_KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    SECTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    ITEM_COUNT_FIELD_NUMBER: _ClassVar[int]
    layout: str
    parameters: _struct_pb2.Struct
    container: ProvidedContainer
    cell_kind_names: _containers.RepeatedScalarFieldContainer[str]
    section_count: int
    item_count: int
    def __init__(self, layout: _Optional[str] = ..., parameters: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, object]]] = ..., container: _Optional[_Union[ProvidedContainer, _Mapping[str, object]]] = ..., cell_kind_names: _Optional[_Iterable[str]] = ..., section_count: _Optional[int] = ..., item_count: _Optional[int] = ...) -> None: ...

class ProvidedContainer(_message.Message):
    __slots__ = ("size", "insets", "display_scale", "right_to_left")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    INSETS_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_SCALE_FIELD_NUMBER: _ClassVar[int]
    RIGHT_TO_LEFT_FIELD_NUMBER: _ClassVar[int]
    size: _geometry_pb2.Size
    insets: _geometry_pb2.EdgeInsets
    display_scale: float
    right_to_left: bool
    def __init__(self, size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., display_scale: _Optional[float] = ..., right_to_left: bool = ...) -> None: ...

class PrepareLayoutResponse(_message.Message):
    __slots__ = ("elements", "end")
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    elements: PlacedElements
    end: PrepareLayoutEnd
    def __init__(self, elements: _Optional[_Union[PlacedElements, _Mapping[str, object]]] = ..., end: _Optional[_Union[PrepareLayoutEnd, _Mapping[str, object]]] = ...) -> None: ...

class PlacedElements(_message.Message):
    __slots__ = ("count", "categories", "kinds", "sections", "items", "xs", "ys", "widths", "heights", "z_indices", "alphas")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    XS_FIELD_NUMBER: _ClassVar[int]
    YS_FIELD_NUMBER: _ClassVar[int]
    WIDTHS_FIELD_NUMBER: _ClassVar[int]
    HEIGHTS_FIELD_NUMBER: _ClassVar[int]
    Z_INDICES_FIELD_NUMBER: _ClassVar[int]
    ALPHAS_FIELD_NUMBER: _ClassVar[int]
    count: int
    categories: _containers.RepeatedScalarFieldContainer[_attributes_pb2.ElementCategory]
    kinds: _containers.RepeatedScalarFieldContainer[int]
    sections: _containers.RepeatedScalarFieldContainer[int]
    items: _containers.RepeatedScalarFieldContainer[int]
    xs: _containers.RepeatedScalarFieldContainer[float]
    ys: _containers.RepeatedScalarFieldContainer[float]
    widths: _containers.RepeatedScalarFieldContainer[float]
    heights: _containers.RepeatedScalarFieldContainer[float]
    z_indices: _containers.RepeatedScalarFieldContainer[int]
    alphas: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, count: _Optional[int] = ..., categories: _Optional[_Iterable[_Union[_attributes_pb2.ElementCategory, str]]] = ..., kinds: _Optional[_Iterable[int]] = ..., sections: _Optional[_Iterable[int]] = ..., items: _Optional[_Iterable[int]] = ..., xs: _Optional[_Iterable[float]] = ..., ys: _Optional[_Iterable[float]] = ..., widths: _Optional[_Iterable[float]] = ..., heights: _Optional[_Iterable[float]] = ..., z_indices: _Optional[_Iterable[int]] = ..., alphas: _Optional[_Iterable[float]] = ...) -> None: ...

class PrepareLayoutEnd(_message.Message):
    __slots__ = ("content_size", "element_count", "kind_names", "cookie")
    CONTENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    COOKIE_FIELD_NUMBER: _ClassVar[int]
    content_size: _geometry_pb2.Size
    element_count: int
    kind_names: _containers.RepeatedScalarFieldContainer[str]
    cookie: bytes
    def __init__(self, content_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., element_count: _Optional[int] = ..., kind_names: _Optional[_Iterable[str]] = ..., cookie: _Optional[bytes] = ...) -> None: ...

class UpdatePlacementRequest(_message.Message):
    __slots__ = ("start", "section", "kept", "items")
    START_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    start: UpdatePlacementStart
    section: UpdatedSection
    kept: KeptItems
    items: _collection_pb2.ItemBlock
    def __init__(self, start: _Optional[_Union[UpdatePlacementStart, _Mapping[str, object]]] = ..., section: _Optional[_Union[UpdatedSection, _Mapping[str, object]]] = ..., kept: _Optional[_Union[KeptItems, _Mapping[str, object]]] = ..., items: _Optional[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]] = ...) -> None: ...

class UpdatePlacementStart(_message.Message):
    __slots__ = ("prepare", "cookie")
    PREPARE_FIELD_NUMBER: _ClassVar[int]
    COOKIE_FIELD_NUMBER: _ClassVar[int]
    prepare: PrepareLayoutStart
    cookie: bytes
    def __init__(self, prepare: _Optional[_Union[PrepareLayoutStart, _Mapping[str, object]]] = ..., cookie: _Optional[bytes] = ...) -> None: ...

class UpdatedSection(_message.Message):
    __slots__ = ("header", "was")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    header: _collection_pb2.Section
    was: int
    def __init__(self, header: _Optional[_Union[_collection_pb2.Section, _Mapping[str, object]]] = ..., was: _Optional[int] = ...) -> None: ...

class KeptItems(_message.Message):
    __slots__ = ("section", "first", "count")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    section: int
    first: int
    count: int
    def __init__(self, section: _Optional[int] = ..., first: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class UpdatePlacementResponse(_message.Message):
    __slots__ = ("elements", "removed", "end")
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    elements: PlacedElements
    removed: RemovedElements
    end: UpdatePlacementEnd
    def __init__(self, elements: _Optional[_Union[PlacedElements, _Mapping[str, object]]] = ..., removed: _Optional[_Union[RemovedElements, _Mapping[str, object]]] = ..., end: _Optional[_Union[UpdatePlacementEnd, _Mapping[str, object]]] = ...) -> None: ...

class RemovedElements(_message.Message):
    __slots__ = ("count", "categories", "kinds", "sections", "items")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    count: int
    categories: _containers.RepeatedScalarFieldContainer[_attributes_pb2.ElementCategory]
    kinds: _containers.RepeatedScalarFieldContainer[int]
    sections: _containers.RepeatedScalarFieldContainer[int]
    items: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, count: _Optional[int] = ..., categories: _Optional[_Iterable[_Union[_attributes_pb2.ElementCategory, str]]] = ..., kinds: _Optional[_Iterable[int]] = ..., sections: _Optional[_Iterable[int]] = ..., items: _Optional[_Iterable[int]] = ...) -> None: ...

class UpdatePlacementEnd(_message.Message):
    __slots__ = ("content_size", "element_count", "kind_names", "cookie")
    CONTENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    COOKIE_FIELD_NUMBER: _ClassVar[int]
    content_size: _geometry_pb2.Size
    element_count: int
    kind_names: _containers.RepeatedScalarFieldContainer[str]
    cookie: bytes
    def __init__(self, content_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., element_count: _Optional[int] = ..., kind_names: _Optional[_Iterable[str]] = ..., cookie: _Optional[bytes] = ...) -> None: ...
