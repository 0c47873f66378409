# SPDX-License-Identifier: Apache-2.0
"""Figures of servers that share a database: see Scripts/measure-cluster."""

import argparse
from concurrent import futures
import logging
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

from cluster import Cluster, Postgres, postgresql_programs
from collection_layout import Client, LayoutError, layouts, updates

NAME = "collections/a"


def row(what, wanted, found, is_reached):
    print(f"| {what} | {wanted} | {found} | {'reached' if is_reached else 'not reached'} |", flush=True)


def share(values, part):
    """The value that a part of all values does not exceed."""
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


# MARK: Commits


# The same statement as the server's for a batch of 512 bytes, with a collection of each connection's own.
STATEMENT = """
\\set id :client_id + 1
WITH moved AS (
  UPDATE collection SET data_version = data_version + 1, revision = revision + 1, section_count = 1,
    item_count = 1, update_seconds = 1, update_nanoseconds = 1, checksum = 1,
    touched = pg_current_xact_id()::text::bigint
  WHERE incarnation = :id RETURNING incarnation, data_version
), asked AS (
  INSERT INTO request (collection, request_id, transfer, version, seconds, nanoseconds, checksum)
  SELECT incarnation, convert_to(data_version::text, 'UTF8'), '', data_version, 1, 1, 1 FROM moved
)
INSERT INTO batch (collection, version, request_id, transfer, seconds, nanoseconds, payload, checksum)
SELECT incarnation, data_version, convert_to(data_version::text, 'UTF8'), '', 1, 1,
  decode(repeat('78', 480), 'hex'), 1 FROM moved;
"""


def commits(seconds):
    """Durable batches a second: the server's store, and pgbench with the same statement."""
    with tempfile.TemporaryDirectory(prefix="figures-", ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        data = folder / "postgres"
        data.mkdir()
        postgres = Postgres(data)
        try:
            found = [loaded(postgres, collections, collections, seconds) for collections in (64, 256, 512)]
            contended = loaded(postgres, 1, 64, seconds)
            bare = [benched(postgres, folder, clients, seconds) for clients in (8, 32, 64)]
        finally:
            postgres.stop()
    best, rate = max(found, key=lambda each: each[0]), max(bare)
    what = "durable batches a second, many collections (p50, p99)"
    row(what, "≥ 8,000", f"{best[0]:,} ({best[1]} ms, {best[2]} ms)", best[0] >= 8000)
    row("the same, of pgbench's with the same statement", "≥ 60 %", f"{best[0] / rate:.0%} of {rate:,}",
        best[0] >= 0.6 * rate)
    row("the same, 64 editors of one collection", "–", f"{contended[0]:,} ({contended[1]} ms, {contended[2]} ms)",
        True)


def loaded(postgres, collections, writers, seconds):
    done = subprocess.run(
        [os.environ["STORE_LOAD"], postgres.url(), str(collections), str(writers), str(seconds)], check=True,
        capture_output=True, text=True)
    rate, median, most = done.stdout.split()
    return int(rate), median, most


def benched(postgres, folder, clients, seconds):
    script = folder / "statement.sql"
    script.write_text("SET search_path TO layout_server;\n" + STATEMENT)
    postgres.query(
        "SET search_path TO layout_server; DELETE FROM batch WHERE collection <= 64; "
        "DELETE FROM request WHERE collection <= 64; DELETE FROM collection WHERE incarnation <= 64; "
        "INSERT INTO collection SELECT n, 'bench-' || n, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 "
        "FROM generate_series(1, 64) n")
    # Without the statement that sets the path: a role's setting does that.
    postgres.query("ALTER ROLE layout SET search_path = layout_server")
    script.write_text(STATEMENT)
    done = subprocess.run(
        [postgresql_programs() / "pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T",
         str(seconds), "-f", script, "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "layout", "postgres"],
        check=True, capture_output=True, text=True)
    postgres.query("ALTER ROLE layout RESET search_path")
    return int(float(re.search(r"tps = ([0-9.]+)", done.stdout).group(1)))


# MARK: Several servers


def create(client, items=2000):
    client.create_collection(
        NAME, heights=[20.0] * items, keys=[f"r{index}" for index in range(items)],
        layout=layouts.list(row_height=20))


def following(cluster, count):
    """From the commit at one server to the frame at another, in seconds."""
    first, second = cluster.servers[:2]
    latencies = []
    with Client(first.direct) as editor, Client(second.direct) as client:
        create(editor)
        with client.view(NAME, size=(100, 200)) as viewer:
            for number in range(count + 20):
                start = time.perf_counter()
                batch = updates.batch(updates.reconfigure((0, 0), heights=[10.0 + number % 30]))
                version = editor.apply(NAME, batch)
                committed = time.perf_counter()
                while viewer.data_version < version:
                    try:
                        viewer.next_frame(timeout=5)
                    except LayoutError:
                        pass
                latencies.append((time.perf_counter() - committed, time.perf_counter() - start))
                time.sleep(0.01)
    # The first ones prepare statements.
    return [each for each, _ in latencies[20:]], [each for _, each in latencies[20:]]


def idle(cluster, seconds=10):
    """Statements a second of a server that nobody asks anything."""
    log = cluster.postgres.folder / "data" / "log"
    cluster.postgres.query("ALTER SYSTEM SET log_statement = 'all'")
    cluster.postgres.query("SELECT pg_reload_conf()")
    time.sleep(2)

    def count():
        return sum(1 for line in log.open(errors="replace") if "execute" in line or "statement:" in line)

    before = count()
    time.sleep(seconds)
    found = (count() - before) / seconds / len(cluster.servers)
    cluster.postgres.query("ALTER SYSTEM RESET log_statement")
    cluster.postgres.query("SELECT pg_reload_conf()")
    return found


def gaps(cluster, rounds, end, viewers=8, is_crash=False):
    """How long viewers have no stream when their server ends, in seconds; of a crash, since it happened."""
    found = []
    for _ in range(rounds):
        with Client(cluster.address) as client:
            opened = [client.view(NAME, size=(100, 200)) for _ in range(viewers)]
            try:
                # The balancer spreads viewers of one collection when a server would get too many.
                held = [int(each.session_count()) for each in cluster.servers]
                assert sum(held) == viewers, held
                count = max(held)
                holder = cluster.servers[held.index(count)]
                start = time.perf_counter() if is_crash else None
                with futures.ThreadPoolExecutor(viewers) as pool:
                    stopped = threading.Event()
                    watched = [pool.submit(gap, each, each.session, stopped, start) for each in opened]
                    try:
                        end(holder)
                        # Viewers of other servers notice nothing.
                        ended = futures.as_completed(watched, timeout=60)
                        found += [next(ended).result() for _ in range(count)]
                    finally:
                        stopped.set()
                holder.kill()
                holder.start()
                cluster.wait_until_ready()
            finally:
                for each in opened:
                    each.close()
    return found


def gap(viewer, session, stopped, start):
    """The time from the end of a viewer's stream, or from `start`, to the first frame of its next stream; None if
    the stream did not end until `stopped`.
    """
    while start is None and not stopped.is_set():
        if not viewer.is_connected or viewer.session != session:
            start = time.perf_counter()
        time.sleep(0.0005)
    while viewer.session == session or not viewer.data_version or not len(viewer.elements):
        if stopped.is_set():
            return None
        time.sleep(0.0005)
    return time.perf_counter() - start


def cold(cluster):
    """From a call at a server that has just started to the first frame of a million items, in seconds."""
    server = cluster.servers[0]
    with Client(server.direct) as client:
        client.create_collection("million", layout=layouts.flow(item_size=(100, 100)))
        client.import_contents("million", widths=[float(60 + index % 90) for index in range(1_000_000)],
                               heights=[80.0] * 1_000_000)
    server.kill()
    server.start()
    cluster.wait_until_ready()
    with Client(server.direct) as client:
        client.server_info()
        start = time.perf_counter()
        with client.view("million", size=(1024, 768)) as viewer:
            found = time.perf_counter() - start
            assert len(viewer.elements)
    return found


def servers():
    with Cluster(options=["--drain-ms", "3000"]) as cluster:
        cluster.wait_until_ready()
        found, whole = following(cluster, 500)
        half, most = share(found, 0.5) * 1000, share(found, 0.99) * 1000
        row("commit at one server to frame from another, p50", "≤ 5 ms", f"{half:.1f} ms", half <= 5)
        row("the same, p99", "≤ 25 ms", f"{most:.1f} ms", most <= 25)
        row("from sending the batch to the frame, p50", "–", f"{share(whole, 0.5) * 1000:.1f} ms", True)
        found = idle(cluster)
        row("statements a second of an idle server", "≤ 10", f"{found:.1f}", found <= 10)
        with Client(cluster.address) as client:
            client.apply(NAME, updates.insert((0, 0), heights=[20.0], keys=["first"]))
        found = share(gaps(cluster, 8, lambda server: server.kill(), is_crash=True), 0.99)
        row("a viewer's gap when its server is killed, p99", "≤ 3 s", f"{found:.2f} s", found <= 3)
        found = share(gaps(cluster, 8, lambda server: server.process.terminate()), 0.99) * 1000
        row("the same when its server drains, p99", "≤ 300 ms", f"{found:.0f} ms", found <= 300)
        found = cold(cluster)
        row("opening a million items at a server that has just started, to the first frame", "≤ 1 s",
            f"{found:.2f} s", found <= 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=8, help="for each measurement of commits (8)")
    arguments = parser.parse_args()
    logging.getLogger("collection_layout").setLevel(logging.CRITICAL)
    print("| figure | wanted | measured | |\n|---|---|---|---|", flush=True)
    commits(arguments.seconds)
    servers()


if __name__ == "__main__":
    main()
