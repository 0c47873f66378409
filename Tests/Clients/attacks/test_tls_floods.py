# SPDX-License-Identifier: Apache-2.0
"""Floods over TLS: the guards see what is in the encrypted bytes."""

import pytest
from encrypted import encrypted, encrypted_neighbour, encrypted_server
from test_floods import (  # noqa: F401  (collected here with the fixtures below)
    test_calls_given_up_with_their_connections_count_as_reset,
    test_calls_that_the_server_has_to_reset,
    test_continuations_without_end,
    test_control_frames,
    test_header_bombs,
    test_rapid_reset,
    test_resets_over_many_connections,
    test_settings_of_many_entries,
    test_sixteen_mebibytes_of_metadata,
    test_unknown_frames_and_garbage,
    test_what_says_nothing_is_read_more_slowly,
    test_window_updates_are_read_more_slowly,
)

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def server(folder):
    for server in encrypted_server(folder):
        with encrypted(folder):
            yield server


@pytest.fixture(scope="module")
def neighbour(server, folder):
    yield from encrypted_neighbour(server, folder)
