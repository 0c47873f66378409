# SPDX-License-Identifier: Apache-2.0
"""Handshakes that do not end, are too large, or are none: each is bounded, and says what is wrong if it can."""

import contextlib
import shutil
import socket
import ssl
import struct
import subprocess
import time

import pytest
from conftest import LIMITS, SECONDS
from encrypted import context, encrypted, encrypted_neighbour, encrypted_server
from raw import GREETING, SETTINGS, Raw, frame

pytestmark = pytest.mark.usefixtures("watched")

HANDSHAKE, CLIENT_HELLO = 22, 1
TIMEOUT = LIMITS["greeting-timeout-ms"] / 1000
INADEQUATE_SECURITY = 12
EXPLANATION = "this server speaks TLS only"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def log(folder):
    with (folder / "log").open("w") as log:
        yield log


@pytest.fixture(scope="module")
def server(folder, log):
    for server in encrypted_server(folder, process={"stderr": log}, log_level="warning"):
        with encrypted(folder):
            yield server


@pytest.fixture(scope="module")
def neighbour(server, folder):
    yield from encrypted_neighbour(server, folder)


@pytest.fixture
def plain(watched):
    """Connections are not encrypted meanwhile."""
    Raw.context, kept = None, Raw.context
    yield
    Raw.context = kept


def record(payload, length=None):
    """A record of a handshake; `length` is what it claims to have."""
    size = len(payload) if length is None else length
    return struct.pack(">BHH", HANDSHAKE, 0x0301, size) + payload


def hello(folder):
    """What a client sends first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context(folder).wrap_bio(incoming, outgoing, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def connect(address, source):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), 5, source_address=(source, 0))


def closes(connection, seconds):
    """Whether the server closes the connection in time, and what it said before."""
    end, said = time.monotonic() + seconds, b""
    while time.monotonic() < end:
        connection.settimeout(max(0.01, end - time.monotonic()))
        try:
            data = connection.recv(1 << 16)
        except TimeoutError:
            return False, said
        except OSError:
            return True, said
        if not data:
            return True, said
        said += data
    return False, said


def test_handshakes_that_never_end(own_server, address, folder):
    """They end after the time for the greeting, however far they came."""
    whole = hello(folder)
    before = own_server.descriptors
    with contextlib.ExitStack() as stack:
        connections = []
        for number in range(150):
            connection = stack.enter_context(connect(address, "127.0.7.1"))
            connection.sendall(whole[:[0, 1, len(whole) // 2][number % 3]])
            connections.append(connection)
        begin = time.monotonic()
        assert all(closes(connection, TIMEOUT + 4)[0] for connection in connections)
        assert time.monotonic() - begin < TIMEOUT + 4
    time.sleep(0.2)
    assert own_server.descriptors <= before + 10


def test_a_handshake_that_is_answered_and_left(address, folder):
    """The server's answer is not the end of it."""
    with connect(address, "127.0.7.2") as connection:
        connection.sendall(hello(folder))
        begin = time.monotonic()
        is_closed, said = closes(connection, TIMEOUT + 4)
        assert is_closed and said and time.monotonic() - begin >= TIMEOUT / 2


def test_a_handshake_byte_by_byte(address, folder):
    """Progress does not begin the time anew."""
    with connect(address, "127.0.7.3") as connection:
        begin = time.monotonic()
        with contextlib.suppress(OSError):
            for byte in hello(folder):
                connection.sendall(bytes([byte]))
                time.sleep(0.03)
                if time.monotonic() > begin + TIMEOUT + 4:
                    break
        assert time.monotonic() - begin < TIMEOUT + 4


def test_many_half_open_handshakes(address, folder):
    """One address has so many connections, whatever they do."""
    half = hello(folder)[:100]
    limit = LIMITS["max-connections-per-address"]
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(limit + 50):
            with contextlib.suppress(OSError):
                connection = stack.enter_context(connect(address, "127.0.7.4"))
                connection.sendall(half)
                connections.append(connection)
        with Raw(address, source="127.0.7.5") as raw:
            assert raw.works(), "other addresses pay for it"
        assert all(closes(connection, TIMEOUT + 4)[0] for connection in connections)


@pytest.mark.parametrize("make", [
    lambda: record(struct.pack(">I", CLIENT_HELLO << 24 | 0xFFFFFF) + bytes(16_000)),
    lambda: record(bytes(16_000)), lambda: record(b"", length=0xFFFF)],
    ids=["claims 16 MiB", "zeros", "claims 64 KiB"])
def test_huge_hellos(own_server, address, make):
    before, sent = own_server.memory, 0
    with connect(address, "127.0.7.6") as connection:
        connection.settimeout(1)
        with contextlib.suppress(OSError):
            connection.sendall(make())
            while sent < 32 << 20:
                connection.sendall(record(bytes(16_000)))
                sent += 16_000
        assert closes(connection, TIMEOUT + 4)[0]
    assert sent < 4 << 20 and own_server.memory < before + 30


def test_handshakes_one_after_the_other(address, folder):
    client, end = context(folder), time.monotonic() + SECONDS
    while time.monotonic() < end:
        with connect(address, "127.0.7.7") as connection:
            with client.wrap_socket(connection, server_hostname="localhost") as encrypted:
                assert encrypted.selected_alpn_protocol() == "h2"


@pytest.mark.parametrize("protocols", [[], ["http/1.1"], ["h3"]])
def test_clients_that_do_not_want_http2(address, folder, protocols):
    client = context(folder)
    client.set_alpn_protocols(protocols)
    with connect(address, "127.0.7.8") as connection, contextlib.suppress(OSError):
        with client.wrap_socket(connection, server_hostname="localhost") as encrypted:
            assert closes(encrypted, TIMEOUT + 4)[0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_versions(address, folder):
    client = context(folder)
    client.minimum_version = client.maximum_version = ssl.TLSVersion.TLSv1_1
    client.set_ciphers("ALL:@SECLEVEL=0")
    with connect(address, "127.0.7.9") as connection, pytest.raises(OSError):
        client.wrap_socket(connection, server_hostname="localhost")


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs the openssl command")
def test_no_renegotiation(address, folder):
    """A client of TLS 1.2 that wants a second handshake does not get it."""
    client = subprocess.Popen(
        ["openssl", "s_client", "-connect", address, "-servername", "localhost", "-tls1_2", "-alpn", "h2",
         "-CAfile", folder / "ca.pem"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    time.sleep(0.5)
    with contextlib.suppress(OSError):
        # At the beginning of a line it is a command.
        client.stdin.write(b"R\n")
        client.stdin.flush()
    try:
        said, _ = client.communicate(timeout=TIMEOUT + 6)
    except subprocess.TimeoutExpired:
        client.kill()
        said, _ = client.communicate()
    assert b"ALPN protocol: h2" in said and b"RENEGOTIATING" in said
    # There is one certificate of one handshake, and then the end.
    assert said.split(b"RENEGOTIATING", 1)[1].count(b"depth=") == 0


@pytest.mark.usefixtures("plain")
def test_plain_http2_gets_an_answer(address):
    with Raw(address, source="127.0.7.10", greet=False) as raw:
        raw.send(GREETING + frame(SETTINGS, 0, 0))
        assert raw.closes(TIMEOUT + 2)
        assert raw.goaway == (INADEQUATE_SECURITY, EXPLANATION)


def test_plain_http1_gets_an_answer(address):
    with connect(address, "127.0.7.11") as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        is_closed, said = closes(connection, TIMEOUT + 2)
        head, body = said.decode().split("\r\n\r\n")
        assert is_closed and head.startswith("HTTP/1.1 400 ") and body == EXPLANATION


def logged(folder, text, source, attempt):
    """The log's lines with `text`, once one of them names `source`. What other tests have done may have used
    up the lines of these ten seconds."""
    def lines():
        return [line for line in (folder / "log").read_text().splitlines() if text in line]

    end = time.monotonic() + 15
    while not any(source in line for line in lines()) and time.monotonic() < end:
        attempt()
    assert any(source in line for line in lines())
    return lines()


def test_the_log_names_who_does_not_encrypt(address, folder):
    """And does not grow with each of them."""
    def attempt():
        for _ in range(100):
            with connect(address, "127.0.7.12") as connection:
                connection.sendall(b"\x00")
                closes(connection, 2)

    assert len(logged(folder, "does not speak TLS", "127.0.7.12", attempt)) < 50


def test_the_log_names_who_does_not_ask_for_http2(address, folder):
    client = context(folder)
    client.set_alpn_protocols([])

    def attempt():
        with connect(address, "127.0.7.13") as connection, contextlib.suppress(OSError):
            with client.wrap_socket(connection, server_hostname="localhost") as encrypted:
                closes(encrypted, TIMEOUT + 4)

    lines = logged(folder, "TLS handshake failed", "127.0.7.13", attempt)
    assert any("127.0.7.13" in line and "ALPN" in line for line in lines)
