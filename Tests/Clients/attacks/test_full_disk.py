# SPDX-License-Identifier: Apache-2.0
"""A disk that is full: collections can be deleted, others grow in their room, and what was acknowledged is
there after a kill.

The disk is a small tmpfs in a mount namespace of the server's own; where the system allows none, there is
nothing to test."""

import os
import pathlib
import random
import re
import subprocess
import time

import grpc
import pytest
from calls import answer_of, connect, items
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import updates_pb2 as updates
from conftest import GIVEN

pytestmark = pytest.mark.skipif(bool(GIVEN), reason="needs servers of its own")
DISK_MEBIBYTES = 48
RESERVE_BYTES = 8 << 20
UNAVAILABLE = "UNAVAILABLE STORE_UNAVAILABLE"


class Disk:
    """A process that holds a mount namespace with the disk in it; servers run in its namespace."""

    def __init__(self, folder):
        self.folder, self.server = folder, None
        self.holder = subprocess.Popen(
            ["unshare", "-m", "sh", "-c",
             f"mount -t tmpfs -o size={DISK_MEBIBYTES}m tmpfs {folder} && echo mounted && exec sleep 600"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if self.holder.stdout.readline() != "mounted\n":
            pytest.skip("no mount namespaces")
        # The folder as the server sees it.
        self.seen = pathlib.Path(f"/proc/{self.holder.pid}/root{folder}")

    def start(self):
        """Starts the server; its address."""
        root = pathlib.Path(__file__).resolve().parents[3]
        binary = os.environ.get("LAYOUT_SERVER", root / ".build" / "debug" / "layout-server")
        self.server = subprocess.Popen(
            ["nsenter", "-t", str(self.holder.pid), "-m", binary, "--port", "0",
             "--store-path", f"{self.folder}/store.sqlite", "--log-level", "critical"],
            stdout=subprocess.PIPE, text=True)
        return re.search(r"[\w.]+:\d+", self.server.stdout.readline()).group()

    def kill(self):
        self.server.kill()
        self.server.wait()

    def end(self):
        if self.server:
            self.kill()
        self.holder.kill()
        self.holder.wait()

    @property
    def free(self):
        status = os.statvfs(self.seen)
        return status.f_bavail * status.f_frsize

    @property
    def reserved(self):
        file = self.seen / "store.sqlite.reserve"
        return file.stat().st_size if file.exists() else 0

    def fill(self):
        """Another program's file takes all that is left."""
        with open(self.seen / "other", "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def clear(self):
        (self.seen / "other").unlink()


@pytest.fixture
def disk(tmp_path):
    disk = Disk(tmp_path)
    yield disk
    disk.end()


class Store:
    """Writes to a server, and remembers what it acknowledged."""

    WIDTHS = [random.Random(5).random() for _ in range(30_000)]

    def __init__(self, address):
        self.channel = connect(address)
        self.stub = service_grpc.CollectionServiceStub(self.channel)
        self.counts = {}

    def create(self, *names):
        for name in names:
            made = self.stub.CreateCollection(
                service.CreateCollectionRequest(collection_id=name, contents=items(10)))
            self.counts[made.collection.name] = 10

    def insert(self, name, count):
        """Whether the batch was accepted; otherwise the store was full."""
        batch = updates.UpdateBatch()
        insert = batch.operations.operations.add().insert_items
        insert.at.item = 0
        insert.blocks.append(
            collection.ItemBlock(count=count, widths=self.WIDTHS[:count]))
        try:
            self.stub.ApplyUpdates(service.ApplyUpdatesRequest(name=name, batch=batch), timeout=20)
        except grpc.RpcError as error:
            assert answer_of(error) == UNAVAILABLE
            return False
        self.counts[name] += count
        return True

    def insert_until_full(self, name, count):
        refused = 0
        while refused < 3:
            refused = 0 if self.insert(name, count) else refused + 1

    def insert_soon(self, name, count):
        """Inserts as soon as there is room."""
        until(lambda: self.insert(name, count), "nothing can be written although there is room")

    def delete(self, name):
        self.stub.DeleteCollection(service.DeleteCollectionRequest(name=name), timeout=20)
        del self.counts[name]

    def check(self, address):
        """Whether the server has what was acknowledged."""
        self.channel.close()
        self.channel = connect(address)
        self.stub = service_grpc.CollectionServiceStub(self.channel)
        found = self.stub.ListCollections(service.ListCollectionsRequest()).collections
        assert {each.name: each.item_count for each in found} == self.counts
        for name in self.counts:
            parts = self.stub.ExportContents(service.ExportContentsRequest(name=name))
            assert sum(1 for _ in parts) > 0


def until(condition, message, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, message
        time.sleep(0.1)


KEPT, DELETED, SMALL = (f"collections/{name}" for name in ("kept", "deleted", "small"))


@pytest.fixture
def store(disk):
    store = Store(disk.start())
    store.create("kept", "deleted", "small")
    for _ in range(20):
        assert store.insert(KEPT, 1000)
    assert disk.reserved == RESERVE_BYTES
    yield store
    store.channel.close()


def test_a_store_that_has_filled_the_disk_gives_room_again_and_again(disk, store):
    for _ in range(3):
        store.insert_until_full(DELETED, 30_000)
        assert store.counts[DELETED] > 100_000
        assert not store.insert(KEPT, 30_000)
        store.delete(DELETED)
        store.insert_soon(KEPT, 30_000)
        store.create("deleted")
    disk.kill()
    store.check(disk.start())


def test_what_others_have_filled_lets_collections_be_deleted(disk, store):
    for _ in range(30):
        assert store.insert(DELETED, 30_000)
    disk.fill()
    store.insert_until_full(KEPT, 30_000)
    store.delete(SMALL)
    store.delete(DELETED)
    store.insert_soon(KEPT, 30_000)
    # Killed and started while the disk is full, apart from what the server has in its files.
    disk.fill()
    disk.kill()
    store.check(disk.start())
    store.insert_soon(KEPT, 10)
    disk.clear()
    assert disk.free > 24 << 20
    until(lambda: disk.reserved == RESERVE_BYTES, "nothing is set aside")
    assert store.insert(KEPT, 30_000)
    disk.kill()
    store.check(disk.start())


@pytest.mark.parametrize("seconds", [0, 0.01, 0.1])
def test_killed_while_it_makes_room(disk, store, seconds):
    for _ in range(60):
        assert store.insert(DELETED, 30_000)
    disk.fill()
    store.insert_until_full(KEPT, 1000)
    store.delete(DELETED)
    time.sleep(seconds)
    disk.kill()
    store.check(disk.start())
    store.insert_soon(KEPT, 30_000)
    disk.kill()
    store.check(disk.start())
