# SPDX-License-Identifier: Apache-2.0
"""The mirror: checksums, frames in parts, merged frames, and frames that do not fit."""

from __future__ import annotations

import random
from typing import Any

import pytest

from collection_layout import FrameError, Mirror, Rect
from collection_layout._checksum import element_hash
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
