# SPDX-License-Identifier: Apache-2.0
"""What `Deployment/` contains, started and checked with the real programs."""

import json
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
import yaml
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import query_service_pb2_grpc as query_grpc
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import session_pb2_grpc as session_grpc
from conftest import Server

ROOT = pathlib.Path(__file__).resolve().parents[3]
DEPLOYMENT = ROOT / "Deployment"
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
    # As in compose.yaml: without a drain, a call that crosses a server's goodbye fails.
    servers = [Server(more=("--drain-ms", "3000")) for _ in range(3)]
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

    def routes():
        before = len(proxy.servers("GetServerInfo"))
        for name in names:
            assert info(channel, name)
        eventually(lambda: len(proxy.servers("GetServerInfo")) >= before + 24)
        return proxy.servers("GetServerInfo")[before:]

    # A server whose health check takes too long on a busy machine is left out for a second.
    eventually(lambda: len(set(first := routes())) == 3 and first == routes())


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
    end = time.monotonic() + 5
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


# MARK: Containers, which nothing here can start: line by line


def server_options():
    """The names of all variables that set options of the server."""
    binary = os.environ.get("LAYOUT_SERVER", ROOT / ".build" / "debug" / "layout-server")
    shown = subprocess.run([binary, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    return {"LAYOUT_SERVER_" + flag.upper().replace("-", "_") for flag in re.findall(r"^  --([a-z-]+)", shown, re.M)}


def instructions():
    """(instruction, rest) of the Containerfile, with continued lines in one."""
    text = re.sub(r"^#.*\n", "", (DEPLOYMENT / "Containerfile").read_text(), flags=re.M)
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]


def stages():
    """The instructions of each stage, by its name or number."""
    found, name = {}, None
    for instruction, rest in instructions():
        if instruction == "FROM":
            name = rest.split(" AS ")[1] if " AS " in rest else str(len(found))
            found[name] = []
        found[name].append((instruction, rest))
    return found


def packages(stage):
    commands = [rest for instruction, rest in stage if instruction == "RUN" and "apt-get install" in rest]
    words = commands[0].split("apt-get install")[1].split("&&")[0].split()
    return {word for word in words if not word.startswith("-")}


def test_each_line_of_the_containerfile_does_what_it_says():
    build, image = stages().values()
    manifest = (ROOT / "Package.swift").read_text()
    for instruction, rest in build + image:
        assert instruction in {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "EXPOSE", "USER", "STOPSIGNAL", "ENTRYPOINT"}
        if instruction == "FROM":
            assert re.fullmatch(r"docker\.io/library/(swift:6\.3|debian:)[a-z0-9.:-]*bookworm[a-z-]*( AS build)?", rest)
        if instruction == "RUN":
            checked = subprocess.run(["sh", "-n", "-c", rest], capture_output=True, text=True)
            assert checked.returncode == 0, checked.stderr
        for product in re.findall(r"--product (\S+)", rest):
            assert f'.executable(name: "{product}"' in manifest
    # Everything that the manifest's targets are made of.
    copied = {word for instruction, rest in build if instruction == "COPY" for word in rest.split()[:-1]}
    assert all((ROOT / path).exists() for path in copied)
    paths = {path.split("/")[0] for path in re.findall(r'path: "([^"]+)"', manifest)}
    embedded = (ROOT / "Sources/InspectorFiles/InspectorFiles.c").read_text()
    paths |= set(re.findall(r'#embed "../../([^/"]+)', embedded))
    assert "Clients" in paths
    assert paths <= copied and {"Sources", "Package.swift"} <= copied
    built = {path for _, rest in build for path in re.findall(r"/image(/\S+)", rest)}
    assert json.loads(dict(image)["ENTRYPOINT"]) == ["/usr/bin/layout-server"]
    assert "/usr/bin/layout-server" in built and ("COPY", "--from=build /image /") in image
    assert dict(image)["USER"] == "10001" and "--uid 10001" in str(image)
    assert dict(image)["EXPOSE"] == "50051"
    for name in re.findall(r"(LAYOUT_SERVER_\w+)=", dict(image)["ENV"]):
        assert name in server_options()


@pytest.mark.skipif(not shutil.which("dpkg"), reason="not a Debian")
def test_the_image_has_the_packages_of_all_libraries_that_the_server_links_to():
    binary = os.environ.get("LAYOUT_SERVER", ROOT / ".build" / "debug" / "layout-server")
    needed = subprocess.run(["readelf", "-d", binary], capture_output=True, text=True, check=True).stdout
    given = packages(stages()["1"])
    for name in re.findall(r"NEEDED.*\[(.*)\]", needed):
        if name.startswith(("libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocks", "ld-linux")):
            # In the executable itself, since it is linked with --static-swift-stdlib.
            continue
        owner = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True).stdout
        owners = {line.split(":")[0] for line in owner.splitlines()}
        # The C library is in every image.
        assert owners & (given | {"libc6"}), f"{name} of {owners}"


def test_the_compose_file_names_what_there_is():
    compose = yaml.safe_load((DEPLOYMENT / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) == {"postgres", "layout-1", "layout-2", "layout-3", "haproxy"}
    options = server_options()
    for name in ("layout-1", "layout-2", "layout-3"):
        service = services[name]
        assert set(service["environment"]) <= options
        assert (DEPLOYMENT / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
        drain = int(service["environment"]["LAYOUT_SERVER_DRAIN_MS"])
        assert drain / 1000 + 5 < int(service["stop_grace_period"].removesuffix("s"))
        assert "@postgres/" in service["environment"]["LAYOUT_SERVER_STORE"]
        assert subprocess.run(["sh", "-n", "-c", service["entrypoint"][2].replace("$$", "$")]).returncode == 0
    proxied = set(re.findall(r"\$\{(\w+)\}", (DEPLOYMENT / "haproxy.cfg").read_text()))
    assert set(services["haproxy"]["environment"]) == proxied
    for service in services.values():
        for other in service.get("depends_on", []):
            assert other in services
        for secret in service.get("secrets", []):
            assert secret in compose["secrets"]
        for network in service["networks"]:
            assert network in compose["networks"]
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in compose["volumes"] or (DEPLOYMENT / source).exists()
    for number in (1, 2, 3):
        assert services["haproxy"]["environment"][f"PROXY_SERVER_{number}"] == f"layout-{number}:50051"


def test_the_kubernetes_example_names_what_there_is():
    objects = list(yaml.safe_load_all((DEPLOYMENT / "kubernetes.yaml").read_text()))
    kinds = [(each["apiVersion"], each["kind"], each["metadata"]["name"]) for each in objects]
    assert kinds == [
        ("v1", "Service", "layout-servers"), ("apps/v1", "StatefulSet", "layout-server"),
        ("policy/v1", "PodDisruptionBudget", "layout-server"), ("v1", "Service", "layout"),
        ("apps/v1", "Deployment", "layout-haproxy")]
    servers, budget, _, proxies = objects[1:]
    for workload in (servers, proxies):
        spec = workload["spec"]
        labels = spec["template"]["metadata"]["labels"]
        assert spec["selector"]["matchLabels"] == labels
        selectors = [each["spec"]["selector"] for each in objects if each["kind"] == "Service"]
        assert labels in selectors
        container, = spec["template"]["spec"]["containers"]
        port, = container["ports"]
        assert port["containerPort"] == 50051
        assert spec["template"]["spec"]["securityContext"]["runAsNonRoot"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
    assert budget["spec"]["selector"]["matchLabels"] == servers["spec"]["selector"]["matchLabels"]
    pod = servers["spec"]["template"]["spec"]
    variables = {each["name"]: each.get("value") for each in pod["containers"][0]["env"]}
    assert set(variables) - {"PGPASSWORD"} <= server_options()
    assert int(variables["LAYOUT_SERVER_DRAIN_MS"]) / 1000 + 5 < pod["terminationGracePeriodSeconds"]
    names = {each["name"]: each["value"] for each in proxies["spec"]["template"]["spec"]["containers"][0]["env"]}
    assert set(names) == set(re.findall(r"\$\{(\w+)\}", (DEPLOYMENT / "haproxy.cfg").read_text()))
    for number in range(servers["spec"]["replicas"]):
        assert names[f"PROXY_SERVER_{number + 1}"] == f"layout-server-{number}.{servers['spec']['serviceName']}:50051"
