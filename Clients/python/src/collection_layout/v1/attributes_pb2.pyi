from collection_layout.v1 import geometry_pb2 as _geometry_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ElementCategory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ELEMENT_CATEGORY_UNSPECIFIED: _ClassVar[ElementCategory]
    ELEMENT_CATEGORY_CELL: _ClassVar[ElementCategory]
    ELEMENT_CATEGORY_SUPPLEMENTARY: _ClassVar[ElementCategory]
    ELEMENT_CATEGORY_DECORATION: _ClassVar[ElementCategory]

class OutlineState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTLINE_STATE_UNSPECIFIED: _ClassVar[OutlineState]
    OUTLINE_STATE_COLLAPSED: _ClassVar[OutlineState]
    OUTLINE_STATE_EXPANDED: _ClassVar[OutlineState]
ELEMENT_CATEGORY_UNSPECIFIED: ElementCategory
ELEMENT_CATEGORY_CELL: ElementCategory
ELEMENT_CATEGORY_SUPPLEMENTARY: ElementCategory
ELEMENT_CATEGORY_DECORATION: ElementCategory
OUTLINE_STATE_UNSPECIFIED: OutlineState
OUTLINE_STATE_COLLAPSED: OutlineState
OUTLINE_STATE_EXPANDED: OutlineState

class IndexPath(_message.Message):
    __slots__ = ("section", "item")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    section: int
    item: int
    def __init__(self, section: _Optional[int] = ..., item: _Optional[int] = ...) -> None: ...

class ElementKey(_message.Message):
    __slots__ = ("category", "kind", "index_path")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    INDEX_PATH_FIELD_NUMBER: _ClassVar[int]
    category: ElementCategory
    kind: str
    index_path: IndexPath
    def __init__(self, category: _Optional[_Union[ElementCategory, str]] = ..., kind: _Optional[str] = ..., index_path: _Optional[_Union[IndexPath, _Mapping[str, object]]] = ...) -> None: ...

class LayoutAttributes(_message.Message):
    __slots__ = ("frame", "transform", "alpha", "z_index", "hidden", "custom")
    FRAME_FIELD_NUMBER: _ClassVar[int]
    TRANSFORM_FIELD_NUMBER: _ClassVar[int]
    ALPHA_FIELD_NUMBER: _ClassVar[int]
    Z_INDEX_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FIELD_NUMBER: _ClassVar[int]
    frame: _geometry_pb2.Rect
    transform: _geometry_pb2.Transform
    alpha: float
    z_index: int
    hidden: bool
    custom: _struct_pb2.Struct
    def __init__(self, frame: _Optional[_Union[_geometry_pb2.Rect, _Mapping[str, object]]] = ..., transform: _Optional[_Union[_geometry_pb2.Transform, _Mapping[str, object]]] = ..., alpha: _Optional[float] = ..., z_index: _Optional[int] = ..., hidden: bool = ..., custom: _Optional[_Union[_struct_pb2.Struct, _Mapping[str, object]]] = ...) -> None: ...

class ElementAttributes(_message.Message):
    __slots__ = ("key", "attributes", "item_key", "outline", "section_key", "item_data")
    KEY_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    ITEM_KEY_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    SECTION_KEY_FIELD_NUMBER: _ClassVar[int]
    ITEM_DATA_FIELD_NUMBER: _ClassVar[int]
    key: ElementKey
    attributes: LayoutAttributes
    item_key: str
    outline: OutlinePosition
    section_key: str
    item_data: str
    def __init__(self, key: _Optional[_Union[ElementKey, _Mapping[str, object]]] = ..., attributes: _Optional[_Union[LayoutAttributes, _Mapping[str, object]]] = ..., item_key: _Optional[str] = ..., outline: _Optional[_Union[OutlinePosition, _Mapping[str, object]]] = ..., section_key: _Optional[str] = ..., item_data: _Optional[str] = ...) -> None: ...

class OutlinePosition(_message.Message):
    __slots__ = ("level", "state")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    level: int
    state: OutlineState
    def __init__(self, level: _Optional[int] = ..., state: _Optional[_Union[OutlineState, str]] = ...) -> None: ...
