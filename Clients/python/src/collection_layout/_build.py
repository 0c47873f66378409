# SPDX-License-Identifier: Apache-2.0
"""Makes messages from plain Python values, with errors that say which field is wrong."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeAlias, TypeVar

from google.protobuf import duration_pb2, struct_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from collection_layout.v1 import geometry_pb2, layouts_pb2

PointLike: TypeAlias = "geometry_pb2.Point | Sequence[float] | Mapping[str, float]"
SizeLike: TypeAlias = "geometry_pb2.Size | Sequence[float] | Mapping[str, float]"
RectLike: TypeAlias = "geometry_pb2.Rect | Sequence[float] | Mapping[str, float]"
InsetsLike: TypeAlias = "geometry_pb2.EdgeInsets | float | Sequence[float] | Mapping[str, float]"
#: Six or 16 numbers, as CSS `matrix()` and `matrix3d()` have them.
TransformLike: TypeAlias = "geometry_pb2.Transform | Sequence[float] | Mapping[str, Sequence[float]]"
DimensionLike: TypeAlias = "layouts_pb2.LayoutDimension | float | Mapping[str, float]"
#: A layout, a dictionary with its kind and fields, or the name of a named layout.
LayoutLike: TypeAlias = "layouts_pb2.LayoutSpec | Mapping[str, Any] | str"

M = TypeVar("M", bound=Message)

# The fields that a tuple fills, by the name of the message.
_TUPLES = {
    "Point": ("x", "y"),
    "Size": ("width", "height"),
    "Rect": ("x", "y", "width", "height"),
    "EdgeInsets": ("top", "leading", "bottom", "trailing"),
}
_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, (1 << 64) - 1),
}


class FieldError(ValueError):
    """A value that does not fit the field for which it is, found before anything was sent."""

    def __init__(self, field: str, problem: str) -> None:
        #: The field at fault: "flow.item_size.width".
        self.field = field
        super().__init__(f"{field}: {problem}")


def build(kind: type[M], value: object, path: str) -> M:
    """A message from a message, a dictionary, or a value that stands for one.

    `path` is how errors name the value. Raises `FieldError`.
    """
    result = kind()
    _fill(result, value, path)
    return result


def spec(kind: str, fields: Mapping[str, object], **shared: object) -> layouts_pb2.LayoutSpec:
    """A layout of the kind with the fields, and with what all layouts have."""
    result = layouts_pb2.LayoutSpec()
    part = getattr(result, kind)
    # A layout without any field is a layout nevertheless.
    part.SetInParent()
    _fill(part, fields, kind)
    _fill(result, shared, kind)
    return result


def layout_spec(value: object) -> layouts_pb2.LayoutSpec:
    """A layout from a layout or a dictionary, `{"flow": {"item_size": (10, 10)}}`."""
    return build(layouts_pb2.LayoutSpec, value, "layout")


def suggestion(word: str, words: Iterable[str]) -> str:
    """ "; did you mean …?" with the nearest word, or what there is."""
    known = sorted(words)
    near = difflib.get_close_matches(word, known, 1, 0.6)
    return f"; did you mean {near[0]!r}?" if near else f"; there is {', '.join(known)}"


def _fill(message: Message, value: object, path: str) -> None:
    descriptor = message.DESCRIPTOR
    if isinstance(value, Message):
        _fill_from_message(message, value, path)
    elif isinstance(message, struct_pb2.Struct):
        _fill_struct(message, value, path)
    elif isinstance(message, duration_pb2.Duration):
        _fill_duration(message, value, path)
    elif isinstance(value, Mapping):
        _fill_fields(message, value, path)
    elif _is_number(value) and descriptor.name == "LayoutDimension":
        _set(message, descriptor.fields_by_name["absolute"], value, path)
    elif _is_number(value) and descriptor.name == "EdgeInsets":
        _fill_fields(message, dict.fromkeys(_TUPLES["EdgeInsets"], value), path)
    elif isinstance(value, Sequence) and not isinstance(value, str) and descriptor.name == "Transform":
        _fill_fields(message, {"values": value}, path)
    elif isinstance(value, Sequence) and not isinstance(value, str) and descriptor.name in _TUPLES:
        names = _TUPLES[descriptor.name]
        if len(value) != len(names):
            raise FieldError(path, f"{value!r} is not ({', '.join(names)})")
        _fill_fields(message, dict(zip(names, value)), path)
    else:
        raise FieldError(path, f"{value!r} is no {descriptor.name}, and no dictionary of its fields")


def _fill_fields(message: Message, fields: Mapping[Any, object], path: str) -> None:
    known = message.DESCRIPTOR.fields_by_name
    given: dict[str, str] = {}
    for name, value in fields.items():
        field = known.get(name)
        if field is None:
            raise FieldError(path, f"there is no field {name!r}{suggestion(str(name), known)}")
        if value is None:
            continue
        choice = field.containing_oneof
        if choice is not None and len(choice.fields) > 1:
            other = given.setdefault(choice.name, name)
            if other != name:
                raise FieldError(path, f"{other!r} and {name!r} exclude each other")
        _set(message, field, value, f"{path}.{name}")


def _fill_from_message(message: Message, value: Message, path: str) -> None:
    if value.DESCRIPTOR.full_name == message.DESCRIPTOR.full_name:
        message.CopyFrom(value)
        return
    if isinstance(value, layouts_pb2.LayoutSpec):
        # A whole layout where one of its kind is wanted.
        kind, fields = value.WhichOneof("kind"), value.ListFields()
        if kind and len(fields) == 1:
            _fill_from_message(message, getattr(value, kind), path)
            return
        if kind:
            raise FieldError(path, "has no room for what the layout has beside its kind: " + ", ".join(
                sorted(field.name for field, _ in fields if field.name != kind)))
    for field in message.DESCRIPTOR.fields:
        kind_here = field.message_type
        if kind_here is not None and field.containing_oneof is not None and (
                kind_here.full_name == value.DESCRIPTOR.full_name):
            getattr(message, field.name).CopyFrom(value)
            return
    raise FieldError(path, f"is a {message.DESCRIPTOR.name}, and no {value.DESCRIPTOR.name}")


def _fill_struct(message: struct_pb2.Struct, value: object, path: str) -> None:
    if not isinstance(value, Mapping):
        raise FieldError(path, f"{value!r} is no dictionary")
    message.SetInParent()
    try:
        message.update(dict(value))
    except (TypeError, ValueError) as error:
        raise FieldError(path, f"{value!r} cannot be sent: {error}") from None


def _fill_duration(message: duration_pb2.Duration, value: object, path: str) -> None:
    if isinstance(value, timedelta):
        message.FromTimedelta(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        message.FromNanoseconds(round(value * 1e9))
    else:
        raise FieldError(path, f"{value!r} is no number of seconds, and no timedelta")


def _set(message: Message, field: Any, value: object, path: str) -> None:
    if not is_repeated(field):
        _set_one(message, field, value, path)
        return
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise FieldError(path, f"{value!r} is no list")
    column = getattr(message, field.name)
    for index, each in enumerate(value):
        if field.message_type is not None:
            _fill(column.add(), each, f"{path}[{index}]")
        else:
            column.append(_scalar(field, each, f"{path}[{index}]"))


def _set_one(message: Message, field: Any, value: object, path: str) -> None:
    if field.message_type is None:
        setattr(message, field.name, _scalar(field, value, path))
        return
    part = getattr(message, field.name)
    part.SetInParent()
    _fill(part, value, path)


def is_repeated(field: Any) -> bool:
    """Whether the field is a list; older versions of protobuf have another word for it."""
    found = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if found is None else found)


def _scalar(field: Any, value: object, path: str) -> object:
    kind = field.cpp_type
    if field.enum_type is not None:
        return _enum(field.enum_type, value, path)
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        if not isinstance(value, bool):
            raise FieldError(path, f"{value!r} is neither True nor False")
    elif kind == FieldDescriptor.CPPTYPE_STRING:
        if not isinstance(value, str):
            raise FieldError(path, f"{value!r} is no text")
    elif not _is_number(value):
        raise FieldError(path, f"{value!r} is no number")
    elif kind in _INTEGERS:
        least, most = _INTEGERS[kind]
        if value != int(value):  # type: ignore[call-overload]
            raise FieldError(path, f"{value!r} is no whole number")
        if not least <= int(value) <= most:  # type: ignore[call-overload]
            raise FieldError(path, f"{value!r} is not between {least} and {most}")
        return int(value)  # type: ignore[call-overload]
    else:
        return float(value)  # type: ignore[arg-type]
    return value


def _is_number(value: object) -> bool:
    """Whether this is a number, numpy's included."""
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        return False
    return math.isfinite(float(value))


def _enum(descriptor: Any, value: object, path: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    prefix = descriptor.values_by_number[0].name.removesuffix("UNSPECIFIED")
    words: dict[str, int] = {
        each.name.removeprefix(prefix).lower(): each.number for each in descriptor.values}
    word = value.removeprefix(prefix).lower() if isinstance(value, str) else ""
    if word not in words:
        named = [word for word, number in words.items() if number]
        raise FieldError(path, f"{value!r} is none of the words for it{suggestion(word, named)}")
    return words[word]
