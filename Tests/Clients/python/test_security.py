# SPDX-License-Identifier: Apache-2.0
"""A server with TLS, client certificates, tokens and a policy."""

import json
import signal
import time

import grpc
import pytest
from authority import Authority, encoded, key_set, pem, signed, token_lines
from collection_layout import Client, LayoutError, layouts
from collection_layout.v1 import session_pb2 as session
from conftest import Server
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID
from lockstep import Session

SECRET = b"0123456789abcdef0123456789abcdef"
POLICY = {"rules": [
    {"identities": ["certificate:spiffe://x.org/editor"], "role": "admin", "collections": ["own*"]},
    {"identities": ["token:reader", "subject:eve"], "role": "view", "collections": ["own*"]},
    {"identities": ["token:root"], "role": "admin", "collections": ["*"]},
]}


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trust")
    authority = Authority()
    (folder / "ca.pem").write_bytes(pem(authority.certificate))
    certificate, key = authority.issue_server(folder)
    client = authority.issue_client(folder, "editor")
    nobody = authority.issue(
        folder, "nobody", x509.DNSName("nobody.x.org"), ExtendedKeyUsageOID.CLIENT_AUTH)
    (folder / "policy.json").write_text(json.dumps(POLICY))
    (folder / "tokens").write_text(token_lines("reader", "root"))
    (folder / "keys.json").write_text(key_set({"kty": "oct", "k": encoded(SECRET)}))
    log = (folder / "log").open("w")
    server = Server(log=log, more=[
        "--tls-certificate", certificate, "--tls-key", key, "--tls-client-ca", folder / "ca.pem",
        "--auth-policy", folder / "policy.json", "--auth-tokens", folder / "tokens",
        "--auth-keys", folder / "keys.json", "--auth-leeway-ms", "0"])
    address = "localhost:" + server.address.rsplit(":", 1)[1]

    def connect(pair=None, token=None):
        return Client(address, tls=folder / "ca.pem", client_certificate=pair, token=token)

    connect.editor, connect.nobody, connect.folder = client, nobody, folder
    connect.server = server
    yield connect
    server.stop()
    log.close()


def code(call):
    with pytest.raises(LayoutError) as error:
        call()
    return error.value.code


def create(client, name):
    client.create_collection(name, count=20, layout=layouts.list(row_height=10))


def opening(name):
    opening = session.OpenSession(collection=f"collections/{name}")
    opening.viewport.size.width, opening.viewport.size.height = 100, 100
    return opening


def view(client, name):
    return Session(client.channel, opening(name), metadata=client.metadata())


def test_certificate(secured):
    """A client certificate is needed, and is an identity."""
    with secured(secured.editor) as client:
        create(client, "own-c")
        assert code(lambda: create(client, "other")) == grpc.StatusCode.PERMISSION_DENIED
        assert len(view(client, "own-c").mirror) > 0
    with secured() as client:
        assert code(lambda: create(client, "own-d")) == grpc.StatusCode.UNAVAILABLE
    with secured(secured.nobody) as client:
        assert code(lambda: create(client, "own-d")) == grpc.StatusCode.PERMISSION_DENIED


def test_token(secured):
    """A token adds its rights to those of the certificate; a wrong one is refused."""
    with secured(secured.nobody, "reader") as client:
        assert code(lambda: create(client, "own-e")) == grpc.StatusCode.PERMISSION_DENIED
        assert all(c.name.startswith("collections/own") for c in client.list_collections())
    with secured(secured.editor, "wrong") as client:
        assert code(lambda: create(client, "own-e")) == grpc.StatusCode.UNAUTHENTICATED


def test_renewal(secured):
    """A stream outlives its token if it is renewed, and ends with it if it is not."""
    with secured(secured.nobody, "root") as client:
        create(client, "own-f")
    with secured(secured.nobody, lambda: signed(SECRET, "eve", 2)) as client:
        renewed, left = view(client, "own-f"), view(client, "own-f")
        result = renewed.perform(
            credentials=session.CredentialsRenewal(token=signed(SECRET, "eve", 600).value))
        assert not result.HasField("problem")

        def read_on():
            while True:
                left.read()

        assert code(read_on) == grpc.StatusCode.UNAUTHENTICATED
        assert not renewed.perform(resync=session.ResyncRequest()).HasField("problem")


def test_provider(secured):
    """The provider of tokens is asked again before they end, and not for each call."""
    asked = []

    def provider():
        asked.append(time.time())
        return signed(SECRET, "eve", 3)

    with secured(secured.nobody, provider) as client:
        end = time.time() + 4
        calls = 0
        while time.time() < end:
            list(client.list_collections())
            calls += 1
        assert 2 <= len(asked) <= 4 < calls


def test_reload(secured):
    """SIGHUP reads all files at once, and the log says what became of each."""
    policy, log = secured.folder / "policy.json", secured.folder / "log"

    def hang_up():
        """The lines that a signal brings."""
        before = log.stat().st_size
        secured.server.process.send_signal(signal.SIGHUP)
        deadline = time.time() + 10
        while time.time() < deadline:
            text = log.read_bytes()[before:].decode()
            if text.count("reloaded a file") + text.count("a file is bad") >= 6:
                return text
            time.sleep(0.01)
        raise AssertionError(f"not all files were reloaded:\n{text}")

    names = ["server.pem", "server.key", "ca.pem", "policy.json", "tokens", "keys.json"]
    text = hang_up()
    assert all(name in text for name in names) and "bad" not in text
    old = policy.read_text()
    policy.write_text("{")
    text = hang_up()
    assert text.count("reloaded a file") >= 5 and "policy.json: " in text
    policy.write_text(old)
    hang_up()
    with secured(secured.editor) as client:
        create(client, "own-g")
