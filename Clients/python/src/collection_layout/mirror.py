# SPDX-License-Identifier: Apache-2.0
"""The elements that the server says are live, kept up to date by frames."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from collection_layout._numpy import numpy
from collection_layout._packed import (
    MOST_ELEMENTS, Columns, checked, count_runs, index_shifts, message_columns, packed_columns,
    run_values)
from collection_layout._parts import FrameParts
from collection_layout._svg import drawing
from collection_layout._table import MOST_KINDS, make_table, numbered, saved_entries
from collection_layout.errors import FrameError
from collection_layout.v1 import attributes_pb2, layouts_pb2, session_pb2

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    # Without numpy, columns are lists of the same numbers.
    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]
    Booleans = npt.NDArray[np.bool_]

CATEGORIES = ("", "cell", "supplementary", "decoration")


class Rect(NamedTuple):
    """An area, in points."""

    x: float
    y: float
    width: float
    height: float


class Element(NamedTuple):
    """One element. Lengths are in points, and the origin is the upper left corner of the content."""

    #: A small number that the element keeps while it lives: for recycling views.
    slot: int
    #: "cell", "supplementary" or "decoration".
    category: str
    #: Of a cell its reuse kind, of others the element kind, such as "header".
    kind: str
    #: The index of its section.
    section: int
    #: The index of its item within the section; None = it belongs to the section.
    item: int | None
    #: The key of its item, or of its section if it belongs to that; empty = none.
    key: str
    #: Where it is, before its transform.
    frame: Rect
    #: Higher is nearer to the viewer.
    z: int
    #: Opacity, 0 to 1.
    alpha: float
    #: Whether it is not shown.
    hidden: bool
    #: How many ancestors it has in an outline.
    level: int
    #: In an outline, whether it is expanded; None = it cannot be.
    expanded: bool | None
    #: Whether it is where it is at offset 0 of its section, which the client scrolls
    #: (`Frame.section_scrolls`), or effects follow the axis across the content's.
    scrolls_across: bool
    #: All that the server said where that is more than the above, such as a transform; else None.
    message: session_pb2.LayoutElement | None
    #: What its item carries for renderers, where the capability `item_data` asks for it; empty = nothing.
    data: str = ""

    def to_message(self) -> session_pb2.LayoutElement:
        """The element as a message of the protocol, in whichever encoding it came."""
        result = session_pb2.LayoutElement()
        if self.message is not None:
            result.CopyFrom(self.message)
            return result
        result.slot, result.scrolls_across = self.slot, self.scrolls_across
        if self.item is None:
            result.section_key = self.key
        else:
            result.item_key, result.item_data = self.key, self.data
        key, attributes = result.key, result.attributes
        key.category, key.kind = CATEGORIES.index(self.category), self.kind  # type: ignore[assignment]
        key.index_path.section = self.section
        if self.item is not None:
            key.index_path.item = self.item
        box = attributes.frame
        box.x, box.y, box.width, box.height = self.frame
        attributes.z_index, attributes.hidden = self.z, self.hidden
        if self.alpha < 1:
            attributes.alpha = self.alpha
        if self.level or self.expanded is not None:
            result.outline.level = self.level
            result.outline.state = _outline_state(self.expanded)
        return result


def _outline_state(expanded: bool | None) -> attributes_pb2.OutlineState:
    if expanded is None:
        return attributes_pb2.OUTLINE_STATE_UNSPECIFIED
    return attributes_pb2.OUTLINE_STATE_EXPANDED if expanded else attributes_pb2.OUTLINE_STATE_COLLAPSED


class Elements:
    """Elements at one moment, in order of their slots.

    Columns are numpy arrays where numpy is installed, and lists otherwise. As a sequence it has
    `Element`s, which are made one by one and so are slower.
    """

    def __init__(
            self, columns: Columns, kind_names: list[str],
            messages: dict[int, session_pb2.LayoutElement], viewport: Rect) -> None:
        self._columns, self._kind_names, self._messages = columns, kind_names, messages
        #: What is in sight, in content coordinates.
        self.viewport = viewport
        self.slot: Integers = columns.slots
        #: 1 = cell, 2 = supplementary, 3 = decoration.
        self.category: Integers = columns.categories
        self.section: Integers = columns.sections
        #: The index of the item within its section; -1 = the element belongs to the section.
        items: Any = columns.items
        self.item: Integers = (
            items - 1 if hasattr(items, "dtype") else cast(Any, [item - 1 for item in items]))
        #: Left edges, in points.
        self.x: Floats = columns.xs
        #: Upper edges, in points.
        self.y: Floats = columns.ys
        #: In points.
        self.width: Floats = columns.widths
        #: In points.
        self.height: Floats = columns.heights
        self.z: Integers = columns.zs
        #: Opacity, 0 to 1.
        self.alpha: Floats = columns.alphas
        self.hidden: Booleans = columns.hidden
        #: As `Element.scrolls_across`.
        self.scrolls_across: Booleans = columns.across

    @property
    def kind(self) -> list[str]:
        """The kinds of the elements, as text."""
        return [self._kind_names[kind] for kind in self._columns.kinds]

    @property
    def key(self) -> list[str]:
        """The keys of the elements' items, and of sections for their own elements; "" = none."""
        return self._columns.keys or [""] * len(self)

    @property
    def data(self) -> list[str]:
        """What the elements' items carry for renderers, where the capability `item_data` asks for it."""
        return self._columns.data or [""] * len(self)

    def __len__(self) -> int:
        return len(self._columns.slots)

    def __getitem__(self, index: int) -> Element:
        columns = self._columns
        item, state = int(columns.items[index]), int(columns.states[index])
        slot = int(columns.slots[index])
        return Element(
            slot=slot,
            category=CATEGORIES[int(columns.categories[index])],
            kind=self._kind_names[int(columns.kinds[index])],
            section=int(columns.sections[index]),
            item=item - 1 if item else None,
            key=columns.keys[index] if columns.keys else "",
            frame=Rect(float(columns.xs[index]), float(columns.ys[index]),
                       float(columns.widths[index]), float(columns.heights[index])),
            z=int(columns.zs[index]),
            alpha=float(columns.alphas[index]),
            hidden=bool(columns.hidden[index]),
            level=int(columns.levels[index]),
            expanded=None if state == attributes_pb2.OUTLINE_STATE_UNSPECIFIED
            else state == attributes_pb2.OUTLINE_STATE_EXPANDED,
            scrolls_across=bool(columns.across[index]),
            message=self._messages.get(slot),
            data=columns.data[index] if columns.data else "")

    def __iter__(self) -> Iterator[Element]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} elements>"

    def svg(self, width: float = 640) -> str:
        """A drawing of what is in sight, as SVG, at most `width` pixels wide."""
        return drawing(self, self.viewport, width)

    def _repr_html_(self) -> str:
        return self.svg()


@dataclasses.dataclass(frozen=True)
class Frame:
    """A change of the elements: what the server sent since the frame before, merged into one."""

    #: The server's number of the newest frame in it.
    seq: int
    #: The version of the data that it shows.
    data_version: int
    #: Grows when geometry may differ for the same data.
    layout_version: int
    #: Whether all elements were sent anew.
    keyframe: bool
    #: Slots whose elements are new or have changed.
    changed: list[int]
    #: Slots that are empty now.
    removed: list[int]
    #: Added to the scroll offset already, so that what is anchored does not jump.
    adjustment: tuple[float, float]
    #: The scroll offset after the adjustment.
    offset: tuple[float, float]
    #: Width and height of the content.
    content_size: tuple[float, float]
    #: The elements are complete within it.
    coverage: Rect
    #: Whether each scroll step has to be reported, not only those that near the edge of `coverage`.
    every_scroll: bool
    #: Where animated elements come from and go to; None = the change is not animated.
    transition: session_pb2.Transition | None
    #: What the client applies itself, where its capabilities say that it does.
    scroll_effects: layouts_pb2.ScrollEffects
    #: The sections that scroll across the content, where the capability `section_scrolls` asks for them.
    section_scrolls: session_pb2.SectionScrolls
    #: The newest event such that the frame reflects it and all before it.
    applied_event: int
    #: How many frames of the server were merged into it.
    merged: int
    #: All elements after it.
    elements: Elements

    def _repr_html_(self) -> str:
        return self.elements.svg()


class _News:
    """What happened since the last frame that was handed out, or in one frame."""

    def __init__(self) -> None:
        self.changed: set[int] = set()
        self.removed: set[int] = set()
        self.added: set[int] = set()
        self.adjustment = (0.0, 0.0)
        self.transition: session_pb2.Transition | None = None
        self.keyframe = False
        self.frames = 0

    def remove(self, slots: Collection[int]) -> None:
        empty = set(slots)
        self.changed -= empty
        self.removed |= empty - self.added
        self.added -= empty

    def put(self, slots: Collection[int], live: set[int]) -> None:
        put = set(slots)
        self._note(put, put - live)

    def add(self, news: _News) -> None:
        """What happened after it."""
        self.remove(news.removed)
        self._note(news.changed, news.added)
        self.adjustment = self.adjustment[0] + news.adjustment[0], self.adjustment[1] + news.adjustment[1]
        self.transition = news.transition
        self.keyframe |= news.keyframe
        self.frames += news.frames

    def _note(self, changed: set[int], added: set[int]) -> None:
        self.added |= added - self.removed
        self.removed -= changed
        self.changed |= changed


class _Reading:
    """What the parts of a frame say, while nothing of it is applied."""

    def __init__(
            self, names: list[str], numbers: dict[str, int], frame_kinds: list[int], shiftable: int) -> None:
        self.names, self.numbers = names, numbers
        # How many elements may still be shifted: those before the frame, each once.
        self.shiftable = shiftable
        # What `kinds` in columns refers to, as numbers of the names.
        self.frame_kinds = frame_kinds
        # Of each part.
        self.columns: list[list[Columns]] = []

    def numbered(self, kinds: Any) -> list[int]:
        return numbered(kinds, self.numbers, self.names)


def _check_header(part: session_pb2.LayoutFrame) -> None:
    """Checks the numbers of a part that belong to no element."""
    size, box, offset = part.content_size, part.coverage, part.content_offset_adjustment
    numbers = size.width, size.height, box.x, box.y, box.width, box.height, offset.x, offset.y
    checked(all(map(math.isfinite, numbers)),
            "the size of the content, the coverage or the adjustment of the offset is not finite")


def _numbers(column: Any) -> list[int]:
    """A column as a list."""
    found: list[int] = column.tolist() if hasattr(column, "tolist") else column
    return found


#: What a frame replaces as a whole; the rest of what it changes is in the entries of the first three.
_REPLACED = ("_table", "_live", "_messages", "_kind_names", "_kind_numbers", "_frame_kinds", "content_size",
             "coverage", "scroll_effects", "section_scrolls")


class Mirror:
    """Applies frames of either encoding, and compares the checksum of each.

    All numbers of a frame are read and checked before any of them is applied, and a frame that turns out not to
    fit is taken back: nothing of it is ever seen. `units` of 0 are 64, and
    `vectors=False` does without numpy where it is installed.
    """

    def __init__(self, units: int = 64, vectors: bool = numpy is not None) -> None:
        self._vectors = vectors
        self._kind_names: list[str] = []
        self._kind_numbers: dict[str, int] = {}
        self._news = _News()
        self._live: set[int] = set()
        # What the frame that is being applied changes, and what takes that back; None = nothing has to.
        self._frame_news = _News()
        self._undo: list[Callable[[], None]] | None = None
        self.reset(units)

    def reset(self, units: int) -> None:
        """Forgets everything, for a new session with so many units to a point."""
        # Who shows the elements of the old session learns that they are gone with the next frame.
        self._news.remove(sorted(self._live))
        self._units = units or 64
        self._table = make_table(self._kind_names, self._units, self._vectors)
        self._live = set()
        self._messages: dict[int, session_pb2.LayoutElement] = {}
        self._frame_kinds: list[int] = []
        self.forget_parts()
        # Whether a frame was refused, and none applied since.
        self._lags = False
        #: The newest frame that was applied; 0 = none.
        self.frame_seq = 0
        #: The version of the data that the elements show.
        self.data_version = 0
        #: The version of the geometry.
        self.layout_version = 0
        #: The newest event that the elements reflect.
        self.applied_event = 0
        #: Width and height of the content.
        self.content_size = (0.0, 0.0)
        #: The elements are complete within it.
        self.coverage = Rect(0, 0, 0, 0)
        #: Whether each scroll step has to be reported.
        self.every_scroll = False
        #: What the client applies itself, where its capabilities say that it does.
        self.scroll_effects = layouts_pb2.ScrollEffects()
        #: The sections that scroll across the content, where the capabilities ask for them.
        self.section_scrolls = session_pb2.SectionScrolls()

    def __len__(self) -> int:
        return len(self._live)

    def checksum(self) -> int:
        """The checksum of the live elements."""
        return self._table.checksum()

    def compare(self, heartbeat: session_pb2.Heartbeat) -> None:
        """Takes note of what elements the server believes to be here.

        Where a frame was refused and its stream broke, they may have become the same as before it: then the server
        has nothing to send.
        """
        if (heartbeat.HasField("state_checksum") and heartbeat.last_frame_seq == self.frame_seq
                and heartbeat.live_count == len(self) and heartbeat.state_checksum == self.checksum()):
            self._lags = False

    def resumed(self) -> None:
        """The server goes on from what is here: it has compared the checksum."""
        self._lags = False

    def forget_parts(self) -> None:
        """The rest of a frame will not come, because its stream ended."""
        self._parts = FrameParts()
        # The frame of which a part was refused; its further parts are passed over. 0 = none.
        self._refused = 0

    def apply(self, part: session_pb2.LayoutFrame) -> tuple[float, float] | None:
        """Applies a frame with its last part.

        Returns what to add to the scroll offset, or None if more parts follow. Raises FrameError; then all is as
        before the frame, further parts of it are passed over, and only a keyframe can follow.
        """
        passed_over = self._refused != 0 and self._refused == part.frame_seq
        if passed_over and part.continued:
            return None
        self._refused = 0
        if passed_over:
            return None
        try:
            self._parts.add(part)
            if part.continued:
                return None
            parts = self._parts
            self.forget_parts()
            return self._apply_all(parts, part)
        except FrameError:
            self.forget_parts()
            self._lags = True
            self._refused = part.frame_seq if part.continued else 0
            raise

    def _apply_all(
            self, frame: FrameParts, part: session_pb2.LayoutFrame) -> tuple[float, float]:
        parts = frame.parts
        checked(all(p.frame_seq == part.frame_seq for p in parts), "parts of different frames")
        is_keyframe = part.base_frame_seq == 0
        if not is_keyframe:
            checked(part.base_frame_seq == self.frame_seq,
                    f"frame {part.frame_seq} follows {part.base_frame_seq}, not {self.frame_seq}")
        reading = _Reading(
            self._kind_names, self._kind_numbers, [] if is_keyframe else list(self._frame_kinds),
            0 if is_keyframe else len(self._live))
        if is_keyframe and len(reading.names) > MOST_KINDS:
            # What was handed out keeps the old ones.
            reading.names, reading.numbers = [], {}
        for each in parts:
            _check_header(each)
            self._read(each, frame, reading)
        before = {name: getattr(self, name) for name in _REPLACED}
        # A keyframe leaves the elements before it alone.
        self._frame_news, self._undo = _News(), None if is_keyframe else []
        try:
            if is_keyframe:
                self._begin_keyframe(reading)
            self._frame_kinds = reading.frame_kinds
            self._apply_parts(parts, reading)
            self._end(part)
        except BaseException:
            for put_back in reversed(self._undo or []):
                put_back()
            for name, value in before.items():
                setattr(self, name, value)
            raise
        finally:
            self._undo = None
        return part.content_offset_adjustment.x, part.content_offset_adjustment.y

    def _apply_parts(self, parts: list[session_pb2.LayoutFrame], reading: _Reading) -> None:
        for each, columns in zip(parts, reading.columns):
            self._apply_elements(each, columns)
            if each.HasField("content_size"):
                self.content_size = each.content_size.width, each.content_size.height
            if each.HasField("coverage"):
                box = each.coverage
                self.coverage = Rect(box.x, box.y, box.width, box.height)
            if each.HasField("scroll_effects"):
                self.scroll_effects = each.scroll_effects
            if each.HasField("section_scrolls"):
                self.section_scrolls = each.section_scrolls

    def _begin_keyframe(self, reading: _Reading) -> None:
        self._frame_news.remove(self._live)
        self._frame_news.keyframe = True
        self._kind_names, self._kind_numbers = reading.names, reading.numbers
        self._table = make_table(self._kind_names, self._units, self._vectors, self._table)
        self._live, self._messages = set(), {}
        self.scroll_effects = layouts_pb2.ScrollEffects()
        self.section_scrolls = session_pb2.SectionScrolls()

    def _end(self, part: session_pb2.LayoutFrame) -> None:
        checked(part.live_count == len(self._live),
                f"{len(self._live)} elements instead of {part.live_count}")
        if part.HasField("state_checksum"):
            found = self.checksum()
            checked(part.state_checksum == found,
                    f"checksum {found:08x} instead of {part.state_checksum:08x}")
        self.frame_seq, self.data_version = part.frame_seq, part.data_version
        self.layout_version, self.applied_event = part.layout_version, part.applied_event_seq
        self.every_scroll = part.scroll_sensitivity == session_pb2.SCROLL_SENSITIVITY_EVERY_SCROLL
        self._lags = False
        news, offset = self._frame_news, part.content_offset_adjustment
        news.adjustment = offset.x, offset.y
        news.transition = part.transition if part.HasField("transition") else None
        news.frames = 1
        self._news.add(news)

    def _save(self, slots: Sequence[int]) -> None:
        """Before something is done to slots: notes what they have, for taking the frame back."""
        if self._undo is None or not slots:
            return
        live = self._live
        empty = set(slots) - live

        def put_back() -> None:
            live.update(slots)
            live.difference_update(empty)

        self._undo += [put_back, self._table.saved(slots), saved_entries(self._messages, slots)]

    def _read(self, part: session_pb2.LayoutFrame, frame: FrameParts, reading: _Reading) -> None:
        """Reads the elements that a part puts. Raises FrameError."""
        found = []
        if part.HasField("packed"):
            packed = part.packed
            for first, count, _, _ in index_shifts(packed):
                checked(count <= reading.shiftable,
                        f"index_shift_runs has {count} slots where {reading.shiftable} elements are left")
                reading.shiftable -= count
                frame.put(range(first, first + count))
            known, added = len(reading.frame_kinds), len(packed.kind_names)
            checked(known + added <= MOST_KINDS,
                    f"kind_names has {added} names after {known}; {MOST_KINDS} in all are allowed")
            reading.frame_kinds += reading.numbered(packed.kind_names)
            found.append(packed_columns(packed, reading.frame_kinds, self._units, self._vectors))
            upserts = packed.exceptions
        else:
            upserts = part.elements.upserts
        if upserts:
            found.append(message_columns(
                upserts, lambda kind: reading.numbered([kind])[0], self._vectors))
        for columns in found:
            frame.put(_numbers(columns.slots))
        reading.columns.append(found)

    def _apply_elements(self, part: session_pb2.LayoutFrame, columns: list[Columns]) -> None:
        if part.HasField("packed"):
            packed = part.packed
            self._check_removal("removed_slot_runs", count_runs(packed.removed_slot_runs, "removed_slot_runs"))
            self._remove(run_values(packed.removed_slot_runs, "removed_slot_runs"))
            self._shift(packed)
            upserts = packed.exceptions
        else:
            self._check_removal("removed_slots", len(part.elements.removed_slots))
            self._remove(list(part.elements.removed_slots))
            upserts = part.elements.upserts
        for each in columns:
            self._put(each)
        self._messages.update((e.slot, e) for e in upserts if _has_more(e))

    def _check_removal(self, name: str, count: int) -> None:
        checked(count <= len(self._live), f"{name} has {count} slots; there are {len(self._live)} elements")

    def _remove(self, slots: list[int]) -> None:
        self._save(slots)
        self._table.remove(slots)
        self._frame_news.remove(slots)
        self._live.difference_update(slots)
        for slot in slots:
            self._messages.pop(slot, None)

    def _shift(self, packed: session_pb2.PackedElements) -> None:
        runs = list(index_shifts(packed))
        if not runs:
            return
        slots = [slot for first, count, _, _ in runs for slot in range(first, first + count)]
        self._save(slots)
        self._table.shift(runs)
        self._frame_news.changed.update(slots)
        if not self._messages:
            return
        for first, count, section, item in runs:
            for slot in range(first, first + count):
                if slot in self._messages:
                    self._messages[slot] = _shifted(self._messages[slot], section, item)

    def _put(self, columns: Columns) -> None:
        slots = _numbers(columns.slots)
        self._save(slots)
        self._table.put(columns)
        self._frame_news.put(slots, self._live)
        self._live.update(slots)
        checked(len(self._live) <= MOST_ELEMENTS,
                f"there are {len(self._live)} elements; {MOST_ELEMENTS} are allowed")
        if self._messages:
            for slot in slots:
                self._messages.pop(slot, None)

    @property
    def has_news(self) -> bool:
        """Whether a frame has been applied since the last one that was handed out."""
        return self._news.frames > 0

    @property
    def is_current(self) -> bool:
        """Whether there was a frame, and the newest one was applied; after one that was refused a keyframe follows."""
        return self.frame_seq != 0 and not self._lags

    def elements(self, viewport: Rect | None = None) -> Elements:
        """A copy of the live elements."""
        return Elements(
            self._table.columns(), self._kind_names, dict(self._messages), viewport or self.coverage)

    def note_adjustment(self, x: float, y: float) -> None:
        """Adds to what the next frame says was added to the scroll offset."""
        before = self._news.adjustment
        self._news.adjustment = (before[0] + x, before[1] + y)

    def take_frame(self, viewport: Rect) -> Frame:
        """What was applied since the last frame that was handed out, as one frame."""
        news, self._news = self._news, _News()
        return Frame(
            seq=self.frame_seq, data_version=self.data_version, layout_version=self.layout_version,
            keyframe=news.keyframe, changed=sorted(news.changed), removed=sorted(news.removed),
            adjustment=news.adjustment, offset=(viewport.x, viewport.y),
            content_size=self.content_size, coverage=self.coverage, every_scroll=self.every_scroll,
            transition=news.transition, scroll_effects=self.scroll_effects,
            section_scrolls=self.section_scrolls,
            applied_event=self.applied_event, merged=news.frames, elements=self.elements(viewport))


def _shifted(element: session_pb2.LayoutElement, section: int, item: int) -> session_pb2.LayoutElement:
    """A copy at another index path: the element itself may have been handed out."""
    result = session_pb2.LayoutElement()
    result.CopyFrom(element)
    path = result.key.index_path
    path.section += section
    if path.HasField("item"):
        path.item += item
    return result


def _has_more(element: session_pb2.LayoutElement) -> bool:
    """Whether the columns do not hold all of an element."""
    attributes = element.attributes
    return (attributes.HasField("transform") or attributes.HasField("custom")
            or element.HasField("pin") or element.scrolls_across)
