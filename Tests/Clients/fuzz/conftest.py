# SPDX-License-Identifier: Apache-2.0
"""Starts a server of its own for the fuzzer, and makes sure that it is alive at the end."""

import grpc
import pytest
from collection_layout import LayoutServer


@pytest.fixture(scope="session")
def server():
    with LayoutServer.start_local() as server:
        yield server
        assert server.is_running, "the server has died"
        assert server.stop() == 0, "the server did not exit by itself"


@pytest.fixture(scope="session")
def channels(server):
    """Channels for calls that are cancelled: a connection may reset 200 calls in 30 seconds."""
    return fresh_channels(server)


def fresh_channels(server):
    while True:
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(server.address, options=options) as channel:
            for _ in range(100):
                yield channel


@pytest.fixture(scope="session")
def channel(server):
    with grpc.insecure_channel(server.address) as channel:
        yield channel
