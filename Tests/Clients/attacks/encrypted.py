# SPDX-License-Identifier: Apache-2.0
"""A server that speaks TLS, and attackers and a neighbour who do too."""

import contextlib
import ssl

from authority import Authority, pem
from conftest import Neighbour, Server, running, scrolling
from raw import Raw


def authorities(folder):
    return folder / "ca.pem"


def encrypted_server(folder, process=None, **limits):
    """For fixtures: a server with a certificate. `process` is for its process."""
    authority = Authority()
    authorities(folder).write_bytes(pem(authority.certificate))
    certificate, key = authority.issue_server(folder)
    yield from running(Server(limits={
        "tls-certificate": certificate, "tls-key": key,
        **{name.replace("_", "-"): value for name, value in limits.items()}}, **(process or {})))


def encrypted_neighbour(server, folder):
    """For fixtures: a neighbour of such a server."""
    address = "localhost:" + server.address.rsplit(":", 1)[1]
    yield from scrolling(Neighbour(address, authorities(folder)))


def context(folder):
    """What a client needs to connect."""
    context = ssl.create_default_context(cafile=authorities(folder))
    context.set_alpn_protocols(["h2"])
    return context


@contextlib.contextmanager
def encrypted(folder):
    """Has all raw connections encrypted meanwhile."""
    Raw.context = context(folder)
    try:
        yield
    finally:
        Raw.context = None
