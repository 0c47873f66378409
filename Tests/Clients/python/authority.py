# SPDX-License-Identifier: Apache-2.0
"""Certificates, tokens and key sets for tests."""

import base64
import datetime
import hashlib
import hmac
import json
import os
import time

from collection_layout import Token
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


def pem(thing):
    if isinstance(thing, x509.Certificate):
        return thing.public_bytes(serialization.Encoding.PEM)
    return thing.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def replace(path, contents):
    """Writes a file beside the old one and renames it."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    os.replace(new, path)
    return path


class Authority:
    """Issues certificates."""

    def __init__(self, name="authority"):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = self._builder(self.name, self.key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True,
        ).sign(self.key, hashes.SHA256())

    def _builder(self, name, key):
        now = datetime.datetime.now(datetime.timezone.utc)
        return x509.CertificateBuilder().subject_name(name).issuer_name(self.name).public_key(
            key.public_key()).serial_number(x509.random_serial_number()).not_valid_before(
            now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(hours=12))

    def pair(self, name, alternative, usage):
        """A certificate and its key, in PEM form."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._builder(subject, key).add_extension(
            x509.SubjectAlternativeName([alternative]), critical=False,
        ).add_extension(x509.ExtendedKeyUsage([usage]), critical=False).sign(self.key, hashes.SHA256())
        return pem(certificate), pem(key)

    def issue(self, folder, name, alternative, usage):
        """Writes a certificate and its key into files, of which it returns the paths."""
        paths = folder / f"{name}.pem", folder / f"{name}.key"
        for path, contents in zip(paths, self.pair(name, alternative, usage)):
            replace(path, contents)
        return paths

    def issue_server(self, folder):
        return self.issue(
            folder, "server", x509.DNSName("localhost"), ExtendedKeyUsageOID.SERVER_AUTH)

    def issue_client(self, folder, name):
        uri = x509.UniformResourceIdentifier(f"spiffe://x.org/{name}")
        return self.issue(folder, name, uri, ExtendedKeyUsageOID.CLIENT_AUTH)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unsigned(header, subject, lasting):
    end = int(time.time()) + lasting
    parts = header, {"sub": subject, "exp": end}
    return ".".join(encoded(json.dumps(part).encode()) for part in parts), end


def signed(secret, subject, lasting=600):
    """A token signed with a shared secret."""
    text, end = _unsigned({"alg": "HS256"}, subject, lasting)
    return Token(text + "." + encoded(hmac.digest(secret, text.encode(), "sha256")), end)


class Signer:
    """Signs tokens with a key of an elliptic curve (ES256)."""

    def __init__(self, name="key"):
        self.name = name
        self.key = ec.generate_private_key(ec.SECP256R1())

    @property
    def jwk(self):
        numbers = self.key.public_key().public_numbers()
        x, y = (encoded(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        return {"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": self.name, "x": x, "y": y}

    def token(self, subject, lasting=600):
        text, _ = _unsigned({"alg": "ES256", "kid": self.name}, subject, lasting)
        signature = self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
        r, s = utils.decode_dss_signature(signature)
        return text + "." + encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def wrong(number):
    """A token whose signature looks right and is not; each number has its own."""
    text, _ = _unsigned({"alg": "ES256", "kid": "key"}, f"nobody-{number}", 600)
    r, s = (hashlib.sha256(f"{part}{number}".encode()).digest() for part in "rs")
    return text + "." + encoded(r + s)


def key_set(*keys):
    return json.dumps({"keys": list(keys)})


def token_lines(*names):
    """A token file in which the token of each name is the name."""
    return "".join(f"{name} {hashlib.sha256(name.encode()).hexdigest()}\n" for name in names)
