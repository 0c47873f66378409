# SPDX-License-Identifier: Apache-2.0
"""Requests that are valid and cost much: the neighbour scrolls on, memory stays within its limits, and
who asks for too much is told which quota it was."""

import contextlib
import random
import threading
import time

import grpc
import pytest
from calls import (
    CONTENT_SIZE, CREATE, Flood, Stream, answer_of, connect, items, open_stream, sections, viewport,
)
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import geometry_pb2 as geometry
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import updates_pb2 as updates
from conftest import GIVEN, Neighbour, Server
from raw import DATA, IMPORT, STREAM, Raw, frame, message

SECONDS = 2.5
WATCH_UPDATES = "/collection_layout.v1.CollectionService/WatchUpdates"
LIST = layouts.LayoutSpec(list={"row_height": 30})
# Refusals that name what was exceeded.
QUOTAS = {
    f"RESOURCE_EXHAUSTED QUOTA_{name}"
    for name in ("MEMORY", "CALL_RATE", "CALLS", "COMPUTATIONS", "STEPS")}


def assert_bounded(answers):
    assert set(answers) <= QUOTAS | {"OK"}, answers


def size(width, height):
    return layouts.LayoutSize(width=width, height=height)


def points(value):
    return {"absolute": value}


# MARK: Memory

# As little as lets the neighbour live.
SMALL = {
    "max-server-bytes": 192 << 20, "max-peer-bytes": 160 << 20, "max-connection-bytes": 96 << 20,
    "max-session-bytes": 64 << 20, "resident-bytes": 64 << 20, "max-collection-bytes": 64 << 20,
    "cache-bytes": 16 << 20, "max-detached-bytes": 16 << 20,
    # So that calls are refused when they have arrived: clients reset those that are refused before.
    "max-unfinished-bytes-per-connection": 32 << 20,
}
# What the process may have beyond its limit: itself, the allocator's, requests that are arriving.
BEYOND = 512


@contextlib.contextmanager
def watched_server(limits):
    """A server with limits of its own, whose neighbour scrolls on."""
    if GIVEN:
        pytest.skip("needs a server with limits of its own")
    server = Server(limits=limits)
    try:
        neighbour = Neighbour(server.address)
        yield server
        neighbour.assert_scrolls()
        neighbour.stop()
        assert server.is_alive
    finally:
        server.process.kill()


def test_watchers_who_read_nothing_of_many_small_messages():
    """A batch of 192 KB becomes 92,000 messages; watchers get it as it is stored."""
    with watched_server(SMALL) as server:
        stub = service_grpc.CollectionServiceStub(connect(server.address))
        name = stub.CreateCollection(service.CreateCollectionRequest(contents=items(10)), timeout=20).collection.name
        nothing = {"insert_items": {"at": {"section": 0, "item": 0}, "blocks": [{}] * 20}}
        batch = updates.UpdateBatch(operations={"operations": [nothing] * 4000})
        for _ in range(4):
            stub.ApplyUpdates(service.ApplyUpdatesRequest(name=name, batch=batch), timeout=20)
        before = server.memory
        body = message(service.WatchUpdatesRequest(name=name).SerializeToString())
        with contextlib.ExitStack() as stack:
            for host in ("127.0.0.2", "127.0.0.3"):
                raw = stack.enter_context(Raw(server.address, source=host))
                for _ in range(8):
                    raw.call(WATCH_UPDATES, body, end=True)
            begin = time.monotonic()
            stub.GetCollection(service.GetCollectionRequest(name=name), timeout=20)
            assert time.monotonic() - begin < 5
            time.sleep(SECONDS)
            # Of each batch a watcher has what waits to be read.
            assert server.memory < before + 128


def test_viewers_of_many_elements_who_read_nothing():
    """64 viewers of 20,000 elements each: their frames take turns, and no second one is made for any."""
    with watched_server({"idle-timeout-ms": 60_000, "write-timeout-ms": 60_000}) as server:
        stub = service_grpc.CollectionServiceStub(connect(server.address))
        layout = layouts.LayoutSpec(flow=dict(
            item_size=dict(width=10, height=10), minimum_line_spacing=0, minimum_interitem_spacing=0))
        name = stub.CreateCollection(service.CreateCollectionRequest(
            contents=items(20_000), collection=collection.Collection(default_layout=layout)),
            timeout=20).collection.name
        opening = session.StreamLayoutRequest(event_seq=1, open=session.OpenSession(
            collection=name, viewport=viewport(1000, 1000), options={"max_in_flight_frames": 8}))
        with Raw(server.address, window=65535) as raw:
            for _ in range(64):
                raw.call(STREAM, message(opening.SerializeToString()), end=False)
            rest = server.processor_seconds
            longest, quiet = 0, 0
            # Until all have their first frame.
            while quiet < 5:
                begin = time.monotonic()
                stub.GetCollection(service.GetCollectionRequest(name=name), timeout=20)
                longest = max(longest, time.monotonic() - begin)
                time.sleep(0.2)
                spent, rest = server.processor_seconds - rest, server.processor_seconds
                quiet = quiet + 1 if spent < 0.1 else 0
            reload = {"reload_items": {"range": {"section": 0, "first_item": 0, "item_count": 20_000},
                                       "blocks": [{"count": 20_000}]}}
            for _ in range(3):
                begin = time.monotonic()
                stub.ApplyUpdates(service.ApplyUpdatesRequest(
                    name=name, batch=updates.UpdateBatch(operations={"operations": [reload]})), timeout=20)
                longest = max(longest, time.monotonic() - begin)
                time.sleep(0.5)
            assert server.processor_seconds - rest < 1.5
            assert longest < 1


def test_one_large_commit_for_many_who_read_nothing():
    """800 watchers, to each of whom a batch of a megabyte is news at the same time."""
    with watched_server({"max-unread-bytes": 64 << 20, "idle-timeout-ms": 60_000}) as server:
        stub = service_grpc.CollectionServiceStub(connect(server.address))
        name = stub.CreateCollection(service.CreateCollectionRequest(contents=items(10)), timeout=20).collection.name
        body = message(service.WatchUpdatesRequest(name=name).SerializeToString())
        with contextlib.ExitStack() as stack:
            for number in range(8):
                raw = stack.enter_context(Raw(server.address, source=f"127.0.0.{number + 2}", window=65535))
                for _ in range(100):
                    raw.call(WATCH_UPDATES, body, end=True)
                # Each has heard what the version is.
                assert raw.read(lambda raw=raw: raw.data_bytes >= 100, 20) is True
            before = server.memory
            keys = [f"{number:0100d}" for number in range(10_000)]
            insertion = {"insert_items": {"at": {"section": 0, "item": 0}, "blocks": [{"count": 10_000, "keys": keys}]}}
            batch = updates.UpdateBatch(operations={"operations": [insertion]})
            stub.ApplyUpdates(service.ApplyUpdatesRequest(name=name, batch=batch), timeout=30)
            begin = time.monotonic()
            stub.GetCollection(service.GetCollectionRequest(name=name), timeout=20)
            assert time.monotonic() - begin < 5
            time.sleep(2 + SECONDS)
            # What waits for them to read has its limit, and what goes out at once.
            assert server.peak_memory < before + 200


def test_many_sections_in_few_bytes():
    """0.5 MB become 90,000 sections."""
    with watched_server(SMALL) as server:
        flood = Flood(
            server.address, CREATE, service.CreateCollectionRequest(contents=sections(90_000)),
            connections=3, at_once=30)
        answers = flood.run(5)
        assert_bounded(answers)
        assert set(answers) & QUOTAS, answers
        assert server.peak_memory < (SMALL["max-server-bytes"] >> 20) + BEYOND


def test_imports_byte_by_byte():
    """Each byte is a DATA frame of its own."""
    # So few that a server that was built without optimisation works as little as another by default.
    with watched_server({"max-frames-per-second": 1000}) as server, \
            Raw(server.address, source="127.0.1.18") as raw:
        streams = []
        for _ in range(100):
            head, stream = raw.open(IMPORT)
            raw.send(head + frame(DATA, 0, stream, message(b"x", length=3 << 20)))
            streams.append(stream)
        assert raw.read(lambda: len(raw.status) >= 92, 10) is True
        for status, text in raw.status.values():
            assert status == 8 and "imports" in text
        rest = [stream for stream in streams if stream not in raw.status]
        assert len(rest) == 8
        pieces = b"".join(frame(DATA, 0, stream, b"x") for stream in rest)
        raw.socket.settimeout(0.2)
        end = time.monotonic() + SECONDS
        with contextlib.suppress(OSError):
            while time.monotonic() < end:
                with contextlib.suppress(TimeoutError):  # The server reads more slowly.
                    raw.socket.sendall(pieces * 100)


# MARK: Work

@pytest.fixture
def channels(address, watched):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(connect(address)) for _ in range(2)]


def tries(count=1000):
    """Layouts of sections whose groups are tried often: 122 bytes each."""
    spec = layouts.LayoutSpec()
    for index in range(count):
        group = spec.compositional.sections.add().group
        group.axis = layouts.LayoutGroup.AXIS_HORIZONTAL
        group.size.CopyFrom(size(points(1000), points(1000)))
        group.subitems.add().item.size.CopyFrom(size(points(0.001), points(1 + index / 1000)))
        inner = group.subitems.add().group
        inner.axis = layouts.LayoutGroup.AXIS_VERTICAL
        inner.size.CopyFrom(size(points(0.001), points(1000)))
        inner.subitems.add().item.size.CopyFrom(size(points(0.001), points(1001)))
    return spec


def test_costly_layouts_in_calls(address, watched):
    request = query.GetContentSizeRequest()
    request.target.inline_contents.CopyFrom(sections(1000))
    request.target.layout.CopyFrom(tries())
    request.target.viewport.CopyFrom(viewport(1000, 1000))
    assert request.ByteSize() < 130_000
    assert_bounded(Flood(address, CONTENT_SIZE, request, at_once=3).run(SECONDS))


def during(streams, event, seconds=SECONDS):
    """Sends the events that `event` makes of their number, each once the one before has its result.

    Returns the results.
    """
    results, end = [], time.monotonic() + seconds

    def work(stream):
        number = 0
        while time.monotonic() < end and stream.status is None:
            results.append(stream.perform(**event(number, stream)))
            number += 1

    threads = [threading.Thread(target=work, args=(stream,)) for stream in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [stream.status for stream in streams] == [None] * len(streams)
    assert results and None not in results
    return results


def test_a_chain_of_groups_with_many_at_its_end(channels):
    """0.56 MB are refused at their depth, which must not cost the depth for each of 140,000 items."""
    group = layouts.LayoutGroup(subitems=[layouts.LayoutSubitem(item={})] * 140_000)
    for _ in range(46):
        outer = layouts.LayoutGroup(axis=layouts.LayoutGroup.AXIS_HORIZONTAL)
        outer.subitems.add().group.CopyFrom(group)
        group = outer
    chain = layouts.LayoutSpec()
    chain.compositional.sections.add(group=group)
    streams = [open_stream(channel, items(100), LIST) for channel in channels]
    for result in during(streams, lambda *_: {"layout": session.LayoutChange(layout=chain)}):
        assert result.problem.reason == "FIELD_INVALID"


def test_snapshots_of_many_keys(channels):
    keys = [f"{index:x}" for index in range(150_000)]
    random.Random(1).shuffle(keys)
    contents = [items(len(keys), keys=order, section="s") for order in (sorted(keys), keys)]
    streams = [open_stream(channel, contents[0], LIST) for channel in channels]
    batches = [updates.UpdateBatch(snapshot={"contents": order}) for order in contents]
    for result in during(streams, lambda number, _: {"update": batches[(number + 1) % 2]}):
        assert not result.HasField("problem"), result


def test_many_measured_sizes_at_once(channels):
    count = 20_000
    flow = layouts.LayoutSpec(flow={
        "estimated_item_size": {"width": 3, "height": 3}, "minimum_line_spacing": 0,
        "minimum_interitem_spacing": 0})
    sizes = [[geometry.Size(width=3 + (index + turn) % 7 / 7, height=3 + index * (turn + 1) % 5 / 5)
              for index in range(count)] for turn in range(2)]
    streams = [open_stream(channel, items(count), flow, viewport(2000, 2000)) for channel in channels]
    for result in during(streams, lambda number, stream: {"measurements": session.MeasurementReport(
            observed_frame_seq=stream.frame_seq, slots=range(count), sizes=sizes[number % 2])}):
        assert not result.HasField("problem"), result


def test_edits_that_move_a_large_tree_again_and_again(channels, address):
    count = 200_000
    contents = collection.CollectionContents()
    contents.sections.add(key="s", outline={"expansion": 2}).blocks.add(
        count=count + 2, keys=["r", "t"] + [f"{index:x}" for index in range(count)],
        outline={"levels": [0, 0] + [1] * count, "expanded": [True]})
    there, back = ({"move": {"key": "t", "to": place}}
                   for place in ({"last_child_of": "r"}, {"after": "r"}))
    together = {"expansion": {"expand": ["t"] * 5000, "descendants": True}}
    stubs = [service_grpc.CollectionServiceStub(channel) for channel in channels]
    names = [stub.CreateCollection(service.CreateCollectionRequest(contents=contents)).collection.name
             for stub in stubs]
    reasons = []

    def attack(stub, name):
        for edits in ([there, back] * 600, [together]):
            try:
                stub.ApplyUpdates(service.ApplyUpdatesRequest(
                    name=name, batch={"outline": {"edits": edits}}), timeout=60)
            except grpc.RpcError as error:
                reasons.append(answer_of(error))

    threads = [threading.Thread(target=attack, args=pair) for pair in zip(stubs, names)]
    for thread in threads:
        thread.start()
    # Somebody new is answered meanwhile.
    with Raw(address, source="127.0.0.8") as raw:
        assert raw.works()
    for thread in threads:
        thread.join()
    # What they cost is charged too, so that the next ones have to wait, or are refused.
    assert len(reasons) == 4 and "RESOURCE_EXHAUSTED QUOTA_STEPS" in reasons
    assert_bounded(reasons)
    end = time.monotonic() + 60
    while names and time.monotonic() < end:
        with contextlib.suppress(grpc.RpcError):
            stubs[0].DeleteCollection(service.DeleteCollectionRequest(name=names[-1]))
            names.pop()
    assert not names


def test_many_sections_inserted_and_deleted(channels):
    count = 50_000
    insertion, deletion = updates.UpdateBatch(), updates.UpdateBatch()
    insertion.operations.operations.add().insert_sections.sections.extend([collection.Section()] * count)
    deletion.operations.operations.add().delete_sections.section_count = count
    streams = [open_stream(channel, items(100), LIST) for channel in channels]
    for result in during(streams, lambda number, _: {"update": (insertion, deletion)[number % 2]}):
        assert not result.HasField("problem"), result


def test_a_large_first_request_may_wait_longer_than_a_client_may_hesitate():
    """It has arrived: that it waits behind others' work is no reason to end the stream."""
    with watched_server({"open-timeout-ms": 500, "layout-threads": 1}) as server, \
            contextlib.ExitStack() as stack:
        channels = [stack.enter_context(connect(server.address)) for _ in range(4)]
        opening = session.OpenSession(
            inline_contents=sections(90_000), layout=LIST, viewport=viewport())
        streams = [Stream(channel, opening) for channel in channels]
        for stream in streams:
            assert stream.wait(lambda stream: stream.opened is not None, 30), stream.status
        for stream in streams:
            stream.close()
