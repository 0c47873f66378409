# SPDX-License-Identifier: Apache-2.0
"""The admin port, which every program of the machine reaches."""

import contextlib
import socket
import time
import urllib.request

import pytest
from conftest import Server

pytestmark = pytest.mark.usefixtures("own_server")


@contextlib.contextmanager
def operated():
    server = Server(limits={"admin-port": 0})
    try:
        server.admin = server.process.stdout.readline().rsplit(" ", 1)[1].strip()
        yield server
        assert server.stop() == 0
    finally:
        server.process.kill()


def test_requests_whose_answers_nobody_reads_wait():
    with operated() as server:
        host, port = server.admin.rsplit(":", 1)
        before = server.memory
        with socket.create_connection((host, int(port)), 5) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            connection.settimeout(0.5)
            end = time.monotonic() + 4
            sent = 0
            while time.monotonic() < end:
                with contextlib.suppress(TimeoutError):
                    sent += connection.send(b"GET /metrics HTTP/1.1\r\n\r\n" * 2000)
            # What the system keeps of both sides, and no more.
            assert sent < 16 << 20
            assert server.peak_memory < before + 32


def test_connections_that_say_nothing_keep_nobody_out():
    with operated() as server, contextlib.ExitStack() as stack:
        host, port = server.admin.rsplit(":", 1)
        silent = [
            stack.enter_context(socket.create_connection((host, int(port)), 5)) for _ in range(100)]
        for number, connection in enumerate(silent):
            # Some are in the middle of a request.
            if number % 3 == 0:
                with contextlib.suppress(OSError):
                    connection.send(b"PUT /v1/log HTTP/1.1\r\nContent-Length: 9\r\n\r\n{")
        for _ in range(10):
            with urllib.request.urlopen(f"http://{server.admin}/healthz", timeout=2) as answer:
                assert answer.read() == b"ok\n"
