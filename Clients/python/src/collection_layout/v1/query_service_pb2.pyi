from collection_layout.v1 import attributes_pb2 as _attributes_pb2
from collection_layout.v1 import collection_pb2 as _collection_pb2
from collection_layout.v1 import geometry_pb2 as _geometry_pb2
from collection_layout.v1 import layouts_pb2 as _layouts_pb2
from collection_layout.v1 import problem_pb2 as _problem_pb2
from collection_layout.v1 import session_pb2 as _session_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LayoutTarget(_message.Message):
    __slots__ = ("session", "collection", "inline_contents", "layout", "viewport", "min_data_version", "expansions", "layout_name")
    SESSION_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    INLINE_CONTENTS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    MIN_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    EXPANSIONS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_NAME_FIELD_NUMBER: _ClassVar[int]
    session: str
    collection: str
    inline_contents: _collection_pb2.CollectionContents
    layout: _layouts_pb2.LayoutSpec
    viewport: _session_pb2.ViewportChange
    min_data_version: int
    expansions: _session_pb2.ExpansionState
    layout_name: str
    def __init__(self, session: _Optional[str] = ..., collection: _Optional[str] = ..., inline_contents: _Optional[_Union[_collection_pb2.CollectionContents, _Mapping[str, object]]] = ..., layout: _Optional[_Union[_layouts_pb2.LayoutSpec, _Mapping[str, object]]] = ..., viewport: _Optional[_Union[_session_pb2.ViewportChange, _Mapping[str, object]]] = ..., min_data_version: _Optional[int] = ..., expansions: _Optional[_Union[_session_pb2.ExpansionState, _Mapping[str, object]]] = ..., layout_name: _Optional[str] = ...) -> None: ...

class GetExpansionsRequest(_message.Message):
    __slots__ = ("session",)
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: str
    def __init__(self, session: _Optional[str] = ...) -> None: ...

class GetExpansionsResponse(_message.Message):
    __slots__ = ("expansions", "data_version")
    EXPANSIONS_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    expansions: _session_pb2.ExpansionState
    data_version: int
    def __init__(self, expansions: _Optional[_Union[_session_pb2.ExpansionState, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ...) -> None: ...

class GetContentSizeRequest(_message.Message):
    __slots__ = ("target",)
    TARGET_FIELD_NUMBER: _ClassVar[int]
    target: LayoutTarget
    def __init__(self, target: _Optional[_Union[LayoutTarget, _Mapping[str, object]]] = ...) -> None: ...

class GetContentSizeResponse(_message.Message):
    __slots__ = ("content_size", "data_version")
    CONTENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    content_size: _geometry_pb2.Size
    data_version: int
    def __init__(self, content_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ...) -> None: ...

class QueryElementsRequest(_message.Message):
    __slots__ = ("target", "rect", "page_size", "page_token")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    RECT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    target: LayoutTarget
    rect: _geometry_pb2.Rect
    page_size: int
    page_token: str
    def __init__(self, target: _Optional[_Union[LayoutTarget, _Mapping[str, object]]] = ..., rect: _Optional[_Union[_geometry_pb2.Rect, _Mapping[str, object]]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class QueryElementsResponse(_message.Message):
    __slots__ = ("elements", "next_page_token", "content_size", "data_version")
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    elements: _containers.RepeatedCompositeFieldContainer[_attributes_pb2.ElementAttributes]
    next_page_token: str
    content_size: _geometry_pb2.Size
    data_version: int
    def __init__(self, elements: _Optional[_Iterable[_Union[_attributes_pb2.ElementAttributes, _Mapping[str, object]]]] = ..., next_page_token: _Optional[str] = ..., content_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ...) -> None: ...

class BatchGetAttributesRequest(_message.Message):
    __slots__ = ("target", "keys")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    target: LayoutTarget
    keys: _containers.RepeatedCompositeFieldContainer[_attributes_pb2.ElementKey]
    def __init__(self, target: _Optional[_Union[LayoutTarget, _Mapping[str, object]]] = ..., keys: _Optional[_Iterable[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]]] = ...) -> None: ...

class BatchGetAttributesResponse(_message.Message):
    __slots__ = ("elements", "data_version")
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    elements: _containers.RepeatedCompositeFieldContainer[_attributes_pb2.ElementAttributes]
    data_version: int
    def __init__(self, elements: _Optional[_Iterable[_Union[_attributes_pb2.ElementAttributes, _Mapping[str, object]]]] = ..., data_version: _Optional[int] = ...) -> None: ...

class HitTestRequest(_message.Message):
    __slots__ = ("target", "point")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    POINT_FIELD_NUMBER: _ClassVar[int]
    target: LayoutTarget
    point: _geometry_pb2.Point
    def __init__(self, target: _Optional[_Union[LayoutTarget, _Mapping[str, object]]] = ..., point: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ...) -> None: ...

class HitTestResponse(_message.Message):
    __slots__ = ("element", "data_version")
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    element: _attributes_pb2.ElementAttributes
    data_version: int
    def __init__(self, element: _Optional[_Union[_attributes_pb2.ElementAttributes, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ...) -> None: ...

class ComputeScrollTargetRequest(_message.Message):
    __slots__ = ("target", "request")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    target: LayoutTarget
    request: _session_pb2.ScrollTargetRequest
    def __init__(self, target: _Optional[_Union[LayoutTarget, _Mapping[str, object]]] = ..., request: _Optional[_Union[_session_pb2.ScrollTargetRequest, _Mapping[str, object]]] = ...) -> None: ...

class ComputeScrollTargetResponse(_message.Message):
    __slots__ = ("content_offset", "key", "data_version", "section_offset")
    CONTENT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    SECTION_OFFSET_FIELD_NUMBER: _ClassVar[int]
    content_offset: _geometry_pb2.Point
    key: _attributes_pb2.ElementKey
    data_version: int
    section_offset: _session_pb2.SectionOffset
    def __init__(self, content_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., key: _Optional[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ..., section_offset: _Optional[_Union[_session_pb2.SectionOffset, _Mapping[str, object]]] = ...) -> None: ...

class FindNeighborRequest(_message.Message):
    __slots__ = ("target", "request")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    target: LayoutTarget
    request: _session_pb2.NeighborRequest
    def __init__(self, target: _Optional[_Union[LayoutTarget, _Mapping[str, object]]] = ..., request: _Optional[_Union[_session_pb2.NeighborRequest, _Mapping[str, object]]] = ...) -> None: ...

class FindNeighborResponse(_message.Message):
    __slots__ = ("element", "content_offset", "section_offset", "data_version")
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    SECTION_OFFSET_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    element: _attributes_pb2.ElementAttributes
    content_offset: _geometry_pb2.Point
    section_offset: _session_pb2.SectionOffset
    data_version: int
    def __init__(self, element: _Optional[_Union[_attributes_pb2.ElementAttributes, _Mapping[str, object]]] = ..., content_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., section_offset: _Optional[_Union[_session_pb2.SectionOffset, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ...) -> None: ...

class GetScrollMapRequest(_message.Message):
    __slots__ = ("target", "axis", "fractions", "bucket_count", "sections", "section_keys")
    TARGET_FIELD_NUMBER: _ClassVar[int]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    FRACTIONS_FIELD_NUMBER: _ClassVar[int]
    BUCKET_COUNT_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    SECTION_KEYS_FIELD_NUMBER: _ClassVar[int]
    target: LayoutTarget
    axis: _geometry_pb2.ScrollDirection
    fractions: _containers.RepeatedScalarFieldContainer[float]
    bucket_count: int
    sections: _containers.RepeatedScalarFieldContainer[int]
    section_keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, target: _Optional[_Union[LayoutTarget, _Mapping[str, object]]] = ..., axis: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., fractions: _Optional[_Iterable[float]] = ..., bucket_count: _Optional[int] = ..., sections: _Optional[_Iterable[int]] = ..., section_keys: _Optional[_Iterable[str]] = ...) -> None: ...

class GetScrollMapResponse(_message.Message):
    __slots__ = ("axis", "in_order", "content_size", "places", "sections", "buckets", "data_version")
    AXIS_FIELD_NUMBER: _ClassVar[int]
    IN_ORDER_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    BUCKETS_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    axis: _geometry_pb2.ScrollDirection
    in_order: bool
    content_size: _geometry_pb2.Size
    places: _containers.RepeatedCompositeFieldContainer[ScrollMapPlace]
    sections: _containers.RepeatedCompositeFieldContainer[ScrollMapPlace]
    buckets: _containers.RepeatedCompositeFieldContainer[ScrollMapBucket]
    data_version: int
    def __init__(self, axis: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., in_order: bool = ..., content_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., places: _Optional[_Iterable[_Union[ScrollMapPlace, _Mapping[str, object]]]] = ..., sections: _Optional[_Iterable[_Union[ScrollMapPlace, _Mapping[str, object]]]] = ..., buckets: _Optional[_Iterable[_Union[ScrollMapBucket, _Mapping[str, object]]]] = ..., data_version: _Optional[int] = ...) -> None: ...

class ScrollMapPlace(_message.Message):
    __slots__ = ("fraction", "position", "content_offset", "section", "section_key", "item", "item_key")
    FRACTION_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    SECTION_KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEY_FIELD_NUMBER: _ClassVar[int]
    fraction: float
    position: float
    content_offset: _geometry_pb2.Point
    section: int
    section_key: str
    item: _attributes_pb2.IndexPath
    item_key: str
    def __init__(self, fraction: _Optional[float] = ..., position: _Optional[float] = ..., content_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., section: _Optional[int] = ..., section_key: _Optional[str] = ..., item: _Optional[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]] = ..., item_key: _Optional[str] = ...) -> None: ...

class ScrollMapBucket(_message.Message):
    __slots__ = ("item_count", "section", "section_key")
    ITEM_COUNT_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    SECTION_KEY_FIELD_NUMBER: _ClassVar[int]
    item_count: int
    section: int
    section_key: str
    def __init__(self, item_count: _Optional[int] = ..., section: _Optional[int] = ..., section_key: _Optional[str] = ...) -> None: ...

class ValidateLayoutRequest(_message.Message):
    __slots__ = ("layout", "viewport_size")
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_SIZE_FIELD_NUMBER: _ClassVar[int]
    layout: _layouts_pb2.LayoutSpec
    viewport_size: _geometry_pb2.Size
    def __init__(self, layout: _Optional[_Union[_layouts_pb2.LayoutSpec, _Mapping[str, object]]] = ..., viewport_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ...) -> None: ...

class ValidateLayoutResponse(_message.Message):
    __slots__ = ("violations", "warnings")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_problem_pb2.FieldViolation]
    warnings: _containers.RepeatedCompositeFieldContainer[_problem_pb2.FieldViolation]
    def __init__(self, violations: _Optional[_Iterable[_Union[_problem_pb2.FieldViolation, _Mapping[str, object]]]] = ..., warnings: _Optional[_Iterable[_Union[_problem_pb2.FieldViolation, _Mapping[str, object]]]] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "layout_kinds", "encodings", "limits", "cache")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_KINDS_FIELD_NUMBER: _ClassVar[int]
    ENCODINGS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    CACHE_FIELD_NUMBER: _ClassVar[int]
    version: str
    layout_kinds: _containers.RepeatedScalarFieldContainer[str]
    encodings: _containers.RepeatedScalarFieldContainer[_session_pb2.ElementEncoding]
    limits: ServerLimits
    cache: PreparedLayoutCacheStatistics
    def __init__(self, version: _Optional[str] = ..., layout_kinds: _Optional[_Iterable[str]] = ..., encodings: _Optional[_Iterable[_Union[_session_pb2.ElementEncoding, str]]] = ..., limits: _Optional[_Union[ServerLimits, _Mapping[str, object]]] = ..., cache: _Optional[_Union[PreparedLayoutCacheStatistics, _Mapping[str, object]]] = ...) -> None: ...

class ServerLimits(_message.Message):
    __slots__ = ("max_sessions", "max_items_per_collection", "max_sections_per_collection", "max_operations_per_batch", "max_elements_per_frame", "max_message_bytes", "resume_grace", "max_default_layout_bytes", "max_elements_per_query", "max_calls_per_connection", "max_imports_per_connection", "message_timeout", "max_expansion_exceptions_per_session", "max_layouts_per_collection", "max_measured_elements_per_session", "max_sessions_per_identity", "max_calls_per_second_per_identity", "max_content_bytes_per_identity", "max_layout_bytes_per_identity", "max_shared_measurement_bytes_per_collection", "max_item_data_bytes", "max_scroll_map_places")
    MAX_SESSIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_PER_COLLECTION_FIELD_NUMBER: _ClassVar[int]
    MAX_SECTIONS_PER_COLLECTION_FIELD_NUMBER: _ClassVar[int]
    MAX_OPERATIONS_PER_BATCH_FIELD_NUMBER: _ClassVar[int]
    MAX_ELEMENTS_PER_FRAME_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    RESUME_GRACE_FIELD_NUMBER: _ClassVar[int]
    MAX_DEFAULT_LAYOUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ELEMENTS_PER_QUERY_FIELD_NUMBER: _ClassVar[int]
    MAX_CALLS_PER_CONNECTION_FIELD_NUMBER: _ClassVar[int]
    MAX_IMPORTS_PER_CONNECTION_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    MAX_EXPANSION_EXCEPTIONS_PER_SESSION_FIELD_NUMBER: _ClassVar[int]
    MAX_LAYOUTS_PER_COLLECTION_FIELD_NUMBER: _ClassVar[int]
    MAX_MEASURED_ELEMENTS_PER_SESSION_FIELD_NUMBER: _ClassVar[int]
    MAX_SESSIONS_PER_IDENTITY_FIELD_NUMBER: _ClassVar[int]
    MAX_CALLS_PER_SECOND_PER_IDENTITY_FIELD_NUMBER: _ClassVar[int]
    MAX_CONTENT_BYTES_PER_IDENTITY_FIELD_NUMBER: _ClassVar[int]
    MAX_LAYOUT_BYTES_PER_IDENTITY_FIELD_NUMBER: _ClassVar[int]
    MAX_SHARED_MEASUREMENT_BYTES_PER_COLLECTION_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEM_DATA_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_SCROLL_MAP_PLACES_FIELD_NUMBER: _ClassVar[int]
    max_sessions: int
    max_items_per_collection: int
    max_sections_per_collection: int
    max_operations_per_batch: int
    max_elements_per_frame: int
    max_message_bytes: int
    resume_grace: _duration_pb2.Duration
    max_default_layout_bytes: int
    max_elements_per_query: int
    max_calls_per_connection: int
    max_imports_per_connection: int
    message_timeout: _duration_pb2.Duration
    max_expansion_exceptions_per_session: int
    max_layouts_per_collection: int
    max_measured_elements_per_session: int
    max_sessions_per_identity: int
    max_calls_per_second_per_identity: int
    max_content_bytes_per_identity: int
    max_layout_bytes_per_identity: int
    max_shared_measurement_bytes_per_collection: int
    max_item_data_bytes: int
    max_scroll_map_places: int
    def __init__(self, max_sessions: _Optional[int] = ..., max_items_per_collection: _Optional[int] = ..., max_sections_per_collection: _Optional[int] = ..., max_operations_per_batch: _Optional[int] = ..., max_elements_per_frame: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., resume_grace: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., max_default_layout_bytes: _Optional[int] = ..., max_elements_per_query: _Optional[int] = ..., max_calls_per_connection: _Optional[int] = ..., max_imports_per_connection: _Optional[int] = ..., message_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., max_expansion_exceptions_per_session: _Optional[int] = ..., max_layouts_per_collection: _Optional[int] = ..., max_measured_elements_per_session: _Optional[int] = ..., max_sessions_per_identity: _Optional[int] = ..., max_calls_per_second_per_identity: _Optional[int] = ..., max_content_bytes_per_identity: _Optional[int] = ..., max_layout_bytes_per_identity: _Optional[int] = ..., max_shared_measurement_bytes_per_collection: _Optional[int] = ..., max_item_data_bytes: _Optional[int] = ..., max_scroll_map_places: _Optional[int] = ...) -> None: ...

class PreparedLayoutCacheStatistics(_message.Message):
    __slots__ = ("entries", "bytes", "hits", "misses", "incremental_updates", "evictions")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    HITS_FIELD_NUMBER: _ClassVar[int]
    MISSES_FIELD_NUMBER: _ClassVar[int]
    INCREMENTAL_UPDATES_FIELD_NUMBER: _ClassVar[int]
    EVICTIONS_FIELD_NUMBER: _ClassVar[int]
    entries: int
    bytes: int
    hits: int
    misses: int
    incremental_updates: int
    evictions: int
    def __init__(self, entries: _Optional[int] = ..., bytes: _Optional[int] = ..., hits: _Optional[int] = ..., misses: _Optional[int] = ..., incremental_updates: _Optional[int] = ..., evictions: _Optional[int] = ...) -> None: ...
