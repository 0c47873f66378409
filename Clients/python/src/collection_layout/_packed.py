# SPDX-License-Identifier: Apache-2.0
"""Reads elements of both encodings into columns.

With numpy columns are arrays, without it lists. The protocol guide describes the packed encoding
("Packed elements").
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from collection_layout._numpy import numpy
from collection_layout.errors import FrameError
from collection_layout.v1 import session_pb2

OPAQUE = 65535


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


def _differences(column: Sequence[int], count: int) -> list[int]:
    if len(column) < 2:
        return [column[0] if column else 0] * count
    checked(len(column) == count, f"a column has {len(column)} of {count} numbers")
    return list(accumulate(column))


def _values(column: Sequence[Any], count: int, default: Any) -> list[Any]:
    if len(column) < 2:
        return [column[0] if column else default] * count
    checked(len(column) == count, f"a column has {len(column)} of {count} values")
    return list(column)


def run_values(column: Sequence[int], count: int | None = None) -> list[int]:
    """The values of (difference, length) pairs; `count` of them where that is known."""
    checked(len(column) % 2 == 0, "runs come in pairs")
    total = sum(column[1::2])
    checked(count is None or total == count, f"runs have {total} of {count} values")
    values: list[int] = []
    value = 0
    for difference, length in zip(column[::2], column[1::2]):
        checked(length > 0, "a run has no length")
        values.extend(range(value + difference, value + difference * length + 1, difference)
                      if difference > 0 else (value + difference * n for n in range(1, length + 1)))
        value += difference * length
    return values


def _plain(packed: session_pb2.PackedElements, kinds: Sequence[int], units: int) -> Columns:
    count = packed.upsert_count
    x, y = packed.origin_x, packed.origin_y
    names = _differences(packed.kinds, count)
    items = run_values(packed.item_runs, count) if packed.item_runs else [0] * count
    checked(all(0 <= kind < len(kinds) for kind in names), "a kind has no name")
    return Columns(
        slots=run_values(packed.slot_runs, count) if packed.slot_runs else [0] * count,
        categories=_differences(packed.categories, count),
        kinds=[kinds[kind] for kind in names],
        sections=_differences(packed.sections, count),
        items=items,
        xs=[(x + value) / units for value in _differences(packed.xs, count)],
        ys=[(y + value) / units for value in _differences(packed.ys, count)],
        widths=[value / units for value in _differences(packed.widths, count)],
        heights=[value / units for value in _differences(packed.heights, count)],
        zs=_differences(packed.z_indices, count),
        alphas=[value / OPAQUE for value in _values(packed.alphas, count, OPAQUE)],
        hidden=_values(packed.hidden, count, False),
        levels=_differences(packed.outline.levels, count),
        states=_differences(packed.outline.states, count),
        across=_values(packed.scrolls_across, count, False),
        keys=_keys(packed, items),
        data=_data(packed))


def _keys(packed: session_pb2.PackedElements, items: Any) -> list[str] | None:
    count = len(items)
    if not packed.section_keys:
        return _values(packed.item_keys, count, "") if packed.item_keys else None
    keys = _values(packed.item_keys, count, "")
    # Elements without an item have the key of their section.
    own = [index for index in range(count) if not items[index]]
    for index, key in zip(own, _values(packed.section_keys, len(own), "")):
        keys[index] = key
    return keys


def _data(packed: session_pb2.PackedElements) -> list[str] | None:
    return _values(packed.item_data, packed.upsert_count, "") if packed.item_data else None


# MARK: Packed, with numpy


def _array(column: Sequence[int]) -> Any:
    return numpy.fromiter(column, numpy.int64, len(column))


def _array_differences(column: Sequence[int], count: int) -> Any:
    if len(column) < 2:
        return numpy.full(count, column[0] if column else 0, numpy.int64)
    checked(len(column) == count, f"a column has {len(column)} of {count} numbers")
    return numpy.cumsum(_array(column))


def _array_values(column: Sequence[Any], count: int, default: Any, kind: Any) -> Any:
    if len(column) < 2:
        return numpy.full(count, column[0] if column else default, kind)
    checked(len(column) == count, f"a column has {len(column)} of {count} values")
    return numpy.fromiter(column, kind, count)


def _array_runs(column: Sequence[int], count: int) -> Any:
    if not column:
        return numpy.zeros(count, numpy.int64)
    checked(len(column) % 2 == 0, "runs come in pairs")
    pairs = _array(column)
    lengths = pairs[1::2]
    checked(int(lengths.min()) > 0, "a run has no length")
    total = int(lengths.sum())
    checked(total == count, f"runs have {total} of {count} values")
    return numpy.cumsum(numpy.repeat(pairs[::2], lengths))


def _vectors(packed: session_pb2.PackedElements, kinds: Sequence[int], units: int) -> Columns:
    count = packed.upsert_count
    names = _array_differences(packed.kinds, count)
    items = _array_runs(packed.item_runs, count)
    checked(count == 0 or 0 <= int(names.min()) and int(names.max()) < len(kinds), "a kind has no name")
    return Columns(
        slots=_array_runs(packed.slot_runs, count),
        categories=_array_differences(packed.categories, count),
        kinds=numpy.asarray(kinds, numpy.int64)[names],
        sections=_array_differences(packed.sections, count),
        items=items,
        xs=(_array_differences(packed.xs, count) + packed.origin_x) / units,
        ys=(_array_differences(packed.ys, count) + packed.origin_y) / units,
        widths=_array_differences(packed.widths, count) / units,
        heights=_array_differences(packed.heights, count) / units,
        zs=_array_differences(packed.z_indices, count),
        alphas=_array_values(packed.alphas, count, OPAQUE, numpy.int64) / OPAQUE,
        hidden=_array_values(packed.hidden, count, False, numpy.bool_),
        levels=_array_differences(packed.outline.levels, count),
        states=_array_differences(packed.outline.states, count),
        across=_array_values(packed.scrolls_across, count, False, numpy.bool_),
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
    return _vectors(packed, kinds, units) if vectors else _plain(packed, kinds, units)


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
    return Columns(*values)


def _row(element: session_pb2.LayoutElement, number: Callable[[str], int]) -> tuple[Any, ...]:
    key, attributes = element.key, element.attributes
    path, frame = key.index_path, attributes.frame
    return (
        element.slot, key.category, number(key.kind), path.section,
        path.item + 1 if path.HasField("item") else 0, frame.x, frame.y, frame.width, frame.height,
        attributes.z_index, attributes.alpha if attributes.HasField("alpha") else 1.0,
        attributes.hidden, element.outline.level, element.outline.state, element.scrolls_across)


def index_shifts(packed: session_pb2.PackedElements) -> Iterator[tuple[int, int, int, int]]:
    """(first slot, number of slots, section shift, item shift), run after run."""
    column = packed.index_shift_runs
    checked(len(column) % 4 == 0, "index shifts come in fours")
    last = 0
    for difference, count, section, item in zip(*(column[start::4] for start in range(4))):
        checked(count > 0, "an index shift has no slots")
        first = last + difference
        yield first, count, section, item
        last = first + count - 1
