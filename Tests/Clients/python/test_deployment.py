# SPDX-License-Identifier: Apache-2.0
"""What `Deployment/` contains, started and checked with the real programs."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time

import grpc
import pytest
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import query_service_pb2_grpc as query_grpc
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import session_pb2_grpc as session_grpc
from conftest import Server

DEPLOYMENT = pathlib.Path(__file__).resolve().parents[3] / "Deployment"
haproxy = pytest.mark.skipif(not shutil.which("haproxy"), reason="HAProxy is not installed")
systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """HAProxy with the configuration of the repository, in front of servers."""

    def __init__(self, servers):
        self.address = f"127.0.0.1:{free_port()}"
        names = {f"PROXY_SERVER_{place}": server.address for place, server in enumerate(servers, 1)}
        self.process = subprocess.Popen(
            ["haproxy", "-f", DEPLOYMENT / "haproxy.cfg"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env={**os.environ, "PROXY_BIND": self.address, **names})
        # One line for each finished call, with the name of the server that it went to.
        self.lines = []
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()

    def servers(self, call):
        """Those to which finished calls of this name went."""
        lines = [line for line in list(self.lines) if call in line]
        return [re.search(r"layout-servers/(\S+)", line).group(1) for line in lines]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=10)


@pytest.fixture
def cluster():
    servers = [Server() for _ in range(3)]
    proxy = Proxy(servers)
    with grpc.insecure_channel(proxy.address) as channel:
        grpc.channel_ready_future(channel).result(timeout=20)
        eventually(lambda: info(channel, "collections/first"))
        yield servers, proxy, channel
    proxy.stop()
    for server in servers:
        server.kill()


def info(channel, name):
    """Whether a call that names this collection is answered."""
    try:
        query_grpc.LayoutQueryServiceStub(channel).GetServerInfo(
            query.GetServerInfoRequest(), timeout=5, metadata=[("x-layout-collection", name)])
        return True
    except grpc.RpcError:
        return False


def eventually(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


def opening():
    return session.StreamLayoutRequest(event_seq=1, open=session.OpenSession(
        inline_contents=collection.CollectionContents(sections=[dict(blocks=[dict(count=1000)])]),
        layout=dict(list=dict(row_height=40)),
        viewport=session.ViewportChange(content_offset={}, size=dict(width=320, height=480))))


@haproxy
def test_calls_of_a_collection_go_to_one_server(cluster):
    _, proxy, channel = cluster
    names = [f"collections/{number}" for number in range(24)]
    before = len(proxy.servers("GetServerInfo"))
    for name in names + names:
        assert info(channel, name)
    eventually(lambda: len(proxy.servers("GetServerInfo")) >= before + 48)
    routes = proxy.servers("GetServerInfo")[before:]
    assert routes[:24] == routes[24:]
    assert len(set(routes)) == 3, "calls of many collections go to all servers"


@haproxy
def test_no_call_fails_while_a_server_shuts_down(cluster):
    servers, _, channel = cluster
    stub = session_grpc.LayoutSessionServiceStub(channel)
    done, ends = threading.Event(), []

    def messages():
        yield opening()
        done.wait(30)

    def read(stream):
        try:
            for _ in stream:
                pass
        except grpc.RpcError as error:
            ends.append((error.code(), error.details()))

    streams = [stub.StreamLayout(messages()) for _ in range(12)]
    for stream in streams:
        assert next(stream).WhichOneof("message") == "opened"
        threading.Thread(target=read, args=[stream], daemon=True).start()
    servers[0].process.terminate()
    end = time.monotonic() + 4
    number = 0
    while time.monotonic() < end:
        number += 1
        assert info(channel, f"collections/{number}"), "a call failed"
    assert servers[0].process.wait(timeout=20) == 0
    # Streams of that server ended with the word that clients try again on; the others go on.
    assert 0 < len(ends) < 12
    for code, details in ends:
        assert code == grpc.StatusCode.UNAVAILABLE and "shutting down" in details
    done.set()


@haproxy
def test_without_any_server_calls_are_unavailable(cluster):
    servers, _, channel = cluster
    for server in servers:
        server.kill()

    def answer():
        try:
            query_grpc.LayoutQueryServiceStub(channel).GetServerInfo(query.GetServerInfoRequest(), timeout=5)
        except grpc.RpcError as error:
            return error.code(), error.details()

    eventually(lambda: answer() == (grpc.StatusCode.UNAVAILABLE, "No layout server is ready."))


@systemd
def test_the_unit_is_valid_and_confined(tmp_path):
    unit = tmp_path / "layout-server.service"
    text = (DEPLOYMENT / "systemd" / unit.name).read_text()
    # The program is not installed here.
    unit.write_text(text.replace("/usr/bin/layout-server", "/bin/true"))
    verified = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60)
    assert verified.returncode == 0 and unit.name not in verified.stderr, verified.stderr
    exposed = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", unit],
        capture_output=True, text=True, timeout=60)
    assert exposed.returncode == 0, exposed.stdout.splitlines()[-1]
