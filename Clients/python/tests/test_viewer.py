# SPDX-License-Identifier: Apache-2.0
"""Viewers with threads against the real server."""

from __future__ import annotations

import math
import pathlib
import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from collection_layout import (
    AsyncViewer, Client, DeadlineError, Elements, InvalidArgumentError, LayoutError, LayoutServer,
    NotFoundError, OutOfRangeError, Rect, UnavailableError, Viewer, contents, layouts, section, updates)
from collection_layout.machine import Backoff
from collection_layout._numpy import numpy
from collection_layout.v1 import collection_pb2

VECTORS = [False] if numpy is None else [False, True]


def sample(seed: int, sections: int = 6, most: int = 100) -> collection_pb2.CollectionContents:
    """Sections of items of different sizes, each with a key."""
    chance = random.Random(seed)
    return contents(*(
        section(
            key=f"s{number}", widths=[chance.randrange(40, 200) for _ in range(count)],
            heights=[chance.randrange(40, 200) for _ in range(count)],
            keys=[f"s{number}i{n}" for n in range(count)])
        for number in range(sections) for count in [chance.randrange(1, most)]))


def facts(elements: Elements) -> dict[Any, Any]:
    """The elements by what they are, rounded as packed ones are."""
    return {
        (e.category, e.kind, e.section, e.item): (
            e.key, *edges(e.frame), e.z, round(e.alpha, 3), e.hidden)
        for e in elements}


def edges(frame: Rect) -> list[int]:
    """The edges, rounded as those of packed elements are."""
    right, bottom = frame.x + frame.width, frame.y + frame.height
    return [math.floor(value * 64 + 0.5) for value in (frame.x, frame.y, right, bottom)]


def in_sight(viewer: Viewer | AsyncViewer) -> list[str]:
    """The keys of what is in sight, from top to bottom."""
    box = viewer.viewport
    return [e.key for e in sorted(viewer.elements, key=lambda e: e.frame.y)
            if e.frame.y < box.y + box.height and e.frame.y + e.frame.height > box.y]


def assert_current(client: Client, viewer: Viewer) -> None:
    """The elements are what the server answers for the same rect."""
    held = facts(viewer.settle())
    names = {1: "cell", 2: "supplementary", 3: "decoration"}
    found = set()
    for each in client.query_elements(viewer.coverage, session=viewer.session):
        path = each.key.index_path
        found.add((names[each.key.category], each.key.kind, path.section,
                   path.item if path.HasField("item") else None))
    assert found == set(held)


def until(condition: Callable[[], Any]) -> None:
    """Waits for what another thread does."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("layout", [
    layouts.flow(header_reference_size=(0, 40), section_headers_pin_to_visible_bounds=True),
    layouts.list(header_height=20, separator_thickness=1), layouts.waterfall(column_count=5),
    layouts.carousel(style="rotary", scroll_direction="vertical")], ids=lambda spec: spec.WhichOneof("kind"))
def test_viewers_of_both_encodings_hold_what_the_server_says(
        client: Client, layout: Any, vectors: bool) -> None:
    client.create_collection("both", sample(1), layout=layout)
    # Without an anchor, offsets are not rounded differently.
    options = {"anchor_mode": "none"}
    viewers = [client.view("both", packed=packed, vectors=vectors, options=options, size=(800, 600))
               for packed in (False, True)]
    chance = random.Random(2)
    for step in range(6):
        if step % 2:
            version = client.apply(
                "both", updates.insert((0, 0), heights=chance.randrange(9, 99), keys=[f"new{step}"]),
                updates.delete((1, 0)) if step == 1 else updates.reconfigure((2, 0), heights=33))
            for viewer in viewers:
                until(lambda: viewer.data_version >= version)
        else:
            y = chance.randrange(0, int(viewers[0].content_size[1]))
            for viewer in viewers:
                viewer.scroll(y=y)
        for viewer in viewers:
            assert_current(client, viewer)
        assert facts(viewers[0].elements) == facts(viewers[1].elements)
    for viewer in viewers:
        viewer.close()


def test_frames_are_taken_without_waiting(client: Client) -> None:
    client.create_collection("rows", heights=[50] * 1000, layout=layouts.list())
    with client.view("rows", size=(300, 500)) as viewer:
        first = viewer.take_frame()
        assert first is not None and first.keyframe
        assert viewer.take_frame() is None
        viewer.scroll(y=20_000)
        viewer.settle()
        second = viewer.take_frame()
        assert second is not None and second.offset == (0, 20_000)
        viewer.set_viewport(size=(-1, 5))
        until(lambda: viewer._machine.refusals)
        with pytest.raises(InvalidArgumentError):
            viewer.take_frame()
        assert viewer.take_frame() is None
    assert viewer.take_frame() is None


def test_frames_tell_what_changed(client: Client) -> None:
    client.create_collection("rows", heights=[50] * 1000, keys=range(1000), layout=layouts.list())
    with client.view("rows", size=(300, 500), animations=True) as viewer:
        first = viewer.next_frame(10)
        assert first.keyframe and first.changed == list(first.elements.slot)
        assert first.content_size == (300, 50_000)
        slots = {e.key: e.slot for e in first.elements}
        viewer.update(updates.delete((0, 2)), animated=True)
        second = viewer.next_frame(10)
        assert "2" not in second.elements.key and second.transition is not None
        assert {e.key: e.slot for e in second.elements}["3"] == slots["3"]
        assert second.data_version == viewer.data_version == 1
        viewer.scroll(y=20_000)
        third = viewer.next_frame(10)
        assert third.offset == (0, 20_000) == viewer.viewport[:2]
        assert not third.keyframe and third.coverage.y < 20_000 < third.coverage.y + third.coverage.height
        viewer.resize(300, 100)
        assert viewer.settle() and viewer.viewport.height == 100
        with pytest.raises(DeadlineError):
            [viewer.next_frame(0.05) for _ in range(9)]


def test_edits_above_keep_what_is_in_sight_in_place(client: Client) -> None:
    client.create_collection("rows", heights=[50] * 1000, keys=range(1000), layout=layouts.list())
    with client.view("rows", size=(300, 500), offset=(0, 10_000)) as viewer:
        viewer.next_frame(10)
        viewer.update(updates.insert((0, 0), heights=[70, 70], keys=["a", "b"]))
        frame = viewer.next_frame(10)
        assert frame.adjustment == (0, 140) and frame.offset == (0, 10_140)


def test_refused_events_say_which_field_and_what_it_had(client: Client) -> None:
    with client.view(contents=sample(3), layout=layouts.list(), size=(300, 500)) as viewer:
        with pytest.raises(InvalidArgumentError) as caught:
            viewer.change_layout({"list": {"row_height": -4}})
        assert caught.value.reason == "FIELD_INVALID"
        assert caught.value.field.endswith("row_height") and caught.value.value == -4
        with pytest.raises(OutOfRangeError):
            viewer.scroll_target(place=(0, 5000))
        viewer.resize(-1, 5)
        with pytest.raises(InvalidArgumentError) as caught:
            for _ in viewer:
                pass
        assert caught.value.field.endswith("width") and caught.value.value == -1
        # The stream goes on.
        viewer.resize(200, 500)
        assert len(viewer.settle()) > 0
        with pytest.raises(NotFoundError):
            client.view("nothing", layout=layouts.list())


def test_questions_in_the_stream(client: Client) -> None:
    client.create_collection("rows", heights=[50] * 1000, keys=range(1000), layout=layouts.list())
    with client.view("rows", size=(300, 500), start={"edge": "end"}) as viewer:
        assert viewer.viewport.y == 49_500
        assert viewer.scroll_target("0") == (0, 0)
        assert viewer.scroll_to_item("500", position="start") == (0, 25_000)
        assert viewer.viewport.y == 25_000
        assert viewer.neighbor("down", "500").neighbor.item_key == "501"
        assert viewer.release((0, 1000))[1] > 25_000
        viewer.change_layout(layouts.grid(item_size=(50, 50)), animated=True)
        viewer.set_options(overscan_ahead=2)
        viewer.set_viewport(content_insets=10, traits={"right_to_left": True})
        assert set(viewer.settle().width) == {50}
        assert client.hit_test((5, 5), session=viewer.session) is not None


def test_an_outline_is_expanded_and_collapsed(client: Client) -> None:
    client.create_collection("files", [section(
        outline="per_viewer", levels=[0, 1, 1, 0], keys=["a", "a1", "a2", "b"], heights=20)],
        layout=layouts.list())
    with client.view("files", size=(300, 500)) as viewer:
        assert [(e.key, e.level, e.expanded) for e in viewer.elements] == [
            ("a", 0, False), ("b", 0, None)]
        viewer.change_outline(expand=["a"])
        viewer.settle()
        assert in_sight(viewer) == ["a", "a1", "a2", "b"]
        assert [e.level for e in viewer.elements if e.key == "a2"] == [1]
    with client.view("files", size=(300, 500), expansions={"base": "expanded"}) as viewer:
        assert in_sight(viewer) == ["a", "a1", "a2", "b"]


def test_columns_of_a_table_are_changed(client: Client) -> None:
    client.create_collection("people", heights=[20] * 10)
    layout = layouts.table(columns=[{"id": "name", "width": 90}, {"id": "year", "width": 60}])
    with client.view("people", layout=layout, size=(300, 500)) as viewer:
        viewer.change_table({"name": {"width": 40}, "year": {"place": "leading"}})
        viewer.settle()
        cells = {e.kind: e.frame for e in viewer.elements if e.kind and e.item == 3}
        assert (cells["year"][0], cells["name"][0], cells["name"][2]) == (0, 60, 40)
        viewer.change_table(reset=True)
        viewer.settle()
        assert [e.frame[2] for e in viewer.elements if e.kind == "name"] == [90] * 11


def test_a_named_layout_is_followed(client: Client) -> None:
    client.create_collection("rows", heights=[50] * 100)
    named = client.create_layout("rows", "main", layouts.list(row_spacing=0))
    assert [each.name for each in client.list_layouts("rows")] == [named.name]
    with client.view("rows", layout=named.name, size=(300, 500)) as viewer:
        client.update_layout(named.name, layouts.list(row_spacing=10))
        until(lambda: viewer.content_size[1] == 5990)
        client.delete_layout(named.name)


def test_a_viewer_goes_on_after_the_server_was_killed(tmp_path: pathlib.Path) -> None:
    with LayoutServer.start_local(store=tmp_path / "store.sqlite") as server:
        with server.client() as client:
            client.create_collection(
                "rows", heights=[50] * 1000, keys=range(1000), layout=layouts.list())
            with client.view("rows", size=(300, 500)) as viewer:
                viewer.change_layout(layouts.list(row_spacing=2))
                viewer.scroll(y=9000)
                viewer.settle()
                keys = in_sight(viewer)
                server.kill()
                until(lambda: not viewer.is_connected)
                # While nobody is there: scroll steps become one.
                for step in range(50):
                    viewer.scroll(y=9000 + step / 10)
                assert sum(r.HasField("viewport") for r in viewer._machine._pending.values()) == 1
                server.restart()
                assert viewer.update(updates.insert((0, 0), heights=40, keys=["new"]), timeout=30) == 1
                viewer.settle(30)
                assert len(keys) > 9 and in_sight(viewer) == keys
                assert viewer.reconnections >= 1 and viewer.content_size[1] == 50_040 + 2000
                assert_current(client, viewer)


def test_a_viewer_resumes_where_the_session_lives(client: Client) -> None:
    client.create_collection("rows", heights=[50] * 1000, keys=range(1000), layout=layouts.list())
    with client.view("rows", size=(300, 500)) as viewer:
        session = viewer.session
        viewer.next_frame(10)
        for cut in range(3):
            viewer.scroll(y=1000.0 * cut)
            viewer._call.cancel()
            version = viewer.update(updates.delete((0, 0)))
            until(lambda: viewer.data_version == version)
            assert_current(client, viewer)
        assert viewer.session == session and viewer.reconnections == 3


def test_a_deleted_collection_ends_the_viewer(client: Client) -> None:
    client.create_collection("gone", heights=[50] * 10, layout=layouts.list())
    with client.view("gone", size=(300, 500)) as viewer:
        client.delete_collection("gone")
        with pytest.raises(NotFoundError):
            for _ in viewer:
                pass
        with pytest.raises(NotFoundError):
            viewer.update(updates.delete((0, 0)))


def test_a_closed_viewer_ends_its_frames(client: Client) -> None:
    viewer = client.view(contents=sample(4), layout=layouts.flow())
    viewer.close()
    viewer.close()
    assert list(viewer) == []
    with pytest.raises(LayoutError):
        viewer.next_frame()


def test_an_address_without_a_server_is_an_error_with_advice() -> None:
    with Client("127.0.0.1:9", connect_timeout=0.3, timeout=0.5) as client:
        with pytest.raises(UnavailableError, match="layout-server"):
            client.view("rows")
        with pytest.raises(UnavailableError, match="127.0.0.1:9"):
            client.get_collection("rows")


def test_waiting_doubles_up_to_its_limits() -> None:
    now = [0.0]
    backoff = Backoff(lambda low, high: (low + high) / 2, now=lambda: now[0])
    assert [round(backoff.next(), 1) for _ in range(7)] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    backoff.succeeded()
    now[0] += 1.5
    waits = [backoff.next() for _ in range(11)]
    assert waits[0] == 0.1 and waits[-2:] == [10, 10]
    spread = Backoff(random.Random(5).uniform)
    assert 0.08 <= spread.next() <= 0.12


def test_drawings_for_notebooks(client: Client) -> None:
    with client.view(contents=sample(5), layout=layouts.flow(), size=(400, 300)) as viewer:
        for drawn in (viewer, viewer.elements, viewer.next_frame(10)):
            assert drawn._repr_html_().startswith("<svg") and "s0i0" in drawn._repr_html_()


def test_headers_have_the_keys_of_their_sections(client: Client) -> None:
    """In both encodings, with and without numpy, also when sections move."""
    client.create_collection("headed", sample(5, most=8), layout=layouts.list(header_height=30))
    for packed in (True, False):
        for vectors in VECTORS:
            with client.view("headed", size=(320, 3000), packed=packed, vectors=vectors) as viewer:
                headers = [e for e in viewer.elements if e.kind == "header"]
                assert len(headers) > 1
                assert all(e.key == f"s{e.section}" and e.item is None for e in headers)
                assert all(e.key.startswith(f"s{e.section}i") for e in viewer.elements if e.item is not None)
                assert headers[0].to_message().section_key == headers[0].key


def test_items_carry_data_for_renderers(client: Client) -> None:
    """In both encodings, with and without numpy; only for viewers that ask, and anew when only the data change."""
    titles = ["first", "", None, {"title": "fourth", "tags": [1, 2]}]
    client.create_collection("titled", contents(heights=40, keys=list("abcd"), data=titles),
                             layout=layouts.list())
    for packed in (True, False):
        for vectors in VECTORS:
            with client.view("titled", size=(320, 400), packed=packed, vectors=vectors,
                             capabilities={"item_data": True}) as viewer, \
                    client.view("titled", size=(320, 400), packed=packed, vectors=vectors) as other:
                assert [e.data for e in sorted(viewer.elements, key=lambda e: e.frame.y)] == [
                    "first", "", "", '{"title":"fourth","tags":[1,2]}']
                assert viewer.elements[0].to_message().item_data == viewer.elements.data[0]
                assert set(other.elements.data) == {""}
                viewer.next_frame(), other.next_frame()
                version = client.apply("titled", updates.reconfigure((0, 1), data=f"second {packed} {vectors}"))
                frame = next(frame for frame in viewer if frame.data_version == version)
                assert [e.data for e in frame.elements if e.key == "b"] == [f"second {packed} {vectors}"]
                assert len(frame.changed) == 1
                client.apply("titled", updates.reconfigure((0, 1), data=""))
    with pytest.raises(LayoutError) as caught:
        client.apply("titled", updates.reconfigure((0, 1), data="x" * 1025))
    assert caught.value.field and caught.value.field.endswith("blocks[0].data[0]")


def test_settle_is_answered_although_nothing_changes(client: Client) -> None:
    """A scroll within the coverage brings no frame."""
    client.create_collection("still", contents(count=100, heights=44), layout=layouts.list())
    with client.view("still", size=(320, 400)) as viewer:
        viewer.next_frame()
        began = time.monotonic()
        for y in range(20):
            viewer.scroll(y=y)
            viewer.settle()
        assert time.monotonic() - began < 5
        assert viewer.take_frame() is None


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("vectors", VECTORS)
def test_sections_that_the_client_scrolls(client: Client, packed: bool, vectors: bool) -> None:
    """Elements are where the server says that they are, and steps within a section need no frame."""
    size = {"width": {"absolute": 100}, "height": {"absolute": 50}}
    layout = {"compositional": {"sections": [{
        "orthogonal_scrolling": "continuous",
        "group": {"axis": "horizontal", "size": size, "subitems": [{"item": {"size": size}}]}}]}}
    client.create_collection("shelves", contents(section(count=50), section(count=50)), layout=layout)
    with client.view("shelves", size=(320, 400), packed=packed, vectors=vectors,
                     capabilities={"section_scrolling": True}) as own, \
            client.view("shelves", size=(320, 400), packed=packed, vectors=vectors,
                        capabilities={"section_scrolls": True}) as other:
        frame = own.next_frame()
        assert [s.content_length for s in frame.section_scrolls.sections] == [5000, 5000]
        assert all(e.scrolls_across for e in frame.elements)
        frames = 0
        for offset in (30, 90, 150, 800, 830, 4680, 1e9):
            for viewer in (own, other):
                viewer.scroll(sections={1: offset})
                viewer.settle()
            newer = own.take_frame()
            if newer is not None:
                frame, frames = newer, frames + 1
            shown = other.take_frame()
            assert shown is not None or offset == 1e9
            states = {s.section: s for s in frame.section_scrolls.sections}
            drawn = {}
            for e in own.elements:
                state = states[e.section]
                kept = min(max(offset if e.section == 1 else 0, state.min_offset), state.max_offset)
                drawn[e.section, e.item] = e.frame.x + state.direction.x * kept, e.frame.y
            for e in other.elements:
                if e.frame.x < 320 and e.frame.x + e.frame.width > 0:
                    assert drawn[e.section, e.item] == pytest.approx((e.frame.x, e.frame.y))
        assert frames == 2
        # Another section at the same index is told, once.
        assert not any(s.is_reset for s in frame.section_scrolls.sections)
        own.update(updates.delete_sections(1), updates.insert_sections(1, section(count=50)))
        resets = [[s.is_reset for s in own.next_frame().section_scrolls.sections]]
        own.update(updates.delete((1, 0)))
        resets.append([s.is_reset for s in own.next_frame().section_scrolls.sections])
        assert resets == [[False, True], [False, False]]


def test_rules_for_kinds_and_items_decide_where_elements_come_from(client: Client) -> None:
    """The first rule that is for an element counts."""
    rules = [{"item_keys": ["new-1"], "appearing": {"offset": (11, 0)}},
             {"category": "cell", "appearing": {"offset": (22, 0)}, "disappearing": {"offset": (33, 0)}}]
    client.create_collection(
        "rules", contents(heights=[40] * 5, keys=[f"row{n}" for n in range(5)]),
        layout={"list": {}, "appearance_rules": rules})
    with client.view("rules", size=(320, 400), animations=True) as viewer:
        viewer.next_frame()
        viewer.update(updates.insert((0, 0), heights=[40, 40], keys=["new-1", "new-2"]),
                      updates.delete((0, 4)), animated=True)
        frame = viewer.next_frame()
        assert frame.transition is not None
        starts = {e.item_key: e.attributes.frame.x for e in frame.transition.appearing}
        assert starts == {"new-1": 11, "new-2": 22}
        assert [e.attributes.frame.x for e in frame.transition.disappearing] == [33]
