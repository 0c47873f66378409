# SPDX-License-Identifier: Apache-2.0
"""A long mixed load on two servers with SQLite: one whose memory and descriptors are measured, and one
that is killed now and then. Started by Scripts/soak, which says what fails."""

import argparse
import collections
import contextlib
import os
import pathlib
import random
import re
import statistics
import sys
import tempfile
import threading
import time
import traceback
import uuid

import grpc
from collection_layout import LayoutError
from collection_layout.machine import LOST_SESSION, PASSING
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import updates_pb2 as updates
from conftest import Server
from lockstep import Session
from test_stream import LAYOUTS, assert_mirror, contents, open_session, section_counts

# Small, so that what the server may keep is full within the warm-up.
SERVER_OPTIONS = {
    "HISTORY_BATCHES": "50", "CACHE_BYTES": str(32 << 20), "RESUME_GRACE_MS": "6000",
    "PRIVATE_RESUME_GRACE_MS": "6000", "RECONNECT_SPREAD_MS": "100",
}
# Of contents without an empty section.
SEEDS = [seed for seed in range(30) if min(section_counts(contents(seed))) > 0]


class Faults:
    """What went wrong, from many threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.texts = []

    def note(self, where):
        with self.lock:
            self.texts.append(f"{where}: {traceback.format_exc()}")
            print(self.texts[-1], file=sys.stderr, flush=True)


class Load:
    """Clients of one server, which come and go until they are told to stop."""

    def __init__(self, address, faults, seed, is_killed, clean_up):
        self.clean_up = clean_up
        self.address, self.faults, self.is_killed = address, faults, is_killed
        self.seed = seed
        self.names = []
        self.stopping = threading.Event()
        self.threads = []
        self.counts = collections.Counter()
        self.counts_lock = threading.Lock()
        self.renew()

    def renew(self):
        """Other collections: the identifiers of their edits are kept, up to 16 MiB for each, as long as
        they exist, which would look like a leak for hours."""
        with self.channel() as channel:
            stub = service_grpc.CollectionServiceStub(channel)
            for name in self.names:
                stub.DeleteCollection(service.DeleteCollectionRequest(name=name))
            self.names = [
                stub.CreateCollection(service.CreateCollectionRequest(
                    contents=contents(SEEDS[number]))).collection.name for number in range(3)]

    def channel(self):
        # Without the option all channels of a process share one connection.
        return grpc.insecure_channel(
            self.address, options=[("grpc.use_local_subchannel_pool", 1),
                                   ("grpc.max_reconnect_backoff_ms", 500)])

    def start(self, viewers):
        self.stopping.clear()
        self.seed += 1
        jobs = [self.view] * viewers + [self.edit] * 2 + [self.watch, self.manage]
        self.threads = [
            threading.Thread(target=self.run, args=(job, random.Random(self.seed * 1000 + index)))
            for index, job in enumerate(jobs)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(timeout=60)
        stuck = [thread.ident for thread in self.threads if thread.is_alive()]
        for ident in stuck:
            traceback.print_stack(sys._current_frames()[ident])
        if stuck:
            print(f"{len(stuck)} clients do not end", flush=True)
            # No thread can be ended from outside.
            self.clean_up()
            os._exit(1)

    def count(self, what):
        with self.counts_lock:
            self.counts[what] += 1

    def run(self, job, chance):
        while not self.stopping.is_set():
            try:
                job(chance)
            except (grpc.RpcError, LayoutError) as error:
                if not self.is_expected(error):
                    self.faults.note(job.__name__)
                time.sleep(0.1)
            except Exception:
                self.faults.note(job.__name__)
                time.sleep(0.1)

    def is_expected(self, error):
        """Whether it comes from the server's having been killed."""
        if isinstance(error, grpc.RpcError):
            error = LayoutError.from_rpc_error(error)
        return self.is_killed and (error.code in PASSING or error.reason in LOST_SESSION)

    # What clients do.

    def view(self, chance):
        """A viewer's life: one session, whose stream breaks at times, and which ends or vanishes."""
        layout = chance.choice(list(LAYOUTS))
        source, metadata = {"inline_contents": contents(chance.choice(SEEDS))}, None
        if chance.random() < 0.7:
            name = chance.choice(self.names)
            source, metadata = {"collection": name}, [("x-layout-collection", name)]
        with self.channel() as channel:
            stream = Session(channel, open_session(layout, **source), metadata=metadata,
                             reconnect=True)
            self.count("sessions")
            for _ in range(chance.randrange(3, 25)):
                if self.stopping.is_set():
                    break
                self.act(stream, chance)
            # Its stream may just have been cut.
            stream.settle()
            # Others edit a shared collection meanwhile, so that only a private one can be compared.
            if metadata is None and not self.is_killed:
                assert_mirror(channel, stream)
            if chance.random() < 0.6:
                stream.close()
            else:
                self.count("vanished")

    def act(self, stream, chance):
        choice = chance.random()
        if choice < 0.5:
            height = stream.mirror.content_size[1]
            stream.scroll_to(0, chance.uniform(0, max(0, height - 768)))
            self.count("scrolls")
        elif choice < 0.7:
            result = stream.perform(update=edit_at_head(chance))
            assert not result.HasField("problem") or self.is_killed, result.problem
            self.count("edits in sessions")
        elif choice < 0.8:
            spec = layouts.LayoutSpec(**LAYOUTS[chance.choice(list(LAYOUTS))])
            stream.perform(layout=session.LayoutChange(layout=spec))
            self.count("layouts")
        elif choice < 0.9:
            stream.call.cancel()
            self.count("cuts")
        else:
            stream.settle()

    def edit(self, chance):
        """An editor who is told the version of each of his edits, and tries again where he is not."""
        name = chance.choice(self.names)
        newest = 0
        with self.channel() as channel:
            stub = service_grpc.CollectionServiceStub(channel)
            while not self.stopping.is_set():
                batch = edit_at_head(chance)
                batch.request_id = str(uuid.UUID(int=chance.getrandbits(128)))
                version = self.apply(stub, name, batch)
                if version is None:
                    return
                assert version > newest, f"{name}: {version} came after {newest}"
                newest = version
                self.count("edits")
                time.sleep(0.02)

    def apply(self, stub, name, batch):
        while not self.stopping.is_set():
            try:
                return stub.ApplyUpdates(
                    service.ApplyUpdatesRequest(name=name, batch=batch), timeout=30).data_version
            except grpc.RpcError as error:
                if not self.is_expected(error):
                    raise
                time.sleep(0.1)

    def watch(self, chance):
        with self.channel() as channel:
            stub = service_grpc.CollectionServiceStub(channel)
            name = chance.choice(self.names)
            version = stub.GetCollection(
                service.GetCollectionRequest(name=name)).collection.data_version
            call = stub.WatchUpdates(
                service.WatchUpdatesRequest(name=name, after_data_version=version))
            for _ in range(chance.randrange(1, 40)):
                if self.stopping.is_set():
                    break
                message = next(call)
                if message.HasField("batch"):
                    assert message.data_version == version + 1, (message.data_version, version)
                    version = message.data_version
                    self.count("watched")
            call.cancel()

    def manage(self, chance):
        """Collections that come and go."""
        with self.channel() as channel:
            stub = service_grpc.CollectionServiceStub(channel)
            created = stub.CreateCollection(service.CreateCollectionRequest(
                contents=contents(chance.choice(SEEDS)))).collection
            stub.ApplyUpdates(
                service.ApplyUpdatesRequest(name=created.name, batch=edit_at_head(chance)))
            stub.DeleteCollection(service.DeleteCollectionRequest(name=created.name))
            self.count("collections")
            time.sleep(0.05)


def edit_at_head(chance):
    """Replaces the first item of a section: whatever others did, it fits, and nothing grows."""
    section = chance.randrange(8)
    batch = updates.UpdateBatch()
    insert = batch.operations.operations.add().insert_items
    insert.at.section, insert.at.item = section, 0
    insert.blocks.add(count=1, widths=[chance.randrange(40, 200)],
                      heights=[chance.randrange(40, 200)])
    delete = batch.operations.operations.add().delete_items
    delete.section, delete.first_item, delete.item_count = section, 0, 1
    return batch


class KilledServer:
    """A server that is killed now and then and comes back at its address with its file."""

    def __init__(self, store, period, chance):
        self.store, self.period, self.chance = store, period, chance
        self.server = Server(store=store)
        self.address = self.server.address
        self.kills = 0
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ending.wait(self.period * self.chance.uniform(0.5, 1.5)):
            self.server.kill()
            self.kills += 1
            self.server = Server(port=self.address.rsplit(":", 1)[1], store=self.store)

    def end(self):
        """No more kills; the server stays."""
        self.ending.set()
        self.thread.join()


def resident_kib(pid):
    """All that is resident, and what of it is the process's own: the rest are pages of the executable
    and of libraries, which come in for hours as rare code runs for the first time."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return [int(re.search(rf"{name}:\s+(\d+)", text).group(1)) for name in ("VmRSS", "RssAnon")]


def descriptors(pid):
    found = []
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(os.readlink(entry))
    return found


def settled_descriptors(pid, wanted):
    """The descriptors once there are at most that many, or after half a minute. Memory is at rest then:
    sessions without a client are given up after six seconds."""
    time.sleep(7)
    for _ in range(270):
        found = descriptors(pid)
        if len(found) <= wanted:
            break
        time.sleep(0.1)
    return found


def slope(points):
    """MB an hour, and twice the standard error of it, by least squares."""
    times, values = zip(*points)
    middle = statistics.fmean(times)
    spread = sum((t - middle) ** 2 for t in times)
    mean = statistics.fmean(values)
    rise = sum((t - middle) * (v - mean) for t, v in points) / spread
    residuals = sum((v - mean - rise * (t - middle)) ** 2 for t, v in points)
    error = (residuals / (len(points) - 2) / spread) ** 0.5
    return rise * 3600, 2 * error * 3600


def main():
    parser = argparse.ArgumentParser(prog="Scripts/soak")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--server", default=".build/debug/layout-server", help="the executable")
    parser.add_argument("--viewers", type=int, default=8, help="of each server")
    parser.add_argument("--round", type=float, default=15,
                        help="seconds of load between two measurements at rest")
    parser.add_argument("--kill-every", type=float, default=10, help="seconds, about")
    parser.add_argument("--warm-up", type=float, default=0.4, help="part of the time")
    parser.add_argument("--limit", type=float, default=1, help="MB an hour")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["LAYOUT_SERVER"] = str(pathlib.Path(options.server).resolve())
    for name, value in SERVER_OPTIONS.items():
        os.environ["LAYOUT_SERVER_" + name] = value

    faults = Faults()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        steady = Server(store=f"{folder}/steady.sqlite")
        killed = KilledServer(f"{folder}/killed.sqlite", options.kill_every,
                              random.Random(options.seed))

        def clean_up():
            killed.end()
            killed.server.kill()
            steady.kill()

        try:
            failed = run(options, faults, steady, killed, clean_up)
        finally:
            clean_up()
    sys.exit(1 if failed else 0)


def run(options, faults, steady, killed, clean_up):
    pid = steady.process.pid
    loads = [Load(steady.address, faults, options.seed, is_killed=False, clean_up=clean_up),
             Load(killed.address, faults, options.seed + 500_000, is_killed=True,
                  clean_up=clean_up)]
    loads[1].start(options.viewers)
    begin = time.monotonic()
    # The server's own, and one that SQLite opens for the first edit.
    time.sleep(1)
    points, baseline, left = [], len(descriptors(pid)) + 1, []
    print(f"{'s':>6} {'RSS MiB':>8} {'own MiB':>8} {'descriptors':>11} {'kills':>6}  steady server's clients so far")
    while time.monotonic() - begin < options.minutes * 60:
        loads[0].start(options.viewers)
        time.sleep(options.round)
        loads[0].stop()
        loads[0].renew()
        found = settled_descriptors(pid, baseline)
        elapsed = time.monotonic() - begin
        if len(found) > baseline:
            left.append((elapsed, len(found)))
        kib, own_kib = resident_kib(pid)
        points.append((elapsed, own_kib * 1024 / 1e6))
        done = ", ".join(f"{count} {what}" for what, count in sorted(loads[0].counts.items()))
        print(f"{elapsed:6.0f} {kib / 1024:8.2f} {own_kib / 1024:8.2f} {len(found):11} {killed.kills:6}"
              f"  {done}", flush=True)
    killed.end()
    loads[1].stop()
    done = ", ".join(f"{count} {what}" for what, count in sorted(loads[1].counts.items()))
    print(f"the killed server's clients: {done}")
    return judge(options, faults, points, left, baseline)


def judge(options, faults, points, left, baseline):
    failed = False
    measured = [p for p in points if p[0] >= points[-1][0] * options.warm_up]
    if len(measured) < 4:
        print("memory: too few measurements; use --minutes or --round")
        failed = True
    else:
        rise, error = slope(measured)
        print(f"memory: {rise:+.2f} ± {error:.2f} MB/h over {len(measured)} measurements at rest, after"
              f" {options.warm_up:.0%} of the time as warm-up")
        if rise - error > options.limit:
            print(f"memory: FAILED: more than {options.limit} MB/h")
            failed = True
        elif rise + error > options.limit:
            print(f"memory: too short a time to exclude {options.limit} MB/h")
    if left:
        print(f"descriptors: FAILED: {baseline} were to be left, but there were"
              f" {', '.join(f'{n} at {t:.0f} s' for t, n in left)}")
        failed = True
    else:
        print(f"descriptors: none left, {baseline} at rest")
    if faults.texts:
        print(f"clients: FAILED: {len(faults.texts)} faults, the first: {faults.texts[0]}")
        failed = True
    else:
        print("clients: nothing lost, nothing wrong")
    return failed


if __name__ == "__main__":
    main()
