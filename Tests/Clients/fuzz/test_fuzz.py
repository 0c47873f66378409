# SPDX-License-Identifier: Apache-2.0
"""Sends any requests that the contract can express, and some that it cannot, to the real server.

No answer may lack a field, no call may end with INTERNAL or UNKNOWN, every INVALID_ARGUMENT has to
name a field that exists, and the server has to live. How much is sent:

    FUZZ_MESSAGES   requests of all tests together; 10,000 unless set
    FUZZ_SEED       where the generators start; 1 unless set

Hypothesis makes 60 % of them, but at most 20,000: they are made from the descriptors, a few hundred a
second, and a case that fails is made as small as it can be. The rest are changed and combined from these.

A case that fails is printed as a file for `corpus`, whose cases are sent first, every time.
"""

import collections
import os
import pathlib

import pytest
from collection_layout import Client
from collection_layout.v1 import collection_service_pb2 as contract
from collection_layout.v1 import collection_service_pb2_grpc as contract_grpc
from collection_layout.v1.collection_pb2 import CollectionContents
from google.protobuf import message_factory, text_format
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import calls
import seeds
import strategies
from long_run import LongRun
from mutations import Pool

MESSAGES = int(os.environ.get("FUZZ_MESSAGES", "10000"))
MADE = min(20_000, MESSAGES * 6 // 10)
SEED = int(os.environ.get("FUZZ_SEED", "1"))
# The least share of changed calls that a long run must have accepted, by method.
LEAST_ACCEPTED = {
    "QueryElements": 0.2, "ApplyUpdates": 0.1, "StreamLayout": 0.1, "ImportContents": 0.1,
    "TransferItems": 0.05, "CreateLayout": 0.05, "UpdateLayout": 0.05, "GetExpansions": 0.05,
}
CORPUS = pathlib.Path(__file__).parent / "corpus"

outcomes = collections.Counter()
pool = Pool(SEED)


def effort(share, cost=1):
    """Settings of a test that sends this share of what is made, `cost` of them in one example."""
    return settings(
        max_examples=max(10, int(MADE * share / cost)), deadline=None, database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="session", autouse=True)
def summary(server):
    yield
    for outcome, count in sorted(outcomes.items()):
        print(f"{outcome:40} {count}")


@pytest.fixture(scope="session", autouse=True)
def collections_exist(channel):
    """What requests name is there in the beginning."""
    restore(channel, calls.METHODS["DeleteCollection"])


def restore(channel, method):
    """Creates what a call may have deleted: without it most of what follows would only be refused."""
    if method.name in ("DeleteCollection", "DeleteLayout"):
        create(channel)


def create(channel):
    for name in ("a", "b"):
        request = contract.CreateCollectionRequest(collection_id=name)
        request.collection.default_layout.list.row_height = 10
        request.contents.sections.add(key="s0").blocks.add(count=100)
        assert calls.unary(channel, calls.METHODS["CreateCollection"], request) in (
            "OK", "COLLECTION_EXISTS")
        calls.unary(channel, calls.METHODS["CreateLayout"], seeds.new_layout(f"collections/{name}"))


def clear(channel):
    """Begins with fresh collections. They grow with every update, and so does what a call costs."""
    stub = contract_grpc.CollectionServiceStub(channel)
    page = contract.ListCollectionsRequest(page_size=1000)
    while True:
        answer = stub.ListCollections(page, timeout=calls.TIMEOUT)
        for collection in answer.collections:
            request = contract.DeleteCollectionRequest(name=collection.name)
            calls.unary(channel, calls.METHODS["DeleteCollection"], request)
        page.page_token = answer.next_page_token
        if not page.page_token:
            return create(channel)


def note(name, outcome):
    outcomes[f"{name} {outcome}"] += 1


@pytest.mark.parametrize("case", sorted(CORPUS.glob("*.txtpb")), ids=lambda case: case.stem)
def test_corpus(channel, case):
    """Cases that were found once. Their name begins with the method: "HitTest-large-items.txtpb"."""
    method = calls.METHODS[case.stem.split("-")[0]]
    kind = message_factory.GetMessageClass(method.input_type)
    requests = [text_format.Parse(text, kind()) for text in case.read_text().split("\n---\n")]
    if method.name == "StreamLayout":
        outcome = calls.stream(channel, requests)
    elif method.name == "ImportContents":
        outcome = calls.imports(channel, requests)
    elif method.name in calls.STREAMING:
        outcome = calls.server_stream(channel, method.name, requests[0], 20)
    else:
        outcome = "".join(calls.unary(channel, method, request) for request in requests)
    note(case.stem, outcome)


@seed(SEED)
@effort(0.5)
@given(st.sampled_from(calls.UNARY).flatmap(
    lambda method: st.tuples(st.just(method), strategies.messages(method.input_type))))
def test_unary(channel, case):
    method, request = case
    outcome = calls.unary(channel, method, request)
    pool.add(request, is_accepted=outcome == "OK")
    note(method.name, outcome)
    restore(channel, method)


@seed(SEED)
@effort(0.15)
@given(st.sampled_from(calls.UNARY).flatmap(
    lambda method: st.tuples(st.just(method), strategies.damaged(method.input_type))))
def test_damaged_bytes(channel, case):
    method, request = case
    note(method.name + " (damaged)", calls.unary(channel, method, request))
    restore(channel, method)


@seed(SEED)
@effort(0.1, cost=4)
@given(st.data())
def test_imports(channel, data):
    kind = calls.METHODS["ImportContents"].input_type
    parts = []
    if data.draw(st.integers(0, 9)) > 0:
        header = message_factory.GetMessageClass(kind)()
        header.header.name = data.draw(st.sampled_from(["collections/a", "collections/b"]))
        parts.append(header)
    parts += data.draw(st.lists(strategies.messages(kind), max_size=4))
    if data.draw(st.integers(0, 3)) > 0:
        end = message_factory.GetMessageClass(kind)()
        end.end.SetInParent()
        parts.append(end)
    for part in parts:
        pool.add(part)
    note("ImportContents", calls.imports(channel, parts))


@seed(SEED)
@effort(0.05)
@given(st.sampled_from(["ExportContents", "WatchUpdates"]).flatmap(
    lambda name: st.tuples(
        st.just(name), strategies.messages(calls.METHODS[name].input_type))))
def test_server_streams(channels, case):
    name, request = case
    pool.add(request)
    # Updates go on without end; the first one, or a sign of life, comes at once.
    limit = 1 if name == "WatchUpdates" else 20
    note(name, calls.server_stream(next(channels), name, request, limit))


@seed(SEED)
@effort(0.2, cost=6)
@given(st.data())
def test_streams(channel, data):
    """A session: mostly opened as it should be, then any events, and closed."""
    kind = calls.METHODS["StreamLayout"].input_type
    make = message_factory.GetMessageClass(kind)
    requests = []
    opening = make(event_seq=1)
    opening.open.viewport.size.width = 320
    opening.open.viewport.size.height = 480
    opening.open.capabilities.checksums = True
    if data.draw(st.booleans()):
        opening.open.collection = "collections/a"
    else:
        strategies.fill(data.draw, opening.open.inline_contents, 2)
        strategies.fill(data.draw, opening.open.layout, 2)
    if data.draw(st.integers(0, 5)) > 0:
        requests.append(opening)
    for number in range(data.draw(st.integers(0, 8))):
        request = data.draw(strategies.messages(kind))
        # A wrong number or acknowledgement ends the stream, and with it what later events could show.
        if data.draw(st.integers(0, 15)) > 0 and request.WhichOneof("event"):
            request.event_seq = number + 2
        if data.draw(st.integers(0, 15)) > 0:
            request.ClearField("ack")
        requests.append(request)
    requests.append(make(event_seq=100))
    requests[-1].close.SetInParent()
    for request in requests:
        pool.add(request)
    accepted = []
    note("StreamLayout", calls.stream(channel, requests, accepted))
    for request in accepted:
        pool.add(request, is_accepted=True)


def test_changed_messages(server):
    """Many more, several at a time. They begin with what the tests above made."""
    if not pool.messages:
        pytest.skip("needs the other tests, which make what is changed here")

    count = MESSAGES - MADE
    contents = CollectionContents(sections=[{"blocks": [{"count": 100}]}])
    with Client(server.address) as client, \
            client.view(contents=contents, layout={"list": {"row_height": 10}}) as viewer:
        for request in [*seeds.seeds(viewer.session), *seeds.imported()]:
            pool.add(request, is_accepted=True)
        LongRun(server.address, pool, SEED, count, clear, restore, note).run()
        viewer.settle()
    # What is refused gets nowhere: a run shows little in which hardly anything is accepted.
    for name, share in LEAST_ACCEPTED.items() if count >= 100_000 else ():
        made = {key: n for key, n in outcomes.items() if key.startswith(f"{name} (changed) ")}
        assert made.get(f"{name} (changed) OK", 0) > share * sum(made.values()), made


def test_alive(server, channel):
    assert server.is_running
    request = message_factory.GetMessageClass(calls.METHODS["GetServerInfo"].input_type)()
    assert calls.unary(channel, calls.METHODS["GetServerInfo"], request) == "OK"
