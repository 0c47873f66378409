# SPDX-License-Identifier: Apache-2.0
"""The live elements by slot, in numpy arrays or in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from collection_layout._checksum import MASK, column_hashes, element_hash, kind_hash
from collection_layout._numpy import numpy
from collection_layout._packed import MOST_INDEX, MOST_KIND_BYTES, Columns, checked

# The server gives small numbers, and takes freed ones again. So a server cannot fill the memory.
MOST_SLOTS = 1 << 21
# So many kinds a server can name from one keyframe to the next; so many are kept beyond it.
MOST_KINDS = 1 << 16


V = TypeVar("V")
# First slot, number of slots, what is added to the section, and to the item.
Shift = tuple[int, int, int, int]


class Table(Protocol):
    """What both tables can do. Errors are FrameError."""

    kind_names: list[str]

    def saved(self, slots: Sequence[int]) -> Callable[[], None]:
        """Notes what slots have, with or without an element; the result puts it back."""

    def remove(self, slots: Iterable[int]) -> None:
        """Empties slots, each of which must have an element."""

    def shift(self, runs: Sequence[Shift]) -> None:
        """Adds to the index paths of slots, each of which must have an element and be there once."""

    def put(self, columns: Columns) -> None:
        """Puts elements into their slots."""

    def live(self) -> list[int]:
        """The slots that have elements, in rising order."""

    def count(self) -> int:
        """How many elements there are."""

    def checksum(self) -> int:
        """The sum of the elements' hashes, of 32 bits."""

    def columns(self) -> Columns:
        """Copies of the live elements, in order of their slots."""


def _keep(held: dict[int, str], slots: Sequence[int], texts: list[str] | None) -> None:
    """Keeps the texts of slots, and forgets those of slots that have none."""
    if texts:
        held.update(zip(slots, texts))
    elif held:
        for slot in slots:
            held.pop(slot, None)


def saved_entries(held: dict[int, V], slots: Sequence[int]) -> Callable[[], None]:
    """Notes what a dictionary has for slots; the result puts it back."""
    if not held:
        return held.clear
    before = [(slot, held.get(slot)) for slot in slots]

    def put_back() -> None:
        for slot, value in before:
            if value is None:
                held.pop(slot, None)
            else:
                held[slot] = value

    return put_back


def _kept(held: dict[int, str], slots: Sequence[int]) -> list[str] | None:
    """The texts of slots; None = nothing has any."""
    return [held.get(slot, "") for slot in slots] if held else None


class PlainTable:
    """Elements as tuples in a dictionary."""

    def __init__(self, kind_names: list[str], units: int) -> None:
        self.kind_names, self.units = kind_names, units
        self._rows: dict[int, tuple[Any, ...]] = {}
        self._keys: dict[int, str] = {}
        self._data: dict[int, str] = {}
        self._hashes: dict[int, int] = {}

    def saved(self, slots: Sequence[int]) -> Callable[[], None]:
        held: list[dict[int, Any]] = [self._rows, self._keys, self._data, self._hashes]
        before = [saved_entries(each, slots) for each in held]

        def put_back() -> None:
            for each in before:
                each()

        return put_back

    def remove(self, slots: Iterable[int]) -> None:
        for slot in slots:
            checked(slot in self._rows, f"slot {slot} is removed and has no element")
            del self._rows[slot], self._hashes[slot]
            self._keys.pop(slot, None)
            self._data.pop(slot, None)

    def shift(self, runs: Sequence[Shift]) -> None:
        for first, count, section, item in runs:
            for slot in range(first, first + count):
                self._shift(slot, section, item)

    def _shift(self, slot: int, section: int, item: int) -> None:
        checked(slot in self._rows, f"slot {slot} is shifted and has no element")
        row = self._rows[slot]
        # A section's element has no item, and stays without.
        moved = row[3] + item if row[3] else 0
        checked(0 <= row[2] + section <= MOST_INDEX and (row[3] > 0) <= moved <= MOST_INDEX,
                f"slot {slot} is shifted to no index path")
        self._put(slot, (*row[:2], row[2] + section, moved, *row[4:]))

    def put(self, columns: Columns) -> None:
        for slot, row in zip(columns.slots, zip(*columns.geometry())):
            checked(0 <= slot < MOST_SLOTS, f"slot {slot} is out of range")
            self._put(slot, row)
        _keep(self._keys, columns.slots, columns.keys)
        _keep(self._data, columns.slots, columns.data)

    def _put(self, slot: int, row: tuple[Any, ...]) -> None:
        category, kind, section, item, x, y, width, height, z, alpha, hidden = row[:11]
        # First what can go wrong.
        self._hashes[slot] = element_hash(
            category, self.kind_names[kind], section, item, x, y, width, height, z, alpha, hidden,
            self.units)
        self._rows[slot] = row

    def live(self) -> list[int]:
        return sorted(self._rows)

    def count(self) -> int:
        return len(self._rows)

    def checksum(self) -> int:
        return sum(self._hashes.values()) & MASK

    def columns(self) -> Columns:
        slots = self.live()
        rows = [self._rows[slot] for slot in slots]
        lists = [list(column) for column in zip(*rows)] if rows else [[] for _ in range(14)]
        values: Any = (slots, *lists, _kept(self._keys, slots), _kept(self._data, slots))
        return Columns(*values)


class ArrayTable:
    """Elements in numpy arrays, indexed by slot, which grow by doubling."""

    def __init__(self, kind_names: list[str], units: int, before: Table | None = None) -> None:
        self.kind_names, self.units = kind_names, units
        # Of the kinds that were hashed already.
        self._kind_hashes = numpy.zeros(0, numpy.int64)
        if isinstance(before, ArrayTable) and before.kind_names is kind_names:
            self._kind_hashes = before._kind_hashes
        self._live = numpy.zeros(0, numpy.bool_)
        self._hashes = numpy.zeros(0, numpy.uint64)
        self._columns = [
            numpy.zeros(0, kind) for kind in (
                *[numpy.int64] * 4, *[numpy.float64] * 4, numpy.int64, numpy.float64, numpy.bool_,
                numpy.int64, numpy.int64, numpy.bool_)]
        self._keys: dict[int, str] = {}
        self._data: dict[int, str] = {}

    def saved(self, slots: Sequence[int]) -> Callable[[], None]:
        size, given = len(self._live), numpy.asarray(slots, numpy.int64)
        # What is beyond the end is empty.
        known = given[(given >= 0) & (given < size)]
        live, hashes = self._live[known], self._hashes[known]
        columns = [column[known] for column in self._columns]
        texts = [saved_entries(held, slots) for held in (self._keys, self._data)]

        def put_back() -> None:
            self._live[size:] = False
            self._live[known], self._hashes[known] = live, hashes
            for column, values in zip(self._columns, columns):
                column[known] = values
            for each in texts:
                each()

        return put_back

    def _grow(self, slots: int) -> None:
        old = len(self._live)
        if slots <= old:
            return
        checked(slots <= MOST_SLOTS, f"slot {slots - 1} is out of range")
        size = max(64, slots, old * 2)

        def grown(column: Any) -> Any:
            return numpy.concatenate([column, numpy.zeros(size - old, column.dtype)])

        self._live, self._hashes = grown(self._live), grown(self._hashes)
        self._columns = [grown(column) for column in self._columns]

    def _check_live(self, slots: Any, what: str) -> None:
        checked(
            len(slots) == 0 or 0 <= int(slots.min()) and int(slots.max()) < len(self._live)
            and bool(self._live[slots].all()), f"a slot is {what} and has no element")

    def remove(self, slots: Iterable[int]) -> None:
        empty = numpy.fromiter(slots, numpy.int64)
        self._check_live(empty, "removed")
        # Where one is named twice, the second finds none.
        checked(len(numpy.unique(empty)) == len(empty), "a slot is removed and has no element")
        self._live[empty] = False
        for held in (self._keys, self._data):
            if held:
                for slot in empty.tolist():
                    held.pop(slot, None)

    def shift(self, runs: Sequence[Shift]) -> None:
        firsts, counts, section, item = numpy.array(runs, numpy.int64).reshape(-1, 4).T
        ends = numpy.cumsum(counts)
        slots = numpy.repeat(firsts - ends + counts, counts) + numpy.arange(ends[-1] if len(ends) else 0)
        self._check_live(slots, "shifted")
        sections, items = self._columns[2][slots] + numpy.repeat(section, counts), self._columns[3][slots]
        # A section's element has no item, and stays without.
        moved = numpy.where(items > 0, items + numpy.repeat(item, counts), 0)
        fit = (0 <= sections) & (sections <= MOST_INDEX) & ((items > 0) <= moved) & (moved <= MOST_INDEX)
        if not fit.all():
            checked(False, f"slot {slots[~fit][0]} is shifted to no index path")
        self._columns[2][slots], self._columns[3][slots] = sections, moved
        self._hash(slots)

    def put(self, columns: Columns) -> None:
        slots = columns.slots
        if len(slots) == 0:
            return
        checked(int(slots.min()) >= 0, "a slot is out of range")
        self._grow(int(slots.max()) + 1)
        for held, column in zip(self._columns, columns.geometry()):
            held[slots] = column
        self._live[slots] = True
        self._hash(slots)
        numbers = slots.tolist()
        _keep(self._keys, numbers, columns.keys)
        _keep(self._data, numbers, columns.data)

    def _hash(self, slots: Any) -> None:
        known = len(self._kind_hashes)
        if known < len(self.kind_names):
            added = numpy.array([kind_hash(name) for name in self.kind_names[known:]], numpy.int64)
            self._kind_hashes = numpy.concatenate([self._kind_hashes, added])
        categories, kinds, *others = (column[slots] for column in self._columns[:11])
        names = self._kind_hashes[kinds]
        self._hashes[slots] = column_hashes(self.units, categories, names, *others)

    def live(self) -> list[int]:
        found: list[int] = numpy.flatnonzero(self._live).tolist()
        return found

    def count(self) -> int:
        return int(numpy.count_nonzero(self._live))

    def checksum(self) -> int:
        return int(self._hashes[self._live].sum()) & MASK

    def columns(self) -> Columns:
        slots = numpy.flatnonzero(self._live)
        numbers = slots.tolist()
        values: Any = (slots, *(column[slots] for column in self._columns),
                       _kept(self._keys, numbers), _kept(self._data, numbers))
        return Columns(*values)


def make_table(kind_names: list[str], units: int, vectors: bool, before: Table | None = None) -> Table:
    """The table for what is installed, in place of another one."""
    return ArrayTable(kind_names, units, before) if vectors else PlainTable(kind_names, units)


def numbered(names: Sequence[str], numbers: dict[str, int], known: list[str]) -> list[int]:
    """The numbers of kinds, new ones added to what is known. Raises FrameError."""
    result = []
    for name in names:
        if name not in numbers:
            size = len(name.encode())
            checked(size <= MOST_KIND_BYTES, f"a kind has {size} bytes; {MOST_KIND_BYTES} are allowed")
            # Those from before the last keyframe are among them.
            checked(len(known) < 2 * MOST_KINDS,
                    f"there are {len(known)} kinds; {2 * MOST_KINDS} are allowed")
        number = numbers.setdefault(name, len(known))
        if number == len(known):
            known.append(name)
        result.append(number)
    return result
