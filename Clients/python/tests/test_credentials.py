# SPDX-License-Identifier: Apache-2.0
"""TLS, client certificates and tokens, against a small server of grpc's own."""

from __future__ import annotations

import asyncio
import pathlib
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest

from collection_layout import (
    AccessError, AsyncClient, Client, DeadlineError, LayoutError, Token, UnavailableError)
from collection_layout.v1 import (
    query_service_pb2, query_service_pb2_grpc, session_pb2, session_pb2_grpc)

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


class Queries(query_service_pb2_grpc.LayoutQueryServiceServicer):
    """Remembers what clients say they are, and refuses some of it."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.refused: set[str] = set()

    def check(self, context: Any) -> None:
        given = dict(context.invocation_metadata()).get("authorization", "")
        self.seen.append(given)
        if given in self.refused:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token has ended")

    def GetServerInfo(self, request: Any, context: Any) -> Any:
        self.check(context)
        return query_service_pb2.GetServerInfoResponse(version="test")


class Sessions(session_pb2_grpc.LayoutSessionServiceServicer):
    """A session with one empty frame."""

    def __init__(self, queries: Queries) -> None:
        self.queries = queries
        self.openings: list[str | None] = []

    def StreamLayout(self, request_iterator: Any, context: Any) -> Any:
        self.queries.check(context)
        opening = next(request_iterator).open
        self.openings.append(opening.WhichOneof("source"))
        yield session_pb2.StreamLayoutResponse(opened=dict(
            session="sessions/1", units_per_point=64, resume_token=b"token",
            options=dict(heartbeat_interval=dict(seconds=1))))
        yield session_pb2.StreamLayoutResponse(frame=dict(frame_seq=1))
        for request in request_iterator:
            if request.HasField("close"):
                return


class Served:
    """The server, its address and what it saw."""

    def __init__(self, credentials: grpc.ServerCredentials | None) -> None:
        self.queries = Queries()
        self.sessions = Sessions(self.queries)
        self.server = grpc.server(futures.ThreadPoolExecutor(8))
        query_service_pb2_grpc.add_LayoutQueryServiceServicer_to_server(self.queries, self.server)
        session_pb2_grpc.add_LayoutSessionServiceServicer_to_server(self.sessions, self.server)
        port = (self.server.add_insecure_port("127.0.0.1:0") if credentials is None
                else self.server.add_secure_port("127.0.0.1:0", credentials))
        self.address = f"localhost:{port}"
        self.server.start()


@pytest.fixture
def plain() -> Iterator[Served]:
    """Without TLS."""
    served = Served(None)
    yield served
    served.server.stop(None)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: Any) -> tuple[pathlib.Path, pathlib.Path]:
    """A certificate of localhost, signed by itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    chain, key = folder / "chain.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", key, "-out", chain], check=True, capture_output=True)
    return chain, key


def test_tls_with_an_authority_of_ones_own(certificate: Any) -> None:
    chain, key = certificate
    served = Served(grpc.ssl_server_credentials([(key.read_bytes(), chain.read_bytes())]))
    for tls in (chain, str(chain), chain.read_bytes(), grpc.ssl_channel_credentials(chain.read_bytes())):
        with Client(served.address, tls=tls, token="secret") as client:
            assert client.server_info().version == "test"
    assert served.queries.seen == ["Bearer secret"] * 4

    async def ask() -> None:
        async with AsyncClient(served.address, tls=chain, token="other") as client:
            assert (await client.server_info()).version == "test"

    asyncio.run(ask())
    assert served.queries.seen[-1] == "Bearer other"
    # The system does not know this authority.
    with Client(served.address, tls=True, timeout=1) as client:
        with pytest.raises(UnavailableError):
            client.server_info()
    served.server.stop(None)


def test_a_client_certificate(certificate: Any) -> None:
    chain, key = certificate
    served = Served(grpc.ssl_server_credentials(
        [(key.read_bytes(), chain.read_bytes())], chain.read_bytes(), require_client_auth=True))
    with Client(served.address, tls=chain, client_certificate=(chain, key)) as client:
        assert client.server_info().version == "test"
    with Client(served.address, tls=chain, timeout=1) as client:
        with pytest.raises(LayoutError):
            client.server_info()
    served.server.stop(None)


def test_tokens_are_asked_for_in_time(plain: Served) -> None:
    asked: list[float] = []

    def token() -> Token:
        asked.append(time.time())
        # The second one has ended already.
        return Token(f"t{len(asked)}", time.time() + (3600 if len(asked) != 2 else 0))

    with Client(plain.address, token=token) as client:
        client.server_info()
        client.server_info()
        plain.queries.refused.add("Bearer t1")
        for _ in range(3):
            client.server_info()
    assert plain.queries.seen == [f"Bearer t{n}" for n in (1, 1, 1, 2, 3, 3)]


def test_a_stream_is_opened_anew_before_its_token_ends(plain: Served) -> None:
    asked: list[None] = []

    def token() -> Token:
        asked.append(None)
        return Token(f"t{len(asked)}", time.time() + (1.5 if len(asked) == 1 else 3600))

    with Client(plain.address, token=token) as client:
        with client.view("rows", size=(3, 4)) as viewer:
            deadline = time.monotonic() + 20
            while viewer.reconnections == 0 and time.monotonic() < deadline:
                time.sleep(0.01)
    assert plain.sessions.openings == ["collection", "resume"]
    assert plain.queries.seen == ["Bearer t1", "Bearer t2"]


class SlowLink:
    """A link to a port that delays all it carries, once in each direction."""

    def __init__(self, port: int, delay: float) -> None:
        self.port, self.delay = port, delay
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                # What comes close together arrives later together, as it would.
                time.sleep(self.delay)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def test_links_with_long_round_trips_connect(plain: Served) -> None:
    link = SlowLink(int(plain.address.rpartition(":")[2]), 0.4)
    # Nobody repeats this call.
    with Client(link.address) as client, pytest.raises(LayoutError) as unknown:
        client.create_collection("a")
    assert unknown.value.code == grpc.StatusCode.UNIMPLEMENTED
    with Client(link.address) as client:
        client.view("rows", size=(3, 4)).close()

    async def ask() -> None:
        async with AsyncClient(link.address) as client:
            with pytest.raises(LayoutError) as unknown:
                await client.create_collection("a")
            assert unknown.value.code == grpc.StatusCode.UNIMPLEMENTED

    asyncio.run(ask())
    link.listener.close()


def test_a_token_that_stays_refused_is_an_error(plain: Served) -> None:
    plain.queries.refused.add("Bearer old")
    for source in ("old", lambda: "old"):
        with Client(plain.address, token=source) as client:
            with pytest.raises(AccessError):
                client.server_info()
            with pytest.raises(AccessError):
                client.view("rows")


def test_what_a_provider_raises_is_raised(plain: Served) -> None:
    def token() -> str:
        raise KeyError("no token")

    with Client(plain.address, token=token) as client:
        with pytest.raises(KeyError):
            client.server_info()
        with pytest.raises(KeyError):
            client.view("rows")


def test_a_viewer_resumes_with_another_token(plain: Served) -> None:
    tokens = iter(["t1", "t2", "t3"])
    with Client(plain.address, token=lambda: next(tokens)) as client:
        with client.view("rows", size=(3, 4)) as viewer:
            plain.queries.refused.add("Bearer t1")
            plain.queries.refused.add("Bearer t2")
            viewer._call.cancel()
            deadline = time.monotonic() + 20
            while viewer.reconnections == 0 and time.monotonic() < deadline:
                time.sleep(0.01)
            assert plain.sessions.openings == ["collection", "resume"]
    assert plain.queries.seen == ["Bearer t1", "Bearer t2", "Bearer t3"]


def test_a_provider_may_fail_once_a_stream_was_open(plain: Served) -> None:
    asked: list[None] = []

    def token() -> str:
        asked.append(None)
        if len(asked) == 2:
            raise KeyError("the service for tokens is away")
        return f"t{len(asked)}"

    with Client(plain.address, token=token) as client:
        with client.view("rows", size=(3, 4)) as viewer:
            viewer._call.cancel()
            deadline = time.monotonic() + 20
            while viewer.reconnections == 0 and time.monotonic() < deadline:
                time.sleep(0.01)
    assert plain.queries.seen == ["Bearer t1", "Bearer t3"]
    asked.clear()

    async def view() -> None:
        async with AsyncClient(plain.address, token=token) as client:
            async with client.view("rows", size=(3, 4)) as viewer:
                while viewer.reconnections == 0:
                    await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(view(), 20))


def test_an_update_whose_answer_is_late_can_be_repeated(plain: Served) -> None:
    with Client(plain.address) as client:
        with client.view("rows", size=(3, 4)) as viewer:
            with pytest.raises(DeadlineError) as late:
                viewer.update(timeout=0.05)
            assert len(late.value.request_id) == 36
            with viewer._changed:
                viewer._machine.is_connected = False
            with pytest.raises(DeadlineError, match="not sent") as unsent:
                viewer.update(timeout=0.05)
            assert unsent.value.request_id == ""

    async def view() -> None:
        async with AsyncClient(plain.address) as client:
            async with client.view("rows", size=(3, 4)) as viewer:
                with pytest.raises(DeadlineError) as late:
                    await viewer.update(timeout=0.05)
                assert len(late.value.request_id) == 36

    asyncio.run(asyncio.wait_for(view(), 20))


def test_a_silent_server_is_left(plain: Served) -> None:
    with Client(plain.address) as client:
        with client.view("rows", size=(3, 4)) as viewer:
            deadline = time.monotonic() + 20
            while viewer.reconnections == 0 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert plain.sessions.openings[:2] == ["collection", "resume"]

    async def view() -> None:
        async with AsyncClient(plain.address) as client:
            async with client.view("rows", size=(3, 4)) as viewer:
                while viewer.reconnections == 0:
                    await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(view(), 20))


def test_a_coroutine_function_gives_tokens(plain: Served) -> None:
    async def token() -> str:
        return "later"

    async def ask() -> None:
        async with AsyncClient(plain.address, token=token) as client:
            await client.server_info()
            async with client.view("rows", size=(3, 4)):
                pass

    asyncio.run(asyncio.wait_for(ask(), 20))
    assert plain.queries.seen == ["Bearer later"] * 2
    with Client(plain.address, token=token) as client:
        with pytest.raises(TypeError, match="AsyncClient"):
            client.server_info()


def test_no_token_leaves_in_plain_text() -> None:
    with pytest.raises(ValueError, match="plain text"):
        Client("layouts.example.org:50051", token="secret")
    for address in ("localhost:1", "127.0.0.1:1", "[::1]:1", "unix:/tmp/socket"):
        Client(address, token="secret").close()
    with pytest.raises(ValueError, match="needs tls"):
        Client("localhost:1", client_certificate=(b"", b""))
