# SPDX-License-Identifier: Apache-2.0
"""Slow and silent peers, and those that do not read."""

import os
import resource
import signal
import subprocess
import time

import pytest
from calls import large_query
from conftest import LIMITS, Server
from raw import (
    DATA, END_STREAM, HEALTH, IMPORT, QUERY, SETTINGS, STREAM, WATCH, WINDOW, Raw, frame, message,
)

pytestmark = pytest.mark.usefixtures("own_server")
DEADLINE, EXHAUSTED = 4, 8


def test_silent_connections_are_closed(address):
    raws = [Raw(address, source="127.0.3.1", greet=False) for _ in range(50)]
    try:
        start = time.monotonic()
        assert all(raw.closes(4) for raw in raws)
        assert time.monotonic() - start < 4
    finally:
        for raw in raws:
            raw.socket.close()


def test_a_greeting_byte_by_byte_does_not_help(address):
    with Raw(address, source="127.0.3.2", greet=False) as raw:
        for byte in b"PRI * HTTP":
            raw.send(bytes([byte]))
            time.sleep(0.2)
        assert raw.closes(2)


def test_a_connection_without_calls_is_asked_to_go(address):
    with Raw(address, source="127.0.3.3") as raw:
        assert raw.closes(4)
        assert raw.goaway == (0, "")
    with Raw(address, source="127.0.3.4") as raw:
        assert raw.works()
        assert raw.closes(4)
        assert raw.goaway == (0, "")


def test_those_who_do_not_answer_the_goodbye_are_closed_too(address):
    with Raw(address, source="127.0.3.5", greet=False) as raw:
        raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0))
        raw._take = lambda: None
        assert raw.closes(10)


def test_a_call_at_rest_keeps_its_connection(address):
    with Raw(address, source="127.0.3.6") as raw:
        raw.call(WATCH)
        assert raw.read(seconds=4) is None and raw.goaway is None


@pytest.mark.parametrize("path, body", [
    (HEALTH, b""), (HEALTH, message()), (HEALTH, b"\0\0"), (WATCH, message()), (IMPORT, b""),
    (IMPORT, message(b"\x12\x00")), (STREAM, message(b"x" * 9, length=100))])
def test_requests_that_do_not_arrive_end_their_call(address, path, body):
    with Raw(address, source="127.0.3.7") as raw:
        stream = raw.call(path, body=body, end=False)
        status, text = raw.answer(stream, 6)
        # An import may be told before that what it says makes no sense.
        assert status == DEADLINE or path == IMPORT and body, text


def test_unfinished_messages_are_bounded(own_server, address):
    before = own_server.memory
    with Raw(address, source="127.0.3.8") as raw:
        streams = []
        for _ in range(40):
            head, stream = raw.open(IMPORT)
            streams.append(stream)
            raw.send(head + frame(DATA, 0, stream, message(b"x" * 1000, length=3 << 20)))
            for _ in range(60):
                raw.send(frame(DATA, 0, stream, bytes(16_000)))
            raw.read(lambda: False, 0.01)
        raw.read(lambda: any(raw.status.get(s, (0,))[0] == EXHAUSTED for s in streams), 3)
        assert any(raw.status.get(s, (0,))[0] == EXHAUSTED for s in streams)
        assert own_server.memory - before < 60


def stop_reading(raw, query):
    return [raw.call(QUERY, body=message(query)) for _ in range(60)]


@pytest.fixture
def query():
    return large_query()


@pytest.mark.parametrize("window", [0, 1])
def test_answers_that_nobody_reads_end(own_server, address, query, window):
    before = own_server.memory
    with Raw(address, source="127.0.3.9", window=window) as raw:
        streams = stop_reading(raw, query)
        raw.read(lambda: len(raw.reset) + len(raw.status) >= len(streams), 20)
        assert len(raw.reset) + len(raw.status) >= len(streams), "some wait for good"
        assert raw.goaway is None
    time.sleep(0.5)
    # The answers as messages would take more than 100; the C library keeps some of what was freed.
    assert own_server.memory - before < 80


def test_windows_of_one_byte_get_their_answer(address):
    with Raw(address, source="127.0.3.10", window=1) as raw:
        stream = raw.call(HEALTH)
        for _ in range(40):
            raw.send(frame(WINDOW, 0, stream, b"\0\0\0\1"))
            raw.read(lambda: stream in raw.status, 0.05)
        assert raw.status[stream] == (0, "")


def test_connections_are_counted(own_server, address):
    limit = LIMITS["max-connections-per-address"]
    raws = [Raw(address, source="127.0.3.11") for _ in range(limit + 20)]
    try:
        refused = sum(1 for raw in raws[limit:] if raw.closes(3))
        assert refused == 20
        with Raw(address, source="127.0.3.12") as raw:
            assert raw.works()
    finally:
        for raw in raws:
            raw.socket.close()


def test_calls_that_the_server_ends_are_forgotten_by_it(address):
    """A client that does not end its side of a call is asked to."""
    with Raw(address, source="127.0.3.13") as raw:
        stream = raw.call("/no/such", end=False)
        assert raw.answer(stream)[0] == 12
        assert raw.read(lambda: stream in raw.reset, 3) is True and raw.reset[stream] == 0


# MARK: Shutdown

def test_shutdown_is_bounded_whatever_is_left_unread(query):
    server = Server()
    try:
        raws = [Raw(server.address, source="127.0.3.14", window=0) for _ in range(5)]
        for raw in raws:
            for _ in range(20):
                raw.call(QUERY, body=message(query))
            raw.call(WATCH)
            raw.call(STREAM, body=b"", end=False)
        time.sleep(0.3)
        start = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - start < 5
    finally:
        server.process.kill()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_signals_end_politely(number):
    server = Server()
    try:
        with Raw(server.address, source="127.0.3.15") as raw:
            raw.call(WATCH)
            raw.read(lambda: raw.data_bytes > 0, 3)
            server.process.send_signal(number)
            raw.read(lambda: raw.goaway is not None, 3)
            assert raw.goaway == (0, "")
        assert server.process.wait(timeout=6) == 0
    finally:
        server.process.kill()


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE])
def test_other_signals_mean_nothing(number):
    server = Server()
    try:
        server.process.send_signal(number)
        time.sleep(0.2)
        with Raw(server.address, source="127.0.3.16") as raw:
            assert raw.works()
        assert server.stop() == 0
    finally:
        server.process.kill()


def test_a_call_that_crosses_the_goodbye_ends_no_other():
    """It is refused, which clients take for "try again"; the calls before it end with a status."""
    server = Server()
    try:
        with Raw(server.address, source="127.0.3.18") as raw:
            first = raw.call(WATCH)
            assert raw.read(lambda: raw.data_bytes > 0, 5) is True
            server.process.terminate()
            assert raw.read(lambda: raw.goaway is not None, 5) is True
            head, late = raw.open(QUERY)
            raw.send(head + frame(DATA, 0, late, message(b"\0" * 30000))
                     + frame(WINDOW, 0, late, b"\0\0\1\0") + frame(DATA, END_STREAM, late, b""))
            raw.read(seconds=5)
            assert raw.status[first][0] == 0
            # REFUSED_STREAM, unless the connection was over by then.
            assert raw.reset.get(late, 7) == 7
            assert raw.goaway == (0, "")
        assert server.process.wait(timeout=8) == 0
    finally:
        server.process.kill()


def test_goodbyes_never_blame_the_client():
    for _ in range(int(os.environ.get("ATTACK_GOODBYES", "3"))):
        server = Server()
        try:
            raws = [Raw(server.address, source="127.0.3.17") for _ in range(60)]
            for raw in raws:
                raw.call(WATCH)
            for raw in raws:
                assert raw.read(lambda raw=raw: raw.data_bytes > 0, 5) is True
            server.process.terminate()
            for raw in raws:
                # Frames that cross the goodbye.
                raw.send(frame(WINDOW, 0, 0, b"\0\0\0\1") * 3)
            for raw in raws:
                raw.read(seconds=4)
                assert raw.goaway and raw.goaway[0] == 0
            assert server.process.wait(timeout=8) == 0
        finally:
            server.process.kill()


# MARK: Output and descriptors

def run(arguments, **more):
    import pathlib
    root = pathlib.Path(__file__).resolve().parents[3]
    binary = os.environ.get("LAYOUT_SERVER", root / ".build" / "debug" / "layout-server")
    return subprocess.run([binary, *arguments], stderr=subprocess.PIPE, timeout=20, **more)


def test_output_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        result = run(["--help"], stdout=full)
    assert result.returncode == 1 and b"standard output" in result.stderr
    reader, writer = os.pipe()
    os.close(reader)
    assert run(["--help"], stdout=writer).returncode == 0
    os.close(writer)


def test_without_descriptors_the_server_waits_in_peace():
    server = Server(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
    raws = []
    try:
        for _ in range(100):
            raws.append(Raw(server.address, source="127.0.3.18"))
            raws[-1].call(WATCH)
        time.sleep(0.5)
        before = server.processor_seconds
        time.sleep(2)
        assert server.processor_seconds - before < 1, "it is busy with nothing"
        for raw in raws:
            raw.socket.close()
        time.sleep(1.2)
        with Raw(server.address, source="127.0.3.19") as raw:
            assert raw.works()
        assert server.stop() == 0
    finally:
        server.process.kill()


def test_misspelt_variables_name_the_nearest():
    result = run([], env={**os.environ, "LAYOUT_SERVER_MAX_SESIONS": "3"}, stdout=subprocess.PIPE)
    assert result.returncode == 64 and b"LAYOUT_SERVER_MAX_SESSIONS" in result.stderr
