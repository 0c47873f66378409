# SPDX-License-Identifier: Apache-2.0
"""A layout server of one's own, for tests."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any

from collection_layout.async_client import AsyncClient
from collection_layout.client import Client

# The server prints where it listens as its first line.
_LISTENS = re.compile(r"listening on (\S+:\d+)")


class LayoutServer:
    """A process of `layout-server`.

    ```python
    with LayoutServer.start_local() as server, server.client() as client:
        client.create_collection("rows", heights=[44, 60, 52])
    ```
    """

    def __init__(self, binary: str, options: Sequence[str], port: int, timeout: float) -> None:
        self._binary, self._options, self._timeout = binary, list(options), timeout
        self._process: subprocess.Popen[str] | None = None
        self._log: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8")
        weakref.finalize(self, self._log.close)
        #: Host and port.
        self.address = ""
        self._start(port)

    @classmethod
    def start_local(
            cls, binary: str | os.PathLike[str] | None = None, *, port: int = 0,
            store: str | os.PathLike[str] | None = None, options: Sequence[str] = (),
            timeout: float = 20.0) -> LayoutServer:
        """Starts a server on 127.0.0.1, and returns once it listens.

        Args:
            binary: The program. None = the environment variable LAYOUT_SERVER, or `layout-server` on PATH,
                or `.build/release` or `.build/debug` of this folder or one above it.
            port: 0 = any free one; `address` tells which.
            store: A file for the collections; None = in memory, lost when the server ends.
            options: Other options of `layout-server`: `["--max-items", "1000"]`.
            timeout: How long it may take to listen, in seconds.

        Raises:
            FileNotFoundError: There is no such program.
            RuntimeError: It ended, or did not listen in time; the message has what it printed.
        """
        stored = ["--store", "memory"] if store is None else ["--store-path", os.fspath(store)]
        return cls(find_server(binary), ["--log-level", "error", *stored, *options], port, timeout)

    def client(self, **options: Any) -> Client:
        """A client of this server; the options are those of `Client`."""
        return Client(self.address, **options)

    def async_client(self, **options: Any) -> AsyncClient:
        """A client of this server; the options are those of `AsyncClient`."""
        return AsyncClient(self.address, **options)

    @property
    def is_running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self, timeout: float = 20.0) -> int:
        """Ends the server as an operator does, and returns its exit status."""
        if self._process is None:
            return 0
        self._process.terminate()
        try:
            return self._process.wait(timeout)
        finally:
            self.kill()

    def kill(self) -> None:
        """Ends the server at once, as a crash does."""
        if self._process is not None:
            _kill(self._process)

    def restart(self) -> None:
        """Starts the server again, on the same port and with the same options."""
        self.kill()
        self._start(int(self.address.rsplit(":", 1)[1]))

    def log(self) -> str:
        """What the server has printed to its standard error."""
        self._log.seek(0)
        return self._log.read()

    def __enter__(self) -> LayoutServer:
        return self

    def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None,
            trace: TracebackType | None) -> None:
        self.stop()

    def _start(self, port: int) -> None:
        process = subprocess.Popen(
            [self._binary, "--host", "127.0.0.1", "--port", str(port), *self._options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, text=True)
        self._process = process
        # A program that forgets to stop its server leaves none behind.
        weakref.finalize(self, _kill, process)
        address = self._wait(process)
        if address is None:
            ended = None
            with contextlib.suppress(subprocess.TimeoutExpired):
                # Its output may end a little earlier than it does.
                ended = process.wait(1)
            _kill(process)
            raise RuntimeError(
                f"{self._binary} " + (f"ended with status {ended}" if ended is not None
                                      else f"did not listen within {self._timeout:g} s")
                + f": {self.log().strip()}")
        self.address = address

    def _wait(self, process: subprocess.Popen[str]) -> str | None:
        found: list[str] = []
        listens = threading.Event()

        def read() -> None:
            # To its end, so that the server never waits for somebody to read.
            assert process.stdout is not None
            with process.stdout:
                for line in process.stdout:
                    match = _LISTENS.search(line)
                    if match:
                        found.append(match.group(1))
                        listens.set()
            listens.set()

        threading.Thread(target=read, name="layout-server output", daemon=True).start()
        listens.wait(self._timeout)
        return found[0] if found else None


def find_server(binary: str | os.PathLike[str] | None = None) -> str:
    """The path of `layout-server`, found as `LayoutServer.start_local` says. Raises FileNotFoundError."""
    given = binary or os.environ.get("LAYOUT_SERVER")
    if given:
        found = shutil.which(os.fspath(given))
        if found is None:
            raise FileNotFoundError(f"{os.fspath(given)} is no program")
        return found
    found = shutil.which("layout-server")
    if found:
        return found
    here = pathlib.Path.cwd()
    for folder in (here, *here.parents):
        for configuration in ("release", "debug"):
            candidate = folder / ".build" / configuration / "layout-server"
            if os.access(candidate, os.X_OK):
                return str(candidate)
    raise FileNotFoundError(
        "layout-server was not found: give its path, set LAYOUT_SERVER, put it on PATH, or build it here "
        "with `swift build -c release`")


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
