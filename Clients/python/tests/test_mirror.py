# SPDX-License-Identifier: Apache-2.0
"""The mirror: checksums, frames in parts, merged frames, and frames that do not fit."""

from __future__ import annotations

import random
from typing import Any

import pytest

from collection_layout import FrameError, Mirror, Rect
from collection_layout._checksum import column_hashes, element_hash, kind_hash
from collection_layout._numpy import numpy
from collection_layout.v1 import attributes_pb2, session_pb2

VECTORS = [False] if numpy is None else [False, True]
VIEWPORT = Rect(0, 0, 100, 100)


def element(slot: int, **fields: Any) -> session_pb2.LayoutElement:
    """An element of which only what matters is given."""
    box = dict(zip(("x", "y", "width", "height"), fields.pop("frame", (0, slot * 10, 50, 10))))
    path = {"section": fields.pop("section", 0)}
    item = fields.pop("item", slot)
    if item is not None:
        path["item"] = item
    return session_pb2.LayoutElement(
        slot=slot, key=dict(category=fields.pop("category", 1), kind=fields.pop("kind", ""),
                            index_path=path), attributes=dict(frame=box, **fields))


def frame(mirror: Mirror, upserts: Any = (), removed: Any = (), **fields: Any) -> session_pb2.LayoutFrame:
    """A frame that follows what the mirror has, with whatever number of elements it would have."""
    base = fields.pop("base_frame_seq", mirror.frame_seq)
    live = set() if base == 0 else set(mirror._live)
    live = live - set(removed) | {e.slot for e in upserts}
    return session_pb2.LayoutFrame(**{
        "frame_seq": mirror.frame_seq + 1, "base_frame_seq": base, "live_count": len(live),
        "elements": dict(upserts=list(upserts), removed_slots=list(removed)), **fields})


@pytest.mark.parametrize("vectors", VECTORS)
def test_checksums_are_those_of_the_protocol(vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [
        element(0, frame=(0, 0, 390, 44)),
        element(1, category=2, kind="header", section=3, item=None, frame=(0, 520.5, 390, 32), z_index=10),
        element(2, kind="photo", section=1, item=41, frame=(1 / 3, 0, 1 / 3, 1), z_index=-1, alpha=0.5),
    ], state_checksum=0x0C58CA79))
    assert mirror.checksum() == 0x0C58CA79
    assert element_hash(1, "", 0, 1, 0, 0, 390, 44, 0, 1.0, False, 64) == 0x6E65C60F


def test_both_tables_have_the_same_checksums_of_extreme_numbers() -> None:
    chance = random.Random(1)
    lengths = [0.0, -0.5, 1 / 3, 1e-300, 1e18, 1e300, 1.7e308, -1e300, 12345.678]
    for units in (64, 192):
        mirrors = [Mirror(units, vectors) for vectors in VECTORS]
        for step in range(20):
            upserts = [element(
                slot, frame=[chance.choice(lengths) for _ in range(4)], z_index=chance.randrange(-9, 9),
                kind=chance.choice(["", "a", "é"]), alpha=chance.random(), hidden=chance.random() < 0.1)
                for slot in chance.sample(range(200), 30)]
            removed = chance.sample(sorted(mirrors[0]._live), len(mirrors[0]) // 3)
            for mirror in mirrors:
                mirror.apply(frame(mirror, upserts, removed))
            assert len({mirror.checksum() for mirror in mirrors}) == 1, step
            assert len({repr(list(mirror.elements())) for mirror in mirrors}) == 1, step


@pytest.mark.parametrize("vectors", VECTORS)
def test_frames_are_merged_until_they_are_taken(vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0), element(1), element(2)], content_offset_adjustment=dict(y=3)))
    first = mirror.take_frame(VIEWPORT)
    assert (first.keyframe, first.changed, first.removed, first.merged) == (True, [0, 1, 2], [], 1)
    assert first.adjustment == (0, 3)
    mirror.apply(frame(mirror, [element(3)], [0], content_offset_adjustment=dict(y=5)))
    mirror.apply(frame(mirror, [element(4), element(1)], [3], content_offset_adjustment=dict(y=-1)))
    mirror.apply(frame(mirror, [element(0)]))
    second = mirror.take_frame(VIEWPORT)
    # Slot 3 came and went in between.
    assert (second.keyframe, second.changed, second.removed, second.merged) == (False, [0, 1, 4], [], 3)
    assert second.adjustment == (0, 4)
    assert list(second.elements.slot) == [0, 1, 2, 4]
    assert not mirror.has_news


@pytest.mark.parametrize("vectors", VECTORS)
def test_a_keyframe_takes_the_place_of_all_elements(vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0), element(1)]))
    mirror.take_frame(VIEWPORT)
    mirror.apply(frame(mirror, [element(1), element(5)], base_frame_seq=0))
    after = mirror.take_frame(VIEWPORT)
    assert (after.keyframe, after.changed, after.removed) == (True, [1, 5], [0])


@pytest.mark.parametrize("vectors", VECTORS)
def test_what_was_removed_with_an_old_session_is_told_with_the_next_frame(vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0), element(1), element(2)]))
    mirror.take_frame(VIEWPORT)
    mirror.reset(64)
    mirror.apply(frame(mirror, [element(1)]))
    found = mirror.take_frame(VIEWPORT)
    assert (found.keyframe, found.changed, found.removed) == (True, [1], [0, 2])
    assert not mirror.take_frame(VIEWPORT).removed


@pytest.mark.parametrize("vectors", VECTORS)
def test_parts_are_applied_with_the_last_one(vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    part = frame(mirror, [element(0)], continued=True)
    assert mirror.apply(part) is None
    assert len(mirror) == 0
    last = frame(mirror, [element(1)], live_count=2)
    assert mirror.apply(last) == (0, 0)
    assert len(mirror) == 2


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("fault", [
    dict(removed=[7]), dict(live_count=5), dict(state_checksum=1), dict(base_frame_seq=9),
    dict(packed=dict(removed_slot_runs=[7, 1])), dict(packed=dict(index_shift_runs=[9, 1, 0, 1])),
    dict(packed=dict(upsert_count=1, slot_runs=[1 << 29, 1], categories=[1], kind_names=["x"]))])
def test_frames_that_do_not_fit_are_refused(fault: dict[str, Any], vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0)]))
    if "packed" in fault:
        faulty = session_pb2.LayoutFrame(frame_seq=2, base_frame_seq=1, live_count=1, **fault)
    else:
        faulty = frame(mirror, **{"upserts": (), **fault})
    with pytest.raises(FrameError):
        mirror.apply(faulty)
    # A keyframe sets it right.
    mirror.apply(frame(mirror, [element(2)], base_frame_seq=0))
    assert [e.slot for e in mirror.elements()] == [2]


def state(mirror: Mirror) -> Any:
    """All that callers can see of a mirror, without what is new."""
    return (
        [each.to_message() for each in mirror.elements()], mirror.elements().data, mirror.checksum(), len(mirror),
        mirror.frame_seq, mirror.data_version, mirror.layout_version, mirror.applied_event, mirror.content_size,
        mirror.coverage, mirror.every_scroll, mirror.scroll_effects, mirror.section_scrolls)


def full(mirror: Mirror) -> None:
    """Elements with all that they can have, and numbers that belong to none."""
    named, moved = element(1, kind="photo"), element(3, section=1, item=8)
    named.item_key, named.item_data = "k", "data"
    moved.attributes.transform.values.extend([1, 0, 0, 1, 5, 5])
    mirror.apply(frame(
        mirror, [element(0), named, element(2, category=2, kind="header", item=None), moved],
        content_size=dict(width=9, height=8), coverage=dict(width=7, height=6), data_version=4,
        content_offset_adjustment=dict(y=3), scroll_effects=dict(effects=[dict(category=1)])))


# What sets in while a frame is applied: everything has changed until then.
FAULTS: list[dict[str, Any]] = [
    dict(state_checksum=1), dict(live_count=50), dict(state_checksum=1, base_frame_seq=0),
    dict(live_count=50, base_frame_seq=0)]


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("is_taken", [False, True])
def test_nothing_is_seen_of_a_frame_that_was_refused(
        fault: dict[str, Any], is_taken: bool, vectors: bool) -> None:
    mirror, other = Mirror(64, vectors), Mirror(64, vectors)
    for each in (mirror, other):
        full(each)
        if is_taken:
            each.take_frame(VIEWPORT)
    changed = [element(1, kind="other", frame=(5, 5, 5, 5)), element(3, frame=(6, 6, 6, 6)), element(900)]
    changed[2].item_key, changed[2].item_data = "new", "new"
    # The first part moves what the second one removes and puts.
    parts = [
        session_pb2.LayoutFrame(
            frame_seq=2, base_frame_seq=fault.get("base_frame_seq", 1), continued=True,
            packed=dict(index_shift_runs=[] if "base_frame_seq" in fault else [0, 1, 0, 7])),
        session_pb2.LayoutFrame(**{**dict(
            frame_seq=2, base_frame_seq=1, live_count=4, data_version=5, content_size=dict(width=1),
            coverage=dict(width=1), content_offset_adjustment=dict(y=100), scroll_effects={},
            transition=dict(animated=True), section_scrolls=dict(sections=[{}]),
            elements=dict(upserts=changed, removed_slots=[] if "base_frame_seq" in fault else [2])), **fault})]
    assert mirror.apply(parts[0]) is None
    with pytest.raises(FrameError, match="checksum|elements instead of"):
        mirror.apply(parts[1])
    assert state(mirror) == state(other)
    assert not mirror.is_current and mirror.has_news is not is_taken
    # What follows is as if it had not come.
    after = []
    for each in (mirror, other):
        each.apply(frame(each, [element(5)], [0]))
        after.append(each.take_frame(VIEWPORT))
    assert state(mirror) == state(other) and mirror.is_current
    for name in ("seq", "keyframe", "changed", "removed", "adjustment", "transition", "merged"):
        assert getattr(after[0], name) == getattr(after[1], name), name


@pytest.mark.parametrize("vectors", VECTORS)
def test_frames_that_are_refused_at_any_place_leave_no_trace(vectors: bool) -> None:
    chance = random.Random(2)
    mirror, other = Mirror(64, vectors), Mirror(64, vectors)
    for step in range(200):
        def change() -> session_pb2.LayoutFrame:
            upserts = [element(slot, z_index=step, kind=chance.choice("ab"))
                       for slot in chance.sample(range(300), chance.randrange(20))]
            for each in upserts:
                each.item_key = chance.choice(["", "k"])
                if chance.random() < 0.2:
                    each.scrolls_across = True
            live = sorted(mirror._live)
            removed = chance.sample(live, len(live) // 4)
            base = 0 if chance.random() < 0.1 else mirror.frame_seq
            return frame(mirror, upserts, removed if base else [], base_frame_seq=base, frame_seq=step + 1)

        good, bad = change(), change()
        bad.elements.removed_slots.append(chance.choice([999, bad.elements.removed_slots[0] if
                                                         bad.elements.removed_slots else 999]))
        bad.state_checksum = 1
        with pytest.raises(FrameError):
            mirror.apply(bad)
        for each in (mirror, other):
            each.apply(good)
        if chance.random() < 0.3:
            found = [each.take_frame(VIEWPORT) for each in (mirror, other)]
            assert (found[0].changed, found[0].removed) == (found[1].changed, found[1].removed), step
        assert state(mirror) == state(other), step


MOST = 1 << 20


class Steps:
    """Counts the elements that a mirror makes, shifts and removes."""

    def __init__(self, mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        # A keyframe has a table of its own.
        kind = type(mirror._table)
        for name in ("put", "remove", "shift"):
            monkeypatch.setattr(kind, name, self._counted(name, getattr(kind, name)))

    def _counted(self, name: str, call: Any) -> Any:
        def counted(table: Any, *values: Any) -> None:
            self.count += (sum(count for _, count, _, _ in values[0]) if name == "shift"
                           else len(getattr(values[0], "slots", values[0])))
            call(table, *values)
        return counted


def columns(**fields: Any) -> dict[str, Any]:
    """A part with elements in columns, of which only what matters is given."""
    return dict(packed=dict(categories=[1], kind_names=["a"], **fields))


# 33 bytes, all for one slot.
ALL = columns(upsert_count=MOST, slot_runs=[0, MOST])
ONE = [dict(slot=7, key=dict(category=1), attributes=dict(frame=dict(width=1)))]


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("parts, problem", [
    ([ALL] * 64, "upsert_count has 1048576 elements after 1048576 of the same frame; 1048576 in all"),
    ([ALL], "a slot is put twice in one frame"),
    ([columns(upsert_count=(1 << 32) - 1)], "upsert_count has 4294967295 elements after 0 "),
    ([columns(exceptions=ONE), ALL], "upsert_count has 1048576 elements after 1 "),
    ([ALL, columns(exceptions=ONE)], "exceptions has 1 elements after 1048576 "),
    ([ALL, dict(elements=dict(upserts=ONE))], "upserts has 1 elements after 1048576 "),
    ([ALL, columns(index_shift_runs=[0, 1, 0, 1])], "index_shift_runs has 1 elements after 1048576 "),
    ([columns(index_shift_runs=[0, (1 << 31) - 1, 0, 1])], "index_shift_runs has 2147483647 elements"),
    ([columns(removed_slot_runs=[0, 600_000])] * 2, "removed_slot_runs has 600000 elements after 600000 "),
    ([columns(removed_slot_runs=[0, MOST]), dict(elements=dict(removed_slots=[3]))],
     "removed_slots has 1 elements after 1048576 "),
    ([columns(removed_slot_runs=[1, (1 << 31) - 1, 1, 2 - (1 << 31)])], "removed_slot_runs has a run of"),
    ([columns(removed_slot_runs=[0, 5])], "removed_slot_runs has 5 slots; there are 0"),
    ([columns(exceptions=ONE * 2)], "a slot is put twice"),
    ([columns(exceptions=ONE), columns(upsert_count=1, slot_runs=[7, 1])], "a slot is put twice"),
    ([dict(elements=dict(upserts=ONE * 2))], "a slot is put twice"),
    ([columns(exceptions=ONE), columns(index_shift_runs=[7, 1, 0, 1])], "index_shift_runs has 1 slots where 0 "),
    ([columns(index_shift_runs=[7, MOST, 0, 1])], "index_shift_runs has 1048576 slots where 0 elements are left"),
    ([dict(elements=dict(removed_slots=[3]))], "removed_slots has 1 slots; there are 0"),
    ([columns(upsert_count=1, slot_runs=[1 << 21, 1])], "slot 2097152 is out of range"),
    ([columns(), dict(packed=dict(kind_names=["a"] * (1 << 16)))], "kind_names has 65536 names after 1"),
    ([dict(packed=dict(kind_names=["k" * 129]))], "a kind has 129 bytes; 128 are allowed"),
    ([dict(packed=dict(kind_names=["ä" * 65]))], "a kind has 130 bytes; 128 are allowed"),
    ([{}] * 16_385, "a frame has more than 16384 parts"),
])
def test_what_the_parts_of_a_frame_stand_for_is_bounded_before_it_is_made(
        parts: list[dict[str, Any]], problem: str, vectors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = Mirror(64, vectors)
    steps = Steps(mirror, monkeypatch)
    with pytest.raises(FrameError, match=problem):
        for number, part in enumerate(parts, start=1):
            mirror.apply(session_pb2.LayoutFrame(frame_seq=1, continued=number < len(parts), **part))
    assert steps.count <= 2
    mirror.apply(frame(mirror, [element(2)], base_frame_seq=0, frame_seq=2))
    assert [e.slot for e in mirror.elements()] == [2]


def test_the_bytes_of_the_parts_of_a_frame_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collection_layout._parts.MOST_BYTES", 1000)
    mirror = Mirror()
    part = session_pb2.LayoutFrame(
        frame_seq=1, continued=True, elements=dict(upserts=[dict(item_data="x" * 600)]))
    mirror.apply(part)
    with pytest.raises(FrameError, match=r"the parts of a frame have 1\d+ bytes; 1000 are allowed"):
        mirror.apply(part)


def test_the_rest_of_a_frame_of_which_a_part_was_refused_is_passed_over() -> None:
    mirror = Mirror()
    part = session_pb2.LayoutFrame(frame_seq=1, continued=True, packed=dict(upsert_count=(1 << 32) - 1))
    with pytest.raises(FrameError):
        mirror.apply(part)
    assert mirror.apply(part) is None
    assert mirror.apply(frame(mirror, [element(0)], base_frame_seq=0)) is None
    assert len(mirror) == 0
    assert mirror.apply(frame(mirror, [element(0)], base_frame_seq=0, frame_seq=2)) == (0, 0)


@pytest.mark.skipif(numpy is None, reason="it takes seconds without numpy")
def test_a_frame_may_put_shift_and_empty_as_many_elements_as_are_ever_sent() -> None:
    mirror, count = Mirror(), 1_001_000
    fields: dict[str, Any] = dict(
        upsert_count=count, slot_runs=[0, 1, 1, count - 1], item_runs=[1, count], categories=[1])
    mirror.apply(session_pb2.LayoutFrame(
        frame_seq=1, live_count=count, packed=dict(kind_names=["a"], **fields)))
    mirror.apply(session_pb2.LayoutFrame(
        frame_seq=2, base_frame_seq=1, live_count=count, packed=dict(index_shift_runs=[0, count, 0, 1])))
    mirror.apply(session_pb2.LayoutFrame(
        frame_seq=3, base_frame_seq=2, live_count=count,
        packed=dict(removed_slot_runs=[0, 1, 1, count - 1], **fields)))
    assert len(mirror) == count


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("fields, problem", [
    (dict(packed=dict(index_shift_runs=[0, 1, 0, 1, 1, MOST - 1, 0, 1])), "1048575 slots where 1 elements are left"),
    (dict(packed=dict(index_shift_runs=[0, 1, 0, 1, 0, 1, 0, 1])), "a slot is put twice"),
    (dict(packed=dict(index_shift_runs=[0, 1, 0, 1], exceptions=[element(0)])), "a slot is put twice"),
    (dict(elements=dict(removed_slots=range(MOST))), "removed_slots has 1048576 slots; there are 2"),
    (dict(elements=dict(removed_slots=[0, 0])), "is removed and has no element"),
])
def test_what_a_frame_cannot_change_is_not_noted(
        fields: dict[str, Any], problem: str, vectors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0), element(1)]))
    noted = 0
    save = mirror._save

    def count(slots: Any) -> None:
        nonlocal noted
        noted += len(slots)
        save(slots)

    monkeypatch.setattr(mirror, "_save", count)
    with pytest.raises(FrameError, match=problem):
        mirror.apply(session_pb2.LayoutFrame(frame_seq=2, base_frame_seq=1, live_count=2, **fields))
    assert noted <= 2


@pytest.mark.parametrize("vectors", VECTORS)
def test_scattered_shifts_are_noted_and_hashed_once(vectors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror, count = Mirror(64, vectors), 100
    mirror.apply(frame(mirror, [element(slot) for slot in range(2 * count)]))
    kind = type(mirror._table)
    calls: list[str] = []

    def counted(name: str, call: Any) -> Any:
        def noting(*values: Any) -> Any:
            calls.append(name)
            return call(*values)
        return noting

    monkeypatch.setattr(kind, "saved", counted("saved", kind.saved))
    monkeypatch.setattr("collection_layout._table.column_hashes", counted("hashed", column_hashes))
    mirror.apply(session_pb2.LayoutFrame(
        frame_seq=2, base_frame_seq=1, live_count=2 * count,
        packed=dict(index_shift_runs=[2, 1, 0, 5] * (count - 1))))
    assert list(mirror.elements().item[:6]) == [0, 1, 7, 3, 9, 5]
    assert mirror.take_frame(VIEWPORT).elements.item[-2] == 2 * count + 3
    assert calls.count("hashed") == vectors and calls.count("saved") == 1


@pytest.mark.skipif(numpy is None, reason="kinds are hashed by themselves without numpy")
def test_kinds_are_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []

    def noting(name: str) -> int:
        hashed.append(name)
        return kind_hash(name)

    monkeypatch.setattr("collection_layout._table.kind_hash", noting)
    mirror = Mirror()
    for seq in range(1, 4):
        mirror.apply(frame(mirror, [element(0, kind="a"), element(1, kind=f"b{seq}")], base_frame_seq=0, frame_seq=seq))
    assert hashed == ["a", "b1", "b2", "b3"]


def test_a_server_cannot_add_elements_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collection_layout.mirror.MOST_ELEMENTS", 50)
    mirror = Mirror()
    mirror.apply(frame(mirror, [element(slot) for slot in range(40)]))
    with pytest.raises(FrameError, match="there are 51 elements; 50 are allowed"):
        mirror.apply(frame(mirror, [element(slot) for slot in range(40, 51)]))


@pytest.mark.parametrize("vectors", VECTORS)
def test_a_server_cannot_add_kinds_for_ever(vectors: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collection_layout._table.MOST_KINDS", 50)
    monkeypatch.setattr("collection_layout.mirror.MOST_KINDS", 50)
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0)]))
    first = mirror.elements()
    with pytest.raises(FrameError, match="there are 100 kinds; 100 are allowed"):
        for step in range(20):
            mirror.apply(frame(mirror, [element(slot, kind=f"{step} {slot}") for slot in range(1, 11)]))
    mirror.apply(frame(mirror, [element(0, kind="new")], base_frame_seq=0))
    assert mirror._kind_names == ["new"] and mirror.elements().kind == ["new"] and first.kind == [""]


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("message, problem", [
    (element(0, category=9), "category has 9; 1 to 3"), (element(0, item=(1 << 32) - 1), "item . 1 has"),
    (element(0, frame=(float("nan"), 0, 1, 1)), "is not finite"),
    (element(0, alpha=float("inf")), "is not finite")])
def test_messages_of_no_element_are_refused(
        message: session_pb2.LayoutElement, problem: str, vectors: bool) -> None:
    with pytest.raises(FrameError, match=problem):
        Mirror(64, vectors).apply(session_pb2.LayoutFrame(
            frame_seq=1, live_count=1, elements=dict(upserts=[message])))


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("fault", [
    dict(content_size=dict(width=float("nan"))), dict(coverage=dict(x=float("inf"))),
    dict(content_offset_adjustment=dict(y=float("-inf"))),
    dict(elements=dict(upserts=[element(0), element(1, frame=(0, 0, float("nan"), 1))])),
    dict(elements=dict(upserts=[element(0), element(1, category=0)])),
    dict(packed=dict(upsert_count=1, categories=[1], kind_names=[""], widths=[-1])),
    dict(packed=dict(upsert_count=2, categories=[1], kind_names=[""], slot_runs=[0, 1, 1, 1], heights=[1, -2])),
    dict(packed=dict(upsert_count=2, categories=[1], kind_names=[""], slot_runs=[0, 1, 1, 1], xs=[1, 2, 3])),
    dict(packed=dict(removed_slot_runs=[0, 1], exceptions=[element(1, alpha=float("nan"))])),
    dict(elements=dict(upserts=[element(3), element(3)]))])
def test_numbers_are_checked_before_any_of_a_frame_is_applied(fault: dict[str, Any], vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(slot, alpha=0.5) for slot in range(3)]))
    before, checksum = list(mirror.elements()), mirror.checksum()
    for base in (0, 1):
        with pytest.raises(FrameError):
            mirror.apply(session_pb2.LayoutFrame(frame_seq=2, base_frame_seq=base, live_count=1, **fault))
        assert list(mirror.elements()) == before and mirror.checksum() == checksum
        assert (mirror.content_size, mirror.coverage) == ((0, 0), Rect(0, 0, 0, 0))


@pytest.mark.parametrize("vectors", VECTORS)
def test_absurd_numbers_are_bounded_in_checksums(vectors: bool) -> None:
    """Those of columns are alphas up to 1, as other clients take them."""
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0, alpha=1e300), element(1, alpha=-1e308, frame=[1.7e308] * 4)]))
    far = 1e300
    assert mirror.checksum() == 0xFFFFFFFF & (
        element_hash(1, "", 0, 1, 0, 0, 50, 10, 0, 2.0**62 / 65535, False, 64)
        + element_hash(1, "", 0, 2, far, far, far, far, 0, -1e300, False, 64))
    packed: Any = dict(upsert_count=1, categories=[1], kind_names=[""], alphas=[(1 << 32) - 1],
                       origin_x=(1 << 63) - 1, xs=[(1 << 31) - 1])
    mirror.apply(session_pb2.LayoutFrame(frame_seq=2, live_count=1, packed=packed))
    assert mirror.elements()[0].alpha == 1 and mirror.elements()[0].frame.x == (2.0**63 + 2**31) / 64


@pytest.mark.parametrize("vectors", VECTORS)
def test_no_units_are_64(vectors: bool) -> None:
    mirror = Mirror(0, vectors)
    for _ in range(2):
        mirror.apply(session_pb2.LayoutFrame(frame_seq=1, live_count=1, packed=dict(
            upsert_count=1, categories=[1], kind_names=[""], xs=[128])))
        assert mirror.elements()[0].frame.x == 2
        mirror.reset(0)


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("shift", [[-1, 0], [1 << 30, -9], [0, -1], [(1 << 31) - 1, (1 << 31) - 1]])
def test_shifts_to_no_index_path_are_refused(shift: list[int], vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, [element(0, section=0, item=0), element(1, section=(1 << 32) - 1, item=0)]))
    with pytest.raises(FrameError, match="is shifted to no index path"):
        mirror.apply(session_pb2.LayoutFrame(
            frame_seq=2, base_frame_seq=1, live_count=2, packed=dict(index_shift_runs=[0, 2, *shift])))


@pytest.mark.parametrize("vectors", VECTORS)
def test_index_paths_are_shifted(vectors: bool) -> None:
    mirror = Mirror(64, vectors)
    header = element(2, category=2, kind="header", item=None)
    moved = element(3, section=1, item=8)
    moved.attributes.transform.values.extend([1, 0, 0, 1, 5, 5])
    mirror.apply(frame(mirror, [element(0), element(1), header, moved]))
    before = mirror.take_frame(VIEWPORT).elements
    mirror.apply(session_pb2.LayoutFrame(
        frame_seq=2, base_frame_seq=1, live_count=4,
        packed=dict(index_shift_runs=[0, 2, 0, 3, 1, 2, 1, 1])))
    assert [(e.section, e.item) for e in mirror.elements()] == [(0, 3), (0, 4), (1, None), (2, 9)]
    message = mirror.elements()[3].message
    assert message is not None and message.key.index_path.item == 9
    # What was handed out before stays as it was.
    assert before[3].to_message().key.index_path.item == 8
    assert mirror.take_frame(VIEWPORT).changed == [0, 1, 2, 3]


@pytest.mark.parametrize("vectors", VECTORS)
def test_elements_are_the_messages_that_came(vectors: bool) -> None:
    named = element(1, category=1, kind="photo", item=0, alpha=0.25, hidden=True, z_index=-7)
    named.item_key, named.outline.level, named.outline.state = "k", 3, attributes_pb2.OUTLINE_STATE_COLLAPSED
    pinned = element(2, category=2, kind="header", section=4, item=None)
    pinned.pin.max_offset = 500
    came = [element(0, frame=(1 / 3, -0.0, 1e-300, 1e300)), named, pinned]
    mirror = Mirror(64, vectors)
    mirror.apply(frame(mirror, came))
    assert [e.to_message() for e in mirror.elements()] == came


def test_scroll_effects_last_until_a_keyframe() -> None:
    mirror = Mirror()
    effects = dict(effects=[dict(category=1)])
    mirror.apply(frame(mirror, [element(0)], scroll_effects=effects))
    mirror.apply(frame(mirror, [element(1)]))
    assert len(mirror.take_frame(VIEWPORT).scroll_effects.effects) == 1
    mirror.apply(frame(mirror, [element(2)], base_frame_seq=0))
    assert not mirror.scroll_effects.effects


def test_a_drawing_escapes_text_and_leaves_out_what_is_not_in_sight() -> None:
    mirror = Mirror()
    named = element(0, frame=(0, 0, 80, 40))
    named.item_key = "<script>&\x00"
    hidden = element(1, frame=(0, 0, 80, 40), hidden=True)
    far = element(2, frame=(0, 500, 80, 40))
    mirror.apply(frame(mirror, [named, hidden, far]))
    text = mirror.elements(VIEWPORT).svg()
    assert "<script>" not in text and "&lt;script&gt;&amp; " in text and text.count("<rect") == 1
    import xml.etree.ElementTree
    xml.etree.ElementTree.fromstring(text)
