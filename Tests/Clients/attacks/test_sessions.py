# SPDX-License-Identifier: Apache-2.0
"""Clients that resume, leave and repeat themselves at once: each gets one clear answer."""

import collections
import contextlib
import random
import time

import grpc
import pytest
from calls import Stream, connect, items, viewport
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import updates_pb2 as updates
from conftest import Neighbour, Server, running, scrolling
from raw import DATA, GOAWAY, STREAM, Raw, frame, message

pytestmark = pytest.mark.usefixtures("watched")
LIST = layouts.LayoutSpec(list={"row_height": 30})


@pytest.fixture(scope="module")
def server():
    # Clients of the gRPC library reset streams that the server refuses.
    yield from running(Server(limits={"max-resets-per-address": 10_000}))


@pytest.fixture(scope="module")
def neighbour(server):
    yield from scrolling(Neighbour(server.address))


@pytest.fixture
def channels(address, watched):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(connect(address)) for _ in range(4)]


@pytest.fixture
def channel(channels):
    return channels[0]


@pytest.fixture
def shared(channel):
    """A collection of a hundred items."""
    stub = service_grpc.CollectionServiceStub(channel)
    name = stub.CreateCollection(
        service.CreateCollectionRequest(contents=items(100)), timeout=10).collection.name
    yield name
    stub.DeleteCollection(service.DeleteCollectionRequest(name=name), timeout=10)


def opening(**source):
    return session.OpenSession(layout=LIST, viewport=viewport(), **source)


def resumption(token, frame_seq=1):
    return opening(resume={"resume_token": token, "last_frame_seq": frame_seq})


def opened(channel, request):
    stream = Stream(channel, request)
    assert stream.wait(lambda stream: stream.opened is not None), stream.status
    return stream


def ends(streams, seconds=10):
    """How the streams end; those that are open for good are counted as "open"."""
    end = time.monotonic() + seconds
    for stream in streams:
        stream.wait(lambda stream: stream.opened, max(0, end - time.monotonic()))
    time.sleep(0.5)
    return collections.Counter(stream.status or "open" for stream in streams)


# MARK: Resuming

def test_hundreds_resume_the_same_session(channels, shared):
    first = opened(channels[0], opening(collection=shared))
    streams = [
        Stream(channels[number % 4], resumption(first.opened.resume_token))
        for number in range(200)]
    found = ends(streams)
    assert set(found) <= {"open", "NOT_FOUND SESSION_EXPIRED"}, found
    assert found["open"] == 1
    last = next(stream for stream in streams if stream.status is None)
    assert last.opened.session == first.opened.session
    assert not last.perform(resync={}).HasField("problem")
    assert first.status == "NOT_FOUND SESSION_EXPIRED"
    last.close()


def test_hundreds_resume_sessions_of_each_other(channels, shared):
    sessions = [opened(channels[0], opening(collection=shared)) for _ in range(40)]
    tokens = [stream.opened.resume_token for stream in sessions]
    chance = random.Random(3)
    attempts = tokens * 6
    chance.shuffle(attempts)
    streams = [
        Stream(channels[number % 4], resumption(token)) for number, token in enumerate(attempts)]
    found = ends(streams)
    assert set(found) <= {"open", "NOT_FOUND SESSION_EXPIRED"}, found
    last = [stream for stream in streams if stream.status is None]
    assert len({stream.opened.session for stream in last}) == len(last) == len(tokens)
    for stream in last:
        stream.close()


def test_bad_tokens(channels, shared):
    first = opened(channels[0], opening(collection=shared))
    token = first.opened.resume_token
    chance = random.Random(4)

    def damaged():
        place = chance.randrange(len(token))
        return token[:place] + bytes([token[place] ^ 1 << chance.randrange(8)]) + token[place + 1:]

    tokens = [damaged() for _ in range(100)]
    tokens += [token[:chance.randrange(len(token))] for _ in range(50)]
    tokens += [chance.randbytes(chance.randrange(1, 300)) for _ in range(100)]
    tokens += [token + b"\0", b"", b"\0" * len(token), chance.randbytes(1 << 20)]
    found = ends([
        Stream(channels[number % 4], resumption(each)) for number, each in enumerate(tokens)])
    assert set(found) == {"INVALID_ARGUMENT RESUME_TOKEN_INVALID"}, found
    assert not first.perform(resync={}).HasField("problem")
    first.close()


# MARK: Leaving

def say_goodbye(raw, shared, last):
    """A client with open streams says that it is leaving, and sends an event on each stream after that."""
    request = session.StreamLayoutRequest(
        event_seq=1, open=opening(collection=shared)).SerializeToString()
    resync = session.StreamLayoutRequest(event_seq=2, resync={}).SerializeToString()
    streams = [raw.call(STREAM, body=message(request), end=False) for _ in range(20)]
    assert raw.read(lambda: raw.data_bytes > 20_000, 5) is True
    raw.send(frame(GOAWAY, 0, 0, last.to_bytes(4, "big") + bytes(4) + b"leaving"))
    for stream in streams:
        raw.send(frame(DATA, 0, stream, message(resync)))


@pytest.mark.parametrize("last", [0, 2**31 - 1])
def test_a_goodbye_in_the_middle_of_streams(address, shared, last):
    """What was begun goes on until the client closes the connection."""
    with Raw(address, source="127.0.1.19") as raw:
        say_goodbye(raw, shared, last)
        assert raw.read(lambda: raw.data_bytes > 40_000, 5) is True
        assert raw.goaway is None and not raw.reset and not raw.status


def test_a_goodbye_that_names_a_stream_of_the_client(address, shared):
    """It may name only streams that the server began."""
    with Raw(address, source="127.0.1.20") as raw:
        say_goodbye(raw, shared, last=1)
        assert raw.closes(5)
        assert raw.goaway[0] == 1


# MARK: Repetitions

def insertion(count, request_id):
    batch = updates.UpdateBatch(request_id=request_id)
    insert = batch.operations.operations.add().insert_items
    insert.at.item = 0
    insert.blocks.add(count=count)
    return batch


def test_a_request_id_used_at_once_and_again(channels, shared):
    """A batch counts once however often it comes; another one with its identifier is refused."""
    stubs = [service_grpc.CollectionServiceStub(channel) for channel in channels]
    viewer = opened(channels[0], opening(collection=shared))
    for turn in range(1, 11):
        request_id = f"turn-{turn}"
        calls = [
            stubs[number % 4].ApplyUpdates.future(service.ApplyUpdatesRequest(
                name=shared, batch=insertion(turn, request_id)))
            for number in range(8)]
        event = viewer.perform(update=insertion(turn, request_id))
        answers = [call.result(10) for call in calls] + [event]
        assert {answer.data_version for answer in answers} == {turn}
        assert [answer.duplicate for answer in answers].count(False) == 1
    for turn in range(1, 11):
        again = stubs[0].ApplyUpdates(service.ApplyUpdatesRequest(
            name=shared, batch=insertion(turn, f"turn-{turn}")))
        assert again.duplicate and again.data_version == turn
        with pytest.raises(grpc.RpcError) as refused:
            stubs[0].ApplyUpdates(service.ApplyUpdatesRequest(
                name=shared, batch=insertion(11, f"turn-{turn}")))
        assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert not viewer.perform(update=insertion(11, f"turn-{turn}")).data_version
    found = stubs[0].GetCollection(service.GetCollectionRequest(name=shared)).collection
    assert found.data_version == 10
    viewer.close()


def test_a_request_id_used_again_in_a_session_of_its_own(channel):
    stream = opened(channel, opening(inline_contents=items(10)))
    first = [stream.send(update=insertion(1, "same")) for _ in range(5)]
    other = stream.perform(update=insertion(1, "other"))
    results = [stream.results[seq] for seq in first]
    assert [result.data_version for result in results] == [1] * 5
    assert [result.duplicate for result in results] == [False] + [True] * 4
    assert other.data_version == 2 and not other.duplicate
    again = stream.perform(update=insertion(1, "same"))
    assert again.duplicate and again.data_version == 1
    refused = stream.perform(update=insertion(9, "same")).problem
    assert refused.reason == "FIELD_INVALID"
    assert [found.field for found in refused.field_violations] == ["request_id"]
    stream.close()
