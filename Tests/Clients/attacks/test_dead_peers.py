# SPDX-License-Identifier: Apache-2.0
"""Clients whose machine is gone without a word. Server and client live in network namespaces of their
own, between which packets are dropped; where the system allows none, there is nothing to test."""

import contextlib
import os
import pathlib
import subprocess
import sys
import time

import pytest
from calls import large_query
from conftest import GIVEN, LIMITS, Server
from raw import HEALTH, QUERY, WATCH, Raw, message

SERVER, CLIENT = "10.231.7.1", "10.231.7.2"
# The least that can be set. Keepalive asks every second from half of it on.
LIMIT_SECONDS = 4


class Cable:
    """Two machines and a cable between them, which end with the test."""

    def __init__(self):
        self.holders = []
        try:
            self.server, self.client = self._machine(), self._machine()
            self._run(self.server, "ip", "link", "add", "near", "type", "veth", "peer", "name", "far",
                      "netns", str(self.client))
            for machine, name, address in (
                    (self.server, "near", SERVER), (self.client, "far", CLIENT)):
                self._run(machine, "ip", "address", "add", address + "/24", "dev", name)
                self._run(machine, "ip", "link", "set", "lo", "up")
                self._run(machine, "ip", "link", "set", name, "up")
        except (OSError, subprocess.CalledProcessError) as error:
            self.end()
            pytest.skip(f"no network namespaces: {error}")

    def _machine(self):
        """The process that a machine lives with."""
        holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec sleep 600"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.holders.append(holder)
        if not holder.stdout.readline():
            raise OSError("unshare --net is not permitted")
        return holder.pid

    @staticmethod
    def inside(machine, *command):
        return ["nsenter", f"--net=/proc/{machine}/ns/net", *map(str, command)]

    def _run(self, machine, *command):
        subprocess.run(self.inside(machine, *command), check=True, capture_output=True)

    def cut(self):
        self._run(self.client, "ip", "link", "set", "far", "down")

    def mend(self):
        self._run(self.client, "ip", "link", "set", "far", "up")

    def end(self):
        for holder in self.holders:
            holder.kill()
            holder.wait()


@pytest.fixture
def cable():
    if GIVEN:
        pytest.skip("needs a server of its own")
    cable = Cable()
    yield cable
    cable.end()


@pytest.fixture
def server(cable, monkeypatch):
    monkeypatch.setitem(LIMITS, "dead-peer-timeout-ms", LIMIT_SECONDS * 1000)
    # So that nothing else ends them.
    for name in ("write-timeout-ms", "idle-timeout-ms", "first-call-timeout-ms"):
        monkeypatch.setitem(LIMITS, name, 600_000)
    server = Server(prefix=cable.inside(cable.server), host=SERVER)
    yield server
    assert server.stop() == 0


@pytest.fixture
def client(cable, server):
    """A process on the other machine with a connection at rest, one that waits for the first message
    of its call, and one that leaves answers unread."""
    process = subprocess.Popen(
        cable.inside(cable.client, sys.executable, __file__, server.address),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.wait()


def sockets(server):
    """That the server has open, the one that listens among them."""
    count = 0
    for entry in pathlib.Path(f"/proc/{server.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            count += os.readlink(entry).startswith("socket:")
    return count


def left(server, wanted, seconds):
    """Its sockets once there are so many, or when the time is over."""
    end = time.monotonic() + seconds
    while sockets(server) != wanted and time.monotonic() < end:
        time.sleep(0.1)
    return sockets(server)


def test_connections_of_machines_that_are_gone_end(cable, server, client):
    assert client.stdout.readline() == "ready\n"
    assert left(server, 4, 5) == 4
    cable.cut()
    time.sleep(LIMIT_SECONDS / 2)
    assert sockets(server) == 4, "too early"
    # Retransmissions look at the limit when they are due, ever more seldom.
    assert left(server, 1, 3 * LIMIT_SECONDS) == 1


def test_a_short_interruption_is_survived(cable, server, client):
    assert client.stdout.readline() == "ready\n"
    cable.cut()
    time.sleep(1)
    cable.mend()
    time.sleep(2 * LIMIT_SECONDS)
    client.stdin.write("\n")
    client.stdin.flush()
    assert client.stdout.readline() == "works\n"


def be_client(address):
    at_rest, waiting, unread = (Raw(address, source=CLIENT) for _ in range(3))
    at_rest.call(WATCH)
    at_rest.read(lambda: at_rest.data_bytes > 0)
    waiting.call(HEALTH, body=b"", end=False)
    # Its answers do not fit into what the kernels keep.
    query = message(large_query())
    for _ in range(100):
        unread.call(QUERY, body=query)
    print("ready", flush=True)
    sys.stdin.readline()
    print("works" if at_rest.works() else "lost", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    be_client(sys.argv[1])
    os._exit(0)
