# SPDX-License-Identifier: Apache-2.0
"""A real server for all tests; `LAYOUT_SERVER` names the program."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest

from collection_layout import Client, LayoutServer

# The same examples each time.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.load_profile("fixed")


@pytest.fixture(scope="session")
def server() -> Iterator[LayoutServer]:
    """One server, with collections in memory."""
    with LayoutServer.start_local() as server:
        yield server


@pytest.fixture
def client(server: LayoutServer) -> Iterator[Client]:
    """A client of the server; its collections are deleted after the test."""
    with server.client() as client:
        yield client
        for collection in list(client.list_collections()):
            client.delete_collection(collection.name)
