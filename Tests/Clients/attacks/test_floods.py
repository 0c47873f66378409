# SPDX-License-Identifier: Apache-2.0
"""Floods: each is stopped or bounded, the neighbour scrolls on, memory comes back."""

import itertools
import os
import random
import socket
import struct
import time

import pytest
from conftest import SECONDS
from raw import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GREETING, HEADERS, PING, PRIORITY, RESET, SETTINGS,
    STREAM, WATCH, WINDOW, Raw, frame, message,
)

pytestmark = pytest.mark.usefixtures("watched")


def flood(address, make, source, greet=True, closes=True):
    """Sends what `make` gives until the time is over; how many times, and whether it was closed."""
    end, count, is_closed = time.monotonic() + SECONDS, 0, False
    with Raw(address, source=source, greet=greet) as raw:
        raw.socket.settimeout(0.2)
        while time.monotonic() < end and not is_closed:
            try:
                raw.push(b"" if raw.unsent else make(raw))
                count += 1
            except TimeoutError:
                pass  # The server reads more slowly.
            except OSError:
                is_closed = True
        is_closed = is_closed or closes and raw.closes(4)
        return count, is_closed, raw.goaway


def cancelled(raw):
    head, stream = raw.open(STREAM)
    return head + frame(RESET, 0, stream, bytes([0, 0, 0, 8]))


def test_rapid_reset(address):
    assert flood(address, lambda raw: b"".join(cancelled(raw) for _ in range(20)), "127.0.1.1")[1]


def test_resets_of_calls_that_the_server_has_ended(address):
    """As gRPC's C library does it; other calls of the connection go on."""
    with Raw(address, source="127.0.1.30") as raw:
        for _ in range(40):
            # Refused, and the client could still send.
            streams = [raw.call("/no.such.Service/Method", end=False) for _ in range(10)]
            assert raw.read(lambda: all(stream in raw.status for stream in streams))
            assert {raw.status[stream][0] for stream in streams} == {12}
            raw.send(b"".join(frame(RESET, 0, stream, bytes(4)) for stream in streams))
        assert raw.works() and raw.goaway is None


def test_resets_over_many_connections(address):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with Raw(address, source="127.0.1.2") as raw:
            raw.send(b"".join(cancelled(raw) for _ in range(190)))
            raw.read(lambda: False, 0.02)
    with Raw(address, source="127.0.1.2") as raw:
        assert raw.closes(8)
        assert raw.is_refused or raw.goaway == (11, "this address resets calls too often")
    with Raw(address, source="127.0.1.3") as raw:
        assert raw.works(), "other addresses pay for it"


def overflow(raw):
    head, stream = raw.open(STREAM)
    return head + frame(WINDOW, 0, stream, struct.pack(">I", 0x7FFFFFFF)) * 2


def zero_update(raw):
    head, stream = raw.open(STREAM)
    return head + frame(WINDOW, 0, stream, bytes(4))


def data_after_end(raw):
    head, stream = raw.open(STREAM, end=True)
    return head + frame(DATA, 0, stream, b"x")


def headers_after_end(raw):
    head, stream = raw.open(STREAM, end=True)
    return head + frame(HEADERS, END_HEADERS, stream, raw.block())


def bad_header(raw):
    return raw.open(STREAM, extra=[("te", "gzip")])[0]


@pytest.mark.parametrize("make", [
    overflow, zero_update, data_after_end, headers_after_end, bad_header])
def test_calls_that_the_server_has_to_reset(address, make):
    assert flood(address, make, "127.0.1.4")[1]


@pytest.mark.parametrize("name, piece", [
    ("ping", frame(PING, 0, 0, bytes(8))), ("settings", frame(SETTINGS, 0, 0))])
def test_control_frames(address, name, piece):
    assert flood(address, lambda raw: piece * 500, "127.0.1.5")[1]


def test_continuations_without_end(address):
    head = frame(HEADERS, 0, 1, Raw.literal("x", "y"))
    begin = [head]
    assert flood(
        address, lambda raw: (begin.pop() if begin else b"") + frame(CONTINUATION, 0, 1) * 100,
        "127.0.1.6")[1]


# 50,000 at once and in a second, and what fits into the buffers on the way.
MOST_FRAMES = 50_000 * (SECONDS + 5) + 1_000_000


@pytest.mark.parametrize("piece", [
    frame(DATA, 0, 1), frame(DATA, 8, 1, bytes(1)), frame(PRIORITY, 0, 1, struct.pack(">IB", 1, 16))])
def test_what_says_nothing_is_read_more_slowly(address, piece):
    begin = []

    def make(raw):
        if not begin:
            begin.append(raw.open(STREAM)[0])
            return begin[0]
        return piece * 5000

    count, is_closed, _ = flood(address, make, "127.0.1.7", closes=False)
    assert not is_closed and count * 5000 < MOST_FRAMES


def test_window_updates_are_read_more_slowly(address):
    piece = frame(WINDOW, 0, 0, struct.pack(">I", 1)) * 5000
    count = flood(address, lambda raw: piece, "127.0.1.8", closes=False)[0]
    assert count * 5000 < MOST_FRAMES


@pytest.mark.parametrize("count", [2600, 64])
def test_settings_of_many_entries(address, count):
    """Each entry concerns each open call."""
    # The size of a new call's window, from nothing to all and back.
    entries = b"".join(struct.pack(">HI", 4, value) for value in [0, 0x7FFFFFFF] * (count // 2))
    calls = []

    def make(raw):
        if not calls:
            calls.extend(raw.open(WATCH) for _ in range(100))
            return b"".join(
                head + frame(DATA, END_STREAM, stream, message()) for head, stream in calls)
        return frame(SETTINGS, 0, 0, entries) * (2600 // count)

    _, is_closed, goodbye = flood(address, make, "127.0.1.17", closes=count > 64)
    if count > 64:
        assert is_closed and goodbye in (None, (11, "too many SETTINGS"))


def test_unknown_frames_and_garbage(address):
    chance = random.Random(1)
    for round in range(3):
        flood(address, lambda raw: b"".join(
            frame(chance.randrange(20, 256), chance.randrange(256), chance.randrange(9),
                  chance.randbytes(chance.randrange(40))) for _ in range(50)), "127.0.1.9",
              closes=False)
        with Raw(address, source="127.0.1.10", greet=round % 2 == 0) as raw:
            raw.send(chance.randbytes(20_000))
            assert raw.closes(3)


def test_sixteen_mebibytes_of_metadata(address):
    field = Raw.literal("x-large", "y" * 16_000)
    with Raw(address, source="127.0.1.11") as raw:
        raw.send(frame(HEADERS, 0, 1, raw.block()))
        sent = 0
        while sent < 16 << 20 and raw.send(frame(CONTINUATION, 0, 1, field[:16_000])):
            sent += 16_000
        assert raw.closes(2)


def test_header_bombs(address):
    """One large field in the table, and then a reference to it, one byte each."""
    with Raw(address, source="127.0.1.12") as raw:
        insert = b"\x40" + Raw.literal("bomb", "z" * 3900)[1:]
        raw.send(frame(HEADERS, END_HEADERS, 1, raw.block() + insert))
        raw.next_stream = 3
        for _ in range(20):
            stream, raw.next_stream = raw.next_stream, raw.next_stream + 2
            raw.send(frame(HEADERS, END_HEADERS, stream, raw.block() + b"\xbe" * 16_000))
        assert raw.closes(3)


def test_greetings_of_other_protocols(address):
    for bytes_ in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", GREETING[:20] + b"xxxx", b"\x16\x03\x01" * 9):
        with Raw(address, source="127.0.1.13", greet=False) as raw:
            raw.send(bytes_)
            assert raw.closes(3)


def test_calls_given_up_with_their_connections_count_as_reset(address):
    def give_up():
        with Raw(address, source="127.0.1.15") as raw:
            raw.send(b"".join(raw.open(STREAM)[0] for _ in range(90)))
            raw.read(lambda: len(raw.begun) >= 90, 0.5)
            return raw.is_refused or raw.goaway

    answers = [give_up() for _ in range(12)]
    assert answers[0] is None
    assert answers[-1] in (True, (11, "this address resets calls too often"))
    with Raw(address, source="127.0.1.16") as raw:
        assert raw.works(), "other addresses pay for it"


SOURCES = (f"127.0.4.{number}" for number in itertools.cycle(range(1, 251)))


@pytest.mark.parametrize("end", ["frame", "reset", "reset later"])
def test_connections_that_end_by_an_error_leave_nothing_behind(own_server, address, end):
    def round():
        for _ in range(10):
            # Each from an address of its own, for they count as resets.
            with Raw(address, source=next(SOURCES)) as raw:
                path = STREAM if end == "reset later" else WATCH
                raw.send(b"".join(raw.open(path)[0] for _ in range(90)))
                if end == "reset later":
                    # Until all calls have begun.
                    raw.read(lambda raw=raw: len(raw.begun) >= 90, 3)
                if end == "frame":
                    raw.send(frame(DATA, 0, 0, b"x"))
                    raw.closes(3)
                else:
                    raw.socket.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(0.3)
        return own_server.memory

    round()
    # What the allocator keeps grows for a while, and then no more; what leaks, 0.1 MiB a connection
    # once, grows in every window.
    growth = []
    for _ in range(5):
        before = round()
        for _ in range(3):
            after = round()
        growth.append(after - before)
        if growth[-1] < 30 * 0.04:
            return
    raise AssertionError(f"memory grew by {growth} MiB with each 30 connections")


if os.environ.get("ATTACK_ALL"):
    def test_many_connections_at_once(address):
        raws = []
        try:
            for number in range(1000):
                raws.append(Raw(address, source=f"127.0.2.{number % 250 + 1}"))
        finally:
            for raw in raws:
                raw.socket.close()
