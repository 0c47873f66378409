# SPDX-License-Identifier: Apache-2.0
"""A server with TLS, client certificates, tokens and a policy."""

import base64
import contextlib
import datetime
import hashlib
import hmac
import json
import time

import grpc
import pytest
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import session_pb2 as session
from conftest import Server
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from layout_client import Session
from secure import secure_channel

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
    """A token signed with the shared secret, and when it ends."""
    end = int(time.time()) + lasting
    header, claims = {"alg": "HS256"}, {"sub": subject, "exp": end}
    text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return text + "." + encoded(hmac.digest(SECRET, text.encode(), "sha256")), end


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

    @contextlib.contextmanager
    def connect(pair=None, provider=None):
        with secure_channel(address, folder / "ca.pem", *(pair or ()), provider=provider) as channel:
            yield channel

    connect.editor, connect.nobody, connect.folder = client, nobody, folder
    yield connect
    server.stop()


def code(call):
    with pytest.raises(grpc.RpcError) as error:
        call()
    return error.value.code()


def create(channel, name):
    request = service.CreateCollectionRequest(collection_id=name)
    request.collection.default_layout.list.row_height = 10
    request.contents.sections.add().blocks.add().count = 20
    service_grpc.CollectionServiceStub(channel).CreateCollection(request)


def opening(name):
    opening = session.OpenSession(collection=f"collections/{name}")
    opening.viewport.size.width, opening.viewport.size.height = 100, 100
    return opening


def test_certificate(secured):
    """A client certificate is needed, and is an identity."""
    with secured(secured.editor) as channel:
        create(channel, "own-c")
        assert code(lambda: create(channel, "other")) == grpc.StatusCode.PERMISSION_DENIED
        viewer = Session(channel, opening("own-c"))
        assert len(viewer.mirror.slots) > 0
    with secured() as channel:
        assert code(lambda: create(channel, "own-d")) == grpc.StatusCode.UNAVAILABLE
    with secured(secured.nobody) as channel:
        assert code(lambda: create(channel, "own-d")) == grpc.StatusCode.PERMISSION_DENIED


def test_token(secured):
    """A token adds its rights to those of the certificate; a wrong one is refused."""
    with secured(secured.nobody, lambda: ("reader", None)) as channel:
        assert code(lambda: create(channel, "own-e")) == grpc.StatusCode.PERMISSION_DENIED
        names = service_grpc.CollectionServiceStub(channel).ListCollections(
            service.ListCollectionsRequest())
        assert all(c.name.startswith("collections/own") for c in names.collections)
    with secured(secured.editor, lambda: ("wrong", None)) as channel:
        assert code(lambda: create(channel, "own-e")) == grpc.StatusCode.UNAUTHENTICATED


def test_renewal(secured):
    """A stream outlives its token if it is renewed, and ends with it if it is not."""
    with secured(secured.nobody, lambda: ("root", None)) as channel:
        create(channel, "own-f")
    with secured(secured.nobody, lambda: signed("eve", 2)) as channel:
        renewed, left = Session(channel, opening("own-f")), Session(channel, opening("own-f"))
        event = renewed.send(credentials=session.CredentialsRenewal(token=signed("eve", 600)[0]))
        while event not in renewed.results:
            renewed.read()
        assert not renewed.results[event].HasField("problem")

        def read_on():
            while True:
                left.read()

        assert code(read_on) == grpc.StatusCode.UNAUTHENTICATED
        event = renewed.send(resync=session.ResyncRequest())
        while event not in renewed.results:
            renewed.read()
        assert not renewed.results[event].HasField("problem")


def test_provider(secured):
    """The provider of tokens is asked again before they end, and not for each call."""
    asked = []

    def provider():
        asked.append(time.time())
        return signed("eve", 3)

    with secured(secured.nobody, provider) as channel:
        stub = service_grpc.CollectionServiceStub(channel)
        end = time.time() + 4
        calls = 0
        while time.time() < end:
            stub.ListCollections(service.ListCollectionsRequest())
            calls += 1
        assert 2 <= len(asked) <= 4 < calls
