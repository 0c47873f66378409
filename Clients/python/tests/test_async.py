# SPDX-License-Identifier: Apache-2.0
"""Viewers and calls with asyncio against the real server."""

from __future__ import annotations

import asyncio
import pathlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from collection_layout import (
    AsyncClient, DeadlineError, InvalidArgumentError, LayoutError, LayoutServer, NotFoundError,
    UnavailableError, contents, layouts, section, updates)
from test_viewer import in_sight


def run(server: LayoutServer, test: Callable[[AsyncClient], Awaitable[None]], **options: Any) -> None:
    """Runs a coroutine with a client, and fails if it hangs."""
    async def main() -> None:
        async with server.async_client(**options) as client:
            await test(client)
            async for each in client.list_collections():
                await client.delete_collection(each.name)

    asyncio.run(asyncio.wait_for(main(), 60))


def test_frames_scrolling_and_edits(server: LayoutServer) -> None:
    async def test(client: AsyncClient) -> None:
        rows = contents(heights=[50] * 1000, keys=range(1000))
        await client.create_collection("rows", rows, layout=layouts.list())
        async with client.view("rows", size=(300, 500)) as viewer:
            seen = []
            async for frame in viewer:
                seen.append(frame.offset[1])
                if len(seen) == 4:
                    break
                viewer.scroll(y=frame.offset[1] + 5000)
            assert seen == [0, 5000, 10_000, 15_000]
            assert await viewer.update(updates.insert((0, 0), heights=[70], keys=["x"])) == 1
            frame = await viewer.next_frame(10)
            assert frame.adjustment == (0, 70)
            assert await client.apply("rows", updates.delete((0, 0)), animated=True) == 2
            assert (await viewer.next_frame(10)).adjustment == (0, -70)
            assert (await viewer.scroll_to_item("0")) == (0, 0)
            elements = await viewer.settle()
            assert elements[0].key == "0" and viewer.viewport.y == 0
            with pytest.raises(InvalidArgumentError) as caught:
                await viewer.change_layout({"list": {"row_height": -1}})
            assert caught.value.value == -1
            assert (await viewer.neighbor("next", "4")).neighbor.item_key == "5"
            assert (await viewer.release((0, 500)))[1] > 0
            await viewer.set_options(overscan_ahead=2)
            viewer.resize(300, 200)
            await viewer.settle()
            with pytest.raises(DeadlineError):
                for _ in range(9):
                    await viewer.next_frame(0.05)
        assert [frame async for frame in viewer] == []

    run(server, test)


def test_calls(server: LayoutServer) -> None:
    async def test(client: AsyncClient) -> None:
        await client.create_collection("calls", display_name="Calls", layout=layouts.list())
        made = await client.import_contents(
            "calls", (section(key=str(n), heights=[10] * 5) for n in range(40)))
        assert (made.section_count, made.item_count) == (40, 200)
        assert len((await client.export_contents("calls")).sections) == 40
        assert await client.content_size(collection="calls", size=(300, 500)) == (300, 2000)
        assert len([e async for e in client.query_elements((0, 0, 300, 95), collection="calls")]) == 10
        hit = await client.hit_test((5, 15), collection="calls", size=(300, 500))
        assert hit is not None and hit.key.index_path.item == 1
        assert await client.validate_layout(layouts.list(row_height=-3))
        assert (await client.server_info()).limits.max_items_per_collection > 0
        await client.create_layout("calls", "a", layouts.grid(item_size=(9, 9)))
        assert [each.name async for each in client.list_layouts("calls")] == [
            "collections/calls/layouts/a"]
        await client.update_collection("calls", display_name="Other")
        assert (await client.get_collection("calls")).display_name == "Other"
        with pytest.raises(NotFoundError):
            await client.get_collection("nothing")

        def sections() -> Any:
            yield section(heights=[1])
            raise KeyError("no more")

        with pytest.raises(KeyError):
            await client.import_contents("calls", sections())

    run(server, test)


def test_a_viewer_goes_on_after_the_server_was_killed(tmp_path: pathlib.Path) -> None:
    with LayoutServer.start_local(store=tmp_path / "store.sqlite") as server:
        async def test(client: AsyncClient) -> None:
            await client.create_collection(
                "rows", heights=[50] * 1000, keys=range(1000), layout=layouts.list())
            async with client.view("rows", size=(300, 500)) as viewer:
                viewer.scroll(y=9000)
                await viewer.settle()
                keys = in_sight(viewer)
                server.kill()
                restarted = asyncio.get_running_loop().run_in_executor(None, server.restart)
                assert await viewer.update(updates.delete((0, 0)), timeout=30) == 1
                await restarted
                await viewer.settle(30)
                assert len(keys) > 9 and in_sight(viewer) == keys
                assert viewer.reconnections >= 1

        run(server, test)


def test_many_viewers_at_once(server: LayoutServer) -> None:
    async def test(client: AsyncClient) -> None:
        await client.create_collection("rows", heights=[50] * 1000, layout=layouts.list())
        viewers = [client.view("rows", size=(300, 500)) for _ in range(20)]
        await asyncio.gather(*(viewer.open() for viewer in viewers))
        version = await client.apply("rows", updates.delete((0, 0)))

        async def reaches(viewer: Any) -> None:
            async for frame in viewer:
                if frame.data_version == version:
                    return

        await asyncio.gather(*map(reaches, viewers))
        await asyncio.gather(*(viewer.close() for viewer in viewers))

    run(server, test)


def test_an_address_without_a_server_is_an_error_with_advice() -> None:
    async def main() -> None:
        async with AsyncClient("127.0.0.1:9", connect_timeout=0.3, timeout=0.5) as client:
            with pytest.raises(UnavailableError, match="layout-server"):
                async with client.view("rows"):
                    pass
            with pytest.raises(LayoutError):
                await client.get_collection("rows")

    asyncio.run(asyncio.wait_for(main(), 30))
