# SPDX-License-Identifier: Apache-2.0
"""What providers are asked to place, and what they answered: all of it, or only what a change moved."""

from __future__ import annotations

import collections
import dataclasses
import math
import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from collection_layout._numpy import numpy
from collection_layout.v1 import geometry_pb2, layout_provider_pb2

# Elements of one message: about 256 KiB.
_CHUNK = 4096

# Items of all answers that are remembered.
_MOST_ITEMS = 4_000_000

_COLUMNS = ("x", "y", "width", "height", "z", "alpha")


@dataclasses.dataclass
class Items:
    """All items, section after section, column by column: arrays of numpy's where it is installed, lists
    otherwise. NaN = the data gives no number."""

    section: Any
    """The index of each item's section."""
    index: Any
    """The index of each item in its section."""
    width: Any
    """In points."""
    height: Any
    """In points."""
    x: Any
    """The data's coordinates, which layouts may use as they like."""
    y: Any
    """The other coordinate."""
    kind: list[str]
    """The reuse kind of each item; "" = the unnamed one."""
    key: list[str]
    """The key of each item; "" = it has none."""
    section_keys: list[str]
    """The key of each section; "" = it has none."""
    section_counts: list[int]
    """How many items each section has."""

    def __len__(self) -> int:
        return len(self.kind)


@dataclasses.dataclass
class Change:
    """Where items and sections were before."""

    items: list[int] = dataclasses.field(default_factory=list)
    """For each item its number in the order of all items; -1 = it is new or has new values."""
    sections: list[int] = dataclasses.field(default_factory=list)
    """For each section its index; -1 = it is new."""


class TooMany(Exception):
    """A call has more items or sections than are taken."""


def collect(
    start: Any, requests: Iterator[Any], most: int, old: Items | None = None,
) -> tuple[Items, Change]:
    """All items of a call.

    Args:
        most: of items, and of sections; more are `TooMany`.
        old: the items that a change began with.

    Raises:
        ValueError: what is wrong with the request.
    """
    names = list(start.cell_kind_names) or [""]
    numbers: dict[str, list[float]] = {"widths": [], "heights": [], "xs": [], "ys": []}
    items = Items([], [], [], [], [], [], [], [], [], [])
    change = Change()
    known = _Lists(old) if old is not None else None
    for request in requests:
        part = request.WhichOneof("part")
        if part == "section":
            section = request.section
            if known is not None:
                change.sections.append(section.was if section.HasField("was") else -1)
                section = section.header
            items.section_keys.append(section.key)
            items.section_counts.append(0)
            if len(items.section_counts) > most:
                raise TooMany(f"more than {most} sections came")
            continue
        if part not in ("items", "kept") or not items.section_counts or (part == "kept" and known is None):
            raise ValueError("a request has a part that is unknown or out of place")
        count = request.kept.count if part == "kept" else request.items.count
        if len(items.kind) + count > most:
            raise TooMany(f"{len(items.kind) + count} items came; at most {most} are allowed")
        first = items.section_counts[-1]
        items.section_counts[-1] += count
        items.section.extend([len(items.section_counts) - 1] * count)
        items.index.extend(range(first, first + count))
        if part == "kept" and known is not None:
            run = known.run(request.kept)
            change.items.extend(run)
            span = slice(run.start, run.stop)
            for name, column in known.numbers.items():
                numbers[name].extend(column[span])
            items.kind.extend(known.items.kind[span])
            items.key.extend(known.items.key[span])
            continue
        block = request.items
        change.items.extend([-1] * count)
        for name in ("widths", "heights", "xs", "ys", "cell_kinds", "keys"):
            if 1 < len(getattr(block, name)) != count:
                raise ValueError(f"items.{name} has {len(getattr(block, name))} values for {count} items")
        for name, column in numbers.items():
            column.extend(_spread(getattr(block, name), count, math.nan))
        if max(block.cell_kinds, default=0) >= len(names):
            raise ValueError(f"items.cell_kinds has {max(block.cell_kinds)}; there are {len(names)} names")
        items.kind.extend(names[kind] for kind in _spread(block.cell_kinds, count, 0))
        items.key.extend(_spread(block.keys, count, ""))
    columns = [items.section, items.index, *numbers.values()]
    if numpy is not None:
        columns = [numpy.asarray(column) for column in columns]
    items.section, items.index, items.width, items.height, items.x, items.y = columns
    return items, change


class _Lists:
    """Items whose runs are looked up."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.numbers = {
            "widths": _list(items.width), "heights": _list(items.height),
            "xs": _list(items.x), "ys": _list(items.y)}
        self._starts = _starts(items)

    def run(self, kept: Any) -> range:
        counts = self.items.section_counts
        had = counts[kept.section] if kept.section < len(counts) else 0
        if kept.count < 1 or kept.first + kept.count > had:
            raise ValueError(
                f"kept has {kept.count} items from {kept.first} on of section {kept.section}; it had {had}")
        first = self._starts[kept.section] + kept.first
        return range(first, first + kept.count)


class Answer:
    """What was placed, column by column."""

    def __init__(
        self, items: Items, placed: Any, layout: str, kinds: Sequence[str] = (),
    ) -> None:
        self.items = items
        self.placed = placed
        self.layout = layout
        self.columns = [_column(getattr(placed, name), len(items), name) for name in _COLUMNS]
        self.columns[4] = [int(z) for z in self.columns[4]]
        self.kinds = list(dict.fromkeys([*kinds, *(other.kind for other in placed.others)]))
        width, height = placed.content or (
            max(map(sum, zip(self.columns[0], self.columns[2])), default=0),
            max(map(sum, zip(self.columns[1], self.columns[3])), default=0))
        self.content_size = geometry_pb2.Size(width=max(0, width), height=max(0, height))

    @property
    def element_count(self) -> int:
        return len(self.items) + len(self.placed.others)

    def cells(self, ordinals: Sequence[int]) -> Iterator[Any]:
        sections, indices = _list(self.items.section), _list(self.items.index)
        for part in _parts(ordinals):
            xs, ys, widths, heights, zs, alphas = (
                [column[ordinal] for ordinal in part] for column in self.columns)
            yield layout_provider_pb2.PlacedElements(
                count=len(part),
                sections=[sections[ordinal] for ordinal in part],
                items=[indices[ordinal] for ordinal in part],
                xs=xs, ys=ys, widths=widths, heights=heights, z_indices=zs, alphas=alphas,
            )

    def others(self, others: Sequence[Any]) -> Iterator[Any]:
        for part in _parts(others):
            yield layout_provider_pb2.PlacedElements(
                count=len(part),
                xs=[other.x for other in part],
                ys=[other.y for other in part],
                widths=[other.width for other in part],
                heights=[other.height for other in part],
                z_indices=[other.z for other in part],
                alphas=[other.alpha for other in part],
                **self._places([_place(other) for other in part]),
            )

    def _places(self, places: Sequence[tuple[bool, str, int, int]]) -> dict[str, Any]:
        numbers = {kind: number for number, kind in enumerate(self.kinds)}
        return {
            "categories": [3 if place[0] else 2 for place in places],
            "kinds": [numbers[place[1]] for place in places],
            "sections": [place[2] for place in places],
            "items": [place[3] for place in places],
        }

    def removed(self, places: Sequence[tuple[bool, str, int, int]]) -> Iterator[Any]:
        for part in _parts(places):
            yield layout_provider_pb2.RemovedElements(count=len(part), **self._places(part))


class Memory:
    """The last answers, by their cookies."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._answers: collections.OrderedDict[bytes, Answer] = collections.OrderedDict()

    def add(self, answer: Answer) -> bytes:
        """Remembers an answer, and gives it a cookie; b"" = it is not remembered."""
        if self._most <= 0 or answer.element_count > _MOST_ITEMS:
            return b""
        cookie = uuid.uuid4().bytes
        with self._lock:
            self._answers[cookie] = answer
            while (len(self._answers) > self._most
                   or sum(each.element_count for each in self._answers.values()) > _MOST_ITEMS):
                self._answers.popitem(last=False)
        return cookie

    def get(self, cookie: bytes) -> Answer | None:
        with self._lock:
            if cookie in self._answers:
                self._answers.move_to_end(cookie)
            return self._answers.get(cookie)


def responses(answer: Answer, cookie: bytes) -> Iterator[Any]:
    """All that was placed."""
    for elements in answer.cells(range(len(answer.items))):
        yield layout_provider_pb2.PrepareLayoutResponse(elements=elements)
    for elements in answer.others(answer.placed.others):
        yield layout_provider_pb2.PrepareLayoutResponse(elements=elements)
    yield layout_provider_pb2.PrepareLayoutResponse(
        end=layout_provider_pb2.PrepareLayoutEnd(
            content_size=answer.content_size,
            element_count=answer.element_count,
            kind_names=answer.kinds,
            cookie=cookie,
        ))


def update_responses(
    answer: Answer, before: Answer, change: Change, cookie: bytes,
) -> Iterator[Any]:
    """What is placed elsewhere than before a change."""
    for elements in answer.cells(_moved(answer, before, change.items)):
        yield layout_provider_pb2.UpdatePlacementResponse(elements=elements)
    stays = _staying(answer, before, change)
    placed = {_place(other): other for other in answer.placed.others}
    new = [other for place, other in placed.items()
           if place not in stays or _values(stays[place]) != _values(other)]
    for elements in answer.others(new):
        yield layout_provider_pb2.UpdatePlacementResponse(elements=elements)
    for removed in answer.removed([place for place in stays if place not in placed]):
        yield layout_provider_pb2.UpdatePlacementResponse(removed=removed)
    yield layout_provider_pb2.UpdatePlacementResponse(
        end=layout_provider_pb2.UpdatePlacementEnd(
            content_size=answer.content_size,
            element_count=answer.element_count,
            kind_names=answer.kinds,
            cookie=cookie,
        ))


def _moved(answer: Answer, before: Answer, was: list[int]) -> list[int]:
    """The numbers of items whose cells are new or elsewhere."""
    if numpy is None or not before.columns[0]:
        return [number for number, old in enumerate(was)
                if old < 0 or any(now[number] != then[old]
                                  for now, then in zip(answer.columns, before.columns))]
    old = numpy.asarray(was, dtype=numpy.int64)
    moved = old < 0
    for now, then in zip(answer.columns, before.columns):
        moved |= numpy.asarray(now) != numpy.asarray(then)[old]
    return [int(number) for number in numpy.flatnonzero(moved)]


def _staying(answer: Answer, before: Answer, change: Change) -> dict[tuple[bool, str, int, int], Any]:
    """Elements that are no cells and stay unless something else is said, by their places now."""
    sections = {was: now for now, was in enumerate(change.sections) if was >= 0}
    ordinals = {was: now for now, was in enumerate(change.items) if was >= 0}
    starts = _starts(before.items)
    now_sections, now_items = _list(answer.items.section), _list(answer.items.index)
    stays = {}
    for other in before.placed.others:
        if other.item < 0:
            section, item = sections.get(other.section, -1), -1
        else:
            now = ordinals.get(starts[other.section] + other.item, -1)
            section, item = (now_sections[now], now_items[now]) if now >= 0 else (-1, -1)
        if section >= 0:
            stays[(other.decoration, other.kind, section, item)] = other
    return stays


def _place(other: Any) -> tuple[bool, str, int, int]:
    return (other.decoration, other.kind, other.section, other.item)


def _values(other: Any) -> tuple[Any, ...]:
    return (other.x, other.y, other.width, other.height, other.z, other.alpha)


def _parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for first in range(0, len(values), _CHUNK):
        yield values[first:first + _CHUNK]


def _starts(items: Items) -> list[int]:
    """The number of the first item of each section."""
    starts = [0]
    for count in items.section_counts:
        starts.append(starts[-1] + count)
    return starts


def _list(column: Any) -> list[Any]:
    values: list[Any] = column.tolist() if hasattr(column, "tolist") else column
    return values


def _spread(column: Sequence[Any], count: int, other: Any) -> list[Any]:
    values = list(column) or [other]
    return values * count if len(values) == 1 else values


def _column(column: Any, count: int, name: str) -> list[Any]:
    if isinstance(column, (int, float)):
        return [column] * count
    values = _list(column)
    if isinstance(values, (int, float)):
        # What numpy makes of one number.
        return [values] * count
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} values for {count} items")
    return list(values)
