# SPDX-License-Identifier: Apache-2.0
"""Starts the real server once, on a free port, and stops it with SIGTERM at the end."""

import os
import pathlib
import re
import subprocess

import grpc
import pytest
import stubs

stubs.generate()


@pytest.fixture(scope="session")
def address():
    given = os.environ.get("LAYOUT_SERVER_ADDRESS")
    if given:
        yield given
        return
    root = pathlib.Path(__file__).resolve().parents[3]
    binary = os.environ.get("LAYOUT_SERVER", root / ".build" / "debug" / "layout-server")
    process = subprocess.Popen(
        [binary, "--port", "0", "--store", "memory"], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    found = re.search(r"([\w.]+:\d+)", line)
    assert found, f"the server did not say where it listens: {line!r}"
    yield found.group(1)
    process.terminate()
    assert process.wait(timeout=20) == 0, "the server did not exit by itself"


@pytest.fixture
def channel(address):
    with grpc.insecure_channel(address) as channel:
        yield channel
