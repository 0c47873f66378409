# SPDX-License-Identifier: Apache-2.0
"""A server with TLS, client certificates, tokens and a policy."""

import base64
import datetime
import hashlib
import hmac
import json
import time

import grpc
import pytest
from collection_layout import Client, LayoutError, Token, layouts
from collection_layout.v1 import session_pb2 as session
from conftest import Server
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from lockstep import Session

SECRET = b"0123456789abcdef0123456789abcdef"
POLICY = {"rules": [
    {"identities": ["certificate:spiffe://x.org/editor"], "role": "admin", "collections": ["own*"]},
    {"identities": ["token:reader", "subject:eve"], "role": "view", "collections": ["own*"]},
    {"identities": ["token:root"], "role": "admin", "collections": ["*"]},
]}


def pem(thing):
    if isinstance(thing, x509.Certificate):
        return thing.public_bytes(serialization.Encoding.PEM)
    return thing.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


class Authority:
    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
        self.certificate = self._builder(self.name, self.key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True,
        ).sign(self.key, hashes.SHA256())

    def _builder(self, name, key):
        now = datetime.datetime.now(datetime.timezone.utc)
        return x509.CertificateBuilder().subject_name(name).issuer_name(self.name).public_key(
            key.public_key()).serial_number(x509.random_serial_number()).not_valid_before(
            now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(hours=1))

    def issue(self, folder, name, alternative, usage):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._builder(subject, key).add_extension(
            x509.SubjectAlternativeName([alternative]), critical=False,
        ).add_extension(x509.ExtendedKeyUsage([usage]), critical=False).sign(self.key, hashes.SHA256())
        (folder / f"{name}.pem").write_bytes(pem(certificate))
        (folder / f"{name}.key").write_bytes(pem(key))
        return folder / f"{name}.pem", folder / f"{name}.key"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(subject, lasting):
    """A token signed with the shared secret."""
    end = int(time.time()) + lasting
    header, claims = {"alg": "HS256"}, {"sub": subject, "exp": end}
    text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return Token(text + "." + encoded(hmac.digest(SECRET, text.encode(), "sha256")), end)


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trust")
    authority = Authority()
    (folder / "ca.pem").write_bytes(pem(authority.certificate))
    certificate, key = authority.issue(
        folder, "server", x509.DNSName("localhost"), ExtendedKeyUsageOID.SERVER_AUTH)
    uri = x509.UniformResourceIdentifier("spiffe://x.org/editor")
    client = authority.issue(folder, "editor", uri, ExtendedKeyUsageOID.CLIENT_AUTH)
    nobody = authority.issue(
        folder, "nobody", x509.DNSName("nobody.x.org"), ExtendedKeyUsageOID.CLIENT_AUTH)
    (folder / "policy.json").write_text(json.dumps(POLICY))
    (folder / "tokens").write_text("".join(
        f"{name} {hashlib.sha256(name.encode()).hexdigest()}\n" for name in ("reader", "root")))
    (folder / "keys.json").write_text(json.dumps({"keys": [{"kty": "oct", "k": encoded(SECRET)}]}))
    server = Server(more=[
        "--tls-certificate", certificate, "--tls-key", key, "--tls-client-ca", folder / "ca.pem",
        "--auth-policy", folder / "policy.json", "--auth-tokens", folder / "tokens",
        "--auth-keys", folder / "keys.json", "--auth-leeway-ms", "0"])
    address = "localhost:" + server.address.rsplit(":", 1)[1]

    def connect(pair=None, token=None):
        return Client(address, tls=folder / "ca.pem", client_certificate=pair, token=token)

    connect.editor, connect.nobody = client, nobody
    yield connect
    server.stop()


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
    with secured(secured.nobody, lambda: signed("eve", 2)) as client:
        renewed, left = view(client, "own-f"), view(client, "own-f")
        result = renewed.perform(
            credentials=session.CredentialsRenewal(token=signed("eve", 600).value))
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
        return signed("eve", 3)

    with secured(secured.nobody, provider) as client:
        end = time.time() + 4
        calls = 0
        while time.time() < end:
            list(client.list_collections())
            calls += 1
        assert 2 <= len(asked) <= 4 < calls
