# SPDX-License-Identifier: Apache-2.0
"""The admin port of a real server: its metrics as Prometheus reads them, and what operators do."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

import grpc
import pytest
from collection_layout import NotFoundError
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from conftest import Server
from lockstep import Session
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics_parser
from test_resume import insertion
from test_stream import open_session

ROOT = pathlib.Path(__file__).resolve().parents[3]


def ask(admin, path, method="GET", body=None, accept=None):
    request = urllib.request.Request(admin + path, method=method)
    if accept:
        request.add_header("Accept", accept)
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read().decode()


def ask_json(admin, path, method="GET", body=None):
    return json.loads(ask(admin, path, method, body))


@pytest.fixture
def server(tmp_path):
    server = Server(store=str(tmp_path / "store.sqlite"), more=("--admin-port", "0"))
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture
def channel(server):
    with grpc.insecure_channel(server.address) as channel:
        yield channel


def created(channel, name="art"):
    contents = collection.CollectionContents()
    contents.sections.add().blocks.add(count=500, widths=[50], heights=[30])
    return service_grpc.CollectionServiceStub(channel).CreateCollection(
        service.CreateCollectionRequest(collection_id=name, contents=contents)).collection


def commit(channel, name="collections/art"):
    return service_grpc.CollectionServiceStub(channel).ApplyUpdates(
        service.ApplyUpdatesRequest(name=name, batch=insertion()))


def viewer(channel):
    """A viewer who has seen one commit."""
    session = Session(channel, open_session("list", collection=created(channel).name))
    version = commit(channel).data_version
    while session.mirror.data_version < version:
        session.read()
    return session


def samples(families):
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families for sample in family.samples}


@pytest.mark.parametrize("accept", ["text/plain", "application/openmetrics-text; version=1.0.0"])
def test_prometheus_parser_reads_the_page(server, channel, accept):
    session = viewer(channel)
    text = ask(server.admin, "/metrics", accept=accept)
    chosen = openmetrics_parser if "openmetrics" in accept else parser
    families = list(chosen.text_string_to_metric_families(text))
    assert all(family.documentation for family in families), "a metric has no help text"
    names = [family.name for family in families]
    assert len(set(names)) == len(names)
    found = samples(families)
    assert found["layout_sessions", ()] == 1 and session.mirror.frames
    assert found["layout_frames_total", ()] >= 2
    assert found["layout_keyframes_total", ()] >= 1
    assert found["layout_commits_total", ()] == 1
    assert found["layout_commit_to_frame_duration_seconds_count", ()] == 1
    assert 0 < found["layout_commit_to_frame_duration_seconds_sum", ()] < 60
    assert found["layout_sessions_opened_total", (("outcome", "created"),)] == 1
    assert found["layout_stream_sent_bytes_total", ()] > 500
    preparation = (("layout_kind", "list"), ("step", "derive"))
    assert found["layout_preparation_duration_seconds_count", preparation] == 1
    assert found["process_resident_memory_bytes", ()] > 1 << 20
    assert found["store_file_bytes", (("file", "log"),)] > 0
    call = (
        ("rpc_method", "collection_layout.v1.CollectionService/ApplyUpdates"),
        ("rpc_response_status_code", "OK"), ("rpc_system_name", "grpc"))
    assert found["rpc_server_call_duration_seconds_count", call] == 1
    buckets = [
        (float(dict(labels)["le"]), value) for (name, labels), value in found.items()
        if name == "rpc_server_call_duration_seconds_bucket" and set(call) < set(labels)]
    assert buckets == sorted(buckets) and buckets[-1] == (float("inf"), 1)


def test_a_page_only_grows_by_what_has_happened(server, channel):
    """Nobody scrapes for long: memory and page stay as they are."""
    session = viewer(channel)
    before = ask(server.admin, "/metrics")
    for _ in range(200):
        version = commit(channel).data_version
        while session.mirror.data_version < version:
            session.read()
    after = ask(server.admin, "/metrics")
    assert len(after.splitlines()) == len(before.splitlines())
    old, new = (
        samples(parser.text_string_to_metric_families(text)) for text in (before, after))
    for (name, labels), value in old.items():
        if name.endswith(("_total", "_bucket", "_count", "_sum")):
            assert new[name, labels] >= value, name
    assert new["layout_commits_total", ()] == old["layout_commits_total", ()] + 200
    assert new["process_resident_memory_bytes", ()] < 1.5 * old["process_resident_memory_bytes", ()]


def test_sessions_are_listed_and_ended(server, channel):
    session = viewer(channel)
    listed = ask_json(server.admin, "/v1/sessions")
    assert listed["total_size"] == 1
    status = listed["sessions"][0]
    assert status["collection"] == "collections/art" and status["layout"] == "list"
    assert status["name"] == session.opened.session
    assert int(status["frames"]) == session.mirror.frames
    assert int(status["live_elements"]) == len(session.mirror.slots)
    assert int(status["data_version"]) == 1 and "detached" not in status
    ask_json(
        server.admin, f"/v1/{status['name']}:end", "POST", {"reason": "for maintenance"})
    with pytest.raises(NotFoundError, match="for maintenance"):
        while True:
            session.read()
    deadline = time.monotonic() + 10
    while ask_json(server.admin, "/v1/sessions").get("sessions") and time.monotonic() < deadline:
        pass
    assert not ask_json(server.admin, "/v1/sessions").get("sessions")
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(server.admin, f"/v1/{status['name']}:end", "POST", {})
    assert refused.value.code == 404


def test_a_backup_is_opened_by_another_server(server, channel, tmp_path):
    created(channel)
    commit(channel)
    backup = ask_json(server.admin, "/v1/backups", "POST", {"file_name": "copy.sqlite"})
    assert pathlib.Path(backup["path"]).resolve() == (tmp_path / "copy.sqlite").resolve()
    assert os.stat(backup["path"]).st_size == int(backup["bytes"])

    def exported(channel):
        request = service.ExportContentsRequest(name="collections/art")
        parts = service_grpc.CollectionServiceStub(channel).ExportContents(request)
        return [part.SerializeToString() for part in parts]

    commit(channel)
    other = Server(store=backup["path"])
    try:
        with grpc.insecure_channel(other.address) as restored:
            stub = service_grpc.CollectionServiceStub(restored)
            request = service.GetCollectionRequest(name="collections/art")
            found = stub.GetCollection(request)
            found = getattr(found, "collection", found)
            assert found.data_version == 1
            assert found.item_count == 501
            assert exported(restored)
    finally:
        other.stop()


def test_the_log_has_one_object_for_each_line_and_its_level_is_set(tmp_path):
    log = tmp_path / "log"
    with log.open("w") as file:
        server = Server(more=("--admin-port", "0", "--log-format", "json"), log=file)
        with grpc.insecure_channel(server.address) as channel:
            session = viewer(channel)
            name = session.opened.session
            session.send(close={})
        assert ask_json(server.admin, "/v1/log", "PUT", {"level": "error"}) == {"level": "error"}
        server.stop()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {"time", "level", "label", "source", "message"} <= set(lines[0])
    ended = [line for line in lines if line["message"] == "session ended"]
    assert not ended or ended[0]["metadata"]["session"] == name
    # Of the shutdown nothing is said at this level.
    assert lines[-1]["message"] != "stopped"


def test_a_server_that_ends_is_never_ready_again(server):
    assert ask(server.admin, "/readyz") == "ready\n"
    server.process.terminate()
    was_draining = False
    while server.process.poll() is None:
        try:
            ask(server.admin, "/readyz")
            assert not was_draining
        except urllib.error.HTTPError as error:
            assert error.code == 503
            was_draining = True
        except OSError:
            break
    assert server.process.wait(timeout=20) == 0


def test_layoutctl_lists_ends_and_backs_up(server, channel, tmp_path):
    binary = pathlib.Path(
        os.environ.get("LAYOUT_SERVER", ROOT / ".build" / "debug" / "layout-server")
    ).with_name("layoutctl")
    if not binary.exists():
        pytest.skip("layoutctl is not built")

    def layoutctl(*arguments):
        admin = ("--admin", server.admin.removeprefix("http://"))
        return subprocess.run(
            [binary, *arguments, *admin], capture_output=True, text=True, timeout=60)

    session = viewer(channel)
    name = session.opened.session.removeprefix("sessions/")
    listed = layoutctl("sessions").stdout.splitlines()
    assert listed[0].startswith("SESSION") and listed[1].startswith(name)
    shown = layoutctl("top", "--count", "2", "--interval", "0.1").stdout
    assert shown.count("1 session, 0 detached") == 2 and "frames/s" in shown
    written = layoutctl("backup", "copy.sqlite")
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "copy.sqlite").exists()
    assert layoutctl("backup", "copy.sqlite").returncode == 1
    assert layoutctl("kick", name, "--reason", "test").stdout.startswith("ended sessions/")
    assert "404" in layoutctl("kick", "none").stderr


def test_layoutctl_opens_the_inspector(server, tmp_path):
    """`ui` prints the address of the page, and has the desktop's browser open it unless it is only to print it."""
    tool = pathlib.Path(
        os.environ.get("LAYOUT_SERVER", ROOT / ".build" / "debug" / "layout-server")
    ).with_name("layoutctl")
    if not tool.exists():
        pytest.skip("layoutctl is not built")
    opened = tmp_path / "opened"
    browser = tmp_path / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$1" >"{opened}"\n')
    browser.chmod(0o755)

    def ui(*arguments):
        return subprocess.run(
            [tool, "ui", "--admin", server.admin.removeprefix("http://"), *arguments], timeout=30,
            capture_output=True, text=True, env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})

    page = ui("--print").stdout.strip()
    assert "Inspector" in ask(page, "") or "inspector" in ask(page, "")
    assert not opened.exists()
    assert ui().stdout.strip() == page
    deadline = time.monotonic() + 10
    while not (opened.exists() and opened.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert opened.read_text().strip() == page
    nobody = subprocess.run([tool, "ui", "--print", "--admin", "127.0.0.1:1"], timeout=30, capture_output=True, text=True)
    assert nobody.returncode != 0 and "127.0.0.1:1" in nobody.stderr


def test_prometheus_scrapes_the_port(server, channel, tmp_path):
    prometheus = shutil.which("prometheus")
    if not prometheus:
        pytest.skip("Prometheus is not installed; apt-get install prometheus")
    session = viewer(channel)
    target = server.admin.removeprefix("http://")
    configuration = tmp_path / "prometheus.yml"
    configuration.write_text(
        "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
        f"scrape_configs: [{{job_name: layout, static_configs: [{{targets: ['{target}']}}]}}]\n")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [prometheus, f"--config.file={configuration}", f"--storage.tsdb.path={tmp_path / 'data'}",
         f"--web.listen-address=127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        api = f"http://127.0.0.1:{port}/api/v1"
        deadline = time.monotonic() + 60
        found = []
        while not found and time.monotonic() < deadline:
            time.sleep(0.2)
            try:
                found = ask_json(api, "/query?query=layout_frames_total")["data"]["result"]
            except (OSError, ValueError):
                continue
        assert found and float(found[0]["value"][1]) >= session.mirror.frames
        targets = ask_json(api, "/targets")["data"]["activeTargets"]
        assert [each["health"] for each in targets] == ["up"], targets
    finally:
        process.terminate()
        process.wait(timeout=30)


def test_sizes_on_the_disk_are_told_if_they_are_asked_for(server, channel):
    created(channel)
    commit(channel)
    plain, = ask_json(server.admin, "/v1/collections")["collections"]
    assert "stored_snapshot_bytes" not in plain
    stored, = ask_json(server.admin, "/v1/collections?stored=true")["collections"]
    assert int(stored["stored_snapshot_bytes"]) > 0
    assert stored["stored_log_batches"] == "1" and int(stored["stored_log_bytes"]) > 0


def test_a_client_that_acknowledges_nothing_lags(server, channel):
    collection = created(channel)
    session = Session(channel, open_session("list", collection=collection.name), acknowledge=False)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        commit(channel)
        status, = ask_json(server.admin, "/v1/sessions")["sessions"]
        if float(status.get("lag", "0s").rstrip("s")) > 0.2:
            break
        time.sleep(0.01)
    else:
        pytest.fail(f"the session does not lag: {status}")
    assert int(status["versions_behind"]) > 0 and session.mirror.frames
