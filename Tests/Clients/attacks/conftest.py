# SPDX-License-Identifier: Apache-2.0
"""The real server with short time limits, a neighbour who scrolls, and what both feel.

LAYOUT_TEST_ADDRESS names a server that runs already; memory and time limits are then not
looked at. ATTACK_SECONDS is how long a flood lasts (0.4; hours are fine too).
"""

import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import pytest
from raw import Raw

# For the authority of certificates and tokens, which the other tests use too.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "python"))

SECONDS = float(os.environ.get("ATTACK_SECONDS", "0.4"))
GIVEN = os.environ.get("LAYOUT_TEST_ADDRESS")

LIMITS = {
    "greeting-timeout-ms": 1000, "first-call-timeout-ms": 1500, "idle-timeout-ms": 1500,
    "request-timeout-ms": 1500, "write-timeout-ms": 1500, "max-connections": 600,
    "max-connections-per-address": 400, "max-unread-bytes-per-connection": 1 << 20,
    "max-unfinished-bytes-per-connection": 4 << 20, "max-resets-per-address": 500,
    "shutdown-timeout-ms": 2000, "log-level": "error",
}


class Server:
    def __init__(self, prefix=(), host="127.0.0.1", limits=None, **process):
        """`prefix` is a command that starts the server's; `limits` are set besides LIMITS."""
        self.address, self.process = GIVEN, None
        if GIVEN:
            return
        root = pathlib.Path(__file__).resolve().parents[3]
        binary = os.environ.get("LAYOUT_SERVER", root / ".build" / "debug" / "layout-server")
        values = {**LIMITS, **(limits or {})}
        options = [text for name, value in values.items() for text in (f"--{name}", str(value))]
        if not host.startswith("127."):
            # Another network of this machine, without identities.
            options += ["--insecure", "true"]
        self.process = subprocess.Popen(
            [*prefix, binary, "--host", host, "--port", "0", "--store", "memory", *options],
            stdout=subprocess.PIPE, text=True, **process)
        self.address = re.search(r"([\w.]+:\d+)", self.process.stdout.readline()).group(1)

    def _read(self, file, field):
        text = pathlib.Path(f"/proc/{self.process.pid}/{file}").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", text).group(1))

    @property
    def memory(self):
        """Resident, in MiB."""
        return self._read("status", "VmRSS") / 1024

    @property
    def peak_memory(self):
        """The most that was ever resident, in MiB."""
        return self._read("status", "VmHWM") / 1024

    @property
    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    @property
    def processor_seconds(self):
        """Of all its threads, so far."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def is_alive(self):
        return self.process is None or self.process.poll() is None

    def stop(self):
        if self.process is None:
            return 0
        self.process.terminate()
        return self.process.wait(timeout=30)


class Neighbour:
    # Generous, since the machines of CI are busy: it only finds a neighbour who starves.
    LONGEST_PAUSE = 2

    def __init__(self, address, authorities="", token=None):
        script = pathlib.Path(__file__).with_name("neighbour.py")
        security = [authorities, *([token] if token else [])]
        self.process = subprocess.Popen(
            [sys.executable, script, address, *security], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.times, self.lock = [], threading.Lock()
        self.last, self.pause = time.monotonic(), 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        deadline = time.monotonic() + 20
        while not self.times and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.times, "the neighbour does not get a frame"

    def _read(self):
        for line in self.process.stdout:
            with self.lock:
                now = time.monotonic()
                self.pause, self.last = max(self.pause, now - self.last), now
                self.times.append(float(line))

    def taken(self):
        """What it felt since the last call."""
        with self.lock:
            times, self.times = sorted(self.times), []
            self.pause = 0
        return times

    def assert_scrolls(self):
        """Whether no frame took too long since `taken`, or since the beginning, and the next comes too."""
        with self.lock:
            pause, last = self.pause, self.last
        while self.last == last and time.monotonic() - last < self.LONGEST_PAUSE:
            time.sleep(0.02)
        pause = max(pause, time.monotonic() - last)
        assert pause < self.LONGEST_PAUSE, f"the neighbour waited {pause:.1f} s for a frame"

    def stop(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=20) == 0, "the neighbour lost its stream"


def part(times, share):
    return times[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


def running(server):
    """For fixtures: the server ends well."""
    yield server
    assert server.is_alive, "the server has died"
    assert server.stop() == 0, "the server did not exit by itself"


def scrolling(neighbour):
    """For fixtures: the neighbour keeps its stream."""
    time.sleep(1)
    yield neighbour
    neighbour.stop()


@pytest.fixture(scope="session")
def server():
    yield from running(Server())


@pytest.fixture(scope="session")
def neighbour(server):
    yield from scrolling(Neighbour(server.address))


REPORT = []


@pytest.fixture
def watched(server, neighbour, request):
    """Whoever uses it attacks: the server lives on, the neighbour scrolls on."""
    time.sleep(0.3)
    quiet = neighbour.taken()
    before = server.memory if server.process else 0
    yield
    neighbour.assert_scrolls()
    busy = neighbour.taken()
    time.sleep(0.3)
    after = server.memory if server.process else 0
    REPORT.append(
        f"{request.node.name:44} p50 {part(quiet, .5):5.1f} > {part(busy, .5):6.1f}  "
        f"p99 {part(quiet, .99):6.1f} > {part(busy, .99):7.1f} ms  "
        f"memory {before:5.0f} > {after:5.0f} MiB")
    assert server.is_alive, "the server has died"
    # Generous: the machines of CI are busy. The figures are in the report.
    assert not busy or part(busy, .5) < 500, "the neighbour waits too long"
    with Raw(server.address, source="127.0.0.9") as raw:
        assert raw.works()


def pytest_terminal_summary(terminalreporter):
    if REPORT:
        terminalreporter.section("what the neighbour felt")
        for line in REPORT:
            terminalreporter.write_line(line)


@pytest.fixture
def address(server):
    return server.address


@pytest.fixture
def own_server(server):
    if server.process is None:
        pytest.skip("needs a server with limits of its own")
    return server
