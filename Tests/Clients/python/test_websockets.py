# SPDX-License-Identifier: Apache-2.0
"""Calls over WebSockets, as browsers make them, and what the port makes of everything else."""

import base64
import collections
import contextlib
import json
import os
import re
import socket
import struct
import time
import urllib.request

import pytest
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import session_pb2 as session
from conftest import Server
from websockets import exceptions
from websockets.sync.client import connect

PROTOCOL = "collection-layout.v1"
LIMITS = ("--greeting-timeout-ms", "1000", "--request-timeout-ms", "2000", "--max-message-bytes", "65536")


@pytest.fixture(scope="module")
def server():
    server = Server(more=("--web-port", "0", *LIMITS))
    yield server
    server.stop()


def call(server, method, *messages, **options):
    """Everything that a call answers, then how it closed: code, reason and problem."""
    answers, problem = [], {}
    with open_call(server, method, **options) as stream:
        # The server may close before it has read all of them.
        with contextlib.suppress(exceptions.ConnectionClosed):
            for message in messages:
                stream.send(message if isinstance(message, (str, bytes)) else message.SerializeToString())
        with contextlib.suppress(exceptions.ConnectionClosed):
            while True:
                answer = stream.recv(timeout=10)
                if isinstance(answer, str):
                    problem = json.loads(answer)
                else:
                    answers.append(answer)
        return answers, stream.close_code, stream.close_reason, problem


def open_call(server, method, **options):
    options = {"subprotocols": [PROTOCOL], "max_size": None, **options}
    return connect(f"ws://{server.web}/v1/{method}", **options)


def opening(**changes):
    contents = collection.CollectionContents(sections=[dict(blocks=[dict(count=1_000_000)])])
    return session.StreamLayoutRequest(event_seq=1, open=session.OpenSession(
        inline_contents=contents, layout=dict(list=dict(row_height=40)),
        viewport=session.ViewportChange(content_offset={}, size=dict(width=320, height=480)), **changes))


def frames(stream):
    """The frames as they come."""
    while True:
        response = session.StreamLayoutResponse.FromString(stream.recv(timeout=10))
        if response.WhichOneof("message") == "frame":
            yield response.frame


def test_a_unary_call_is_one_message_each_way(server):
    answers, code, reason, _ = call(server, "LayoutQueryService/GetServerInfo", query.GetServerInfoRequest())
    assert "waterfall" in query.GetServerInfoResponse.FromString(answers[0]).layout_kinds
    assert (len(answers), code, reason) == (1, 1000, "")


def test_a_stream_scrolls_through_a_million_rows(server):
    with open_call(server, "LayoutSessionService/StreamLayout") as stream:
        stream.send(opening().SerializeToString())
        received = frames(stream)
        frame = next(received)
        assert len(frame.elements.upserts) > 12
        for step in range(1, 100):
            stream.send(session.StreamLayoutRequest(ack=dict(frame_seq=frame.frame_seq)).SerializeToString())
            stream.send(session.StreamLayoutRequest(event_seq=step + 1, viewport=session.ViewportChange(
                content_offset=dict(y=400_000.0 * step))).SerializeToString())
            frame = next(received)
            rows = {element.key.index_path.item for element in frame.elements.upserts}
            assert 10_000 * step in rows


def test_refusals_come_as_a_problem_and_a_code(server):
    message = opening()
    message.open.viewport.size.width = -1
    _, code, reason, problem = call(server, "LayoutSessionService/StreamLayout", message)
    assert code == 4003 and reason.startswith("FIELD_INVALID: ")
    assert problem["code"] == 3 and problem["reason"] == "FIELD_INVALID"
    assert [violation["field"] for violation in problem["fieldViolations"]] == ["viewport.size.width"]
    assert len(reason.encode()) <= 123


@pytest.mark.parametrize("count", [1, 3])
def test_an_import_ends_by_its_last_part(server, count):
    name = f"collections/web-{count}"
    call(server, "CollectionService/CreateCollection", service.CreateCollectionRequest(
        collection_id=f"web-{count}"))
    parts = [service.ImportContentsRequest(header=dict(name=name))]
    parts += [service.ImportContentsRequest(section=dict(blocks=[dict(count=5)])) for _ in range(count)]
    parts += [service.ImportContentsRequest(end={})]
    _, code, reason, _ = call(server, "CollectionService/ImportContents", *parts, "end")
    assert (code, reason) == (1000, "")
    answers, _, _, _ = call(
        server, "CollectionService/GetCollection", service.GetCollectionRequest(name=name))
    assert service.GetCollectionResponse.FromString(answers[0]).collection.item_count == 5 * count


def test_an_unknown_method_is_unimplemented(server):
    _, code, _, problem = call(server, "CollectionService/Nothing", b"")
    assert code == 4012 and problem["code"] == 12


def test_bytes_that_are_no_message_are_refused(server):
    assert call(server, "LayoutQueryService/QueryElements", b"\xff\xff\xff")[1] == 4003
    assert call(server, "LayoutQueryService/QueryElements", "text")[1] == 4003


def test_messages_have_the_same_limit_as_elsewhere(server):
    assert call(server, "LayoutQueryService/QueryElements", bytes(65537))[1] == 1009
    fragments = [bytes(40_000), bytes(40_000)]
    with open_call(server, "LayoutQueryService/QueryElements") as stream:
        stream.send(fragments)
        with pytest.raises(exceptions.ConnectionClosed):
            while True:
                stream.recv(timeout=10)
        assert stream.close_code == 4008


@pytest.mark.parametrize("options, status", [
    (dict(subprotocols=["other"]), 400),
    (dict(subprotocols=None), 400),
    (dict(origin="https://attacker.example"), 403),
    (dict(origin="null"), 403),
])
def test_requests_of_strangers_are_refused_with_a_sentence(server, options, status):
    with pytest.raises(exceptions.InvalidStatus) as refused:
        open_call(server, "LayoutQueryService/GetServerInfo", **options)
    assert refused.value.response.status_code == status and refused.value.response.body


def test_a_name_that_leads_here_makes_no_page_a_page_of_this_port(server):
    """DNS rebinding: the page's origin and the host agree, but a name can be anybody's."""
    host = f"rebound.example:{server.web.rsplit(':', 1)[1]}"
    assert handshake(server, host=host, origin=f"http://{host}").startswith(b"HTTP/1.1 403")
    assert handshake(server, host=server.web, origin=f"http://{server.web}").startswith(b"HTTP/1.1 101")


def test_listed_origins_may_connect():
    server = Server(more=("--web-port", "0", "--web-origins", "https://good.example, http://other.example:81"))
    try:
        for origin, status in [("https://good.example", b"101"), ("http://other.example:81", b"101"),
                               ("https://other.example:81", b"403")]:
            assert handshake(server, origin=origin).split()[1] == status
    finally:
        server.kill()


# MARK: By hand

def request(server, host=None, origin=None, path="/v1/LayoutQueryService/GetServerInfo", more=""):
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [f"GET {path} HTTP/1.1", f"Host: {host or server.web}", "Upgrade: websocket",
             "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13",
             f"Sec-WebSocket-Protocol: {PROTOCOL}"]
    lines += [f"Origin: {origin}"] if origin else []
    return ("\r\n".join(lines) + "\r\n" + more + "\r\n").encode()


def handshake(server, **options):
    with raw(server) as connection:
        connection.sendall(request(server, **options))
        return connection.recv(4096)


@contextlib.contextmanager
def raw(server):
    host, port = server.web.rsplit(":", 1)
    with socket.create_connection((host, int(port)), 5) as connection:
        connection.settimeout(8)
        yield connection


def frame(opcode, payload=b"", fin=True, masked=True):
    length = len(payload)
    head = struct.pack(">B", opcode | (0x80 if fin else 0))
    mask = 0x80 if masked else 0
    head += struct.pack(">B", mask | length) if length < 126 else struct.pack(">BH", mask | 126, length)
    # The mask is zero.
    return head + (bytes(4) if masked else b"") + payload


def rest(connection):
    """All bytes until the server closes."""
    data = b""
    with contextlib.suppress(OSError):
        while piece := connection.recv(65536):
            data += piece
    return data


def test_frames_may_come_together_with_the_request(server):
    with raw(server) as connection:
        connection.sendall(request(server) + frame(2) + frame(9, b"ping"))
        data = rest_until(connection, b"waterfall")
        assert data.startswith(b"HTTP/1.1 101") and b"waterfall" in data


def rest_until(connection, text):
    data = b""
    while text not in data and (piece := connection.recv(65536)):
        data += piece
    return data


@pytest.mark.parametrize("bytes_", [
    frame(2, masked=False), frame(0), frame(3), frame(2, fin=False) + frame(2), frame(9, bytes(126)),
    frame(8, b"\x03"), b"\xff" * 64, frame(1, b"\xff\xfe"), b"\x82\xff" + b"\xff" * 12,
])
def test_wrong_frames_close_their_connection_and_nothing_else(server, bytes_):
    with raw(server) as connection:
        connection.sendall(request(server))
        assert rest_until(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 101")
        connection.sendall(bytes_)
        start = time.monotonic()
        rest(connection)
        assert time.monotonic() - start < 6
    assert call(server, "LayoutQueryService/GetServerInfo", b"")[1] == 1000


@pytest.mark.parametrize("bytes_", [
    b"", b"GET /v1/", b"\x16\x03\x01\x02\x00\x01", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200,
])
def test_connections_that_become_no_websocket_are_closed(server, bytes_):
    with raw(server) as connection:
        connection.sendall(bytes_)
        start = time.monotonic()
        rest(connection)
        assert time.monotonic() - start < 4


def test_a_websocket_without_a_message_is_closed(server):
    with raw(server) as connection:
        connection.sendall(request(server) + frame(2, bytes(100))[:50])
        start = time.monotonic()
        rest(connection)
        assert 1 < time.monotonic() - start < 6


def test_clients_that_go_away_are_no_fault_of_the_server():
    """However they go, and whether they were waited for or written to."""
    server = Server(more=("--web-port", "0", "--admin-port", "0"))
    scroll = opening().SerializeToString()
    header = service.ImportContentsRequest(header=dict(name="collections/a")).SerializeToString()
    watch = service.WatchUpdatesRequest(name="collections/a").SerializeToString()
    try:
        call(server, "CollectionService/CreateCollection", service.CreateCollectionRequest(collection_id="a"))
        calls = [("LayoutSessionService/StreamLayout", each) for each in (
            b"", frame(2, scroll)[:20], frame(2, scroll), frame(2, scroll) + frame(2, scroll)[:10],
            frame(2, scroll) + frame(8, b"\x03\xe8"))]
        calls += [("CollectionService/ImportContents", frame(2, header)),
                  ("CollectionService/WatchUpdates", frame(2, watch))]
        for method, sent in calls:
            for wait in (0, 0.02):
                for reset in (False, True):
                    with raw(server) as connection:
                        connection.sendall(request(server, path="/v1/" + method))
                        assert rest_until(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 101")
                        connection.sendall(sent)
                        time.sleep(wait)
                        if reset:
                            linger = struct.pack("ii", 1, 0)
                            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        # A connection that is reset at once may end before its call begins.
        count = 3 * len(calls)
        end, found = time.monotonic() + 10, {}
        while found.get("CANCELLED", 0) < count and time.monotonic() < end:
            found = endings(server)
            time.sleep(0.05)
        assert found["CANCELLED"] >= count
        assert found == {"CANCELLED": found["CANCELLED"], "OK": 1}
    finally:
        server.stop()


def endings(server):
    """How many calls ended with each status."""
    with urllib.request.urlopen(f"{server.admin}/metrics") as answer:
        text = answer.read().decode()
    found = collections.Counter()
    pattern = r'^rpc_server_call_duration_seconds_count\{.*status_code="([A-Z_]+)".*\} (\d+)'
    for status, count in re.findall(pattern, text, re.MULTILINE):
        found[status] += int(count)
    return {status: count for status, count in found.items() if count}


def test_pings_are_answered_and_floods_of_them_end():
    server = Server(more=("--web-port", "0", "--max-pings", "50"))
    try:
        with raw(server) as connection:
            connection.sendall(request(server))
            rest_until(connection, b"\r\n\r\n")
            connection.sendall(frame(9, b"hello"))
            assert connection.recv(100) == b"\x8a\x05hello"
            connection.sendall(frame(9) * 100)
            # 1008: policy violation.
            assert b"\x03\xf0too many pings" in rest(connection)
    finally:
        server.kill()


def test_clients_that_do_not_read_hold_little():
    server = Server(more=("--web-port", "0", "--write-timeout-ms", "1500", "--slow-timeout-ms", "1500"))
    try:
        with raw(server) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request(server, path="/v1/LayoutSessionService/StreamLayout"))
            connection.sendall(masked_message(opening()))
            for step in range(2, 400):
                connection.sendall(masked_message(session.StreamLayoutRequest(
                    event_seq=step, viewport=session.ViewportChange(content_offset=dict(y=9000.0 * step)))))
            assert call(server, "LayoutQueryService/GetServerInfo", b"")[1] == 1000
    finally:
        server.stop()


def masked_message(message):
    return frame(2, message.SerializeToString())


def test_shutdown_tells_streams_and_ends():
    server = Server(more=("--web-port", "0"))
    with open_call(server, "LayoutSessionService/StreamLayout") as stream:
        stream.send(opening().SerializeToString())
        next(frames(stream))
        server.process.terminate()
        with pytest.raises(exceptions.ConnectionClosed):
            while True:
                stream.recv(timeout=10)
        # UNAVAILABLE, which clients try again.
        assert stream.close_code == 4014 and stream.close_reason.startswith("SERVER_DRAINING")
    assert server.process.wait(timeout=10) == 0
