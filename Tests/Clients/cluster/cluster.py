# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL, three servers and HAProxy on loopback, and what goes wrong between them.

All connections between the three kinds of programs run through proxies that can be cut (both sides are closed)
or blocked (bytes wait, and new connections are not answered).
"""

import glob
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]


def postgresql_programs():
    """The folder of PostgreSQL's programs, 15 or newer; None = it is not installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/1[5-9]/bin") + glob.glob("/usr/lib/postgresql/2?/bin"))
    initdb = shutil.which("initdb")
    if found or not initdb:
        return pathlib.Path(found[-1]) if found else None
    return pathlib.Path(initdb).resolve().parent


def is_installed():
    return postgresql_programs() is not None and shutil.which("haproxy") is not None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(condition, seconds=30, what="it"):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} never came true")
        time.sleep(0.02)


def accepts(port):
    """Whether somebody listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


class CuttingProxy:
    """Passes bytes on between a port of its own and another one, until it is told not to."""

    def __init__(self, target):
        self.target = target
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._socket.getsockname()[1]
        self._open, self._lock = set(), threading.Lock()
        self._flows = threading.Event()
        self._flows.set()
        self._is_closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Closes all connections."""
        with self._lock:
            gone, self._open = self._open, set()
        for end in gone:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def block(self):
        """Nothing gets through any more, and nobody is told."""
        self._flows.clear()

    def unblock(self):
        self._flows.set()

    def close(self):
        self._is_closed = True
        self._socket.close()
        self.unblock()
        self.cut()

    def _accept(self):
        while not self._is_closed:
            try:
                near, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near):
        with self._lock:
            self._open.add(near)
        self._flows.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target), timeout=5)
        except OSError:
            near.close()
            return
        far.settimeout(None)
        for end in (near, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._open.add(far)
        threading.Thread(target=self._pass, args=(far, near), daemon=True).start()
        self._pass(near, far)

    def _pass(self, source, target):
        try:
            while data := source.recv(1 << 16):
                self._flows.wait()
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            with self._lock:
                self._open.discard(end)
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        source.close()


class Postgres:
    """A database in a temporary folder, which listens on loopback."""

    def __init__(self, folder, settings=()):
        self.folder, self.port = pathlib.Path(folder), free_port()
        self._as = []
        if os.getuid() == 0:
            # PostgreSQL refuses to run as root.
            shutil.chown(folder, "postgres")
            self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self._run("initdb", "-A", "trust", "-U", "layout", "-E", "UTF8", "--locale=C", "-D", "data")
        self._settings = " ".join(f"-c {each}" for each in settings)
        self.start()

    def _run(self, program, *arguments):
        subprocess.run(
            [*self._as, postgresql_programs() / program, *arguments], cwd=self.folder, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        options = f"-k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1 -c max_connections=200"
        self._run("pg_ctl", "-D", "data", "-w", "-s", "-l", "data/log", "-o",
                  f"{options} {self._settings}", "start")

    def stop(self, mode="immediate"):
        self._run("pg_ctl", "-D", "data", "-w", "-s", "-m", mode, "stop")

    def query(self, sql):
        """The rows as lists of text, or [] if the database cannot be reached."""
        done = subprocess.run(
            [postgresql_programs() / "psql", "-h", self.folder, "-p", str(self.port), "-U", "layout",
             "-d", "postgres", "-qAtX", "-F", "\t", "-c", sql],
            capture_output=True, text=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def url(self, port=None):
        return f"postgresql://layout@127.0.0.1:{port or self.port}/postgres?sslmode=disable"


class ClusterServer:
    """One server, with a proxy between it and the database, and one between it and its clients."""

    def __init__(self, cluster, index):
        self.index, self._cluster = index, cluster
        self.database = CuttingProxy(cluster.postgres.port)
        self.port, self.admin_port = free_port(), free_port()
        self.clients = CuttingProxy(self.port)
        self.is_stopped = False
        self.process = None
        self.start()

    @property
    def address(self):
        return f"127.0.0.1:{self.clients.port}"

    @property
    def direct(self):
        """Past the proxy."""
        return f"127.0.0.1:{self.port}"

    def session_count(self):
        url = f"http://127.0.0.1:{self.admin_port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as page:
            text = page.read().decode()
        return float(re.search(r"^layout_sessions (\S+)", text, re.MULTILINE).group(1))

    def is_ready(self):
        try:
            url = f"http://127.0.0.1:{self.admin_port}/readyz"
            with urllib.request.urlopen(url, timeout=5) as page:
                return page.status == 200
        except OSError:
            return False

    def start(self):
        binary = os.environ.get("LAYOUT_SERVER", ROOT / ".build" / "debug" / "layout-server")
        url = self._cluster.postgres.url(self.database.port)
        self._log = open(self._cluster.folder / f"server-{self.index}.log", "a", encoding="utf-8")
        self.process = subprocess.Popen(
            [binary, "--port", str(self.port), "--admin-port", str(self.admin_port), "--store", url,
             "--log-level", "error", *self._cluster.options],
            stdout=subprocess.PIPE, stderr=self._log, text=True,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        threading.Thread(target=lambda out=self.process.stdout: out.read(), daemon=True).start()

    def kill(self):
        """As a crash does."""
        self.process.kill()
        self.process.wait()

    def drain(self):
        """As an operator does."""
        self.process.terminate()
        return self.process.wait(timeout=60)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def accepts(self):
        return accepts(self.port)


class Cluster:
    """Three servers that share a database, and HAProxy in front of them."""

    def __init__(self, options=(), settings=()):
        self._temporary = tempfile.TemporaryDirectory(prefix="cluster-", ignore_cleanup_errors=True)
        self.folder = pathlib.Path(self._temporary.name)
        self.options = list(options)
        # PostgreSQL's sockets are in a folder of its own, since it may belong to another user.
        self.folder.chmod(0o755)
        data = self.folder / "postgres"
        data.mkdir()
        self.postgres = Postgres(data, settings)
        self.servers = [ClusterServer(self, index) for index in range(3)]
        self._haproxy = None
        try:
            for server in self.servers:
                eventually(server.accepts, 60, f"server {server.index}")
            port = free_port()
            self.address = f"127.0.0.1:{port}"
            names = {f"PROXY_SERVER_{index + 1}": server.address
                     for index, server in enumerate(self.servers)}
            self._haproxy = subprocess.Popen(
                ["haproxy", "-q", "-f", ROOT / "Deployment" / "haproxy.cfg"], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env={**os.environ, "PROXY_BIND": self.address, **names})
            eventually(lambda: accepts(port), what="HAProxy")
        except BaseException as error:
            error.add_note(self.logs())
            self.close()
            raise

    def wait_until_ready(self):
        """All servers are, and HAProxy has had time to see it."""
        for server in self.servers:
            eventually(server.is_ready, 60, f"server {server.index}")
        time.sleep(1.5)

    def logs(self):
        """What the servers printed, and the database."""
        texts = [path.read_text(errors="replace") for path in sorted(self.folder.glob("server-*.log"))]
        return "\n".join(text for text in texts if text)

    def close(self):
        if self._haproxy is not None:
            self._haproxy.kill()
            self._haproxy.wait()
        for server in self.servers:
            server.thaw()
            server.kill()
            server.database.close()
            server.clients.close()
        try:
            self.postgres.stop()
        except subprocess.CalledProcessError:
            pass
        self._temporary.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
