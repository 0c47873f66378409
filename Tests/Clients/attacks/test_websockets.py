# SPDX-License-Identifier: Apache-2.0
"""WebSockets by hand: what their frames may cost, and what they may not cost those who keep the rules."""

import base64
import contextlib
import os
import socket
import struct
import time

import pytest
from calls import connect
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from conftest import LIMITS, Server

pytestmark = pytest.mark.usefixtures("own_server")
BINARY, CLOSE, PING = 2, 8, 9


class Socket:
    """A WebSocket for one call."""

    def __init__(self, address, method, receives=None):
        """`receives` = as many bytes as the system keeps for who does not read."""
        host, port = address.rsplit(":", 1)
        self.socket = socket.socket()
        if receives:
            # Before it connects: a window that shrinks later drops what the server acknowledges, so that
            # what was sent here would not arrive.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        self.socket.settimeout(5)
        self.socket.connect((host, int(port)))
        self.socket.sendall("\r\n".join([
            f"GET /v1/{method} HTTP/1.1", f"Host: {address}", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: collection-layout.v1",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "", ""]).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.socket.recv(1)
        assert head.startswith(b"HTTP/1.1 101 "), head

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    @staticmethod
    def frame(kind, payload=b"", fin=True):
        length = len(payload)
        size = bytes([0x80 | length]) if length < 126 else struct.pack(">BH", 0xFE, length)
        # The mask is zero.
        return bytes([kind | (0x80 if fin else 0)]) + size + bytes(4) + payload

    def send(self, *frames):
        """Sends; False = the server has closed the connection."""
        try:
            self.socket.sendall(b"".join(frames))
            return True
        except OSError:
            return False

    def closes(self, seconds):
        """Whether the server closes the connection within the time. Reads what comes."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            self.socket.settimeout(rest)
            try:
                if not self.socket.recv(1 << 16):
                    return True
            except TimeoutError:
                break
            except OSError:
                return True
        return False


@pytest.fixture(scope="module", params=["web", "admin"])
def served(request):
    """The address of a port, its server, and a watch of a collection."""
    server = Server(limits={f"{request.param}-port": 0, "log-level": "critical"})
    try:
        address = server.process.stdout.readline().rsplit(" ", 1)[1].strip()
        with connect(server.address) as channel:
            created = service_grpc.CollectionServiceStub(channel).CreateCollection(
                service.CreateCollectionRequest(), timeout=10)
        watch = service.WatchUpdatesRequest(name=created.collection.name).SerializeToString()
        yield address, server, Socket.frame(BINARY, watch)
        assert server.stop() == 0
    finally:
        server.process.kill()


WATCH = "CollectionService/WatchUpdates"


def test_who_only_watches_and_pings_stays(served):
    """Many libraries send a PING every 20 seconds."""
    address, _, watch = served
    with Socket(address, WATCH) as stream:
        assert stream.send(watch)
        end = time.monotonic() + 2 * LIMITS["request-timeout-ms"] / 1000
        while time.monotonic() < end:
            assert stream.send(Socket.frame(PING, b"there?"))
            assert not stream.closes(0.2)


def test_pings_are_no_message(served):
    address, _, _ = served
    with Socket(address, WATCH) as stream:
        end = time.monotonic() + 2 * LIMITS["request-timeout-ms"] / 1000
        while stream.send(Socket.frame(PING)) and not stream.closes(0.2):
            assert time.monotonic() < end, "the first message is waited for too long"


def test_answers_to_pings_that_nobody_reads_do_not_pile_up(served):
    address, server, watch = served
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(Socket(address, WATCH, receives=4096)) for _ in range(20)]
        for stream in streams:
            stream.send(watch)
        time.sleep(0.3)
        before = server.memory
        # As many as may be sent at once, of the largest size; 30 seconds later as many again.
        for stream in streams:
            for _ in range(49):
                stream.send(Socket.frame(PING, bytes(125)) * 100)
        time.sleep(0.5)
        assert server.memory - before < 8


def test_a_goodbye_whose_answer_nobody_reads_ends(served):
    address, server, watch = served
    time.sleep(0.5)
    before = server.descriptors
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            stream = stack.enter_context(Socket(address, WATCH, receives=4096))
            stream.send(watch, Socket.frame(PING, bytes(125)) * 4000, Socket.frame(CLOSE, b"\x03\xe8"))
        end = time.monotonic() + 30
        while server.descriptors > before:
            assert time.monotonic() < end, "connections stay open"
            time.sleep(0.1)


def test_frames_that_no_call_takes_do_not_pile_up(served):
    """The call has its request and takes nothing more: what follows waits where it came from."""
    address, server, watch = served
    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(Socket(address, WATCH)) for _ in range(50)]
        for stream in streams:
            stream.send(watch)
        time.sleep(0.3)
        before = server.memory
        for stream in streams:
            stream.socket.settimeout(0.2)
            with contextlib.suppress(TimeoutError):
                stream.socket.sendall(Socket.frame(BINARY) * 40_000)
        time.sleep(0.5)
        # A megabyte for each of them, if all of their frames were taken apart.
        assert server.memory - before < 25
        with Socket(address, WATCH) as other:
            assert other.send(watch)
            assert not other.closes(0.2)


@pytest.mark.parametrize("head", [0xC2, 0xA2, 0x92, 0x83, 0x87, 0x8B, 0x8F])
def test_reserved_bits_and_kinds_end_the_connection(served, head):
    address, _, watch = served
    with Socket(address, WATCH) as stream:
        stream.send(watch, bytes([head, 0x80]) + bytes(4))
        assert stream.closes(5)
