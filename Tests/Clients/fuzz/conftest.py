# SPDX-License-Identifier: Apache-2.0
"""Starts a server of its own for the fuzzer, and makes sure that it is alive at the end."""

import importlib.util
import pathlib
import sys

import grpc
import pytest

CLIENTS = pathlib.Path(__file__).resolve().parents[1] / "python"
sys.path.insert(0, str(CLIENTS))

specification = importlib.util.spec_from_file_location("clients", CLIENTS / "conftest.py")
clients = importlib.util.module_from_spec(specification)
# Also generates the stubs and puts them on the path.
specification.loader.exec_module(clients)


@pytest.fixture(scope="session")
def server():
    server = clients.Server()
    yield server
    assert server.process.poll() is None, "the server has died"
    server.stop()


@pytest.fixture(scope="session")
def channel(server):
    with grpc.insecure_channel(server.address) as channel:
        yield channel
