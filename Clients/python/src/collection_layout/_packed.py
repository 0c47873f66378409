# SPDX-License-Identifier: Apache-2.0
"""Reads elements of both encodings into columns.

With numpy columns are arrays, without it lists. The protocol guide describes the packed encoding
("Packed elements").
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from collection_layout._numpy import numpy
from collection_layout.errors import FrameError
from collection_layout.v1 import session_pb2

OPAQUE = 65535
#: So many elements can be live, can one frame put and shift together, and empty: more than any server sends.
MOST_ELEMENTS = 1 << 20
# The contract allows 128 bytes.
MOST_KIND_BYTES = 128
MOST_INDEX = (1 << 32) - 1
# In units; no sum of a column is greater.
MOST_LENGTH = 1 << 62


@dataclasses.dataclass
class Columns:
    """Elements column by column. `items` are index + 1, and 0 for a section's element."""

    slots: Any
    categories: Any
    kinds: Any
    sections: Any
    items: Any
    xs: Any
    ys: Any
    widths: Any
    heights: Any
    zs: Any
    alphas: Any
    hidden: Any
    levels: Any
    states: Any
    #: Whether they are where they are at offset 0 of their section, which the client scrolls.
    across: Any
    #: Of items, and of sections for their own elements. None = no element has a key.
    keys: list[str] | None
    #: What items carry for renderers. None = no element has such data.
    data: list[str] | None = None

    def geometry(self) -> tuple[Any, ...]:
        """All columns but the slots, the keys and the data."""
        return (self.categories, self.kinds, self.sections, self.items, self.xs, self.ys, self.widths,
                self.heights, self.zs, self.alphas, self.hidden, self.levels, self.states, self.across)


def checked(condition: bool, problem: str) -> None:
    """Raises FrameError unless the condition holds."""
    if not condition:
        raise FrameError(problem)


# MARK: Packed, in plain Python


def _differences(column: Sequence[int], count: int, name: str) -> list[int]:
    if len(column) < 2:
        return [column[0] if column else 0] * count
    _check_length(column, count, name)
    return list(accumulate(column))


def _values(column: Sequence[Any], count: int, default: Any, name: str) -> list[Any]:
    if len(column) < 2:
        return [column[0] if column else default] * count
    _check_length(column, count, name)
    return list(column)


def _check_length(column: Sequence[Any], count: int, name: str) -> None:
    checked(len(column) == count, f"{name} has {len(column)} values; none, 1 or {count} are allowed")


def count_runs(column: Sequence[int], name: str) -> int:
    """How many values (difference, length) pairs stand for. Raises FrameError."""
    checked(len(column) % 2 == 0, f"{name} has {len(column)} numbers; an even number is needed")
    lengths = column[1::2]
    least = min(lengths, default=1)
    checked(least > 0, f"{name} has a run of {least}; at least 1 is needed")
    return sum(lengths)


def run_values(column: Sequence[int], name: str) -> list[int]:
    """The values of (difference, length) pairs. Raises FrameError."""
    total = count_runs(column, name)
    checked(total <= MOST_ELEMENTS, f"{name} has {total} values; {MOST_ELEMENTS} are allowed")
    values: list[int] = []
    value = 0
    for difference, length in zip(column[::2], column[1::2]):
        values.extend(range(value + difference, value + difference * length + 1, difference)
                      if difference > 0 else (value + difference * n for n in range(1, length + 1)))
        value += difference * length
    return values


def _check_runs(column: Sequence[int], count: int, name: str) -> None:
    if column:
        total = count_runs(column, name)
        checked(total == count, f"{name} has {total} values; {count} are needed")


def _runs(column: Sequence[int], count: int, name: str) -> list[int]:
    return run_values(column, name) if column else [0] * count


def _check_counts(packed: session_pb2.PackedElements) -> None:
    """Checks how many values runs stand for, before anything of that size is made."""
    count = packed.upsert_count
    checked(count <= MOST_ELEMENTS, f"upsert_count is {count}; {MOST_ELEMENTS} are allowed")
    # Elements have different slots, so an empty column, which stands for zeros, fits one of them.
    checked(count < 2 or len(packed.slot_runs) > 0, f"slot_runs is empty for {count} elements")
    _check_runs(packed.slot_runs, count, "slot_runs")
    _check_runs(packed.item_runs, count, "item_runs")


def _check_range(column: Any, least: int, most: int, name: str) -> None:
    if len(column) == 0:
        return
    # Both kinds of columns: arrays have methods that take no time for each number.
    low, high = (column.min(), column.max()) if hasattr(column, "dtype") else (min(column), max(column))
    checked(least <= low and high <= most,
            f"{name} has {low if low < least else high}; {least} to {most} are allowed")


def _ranged(columns: Columns) -> Columns:
    """The columns, if their numbers are such as elements have."""
    _check_range(columns.slots, 0, MOST_INDEX, "slot")
    _check_range(columns.categories, 1, 3, "category")
    _check_range(columns.sections, 0, MOST_INDEX, "section")
    _check_range(columns.items, 0, MOST_INDEX, "item + 1")
    _check_range(columns.zs, -1 << 31, (1 << 31) - 1, "z_index")
    _check_range(columns.levels, 0, MOST_INDEX, "level")
    return columns


def _plain(packed: session_pb2.PackedElements, kinds: Sequence[int], units: int) -> Columns:
    count = packed.upsert_count
    x, y = float(packed.origin_x), float(packed.origin_y)

    def sums(name: str) -> list[int]:
        return _differences(getattr(packed, name), count, name)

    def lengths(name: str) -> list[float]:
        units_of = sums(name)
        _check_range(units_of, 0, MOST_LENGTH, name)
        return [value / units for value in units_of]

    names = sums("kinds")
    _check_range(names, 0, len(kinds) - 1, "kinds")
    items = _runs(packed.item_runs, count, "item_runs")
    return Columns(
        slots=_runs(packed.slot_runs, count, "slot_runs"),
        categories=sums("categories"),
        kinds=[kinds[kind] for kind in names],
        sections=sums("sections"),
        items=items,
        xs=[(x + value) / units for value in sums("xs")],
        ys=[(y + value) / units for value in sums("ys")],
        widths=lengths("widths"),
        heights=lengths("heights"),
        zs=sums("z_indices"),
        alphas=[min(value, OPAQUE) / OPAQUE for value in _values(packed.alphas, count, OPAQUE, "alphas")],
        hidden=_values(packed.hidden, count, False, "hidden"),
        levels=_differences(packed.outline.levels, count, "outline.levels"),
        states=_differences(packed.outline.states, count, "outline.states"),
        across=_values(packed.scrolls_across, count, False, "scrolls_across"),
        keys=_keys(packed, items),
        data=_data(packed))


def _keys(packed: session_pb2.PackedElements, items: Any) -> list[str] | None:
    count = len(items)
    if not packed.section_keys:
        return _values(packed.item_keys, count, "", "item_keys") if packed.item_keys else None
    keys = _values(packed.item_keys, count, "", "item_keys")
    # Elements without an item have the key of their section.
    own = [index for index in range(count) if not items[index]]
    for index, key in zip(own, _values(packed.section_keys, len(own), "", "section_keys")):
        keys[index] = key
    return keys


def _data(packed: session_pb2.PackedElements) -> list[str] | None:
    return _values(packed.item_data, packed.upsert_count, "", "item_data") if packed.item_data else None


# MARK: Packed, with numpy


def _array(column: Sequence[int]) -> Any:
    return numpy.fromiter(column, numpy.int64, len(column))


def _array_differences(column: Sequence[int], count: int, name: str) -> Any:
    if len(column) < 2:
        return numpy.full(count, column[0] if column else 0, numpy.int64)
    _check_length(column, count, name)
    return numpy.cumsum(_array(column))


def _array_values(column: Sequence[Any], count: int, default: Any, kind: Any, name: str) -> Any:
    if len(column) < 2:
        return numpy.full(count, column[0] if column else default, kind)
    _check_length(column, count, name)
    return numpy.fromiter(column, kind, count)


def _array_runs(column: Sequence[int], count: int) -> Any:
    if not column:
        return numpy.zeros(count, numpy.int64)
    pairs = _array(column)
    return numpy.cumsum(numpy.repeat(pairs[::2], pairs[1::2]))


def _vectors(packed: session_pb2.PackedElements, kinds: Sequence[int], units: int) -> Columns:
    count = packed.upsert_count

    def sums(name: str) -> Any:
        return _array_differences(getattr(packed, name), count, name)

    def lengths(name: str) -> Any:
        units_of = sums(name)
        _check_range(units_of, 0, MOST_LENGTH, name)
        return units_of / units

    names = sums("kinds")
    _check_range(names, 0, len(kinds) - 1, "kinds")
    items = _array_runs(packed.item_runs, count)
    return Columns(
        slots=_array_runs(packed.slot_runs, count),
        categories=sums("categories"),
        kinds=numpy.asarray(kinds, numpy.int64)[names],
        sections=sums("sections"),
        items=items,
        # As floats: whole numbers of 64 bits would wrap.
        xs=(sums("xs") + float(packed.origin_x)) / units,
        ys=(sums("ys") + float(packed.origin_y)) / units,
        widths=lengths("widths"),
        heights=lengths("heights"),
        zs=sums("z_indices"),
        alphas=numpy.minimum(
            _array_values(packed.alphas, count, OPAQUE, numpy.int64, "alphas"), OPAQUE) / OPAQUE,
        hidden=_array_values(packed.hidden, count, False, numpy.bool_, "hidden"),
        levels=_array_differences(packed.outline.levels, count, "outline.levels"),
        states=_array_differences(packed.outline.states, count, "outline.states"),
        across=_array_values(packed.scrolls_across, count, False, numpy.bool_, "scrolls_across"),
        keys=_keys(packed, items),
        data=_data(packed))


# MARK: Both


def packed_columns(
        packed: session_pb2.PackedElements, kinds: Sequence[int], units: int,
        vectors: bool = numpy is not None) -> Columns:
    """The elements in the columns of a packed frame, without the exceptions.

    `kinds` are what the columns refer to: the names since the keyframe, as numbers of the caller's.
    Raises FrameError.
    """
    _check_counts(packed)
    return _ranged(_vectors(packed, kinds, units) if vectors else _plain(packed, kinds, units))


def message_columns(
        elements: Sequence[session_pb2.LayoutElement], number: Callable[[str], int],
        vectors: bool = numpy is not None) -> Columns:
    """The same for elements that came one by one; `number` is the caller's number of a kind."""
    rows = [_row(element, number) for element in elements]
    lists: list[Any] = [list(column) for column in zip(*rows)] if rows else [[] for _ in range(15)]
    if vectors:
        kinds = [numpy.int64] * 5 + [numpy.float64] * 4 + [
            numpy.int64, numpy.float64, numpy.bool_, numpy.int64, numpy.int64, numpy.bool_]
        lists = [numpy.array(column, kind) for column, kind in zip(lists, kinds)]
    keys = [element.item_key or element.section_key for element in elements]
    data = [element.item_data for element in elements]
    values: Any = (*lists, keys, data if any(data) else None)
    return _ranged(Columns(*values))


def _row(element: session_pb2.LayoutElement, number: Callable[[str], int]) -> tuple[Any, ...]:
    key, attributes = element.key, element.attributes
    path, frame = key.index_path, attributes.frame
    checked(all(map(math.isfinite, (frame.x, frame.y, frame.width, frame.height, attributes.alpha))),
            f"slot {element.slot} has a frame or an alpha that is not finite")
    return (
        element.slot, int(key.category), number(key.kind), path.section,
        path.item + 1 if path.HasField("item") else 0, frame.x, frame.y, frame.width, frame.height,
        attributes.z_index, attributes.alpha if attributes.HasField("alpha") else 1.0,
        attributes.hidden, element.outline.level, element.outline.state, element.scrolls_across)


def index_shifts(packed: session_pb2.PackedElements) -> Iterator[tuple[int, int, int, int]]:
    """(first slot, number of slots, section shift, item shift), run after run."""
    column = packed.index_shift_runs
    checked(len(column) % 4 == 0,
            f"index_shift_runs has {len(column)} numbers; a multiple of four is needed")
    last = 0
    for difference, count, section, item in zip(*(column[start::4] for start in range(4))):
        checked(count > 0, f"index_shift_runs has {count} slots; at least 1 is needed")
        first = last + difference
        yield first, count, section, item
        last = first + count - 1
