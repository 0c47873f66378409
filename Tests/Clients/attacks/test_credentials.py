# SPDX-License-Identifier: Apache-2.0
"""Wrong tokens, ever new ones and always the same: few are verified, and others do not notice."""

import collections
import contextlib
import itertools
import json
import os
import signal
import struct
import time

import pytest
from authority import Signer, key_set, token_lines, wrong
from conftest import SECONDS, Neighbour, Server, running, scrolling
from raw import DATA, END_STREAM, GOAWAY, WINDOW, Raw, frame, message

pytestmark = pytest.mark.usefixtures("watched")

INFO = "/collection_layout.v1.LayoutQueryService/GetServerInfo"
OK, EXHAUSTED, UNAUTHENTICATED = 0, 8, 16
# Of one address in a second; ten times as many at once.
LIMIT = 2
NUMBERS = itertools.count()
SIGNER = Signer()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trust")
    (folder / "policy").write_text(json.dumps({"rules": [
        {"identities": ["anyone"], "role": "view", "collections": ["*"]}]}))
    (folder / "tokens").write_text(token_lines("neighbour"))
    (folder / "keys").write_text(key_set(SIGNER.jwk))
    yield from running(Server(limits={
        "auth-policy": folder / "policy", "auth-tokens": folder / "tokens",
        "auth-keys": folder / "keys", "max-failed-checks-per-second": LIMIT}))


@pytest.fixture(scope="module")
def neighbour(server):
    yield from scrolling(Neighbour(server.address, token="neighbour"))


class Caller:
    """One connection that calls with tokens."""

    def __init__(self, address, source):
        self.raw = Raw(address, source=source)
        # Room for all answers.
        self.raw.send(frame(WINDOW, 0, 0, struct.pack(">I", 1 << 30)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Goes politely: calls that end with their connection count as reset.
        self.raw.send(frame(GOAWAY, 0, 0, bytes(8)))
        self.raw.__exit__()

    def ask(self, tokens):
        """How often each status came."""
        raw = self.raw
        streams = []
        for token in tokens:
            head, stream = raw.open(INFO, extra=[("authorization", f"Bearer {token}")])
            raw.send(head + frame(DATA, END_STREAM, stream, message()))
            streams.append(stream)
        assert raw.read(lambda: all(stream in raw.status for stream in streams), 20)
        return collections.Counter(raw.status[stream][0] for stream in streams)


def flood(address, source, tokens, seconds=SECONDS):
    """Asks, a hundred at a time, until the time is over; how often each status came, and how long it took."""
    answers, begin = collections.Counter(), time.monotonic()
    with Caller(address, source) as caller:
        while time.monotonic() < begin + seconds:
            answers += caller.ask(itertools.islice(tokens, 100))
    return answers, time.monotonic() - begin


def wrong_tokens():
    return (wrong(next(NUMBERS)) for _ in itertools.count())


def test_ever_new_wrong_tokens(address):
    """Beyond the limit they are refused before a signature is looked at."""
    answers, seconds = flood(address, "127.0.5.1", wrong_tokens())
    # What comes back meanwhile, and those that were under way when the last one was counted.
    assert 10 * LIMIT <= answers[UNAUTHENTICATED] <= 10 * LIMIT + LIMIT * seconds + 4
    assert answers[EXHAUSTED] > 0 and set(answers) == {UNAUTHENTICATED, EXHAUSTED}


def test_many_connections_have_one_budget(address):
    with contextlib.ExitStack() as stack:
        callers = [stack.enter_context(Caller(address, "127.0.5.2")) for _ in range(5)]
        begin = time.monotonic()
        answers = sum((caller.ask(itertools.islice(wrong_tokens(), 20)) for caller in callers),
                      collections.Counter())
        assert answers[UNAUTHENTICATED] <= 10 * LIMIT + LIMIT * (time.monotonic() - begin) + 4


def test_the_same_wrong_token_is_verified_once(address):
    """It is refused each time, and uses nothing up."""
    token = wrong(next(NUMBERS))
    answers, _ = flood(address, "127.0.5.3", itertools.repeat(token))
    assert set(answers) == {UNAUTHENTICATED}
    with Caller(address, "127.0.5.3") as caller:
        assert caller.ask([SIGNER.token("new")]) == {OK: 1}


def test_known_callers_of_the_same_address_do_not_suffer(address):
    known = SIGNER.token("known")
    with Caller(address, "127.0.5.4") as caller:
        assert caller.ask([known, "neighbour"]) == {OK: 2}
        flood(address, "127.0.5.4", wrong_tokens())
        assert caller.ask([known, "neighbour"] * 10) == {OK: 20}
        # One that was never seen has to wait, among those that use up what comes back meanwhile.
        assert OK not in caller.ask([*itertools.islice(wrong_tokens(), 100), SIGNER.token("unknown")])
    with Caller(address, "127.0.5.5") as caller:
        assert caller.ask([SIGNER.token("elsewhere")]) == {OK: 1}


def test_the_refusal_says_when_to_come_back(address):
    flood(address, "127.0.5.6", wrong_tokens())
    with Caller(address, "127.0.5.6") as caller:
        caller.ask([wrong(next(NUMBERS))])
        assert "wrong credentials" in next(iter(caller.raw.status.values()))[1]
        # The limit is two in a second.
        end = time.monotonic() + 10
        while caller.ask([SIGNER.token("patient")]) != {OK: 1}:
            assert time.monotonic() < end
            time.sleep(0.1)


def test_a_storm_of_reloads_ends_with_the_storm(server):
    """Signals that come while files are read are one more reading."""
    end = time.monotonic() + max(2, SECONDS)
    while time.monotonic() < end:
        for _ in range(1000):
            os.kill(server.process.pid, signal.SIGHUP)
    time.sleep(0.3)
    before = server.processor_seconds
    time.sleep(0.5)
    # Some is the neighbour's.
    assert server.processor_seconds - before < 0.25, "it goes on reading"
