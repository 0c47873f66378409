from collection_layout.v1 import geometry_pb2 as _geometry_pb2
from collection_layout.v1 import layouts_pb2 as _layouts_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MeasurementSharing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEASUREMENT_SHARING_UNSPECIFIED: _ClassVar[MeasurementSharing]
    MEASUREMENT_SHARING_PRIVATE: _ClassVar[MeasurementSharing]
    MEASUREMENT_SHARING_SHARED: _ClassVar[MeasurementSharing]

class OutlineExpansion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTLINE_EXPANSION_UNSPECIFIED: _ClassVar[OutlineExpansion]
    OUTLINE_EXPANSION_PER_VIEWER: _ClassVar[OutlineExpansion]
    OUTLINE_EXPANSION_SHARED: _ClassVar[OutlineExpansion]
MEASUREMENT_SHARING_UNSPECIFIED: MeasurementSharing
MEASUREMENT_SHARING_PRIVATE: MeasurementSharing
MEASUREMENT_SHARING_SHARED: MeasurementSharing
OUTLINE_EXPANSION_UNSPECIFIED: OutlineExpansion
OUTLINE_EXPANSION_PER_VIEWER: OutlineExpansion
OUTLINE_EXPANSION_SHARED: OutlineExpansion

class Collection(_message.Message):
    __slots__ = ("name", "display_name", "labels", "default_layout", "data_version", "incarnation", "section_count", "item_count", "create_time", "update_time", "etag", "shared_measurements")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_LAYOUT_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    SECTION_COUNT_FIELD_NUMBER: _ClassVar[int]
    ITEM_COUNT_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    SHARED_MEASUREMENTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    display_name: str
    labels: _containers.ScalarMap[str, str]
    default_layout: _layouts_pb2.LayoutSpec
    data_version: int
    incarnation: int
    section_count: int
    item_count: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    etag: str
    shared_measurements: MeasurementSharing
    def __init__(self, name: _Optional[str] = ..., display_name: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., default_layout: _Optional[_Union[_layouts_pb2.LayoutSpec, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ..., incarnation: _Optional[int] = ..., section_count: _Optional[int] = ..., item_count: _Optional[int] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping[str, object]]] = ..., update_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping[str, object]]] = ..., etag: _Optional[str] = ..., shared_measurements: _Optional[_Union[MeasurementSharing, str]] = ...) -> None: ...

class NamedLayout(_message.Message):
    __slots__ = ("name", "display_name", "layout", "create_time", "update_time", "etag")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    name: str
    display_name: str
    layout: _layouts_pb2.LayoutSpec
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    etag: str
    def __init__(self, name: _Optional[str] = ..., display_name: _Optional[str] = ..., layout: _Optional[_Union[_layouts_pb2.LayoutSpec, _Mapping[str, object]]] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping[str, object]]] = ..., update_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping[str, object]]] = ..., etag: _Optional[str] = ...) -> None: ...

class CollectionContents(_message.Message):
    __slots__ = ("sections", "cell_kind_names")
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    CELL_KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    sections: _containers.RepeatedCompositeFieldContainer[Section]
    cell_kind_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, sections: _Optional[_Iterable[_Union[Section, _Mapping[str, object]]]] = ..., cell_kind_names: _Optional[_Iterable[str]] = ...) -> None: ...

class Section(_message.Message):
    __slots__ = ("key", "blocks", "metrics", "layout_name", "outline")
    KEY_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_NAME_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    key: str
    blocks: _containers.RepeatedCompositeFieldContainer[ItemBlock]
    metrics: SectionMetrics
    layout_name: str
    outline: Outline
    def __init__(self, key: _Optional[str] = ..., blocks: _Optional[_Iterable[_Union[ItemBlock, _Mapping[str, object]]]] = ..., metrics: _Optional[_Union[SectionMetrics, _Mapping[str, object]]] = ..., layout_name: _Optional[str] = ..., outline: _Optional[_Union[Outline, _Mapping[str, object]]] = ...) -> None: ...

class Outline(_message.Message):
    __slots__ = ("expansion",)
    EXPANSION_FIELD_NUMBER: _ClassVar[int]
    expansion: OutlineExpansion
    def __init__(self, expansion: _Optional[_Union[OutlineExpansion, str]] = ...) -> None: ...

class ItemBlock(_message.Message):
    __slots__ = ("count", "widths", "heights", "xs", "ys", "cell_kinds", "keys", "outline", "data")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    WIDTHS_FIELD_NUMBER: _ClassVar[int]
    HEIGHTS_FIELD_NUMBER: _ClassVar[int]
    XS_FIELD_NUMBER: _ClassVar[int]
    YS_FIELD_NUMBER: _ClassVar[int]
    CELL_KINDS_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    count: int
    widths: _containers.RepeatedScalarFieldContainer[float]
    heights: _containers.RepeatedScalarFieldContainer[float]
    xs: _containers.RepeatedScalarFieldContainer[float]
    ys: _containers.RepeatedScalarFieldContainer[float]
    cell_kinds: _containers.RepeatedScalarFieldContainer[int]
    keys: _containers.RepeatedScalarFieldContainer[str]
    outline: OutlineColumns
    data: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, count: _Optional[int] = ..., widths: _Optional[_Iterable[float]] = ..., heights: _Optional[_Iterable[float]] = ..., xs: _Optional[_Iterable[float]] = ..., ys: _Optional[_Iterable[float]] = ..., cell_kinds: _Optional[_Iterable[int]] = ..., keys: _Optional[_Iterable[str]] = ..., outline: _Optional[_Union[OutlineColumns, _Mapping[str, object]]] = ..., data: _Optional[_Iterable[str]] = ...) -> None: ...

class OutlineColumns(_message.Message):
    __slots__ = ("levels", "expanded", "expandable")
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    EXPANDED_FIELD_NUMBER: _ClassVar[int]
    EXPANDABLE_FIELD_NUMBER: _ClassVar[int]
    levels: _containers.RepeatedScalarFieldContainer[int]
    expanded: _containers.RepeatedScalarFieldContainer[bool]
    expandable: _containers.RepeatedScalarFieldContainer[bool]
    def __init__(self, levels: _Optional[_Iterable[int]] = ..., expanded: _Optional[_Iterable[bool]] = ..., expandable: _Optional[_Iterable[bool]] = ...) -> None: ...

class SectionMetrics(_message.Message):
    __slots__ = ("inset", "line_spacing", "interitem_spacing", "header_size", "footer_size")
    INSET_FIELD_NUMBER: _ClassVar[int]
    LINE_SPACING_FIELD_NUMBER: _ClassVar[int]
    INTERITEM_SPACING_FIELD_NUMBER: _ClassVar[int]
    HEADER_SIZE_FIELD_NUMBER: _ClassVar[int]
    FOOTER_SIZE_FIELD_NUMBER: _ClassVar[int]
    inset: _geometry_pb2.EdgeInsets
    line_spacing: float
    interitem_spacing: float
    header_size: _geometry_pb2.Size
    footer_size: _geometry_pb2.Size
    def __init__(self, inset: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., line_spacing: _Optional[float] = ..., interitem_spacing: _Optional[float] = ..., header_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., footer_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ...) -> None: ...
