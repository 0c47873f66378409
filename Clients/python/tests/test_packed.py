# SPDX-License-Identifier: Apache-2.0
"""Packed elements are decoded to what the messages of the same elements say, with and without numpy."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection_layout import FrameError
from collection_layout._numpy import numpy
from collection_layout._packed import (
    Columns, index_shifts, message_columns, packed_columns, run_values)
from collection_layout.v1 import session_pb2

VECTORS = [False] if numpy is None else [False, True]
KINDS = ["", "photo", "header", "größe"]
LENGTH = st.integers(-(1 << 29), 1 << 29)


@dataclasses.dataclass
class Sample:
    """An element in units."""

    slot: int
    category: int
    kind: int
    section: int
    item: int
    x: int
    y: int
    width: int
    height: int
    z: int
    alpha: int
    hidden: bool
    key: str
    level: int
    state: int

    def message(self, units: int, origin: tuple[int, int]) -> session_pb2.LayoutElement:
        """The element as the other encoding has it."""
        element = session_pb2.LayoutElement(slot=self.slot, item_key=self.key)
        element.key.category = self.category  # type: ignore[assignment]
        element.key.kind = KINDS[self.kind]
        element.key.index_path.section = self.section
        if self.item:
            element.key.index_path.item = self.item - 1
        frame = element.attributes.frame
        frame.x, frame.y = (origin[0] + self.x) / units, (origin[1] + self.y) / units
        frame.width, frame.height = self.width / units, self.height / units
        element.attributes.z_index = self.z
        element.attributes.alpha = self.alpha / 65535
        element.attributes.hidden = self.hidden
        element.outline.level = self.level
        element.outline.state = self.state  # type: ignore[assignment]
        return element


samples = st.lists(
    st.builds(
        Sample, slot=st.integers(0, 5000), category=st.integers(1, 3), kind=st.integers(0, 3),
        section=st.integers(0, 1 << 20), item=st.integers(0, 1 << 24), x=LENGTH, y=LENGTH,
        width=st.integers(0, 1 << 29), height=st.integers(0, 1 << 29), z=st.integers(-50, 50),
        alpha=st.integers(0, 65535), hidden=st.booleans(), key=st.text(max_size=4),
        level=st.integers(0, 63), state=st.integers(0, 2)),
    max_size=30, unique_by=lambda sample: sample.slot)


def differences(values: Sequence[int]) -> list[int]:
    """A column: nothing, one value for all, or differences."""
    if not any(values):
        return []
    # One difference to zero and then none is a column of its own, not the same value for all.
    if len(set(values)) == 1:
        return [values[0]]
    return [values[0]] + [b - a for a, b in zip(values, values[1:])]


def runs(values: Sequence[int]) -> list[int]:
    """Pairs of a difference and how often it comes."""
    steps = [b - a for a, b in zip([0, *values], values)]
    return [number for step, same in groupby(steps) for number in (step, len(list(same)))]


def plain(values: Sequence[Any], default: Any) -> list[Any]:
    """A column of values."""
    return [] if all(v == default for v in values) else list(values)


def packed(elements: list[Sample], origin: tuple[int, int]) -> session_pb2.PackedElements:
    """The elements in columns."""
    def column(name: str) -> list[Any]:
        return [getattr(element, name) for element in elements]

    result = session_pb2.PackedElements(
        upsert_count=len(elements), slot_runs=runs(column("slot")), item_runs=runs(column("item")),
        origin_x=origin[0], origin_y=origin[1], alphas=plain(column("alpha"), 65535),
        hidden=plain(column("hidden"), False), item_keys=plain(column("key"), ""))
    for field, name in (
            ("categories", "category"), ("kinds", "kind"), ("sections", "section"), ("xs", "x"),
            ("ys", "y"), ("widths", "width"), ("heights", "height"), ("z_indices", "z")):
        getattr(result, field).extend(differences(column(name)))
    result.outline.levels.extend(differences(column("level")))
    result.outline.states.extend(differences(column("state")))
    return result


def lists(columns: Columns) -> list[list[Any]]:
    """All columns as lists, to compare them."""
    values = (columns.slots, *columns.geometry())
    keys = columns.keys or [""] * len(columns.slots)
    return [v.tolist() if hasattr(v, "tolist") else list(v) for v in values] + [keys]


@given(samples, st.sampled_from([64, 192]), st.tuples(LENGTH, LENGTH))
def test_packed_elements_are_those_of_the_messages(
        elements: list[Sample], units: int, origin: tuple[int, int]) -> None:
    messages = [element.message(units, origin) for element in elements]
    encoded = session_pb2.PackedElements.FromString(packed(elements, origin).SerializeToString())
    # Kinds are numbers of the caller's.
    numbers = [7, 3, 5, 11]
    expected = lists(message_columns(messages, lambda kind: numbers[KINDS.index(kind)], False))
    for vectors in VECTORS:
        assert lists(packed_columns(encoded, numbers, units, vectors)) == expected
        assert lists(message_columns(
            messages, lambda kind: numbers[KINDS.index(kind)], vectors)) == expected


@given(st.lists(st.integers(-9, 9)))
def test_runs_are_read_back(values: list[int]) -> None:
    assert run_values(runs(values), "slot_runs") == values


def test_runs_as_the_protocol_describes_them() -> None:
    assert run_values([3, 1, 1, 2, 4, 1], "slot_runs") == [3, 4, 5, 9]
    shifts = session_pb2.PackedElements(index_shift_runs=[3, 2, 0, 1, 4, 1, 1, 0])
    assert list(index_shifts(shifts)) == [(3, 2, 0, 1), (8, 1, 1, 0)]


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("broken, problem", [
    (dict(slot_runs=[1, 2, 3]), "slot_runs has 3 numbers"),
    (dict(slot_runs=[1, 2]), "slot_runs has 2 values; 3 are needed"),
    (dict(slot_runs=[1, 4, 1, -1]), "slot_runs has a run of -1; at least 1"),
    # The sum fits, but the first run does not.
    (dict(slot_runs=[1, (1 << 31) - 1, 1, 4 - (1 << 31)]), "slot_runs has a run of"),
    (dict(slot_runs=[0, 1 << 30]), "slot_runs has 1073741824 values; 3 are needed"),
    (dict(slot_runs=[]), "slot_runs is empty for 3 elements"),
    (dict(slot_runs=[-1, 3]), "slot has -3; 0 to"),
    (dict(item_runs=[1, 1 << 30]), "item_runs has 1073741824 values; 3 are needed"),
    (dict(item_runs=[-1, 3]), "item . 1 has -3"),
    (dict(upsert_count=(1 << 32) - 1), "upsert_count is 4294967295; 1048576 are allowed"),
    (dict(upsert_count=(1 << 20) + 1, slot_runs=[1, (1 << 20) + 1]), "upsert_count is 1048577"),
    (dict(xs=[1, 2]), "xs has 2 values; none, 1 or 3"), (dict(kinds=[9]), "kinds has 9; 0 to 0"),
    (dict(kinds=[-1]), "kinds has -1"), (dict(categories=[]), "category has 0; 1 to 3"),
    (dict(categories=[4]), "category has 4"), (dict(sections=[-1]), "section has -1"),
    (dict(z_indices=[(1 << 31) - 1, 1, 0]), "z_index has 2147483648"),
    (dict(outline=dict(levels=[-1])), "level has -1"),
    (dict(outline=dict(states=[1, 2])), "outline.states has 2 values"),
    (dict(alphas=[1, 2, 3, 4]), "alphas has 4 values"), (dict(hidden=[True] * 2), "hidden has 2 values"),
    (dict(item_keys=["a"] * 4), "item_keys has 4 values"), (dict(item_data=["a"] * 4), "item_data has 4"),
    (dict(section_keys=["a"] * 4), "section_keys has 4 values; none, 1 or 3"),
    (dict(scrolls_across=[True] * 4), "scrolls_across has 4 values")])
def test_columns_that_do_not_fit_are_refused(broken: dict[str, Any], problem: str, vectors: bool) -> None:
    fields = dict(upsert_count=3, slot_runs=[1, 3], categories=[1])
    packed_columns(session_pb2.PackedElements(**fields), [0], 64, vectors)  # type: ignore[arg-type]
    with pytest.raises(FrameError, match=problem):
        packed_columns(session_pb2.PackedElements(**{**fields, **broken}), [0], 64, vectors)


@given(st.binary(max_size=200))
def test_any_bytes_are_columns_or_refused(data: bytes) -> None:
    try:
        elements = session_pb2.PackedElements.FromString(data)
    except Exception:
        return
    found = []
    for vectors in VECTORS:
        try:
            found.append(lists(packed_columns(elements, [0, 1], 64, vectors)))
        except FrameError:
            found.append([])
    assert all(each == found[0] for each in found)
