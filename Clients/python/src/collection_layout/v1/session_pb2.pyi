from collection_layout.v1 import attributes_pb2 as _attributes_pb2
from collection_layout.v1 import collection_pb2 as _collection_pb2
from collection_layout.v1 import geometry_pb2 as _geometry_pb2
from collection_layout.v1 import layouts_pb2 as _layouts_pb2
from collection_layout.v1 import problem_pb2 as _problem_pb2
from collection_layout.v1 import updates_pb2 as _updates_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContentEdge(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTENT_EDGE_UNSPECIFIED: _ClassVar[ContentEdge]
    CONTENT_EDGE_START: _ClassVar[ContentEdge]
    CONTENT_EDGE_END: _ClassVar[ContentEdge]

class TableColumnPlace(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_COLUMN_PLACE_UNSPECIFIED: _ClassVar[TableColumnPlace]
    TABLE_COLUMN_PLACE_SCROLLING: _ClassVar[TableColumnPlace]
    TABLE_COLUMN_PLACE_LEADING: _ClassVar[TableColumnPlace]
    TABLE_COLUMN_PLACE_TRAILING: _ClassVar[TableColumnPlace]

class ElementEncoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ELEMENT_ENCODING_UNSPECIFIED: _ClassVar[ElementEncoding]
    ELEMENT_ENCODING_MESSAGES: _ClassVar[ElementEncoding]
    ELEMENT_ENCODING_PACKED: _ClassVar[ElementEncoding]

class ContentAlignment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTENT_ALIGNMENT_UNSPECIFIED: _ClassVar[ContentAlignment]
    CONTENT_ALIGNMENT_START: _ClassVar[ContentAlignment]
    CONTENT_ALIGNMENT_CENTER: _ClassVar[ContentAlignment]
    CONTENT_ALIGNMENT_END: _ClassVar[ContentAlignment]

class AnchorMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ANCHOR_MODE_UNSPECIFIED: _ClassVar[AnchorMode]
    ANCHOR_MODE_NONE: _ClassVar[AnchorMode]
    ANCHOR_MODE_FIRST_VISIBLE: _ClassVar[AnchorMode]
    ANCHOR_MODE_LAST_VISIBLE: _ClassVar[AnchorMode]

class NeighborStep(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NEIGHBOR_STEP_UNSPECIFIED: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_UP: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_DOWN: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_LEFT: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_RIGHT: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_NEXT: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_PREVIOUS: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_PAGE_UP: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_PAGE_DOWN: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_FIRST: _ClassVar[NeighborStep]
    NEIGHBOR_STEP_LAST: _ClassVar[NeighborStep]

class DecelerationRate(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECELERATION_RATE_UNSPECIFIED: _ClassVar[DecelerationRate]
    DECELERATION_RATE_NORMAL: _ClassVar[DecelerationRate]
    DECELERATION_RATE_FAST: _ClassVar[DecelerationRate]

class ScrollPosition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCROLL_POSITION_UNSPECIFIED: _ClassVar[ScrollPosition]
    SCROLL_POSITION_NEAREST: _ClassVar[ScrollPosition]
    SCROLL_POSITION_START: _ClassVar[ScrollPosition]
    SCROLL_POSITION_CENTER: _ClassVar[ScrollPosition]
    SCROLL_POSITION_END: _ClassVar[ScrollPosition]

class MeasurementSharingState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEASUREMENT_SHARING_STATE_UNSPECIFIED: _ClassVar[MeasurementSharingState]
    MEASUREMENT_SHARING_STATE_CONTRIBUTES: _ClassVar[MeasurementSharingState]
    MEASUREMENT_SHARING_STATE_READS: _ClassVar[MeasurementSharingState]
    MEASUREMENT_SHARING_STATE_NO_RENDERER: _ClassVar[MeasurementSharingState]
    MEASUREMENT_SHARING_STATE_NOT_SHARED: _ClassVar[MeasurementSharingState]
    MEASUREMENT_SHARING_STATE_INLINE_CONTENTS: _ClassVar[MeasurementSharingState]
    MEASUREMENT_SHARING_STATE_LIMIT: _ClassVar[MeasurementSharingState]

class ScrollSensitivity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCROLL_SENSITIVITY_UNSPECIFIED: _ClassVar[ScrollSensitivity]
    SCROLL_SENSITIVITY_COVERAGE: _ClassVar[ScrollSensitivity]
    SCROLL_SENSITIVITY_EVERY_SCROLL: _ClassVar[ScrollSensitivity]
CONTENT_EDGE_UNSPECIFIED: ContentEdge
CONTENT_EDGE_START: ContentEdge
CONTENT_EDGE_END: ContentEdge
TABLE_COLUMN_PLACE_UNSPECIFIED: TableColumnPlace
TABLE_COLUMN_PLACE_SCROLLING: TableColumnPlace
TABLE_COLUMN_PLACE_LEADING: TableColumnPlace
TABLE_COLUMN_PLACE_TRAILING: TableColumnPlace
ELEMENT_ENCODING_UNSPECIFIED: ElementEncoding
ELEMENT_ENCODING_MESSAGES: ElementEncoding
ELEMENT_ENCODING_PACKED: ElementEncoding
CONTENT_ALIGNMENT_UNSPECIFIED: ContentAlignment
CONTENT_ALIGNMENT_START: ContentAlignment
CONTENT_ALIGNMENT_CENTER: ContentAlignment
CONTENT_ALIGNMENT_END: ContentAlignment
ANCHOR_MODE_UNSPECIFIED: AnchorMode
ANCHOR_MODE_NONE: AnchorMode
ANCHOR_MODE_FIRST_VISIBLE: AnchorMode
ANCHOR_MODE_LAST_VISIBLE: AnchorMode
NEIGHBOR_STEP_UNSPECIFIED: NeighborStep
NEIGHBOR_STEP_UP: NeighborStep
NEIGHBOR_STEP_DOWN: NeighborStep
NEIGHBOR_STEP_LEFT: NeighborStep
NEIGHBOR_STEP_RIGHT: NeighborStep
NEIGHBOR_STEP_NEXT: NeighborStep
NEIGHBOR_STEP_PREVIOUS: NeighborStep
NEIGHBOR_STEP_PAGE_UP: NeighborStep
NEIGHBOR_STEP_PAGE_DOWN: NeighborStep
NEIGHBOR_STEP_FIRST: NeighborStep
NEIGHBOR_STEP_LAST: NeighborStep
DECELERATION_RATE_UNSPECIFIED: DecelerationRate
DECELERATION_RATE_NORMAL: DecelerationRate
DECELERATION_RATE_FAST: DecelerationRate
SCROLL_POSITION_UNSPECIFIED: ScrollPosition
SCROLL_POSITION_NEAREST: ScrollPosition
SCROLL_POSITION_START: ScrollPosition
SCROLL_POSITION_CENTER: ScrollPosition
SCROLL_POSITION_END: ScrollPosition
MEASUREMENT_SHARING_STATE_UNSPECIFIED: MeasurementSharingState
MEASUREMENT_SHARING_STATE_CONTRIBUTES: MeasurementSharingState
MEASUREMENT_SHARING_STATE_READS: MeasurementSharingState
MEASUREMENT_SHARING_STATE_NO_RENDERER: MeasurementSharingState
MEASUREMENT_SHARING_STATE_NOT_SHARED: MeasurementSharingState
MEASUREMENT_SHARING_STATE_INLINE_CONTENTS: MeasurementSharingState
MEASUREMENT_SHARING_STATE_LIMIT: MeasurementSharingState
SCROLL_SENSITIVITY_UNSPECIFIED: ScrollSensitivity
SCROLL_SENSITIVITY_COVERAGE: ScrollSensitivity
SCROLL_SENSITIVITY_EVERY_SCROLL: ScrollSensitivity

class StreamLayoutRequest(_message.Message):
    __slots__ = ("event_seq", "ack", "open", "viewport", "update", "layout", "measurements", "options", "resync", "close", "scroll_target", "movement", "transition", "invalidation", "outline", "credentials", "table", "sync")
    EVENT_SEQ_FIELD_NUMBER: _ClassVar[int]
    ACK_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    MEASUREMENTS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    RESYNC_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    SCROLL_TARGET_FIELD_NUMBER: _ClassVar[int]
    MOVEMENT_FIELD_NUMBER: _ClassVar[int]
    TRANSITION_FIELD_NUMBER: _ClassVar[int]
    INVALIDATION_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    CREDENTIALS_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    event_seq: int
    ack: FrameAck
    open: OpenSession
    viewport: ViewportChange
    update: _updates_pb2.UpdateBatch
    layout: LayoutChange
    measurements: MeasurementReport
    options: SessionOptions
    resync: ResyncRequest
    close: CloseSession
    scroll_target: ScrollTargetRequest
    movement: InteractiveMovement
    transition: InteractiveTransition
    invalidation: Invalidation
    outline: _updates_pb2.OutlineChange
    credentials: CredentialsRenewal
    table: TableChange
    sync: SyncRequest
    def __init__(self, event_seq: _Optional[int] = ..., ack: _Optional[_Union[FrameAck, _Mapping[str, object]]] = ..., open: _Optional[_Union[OpenSession, _Mapping[str, object]]] = ..., viewport: _Optional[_Union[ViewportChange, _Mapping[str, object]]] = ..., update: _Optional[_Union[_updates_pb2.UpdateBatch, _Mapping[str, object]]] = ..., layout: _Optional[_Union[LayoutChange, _Mapping[str, object]]] = ..., measurements: _Optional[_Union[MeasurementReport, _Mapping[str, object]]] = ..., options: _Optional[_Union[SessionOptions, _Mapping[str, object]]] = ..., resync: _Optional[_Union[ResyncRequest, _Mapping[str, object]]] = ..., close: _Optional[_Union[CloseSession, _Mapping[str, object]]] = ..., scroll_target: _Optional[_Union[ScrollTargetRequest, _Mapping[str, object]]] = ..., movement: _Optional[_Union[InteractiveMovement, _Mapping[str, object]]] = ..., transition: _Optional[_Union[InteractiveTransition, _Mapping[str, object]]] = ..., invalidation: _Optional[_Union[Invalidation, _Mapping[str, object]]] = ..., outline: _Optional[_Union[_updates_pb2.OutlineChange, _Mapping[str, object]]] = ..., credentials: _Optional[_Union[CredentialsRenewal, _Mapping[str, object]]] = ..., table: _Optional[_Union[TableChange, _Mapping[str, object]]] = ..., sync: _Optional[_Union[SyncRequest, _Mapping[str, object]]] = ...) -> None: ...

class SyncRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CredentialsRenewal(_message.Message):
    __slots__ = ("token",)
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: str
    def __init__(self, token: _Optional[str] = ...) -> None: ...

class OpenSession(_message.Message):
    __slots__ = ("collection", "inline_contents", "resume", "capabilities", "options", "layout", "viewport", "start", "expansions", "layout_name", "table", "renderer")
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    INLINE_CONTENTS_FIELD_NUMBER: _ClassVar[int]
    RESUME_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    EXPANSIONS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_NAME_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    RENDERER_FIELD_NUMBER: _ClassVar[int]
    collection: str
    inline_contents: _collection_pb2.CollectionContents
    resume: ResumeRequest
    capabilities: ClientCapabilities
    options: SessionOptions
    layout: _layouts_pb2.LayoutSpec
    viewport: ViewportChange
    start: StartPlace
    expansions: ExpansionState
    layout_name: str
    table: TableChange
    renderer: str
    def __init__(self, collection: _Optional[str] = ..., inline_contents: _Optional[_Union[_collection_pb2.CollectionContents, _Mapping[str, object]]] = ..., resume: _Optional[_Union[ResumeRequest, _Mapping[str, object]]] = ..., capabilities: _Optional[_Union[ClientCapabilities, _Mapping[str, object]]] = ..., options: _Optional[_Union[SessionOptions, _Mapping[str, object]]] = ..., layout: _Optional[_Union[_layouts_pb2.LayoutSpec, _Mapping[str, object]]] = ..., viewport: _Optional[_Union[ViewportChange, _Mapping[str, object]]] = ..., start: _Optional[_Union[StartPlace, _Mapping[str, object]]] = ..., expansions: _Optional[_Union[ExpansionState, _Mapping[str, object]]] = ..., layout_name: _Optional[str] = ..., table: _Optional[_Union[TableChange, _Mapping[str, object]]] = ..., renderer: _Optional[str] = ...) -> None: ...

class StartPlace(_message.Message):
    __slots__ = ("element", "edge", "fraction")
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    EDGE_FIELD_NUMBER: _ClassVar[int]
    FRACTION_FIELD_NUMBER: _ClassVar[int]
    element: ScrollToElement
    edge: ContentEdge
    fraction: float
    def __init__(self, element: _Optional[_Union[ScrollToElement, _Mapping[str, object]]] = ..., edge: _Optional[_Union[ContentEdge, str]] = ..., fraction: _Optional[float] = ...) -> None: ...

class ExpansionState(_message.Message):
    __slots__ = ("base", "expanded", "collapsed")
    class Base(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        BASE_UNSPECIFIED: _ClassVar[ExpansionState.Base]
        BASE_CONTENTS: _ClassVar[ExpansionState.Base]
        BASE_COLLAPSED: _ClassVar[ExpansionState.Base]
        BASE_EXPANDED: _ClassVar[ExpansionState.Base]
    BASE_UNSPECIFIED: ExpansionState.Base
    BASE_CONTENTS: ExpansionState.Base
    BASE_COLLAPSED: ExpansionState.Base
    BASE_EXPANDED: ExpansionState.Base
    BASE_FIELD_NUMBER: _ClassVar[int]
    EXPANDED_FIELD_NUMBER: _ClassVar[int]
    COLLAPSED_FIELD_NUMBER: _ClassVar[int]
    base: ExpansionState.Base
    expanded: _containers.RepeatedScalarFieldContainer[str]
    collapsed: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, base: _Optional[_Union[ExpansionState.Base, str]] = ..., expanded: _Optional[_Iterable[str]] = ..., collapsed: _Optional[_Iterable[str]] = ...) -> None: ...

class TableChange(_message.Message):
    __slots__ = ("reset", "columns", "order", "animated")
    RESET_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    reset: bool
    columns: _containers.RepeatedCompositeFieldContainer[TableColumnChange]
    order: TableOrder
    animated: bool
    def __init__(self, reset: bool = ..., columns: _Optional[_Iterable[_Union[TableColumnChange, _Mapping[str, object]]]] = ..., order: _Optional[_Union[TableOrder, _Mapping[str, object]]] = ..., animated: bool = ...) -> None: ...

class TableColumnChange(_message.Message):
    __slots__ = ("id", "width", "hidden", "place")
    ID_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    id: str
    width: float
    hidden: bool
    place: TableColumnPlace
    def __init__(self, id: _Optional[str] = ..., width: _Optional[float] = ..., hidden: bool = ..., place: _Optional[_Union[TableColumnPlace, str]] = ...) -> None: ...

class TableOrder(_message.Message):
    __slots__ = ("ids",)
    IDS_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ResumeRequest(_message.Message):
    __slots__ = ("resume_token", "last_frame_seq", "last_event_seq", "state_checksum", "live_count")
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LAST_FRAME_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_SEQ_FIELD_NUMBER: _ClassVar[int]
    STATE_CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    LIVE_COUNT_FIELD_NUMBER: _ClassVar[int]
    resume_token: bytes
    last_frame_seq: int
    last_event_seq: int
    state_checksum: int
    live_count: int
    def __init__(self, resume_token: _Optional[bytes] = ..., last_frame_seq: _Optional[int] = ..., last_event_seq: _Optional[int] = ..., state_checksum: _Optional[int] = ..., live_count: _Optional[int] = ...) -> None: ...

class ClientCapabilities(_message.Message):
    __slots__ = ("encodings", "units_per_point", "animations", "pinning", "checksums", "item_keys", "max_message_bytes", "scroll_effects", "section_keys", "section_scrolls", "section_scrolling", "item_data")
    ENCODINGS_FIELD_NUMBER: _ClassVar[int]
    UNITS_PER_POINT_FIELD_NUMBER: _ClassVar[int]
    ANIMATIONS_FIELD_NUMBER: _ClassVar[int]
    PINNING_FIELD_NUMBER: _ClassVar[int]
    CHECKSUMS_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEYS_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    SCROLL_EFFECTS_FIELD_NUMBER: _ClassVar[int]
    SECTION_KEYS_FIELD_NUMBER: _ClassVar[int]
    SECTION_SCROLLS_FIELD_NUMBER: _ClassVar[int]
    SECTION_SCROLLING_FIELD_NUMBER: _ClassVar[int]
    ITEM_DATA_FIELD_NUMBER: _ClassVar[int]
    encodings: _containers.RepeatedScalarFieldContainer[ElementEncoding]
    units_per_point: _containers.RepeatedScalarFieldContainer[int]
    animations: bool
    pinning: bool
    checksums: bool
    item_keys: bool
    max_message_bytes: int
    scroll_effects: bool
    section_keys: bool
    section_scrolls: bool
    section_scrolling: bool
    item_data: bool
    def __init__(self, encodings: _Optional[_Iterable[_Union[ElementEncoding, str]]] = ..., units_per_point: _Optional[_Iterable[int]] = ..., animations: bool = ..., pinning: bool = ..., checksums: bool = ..., item_keys: bool = ..., max_message_bytes: _Optional[int] = ..., scroll_effects: bool = ..., section_keys: bool = ..., section_scrolls: bool = ..., section_scrolling: bool = ..., item_data: bool = ...) -> None: ...

class SessionOptions(_message.Message):
    __slots__ = ("max_in_flight_frames", "min_frame_interval", "overscan_ahead", "overscan_behind", "anchor_mode", "heartbeat_interval", "size_change_anchor", "alignment", "prefetch", "visibility")
    MAX_IN_FLIGHT_FRAMES_FIELD_NUMBER: _ClassVar[int]
    MIN_FRAME_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    OVERSCAN_AHEAD_FIELD_NUMBER: _ClassVar[int]
    OVERSCAN_BEHIND_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_MODE_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    SIZE_CHANGE_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    ALIGNMENT_FIELD_NUMBER: _ClassVar[int]
    PREFETCH_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    max_in_flight_frames: int
    min_frame_interval: _duration_pb2.Duration
    overscan_ahead: float
    overscan_behind: float
    anchor_mode: AnchorMode
    heartbeat_interval: _duration_pb2.Duration
    size_change_anchor: ContentEdge
    alignment: ContentAlignment
    prefetch: PrefetchOptions
    visibility: VisibilityOptions
    def __init__(self, max_in_flight_frames: _Optional[int] = ..., min_frame_interval: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., overscan_ahead: _Optional[float] = ..., overscan_behind: _Optional[float] = ..., anchor_mode: _Optional[_Union[AnchorMode, str]] = ..., heartbeat_interval: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., size_change_anchor: _Optional[_Union[ContentEdge, str]] = ..., alignment: _Optional[_Union[ContentAlignment, str]] = ..., prefetch: _Optional[_Union[PrefetchOptions, _Mapping[str, object]]] = ..., visibility: _Optional[_Union[VisibilityOptions, _Mapping[str, object]]] = ...) -> None: ...

class PrefetchOptions(_message.Message):
    __slots__ = ("max_items", "distance_ahead", "distance_behind")
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_AHEAD_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_BEHIND_FIELD_NUMBER: _ClassVar[int]
    max_items: int
    distance_ahead: float
    distance_behind: float
    def __init__(self, max_items: _Optional[int] = ..., distance_ahead: _Optional[float] = ..., distance_behind: _Optional[float] = ...) -> None: ...

class VisibilityOptions(_message.Message):
    __slots__ = ("rules",)
    RULES_FIELD_NUMBER: _ClassVar[int]
    rules: _containers.RepeatedCompositeFieldContainer[VisibilityRule]
    def __init__(self, rules: _Optional[_Iterable[_Union[VisibilityRule, _Mapping[str, object]]]] = ...) -> None: ...

class VisibilityRule(_message.Message):
    __slots__ = ("threshold", "measure", "duration", "once", "categories", "kinds")
    class Measure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        MEASURE_UNSPECIFIED: _ClassVar[VisibilityRule.Measure]
        MEASURE_AREA: _ClassVar[VisibilityRule.Measure]
        MEASURE_LENGTH: _ClassVar[VisibilityRule.Measure]
    MEASURE_UNSPECIFIED: VisibilityRule.Measure
    MEASURE_AREA: VisibilityRule.Measure
    MEASURE_LENGTH: VisibilityRule.Measure
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    ONCE_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    threshold: float
    measure: VisibilityRule.Measure
    duration: _duration_pb2.Duration
    once: bool
    categories: _containers.RepeatedScalarFieldContainer[_attributes_pb2.ElementCategory]
    kinds: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, threshold: _Optional[float] = ..., measure: _Optional[_Union[VisibilityRule.Measure, str]] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., once: bool = ..., categories: _Optional[_Iterable[_Union[_attributes_pb2.ElementCategory, str]]] = ..., kinds: _Optional[_Iterable[str]] = ...) -> None: ...

class FrameAck(_message.Message):
    __slots__ = ("frame_seq", "state_checksum", "rejected")
    FRAME_SEQ_FIELD_NUMBER: _ClassVar[int]
    STATE_CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    frame_seq: int
    state_checksum: int
    rejected: bool
    def __init__(self, frame_seq: _Optional[int] = ..., state_checksum: _Optional[int] = ..., rejected: bool = ...) -> None: ...

class ViewportChange(_message.Message):
    __slots__ = ("observed_frame_seq", "content_offset", "size", "content_insets", "velocity", "section_offsets", "traits", "safe_area_insets", "layout_margins", "readable_content_width")
    OBSERVED_FRAME_SEQ_FIELD_NUMBER: _ClassVar[int]
    CONTENT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSETS_FIELD_NUMBER: _ClassVar[int]
    VELOCITY_FIELD_NUMBER: _ClassVar[int]
    SECTION_OFFSETS_FIELD_NUMBER: _ClassVar[int]
    TRAITS_FIELD_NUMBER: _ClassVar[int]
    SAFE_AREA_INSETS_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_MARGINS_FIELD_NUMBER: _ClassVar[int]
    READABLE_CONTENT_WIDTH_FIELD_NUMBER: _ClassVar[int]
    observed_frame_seq: int
    content_offset: _geometry_pb2.Point
    size: _geometry_pb2.Size
    content_insets: _geometry_pb2.EdgeInsets
    velocity: _geometry_pb2.Point
    section_offsets: _containers.RepeatedCompositeFieldContainer[SectionOffset]
    traits: Traits
    safe_area_insets: _geometry_pb2.EdgeInsets
    layout_margins: _geometry_pb2.EdgeInsets
    readable_content_width: float
    def __init__(self, observed_frame_seq: _Optional[int] = ..., content_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., content_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., velocity: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., section_offsets: _Optional[_Iterable[_Union[SectionOffset, _Mapping[str, object]]]] = ..., traits: _Optional[_Union[Traits, _Mapping[str, object]]] = ..., safe_area_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., layout_margins: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., readable_content_width: _Optional[float] = ...) -> None: ...

class SectionOffset(_message.Message):
    __slots__ = ("section", "offset")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    section: int
    offset: float
    def __init__(self, section: _Optional[int] = ..., offset: _Optional[float] = ...) -> None: ...

class Traits(_message.Message):
    __slots__ = ("display_scale", "right_to_left", "names", "horizontal_size_class", "vertical_size_class")
    DISPLAY_SCALE_FIELD_NUMBER: _ClassVar[int]
    RIGHT_TO_LEFT_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    HORIZONTAL_SIZE_CLASS_FIELD_NUMBER: _ClassVar[int]
    VERTICAL_SIZE_CLASS_FIELD_NUMBER: _ClassVar[int]
    display_scale: float
    right_to_left: bool
    names: _containers.RepeatedScalarFieldContainer[str]
    horizontal_size_class: _layouts_pb2.SizeClass
    vertical_size_class: _layouts_pb2.SizeClass
    def __init__(self, display_scale: _Optional[float] = ..., right_to_left: bool = ..., names: _Optional[_Iterable[str]] = ..., horizontal_size_class: _Optional[_Union[_layouts_pb2.SizeClass, str]] = ..., vertical_size_class: _Optional[_Union[_layouts_pb2.SizeClass, str]] = ...) -> None: ...

class LayoutChange(_message.Message):
    __slots__ = ("layout", "animated", "layout_name")
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_NAME_FIELD_NUMBER: _ClassVar[int]
    layout: _layouts_pb2.LayoutSpec
    animated: bool
    layout_name: str
    def __init__(self, layout: _Optional[_Union[_layouts_pb2.LayoutSpec, _Mapping[str, object]]] = ..., animated: bool = ..., layout_name: _Optional[str] = ...) -> None: ...

class MeasurementReport(_message.Message):
    __slots__ = ("observed_frame_seq", "slots", "sizes")
    OBSERVED_FRAME_SEQ_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    SIZES_FIELD_NUMBER: _ClassVar[int]
    observed_frame_seq: int
    slots: _containers.RepeatedScalarFieldContainer[int]
    sizes: _containers.RepeatedCompositeFieldContainer[_geometry_pb2.Size]
    def __init__(self, observed_frame_seq: _Optional[int] = ..., slots: _Optional[_Iterable[int]] = ..., sizes: _Optional[_Iterable[_Union[_geometry_pb2.Size, _Mapping[str, object]]]] = ...) -> None: ...

class ResyncRequest(_message.Message):
    __slots__ = ("reason",)
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REASON_UNSPECIFIED: _ClassVar[ResyncRequest.Reason]
        REASON_CHECKSUM: _ClassVar[ResyncRequest.Reason]
        REASON_CLIENT_RESET: _ClassVar[ResyncRequest.Reason]
    REASON_UNSPECIFIED: ResyncRequest.Reason
    REASON_CHECKSUM: ResyncRequest.Reason
    REASON_CLIENT_RESET: ResyncRequest.Reason
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: ResyncRequest.Reason
    def __init__(self, reason: _Optional[_Union[ResyncRequest.Reason, str]] = ...) -> None: ...

class CloseSession(_message.Message):
    __slots__ = ("discard",)
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    discard: bool
    def __init__(self, discard: bool = ...) -> None: ...

class ScrollTargetRequest(_message.Message):
    __slots__ = ("release", "element", "neighbor")
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOR_FIELD_NUMBER: _ClassVar[int]
    release: ScrollRelease
    element: ScrollToElement
    neighbor: NeighborRequest
    def __init__(self, release: _Optional[_Union[ScrollRelease, _Mapping[str, object]]] = ..., element: _Optional[_Union[ScrollToElement, _Mapping[str, object]]] = ..., neighbor: _Optional[_Union[NeighborRequest, _Mapping[str, object]]] = ...) -> None: ...

class NeighborRequest(_message.Message):
    __slots__ = ("key", "item_key", "point", "step", "position")
    KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEY_FIELD_NUMBER: _ClassVar[int]
    POINT_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    key: _attributes_pb2.ElementKey
    item_key: str
    point: _geometry_pb2.Point
    step: NeighborStep
    position: ScrollPosition
    def __init__(self, key: _Optional[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]] = ..., item_key: _Optional[str] = ..., point: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., step: _Optional[_Union[NeighborStep, str]] = ..., position: _Optional[_Union[ScrollPosition, str]] = ...) -> None: ...

class ScrollRelease(_message.Message):
    __slots__ = ("proposed_offset", "velocity", "section", "deceleration")
    PROPOSED_OFFSET_FIELD_NUMBER: _ClassVar[int]
    VELOCITY_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    DECELERATION_FIELD_NUMBER: _ClassVar[int]
    proposed_offset: _geometry_pb2.Point
    velocity: _geometry_pb2.Point
    section: int
    deceleration: DecelerationRate
    def __init__(self, proposed_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., velocity: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., section: _Optional[int] = ..., deceleration: _Optional[_Union[DecelerationRate, str]] = ...) -> None: ...

class ScrollToElement(_message.Message):
    __slots__ = ("key", "item_key", "position", "reveal")
    KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEY_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    REVEAL_FIELD_NUMBER: _ClassVar[int]
    key: _attributes_pb2.ElementKey
    item_key: str
    position: ScrollPosition
    reveal: bool
    def __init__(self, key: _Optional[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]] = ..., item_key: _Optional[str] = ..., position: _Optional[_Union[ScrollPosition, str]] = ..., reveal: bool = ...) -> None: ...

class InteractiveMovement(_message.Message):
    __slots__ = ("begin", "position", "end", "cancel", "begin_items", "target", "rules", "begin_foreign", "nest", "level")
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    BEGIN_ITEMS_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    BEGIN_FOREIGN_FIELD_NUMBER: _ClassVar[int]
    NEST_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    begin: _attributes_pb2.IndexPath
    position: _geometry_pb2.Point
    end: bool
    cancel: bool
    begin_items: MovementItems
    target: _attributes_pb2.IndexPath
    rules: MovementRules
    begin_foreign: ForeignItems
    nest: bool
    level: int
    def __init__(self, begin: _Optional[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]] = ..., position: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., end: bool = ..., cancel: bool = ..., begin_items: _Optional[_Union[MovementItems, _Mapping[str, object]]] = ..., target: _Optional[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]] = ..., rules: _Optional[_Union[MovementRules, _Mapping[str, object]]] = ..., begin_foreign: _Optional[_Union[ForeignItems, _Mapping[str, object]]] = ..., nest: bool = ..., level: _Optional[int] = ...) -> None: ...

class MovementItems(_message.Message):
    __slots__ = ("paths", "keys")
    PATHS_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    paths: _containers.RepeatedCompositeFieldContainer[_attributes_pb2.IndexPath]
    keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, paths: _Optional[_Iterable[_Union[_attributes_pb2.IndexPath, _Mapping[str, object]]]] = ..., keys: _Optional[_Iterable[str]] = ...) -> None: ...

class ForeignItems(_message.Message):
    __slots__ = ("collection_items", "new_items")
    COLLECTION_ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEW_ITEMS_FIELD_NUMBER: _ClassVar[int]
    collection_items: CollectionItems
    new_items: NewItems
    def __init__(self, collection_items: _Optional[_Union[CollectionItems, _Mapping[str, object]]] = ..., new_items: _Optional[_Union[NewItems, _Mapping[str, object]]] = ...) -> None: ...

class CollectionItems(_message.Message):
    __slots__ = ("collection", "keys")
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    collection: str
    keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, collection: _Optional[str] = ..., keys: _Optional[_Iterable[str]] = ...) -> None: ...

class NewItems(_message.Message):
    __slots__ = ("blocks", "cell_kind_names")
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    CELL_KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    blocks: _containers.RepeatedCompositeFieldContainer[_collection_pb2.ItemBlock]
    cell_kind_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, blocks: _Optional[_Iterable[_Union[_collection_pb2.ItemBlock, _Mapping[str, object]]]] = ..., cell_kind_names: _Optional[_Iterable[str]] = ...) -> None: ...

class MovementRules(_message.Message):
    __slots__ = ("fixed_kinds", "fixed_keys", "max_held_items", "same_section", "targets")
    FIXED_KINDS_FIELD_NUMBER: _ClassVar[int]
    FIXED_KEYS_FIELD_NUMBER: _ClassVar[int]
    MAX_HELD_ITEMS_FIELD_NUMBER: _ClassVar[int]
    SAME_SECTION_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    fixed_kinds: _containers.RepeatedScalarFieldContainer[str]
    fixed_keys: _containers.RepeatedScalarFieldContainer[str]
    max_held_items: int
    same_section: bool
    targets: _containers.RepeatedCompositeFieldContainer[MovementTarget]
    def __init__(self, fixed_kinds: _Optional[_Iterable[str]] = ..., fixed_keys: _Optional[_Iterable[str]] = ..., max_held_items: _Optional[int] = ..., same_section: bool = ..., targets: _Optional[_Iterable[_Union[MovementTarget, _Mapping[str, object]]]] = ...) -> None: ...

class MovementTarget(_message.Message):
    __slots__ = ("index", "key", "layout_name", "kinds", "max_items")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_NAME_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    index: int
    key: str
    layout_name: str
    kinds: _containers.RepeatedScalarFieldContainer[str]
    max_items: int
    def __init__(self, index: _Optional[int] = ..., key: _Optional[str] = ..., layout_name: _Optional[str] = ..., kinds: _Optional[_Iterable[str]] = ..., max_items: _Optional[int] = ...) -> None: ...

class InteractiveTransition(_message.Message):
    __slots__ = ("begin", "progress", "finish", "cancel")
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    FINISH_FIELD_NUMBER: _ClassVar[int]
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    begin: _layouts_pb2.LayoutSpec
    progress: float
    finish: bool
    cancel: bool
    def __init__(self, begin: _Optional[_Union[_layouts_pb2.LayoutSpec, _Mapping[str, object]]] = ..., progress: _Optional[float] = ..., finish: bool = ..., cancel: bool = ...) -> None: ...

class Invalidation(_message.Message):
    __slots__ = ("elements",)
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    elements: _containers.RepeatedCompositeFieldContainer[_attributes_pb2.ElementKey]
    def __init__(self, elements: _Optional[_Iterable[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]]] = ...) -> None: ...

class StreamLayoutResponse(_message.Message):
    __slots__ = ("opened", "frame", "event_result", "scroll_target", "heartbeat", "notice", "prefetch", "visibility")
    OPENED_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    EVENT_RESULT_FIELD_NUMBER: _ClassVar[int]
    SCROLL_TARGET_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    PREFETCH_FIELD_NUMBER: _ClassVar[int]
    VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    opened: SessionOpened
    frame: LayoutFrame
    event_result: EventResult
    scroll_target: ScrollTarget
    heartbeat: Heartbeat
    notice: Notice
    prefetch: PrefetchChange
    visibility: VisibilityChange
    def __init__(self, opened: _Optional[_Union[SessionOpened, _Mapping[str, object]]] = ..., frame: _Optional[_Union[LayoutFrame, _Mapping[str, object]]] = ..., event_result: _Optional[_Union[EventResult, _Mapping[str, object]]] = ..., scroll_target: _Optional[_Union[ScrollTarget, _Mapping[str, object]]] = ..., heartbeat: _Optional[_Union[Heartbeat, _Mapping[str, object]]] = ..., notice: _Optional[_Union[Notice, _Mapping[str, object]]] = ..., prefetch: _Optional[_Union[PrefetchChange, _Mapping[str, object]]] = ..., visibility: _Optional[_Union[VisibilityChange, _Mapping[str, object]]] = ...) -> None: ...

class PrefetchChange(_message.Message):
    __slots__ = ("reset", "data_version", "items", "shown", "cancelled", "continued")
    RESET_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    CONTINUED_FIELD_NUMBER: _ClassVar[int]
    reset: bool
    data_version: int
    items: _containers.RepeatedCompositeFieldContainer[PrefetchItem]
    shown: _containers.RepeatedScalarFieldContainer[int]
    cancelled: _containers.RepeatedScalarFieldContainer[int]
    continued: bool
    def __init__(self, reset: bool = ..., data_version: _Optional[int] = ..., items: _Optional[_Iterable[_Union[PrefetchItem, _Mapping[str, object]]]] = ..., shown: _Optional[_Iterable[int]] = ..., cancelled: _Optional[_Iterable[int]] = ..., continued: bool = ...) -> None: ...

class PrefetchItem(_message.Message):
    __slots__ = ("number", "key", "item_key", "item_data")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_DATA_FIELD_NUMBER: _ClassVar[int]
    number: int
    key: _attributes_pb2.ElementKey
    item_key: str
    item_data: str
    def __init__(self, number: _Optional[int] = ..., key: _Optional[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]] = ..., item_key: _Optional[str] = ..., item_data: _Optional[str] = ...) -> None: ...

class VisibilityChange(_message.Message):
    __slots__ = ("reset", "data_version", "began", "ended", "continued")
    RESET_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    BEGAN_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    CONTINUED_FIELD_NUMBER: _ClassVar[int]
    reset: bool
    data_version: int
    began: _containers.RepeatedCompositeFieldContainer[Sighting]
    ended: _containers.RepeatedCompositeFieldContainer[SightingEnd]
    continued: bool
    def __init__(self, reset: bool = ..., data_version: _Optional[int] = ..., began: _Optional[_Iterable[_Union[Sighting, _Mapping[str, object]]]] = ..., ended: _Optional[_Iterable[_Union[SightingEnd, _Mapping[str, object]]]] = ..., continued: bool = ...) -> None: ...

class Sighting(_message.Message):
    __slots__ = ("number", "rule", "key", "item_key", "slot", "seen_for")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEY_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    SEEN_FOR_FIELD_NUMBER: _ClassVar[int]
    number: int
    rule: int
    key: _attributes_pb2.ElementKey
    item_key: str
    slot: int
    seen_for: _duration_pb2.Duration
    def __init__(self, number: _Optional[int] = ..., rule: _Optional[int] = ..., key: _Optional[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]] = ..., item_key: _Optional[str] = ..., slot: _Optional[int] = ..., seen_for: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ...) -> None: ...

class SightingEnd(_message.Message):
    __slots__ = ("number", "seen_for")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SEEN_FOR_FIELD_NUMBER: _ClassVar[int]
    number: int
    seen_for: _duration_pb2.Duration
    def __init__(self, number: _Optional[int] = ..., seen_for: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ...) -> None: ...

class SessionOpened(_message.Message):
    __slots__ = ("session", "collection", "incarnation", "outcome", "last_event_seq", "data_version", "encoding", "units_per_point", "options", "resume_token", "resume_grace", "measurements")
    class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        OUTCOME_UNSPECIFIED: _ClassVar[SessionOpened.Outcome]
        OUTCOME_CREATED: _ClassVar[SessionOpened.Outcome]
        OUTCOME_RESUMED: _ClassVar[SessionOpened.Outcome]
        OUTCOME_RESUMED_WITH_KEYFRAME: _ClassVar[SessionOpened.Outcome]
        OUTCOME_RESET: _ClassVar[SessionOpened.Outcome]
    OUTCOME_UNSPECIFIED: SessionOpened.Outcome
    OUTCOME_CREATED: SessionOpened.Outcome
    OUTCOME_RESUMED: SessionOpened.Outcome
    OUTCOME_RESUMED_WITH_KEYFRAME: SessionOpened.Outcome
    OUTCOME_RESET: SessionOpened.Outcome
    SESSION_FIELD_NUMBER: _ClassVar[int]
    COLLECTION_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_SEQ_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    UNITS_PER_POINT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUME_GRACE_FIELD_NUMBER: _ClassVar[int]
    MEASUREMENTS_FIELD_NUMBER: _ClassVar[int]
    session: str
    collection: str
    incarnation: int
    outcome: SessionOpened.Outcome
    last_event_seq: int
    data_version: int
    encoding: ElementEncoding
    units_per_point: int
    options: SessionOptions
    resume_token: bytes
    resume_grace: _duration_pb2.Duration
    measurements: MeasurementSharingState
    def __init__(self, session: _Optional[str] = ..., collection: _Optional[str] = ..., incarnation: _Optional[int] = ..., outcome: _Optional[_Union[SessionOpened.Outcome, str]] = ..., last_event_seq: _Optional[int] = ..., data_version: _Optional[int] = ..., encoding: _Optional[_Union[ElementEncoding, str]] = ..., units_per_point: _Optional[int] = ..., options: _Optional[_Union[SessionOptions, _Mapping[str, object]]] = ..., resume_token: _Optional[bytes] = ..., resume_grace: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., measurements: _Optional[_Union[MeasurementSharingState, str]] = ...) -> None: ...

class LayoutFrame(_message.Message):
    __slots__ = ("frame_seq", "base_frame_seq", "continued", "data_version", "layout_version", "applied_event_seq", "merged_events", "content_size", "coverage", "content_offset_adjustment", "scroll_sensitivity", "elements", "packed", "live_count", "state_checksum", "transition", "scroll_effects", "section_scrolls")
    FRAME_SEQ_FIELD_NUMBER: _ClassVar[int]
    BASE_FRAME_SEQ_FIELD_NUMBER: _ClassVar[int]
    CONTINUED_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_VERSION_FIELD_NUMBER: _ClassVar[int]
    APPLIED_EVENT_SEQ_FIELD_NUMBER: _ClassVar[int]
    MERGED_EVENTS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    COVERAGE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_OFFSET_ADJUSTMENT_FIELD_NUMBER: _ClassVar[int]
    SCROLL_SENSITIVITY_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    LIVE_COUNT_FIELD_NUMBER: _ClassVar[int]
    STATE_CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    TRANSITION_FIELD_NUMBER: _ClassVar[int]
    SCROLL_EFFECTS_FIELD_NUMBER: _ClassVar[int]
    SECTION_SCROLLS_FIELD_NUMBER: _ClassVar[int]
    frame_seq: int
    base_frame_seq: int
    continued: bool
    data_version: int
    layout_version: int
    applied_event_seq: int
    merged_events: int
    content_size: _geometry_pb2.Size
    coverage: _geometry_pb2.Rect
    content_offset_adjustment: _geometry_pb2.Point
    scroll_sensitivity: ScrollSensitivity
    elements: ElementChanges
    packed: PackedElements
    live_count: int
    state_checksum: int
    transition: Transition
    scroll_effects: _layouts_pb2.ScrollEffects
    section_scrolls: SectionScrolls
    def __init__(self, frame_seq: _Optional[int] = ..., base_frame_seq: _Optional[int] = ..., continued: bool = ..., data_version: _Optional[int] = ..., layout_version: _Optional[int] = ..., applied_event_seq: _Optional[int] = ..., merged_events: _Optional[int] = ..., content_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., coverage: _Optional[_Union[_geometry_pb2.Rect, _Mapping[str, object]]] = ..., content_offset_adjustment: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., scroll_sensitivity: _Optional[_Union[ScrollSensitivity, str]] = ..., elements: _Optional[_Union[ElementChanges, _Mapping[str, object]]] = ..., packed: _Optional[_Union[PackedElements, _Mapping[str, object]]] = ..., live_count: _Optional[int] = ..., state_checksum: _Optional[int] = ..., transition: _Optional[_Union[Transition, _Mapping[str, object]]] = ..., scroll_effects: _Optional[_Union[_layouts_pb2.ScrollEffects, _Mapping[str, object]]] = ..., section_scrolls: _Optional[_Union[SectionScrolls, _Mapping[str, object]]] = ...) -> None: ...

class SectionScrolls(_message.Message):
    __slots__ = ("sections",)
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    sections: _containers.RepeatedCompositeFieldContainer[SectionScroll]
    def __init__(self, sections: _Optional[_Iterable[_Union[SectionScroll, _Mapping[str, object]]]] = ...) -> None: ...

class SectionScroll(_message.Message):
    __slots__ = ("section", "rect", "content_length", "offset", "min_offset", "max_offset", "direction", "client_scrolls", "min_complete_offset", "max_complete_offset", "is_reset")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    RECT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_LENGTH_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    MIN_OFFSET_FIELD_NUMBER: _ClassVar[int]
    MAX_OFFSET_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SCROLLS_FIELD_NUMBER: _ClassVar[int]
    MIN_COMPLETE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    MAX_COMPLETE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    IS_RESET_FIELD_NUMBER: _ClassVar[int]
    section: int
    rect: _geometry_pb2.Rect
    content_length: float
    offset: float
    min_offset: float
    max_offset: float
    direction: _geometry_pb2.Point
    client_scrolls: bool
    min_complete_offset: float
    max_complete_offset: float
    is_reset: bool
    def __init__(self, section: _Optional[int] = ..., rect: _Optional[_Union[_geometry_pb2.Rect, _Mapping[str, object]]] = ..., content_length: _Optional[float] = ..., offset: _Optional[float] = ..., min_offset: _Optional[float] = ..., max_offset: _Optional[float] = ..., direction: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., client_scrolls: bool = ..., min_complete_offset: _Optional[float] = ..., max_complete_offset: _Optional[float] = ..., is_reset: bool = ...) -> None: ...

class ElementChanges(_message.Message):
    __slots__ = ("upserts", "removed_slots")
    UPSERTS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_SLOTS_FIELD_NUMBER: _ClassVar[int]
    upserts: _containers.RepeatedCompositeFieldContainer[LayoutElement]
    removed_slots: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, upserts: _Optional[_Iterable[_Union[LayoutElement, _Mapping[str, object]]]] = ..., removed_slots: _Optional[_Iterable[int]] = ...) -> None: ...

class LayoutElement(_message.Message):
    __slots__ = ("slot", "key", "attributes", "item_key", "pin", "outline", "scrolls_across", "section_key", "item_data")
    SLOT_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEY_FIELD_NUMBER: _ClassVar[int]
    PIN_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    SCROLLS_ACROSS_FIELD_NUMBER: _ClassVar[int]
    SECTION_KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_DATA_FIELD_NUMBER: _ClassVar[int]
    slot: int
    key: _attributes_pb2.ElementKey
    attributes: _attributes_pb2.LayoutAttributes
    item_key: str
    pin: PinRange
    outline: _attributes_pb2.OutlinePosition
    scrolls_across: bool
    section_key: str
    item_data: str
    def __init__(self, slot: _Optional[int] = ..., key: _Optional[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]] = ..., attributes: _Optional[_Union[_attributes_pb2.LayoutAttributes, _Mapping[str, object]]] = ..., item_key: _Optional[str] = ..., pin: _Optional[_Union[PinRange, _Mapping[str, object]]] = ..., outline: _Optional[_Union[_attributes_pb2.OutlinePosition, _Mapping[str, object]]] = ..., scrolls_across: bool = ..., section_key: _Optional[str] = ..., item_data: _Optional[str] = ...) -> None: ...

class PinRange(_message.Message):
    __slots__ = ("min_offset", "max_offset", "inset", "axis")
    MIN_OFFSET_FIELD_NUMBER: _ClassVar[int]
    MAX_OFFSET_FIELD_NUMBER: _ClassVar[int]
    INSET_FIELD_NUMBER: _ClassVar[int]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    min_offset: float
    max_offset: float
    inset: float
    axis: _geometry_pb2.ScrollDirection
    def __init__(self, min_offset: _Optional[float] = ..., max_offset: _Optional[float] = ..., inset: _Optional[float] = ..., axis: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ...) -> None: ...

class PackedElements(_message.Message):
    __slots__ = ("upsert_count", "slot_runs", "removed_slot_runs", "categories", "kinds", "kind_names", "sections", "item_runs", "origin_x", "origin_y", "xs", "ys", "widths", "heights", "z_indices", "alphas", "hidden", "item_keys", "exceptions", "index_shift_runs", "outline", "section_keys", "scrolls_across", "item_data")
    UPSERT_COUNT_FIELD_NUMBER: _ClassVar[int]
    SLOT_RUNS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_SLOT_RUNS_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    KIND_NAMES_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    ITEM_RUNS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_X_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_Y_FIELD_NUMBER: _ClassVar[int]
    XS_FIELD_NUMBER: _ClassVar[int]
    YS_FIELD_NUMBER: _ClassVar[int]
    WIDTHS_FIELD_NUMBER: _ClassVar[int]
    HEIGHTS_FIELD_NUMBER: _ClassVar[int]
    Z_INDICES_FIELD_NUMBER: _ClassVar[int]
    ALPHAS_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEYS_FIELD_NUMBER: _ClassVar[int]
    EXCEPTIONS_FIELD_NUMBER: _ClassVar[int]
    INDEX_SHIFT_RUNS_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    SECTION_KEYS_FIELD_NUMBER: _ClassVar[int]
    SCROLLS_ACROSS_FIELD_NUMBER: _ClassVar[int]
    ITEM_DATA_FIELD_NUMBER: _ClassVar[int]
    upsert_count: int
    slot_runs: _containers.RepeatedScalarFieldContainer[int]
    removed_slot_runs: _containers.RepeatedScalarFieldContainer[int]
    categories: _containers.RepeatedScalarFieldContainer[int]
    kinds: _containers.RepeatedScalarFieldContainer[int]
    kind_names: _containers.RepeatedScalarFieldContainer[str]
    sections: _containers.RepeatedScalarFieldContainer[int]
    item_runs: _containers.RepeatedScalarFieldContainer[int]
    origin_x: int
    origin_y: int
    xs: _containers.RepeatedScalarFieldContainer[int]
    ys: _containers.RepeatedScalarFieldContainer[int]
    widths: _containers.RepeatedScalarFieldContainer[int]
    heights: _containers.RepeatedScalarFieldContainer[int]
    z_indices: _containers.RepeatedScalarFieldContainer[int]
    alphas: _containers.RepeatedScalarFieldContainer[int]
    hidden: _containers.RepeatedScalarFieldContainer[bool]
    item_keys: _containers.RepeatedScalarFieldContainer[str]
    exceptions: _containers.RepeatedCompositeFieldContainer[LayoutElement]
    index_shift_runs: _containers.RepeatedScalarFieldContainer[int]
    outline: PackedOutline
    section_keys: _containers.RepeatedScalarFieldContainer[str]
    scrolls_across: _containers.RepeatedScalarFieldContainer[bool]
    item_data: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, upsert_count: _Optional[int] = ..., slot_runs: _Optional[_Iterable[int]] = ..., removed_slot_runs: _Optional[_Iterable[int]] = ..., categories: _Optional[_Iterable[int]] = ..., kinds: _Optional[_Iterable[int]] = ..., kind_names: _Optional[_Iterable[str]] = ..., sections: _Optional[_Iterable[int]] = ..., item_runs: _Optional[_Iterable[int]] = ..., origin_x: _Optional[int] = ..., origin_y: _Optional[int] = ..., xs: _Optional[_Iterable[int]] = ..., ys: _Optional[_Iterable[int]] = ..., widths: _Optional[_Iterable[int]] = ..., heights: _Optional[_Iterable[int]] = ..., z_indices: _Optional[_Iterable[int]] = ..., alphas: _Optional[_Iterable[int]] = ..., hidden: _Optional[_Iterable[bool]] = ..., item_keys: _Optional[_Iterable[str]] = ..., exceptions: _Optional[_Iterable[_Union[LayoutElement, _Mapping[str, object]]]] = ..., index_shift_runs: _Optional[_Iterable[int]] = ..., outline: _Optional[_Union[PackedOutline, _Mapping[str, object]]] = ..., section_keys: _Optional[_Iterable[str]] = ..., scrolls_across: _Optional[_Iterable[bool]] = ..., item_data: _Optional[_Iterable[str]] = ...) -> None: ...

class PackedOutline(_message.Message):
    __slots__ = ("levels", "states")
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    levels: _containers.RepeatedScalarFieldContainer[int]
    states: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, levels: _Optional[_Iterable[int]] = ..., states: _Optional[_Iterable[int]] = ...) -> None: ...

class Transition(_message.Message):
    __slots__ = ("animated", "from_data_version", "appearing", "disappearing")
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    FROM_DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    APPEARING_FIELD_NUMBER: _ClassVar[int]
    DISAPPEARING_FIELD_NUMBER: _ClassVar[int]
    animated: bool
    from_data_version: int
    appearing: _containers.RepeatedCompositeFieldContainer[LayoutElement]
    disappearing: _containers.RepeatedCompositeFieldContainer[LayoutElement]
    def __init__(self, animated: bool = ..., from_data_version: _Optional[int] = ..., appearing: _Optional[_Iterable[_Union[LayoutElement, _Mapping[str, object]]]] = ..., disappearing: _Optional[_Iterable[_Union[LayoutElement, _Mapping[str, object]]]] = ...) -> None: ...

class EventResult(_message.Message):
    __slots__ = ("event_seq", "problem", "data_version", "duplicate")
    EVENT_SEQ_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    event_seq: int
    problem: _problem_pb2.Problem
    data_version: int
    duplicate: bool
    def __init__(self, event_seq: _Optional[int] = ..., problem: _Optional[_Union[_problem_pb2.Problem, _Mapping[str, object]]] = ..., data_version: _Optional[int] = ..., duplicate: bool = ...) -> None: ...

class ScrollTarget(_message.Message):
    __slots__ = ("event_seq", "content_offset", "key", "neighbor", "section_offset")
    EVENT_SEQ_FIELD_NUMBER: _ClassVar[int]
    CONTENT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOR_FIELD_NUMBER: _ClassVar[int]
    SECTION_OFFSET_FIELD_NUMBER: _ClassVar[int]
    event_seq: int
    content_offset: _geometry_pb2.Point
    key: _attributes_pb2.ElementKey
    neighbor: _attributes_pb2.ElementAttributes
    section_offset: SectionOffset
    def __init__(self, event_seq: _Optional[int] = ..., content_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., key: _Optional[_Union[_attributes_pb2.ElementKey, _Mapping[str, object]]] = ..., neighbor: _Optional[_Union[_attributes_pb2.ElementAttributes, _Mapping[str, object]]] = ..., section_offset: _Optional[_Union[SectionOffset, _Mapping[str, object]]] = ...) -> None: ...

class Heartbeat(_message.Message):
    __slots__ = ("last_frame_seq", "data_version", "applied_event_seq", "live_count", "state_checksum", "resume_token")
    LAST_FRAME_SEQ_FIELD_NUMBER: _ClassVar[int]
    DATA_VERSION_FIELD_NUMBER: _ClassVar[int]
    APPLIED_EVENT_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIVE_COUNT_FIELD_NUMBER: _ClassVar[int]
    STATE_CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    last_frame_seq: int
    data_version: int
    applied_event_seq: int
    live_count: int
    state_checksum: int
    resume_token: bytes
    def __init__(self, last_frame_seq: _Optional[int] = ..., data_version: _Optional[int] = ..., applied_event_seq: _Optional[int] = ..., live_count: _Optional[int] = ..., state_checksum: _Optional[int] = ..., resume_token: _Optional[bytes] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("type", "reconnect_delay", "problem")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        TYPE_UNSPECIFIED: _ClassVar[Notice.Type]
        TYPE_GOING_AWAY: _ClassVar[Notice.Type]
        TYPE_SLOW_CLIENT: _ClassVar[Notice.Type]
        TYPE_RATE_LIMITED: _ClassVar[Notice.Type]
        TYPE_COLLECTION_DELETED: _ClassVar[Notice.Type]
        TYPE_NOTHING_IN_SIGHT: _ClassVar[Notice.Type]
        TYPE_LAYOUT_UNAVAILABLE: _ClassVar[Notice.Type]
        TYPE_LAYOUT_AVAILABLE: _ClassVar[Notice.Type]
    TYPE_UNSPECIFIED: Notice.Type
    TYPE_GOING_AWAY: Notice.Type
    TYPE_SLOW_CLIENT: Notice.Type
    TYPE_RATE_LIMITED: Notice.Type
    TYPE_COLLECTION_DELETED: Notice.Type
    TYPE_NOTHING_IN_SIGHT: Notice.Type
    TYPE_LAYOUT_UNAVAILABLE: Notice.Type
    TYPE_LAYOUT_AVAILABLE: Notice.Type
    TYPE_FIELD_NUMBER: _ClassVar[int]
    RECONNECT_DELAY_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    type: Notice.Type
    reconnect_delay: _duration_pb2.Duration
    problem: _problem_pb2.Problem
    def __init__(self, type: _Optional[_Union[Notice.Type, str]] = ..., reconnect_delay: _Optional[_Union[_duration_pb2.Duration, _Mapping[str, object]]] = ..., problem: _Optional[_Union[_problem_pb2.Problem, _Mapping[str, object]]] = ...) -> None: ...
