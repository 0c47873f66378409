# SPDX-License-Identifier: Apache-2.0
"""Starts a server of its own for the fuzzer, and makes sure that it is alive at the end."""

import grpc
import pytest
from collection_layout import LayoutServer

import calls


@pytest.fixture(scope="session")
def server():
    with LayoutServer.start_local() as server:
        yield server
        assert server.is_running, "the server has died"
        assert server.stop() == 0, "the server did not exit by itself"


@pytest.fixture(scope="session")
def channels(server):
    """Channels for calls that are cancelled: each connection makes a few."""
    return fresh_channels(server)


def fresh_channels(server):
    while True:
        with calls.connect(server.address) as channel:
            for _ in range(calls.CALLS_OF_CONNECTION):
                yield channel


@pytest.fixture(scope="session")
def channel(server):
    with grpc.insecure_channel(server.address) as channel:
        yield channel
