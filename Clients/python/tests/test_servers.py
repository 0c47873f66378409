# SPDX-License-Identifier: Apache-2.0
"""Several servers: where one is lost, its clients go on at the next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

from collection_layout import AsyncClient, Client, LayoutServer, layouts
from collection_layout._servers import Servers, address_list
from collection_layout.machine import Backoff

KEYS = [f"row-{index}" for index in range(1000)]


@pytest.fixture
def servers() -> Iterator[list[LayoutServer]]:
    """Two servers with the same rows; the second has two more at the top."""
    options = ["--resume-secret", "the secret of both servers"]
    with (LayoutServer.start_local(options=options) as first,
          LayoutServer.start_local(options=options) as second):
        for server, above in ((first, 0), (second, 2)):
            with server.client() as client:
                client.create_collection(
                    "rows", heights=[20] * (1000 + above), layout=layouts.list(),
                    keys=[f"new-{index}" for index in range(above)] + KEYS)
        yield [first, second]


def test_a_viewer_goes_on_at_the_next_server_and_at_its_place(servers: list[LayoutServer]) -> None:
    with (Client(",".join(server.address for server in servers)) as client,
          client.view("rows", size=(300, 400)) as viewer):
        viewer.scroll(y=5000)
        viewer.settle()
        assert client.address == servers[0].address
        start = time.monotonic()
        servers[0].kill()
        while not viewer.reconnections:
            viewer.next_frame(timeout=10)
        gap = time.monotonic() - start
        assert gap < 5
        elements = {each.key: each.frame.y - viewer.viewport.y for each in viewer.settle()}
        # Two rows of 20 points are above it now.
        assert viewer.viewport.y == 5040
        assert elements["row-250"] == 0
        assert client.address == servers[1].address
        assert client.get_collection("rows").item_count == 1002


def test_calls_go_on_at_the_next_server(servers: list[LayoutServer]) -> None:
    addresses = ",".join(server.address for server in servers)
    servers[0].kill()
    with Client(addresses) as client:
        assert client.get_collection("rows").item_count == 1002

    async def ask() -> int:
        async with AsyncClient(addresses) as client:
            return (await client.get_collection("rows")).item_count

    assert asyncio.run(ask()) == 1002


def test_an_asynchronous_viewer_goes_on_too(servers: list[LayoutServer]) -> None:
    async def view() -> float:
        async with AsyncClient(",".join(server.address for server in servers)) as client:
            async with client.view("rows", size=(300, 400)) as viewer:
                viewer.scroll(y=5000)
                await viewer.settle()
                servers[0].kill()
                while not viewer.reconnections:
                    await viewer.next_frame(timeout=10)
                await viewer.settle()
                return viewer.viewport.y

    assert asyncio.run(view()) == 5040


def test_addresses_take_turns() -> None:
    assert address_list("a:1, b:2,") == ["a:1", "b:2"]
    assert address_list("ipv4:1.2.3.4:5,6.7.8.9:10") == ["ipv4:1.2.3.4:5,6.7.8.9:10"]
    servers = Servers(["a", "b"], str.upper)
    assert (servers.address, servers.channel) == ("a", "A")
    servers.move_on(0)
    servers.move_on(0)
    assert (servers.address, servers.channel) == ("b", "B")
    servers.move_on(1)
    assert servers.address == "a"
    assert servers.channels == ["A", "B"]


def test_the_other_addresses_are_tried_at_once() -> None:
    now = [0.0]
    backoff = Backoff(lambda low, high: 1, addresses=3, now=lambda: now[0])
    assert [backoff.next() for _ in range(7)] == [0, 0, 0.1, 0, 0, 0.2, 0]
    backoff.succeeded()
    now[0] += 1.5
    assert [backoff.next() for _ in range(3)] == [0, 0, 0.1]
