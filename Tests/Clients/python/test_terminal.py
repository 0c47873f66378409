# SPDX-License-Identifier: Apache-2.0
"""layoutctl as a person uses it: on a terminal, with completion, with misspelt names."""

import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import termios
import time
import zlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SERVER = pathlib.Path(os.environ.get("LAYOUT_SERVER", ROOT / ".build" / "debug" / "layout-server"))
CTL = SERVER.with_name("layoutctl")
DOWN = b"\x1b[B"


def ctl(*arguments, check=True):
    """Runs a command and returns what it printed."""
    result = subprocess.run([CTL, *arguments], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 or not check, result.stderr
    return result


@pytest.fixture(scope="module")
def collection(address):
    name = "terminal-art"
    ctl("sample", name, "--items", "1000", "--sections", "5", "--keys", "--server", address)
    yield name
    ctl("delete", name, "--server", address)


class Terminal:
    """A command on a terminal of so many rows and columns."""

    def __init__(self, arguments, rows=24, columns=80, **variables):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ.update(variables)
            os.execv(CTL, [str(CTL), *arguments])
        self.resize(rows, columns)
        self.shown = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.file, keys)

    def until(self, pattern, seconds=20):
        """Reads until a pattern is shown, and returns what was shown since the last one."""
        deadline = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.shown)
            if found:
                before, self.shown = self.shown[:found.end()], self.shown[found.end():]
                return before
            assert time.monotonic() < deadline, f"{pattern} is not shown: {self.shown[-2000:]}"
            if select.select([self.file], [], [], 0.1)[0]:
                self.shown += os.read(self.file, 1 << 16)

    def end(self):
        """Waits for the end; returns the exit code and the rest of what was shown."""
        rest = self.shown
        while True:
            try:
                more = os.read(self.file, 1 << 16)
            except OSError:
                break
            if not more:
                break
            rest += more
        os.close(self.file)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), rest


def test_a_layout_is_drawn_and_follows_keys_and_the_size_of_the_terminal(address, collection):
    terminal = Terminal(
        ["watch", collection, "--draw", "--server", address], TERM="xterm-256color", COLORTERM="truecolor")
    first = terminal.until(rb"q quits")
    assert first.startswith(b"\x1b[?1049h") and b"\x1b[38;2;" in first and "▀".encode() in first
    terminal.type(DOWN)
    terminal.until(rb"at 0,40 of")
    terminal.resize(12, 40)
    assert b"\x1b[2J" in terminal.until(rb"\x1b\[12;1H#")
    terminal.type(b"q")
    code, rest = terminal.end()
    assert code == 0 and b"\x1b[?1049l" in rest and b" frame" in rest


def test_a_terminal_without_colours_gets_none(address, collection):
    terminal = Terminal(
        ["watch", collection, "--draw", "--server", address], TERM="xterm-256color", NO_COLOR="1")
    assert b"\x1b[38" not in terminal.until(rb"q quits")
    terminal.type(b"q")
    assert terminal.end()[0] == 0


def test_control_c_ends_with_the_summary(address, collection):
    terminal = Terminal(["watch", collection, "--server", address], TERM="xterm")
    terminal.until(rb"keyframe")
    terminal.type(DOWN)
    terminal.until(rb"at 0,40\r")
    terminal.type(b"\x03")
    code, rest = terminal.end()
    assert code == 0 and b"frame (" in rest


def test_drawing_needs_a_terminal(address, collection):
    result = ctl("watch", collection, "--draw", "--server", address, check=False)
    assert result.returncode == 64 and "needs a terminal" in result.stderr


def test_pictures_are_png(address, collection, tmp_path):
    file = tmp_path / "art.png"
    ctl("draw", collection, "--viewport", "300x200", "--output", str(file), "--server", address)
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (300, 200)
    size = struct.unpack(">I", data[33:37])[0]
    rows = zlib.decompress(data[41:41 + size])
    assert len(rows) == 200 * (300 * 3 + 1)
    above, colors = bytes(900), set()
    for start in range(0, len(rows), 901):
        above = bytes((value + old) & 255 for value, old in zip(rows[start + 1:start + 901], above))
        colors.update(zip(above[::3], above[1::3], above[2::3]))
    assert len(colors) >= 3


def test_names_are_completed_and_suggested(address, collection):
    words = ["layoutctl", "describe", "--server", address, ""]
    found = subprocess.run(
        [CTL, "---completion", "describe", "--", "positional@0", "4", "0", *words],
        capture_output=True, text=True, timeout=20, env={**os.environ, "SAP_SHELL": "bash"})
    assert collection in found.stdout.split()
    result = ctl("describe", "termnial-art", "--server", address, check=False)
    assert result.returncode == 1 and f'Did you mean "{collection}"?' in result.stderr
    result = ctl("describe", "quite-another", "--server", address, check=False)
    assert "Did you mean" not in result.stderr


def test_a_server_that_is_not_there_is_named():
    result = ctl("list", "--server", "127.0.0.1:1", check=False)
    assert result.returncode == 69
    assert result.stderr.startswith("layoutctl: No server listens at 127.0.0.1:1.")


def test_headers_are_labelled_with_the_keys_of_sections(address, collection, tmp_path):
    file = tmp_path / "list.svg"
    ctl("draw", collection, "--layout", '{"list": {"headerHeight": 40}}', "--keys", "--output", str(file),
        "--server", address)
    text = file.read_text()
    assert ">section 0</text>" in text and ">item 0</text>" in text
