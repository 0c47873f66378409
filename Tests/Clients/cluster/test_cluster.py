# SPDX-License-Identifier: Apache-2.0
"""Three servers that share PostgreSQL, behind HAProxy. Scripts/histories runs long histories."""

import concurrent.futures
import logging
import time

import pytest
from cluster import Cluster, eventually, is_installed
from collection_layout import Client, layouts, updates
from history import History, Scale

logging.getLogger("collection_layout").setLevel(logging.CRITICAL)
pytestmark = pytest.mark.skipif(not is_installed(), reason="PostgreSQL and HAProxy are not installed")


@pytest.mark.parametrize("seed", [1, 2])
def test_a_history_keeps_every_promise(seed):
    options = ["--history-batches", "50"] if seed == 2 else []
    with Cluster(options=options) as cluster:
        history = History(cluster, seed, Scale(seconds=6, freeze=2))
        assert history.run() == [], f"{history.done_faults}\n{cluster.logs()}"
        assert history.newest > 0


def statement_counts(cluster):
    """How many statements each connection has begun, as the database's log tells."""
    log = cluster.postgres.folder / "data" / "log"
    return sum(1 for line in log.open(errors="replace") if "execute" in line or "statement:" in line)


def test_servers_that_are_idle_leave_the_database_in_peace():
    with Cluster(settings=["log_statement=all"]) as cluster:
        time.sleep(1)
        before, seconds = statement_counts(cluster), 5
        time.sleep(seconds)
        found = (statement_counts(cluster) - before) / seconds / len(cluster.servers)
        assert 0 < found <= 10, f"{found} statements a second"


def test_a_viewer_of_a_server_that_drains_goes_on_at_once_and_at_its_place():
    with Cluster(options=["--drain-ms", "4000"]) as cluster, Client(cluster.address) as client:
        client.create_collection(
            "a", heights=[20.0] * 1000, keys=[f"r{index}" for index in range(1000)], layout=layouts.list())
        with client.view("a", size=(100, 200)) as viewer:
            viewer.scroll(y=5000)
            viewer.settle()
            holder = next(each for each in cluster.servers if each.session_count())
            # The row that is above moves what is in sight, whose keys say where it is.
            client.apply("a", updates.insert((0, 0), heights=[30.0], keys=["new"]))
            eventually(lambda: viewer.data_version == 1, what="the edit")
            assert viewer.viewport.y == 5030
            with concurrent.futures.ThreadPoolExecutor() as threads:
                status = threads.submit(holder.drain)
                eventually(lambda: viewer.reconnections, what="another stream")
                assert holder.process.poll() is None, "it goes on until its drain is over"
                viewer.settle()
                assert viewer.viewport.y == 5030
                assert "r250" in {each.key for each in viewer.elements}
                assert status.result() == 0
            assert viewer.reconnections == 1

