# SPDX-License-Identifier: Apache-2.0
"""Layouts of providers, with a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from collection_layout import LayoutError, LayoutServer, contents, layouts, section
from collection_layout.provider import Container, Items, Other, Placed, Provider, layout, start


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
