# SPDX-License-Identifier: Apache-2.0
"""Measures what one greedy client costs its neighbours.

A neighbour scrolls 20 times a second and notes the time from each event to its frame, first alone,
then while another process attacks the server. Prints both and fails where the p99 under attack is
more than --ratio times the p99 alone (or --floor milliseconds, where that is more):

    python Tests/Clients/python/fairness.py --server 127.0.0.1:50051 --attack widths
    python Tests/Clients/python/fairness.py --attack layouts --seconds 60

Without --server a server is started for the test. Attacks:

    widths     one session after the other at 10,000 widths of the neighbour's collection
    layouts    120 layouts of ten million items asked for at once on one connection, without end
    small      layouts of 20,000 inline items, 16 at once
    frames     eight sessions that ask for frames of a line of a million items, without end
    newcomer   as layouts; what is measured is the first frame of new sessions on new connections
"""

import argparse
import itertools
import multiprocessing
import os
import signal
import sys
import time

import grpc
from collection_layout import QuotaError
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import query_service_pb2_grpc as query_grpc
from collection_layout.v1 import session_pb2 as session
from lockstep import Session

ITEMS = 100_000


def channel(address):
    """A connection of its own."""
    return grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])


def flow():
    return layouts.LayoutSpec(flow=dict())


def viewport(width=1024):
    return session.ViewportChange(content_offset=dict(x=0, y=0), size=dict(width=width, height=768))


def make_collection(address):
    contents = collection.CollectionContents()
    sizes = [40 + index * 37 % 160 for index in range(ITEMS)]
    contents.sections.add().blocks.add(count=ITEMS, widths=sizes, heights=sizes)
    with channel(address) as connection:
        stub = service_grpc.CollectionServiceStub(connection)
        return stub.CreateCollection(
            service.CreateCollectionRequest(contents=contents)).collection.name


def open_viewer(connection, name, width=1024):
    return Session(connection, session.OpenSession(
        collection=name, layout=flow(), viewport=viewport(width),
        capabilities=session.ClientCapabilities()))


# What the greedy client does, in a process of its own.


def attack_widths(address, name):
    kept = []
    with channel(address) as connection:
        for index in range(10_000):
            try:
                kept.append(open_viewer(connection, name, 300 + index * 0.125))
            except QuotaError:
                kept.clear()
            if len(kept) >= 100:
                for viewer in kept:
                    viewer.close()
                kept.clear()


def ask_layouts(address, items, at_once, turn):
    contents = collection.CollectionContents()
    section = contents.sections.add()
    # Items that are all alike take no time.
    for index in range(1000):
        section.blocks.add(count=items // 1000, widths=[50], heights=[60 + index % 37])
    with channel(address) as connection:
        stub = query_grpc.LayoutQueryServiceStub(connection)
        while True:
            calls = []
            for index in range(at_once):
                turn += 1
                calls.append(stub.GetContentSize.future(query.GetContentSizeRequest(
                    target=query.LayoutTarget(
                        inline_contents=contents, viewport=viewport(300 + turn % 5000),
                        layout=layouts.LayoutSpec(
                            waterfall=dict(column_count=2 + turn % 7))))))
            for call in calls:
                call.exception()


def attack_layouts(address, name):
    ask_layouts(address, 10_000_000, 120, 0)


def attack_small(address, name):
    ask_layouts(address, 20_000, 16, 0)


def attack_frames(address, name):
    contents = collection.CollectionContents()
    section = contents.sections.add()
    # Of different sizes and in one line, so that each frame looks at all of them.
    for index in range(100):
        section.blocks.add(count=10_000, widths=[5 + index % 7], heights=[60])
    with channel(address) as connection:
        stub = service_grpc.CollectionServiceStub(connection)
        line = stub.CreateCollection(
            service.CreateCollectionRequest(contents=contents)).collection.name
        viewers = [open_viewer(connection, line, 1e9) for _ in range(8)]
        while True:
            frames = [viewer.mirror.frames for viewer in viewers]
            for viewer in viewers:
                viewer.send(resync=dict())
            for viewer, count in zip(viewers, frames):
                viewer.until(lambda s: s.mirror.frames > count)


ATTACKS = {
    "widths": attack_widths, "layouts": attack_layouts, "small": attack_small,
    "frames": attack_frames, "newcomer": attack_layouts,
}


# What the neighbour sees.


def scroll_times(address, name, seconds):
    """Milliseconds from each scroll to its frame; a late one also delays those meant to follow."""
    times = []
    with channel(address) as connection:
        viewer = open_viewer(connection, name)
        start = time.monotonic()
        for step in range(1, int(seconds * 20)):
            due = start + step / 20
            time.sleep(max(0, due - time.monotonic()))
            frames = viewer.mirror.frames
            viewer.scroll(0, step % 400 * 4000.0)
            viewer.until(lambda s: s.mirror.frames > frames)
            times.append((time.monotonic() - due) * 1000)
            if time.monotonic() - start > seconds:
                break
        viewer.close()
    return times


# Of newcomers: none of them finds the layout of another.
WIDTHS = itertools.count(500)


def opening_times(address, name, seconds):
    """Milliseconds from the connection to the first frame."""
    times = []
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        begin = time.monotonic()
        with channel(address) as connection:
            viewer = open_viewer(connection, name, next(WIDTHS))
            times.append((time.monotonic() - begin) * 1000)
            viewer.close()
        time.sleep(0.2)
    return times


def percentile(times, share):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def tell(title, times):
    figures = [percentile(times, share) for share in (0.5, 0.99, 1)]
    print("%-8s %4d frames   p50 %8.1f   p99 %8.1f   max %8.1f ms" % (title, len(times), *figures))
    return figures[1]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server")
    parser.add_argument("--attack", choices=sorted(ATTACKS), default="widths")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--ratio", type=float, default=2)
    parser.add_argument("--floor", type=float, default=10)
    options = parser.parse_args()
    server = None
    if options.server is None:
        from conftest import Server
        server = Server()
    address = options.server or server.address
    attacker = None
    try:
        name = make_collection(address)
        measure = opening_times if options.attack == "newcomer" else scroll_times
        alone = tell("alone", measure(address, name, options.seconds))
        attacker = multiprocessing.get_context("spawn").Process(
            target=ATTACKS[options.attack], args=(address, name), daemon=True)
        attacker.start()
        time.sleep(2)
        attacked = tell("attacked", measure(address, name, options.seconds))
        if not attacker.is_alive() and attacker.exitcode != 0:
            sys.exit("the attack itself failed")
    finally:
        if attacker is not None and attacker.is_alive():
            os.kill(attacker.pid, signal.SIGKILL)
        if server is not None:
            server.kill()
    allowed = max(options.ratio * alone, options.floor)
    print("p99 under attack: %.1f ms; allowed %.1f ms" % (attacked, allowed))
    sys.exit(0 if attacked <= allowed else 1)


if __name__ == "__main__":
    main()
