# SPDX-License-Identifier: Apache-2.0
"""Histories: editors, viewers and a watcher of one collection while servers, connections and the database fail.

What all of them were told is recorded, and compared with a simple model afterwards.
"""

import dataclasses
import logging
import random
import threading
import time

import grpc
from collection_layout import Client, LayoutError, layouts, updates
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc

NAME = "collections/a"
ROWS = 400
ROUTE = (("x-layout-collection", NAME),)


@dataclasses.dataclass
class Scale:
    """How much happens."""

    editors: int = 3
    viewers: int = 3
    seconds: float = 12.0
    # From one fault to the next, at most.
    pause: float = 1.2
    # How long a server stands still, at most.
    freeze: float = 4.0
    # Between the edits of one editor, on average.
    edit_pause: float = 0.01


@dataclasses.dataclass
class Sight:
    """What a viewer had after a frame."""

    session: str
    seq: int
    version: int
    keyframe: bool
    height: float
    coverage: tuple
    # (key, item, y, height) of all elements.
    elements: list


class History:
    """One run against a cluster."""

    def __init__(self, cluster, seed, scale):
        self.cluster, self.scale = cluster, scale
        self.seed = seed
        self.acknowledged = {}  # request identifier: versions that were told
        self.changes = {}  # request identifier: change
        self.sights = {}  # viewer: list of Sight
        self.watched = []
        # The versions at which the watcher read the contents anew, because what it missed was no longer kept.
        self.reread = []
        self.faults = []
        self.done_faults = []
        self.lock = threading.Lock()
        self.editing = threading.Event()
        self.editing.set()
        self.ended = threading.Event()
        self.newest = 0
        self.viewer_edits = 0
        self.retries = 0
        self.reconnections = 0

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    # MARK: The run

    def run(self):
        """Runs everything; returns what is wrong, an empty list if nothing is."""
        self._create()
        threads = [threading.Thread(target=self._guard, args=(body, index), name=f"{body.__name__} {index}")
                   for body, count in ((self._edit, self.scale.editors), (self._view, self.scale.viewers),
                                       (self._watch, 1))
                   for index in range(count)]
        for thread in threads:
            thread.start()
        self._break()
        self.editing.clear()
        for thread in threads:
            thread.join(90)
            if thread.is_alive():
                self.fault(f"{thread.name} did not end: newest {self.newest}")
        self.ended.set()
        return self.faults + self._violations()

    def _guard(self, body, index):
        try:
            body(index)
        except BaseException as error:
            self.fault(f"{body.__name__} {index}: {error!r}")
            logging.exception("%s %d", body.__name__, index)

    def _create(self):
        with Client(self.cluster.address) as client:
            for _ in range(100):
                try:
                    client.create_collection(
                        NAME, heights=[20.0] * ROWS, keys=[f"r{index}" for index in range(ROWS)],
                        layout=layouts.list(row_height=20))
                    return
                except LayoutError as error:
                    if error.code == grpc.StatusCode.ALREADY_EXISTS:
                        return
                    time.sleep(0.1)
        raise AssertionError("the collection could not be created")

    # MARK: Editors

    def _random(self, *stream):
        return random.Random(f"{self.seed} {stream}")

    def _edit(self, index):
        """Edits at the proxy or at a server, and tries again wherever an answer is missing."""
        chance = self._random("edit", index)
        addresses = [self.cluster.address] * 3 + [each.address for each in self.cluster.servers]
        channels = [grpc.insecure_channel(each, [("grpc.max_reconnect_backoff_ms", 500),
                                                 ("grpc.use_local_subchannel_pool", 1)])
                    for each in addresses]
        stubs = [service_grpc.CollectionServiceStub(each) for each in channels]
        number = 0
        while self.editing.is_set():
            number += 1
            change = make_change(chance, f"e{index}-{number}")
            name = f"e{index}-{number}"
            with self.lock:
                self.changes[name] = change
            request = service.ApplyUpdatesRequest(
                name=NAME, batch=updates.batch(*operations(change), request_id=name))
            version = self._apply(stubs, request, chance)
            if version is not None and chance.random() < 0.2:
                again = self._apply(stubs, request, chance)
                if again is not None and again != version:
                    self.fault(f"Unique: a retry of v{version} became v{again}")
            time.sleep(chance.expovariate(1 / self.scale.edit_pause))
        for channel in channels:
            channel.close()

    def _apply(self, stubs, request, chance):
        """The version that a batch led to; None = it is not known by the end."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                answer = chance.choice(stubs).ApplyUpdates(request, timeout=3, metadata=ROUTE)
            except grpc.RpcError as error:
                if error.code() not in PASSING:
                    self.fault(f"an edit was refused: {error.code()} {error.details()}")
                    return None
                self.retries += 1
                time.sleep(0.05)
                continue
            with self.lock:
                self.acknowledged.setdefault(request.batch.request_id, set()).add(answer.data_version)
                self.newest = max(self.newest, answer.data_version)
            return answer.data_version
        self.fault("an edit was not answered within a minute")
        return None

    # MARK: Viewers

    def _view(self, index):
        chance = self._random("view", index)
        sights = self.sights.setdefault(index, [])
        address = [self.cluster.address, *(each.address for each in self.cluster.servers)][index % 4]
        with Client(address, connect_timeout=60) as client:
            options = dict(heartbeat_interval=1)
            with client.view(NAME, size=(100, 200), options=options, packed=index % 2 == 0) as viewer:
                number = 0
                while True:
                    self._look(viewer, sights)
                    if not self.editing.is_set():
                        if viewer.data_version >= self.newest and not self._is_editing():
                            break
                        continue
                    number += 1
                    if chance.random() < 0.3:
                        viewer.scroll(y=chance.randrange(0, 6000))
                    elif chance.random() < 0.1:
                        self._edit_by_viewer(viewer, index, number, chance)
                self.reconnections += viewer.reconnections

    def _is_editing(self):
        """Whether there may be more edits."""
        return self.viewer_edits > 0 or any(
            thread.name.startswith("_edit") for thread in threading.enumerate())

    def _edit_by_viewer(self, viewer, index, number, chance):
        """An edit on the stream, which is applied once, whatever becomes of the stream."""
        name = f"v{index}-{number}"
        change = make_change(chance, name)
        with self.lock:
            self.changes[name] = change
            self.viewer_edits += 1
        try:
            version = viewer.update(updates.batch(*operations(change), request_id=name), timeout=60)
            with self.lock:
                self.acknowledged.setdefault(name, set()).add(version)
                self.newest = max(self.newest, version)
        finally:
            with self.lock:
                self.viewer_edits -= 1

    def _look(self, viewer, sights):
        try:
            frame = viewer.next_frame(timeout=0.2)
        except LayoutError as error:
            if error.code != grpc.StatusCode.DEADLINE_EXCEEDED:
                raise
            return
        sights.append(Sight(
            session=viewer.session, seq=frame.seq, version=frame.data_version, keyframe=frame.keyframe,
            height=frame.content_size[1], coverage=frame.coverage,
            elements=[(each.key, each.item, each.frame.y, each.frame.height) for each in frame.elements]))

    # MARK: The watcher

    def _watch(self, _):
        """Watches the updates and goes on after the last one that it saw."""
        # A channel that is new each time: it may be connected to a server that stands still.
        while self.editing.is_set() or self._is_editing() or self._last() < self.newest:
            with grpc.insecure_channel(
                    self.cluster.address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
                request = service.WatchUpdatesRequest(name=NAME, after_data_version=self._last())
                try:
                    for message in service_grpc.CollectionServiceStub(channel).WatchUpdates(
                            request, timeout=3, metadata=ROUTE):
                        if message.HasField("batch"):
                            self.watched.append((message.data_version, message.batch.request_id))
                except grpc.RpcError as error:
                    if error.code() == grpc.StatusCode.OUT_OF_RANGE and "are kept" in error.details():
                        self._reread()
                    elif error.code() not in PASSING:
                        raise
                    time.sleep(0.02)

    def _reread(self):
        try:
            with Client(self.cluster.address) as client:
                version = client.get_collection(NAME).data_version
        except LayoutError:
            return
        # A server that stood still may be behind.
        if version > self._last():
            self.reread.append(version)

    def _last(self):
        watched = self.watched[-1][0] if self.watched else 0
        return max(watched, self.reread[-1] if self.reread else 0)

    # MARK: What breaks

    def _break(self):
        chance = self._random("break")
        end = time.monotonic() + self.scale.seconds
        while time.monotonic() < end:
            time.sleep(chance.uniform(0.2, self.scale.pause))
            server = chance.choice(self.cluster.servers)
            body = chance.choice(
                [self._kill, self._kill, self._drain, self._freeze, self._terminate, self._terminate,
                 self._restart_database, self._cut_database, self._block_database, self._cut_clients,
                 self._block_clients])
            start = time.monotonic()
            body(server, chance)
            self.done_faults.append(
                f"{body.__name__[1:]} {server.index} {time.monotonic() - start:.1f} s")
        time.sleep(0.5)

    def _kill(self, server, chance):
        server.kill()
        time.sleep(chance.uniform(0, 1))
        server.start()
        self._wait_for(server)

    def _drain(self, server, chance):
        status = server.drain()
        if status != 0:
            self.fault(f"a server that was told to end did so with status {status}")
        server.start()
        self._wait_for(server)

    def _wait_for(self, server):
        """A server that cannot reach the database ends, as an operator is to see; start it again then."""
        end = time.monotonic() + 30
        while not server.accepts():
            if server.process.poll() is not None:
                server.start()
            if time.monotonic() > end:
                self.fault(f"server {server.index} did not start")
                return
            time.sleep(0.05)

    def _freeze(self, server, chance):
        server.freeze()
        time.sleep(chance.uniform(0.5, self.scale.freeze))
        server.thaw()

    def _terminate(self, server, chance):
        self.cluster.postgres.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            f"AND usename = 'layout' AND random() < {chance.choice([0.2, 1])}")

    def _restart_database(self, server, chance):
        self.cluster.postgres.stop("immediate")
        time.sleep(chance.uniform(0, 1))
        self.cluster.postgres.start()

    def _cut_database(self, server, chance):
        server.database.cut()

    def _block_database(self, server, chance):
        server.database.block()
        time.sleep(chance.uniform(0.5, self.scale.freeze))
        if chance.random() < 0.5:
            server.database.cut()
        server.database.unblock()

    def _cut_clients(self, server, chance):
        server.clients.cut()

    def _block_clients(self, server, chance):
        server.clients.block()
        time.sleep(chance.uniform(0.5, self.scale.freeze))
        if chance.random() < 0.5:
            server.clients.cut()
        server.clients.unblock()

    # MARK: What must hold

    def _violations(self):
        found = []
        rows = self.cluster.postgres.query(
            "SELECT version, convert_from(request_id, 'UTF8') FROM layout_server.request ORDER BY version")
        stored = [(int(version), name) for version, name in rows]
        if [version for version, _ in stored] != list(range(1, len(stored) + 1)):
            found.append("Dense: versions are missing or there twice")
        if len({name for _, name in stored}) != len(stored):
            found.append("Unique: a request is stored twice")
        versions = {name: version for version, name in stored}
        for name, told in self.acknowledged.items():
            if told != {versions.get(name)}:
                found.append(f"Durable: {name} was told {told}, stored is {versions.get(name)}")
        if not set(self.watched) <= set(stored):
            found.append("Ordered: the watcher got something else than the log")
        before = [0, *(version for version, _ in self.watched)]
        for last, (version, _) in zip(before, self.watched):
            if version != last + 1 and not (version > last and version - 1 in self.reread):
                found.append(f"Ordered: the watcher got v{version} after v{last}")
        if self._last() < self.newest:
            found.append(f"Reliable: the watcher got as far as v{self._last()} of v{self.newest}")
        for viewer, sights in self.sights.items():
            found += order_violations(viewer, sights)
        found += self._reliability_violations(stored)
        found += self._server_violations(stored)
        return found

    def _reliability_violations(self, stored):
        """Every sight is the model at its version: no batch is missing, half there or there twice."""
        found, model = [], [(f"r{index}", 20.0) for index in range(ROWS)]
        sights = {}
        for viewer, seen in self.sights.items():
            for sight in seen:
                sights.setdefault(sight.version, []).append((viewer, sight))
        for version in range(len(stored) + 1):
            if version:
                apply(self.changes[stored[version - 1][1]], model)
            if version not in sights:
                continue
            places, y = {}, 0.0
            for item, (key, height) in enumerate(model):
                places[key] = (key, item, y, height)
                y += height
            for viewer, sight in sights[version]:
                wrong = [each for each in sight.elements if places.get(each[0]) != each]
                if wrong or sight.height != y:
                    found.append(f"Reliable: viewer {viewer} at v{version}: {wrong[:2]}, {sight.height} of {y}")
                top, bottom = sight.coverage[1], sight.coverage[1] + sight.coverage[3]
                covered = sum(1 for _, _, at, height in places.values() if at < bottom and at + height > top)
                if len(sight.elements) < covered:
                    found.append(f"Reliable: viewer {viewer} at v{version} has {len(sight.elements)} of {covered}")
        self.model = model
        return found

    def _contents(self, server):
        """What a server has in the end."""
        end = time.monotonic() + 60
        while True:
            try:
                with Client(server.address) as client:
                    # It may be a moment behind the one that was told of the newest edit.
                    while client.get_collection(NAME).data_version < self.newest:
                        if time.monotonic() > end:
                            break
                        time.sleep(0.1)
                    return client.get_collection(NAME).data_version, client.export_contents(NAME)
            except LayoutError:
                if time.monotonic() > end:
                    raise

    def _server_violations(self, stored):
        """All servers have the same contents at the end."""
        found = []
        for server in self.cluster.servers:
            version, contents = self._contents(server)
            rows = []
            for section in contents.sections:
                for block in section.blocks:
                    # One height stands for all.
                    one = len(block.heights) == 1
                    rows += zip(block.keys, block.heights[:] * block.count if one else block.heights)
            if version != len(stored) or rows != self.model:
                found.append(f"Reliable: server {server.index} is at v{version} of {len(stored)}, and its "
                             f"rows are {'those' if rows == self.model else 'not those'} of the model")
        return found


PASSING = {
    grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED}


def order_violations(viewer, sights):
    """Versions only go forward, across sessions too; frames go forward within a session."""
    found = []
    for old, new in zip(sights, sights[1:]):
        if new.version < old.version:
            found.append(f"Ordered: viewer {viewer} went from v{old.version} back to v{new.version}")
        if new.session == old.session and new.seq <= old.seq:
            found.append(f"Ordered: viewer {viewer} saw frame {new.seq} after {old.seq}")
        if new.session != old.session and not new.keyframe:
            found.append(f"Resumable: viewer {viewer}'s new session begins with a difference")
    return found


# MARK: Changes that can be made whatever the others did before


def make_change(chance, name):
    kind = chance.randrange(10)
    if kind < 3:
        # Two items at the start and one further on, in one batch: all or none.
        return ("insert", [f"{name}-{index}" for index in range(3)],
                [float(chance.randrange(5, 40)) for _ in range(3)])
    if kind < 6:
        return ("delete",)
    if kind < 8:
        return ("move", chance.randrange(40), chance.randrange(40))
    return ("resize", chance.randrange(40), float(chance.randrange(5, 40)))


def operations(change):
    kind = change[0]
    if kind == "insert":
        keys, heights = change[1:]
        return [updates.insert((0, 0), keys=keys[:2], heights=heights[:2]),
                updates.insert((0, 7), keys=keys[2:], heights=heights[2:])]
    if kind == "delete":
        return [updates.delete((0, 0))]
    if kind == "move":
        return [updates.move((0, change[1]), (0, change[2]))]
    return [updates.reconfigure((0, change[1]), heights=[change[2]])]


def apply(change, rows):
    """The same to a list of (key, height)."""
    kind = change[0]
    if kind == "insert":
        keys, heights = change[1:]
        for index, place in enumerate((0, 1, 7)):
            rows.insert(place, (keys[index], heights[index]))
    elif kind == "delete":
        rows.pop(0)
    elif kind == "move":
        rows.insert(change[2], rows.pop(change[1]))
    else:
        rows[change[1]] = (rows[change[1]][0], change[2])
