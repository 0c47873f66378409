# SPDX-License-Identifier: Apache-2.0
"""A display that nobody sees, and a server."""

import os
import subprocess

import pytest
from collection_layout import LayoutServer


@pytest.fixture(scope="session")
def display():
    """Xvfb at the first number that is free."""
    read, write = os.pipe()
    process = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1200x900x24", "-nolisten", "tcp"],
        pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as numbers:
        number = numbers.readline().strip()
    assert number, "Xvfb does not start"
    yield f":{number}"
    process.terminate()
    process.wait(timeout=20)


@pytest.fixture(scope="session")
def server():
    with LayoutServer.start_local() as server:
        yield server
