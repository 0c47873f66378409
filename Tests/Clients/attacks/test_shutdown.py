# SPDX-License-Identifier: Apache-2.0
"""Signals that come at a bad time: while a store is being opened or read, and while a layout is being
computed. The server exits with success in its time, and the next one finds all that was stored."""

import contextlib
import os
import pathlib
import select
import signal
import sqlite3
import subprocess
import time

import grpc
import pytest
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import query_service_pb2_grpc as query_grpc
from conftest import GIVEN

pytestmark = pytest.mark.skipif(bool(GIVEN), reason="needs servers of its own")

LIMIT_SECONDS = 2
# Within it the process ends on its own where the server does not.
GRACE_SECONDS = 1
# For busy machines.
SLACK_SECONDS = 2


class Process:
    """A server that nobody waits for."""

    def __init__(self, store, *options):
        root = pathlib.Path(__file__).resolve().parents[3]
        binary = os.environ.get("LAYOUT_SERVER", root / ".build" / "debug" / "layout-server")
        self.store = str(store)
        self.process = subprocess.Popen(
            [binary, "--port", "0", "--store-path", self.store, "--log-level", "error",
             "--shutdown-timeout-ms", str(LIMIT_SECONDS * 1000), *options], stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def wait_for_store(self):
        """Until it has the file open."""
        end = time.monotonic() + 20
        while not self._has_store():
            assert time.monotonic() < end and self.process.poll() is None
            time.sleep(0.001)

    def _has_store(self):
        for entry in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                if os.readlink(entry) == self.store:
                    return True
        return False

    @property
    def is_listening(self):
        """Whether it has said so."""
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def channel(self):
        address = self.process.stdout.readline().split()[-1]
        return grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def ends(self, seconds=LIMIT_SECONDS + GRACE_SECONDS):
        """Whether it exits in time, and with success."""
        return self.process.wait(timeout=seconds + SLACK_SECONDS) == 0


def contents(count, heights=(60,)):
    message = collection.CollectionContents()
    message.sections.add().blocks.add(count=count, widths=[50], heights=heights)
    return message


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store of many collections, one of which is large."""
    path = tmp_path_factory.mktemp("stores") / "large.sqlite"
    with Process(path) as server:
        with server.channel() as channel:
            stub = service_grpc.CollectionServiceStub(channel)
            requests = [stub.CreateCollection.future(service.CreateCollectionRequest(
                contents=contents(10))) for _ in range(COLLECTIONS)]
            for request in requests:
                request.result()
            large = contents(ITEMS, [20 + index % 100 for index in range(ITEMS)])
            stub.CreateCollection(service.CreateCollectionRequest(
                collection_id="large", contents=large))
        server.signal()
        assert server.ends()
    return path


COLLECTIONS, ITEMS = 99, 200_000


def assert_complete(store):
    with Process(store) as server:
        with server.channel() as channel:
            stub = service_grpc.CollectionServiceStub(channel)
            found = stub.ListCollections(service.ListCollectionsRequest(page_size=1000)).collections
            assert len(found) == COLLECTIONS + 1
        server.signal()
        assert server.ends()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_store_that_is_long_to_open(store, number):
    other = sqlite3.connect(store)
    other.execute("BEGIN IMMEDIATE")
    try:
        with Process(store) as server:
            server.wait_for_store()
            time.sleep(0.3)
            assert not server.is_listening
            server.signal(number)
            assert server.ends()
    finally:
        other.close()
    assert_complete(store)


def test_any_moment_of_the_start(store):
    for delay in (0, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4):
        with Process(store) as server:
            server.wait_for_store()
            time.sleep(delay)
            server.signal()
            assert server.ends(), f"after {delay} s"
    assert_complete(store)


@pytest.mark.parametrize("delay", [0.01, 0.1, 0.5])
def test_while_contents_are_read(store, delay):
    with Process(store) as server, server.channel() as channel:
        stub = query_grpc.LayoutQueryServiceStub(channel)
        request = query.GetContentSizeRequest()
        request.target.collection = "collections/large"
        request.target.layout.list.row_height = 10
        request.target.viewport.size.width, request.target.viewport.size.height = 100, 1000
        grpc.channel_ready_future(channel).result(10)
        answer = stub.GetContentSize.future(request)
        time.sleep(delay)
        server.signal()
        assert server.ends()
        # The work of calls is finished where the time suffices.
        error = answer.exception()
        assert error is None or error.code() in (
            grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), error
    assert_complete(store)


def test_while_a_layout_takes_long(tmp_path):
    with Process(tmp_path / "store.sqlite") as server, server.channel() as channel:
        stub = query_grpc.LayoutQueryServiceStub(channel)
        message, answers = collection.CollectionContents(), []
        section = message.sections.add()
        for index in range(1000):
            # All alike they would take no time.
            section.blocks.add(count=10_000, widths=[50], heights=[60 + index % 37])
        for columns in range(2, 12):
            request = query.GetContentSizeRequest()
            request.target.inline_contents.CopyFrom(message)
            request.target.layout.CopyFrom(
                layouts.LayoutSpec(waterfall=dict(column_count=columns)))
            request.target.viewport.size.width, request.target.viewport.size.height = 900, 900
            answers.append(stub.GetContentSize.future(request))
        time.sleep(0.5)
        assert not any(answer.done() and answer.exception() for answer in answers)
        assert not all(answer.done() for answer in answers)
        server.signal()
        assert server.ends()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_a_drain(tmp_path, number):
    with Process(tmp_path / "store.sqlite", "--drain-ms", "20000") as server, \
            server.channel() as channel:
        stub = service_grpc.CollectionServiceStub(channel)
        stub.CreateCollection(
            service.CreateCollectionRequest(collection_id="kept", contents=contents(10)))
        for _ in range(3):  # as a terminal and a wrapper do at the same time
            server.signal(number)
        time.sleep(1.5)
        stub.GetCollection(service.GetCollectionRequest(name="collections/kept"))
        server.signal(number)
        assert server.ends(seconds=0)
    with Process(tmp_path / "store.sqlite") as server, server.channel() as channel:
        stub = service_grpc.CollectionServiceStub(channel)
        stub.GetCollection(service.GetCollectionRequest(name="collections/kept"))


def test_nothing_is_logged_into_the_store_where_the_standard_descriptors_are_closed(tmp_path):
    root = pathlib.Path(__file__).resolve().parents[3]
    binary = os.environ.get("LAYOUT_SERVER", root / ".build" / "debug" / "layout-server")
    command = f'exec "{binary}" --port 0 --store-path "{tmp_path}/store.sqlite" <&- >&- 2>&-'
    with subprocess.Popen(["sh", "-c", command]) as server:
        lock = tmp_path / "store.sqlite.lock"
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and not (lock.exists() and b" open" in lock.read_bytes()):
            time.sleep(0.05)
        for descriptor in range(3):
            assert os.readlink(f"/proc/{server.pid}/fd/{descriptor}") == "/dev/null"
        server.terminate()
        server.wait(LIMIT_SECONDS + GRACE_SECONDS + SLACK_SECONDS)
    lines = lock.read_text().splitlines()
    assert lines[0].isdigit() and lines[1].startswith("identity-1 ")
    # How long the log is, once something was written to it.
    assert len(lines) <= 3 and all(line.startswith("log ") for line in lines[2:])
