# SPDX-License-Identifier: Apache-2.0
"""Calls, and the server that a test starts."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from collection_layout import (
    AlreadyExistsError, Client, ConflictError, FieldError, InvalidArgumentError, LayoutServer,
    LayoutError, NotFoundError, _calls, contents, layouts, section, updates)
from collection_layout.errors import value_at
from collection_layout.server import find_server
from collection_layout.v1 import collection_service_pb2, updates_pb2


def test_pages() -> None:
    request = collection_service_pb2.ListCollectionsRequest()
    page = collection_service_pb2.ListCollectionsResponse(next_page_token="a")
    assert _calls.turn_page(request, page) and request.page_token == "a"
    with pytest.raises(LayoutError, match="next_page_token"):
        _calls.turn_page(request, page)
    assert not _calls.turn_page(request, collection_service_pb2.ListCollectionsResponse())


def test_collections(client: Client) -> None:
    made = client.create_collection("one", contents(heights=[10, 20]), layout=layouts.list())
    assert (made.name, made.item_count, made.data_version) == ("collections/one", 2, 0)
    with pytest.raises(AlreadyExistsError):
        client.create_collection("collections/one")
    client.create_collection("two", [section(key="a", heights=[1]), section(key="b", heights=[2, 3])])
    client.create_collection("three", heights=[5] * 7)
    assert [(c.name, c.item_count) for c in client.list_collections()] == [
        ("collections/one", 2), ("collections/three", 7), ("collections/two", 3)]
    changed = client.update_collection("one", display_name="One", labels={"a": "b"})
    assert changed.display_name == "One" and changed.default_layout.WhichOneof("kind") == "list"
    with pytest.raises(ConflictError):
        client.update_collection("one", display_name="x", etag=made.etag)
    with pytest.raises(FieldError):
        client.create_collection("four", contents(), heights=[1])
    client.delete_collection("one")
    client.delete_collection("one", allow_missing=True)
    with pytest.raises(NotFoundError) as caught:
        client.get_collection("one")
    assert caught.value.reason == "COLLECTION_NOT_FOUND"


def test_refused_calls_say_which_field_and_what_it_had(client: Client) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        client.create_collection("no/name")
    assert caught.value.field and caught.value.value == "no/name"
    with pytest.raises(ConflictError) as conflict:
        client.create_collection("rows", heights=[1])
        client.apply("rows", updates.batch(expected_data_version=7))
    assert conflict.value.metadata["currentDataVersion"] == "0"


def test_all_edits(client: Client) -> None:
    client.create_collection("rows", [
        section(key="a", heights=[1, 2, 3, 4], keys=["a", "b", "c", "d"]), section(key="b", count=0)])

    def keys() -> list[list[str]]:
        return [[key for block in each.blocks for key in block.keys]
                for each in client.export_contents("rows").sections]

    assert client.apply(
        "rows", updates.insert((0, 1), heights=[9, 9], keys=["x", "y"]), updates.delete((0, 3)),
        updates.move((0, 0), (1, 0))) == 1
    assert keys() == [["b", "x", "y", "c"], ["a"]]
    client.apply("rows", updates.reload((0, 0), heights=7, keys=["new"]),
                 updates.reconfigure((0, 2), heights=[8, 8]), animated=True)
    assert keys() == [["new", "x", "y", "c"], ["a"]]
    client.apply("rows", updates.insert_sections(0, section(key="c", keys=["z"])))
    client.apply("rows", updates.move_section(0, 2))
    assert keys() == [["new", "x", "y", "c"], ["a"], ["z"]]
    client.apply("rows", updates.delete_sections(1))
    client.apply("rows", updates.snapshot(section(key="a", keys=["c", "x"]), animated=True))
    assert keys() == [["c", "x"]]
    batch = updates.batch(updates.delete((0, 0)))
    assert client.apply("rows", batch) == client.apply("rows", batch)
    with pytest.raises(FieldError, match=r"is not \(section, item\)"):
        updates.delete(3)  # type: ignore[arg-type]
    with pytest.raises(FieldError):
        client.apply("rows", batch, updates.delete((0, 0)))


def test_questions(client: Client) -> None:
    rows = contents(heights=[10] * 2500)
    size = dict(size=(300, 100), layout=layouts.list())
    found = list(client.query_elements((0, 0, 300, 21_000), contents=rows, **size))  # type: ignore[arg-type]
    assert len(found) == 2100
    assert client.content_size(contents=rows, **size) == (300, 25_000)  # type: ignore[arg-type]
    assert client.hit_test((5, 99_999), contents=rows, **size) is None  # type: ignore[arg-type]
    way = client.scroll_map([0.5], buckets=5, sections=[0], contents=rows, **size)  # type: ignore[arg-type]
    assert way.places[0].item.item == 1245 and way.sections[0].content_offset.y == 0
    assert [bucket.item_count for bucket in way.buckets] == [500] * 5
    assert client.validate_layout({"list": {"row_height": -1}})[0].field
    assert client.server_info().limits.max_message_bytes == 4 << 20
    with pytest.raises(FieldError):
        client.content_size(collection="a", contents=rows)


def test_paths_lead_to_values() -> None:
    batch = updates_pb2.UpdateBatch(operations={"operations": [
        updates.delete((0, 0)), updates.move((1, 2), (3, 4))]})
    assert value_at(batch, "operations.operations[1].move_item.to.section") == 3
    for path in ("", "operations.operations[9]", "nothing", "request_id.x"):
        assert value_at(batch, path) is None


def test_a_server_is_found(tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    program = tmp_path / ".build" / "debug" / "layout-server"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 'cannot start' >&2\nexit 3\n")
    program.chmod(0o755)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("LAYOUT_SERVER", raising=False)
    assert find_server() == str(program)
    with pytest.raises(RuntimeError, match="ended with status 3: cannot start"):
        LayoutServer.start_local()
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_server() == str(program)
    monkeypatch.setenv("LAYOUT_SERVER", "/nowhere/layout-server")
    with pytest.raises(FileNotFoundError, match="/nowhere/layout-server"):
        LayoutServer.start_local()


def test_a_server_stops_by_itself() -> None:
    server = LayoutServer.start_local(options=["--max-items", "5"])
    with server.client() as client:
        assert client.server_info().limits.max_items_per_collection == 5
    assert server.is_running
    assert server.stop() == 0 and not server.is_running
    with pytest.raises(RuntimeError, match="--max-item"):
        LayoutServer.start_local(options=["--max-item", "5"])
