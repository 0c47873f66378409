# SPDX-License-Identifier: Apache-2.0
"""Transfers of as many items as there may be, in opposite directions, between collections that come and go:
nobody waits for ever, no item is lost or doubled, and the neighbour scrolls on."""

import collections
import contextlib
import threading
import time

import grpc
import pytest
from calls import Stream, answer_of, connect, viewport
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import session_pb2 as session

SECONDS = 2.5
COUNT = 10_000
LIMITS = {"RESOURCE_EXHAUSTED QUOTA_CALL_RATE", "RESOURCE_EXHAUSTED QUOTA_CALLS"}


@pytest.fixture
def stubs(address, watched):
    with contextlib.ExitStack() as stack:
        yield [service_grpc.CollectionServiceStub(stack.enter_context(connect(address)))
               for _ in range(4)]


def create(stub, prefix, count, name=""):
    contents = collection.CollectionContents()
    contents.sections.add().blocks.add(
        count=count, keys=[f"{prefix}{index:x}" for index in range(count)])
    return stub.CreateCollection(
        service.CreateCollectionRequest(collection_id=name, contents=contents)).collection.name


def patiently(call, seconds=30):
    """Waits while the calls before are paid for."""
    end = time.monotonic() + seconds
    while True:
        try:
            return call()
        except grpc.RpcError as error:
            if answer_of(error) not in LIMITS or time.monotonic() > end:
                raise
            time.sleep(0.1)


def keys(stub, name):
    def export():
        return [key for part in stub.ExportContents(service.ExportContentsRequest(name=name))
                for key in part.items.keys]
    return patiently(export)


def transfer(source, destination, moved):
    return service.TransferItemsRequest(
        source={"name": source, "keys": moved}, destination={"name": destination, "at": {}})


def at_once(bodies):
    """The answers of some attackers, each again and again for a while."""
    answers = collections.Counter()
    end = time.monotonic() + SECONDS

    def attack(body):
        while time.monotonic() < end:
            try:
                body()
                answers["OK"] += 1
            except grpc.RpcError as error:
                answers[answer_of(error)] += 1

    threads = [threading.Thread(target=attack, args=[body]) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a transfer waits for ever"
    return answers


def test_ten_thousand_items_back_and_forth(stubs):
    names = [create(stub, prefix, COUNT) for stub, prefix in zip(stubs, "ab")]
    every = [keys(stubs[0], name) for name in names]
    bodies = []
    for index, stub in enumerate(stubs):
        source, destination = names[index % 2], names[1 - index % 2]
        # Half of them name the same items, so that all but one find them gone.
        request = transfer(source, destination, every[index // 2])
        bodies.append(lambda stub=stub, request=request: stub.TransferItems(request, timeout=30))
    answers = at_once(bodies)
    assert set(answers) <= LIMITS | {"OK", "NOT_FOUND KEY_UNKNOWN"}, answers
    assert answers["OK"] > 0, answers
    found = [keys(stubs[0], name) for name in names]
    assert sorted(sum(found, [])) == sorted(sum(every, []))
    for name in names:
        patiently(lambda name=name: stubs[0].DeleteCollection(
            service.DeleteCollectionRequest(name=name)))


def test_collections_that_come_and_go(stubs):
    names = [create(stubs[0], prefix, 500, f"transfers-{prefix}") for prefix in "ab"]

    def move(stub, source, destination, prefix):
        stub.TransferItems(transfer(source, destination, [f"{prefix}1", f"{prefix}2"]), timeout=30)

    def replace():
        stubs[3].DeleteCollection(service.DeleteCollectionRequest(name=names[1]), timeout=30)
        create(stubs[3], "b", 500, "transfers-b")

    answers = at_once([
        lambda: move(stubs[0], names[0], names[1], "a"), lambda: move(stubs[1], names[1], names[0], "a"),
        lambda: move(stubs[2], names[1], names[0], "b"), replace])
    known = {"OK", "NOT_FOUND KEY_UNKNOWN", "NOT_FOUND COLLECTION_NOT_FOUND", "ALREADY_EXISTS KEY_TAKEN",
             "ALREADY_EXISTS COLLECTION_EXISTS", "INVALID_ARGUMENT FIELD_INVALID",
             "OUT_OF_RANGE INDEX_OUT_OF_RANGE"}
    assert set(answers) <= LIMITS | known, answers
    for name in names:
        found = keys(stubs[0], name)
        assert len(found) == len(set(found))
        patiently(lambda name=name: stubs[0].DeleteCollection(
            service.DeleteCollectionRequest(name=name, allow_missing=True)))


def test_viewers_who_hold_as_much_as_they_may(address, stubs):
    """Each holds 1,000 items of another collection, again and again, and leaves without a word."""
    names = [create(stubs[0], prefix, COUNT) for prefix in "cd"]
    moved = keys(stubs[0], names[0])[:1000]
    with contextlib.ExitStack() as stack:
        channels = [stack.enter_context(connect(address)) for _ in range(4)]
        for turn in range(2):
            streams = [Stream(channel, session.OpenSession(
                collection=names[1], layout={"list": {"row_height": 30}}, viewport=viewport()))
                       for channel in channels]
            for stream in streams:
                assert stream.wait(lambda stream: stream.frames > 0, 20), stream.status
            for _ in range(10):
                for stream in streams:
                    begun = stream.perform(movement=session.InteractiveMovement(
                        begin_foreign={"collection_items": {"collection": names[0], "keys": moved}}))
                    assert begun and not begun.HasField("problem"), begun
                    for y in range(0, 700, 70):
                        stream.send(movement=session.InteractiveMovement(position={"x": 100, "y": y}))
                    assert stream.perform(movement=session.InteractiveMovement(cancel=True))
            held = streams[turn].perform(movement=session.InteractiveMovement(
                begin_foreign={"collection_items": {"collection": names[0], "keys": moved}}))
            assert not held.HasField("problem"), held
            streams[turn].call.cancel()
            for stream in streams:
                if stream.status is None:
                    stream.close()
    for name in names:
        assert len(keys(stubs[0], name)) == COUNT
        patiently(lambda name=name: stubs[0].DeleteCollection(
            service.DeleteCollectionRequest(name=name)))
