# SPDX-License-Identifier: Apache-2.0
"""Servers that are faulty or hostile: what they send ends in errors, and never in silence or without end."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from collection_layout import (
    AccessError, AsyncClient, Client, LayoutError, Machine, Mirror, NotFoundError)
from collection_layout.errors import make_error
from collection_layout.machine import MOST_KEPT, MOST_KEPT_BYTES, Backoff
from collection_layout.v1 import (
    collection_service_pb2, collection_service_pb2_grpc, session_pb2, session_pb2_grpc)

Response = session_pb2.StreamLayoutResponse
Part = collection_service_pb2.ExportContentsResponse
ABSURD = dict(seconds=1 << 62, nanos=(1 << 31) - 1)


class Fake(session_pb2_grpc.LayoutSessionServiceServicer,
           collection_service_pb2_grpc.CollectionServiceServicer):
    """A server of which the test says what it sends."""

    def __init__(self) -> None:
        self.streams = 0
        self.script: Callable[[Any, Any], Iterator[Response]] = lambda requests, context: iter(())
        self.parts: Any = ()
        self.server = grpc.server(futures.ThreadPoolExecutor(8))
        session_pb2_grpc.add_LayoutSessionServiceServicer_to_server(self, self.server)
        collection_service_pb2_grpc.add_CollectionServiceServicer_to_server(self, self.server)
        self.address = f"localhost:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def StreamLayout(self, request_iterator: Any, context: Any) -> Any:
        self.streams += 1
        yield from self.script(request_iterator, context)

    def GetCollection(self, request: Any, context: Any) -> Any:
        unreadable(context, grpc.StatusCode.NOT_FOUND)

    def ExportContents(self, request: Any, context: Any) -> Any:
        yield from self.parts


@pytest.fixture
def fake() -> Iterator[Fake]:
    """One such server."""
    served = Fake()
    yield served
    served.server.stop(None)


def opened(**options: Any) -> Response:
    """The answer to an opening."""
    return Response(opened=dict(
        session="sessions/a", units_per_point=64, resume_token=b"token", options=options))


def going_away(delay: dict[str, int]) -> Response:
    return Response(notice=dict(type="TYPE_GOING_AWAY", reconnect_delay=delay))


def first_frame() -> Response:
    """A frame without elements."""
    return Response(frame=dict(frame_seq=1))


def cell(seq: int, x: float, base: int = 0, **fields: Any) -> Response:
    """A frame with one item."""
    upserts = [dict(key=dict(category=1, index_path=dict(item=0)), attributes=dict(frame=dict(x=x)))]
    return Response(frame=dict(
        frame_seq=seq, base_frame_seq=base, live_count=1, elements=dict(upserts=upserts), **fields))


def unreadable(context: Any, code: grpc.StatusCode) -> None:
    """Ends a call with details that are none."""
    context.set_trailing_metadata([("grpc-status-details-bin", b"\xff\xff\xff")])
    context.abort(code, "why")


def machine() -> Machine:
    """The state of a viewer that has a session."""
    result = Machine(session_pb2.OpenSession(collection="collections/a"), Mirror())
    result.first_request()
    return result


def gone(context: Any) -> None:
    """Refuses a resume."""
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason="SESSION_EXPIRED", domain="collection_layout.v1"))
    status = status_pb2.Status(code=5, message="gone", details=[detail])
    context.set_trailing_metadata([("grpc-status-details-bin", status.SerializeToString())])
    context.abort(grpc.StatusCode.NOT_FOUND, "gone")


@pytest.mark.parametrize("delay, least, most", [
    (ABSURD, 60, 60), (dict(seconds=-5, nanos=-7), 0, 0.2), (dict(seconds=7), 7, 7), ({}, 0, 0.2)])
def test_a_server_that_goes_is_waited_for_at_most_a_minute(
        delay: dict[str, int], least: float, most: float) -> None:
    state, now = machine(), [0.0]
    state.backoff = Backoff(now=lambda: now[0])
    state.receive(opened())
    state.receive(going_away(delay))
    assert least <= state.ended(None) <= most
    # After a stream that worked, what the server said counts.
    state.receive(opened())
    now[0] += 2
    state.receive(going_away(delay))
    assert state.ended(None) == least


@pytest.mark.parametrize("given, seconds", [
    (None, 15), ({}, 15), (ABSURD, 60), (dict(seconds=-1 << 62, nanos=-5), 1), (dict(nanos=1), 1),
    (dict(seconds=20), 20)])
def test_heartbeats_come_after_1_to_60_s(given: dict[str, int] | None, seconds: float) -> None:
    state = machine()
    state.receive(opened() if given is None else opened(heartbeat_interval=given))
    assert state.heartbeat == seconds


@pytest.mark.parametrize("text, seconds", [("1e300", 60), ("inf", 60), ("nan", 0), ("-5", 0), ("soon", None)])
def test_errors_ask_for_at_most_a_minute(text: str, seconds: float | None) -> None:
    error = make_error(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "", metadata={"retryDelayMilliseconds": text})
    assert error.retry_delay == seconds


def test_a_viewer_goes_on_after_an_absurd_delay(fake: Fake) -> None:
    def script(requests: Any, context: Any) -> Iterator[Response]:
        yield opened(heartbeat_interval=ABSURD)
        yield first_frame()
        yield going_away(ABSURD)

    fake.script = script
    with Client(fake.address) as client, client.view("a") as viewer:
        viewer.next_frame(5)
        time.sleep(0.3)
        assert viewer._thread.is_alive() and viewer._failure is None and not viewer.is_connected

    async def watch() -> None:
        async with AsyncClient(fake.address) as client, client.view("a") as viewer:
            await viewer.next_frame(5)
            await asyncio.sleep(0.3)
            assert viewer._failure is None and not viewer.is_connected

    asyncio.run(watch())


def test_whoever_waits_is_told_of_a_fault_of_the_client(
        fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also outside of the stream, and where gRPC asks for requests."""
    def script(requests: Any, context: Any) -> Iterator[Response]:
        yield opened()
        yield first_frame()
        next(requests)
        if ends:
            context.abort(grpc.StatusCode.UNAVAILABLE, "bye")
        yield Response(heartbeat={})
        yield from (Response() for _ in requests)

    def fail(*_: Any) -> float:
        raise OverflowError("a fault")

    async def watch() -> None:
        async with AsyncClient(fake.address) as client, client.view("a") as viewer:
            await viewer.next_frame(5)
            for _ in range(2):
                with pytest.raises(OverflowError, match="a fault"):
                    await viewer.next_frame(5)
            with pytest.raises(OverflowError, match="a fault"):
                await viewer.settle(5)
            assert not viewer.is_connected

    fake.script = script
    ends = True
    monkeypatch.setattr(Machine, "ended", fail)
    asyncio.run(watch())
    for ends in (True, False):
        if not ends:
            monkeypatch.undo()
        with Client(fake.address) as client, client.view("a") as viewer:
            viewer.next_frame(5)
            if not ends:
                monkeypatch.setattr(Machine, "heartbeat", property(fail))
                viewer.scroll(0, 1)
            with pytest.raises(OverflowError, match="a fault"):
                viewer.next_frame(5)
            with pytest.raises(OverflowError, match="a fault"):
                viewer.settle(5)
            assert not viewer.is_connected


def test_only_a_stream_that_worked_begins_the_waiting_anew() -> None:
    now = [0.0]
    backoff = Backoff(lambda low, high: 1, now=lambda: now[0])
    assert [backoff.next() for _ in range(3)] == [0.1, 0.2, 0.4]
    for expected in (0.8, 1.6, 3.2, 6.4):
        backoff.succeeded()
        now[0] += 0.9
        assert backoff.next() == expected
    backoff.succeeded()
    now[0] += 1.1
    assert [backoff.next() for _ in range(2)] == [0.1, 0.2]


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_server_whose_streams_break_at_once_is_not_stormed(fake: Fake, is_refused: bool) -> None:
    def script(requests: Any, context: Any) -> Iterator[Response]:
        if is_refused and next(requests).open.HasField("resume"):
            gone(context)
        yield opened()
        yield first_frame()
        context.abort(grpc.StatusCode.UNAVAILABLE, "bye")

    async def watch() -> None:
        async with AsyncClient(fake.address) as client, client.view("a"):
            await asyncio.sleep(3)

    fake.script = script
    with Client(fake.address) as client, client.view("a"):
        time.sleep(3)
    # After 0.1, 0.2, 0.4, 0.8 and 1.6 s, 20 % more or less; a session that cannot be resumed is followed by another
    # one at once.
    least, most = (7, 14) if is_refused else (4, 7)
    assert least <= fake.streams <= most
    fake.streams = 0
    asyncio.run(watch())
    assert least <= fake.streams <= most


def test_nobody_is_shown_a_frame_that_was_refused(fake: Fake) -> None:
    rejected, mends = threading.Event(), threading.Event()

    def script(requests: Any, context: Any) -> Iterator[Response]:
        yield opened()
        yield cell(1, 0)
        for request in requests:
            if request.HasField("sync"):
                yield cell(2, 5, base=1, state_checksum=1)
                yield Response(event_result=dict(event_seq=request.event_seq))
            if request.ack.rejected:
                rejected.set()
                mends.wait(20)
                yield cell(3, 10)

    def begin() -> None:
        rejected.clear()
        mends.clear()

    async def watch() -> None:
        async with AsyncClient(fake.address) as client, client.view("a") as viewer:
            settled = asyncio.create_task(viewer.settle(20))
            while not rejected.is_set():
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
            assert list(viewer.elements.x) == [0] and not settled.done()
            frame = await viewer.next_frame(5)
            assert frame.seq == 1 and list(frame.elements.x) == [0]
            mends.set()
            assert list((await settled).x) == [10] and (await viewer.next_frame(5)).seq == 3

    fake.script = script
    with Client(fake.address) as client, client.view("a") as viewer, futures.ThreadPoolExecutor() as pool:
        settled = pool.submit(viewer.settle, 20)
        assert rejected.wait(20)
        time.sleep(0.1)
        assert list(viewer.elements.x) == [0] and not settled.done()
        frame = viewer.next_frame(5)
        assert frame.seq == 1 and list(frame.elements.x) == [0]
        mends.set()
        assert list(settled.result().x) == [10] and viewer.next_frame(5).seq == 3
    begin()
    asyncio.run(watch())


def test_details_that_cannot_be_read_are_none(fake: Fake) -> None:
    def script(requests: Any, context: Any) -> Iterator[Response]:
        yield opened()
        yield first_frame()
        if fake.streams == 1:
            unreadable(context, grpc.StatusCode.UNAVAILABLE)
        yield from (Response() for _ in requests)

    async def watch() -> None:
        async with AsyncClient(fake.address) as client, client.view("a") as viewer:
            while viewer.reconnections == 0 and viewer._failure is None:
                await asyncio.sleep(0.01)
            assert viewer._failure is None
            with pytest.raises(NotFoundError, match="why"):
                await client.get_collection("a")

    fake.script = script
    with Client(fake.address) as client, client.view("a") as viewer:
        while viewer.reconnections == 0 and viewer._failure is None:
            time.sleep(0.01)
        assert viewer._failure is None
        with pytest.raises(NotFoundError, match="why"):
            client.get_collection("a")
    fake.streams = 0
    asyncio.run(watch())


def test_one_detail_that_cannot_be_read_leaves_the_others() -> None:
    class Ended(grpc.RpcError):
        """What a call ended with."""

        def code(self) -> grpc.StatusCode:
            return grpc.StatusCode.ABORTED

        def details(self) -> str:
            return "why"

        def trailing_metadata(self) -> Any:
            detail = any_pb2.Any()
            detail.Pack(error_details_pb2.ErrorInfo(reason="VERSION_CONFLICT"))
            broken = any_pb2.Any(type_url=detail.type_url, value=b"\xff")
            return [("grpc-status-details-bin", status_pb2.Status(details=[broken, detail]).SerializeToString())]

    assert LayoutError.from_rpc_error(Ended()).reason == "VERSION_CONFLICT"


def test_the_first_of_two_results_counts(fake: Fake) -> None:
    def script(requests: Any, context: Any) -> Iterator[Response]:
        yield opened()
        yield first_frame()
        for request in requests:
            if request.HasField("update"):
                for result in (dict(data_version=7), dict(data_version=99), dict(problem=dict(code=9))):
                    yield Response(event_result=dict(event_seq=request.event_seq, **result))

    async def change() -> None:
        async with AsyncClient(fake.address) as client, client.view("a") as viewer:
            assert {await viewer.update() for _ in range(200)} == {7}

    fake.script = script
    with Client(fake.address) as client, client.view("a") as viewer:
        assert {viewer.update() for _ in range(200)} == {7}
    asyncio.run(change())


def test_answers_to_heartbeats_do_not_pile_up_while_the_server_does_not_read(fake: Fake) -> None:
    counted = threading.Event()

    def script(requests: Any, context: Any) -> Iterator[Response]:
        yield opened()
        yield first_frame()
        # More than fit on the way.
        yield from [Response(heartbeat=dict(last_frame_seq=1))] * 8000
        yield Response(notice=dict(type="TYPE_RATE_LIMITED"))
        counted.wait(20)

    async def watch() -> None:
        async with AsyncClient(fake.address) as client, client.view("a") as viewer:
            requests = viewer._requests
            while not viewer.take_notices():
                await asyncio.sleep(0.01)
            waiting = requests.qsize() if requests else None
            counted.set()
            assert waiting is not None and waiting <= 1

    fake.script = script
    with Client(fake.address) as client, client.view("a") as viewer:
        requests = viewer._requests
        while not viewer.take_notices():
            time.sleep(0.01)
        waiting = requests.qsize() if requests else None
        counted.set()
        assert waiting is not None and waiting <= 1
    counted.clear()
    asyncio.run(watch())


def test_a_server_that_refuses_each_token_is_not_stormed(fake: Fake) -> None:
    asked: list[None] = []

    def token() -> str:
        asked.append(None)
        return "token"

    def script(requests: Any, context: Any) -> Iterator[Response]:
        yield opened()
        yield first_frame()
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "refused")

    async def watch() -> None:
        async with AsyncClient(fake.address, token=token) as client, client.view("a") as viewer:
            with pytest.raises(AccessError, match="refused"):
                for _ in range(100):
                    await viewer.next_frame(5)

    fake.script = script
    with Client(fake.address, token=token) as client, client.view("a") as viewer:
        with pytest.raises(AccessError, match="refused"):
            for _ in range(100):
                viewer.next_frame(5)
    assert fake.streams == len(asked) == 2
    asyncio.run(watch())
    # gRPC sometimes tells another status, after which the viewer waits.
    assert 4 <= fake.streams < 12


def test_what_nobody_takes_is_bounded() -> None:
    state = machine()
    state.receive(opened())
    for version in range(2 * MOST_KEPT):
        state.receive(Response(notice=dict(problem=dict(code=version))))
        state.receive(Response(prefetch=dict(items=[dict(item_key=str(version))])))
    assert [each.problem.code for each in state.notices] == list(range(MOST_KEPT, 2 * MOST_KEPT))
    assert [each.items[0].item_key for each in state.told] == [  # type: ignore[union-attr]
        str(version) for version in range(MOST_KEPT, 2 * MOST_KEPT)]
    state.told = []
    large = Response(visibility=dict(began=[dict(item_key="x" * (1 << 20))]))
    for _ in range(100):
        state.receive(large)
    assert 10 < len(state.told) and sum(each.ByteSize() for each in state.told) <= MOST_KEPT_BYTES
    # Even if it is too large, the newest one is there.
    state.receive(Response(visibility=dict(began=[dict(item_key="x" * (MOST_KEPT_BYTES + 1))])))
    assert len(state.told) == 1


HEADER = Part(header=dict(name="collections/a", section_count=2, item_count=5), cell_kind_names=["", "b"])
SECTION, ITEMS = Part(section=dict(key="k")), Part(items=dict(count=3, heights=[9]))


@pytest.mark.parametrize("parts, missing", [
    ([], "the header is missing"),
    ([SECTION, ITEMS], "the header is missing"),
    ([HEADER, HEADER], "more than one header"),
    ([HEADER, ITEMS], "items before the first section"),
    ([HEADER, SECTION], "1 of the 2 sections"),
    ([HEADER, SECTION, SECTION, ITEMS], "3 of the 5 items"),
    ([HEADER, SECTION, SECTION, SECTION], "more than the 2 sections"),
    ([HEADER, SECTION, *[ITEMS] * 1000], "more than the 5 items")])
def test_an_export_that_is_not_whole_is_an_error(fake: Fake, parts: list[Part], missing: str) -> None:
    fake.parts = parts

    async def export() -> None:
        async with AsyncClient(fake.address) as client:
            await client.export_contents("a")

    with Client(fake.address) as client, pytest.raises(LayoutError, match=missing) as found:
        client.export_contents("a")
    assert found.value.code == grpc.StatusCode.INTERNAL
    with pytest.raises(LayoutError, match=missing):
        asyncio.run(export())


def test_a_whole_export_is_what_was_sent(fake: Fake) -> None:
    fake.parts = [HEADER, SECTION, ITEMS, Part(items=dict(count=0)), SECTION, Part(items=dict(count=2))]
    with Client(fake.address) as client:
        found = client.export_contents("a")
    assert [[block.count for block in section.blocks] for section in found.sections] == [[3], [2]]
    assert list(found.cell_kind_names) == ["", "b"]
