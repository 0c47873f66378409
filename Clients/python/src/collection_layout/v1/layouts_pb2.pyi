from collection_layout.v1 import attributes_pb2 as _attributes_pb2
from collection_layout.v1 import geometry_pb2 as _geometry_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SizeClass(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIZE_CLASS_UNSPECIFIED: _ClassVar[SizeClass]
    SIZE_CLASS_COMPACT: _ClassVar[SizeClass]
    SIZE_CLASS_REGULAR: _ClassVar[SizeClass]

class ScrollSnap(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCROLL_SNAP_UNSPECIFIED: _ClassVar[ScrollSnap]
    SCROLL_SNAP_NONE: _ClassVar[ScrollSnap]
    SCROLL_SNAP_ITEM_CENTER: _ClassVar[ScrollSnap]
    SCROLL_SNAP_ITEM_LEADING: _ClassVar[ScrollSnap]
    SCROLL_SNAP_PAGE: _ClassVar[ScrollSnap]

class InsetsReference(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INSETS_REFERENCE_UNSPECIFIED: _ClassVar[InsetsReference]
    INSETS_REFERENCE_AUTOMATIC: _ClassVar[InsetsReference]
    INSETS_REFERENCE_NONE: _ClassVar[InsetsReference]
    INSETS_REFERENCE_SAFE_AREA: _ClassVar[InsetsReference]
    INSETS_REFERENCE_LAYOUT_MARGINS: _ClassVar[InsetsReference]
    INSETS_REFERENCE_READABLE_CONTENT: _ClassVar[InsetsReference]

class FlowAlignment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FLOW_ALIGNMENT_UNSPECIFIED: _ClassVar[FlowAlignment]
    FLOW_ALIGNMENT_JUSTIFIED: _ClassVar[FlowAlignment]
    FLOW_ALIGNMENT_LEADING: _ClassVar[FlowAlignment]
    FLOW_ALIGNMENT_CENTER: _ClassVar[FlowAlignment]
    FLOW_ALIGNMENT_TRAILING: _ClassVar[FlowAlignment]

class CrossAlignment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CROSS_ALIGNMENT_UNSPECIFIED: _ClassVar[CrossAlignment]
    CROSS_ALIGNMENT_CENTER: _ClassVar[CrossAlignment]
    CROSS_ALIGNMENT_START: _ClassVar[CrossAlignment]
    CROSS_ALIGNMENT_END: _ClassVar[CrossAlignment]

class WaterfallOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WATERFALL_ORDER_UNSPECIFIED: _ClassVar[WaterfallOrder]
    WATERFALL_ORDER_SHORTEST_FIRST: _ClassVar[WaterfallOrder]
    WATERFALL_ORDER_LEADING_TO_TRAILING: _ClassVar[WaterfallOrder]
    WATERFALL_ORDER_TRAILING_TO_LEADING: _ClassVar[WaterfallOrder]

class TableEdge(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_EDGE_UNSPECIFIED: _ClassVar[TableEdge]
    TABLE_EDGE_LEADING: _ClassVar[TableEdge]
    TABLE_EDGE_TRAILING: _ClassVar[TableEdge]

class OrthogonalScrolling(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ORTHOGONAL_SCROLLING_UNSPECIFIED: _ClassVar[OrthogonalScrolling]
    ORTHOGONAL_SCROLLING_NONE: _ClassVar[OrthogonalScrolling]
    ORTHOGONAL_SCROLLING_CONTINUOUS: _ClassVar[OrthogonalScrolling]
    ORTHOGONAL_SCROLLING_CONTINUOUS_GROUP_LEADING_BOUNDARY: _ClassVar[OrthogonalScrolling]
    ORTHOGONAL_SCROLLING_PAGING: _ClassVar[OrthogonalScrolling]
    ORTHOGONAL_SCROLLING_GROUP_PAGING: _ClassVar[OrthogonalScrolling]
    ORTHOGONAL_SCROLLING_GROUP_PAGING_CENTERED: _ClassVar[OrthogonalScrolling]

class RectAlignment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECT_ALIGNMENT_UNSPECIFIED: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_TOP: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_TOP_LEADING: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_LEADING: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_BOTTOM_LEADING: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_BOTTOM: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_BOTTOM_TRAILING: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_TRAILING: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_TOP_TRAILING: _ClassVar[RectAlignment]
    RECT_ALIGNMENT_CENTER: _ClassVar[RectAlignment]
SIZE_CLASS_UNSPECIFIED: SizeClass
SIZE_CLASS_COMPACT: SizeClass
SIZE_CLASS_REGULAR: SizeClass
SCROLL_SNAP_UNSPECIFIED: ScrollSnap
SCROLL_SNAP_NONE: ScrollSnap
SCROLL_SNAP_ITEM_CENTER: ScrollSnap
SCROLL_SNAP_ITEM_LEADING: ScrollSnap
SCROLL_SNAP_PAGE: ScrollSnap
INSETS_REFERENCE_UNSPECIFIED: InsetsReference
INSETS_REFERENCE_AUTOMATIC: InsetsReference
INSETS_REFERENCE_NONE: InsetsReference
INSETS_REFERENCE_SAFE_AREA: InsetsReference
INSETS_REFERENCE_LAYOUT_MARGINS: InsetsReference
INSETS_REFERENCE_READABLE_CONTENT: InsetsReference
FLOW_ALIGNMENT_UNSPECIFIED: FlowAlignment
FLOW_ALIGNMENT_JUSTIFIED: FlowAlignment
FLOW_ALIGNMENT_LEADING: FlowAlignment
FLOW_ALIGNMENT_CENTER: FlowAlignment
FLOW_ALIGNMENT_TRAILING: FlowAlignment
CROSS_ALIGNMENT_UNSPECIFIED: CrossAlignment
CROSS_ALIGNMENT_CENTER: CrossAlignment
CROSS_ALIGNMENT_START: CrossAlignment
CROSS_ALIGNMENT_END: CrossAlignment
WATERFALL_ORDER_UNSPECIFIED: WaterfallOrder
WATERFALL_ORDER_SHORTEST_FIRST: WaterfallOrder
WATERFALL_ORDER_LEADING_TO_TRAILING: WaterfallOrder
WATERFALL_ORDER_TRAILING_TO_LEADING: WaterfallOrder
TABLE_EDGE_UNSPECIFIED: TableEdge
TABLE_EDGE_LEADING: TableEdge
TABLE_EDGE_TRAILING: TableEdge
ORTHOGONAL_SCROLLING_UNSPECIFIED: OrthogonalScrolling
ORTHOGONAL_SCROLLING_NONE: OrthogonalScrolling
ORTHOGONAL_SCROLLING_CONTINUOUS: OrthogonalScrolling
ORTHOGONAL_SCROLLING_CONTINUOUS_GROUP_LEADING_BOUNDARY: OrthogonalScrolling
ORTHOGONAL_SCROLLING_PAGING: OrthogonalScrolling
ORTHOGONAL_SCROLLING_GROUP_PAGING: OrthogonalScrolling
ORTHOGONAL_SCROLLING_GROUP_PAGING_CENTERED: OrthogonalScrolling
RECT_ALIGNMENT_UNSPECIFIED: RectAlignment
RECT_ALIGNMENT_TOP: RectAlignment
RECT_ALIGNMENT_TOP_LEADING: RectAlignment
RECT_ALIGNMENT_LEADING: RectAlignment
RECT_ALIGNMENT_BOTTOM_LEADING: RectAlignment
RECT_ALIGNMENT_BOTTOM: RectAlignment
RECT_ALIGNMENT_BOTTOM_TRAILING: RectAlignment
RECT_ALIGNMENT_TRAILING: RectAlignment
RECT_ALIGNMENT_TOP_TRAILING: RectAlignment
RECT_ALIGNMENT_CENTER: RectAlignment

class LayoutSpec(_message.Message):
    __slots__ = ("flow", "list", "grid", "waterfall", "compositional", "line", "circle", "carousel", "stack", "spatial", "sections", "responsive", "grid_lanes", "table", "custom", "section_backgrounds", "appearing", "disappearing", "scroll_snap", "pixel_aligned", "scroll_targets", "scroll_effects", "appearance_rules")
    FLOW_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    GRID_FIELD_NUMBER: _ClassVar[int]
    WATERFALL_FIELD_NUMBER: _ClassVar[int]
    COMPOSITIONAL_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    CIRCLE_FIELD_NUMBER: _ClassVar[int]
    CAROUSEL_FIELD_NUMBER: _ClassVar[int]
    STACK_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    RESPONSIVE_FIELD_NUMBER: _ClassVar[int]
    GRID_LANES_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FIELD_NUMBER: _ClassVar[int]
    SECTION_BACKGROUNDS_FIELD_NUMBER: _ClassVar[int]
    APPEARING_FIELD_NUMBER: _ClassVar[int]
    DISAPPEARING_FIELD_NUMBER: _ClassVar[int]
    SCROLL_SNAP_FIELD_NUMBER: _ClassVar[int]
    PIXEL_ALIGNED_FIELD_NUMBER: _ClassVar[int]
    SCROLL_TARGETS_FIELD_NUMBER: _ClassVar[int]
    SCROLL_EFFECTS_FIELD_NUMBER: _ClassVar[int]
    APPEARANCE_RULES_FIELD_NUMBER: _ClassVar[int]
    flow: FlowLayout
    list: ListLayout
    grid: GridLayout
    waterfall: WaterfallLayout
    compositional: CompositionalLayout
    line: LineLayout
    circle: CircleLayout
    carousel: CarouselLayout
    stack: StackLayout
    spatial: SpatialLayout
    sections: SectionsLayout
    responsive: ResponsiveLayout
    grid_lanes: GridLanesLayout
    table: TableLayout
    custom: CustomLayout
    section_backgrounds: _containers.RepeatedCompositeFieldContainer[SectionBackground]
    appearing: AppearanceAnimation
    disappearing: AppearanceAnimation
    scroll_snap: ScrollSnap
    pixel_aligned: bool
    scroll_targets: ScrollTargets
    scroll_effects: _containers.RepeatedCompositeFieldContainer[ScrollEffect]
    appearance_rules: _containers.RepeatedCompositeFieldContainer[AppearanceRule]
    def __init__(self, flow: _Optional[_Union[FlowLayout, _Mapping[str, object]]] = ..., list: _Optional[_Union[ListLayout, _Mapping[str, object]]] = ..., grid: _Optional[_Union[GridLayout, _Mapping[str, object]]] = ..., waterfall: _Optional[_Union[WaterfallLayout, _Mapping[str, object]]] = ..., compositional: _Optional[_Union[CompositionalLayout, _Mapping[str, object]]] = ..., line: _Optional[_Union[LineLayout, _Mapping[str, object]]] = ..., circle: _Optional[_Union[CircleLayout, _Mapping[str, object]]] = ..., carousel: _Optional[_Union[CarouselLayout, _Mapping[str, object]]] = ..., stack: _Optional[_Union[StackLayout, _Mapping[str, object]]] = ..., spatial: _Optional[_Union[SpatialLayout, _Mapping[str, object]]] = ..., sections: _Optional[_Union[SectionsLayout, _Mapping[str, object]]] = ..., responsive: _Optional[_Union[ResponsiveLayout, _Mapping[str, object]]] = ..., grid_lanes: _Optional[_Union[GridLanesLayout, _Mapping[str, object]]] = ..., table: _Optional[_Union[TableLayout, _Mapping[str, object]]] = ..., custom: _Optional[_Union[CustomLayout, _Mapping[str, object]]] = ..., section_backgrounds: _Optional[_Iterable[_Union[SectionBackground, _Mapping[str, object]]]] = ..., appearing: _Optional[_Union[AppearanceAnimation, _Mapping[str, object]]] = ..., disappearing: _Optional[_Union[AppearanceAnimation, _Mapping[str, object]]] = ..., scroll_snap: _Optional[_Union[ScrollSnap, str]] = ..., pixel_aligned: bool = ..., scroll_targets: _Optional[_Union[ScrollTargets, _Mapping[str, object]]] = ..., scroll_effects: _Optional[_Iterable[_Union[ScrollEffect, _Mapping[str, object]]]] = ..., appearance_rules: _Optional[_Iterable[_Union[AppearanceRule, _Mapping[str, object]]]] = ...) -> None: ...

class AppearanceRule(_message.Message):
    __slots__ = ("category", "kinds", "item_keys", "appearing", "disappearing")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEYS_FIELD_NUMBER: _ClassVar[int]
    APPEARING_FIELD_NUMBER: _ClassVar[int]
    DISAPPEARING_FIELD_NUMBER: _ClassVar[int]
    category: _attributes_pb2.ElementCategory
    kinds: _containers.RepeatedScalarFieldContainer[str]
    item_keys: _containers.RepeatedScalarFieldContainer[str]
    appearing: AppearanceAnimation
    disappearing: AppearanceAnimation
    def __init__(self, category: _Optional[_Union[_attributes_pb2.ElementCategory, str]] = ..., kinds: _Optional[_Iterable[str]] = ..., item_keys: _Optional[_Iterable[str]] = ..., appearing: _Optional[_Union[AppearanceAnimation, _Mapping[str, object]]] = ..., disappearing: _Optional[_Union[AppearanceAnimation, _Mapping[str, object]]] = ...) -> None: ...

class ScrollEffect(_message.Message):
    __slots__ = ("category", "kinds", "axis", "leading", "trailing", "identity", "progress")
    class Progress(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PROGRESS_UNSPECIFIED: _ClassVar[ScrollEffect.Progress]
        PROGRESS_INTERACTIVE: _ClassVar[ScrollEffect.Progress]
        PROGRESS_DISCRETE: _ClassVar[ScrollEffect.Progress]
    PROGRESS_UNSPECIFIED: ScrollEffect.Progress
    PROGRESS_INTERACTIVE: ScrollEffect.Progress
    PROGRESS_DISCRETE: ScrollEffect.Progress
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    AXIS_FIELD_NUMBER: _ClassVar[int]
    LEADING_FIELD_NUMBER: _ClassVar[int]
    TRAILING_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    category: _attributes_pb2.ElementCategory
    kinds: _containers.RepeatedScalarFieldContainer[str]
    axis: _geometry_pb2.ScrollDirection
    leading: ScrollEffectEdge
    trailing: ScrollEffectEdge
    identity: ScrollEffectValues
    progress: ScrollEffect.Progress
    def __init__(self, category: _Optional[_Union[_attributes_pb2.ElementCategory, str]] = ..., kinds: _Optional[_Iterable[str]] = ..., axis: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., leading: _Optional[_Union[ScrollEffectEdge, _Mapping[str, object]]] = ..., trailing: _Optional[_Union[ScrollEffectEdge, _Mapping[str, object]]] = ..., identity: _Optional[_Union[ScrollEffectValues, _Mapping[str, object]]] = ..., progress: _Optional[_Union[ScrollEffect.Progress, str]] = ...) -> None: ...

class ScrollEffectEdge(_message.Message):
    __slots__ = ("values", "identity", "outer")
    VALUES_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    OUTER_FIELD_NUMBER: _ClassVar[int]
    values: ScrollEffectValues
    identity: ScrollThreshold
    outer: ScrollThreshold
    def __init__(self, values: _Optional[_Union[ScrollEffectValues, _Mapping[str, object]]] = ..., identity: _Optional[_Union[ScrollThreshold, _Mapping[str, object]]] = ..., outer: _Optional[_Union[ScrollThreshold, _Mapping[str, object]]] = ...) -> None: ...

class ScrollThreshold(_message.Message):
    __slots__ = ("visible", "centered", "inset")
    VISIBLE_FIELD_NUMBER: _ClassVar[int]
    CENTERED_FIELD_NUMBER: _ClassVar[int]
    INSET_FIELD_NUMBER: _ClassVar[int]
    visible: float
    centered: float
    inset: float
    def __init__(self, visible: _Optional[float] = ..., centered: _Optional[float] = ..., inset: _Optional[float] = ...) -> None: ...

class ScrollEffectValues(_message.Message):
    __slots__ = ("alpha", "scale", "translation", "rotation", "z_index", "hidden")
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    TRANSLATION_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    Z_INDEX_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    scale: float
    translation: _geometry_pb2.Point
    rotation: float
    z_index: int
    hidden: bool
    def __init__(self, alpha: _Optional[float] = ..., scale: _Optional[float] = ..., translation: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., rotation: _Optional[float] = ..., z_index: _Optional[int] = ..., hidden: bool = ...) -> None: ...

class ScrollEffects(_message.Message):
    __slots__ = ("effects", "scroll_axis")
    EFFECTS_FIELD_NUMBER: _ClassVar[int]
    SCROLL_AXIS_FIELD_NUMBER: _ClassVar[int]
    effects: _containers.RepeatedCompositeFieldContainer[ScrollEffect]
    scroll_axis: _geometry_pb2.ScrollDirection
    def __init__(self, effects: _Optional[_Iterable[_Union[ScrollEffect, _Mapping[str, object]]]] = ..., scroll_axis: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ...) -> None: ...

class ResponsiveLayout(_message.Message):
    __slots__ = ("variants", "otherwise", "animated")
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    OTHERWISE_FIELD_NUMBER: _ClassVar[int]
    ANIMATED_FIELD_NUMBER: _ClassVar[int]
    variants: _containers.RepeatedCompositeFieldContainer[LayoutVariant]
    otherwise: LayoutSpec
    animated: bool
    def __init__(self, variants: _Optional[_Iterable[_Union[LayoutVariant, _Mapping[str, object]]]] = ..., otherwise: _Optional[_Union[LayoutSpec, _Mapping[str, object]]] = ..., animated: bool = ...) -> None: ...

class LayoutVariant(_message.Message):
    __slots__ = ("condition", "layout")
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    condition: LayoutCondition
    layout: LayoutSpec
    def __init__(self, condition: _Optional[_Union[LayoutCondition, _Mapping[str, object]]] = ..., layout: _Optional[_Union[LayoutSpec, _Mapping[str, object]]] = ...) -> None: ...

class LayoutCondition(_message.Message):
    __slots__ = ("min_width", "below_width", "min_height", "below_height", "min_display_scale", "below_display_scale", "right_to_left", "required_traits", "excluded_traits", "horizontal_size_class", "vertical_size_class")
    MIN_WIDTH_FIELD_NUMBER: _ClassVar[int]
    BELOW_WIDTH_FIELD_NUMBER: _ClassVar[int]
    MIN_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    BELOW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    MIN_DISPLAY_SCALE_FIELD_NUMBER: _ClassVar[int]
    BELOW_DISPLAY_SCALE_FIELD_NUMBER: _ClassVar[int]
    RIGHT_TO_LEFT_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_TRAITS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDED_TRAITS_FIELD_NUMBER: _ClassVar[int]
    HORIZONTAL_SIZE_CLASS_FIELD_NUMBER: _ClassVar[int]
    VERTICAL_SIZE_CLASS_FIELD_NUMBER: _ClassVar[int]
    min_width: float
    below_width: float
    min_height: float
    below_height: float
    min_display_scale: float
    below_display_scale: float
    right_to_left: bool
    required_traits: _containers.RepeatedScalarFieldContainer[str]
    excluded_traits: _containers.RepeatedScalarFieldContainer[str]
    horizontal_size_class: SizeClass
    vertical_size_class: SizeClass
    def __init__(self, min_width: _Optional[float] = ..., below_width: _Optional[float] = ..., min_height: _Optional[float] = ..., below_height: _Optional[float] = ..., min_display_scale: _Optional[float] = ..., below_display_scale: _Optional[float] = ..., right_to_left: bool = ..., required_traits: _Optional[_Iterable[str]] = ..., excluded_traits: _Optional[_Iterable[str]] = ..., horizontal_size_class: _Optional[_Union[SizeClass, str]] = ..., vertical_size_class: _Optional[_Union[SizeClass, str]] = ...) -> None: ...

class ScrollTargets(_message.Message):
    __slots__ = ("unit", "anchor", "kind_anchors", "at_most_one")
    class Unit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNIT_UNSPECIFIED: _ClassVar[ScrollTargets.Unit]
        UNIT_ITEMS: _ClassVar[ScrollTargets.Unit]
        UNIT_GROUPS: _ClassVar[ScrollTargets.Unit]
    UNIT_UNSPECIFIED: ScrollTargets.Unit
    UNIT_ITEMS: ScrollTargets.Unit
    UNIT_GROUPS: ScrollTargets.Unit
    UNIT_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    KIND_ANCHORS_FIELD_NUMBER: _ClassVar[int]
    AT_MOST_ONE_FIELD_NUMBER: _ClassVar[int]
    unit: ScrollTargets.Unit
    anchor: float
    kind_anchors: _containers.RepeatedCompositeFieldContainer[KindAnchor]
    at_most_one: bool
    def __init__(self, unit: _Optional[_Union[ScrollTargets.Unit, str]] = ..., anchor: _Optional[float] = ..., kind_anchors: _Optional[_Iterable[_Union[KindAnchor, _Mapping[str, object]]]] = ..., at_most_one: bool = ...) -> None: ...

class KindAnchor(_message.Message):
    __slots__ = ("kind", "anchor")
    KIND_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    kind: str
    anchor: float
    def __init__(self, kind: _Optional[str] = ..., anchor: _Optional[float] = ...) -> None: ...

class SectionBackground(_message.Message):
    __slots__ = ("kind", "insets", "z_index", "sections", "custom")
    KIND_FIELD_NUMBER: _ClassVar[int]
    INSETS_FIELD_NUMBER: _ClassVar[int]
    Z_INDEX_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FIELD_NUMBER: _ClassVar[int]
    kind: str
    insets: _geometry_pb2.EdgeInsets
    z_index: int
    sections: _containers.RepeatedScalarFieldContainer[int]
    custom: _struct_pb2.Struct
    def __init__(self, kind: _Optional[str] = ..., insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., z_index: _Optional[int] = ..., sections: _Optional[_Iterable[int]] = ..., custom: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, object]]] = ...) -> None: ...

class AppearanceAnimation(_message.Message):
    __slots__ = ("alpha", "scale", "viewport_center", "offset", "point", "size", "transform")
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    VIEWPORT_CENTER_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    POINT_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    TRANSFORM_FIELD_NUMBER: _ClassVar[int]
    alpha: float
    scale: float
    viewport_center: bool
    offset: _geometry_pb2.Point
    point: _geometry_pb2.Point
    size: _geometry_pb2.Size
    transform: _geometry_pb2.Transform
    def __init__(self, alpha: _Optional[float] = ..., scale: _Optional[float] = ..., viewport_center: bool = ..., offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., point: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., transform: _Optional[_Union[_geometry_pb2.Transform, _Mapping[str, object]]] = ...) -> None: ...

class FlowLayout(_message.Message):
    __slots__ = ("scroll_direction", "item_size", "estimated_item_size", "minimum_line_spacing", "minimum_interitem_spacing", "section_inset", "header_reference_size", "footer_reference_size", "section_headers_pin_to_visible_bounds", "section_footers_pin_to_visible_bounds", "alignment", "cross_alignment", "pinned_z_index", "section_inset_reference")
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_LINE_SPACING_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_INTERITEM_SPACING_FIELD_NUMBER: _ClassVar[int]
    SECTION_INSET_FIELD_NUMBER: _ClassVar[int]
    HEADER_REFERENCE_SIZE_FIELD_NUMBER: _ClassVar[int]
    FOOTER_REFERENCE_SIZE_FIELD_NUMBER: _ClassVar[int]
    SECTION_HEADERS_PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    SECTION_FOOTERS_PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    ALIGNMENT_FIELD_NUMBER: _ClassVar[int]
    CROSS_ALIGNMENT_FIELD_NUMBER: _ClassVar[int]
    PINNED_Z_INDEX_FIELD_NUMBER: _ClassVar[int]
    SECTION_INSET_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    scroll_direction: _geometry_pb2.ScrollDirection
    item_size: _geometry_pb2.Size
    estimated_item_size: _geometry_pb2.Size
    minimum_line_spacing: float
    minimum_interitem_spacing: float
    section_inset: _geometry_pb2.EdgeInsets
    header_reference_size: _geometry_pb2.Size
    footer_reference_size: _geometry_pb2.Size
    section_headers_pin_to_visible_bounds: bool
    section_footers_pin_to_visible_bounds: bool
    alignment: FlowAlignment
    cross_alignment: CrossAlignment
    pinned_z_index: int
    section_inset_reference: InsetsReference
    def __init__(self, scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., estimated_item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., minimum_line_spacing: _Optional[float] = ..., minimum_interitem_spacing: _Optional[float] = ..., section_inset: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., header_reference_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., footer_reference_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., section_headers_pin_to_visible_bounds: bool = ..., section_footers_pin_to_visible_bounds: bool = ..., alignment: _Optional[_Union[FlowAlignment, str]] = ..., cross_alignment: _Optional[_Union[CrossAlignment, str]] = ..., pinned_z_index: _Optional[int] = ..., section_inset_reference: _Optional[_Union[InsetsReference, str]] = ...) -> None: ...

class ListLayout(_message.Message):
    __slots__ = ("row_height", "self_sizing", "row_spacing", "section_inset", "header_height", "footer_height", "headers_pin_to_visible_bounds", "footers_pin_to_visible_bounds", "separator_thickness", "separator_insets")
    ROW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SELF_SIZING_FIELD_NUMBER: _ClassVar[int]
    ROW_SPACING_FIELD_NUMBER: _ClassVar[int]
    SECTION_INSET_FIELD_NUMBER: _ClassVar[int]
    HEADER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    FOOTER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    HEADERS_PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    FOOTERS_PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_THICKNESS_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_INSETS_FIELD_NUMBER: _ClassVar[int]
    row_height: float
    self_sizing: bool
    row_spacing: float
    section_inset: _geometry_pb2.EdgeInsets
    header_height: float
    footer_height: float
    headers_pin_to_visible_bounds: bool
    footers_pin_to_visible_bounds: bool
    separator_thickness: float
    separator_insets: _geometry_pb2.EdgeInsets
    def __init__(self, row_height: _Optional[float] = ..., self_sizing: bool = ..., row_spacing: _Optional[float] = ..., section_inset: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., header_height: _Optional[float] = ..., footer_height: _Optional[float] = ..., headers_pin_to_visible_bounds: bool = ..., footers_pin_to_visible_bounds: bool = ..., separator_thickness: _Optional[float] = ..., separator_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ...) -> None: ...

class GridLayout(_message.Message):
    __slots__ = ("item_size", "interitem_spacing", "line_spacing")
    ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    INTERITEM_SPACING_FIELD_NUMBER: _ClassVar[int]
    LINE_SPACING_FIELD_NUMBER: _ClassVar[int]
    item_size: _geometry_pb2.Size
    interitem_spacing: float
    line_spacing: float
    def __init__(self, item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., interitem_spacing: _Optional[float] = ..., line_spacing: _Optional[float] = ...) -> None: ...

class WaterfallLayout(_message.Message):
    __slots__ = ("scroll_direction", "column_count", "minimum_column_width", "column_spacing", "item_spacing", "section_inset", "header_height", "footer_height", "order", "headers_pin_to_visible_bounds")
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    COLUMN_COUNT_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_COLUMN_WIDTH_FIELD_NUMBER: _ClassVar[int]
    COLUMN_SPACING_FIELD_NUMBER: _ClassVar[int]
    ITEM_SPACING_FIELD_NUMBER: _ClassVar[int]
    SECTION_INSET_FIELD_NUMBER: _ClassVar[int]
    HEADER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    FOOTER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    HEADERS_PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    scroll_direction: _geometry_pb2.ScrollDirection
    column_count: int
    minimum_column_width: float
    column_spacing: float
    item_spacing: float
    section_inset: _geometry_pb2.EdgeInsets
    header_height: float
    footer_height: float
    order: WaterfallOrder
    headers_pin_to_visible_bounds: bool
    def __init__(self, scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., column_count: _Optional[int] = ..., minimum_column_width: _Optional[float] = ..., column_spacing: _Optional[float] = ..., item_spacing: _Optional[float] = ..., section_inset: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., header_height: _Optional[float] = ..., footer_height: _Optional[float] = ..., order: _Optional[_Union[WaterfallOrder, str]] = ..., headers_pin_to_visible_bounds: bool = ...) -> None: ...

class GridLanesLayout(_message.Message):
    __slots__ = ("scroll_direction", "lanes", "lane_spacing", "item_spacing", "flow_tolerance", "fill_reverse", "track_reverse", "dense", "placements", "section_inset", "header_height", "footer_height", "headers_pin_to_visible_bounds")
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    LANE_SPACING_FIELD_NUMBER: _ClassVar[int]
    ITEM_SPACING_FIELD_NUMBER: _ClassVar[int]
    FLOW_TOLERANCE_FIELD_NUMBER: _ClassVar[int]
    FILL_REVERSE_FIELD_NUMBER: _ClassVar[int]
    TRACK_REVERSE_FIELD_NUMBER: _ClassVar[int]
    DENSE_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    SECTION_INSET_FIELD_NUMBER: _ClassVar[int]
    HEADER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    FOOTER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    HEADERS_PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    scroll_direction: _geometry_pb2.ScrollDirection
    lanes: _containers.RepeatedCompositeFieldContainer[GridLane]
    lane_spacing: float
    item_spacing: float
    flow_tolerance: float
    fill_reverse: bool
    track_reverse: bool
    dense: bool
    placements: _containers.RepeatedCompositeFieldContainer[GridLanePlacement]
    section_inset: _geometry_pb2.EdgeInsets
    header_height: float
    footer_height: float
    headers_pin_to_visible_bounds: bool
    def __init__(self, scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., lanes: _Optional[_Iterable[_Union[GridLane, _Mapping[str, object]]]] = ..., lane_spacing: _Optional[float] = ..., item_spacing: _Optional[float] = ..., flow_tolerance: _Optional[float] = ..., fill_reverse: bool = ..., track_reverse: bool = ..., dense: bool = ..., placements: _Optional[_Iterable[_Union[GridLanePlacement, _Mapping[str, object]]]] = ..., section_inset: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., header_height: _Optional[float] = ..., footer_height: _Optional[float] = ..., headers_pin_to_visible_bounds: bool = ...) -> None: ...

class GridLane(_message.Message):
    __slots__ = ("length", "fraction", "minimum", "count", "auto_fill")
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    FRACTION_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AUTO_FILL_FIELD_NUMBER: _ClassVar[int]
    length: float
    fraction: float
    minimum: float
    count: int
    auto_fill: bool
    def __init__(self, length: _Optional[float] = ..., fraction: _Optional[float] = ..., minimum: _Optional[float] = ..., count: _Optional[int] = ..., auto_fill: bool = ...) -> None: ...

class GridLanePlacement(_message.Message):
    __slots__ = ("cell_kind", "span", "lane")
    CELL_KIND_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    LANE_FIELD_NUMBER: _ClassVar[int]
    cell_kind: str
    span: int
    lane: int
    def __init__(self, cell_kind: _Optional[str] = ..., span: _Optional[int] = ..., lane: _Optional[int] = ...) -> None: ...

class TableLayout(_message.Message):
    __slots__ = ("columns", "row_height", "self_sizing", "row_spacing", "header_height", "headers_scroll_away", "section_header_height", "section_footer_height", "section_headers_pin_to_visible_bounds", "separator_thickness", "row_kinds")
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    ROW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SELF_SIZING_FIELD_NUMBER: _ClassVar[int]
    ROW_SPACING_FIELD_NUMBER: _ClassVar[int]
    HEADER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    HEADERS_SCROLL_AWAY_FIELD_NUMBER: _ClassVar[int]
    SECTION_HEADER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SECTION_FOOTER_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SECTION_HEADERS_PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_THICKNESS_FIELD_NUMBER: _ClassVar[int]
    ROW_KINDS_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedCompositeFieldContainer[TableColumn]
    row_height: float
    self_sizing: bool
    row_spacing: float
    header_height: float
    headers_scroll_away: bool
    section_header_height: float
    section_footer_height: float
    section_headers_pin_to_visible_bounds: bool
    separator_thickness: float
    row_kinds: _containers.RepeatedCompositeFieldContainer[TableRowKind]
    def __init__(self, columns: _Optional[_Iterable[_Union[TableColumn, _Mapping[str, object]]]] = ..., row_height: _Optional[float] = ..., self_sizing: bool = ..., row_spacing: _Optional[float] = ..., header_height: _Optional[float] = ..., headers_scroll_away: bool = ..., section_header_height: _Optional[float] = ..., section_footer_height: _Optional[float] = ..., section_headers_pin_to_visible_bounds: bool = ..., separator_thickness: _Optional[float] = ..., row_kinds: _Optional[_Iterable[_Union[TableRowKind, _Mapping[str, object]]]] = ...) -> None: ...

class TableColumn(_message.Message):
    __slots__ = ("id", "width", "share", "minimum", "maximum", "hidden", "frozen", "columns")
    ID_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    FROZEN_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    id: str
    width: float
    share: float
    minimum: float
    maximum: float
    hidden: bool
    frozen: TableEdge
    columns: _containers.RepeatedCompositeFieldContainer[TableColumn]
    def __init__(self, id: _Optional[str] = ..., width: _Optional[float] = ..., share: _Optional[float] = ..., minimum: _Optional[float] = ..., maximum: _Optional[float] = ..., hidden: bool = ..., frozen: _Optional[_Union[TableEdge, str]] = ..., columns: _Optional[_Iterable[_Union[TableColumn, _Mapping[str, object]]]] = ...) -> None: ...

class TableRowKind(_message.Message):
    __slots__ = ("cell_kind", "whole", "spans")
    CELL_KIND_FIELD_NUMBER: _ClassVar[int]
    WHOLE_FIELD_NUMBER: _ClassVar[int]
    SPANS_FIELD_NUMBER: _ClassVar[int]
    cell_kind: str
    whole: bool
    spans: _containers.RepeatedCompositeFieldContainer[TableSpan]
    def __init__(self, cell_kind: _Optional[str] = ..., whole: bool = ..., spans: _Optional[_Iterable[_Union[TableSpan, _Mapping[str, object]]]] = ...) -> None: ...

class TableSpan(_message.Message):
    __slots__ = ("column", "count", "row_count")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
    column: str
    count: int
    row_count: int
    def __init__(self, column: _Optional[str] = ..., count: _Optional[int] = ..., row_count: _Optional[int] = ...) -> None: ...

class LineLayout(_message.Message):
    __slots__ = ("scroll_direction", "item_size", "line_spacing", "section_inset", "active_distance", "zoom_factor")
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    LINE_SPACING_FIELD_NUMBER: _ClassVar[int]
    SECTION_INSET_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_DISTANCE_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FACTOR_FIELD_NUMBER: _ClassVar[int]
    scroll_direction: _geometry_pb2.ScrollDirection
    item_size: _geometry_pb2.Size
    line_spacing: float
    section_inset: _geometry_pb2.EdgeInsets
    active_distance: float
    zoom_factor: float
    def __init__(self, scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., line_spacing: _Optional[float] = ..., section_inset: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., active_distance: _Optional[float] = ..., zoom_factor: _Optional[float] = ...) -> None: ...

class CircleLayout(_message.Message):
    __slots__ = ("item_size", "radius_divisor", "start_angle")
    ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    RADIUS_DIVISOR_FIELD_NUMBER: _ClassVar[int]
    START_ANGLE_FIELD_NUMBER: _ClassVar[int]
    item_size: _geometry_pb2.Size
    radius_divisor: float
    start_angle: float
    def __init__(self, item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., radius_divisor: _Optional[float] = ..., start_angle: _Optional[float] = ...) -> None: ...

class CarouselLayout(_message.Message):
    __slots__ = ("style", "scroll_direction", "item_size", "spacing", "camera_distance", "visible_items_per_side")
    class Style(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STYLE_UNSPECIFIED: _ClassVar[CarouselLayout.Style]
        STYLE_LINEAR: _ClassVar[CarouselLayout.Style]
        STYLE_COVER_FLOW: _ClassVar[CarouselLayout.Style]
        STYLE_ROTARY: _ClassVar[CarouselLayout.Style]
        STYLE_INVERTED_ROTARY: _ClassVar[CarouselLayout.Style]
        STYLE_CYLINDER: _ClassVar[CarouselLayout.Style]
        STYLE_WHEEL: _ClassVar[CarouselLayout.Style]
        STYLE_TIME_MACHINE: _ClassVar[CarouselLayout.Style]
    STYLE_UNSPECIFIED: CarouselLayout.Style
    STYLE_LINEAR: CarouselLayout.Style
    STYLE_COVER_FLOW: CarouselLayout.Style
    STYLE_ROTARY: CarouselLayout.Style
    STYLE_INVERTED_ROTARY: CarouselLayout.Style
    STYLE_CYLINDER: CarouselLayout.Style
    STYLE_WHEEL: CarouselLayout.Style
    STYLE_TIME_MACHINE: CarouselLayout.Style
    STYLE_FIELD_NUMBER: _ClassVar[int]
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    SPACING_FIELD_NUMBER: _ClassVar[int]
    CAMERA_DISTANCE_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_ITEMS_PER_SIDE_FIELD_NUMBER: _ClassVar[int]
    style: CarouselLayout.Style
    scroll_direction: _geometry_pb2.ScrollDirection
    item_size: _geometry_pb2.Size
    spacing: float
    camera_distance: float
    visible_items_per_side: int
    def __init__(self, style: _Optional[_Union[CarouselLayout.Style, str]] = ..., scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., spacing: _Optional[float] = ..., camera_distance: _Optional[float] = ..., visible_items_per_side: _Optional[int] = ...) -> None: ...

class StackLayout(_message.Message):
    __slots__ = ("scroll_direction", "item_size", "visible_depth", "depth_offset", "depth_scale")
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_DEPTH_FIELD_NUMBER: _ClassVar[int]
    DEPTH_OFFSET_FIELD_NUMBER: _ClassVar[int]
    DEPTH_SCALE_FIELD_NUMBER: _ClassVar[int]
    scroll_direction: _geometry_pb2.ScrollDirection
    item_size: _geometry_pb2.Size
    visible_depth: int
    depth_offset: _geometry_pb2.Point
    depth_scale: float
    def __init__(self, scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., visible_depth: _Optional[int] = ..., depth_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., depth_scale: _Optional[float] = ...) -> None: ...

class SpatialLayout(_message.Message):
    __slots__ = ("projection", "zoom", "item_size", "anchor", "content_inset", "clusters")
    class Projection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PROJECTION_UNSPECIFIED: _ClassVar[SpatialLayout.Projection]
        PROJECTION_POINTS: _ClassVar[SpatialLayout.Projection]
        PROJECTION_WEB_MERCATOR: _ClassVar[SpatialLayout.Projection]
        PROJECTION_EQUIRECTANGULAR: _ClassVar[SpatialLayout.Projection]
    PROJECTION_UNSPECIFIED: SpatialLayout.Projection
    PROJECTION_POINTS: SpatialLayout.Projection
    PROJECTION_WEB_MERCATOR: SpatialLayout.Projection
    PROJECTION_EQUIRECTANGULAR: SpatialLayout.Projection
    PROJECTION_FIELD_NUMBER: _ClassVar[int]
    ZOOM_FIELD_NUMBER: _ClassVar[int]
    ITEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSET_FIELD_NUMBER: _ClassVar[int]
    CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    projection: SpatialLayout.Projection
    zoom: float
    item_size: _geometry_pb2.Size
    anchor: _geometry_pb2.Point
    content_inset: _geometry_pb2.EdgeInsets
    clusters: SpatialClusters
    def __init__(self, projection: _Optional[_Union[SpatialLayout.Projection, str]] = ..., zoom: _Optional[float] = ..., item_size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., anchor: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., content_inset: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., clusters: _Optional[_Union[SpatialClusters, _Mapping[str, object]]] = ...) -> None: ...

class SpatialClusters(_message.Message):
    __slots__ = ("cell_size", "minimum_count", "size", "growth", "fills_cells")
    CELL_SIZE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_COUNT_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    GROWTH_FIELD_NUMBER: _ClassVar[int]
    FILLS_CELLS_FIELD_NUMBER: _ClassVar[int]
    cell_size: float
    minimum_count: int
    size: _geometry_pb2.Size
    growth: float
    fills_cells: bool
    def __init__(self, cell_size: _Optional[float] = ..., minimum_count: _Optional[int] = ..., size: _Optional[_Union[_geometry_pb2.Size, _Mapping[str, object]]] = ..., growth: _Optional[float] = ..., fills_cells: bool = ...) -> None: ...

class CustomLayout(_message.Message):
    __slots__ = ("name", "parameters")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    parameters: _struct_pb2.Struct
    def __init__(self, name: _Optional[str] = ..., parameters: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, object]]] = ...) -> None: ...

class CompositionalLayout(_message.Message):
    __slots__ = ("scroll_direction", "inter_section_spacing", "sections", "boundary_supplementary_items", "content_insets_reference")
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    INTER_SECTION_SPACING_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    BOUNDARY_SUPPLEMENTARY_ITEMS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSETS_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    scroll_direction: _geometry_pb2.ScrollDirection
    inter_section_spacing: float
    sections: _containers.RepeatedCompositeFieldContainer[CompositionalSection]
    boundary_supplementary_items: _containers.RepeatedCompositeFieldContainer[BoundarySupplementaryItem]
    content_insets_reference: InsetsReference
    def __init__(self, scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., inter_section_spacing: _Optional[float] = ..., sections: _Optional[_Iterable[_Union[CompositionalSection, _Mapping[str, object]]]] = ..., boundary_supplementary_items: _Optional[_Iterable[_Union[BoundarySupplementaryItem, _Mapping[str, object]]]] = ..., content_insets_reference: _Optional[_Union[InsetsReference, str]] = ...) -> None: ...

class SectionsLayout(_message.Message):
    __slots__ = ("scroll_direction", "inter_section_spacing", "layouts")
    SCROLL_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    INTER_SECTION_SPACING_FIELD_NUMBER: _ClassVar[int]
    LAYOUTS_FIELD_NUMBER: _ClassVar[int]
    scroll_direction: _geometry_pb2.ScrollDirection
    inter_section_spacing: float
    layouts: _containers.RepeatedCompositeFieldContainer[SectionLayout]
    def __init__(self, scroll_direction: _Optional[_Union[_geometry_pb2.ScrollDirection, str]] = ..., inter_section_spacing: _Optional[float] = ..., layouts: _Optional[_Iterable[_Union[SectionLayout, _Mapping[str, object]]]] = ...) -> None: ...

class SectionLayout(_message.Message):
    __slots__ = ("name", "flow", "list", "waterfall", "compositional", "grid", "grid_lanes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    WATERFALL_FIELD_NUMBER: _ClassVar[int]
    COMPOSITIONAL_FIELD_NUMBER: _ClassVar[int]
    GRID_FIELD_NUMBER: _ClassVar[int]
    GRID_LANES_FIELD_NUMBER: _ClassVar[int]
    name: str
    flow: FlowLayout
    list: ListLayout
    waterfall: WaterfallLayout
    compositional: CompositionalSection
    grid: GridLayout
    grid_lanes: GridLanesLayout
    def __init__(self, name: _Optional[str] = ..., flow: _Optional[_Union[FlowLayout, _Mapping[str, object]]] = ..., list: _Optional[_Union[ListLayout, _Mapping[str, object]]] = ..., waterfall: _Optional[_Union[WaterfallLayout, _Mapping[str, object]]] = ..., compositional: _Optional[_Union[CompositionalSection, _Mapping[str, object]]] = ..., grid: _Optional[_Union[GridLayout, _Mapping[str, object]]] = ..., grid_lanes: _Optional[_Union[GridLanesLayout, _Mapping[str, object]]] = ...) -> None: ...

class CompositionalSection(_message.Message):
    __slots__ = ("name", "group", "content_insets", "inter_group_spacing", "orthogonal_scrolling", "boundary_supplementary_items", "backgrounds", "supplementaries_follow_content_insets", "visible_item_effects", "content_insets_reference", "supplementary_content_insets_reference", "list")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSETS_FIELD_NUMBER: _ClassVar[int]
    INTER_GROUP_SPACING_FIELD_NUMBER: _ClassVar[int]
    ORTHOGONAL_SCROLLING_FIELD_NUMBER: _ClassVar[int]
    BOUNDARY_SUPPLEMENTARY_ITEMS_FIELD_NUMBER: _ClassVar[int]
    BACKGROUNDS_FIELD_NUMBER: _ClassVar[int]
    SUPPLEMENTARIES_FOLLOW_CONTENT_INSETS_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_ITEM_EFFECTS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSETS_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    SUPPLEMENTARY_CONTENT_INSETS_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    name: str
    group: LayoutGroup
    content_insets: _geometry_pb2.EdgeInsets
    inter_group_spacing: float
    orthogonal_scrolling: OrthogonalScrolling
    boundary_supplementary_items: _containers.RepeatedCompositeFieldContainer[BoundarySupplementaryItem]
    backgrounds: _containers.RepeatedCompositeFieldContainer[SectionBackground]
    supplementaries_follow_content_insets: bool
    visible_item_effects: _containers.RepeatedCompositeFieldContainer[VisibleItemEffect]
    content_insets_reference: InsetsReference
    supplementary_content_insets_reference: InsetsReference
    list: ListConfiguration
    def __init__(self, name: _Optional[str] = ..., group: _Optional[_Union[LayoutGroup, _Mapping[str, object]]] = ..., content_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., inter_group_spacing: _Optional[float] = ..., orthogonal_scrolling: _Optional[_Union[OrthogonalScrolling, str]] = ..., boundary_supplementary_items: _Optional[_Iterable[_Union[BoundarySupplementaryItem, _Mapping[str, object]]]] = ..., backgrounds: _Optional[_Iterable[_Union[SectionBackground, _Mapping[str, object]]]] = ..., supplementaries_follow_content_insets: bool = ..., visible_item_effects: _Optional[_Iterable[_Union[VisibleItemEffect, _Mapping[str, object]]]] = ..., content_insets_reference: _Optional[_Union[InsetsReference, str]] = ..., supplementary_content_insets_reference: _Optional[_Union[InsetsReference, str]] = ..., list: _Optional[_Union[ListConfiguration, _Mapping[str, object]]] = ...) -> None: ...

class ListConfiguration(_message.Message):
    __slots__ = ("appearance", "header_mode", "footer_mode", "idiom", "header_top_padding", "estimated_row_height", "content_insets", "shows_separators", "separator_thickness", "separator", "row_separators")
    class Appearance(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        APPEARANCE_UNSPECIFIED: _ClassVar[ListConfiguration.Appearance]
        APPEARANCE_PLAIN: _ClassVar[ListConfiguration.Appearance]
        APPEARANCE_GROUPED: _ClassVar[ListConfiguration.Appearance]
        APPEARANCE_INSET_GROUPED: _ClassVar[ListConfiguration.Appearance]
        APPEARANCE_SIDEBAR: _ClassVar[ListConfiguration.Appearance]
        APPEARANCE_SIDEBAR_PLAIN: _ClassVar[ListConfiguration.Appearance]
    APPEARANCE_UNSPECIFIED: ListConfiguration.Appearance
    APPEARANCE_PLAIN: ListConfiguration.Appearance
    APPEARANCE_GROUPED: ListConfiguration.Appearance
    APPEARANCE_INSET_GROUPED: ListConfiguration.Appearance
    APPEARANCE_SIDEBAR: ListConfiguration.Appearance
    APPEARANCE_SIDEBAR_PLAIN: ListConfiguration.Appearance
    class HeaderMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        HEADER_MODE_UNSPECIFIED: _ClassVar[ListConfiguration.HeaderMode]
        HEADER_MODE_NONE: _ClassVar[ListConfiguration.HeaderMode]
        HEADER_MODE_SUPPLEMENTARY: _ClassVar[ListConfiguration.HeaderMode]
        HEADER_MODE_FIRST_ITEM_IN_SECTION: _ClassVar[ListConfiguration.HeaderMode]
    HEADER_MODE_UNSPECIFIED: ListConfiguration.HeaderMode
    HEADER_MODE_NONE: ListConfiguration.HeaderMode
    HEADER_MODE_SUPPLEMENTARY: ListConfiguration.HeaderMode
    HEADER_MODE_FIRST_ITEM_IN_SECTION: ListConfiguration.HeaderMode
    class FooterMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        FOOTER_MODE_UNSPECIFIED: _ClassVar[ListConfiguration.FooterMode]
        FOOTER_MODE_NONE: _ClassVar[ListConfiguration.FooterMode]
        FOOTER_MODE_SUPPLEMENTARY: _ClassVar[ListConfiguration.FooterMode]
    FOOTER_MODE_UNSPECIFIED: ListConfiguration.FooterMode
    FOOTER_MODE_NONE: ListConfiguration.FooterMode
    FOOTER_MODE_SUPPLEMENTARY: ListConfiguration.FooterMode
    class Idiom(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        IDIOM_UNSPECIFIED: _ClassVar[ListConfiguration.Idiom]
        IDIOM_PHONE: _ClassVar[ListConfiguration.Idiom]
        IDIOM_MAC: _ClassVar[ListConfiguration.Idiom]
    IDIOM_UNSPECIFIED: ListConfiguration.Idiom
    IDIOM_PHONE: ListConfiguration.Idiom
    IDIOM_MAC: ListConfiguration.Idiom
    APPEARANCE_FIELD_NUMBER: _ClassVar[int]
    HEADER_MODE_FIELD_NUMBER: _ClassVar[int]
    FOOTER_MODE_FIELD_NUMBER: _ClassVar[int]
    IDIOM_FIELD_NUMBER: _ClassVar[int]
    HEADER_TOP_PADDING_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_ROW_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSETS_FIELD_NUMBER: _ClassVar[int]
    SHOWS_SEPARATORS_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_THICKNESS_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_FIELD_NUMBER: _ClassVar[int]
    ROW_SEPARATORS_FIELD_NUMBER: _ClassVar[int]
    appearance: ListConfiguration.Appearance
    header_mode: ListConfiguration.HeaderMode
    footer_mode: ListConfiguration.FooterMode
    idiom: ListConfiguration.Idiom
    header_top_padding: float
    estimated_row_height: float
    content_insets: _geometry_pb2.EdgeInsets
    shows_separators: bool
    separator_thickness: float
    separator: ListSeparator
    row_separators: _containers.RepeatedCompositeFieldContainer[RowSeparator]
    def __init__(self, appearance: _Optional[_Union[ListConfiguration.Appearance, str]] = ..., header_mode: _Optional[_Union[ListConfiguration.HeaderMode, str]] = ..., footer_mode: _Optional[_Union[ListConfiguration.FooterMode, str]] = ..., idiom: _Optional[_Union[ListConfiguration.Idiom, str]] = ..., header_top_padding: _Optional[float] = ..., estimated_row_height: _Optional[float] = ..., content_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., shows_separators: bool = ..., separator_thickness: _Optional[float] = ..., separator: _Optional[_Union[ListSeparator, _Mapping[str, object]]] = ..., row_separators: _Optional[_Iterable[_Union[RowSeparator, _Mapping[str, object]]]] = ...) -> None: ...

class ListSeparator(_message.Message):
    __slots__ = ("top_visibility", "bottom_visibility", "top_insets", "bottom_insets")
    class Visibility(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        VISIBILITY_UNSPECIFIED: _ClassVar[ListSeparator.Visibility]
        VISIBILITY_AUTOMATIC: _ClassVar[ListSeparator.Visibility]
        VISIBILITY_VISIBLE: _ClassVar[ListSeparator.Visibility]
        VISIBILITY_HIDDEN: _ClassVar[ListSeparator.Visibility]
    VISIBILITY_UNSPECIFIED: ListSeparator.Visibility
    VISIBILITY_AUTOMATIC: ListSeparator.Visibility
    VISIBILITY_VISIBLE: ListSeparator.Visibility
    VISIBILITY_HIDDEN: ListSeparator.Visibility
    TOP_VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_VISIBILITY_FIELD_NUMBER: _ClassVar[int]
    TOP_INSETS_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_INSETS_FIELD_NUMBER: _ClassVar[int]
    top_visibility: ListSeparator.Visibility
    bottom_visibility: ListSeparator.Visibility
    top_insets: _geometry_pb2.EdgeInsets
    bottom_insets: _geometry_pb2.EdgeInsets
    def __init__(self, top_visibility: _Optional[_Union[ListSeparator.Visibility, str]] = ..., bottom_visibility: _Optional[_Union[ListSeparator.Visibility, str]] = ..., top_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., bottom_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ...) -> None: ...

class RowSeparator(_message.Message):
    __slots__ = ("cell_kind", "separator")
    CELL_KIND_FIELD_NUMBER: _ClassVar[int]
    SEPARATOR_FIELD_NUMBER: _ClassVar[int]
    cell_kind: str
    separator: ListSeparator
    def __init__(self, cell_kind: _Optional[str] = ..., separator: _Optional[_Union[ListSeparator, _Mapping[str, object]]] = ...) -> None: ...

class LayoutDimension(_message.Message):
    __slots__ = ("fractional_width", "fractional_height", "absolute", "estimated", "uniform_across_siblings")
    FRACTIONAL_WIDTH_FIELD_NUMBER: _ClassVar[int]
    FRACTIONAL_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    ABSOLUTE_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_FIELD_NUMBER: _ClassVar[int]
    UNIFORM_ACROSS_SIBLINGS_FIELD_NUMBER: _ClassVar[int]
    fractional_width: float
    fractional_height: float
    absolute: float
    estimated: float
    uniform_across_siblings: float
    def __init__(self, fractional_width: _Optional[float] = ..., fractional_height: _Optional[float] = ..., absolute: _Optional[float] = ..., estimated: _Optional[float] = ..., uniform_across_siblings: _Optional[float] = ...) -> None: ...

class LayoutSize(_message.Message):
    __slots__ = ("width", "height")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    width: LayoutDimension
    height: LayoutDimension
    def __init__(self, width: _Optional[_Union[LayoutDimension, _Mapping[str, object]]] = ..., height: _Optional[_Union[LayoutDimension, _Mapping[str, object]]] = ...) -> None: ...

class LayoutSpacing(_message.Message):
    __slots__ = ("fixed", "flexible")
    FIXED_FIELD_NUMBER: _ClassVar[int]
    FLEXIBLE_FIELD_NUMBER: _ClassVar[int]
    fixed: float
    flexible: float
    def __init__(self, fixed: _Optional[float] = ..., flexible: _Optional[float] = ...) -> None: ...

class EdgeSpacing(_message.Message):
    __slots__ = ("top", "leading", "bottom", "trailing")
    TOP_FIELD_NUMBER: _ClassVar[int]
    LEADING_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    TRAILING_FIELD_NUMBER: _ClassVar[int]
    top: LayoutSpacing
    leading: LayoutSpacing
    bottom: LayoutSpacing
    trailing: LayoutSpacing
    def __init__(self, top: _Optional[_Union[LayoutSpacing, _Mapping[str, object]]] = ..., leading: _Optional[_Union[LayoutSpacing, _Mapping[str, object]]] = ..., bottom: _Optional[_Union[LayoutSpacing, _Mapping[str, object]]] = ..., trailing: _Optional[_Union[LayoutSpacing, _Mapping[str, object]]] = ...) -> None: ...

class LayoutItem(_message.Message):
    __slots__ = ("size", "content_insets", "edge_spacing", "supplementary_items")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSETS_FIELD_NUMBER: _ClassVar[int]
    EDGE_SPACING_FIELD_NUMBER: _ClassVar[int]
    SUPPLEMENTARY_ITEMS_FIELD_NUMBER: _ClassVar[int]
    size: LayoutSize
    content_insets: _geometry_pb2.EdgeInsets
    edge_spacing: EdgeSpacing
    supplementary_items: _containers.RepeatedCompositeFieldContainer[AnchoredSupplementaryItem]
    def __init__(self, size: _Optional[_Union[LayoutSize, _Mapping[str, object]]] = ..., content_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., edge_spacing: _Optional[_Union[EdgeSpacing, _Mapping[str, object]]] = ..., supplementary_items: _Optional[_Iterable[_Union[AnchoredSupplementaryItem, _Mapping[str, object]]]] = ...) -> None: ...

class LayoutGroup(_message.Message):
    __slots__ = ("axis", "size", "subitems", "count", "interitem_spacing", "content_insets", "edge_spacing", "supplementary_items", "custom_frames")
    class Axis(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        AXIS_UNSPECIFIED: _ClassVar[LayoutGroup.Axis]
        AXIS_HORIZONTAL: _ClassVar[LayoutGroup.Axis]
        AXIS_VERTICAL: _ClassVar[LayoutGroup.Axis]
    AXIS_UNSPECIFIED: LayoutGroup.Axis
    AXIS_HORIZONTAL: LayoutGroup.Axis
    AXIS_VERTICAL: LayoutGroup.Axis
    AXIS_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SUBITEMS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    INTERITEM_SPACING_FIELD_NUMBER: _ClassVar[int]
    CONTENT_INSETS_FIELD_NUMBER: _ClassVar[int]
    EDGE_SPACING_FIELD_NUMBER: _ClassVar[int]
    SUPPLEMENTARY_ITEMS_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FRAMES_FIELD_NUMBER: _ClassVar[int]
    axis: LayoutGroup.Axis
    size: LayoutSize
    subitems: _containers.RepeatedCompositeFieldContainer[LayoutSubitem]
    count: int
    interitem_spacing: LayoutSpacing
    content_insets: _geometry_pb2.EdgeInsets
    edge_spacing: EdgeSpacing
    supplementary_items: _containers.RepeatedCompositeFieldContainer[AnchoredSupplementaryItem]
    custom_frames: _containers.RepeatedCompositeFieldContainer[_geometry_pb2.Rect]
    def __init__(self, axis: _Optional[_Union[LayoutGroup.Axis, str]] = ..., size: _Optional[_Union[LayoutSize, _Mapping[str, object]]] = ..., subitems: _Optional[_Iterable[_Union[LayoutSubitem, _Mapping[str, object]]]] = ..., count: _Optional[int] = ..., interitem_spacing: _Optional[_Union[LayoutSpacing, _Mapping[str, object]]] = ..., content_insets: _Optional[_Union[_geometry_pb2.EdgeInsets, _Mapping[str, object]]] = ..., edge_spacing: _Optional[_Union[EdgeSpacing, _Mapping[str, object]]] = ..., supplementary_items: _Optional[_Iterable[_Union[AnchoredSupplementaryItem, _Mapping[str, object]]]] = ..., custom_frames: _Optional[_Iterable[_Union[_geometry_pb2.Rect, _Mapping[str, object]]]] = ...) -> None: ...

class LayoutSubitem(_message.Message):
    __slots__ = ("item", "group")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    item: LayoutItem
    group: LayoutGroup
    def __init__(self, item: _Optional[_Union[LayoutItem, _Mapping[str, object]]] = ..., group: _Optional[_Union[LayoutGroup, _Mapping[str, object]]] = ...) -> None: ...

class LayoutAnchor(_message.Message):
    __slots__ = ("top", "leading", "bottom", "trailing", "absolute_offset", "fractional_offset")
    TOP_FIELD_NUMBER: _ClassVar[int]
    LEADING_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    TRAILING_FIELD_NUMBER: _ClassVar[int]
    ABSOLUTE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    FRACTIONAL_OFFSET_FIELD_NUMBER: _ClassVar[int]
    top: bool
    leading: bool
    bottom: bool
    trailing: bool
    absolute_offset: _geometry_pb2.Point
    fractional_offset: _geometry_pb2.Point
    def __init__(self, top: bool = ..., leading: bool = ..., bottom: bool = ..., trailing: bool = ..., absolute_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., fractional_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ...) -> None: ...

class AnchoredSupplementaryItem(_message.Message):
    __slots__ = ("kind", "size", "container_anchor", "item_anchor", "z_index")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    ITEM_ANCHOR_FIELD_NUMBER: _ClassVar[int]
    Z_INDEX_FIELD_NUMBER: _ClassVar[int]
    kind: str
    size: LayoutSize
    container_anchor: LayoutAnchor
    item_anchor: LayoutAnchor
    z_index: int
    def __init__(self, kind: _Optional[str] = ..., size: _Optional[_Union[LayoutSize, _Mapping[str, object]]] = ..., container_anchor: _Optional[_Union[LayoutAnchor, _Mapping[str, object]]] = ..., item_anchor: _Optional[_Union[LayoutAnchor, _Mapping[str, object]]] = ..., z_index: _Optional[int] = ...) -> None: ...

class BoundarySupplementaryItem(_message.Message):
    __slots__ = ("kind", "size", "alignment", "absolute_offset", "extends_boundary", "pin_to_visible_bounds", "z_index")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ALIGNMENT_FIELD_NUMBER: _ClassVar[int]
    ABSOLUTE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    EXTENDS_BOUNDARY_FIELD_NUMBER: _ClassVar[int]
    PIN_TO_VISIBLE_BOUNDS_FIELD_NUMBER: _ClassVar[int]
    Z_INDEX_FIELD_NUMBER: _ClassVar[int]
    kind: str
    size: LayoutSize
    alignment: RectAlignment
    absolute_offset: _geometry_pb2.Point
    extends_boundary: bool
    pin_to_visible_bounds: bool
    z_index: int
    def __init__(self, kind: _Optional[str] = ..., size: _Optional[_Union[LayoutSize, _Mapping[str, object]]] = ..., alignment: _Optional[_Union[RectAlignment, str]] = ..., absolute_offset: _Optional[_Union[_geometry_pb2.Point, _Mapping[str, object]]] = ..., extends_boundary: bool = ..., pin_to_visible_bounds: bool = ..., z_index: _Optional[int] = ...) -> None: ...

class VisibleItemEffect(_message.Message):
    __slots__ = ("attribute", "active_distance", "at_center", "at_distance")
    class Attribute(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ATTRIBUTE_UNSPECIFIED: _ClassVar[VisibleItemEffect.Attribute]
        ATTRIBUTE_SCALE: _ClassVar[VisibleItemEffect.Attribute]
        ATTRIBUTE_ALPHA: _ClassVar[VisibleItemEffect.Attribute]
        ATTRIBUTE_TRANSLATION_X: _ClassVar[VisibleItemEffect.Attribute]
        ATTRIBUTE_TRANSLATION_Y: _ClassVar[VisibleItemEffect.Attribute]
        ATTRIBUTE_ROTATION: _ClassVar[VisibleItemEffect.Attribute]
    ATTRIBUTE_UNSPECIFIED: VisibleItemEffect.Attribute
    ATTRIBUTE_SCALE: VisibleItemEffect.Attribute
    ATTRIBUTE_ALPHA: VisibleItemEffect.Attribute
    ATTRIBUTE_TRANSLATION_X: VisibleItemEffect.Attribute
    ATTRIBUTE_TRANSLATION_Y: VisibleItemEffect.Attribute
    ATTRIBUTE_ROTATION: VisibleItemEffect.Attribute
    ATTRIBUTE_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_DISTANCE_FIELD_NUMBER: _ClassVar[int]
    AT_CENTER_FIELD_NUMBER: _ClassVar[int]
    AT_DISTANCE_FIELD_NUMBER: _ClassVar[int]
    attribute: VisibleItemEffect.Attribute
    active_distance: float
    at_center: float
    at_distance: float
    def __init__(self, attribute: _Optional[_Union[VisibleItemEffect.Attribute, str]] = ..., active_distance: _Optional[float] = ..., at_center: _Optional[float] = ..., at_distance: _Optional[float] = ...) -> None: ...
