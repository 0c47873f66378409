# SPDX-License-Identifier: Apache-2.0
"""Starts the real server once, on a free port, and stops it with SIGTERM at the end."""

import os
import pathlib
import re
import subprocess

import grpc
import pytest


class Server:
    """The real server as a process."""

    def __init__(self, port=0, store=None, more=(), log=None):
        root = pathlib.Path(__file__).resolve().parents[3]
        binary = os.environ.get("LAYOUT_SERVER", root / ".build" / "debug" / "layout-server")
        options = ["--store-path", store] if store else ["--store", "memory"]
        self.process = subprocess.Popen(
            [binary, "--port", str(port), *(() if log else ("--log-level", "error")), *options, *more],
            stdout=subprocess.PIPE, stderr=log, text=True)
        self.address = self._said()
        self.web = self._said() if "--web-port" in more else None
        self.admin = f"http://{self._said()}" if "--admin-port" in more else None

    def _said(self):
        """The next address that the server prints."""
        line = self.process.stdout.readline()
        found = re.search(r"([\w.]+:\d+)", line)
        assert found, f"the server did not say where it listens: {line!r}"
        return found.group(1)

    def stop(self):
        self.process.terminate()
        assert self.process.wait(timeout=20) == 0, "the server did not exit by itself"

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="session")
def address():
    given = os.environ.get("LAYOUT_TEST_ADDRESS")
    if given:
        yield given
        return
    server = Server()
    yield server.address
    server.stop()


@pytest.fixture
def channel(address):
    with grpc.insecure_channel(address) as channel:
        yield channel
