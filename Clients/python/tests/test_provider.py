# SPDX-License-Identifier: Apache-2.0
"""Layouts of providers, with a real server."""

from __future__ import annotations

import queue
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from collection_layout import LayoutError, LayoutServer, contents, layouts, section, updates
from collection_layout.provider import Container, Items, Other, Placed, Provider, layout, start
from collection_layout.v1 import collection_pb2, layout_provider_pb2, layout_provider_pb2_grpc


@layout("steps", schema={"type": "object", "properties": {"step": {"type": "number"}}})
def steps(items: Items, container: Container) -> Placed:
    """Each item one step down."""
    step = float(container.parameters.get("step", 10))
    if step < 0:
        raise ValueError("step: not negative")
    titles = [Other("title", 0, 5 * i, container.width, 5, section=i)
              for i in range(len(items.section_counts))]
    return Placed(
        x=0, y=[step * i for i in range(len(items))], width=container.width, height=step,
        others=titles)


@layout("broken")
def broken(items: Items, container: Container) -> Placed:
    return Placed(x=[float("nan")] * len(items), y=0, width=1, height=1)


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with start(token="secret") as provider:
        yield provider


@pytest.fixture(scope="module")
def provided(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LayoutServer]:
    token = tmp_path_factory.mktemp("provider") / "token"
    token.write_text("secret\n")
    address = f"127.0.0.1:{provider.port}"
    with LayoutServer.start_local(options=[
            "--layout-provider", f"steps={address},broken={address},absent={address}",
            "--layout-provider-token-file", str(token)]) as server:
        yield server


def test_a_caller_that_sends_nothing_does_not_keep_the_threads() -> None:
    with start(threads=1, patience=0.3) as provider:
        with grpc.insecure_channel(f"127.0.0.1:{provider.port}") as channel:
            stub = layout_provider_pb2_grpc.LayoutProviderServiceStub(channel)
            silent: queue.SimpleQueue[Any] = queue.SimpleQueue()
            begin = layout_provider_pb2.PrepareLayoutRequest(start=dict(layout="steps"))
            for first in ([], [begin]):
                for request in first:
                    silent.put(request)
                call = stub.PrepareLayout(iter(silent.get, None))
                found = stub.DescribeLayouts(layout_provider_pb2.DescribeLayoutsRequest(), timeout=10)
                assert "steps" in [each.name for each in found.layouts]
                with pytest.raises(grpc.RpcError):
                    list(call)
                silent.put(None)


def test_what_a_function_places_is_seen(provided: LayoutServer) -> None:
    with provided.client() as client:
        client.create_collection("two", contents(section(count=3000), section(count=2000)))
        steps = layouts.custom(name="steps", parameters={"step": 20})
        with client.view("two", layout=steps, size=(100, 50)) as viewer:
            cells = [element for element in viewer.elements if element.category == "cell"]
            assert [cell.frame.y for cell in cells[:3]] == [0, 20, 40]
            assert viewer.content_size == (100, 100_000)
            assert any(element.kind == "title" for element in viewer.elements)


@pytest.mark.parametrize("name", ["broken", "absent"])
def test_what_cannot_be_placed_is_refused_by_name(provided: LayoutServer, name: str) -> None:
    with provided.client() as client, pytest.raises(LayoutError, match="provider of the layout"):
        list(client.query_elements(
            (0, 0, 10, 10), contents=contents(section(count=3)), layout=layouts.custom(name=name),
            size=(10, 10)))


@layout("packed")
def packed(items: Items, container: Container) -> Placed:
    """Items by their widths, with a badge on each tenth and a title above each section that is not empty."""
    others = [Other("badge", 1, 1, 2, 2, section=int(section), item=int(index))
              for section, index in zip(items.section, items.index) if index % 10 == 0]
    others += [Other(f"title {count % 3}", 0, 0, 10, 10, section=section)
               for section, count in enumerate(items.section_counts) if count]
    return Placed(
        x=[float(7 * width % 1000) for width in items.width], y=list(items.width), width=items.width, height=5,
        others=others, content=(1000, 1000))


def test_what_changes_lead_to_is_what_is_placed_anew(provider: Provider, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("secret\n")
    numbers = random.Random(4)
    widths = [[float(i) for i in range(40)], [], [float(100 + i) for i in range(25)]]

    def data() -> collection_pb2.CollectionContents:
        return contents(*(section(count=len(each), widths=each or None) for each in widths))

    with LayoutServer.start_local(options=[
            "--layout-provider", f"packed=127.0.0.1:{provider.port}",
            "--layout-provider-token-file", str(token)]) as server, server.client() as client:
        packed = layouts.custom(name="packed")
        client.create_collection("edited", data())

        def elements(**source: Any) -> list[str]:
            found = client.query_elements((0, 0, 2000, 3000), layout=packed, size=(100, 100), **source)
            return sorted(str(each) for each in found)

        elements(collection="edited")
        for step in range(20):
            number = numbers.randrange(3)
            place = numbers.randrange(len(widths[number]) + 1)
            if numbers.random() < 0.5 or not widths[number]:
                new = [1000.0 + step, 2000.0 + step]
                client.apply("edited", updates.insert((number, place), widths=new))
                widths[number][place:place] = new
            else:
                place = min(place, len(widths[number]) - 1)
                client.apply("edited", updates.delete((number, place)))
                del widths[number][place]
            assert elements(collection="edited") == elements(contents=data())


def test_requests_that_break_a_rule_are_refused() -> None:
    request = layout_provider_pb2.PrepareLayoutRequest
    begin = request(start=layout_provider_pb2.PrepareLayoutStart(layout="packed"))
    section = request(section=collection_pb2.Section())

    def items(**columns: Any) -> layout_provider_pb2.PrepareLayoutRequest:
        return request(items=collection_pb2.ItemBlock(**columns))

    refused = grpc.StatusCode.INVALID_ARGUMENT
    with start(items=10) as provider, grpc.insecure_channel(f"127.0.0.1:{provider.port}") as channel:
        stub = layout_provider_pb2_grpc.LayoutProviderServiceStub(channel)
        for parts, code in [
                ([], refused), ([section], refused), ([begin, begin], refused), ([begin, request()], refused),
                ([begin, items(count=1)], refused), ([begin, section, items(count=3, xs=[1, 2])], refused),
                ([begin, section, items(count=1, cell_kinds=[1])], refused),
                ([begin, section, items(count=2**32 - 1)], grpc.StatusCode.RESOURCE_EXHAUSTED),
                ([begin] + [section] * 11, grpc.StatusCode.RESOURCE_EXHAUSTED)]:
            with pytest.raises(grpc.RpcError) as error:
                list(stub.PrepareLayout(iter(parts)))
            assert error.value.code() == code, parts
        placed = list(stub.PrepareLayout(iter([begin, section, items(count=10, widths=[1])])))
        assert placed[-1].end.element_count == 12
        update = layout_provider_pb2.UpdatePlacementRequest
        cookie = placed[-1].end.cookie
        for kept in [(0, 9, 2), (1, 0, 1), (0, 0, 0)]:
            changes = [
                update(start=layout_provider_pb2.UpdatePlacementStart(prepare=begin.start, cookie=cookie)),
                update(section=layout_provider_pb2.UpdatedSection()),
                update(kept=layout_provider_pb2.KeptItems(section=kept[0], first=kept[1], count=kept[2]))]
            with pytest.raises(grpc.RpcError) as error:
                list(stub.UpdatePlacement(iter(changes)))
            assert error.value.code() == refused, kept


@layout("typing mistake")
def typing_mistake(items: Items, container: Container) -> Placed:
    raise TypeError("no such thing")


def test_a_parameter_that_is_no_number_is_refused_with_its_name() -> None:
    container = Container(1, 1, parameters={"size": 3, "none": None, "flag": True, "list": [1]})
    assert container.number("size", 20) == 3
    assert container.number("absent", 20) == 20
    for name, found in [("none", "null"), ("flag", "true"), ("list", r"\[1\]")]:
        with pytest.raises(ValueError, match=f"^{name}: {found} found; a number is allowed$"):
            container.number(name, 20)


def test_the_author_of_a_layout_sees_where_it_failed(caplog: pytest.LogCaptureFixture) -> None:
    request = layout_provider_pb2.PrepareLayoutRequest
    begin = request(start=layout_provider_pb2.PrepareLayoutStart(layout="typing mistake"))
    with start() as provider, grpc.insecure_channel(f"127.0.0.1:{provider.port}") as channel:
        stub = layout_provider_pb2_grpc.LayoutProviderServiceStub(channel)
        with pytest.raises(grpc.RpcError):
            list(stub.PrepareLayout(iter([begin])))
    found = [record for record in caplog.records if record.name == "collection_layout.provider"]
    assert [record.getMessage() for record in found] == ["the layout 'typing mistake' failed"]
    assert found[0].exc_info is not None and found[0].exc_info[0] is TypeError


def test_a_second_provider_at_the_same_port_is_refused() -> None:
    with start() as provider, pytest.raises(RuntimeError):
        start(port=provider.port)
