# SPDX-License-Identifier: Apache-2.0
"""What one call may say wrong: that call alone is refused, with a reason."""

import random

import pytest
from calls import collection, session
from collection_layout.v1 import layouts_pb2 as layouts
from raw import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, HEALTH, IMPORT, STREAM, WATCH, WINDOW, Raw, frame,
    message,
)

INVALID, DEADLINE, EXHAUSTED, UNIMPLEMENTED = 3, 4, 8, 12


@pytest.fixture
def raw(address, server):
    with Raw(address) as raw:
        yield raw
        assert raw.works(), "another call on the same connection is not answered"
    assert server.is_alive


@pytest.mark.parametrize("value", [
    "-1S", "+1S", "-0n", "S", "", "1", "999999999S", "1.5S", " 1S", "1s", "1 S", "0x1S", "١S", "1S1S",
    "-9999999H", "\x7fS"])
def test_timeouts_that_are_none_name_the_header(raw, value):
    status, text = raw.answer(raw.call(extra=[("grpc-timeout", value.encode())]))
    assert status == INVALID and "grpc-timeout" in text


def test_each_of_several_timeouts_counts(raw):
    stream = raw.call(extra=[("grpc-timeout", "1S"), ("grpc-timeout", "-1S")])
    assert raw.answer(stream)[0] == INVALID


@pytest.mark.parametrize("value", ["99999999H", "9999999H", "1S", "00000010M", "99999999n"])
def test_timeouts_that_are_some(raw, value):
    assert raw.answer(raw.call(extra=[("grpc-timeout", value)])) == (0, "")


@pytest.mark.parametrize("values", [["gzip, deflate"], ["identity", "gzip"], ["deflate"], [""]])
def test_encodings_that_are_not_supported_name_the_header(raw, values):
    status, text = raw.answer(raw.call(extra=[("grpc-encoding", value) for value in values]))
    assert status == UNIMPLEMENTED and "grpc-encoding" in text


def test_identity_is_an_encoding(raw):
    assert raw.answer(raw.call(extra=[("grpc-encoding", "identity")])) == (0, "")
    status, text = raw.answer(raw.call(extra=[("grpc-encoding", "identity")] * 2))
    assert status == INVALID and "grpc-encoding" in text


@pytest.mark.parametrize("flag", [1, 2, 255])
@pytest.mark.parametrize("extra", [[], [("grpc-encoding", "identity")]])
def test_a_compressed_message_is_refused_with_a_reason(raw, flag, extra):
    status, text = raw.answer(raw.call(body=message(b"x", flag), extra=extra))
    assert status == INVALID and "compressed" in text


def test_a_stream_whose_deadline_passes_says_so(raw):
    opening = session.StreamLayoutRequest(event_seq=1, open=session.OpenSession(
        inline_contents=collection.CollectionContents(), layout=layouts.LayoutSpec(flow=layouts.FlowLayout())))
    stream = raw.call(STREAM, message(opening.SerializeToString()), end=False, extra=[("grpc-timeout", "300m")])
    assert raw.answer(stream, seconds=5)[0] == DEADLINE


@pytest.mark.parametrize("name, value, status", [
    ("grpc-encoding", "gzip", UNIMPLEMENTED), ("grpc-encoding", "\x00", None),
    ("grpc-accept-encoding", "x" * 4000, 0), ("content-type", "text/html", "415"),
    ("content-type", None, "415"), (":path", "/", UNIMPLEMENTED), (":path", "x", UNIMPLEMENTED),
    (":path", "//", UNIMPLEMENTED), (":path", "/é/ü", INVALID), (":path", "/a/b/c", 12),
    (":path", "/" + "x" * 8000, UNIMPLEMENTED), (":method", "GET", INVALID),
    (":scheme", "gopher", INVALID), ("te", None, 0), ("user-agent", "\x7f\x01", None)])
def test_odd_headers(raw, name, value, status):
    found = raw.answer(raw.call(replace={name: value}), seconds=3)
    if status is not None:
        assert found and found[0] == status


@pytest.mark.parametrize("name", [
    "grpc-previous-rpc-attempts", "grpc-retry-pushback-ms", "grpc-status", "grpc-message",
    "grpc-tags-bin", "grpc-trace-bin", "x-any-bin"])
def test_headers_that_are_read_as_something_else(raw, name):
    chance = random.Random(name)
    values = ["-1", "9" * 30, "", "=", "====", "A", "AA", "AAA", "AAAA=", "\u00ff" * 9, "A" * 999] + [
        "".join(chance.choice("AZaz09+/=-_ ,\x80") for _ in range(chance.randrange(40)))
        for _ in range(40)]
    for value in values:
        assert raw.answer(raw.call(extra=[(name, value.encode("latin-1", "replace"))]), 5), value


@pytest.mark.parametrize("extra", [
    [("te", "gzip")], [("Upper-Case", "x")], [("connection", "close")],
    [("content-length", "3")], [("transfer-encoding", "chunked")], [(":path", "/x")]],
    ids=lambda extra: extra[0][0])
def test_a_call_that_breaks_http2_is_reset_alone(raw, extra):
    healthy = raw.open(WATCH)[0] + frame(DATA, END_STREAM, raw.next_stream - 2, message())
    raw.send(healthy)
    stream = raw.call(extra=extra)
    assert raw.read(lambda: stream in raw.reset or stream in raw.status, 3) is True
    assert raw.goaway is None


def test_a_window_update_of_zero_resets_its_call_alone(raw):
    stream = raw.call(STREAM, body=b"", end=False)
    raw.send(frame(WINDOW, 0, stream, bytes(4)))
    assert raw.read(lambda: stream in raw.reset, 3) is True
    assert raw.goaway is None


def test_data_after_the_end_resets_its_call_alone(raw):
    stream = raw.call(WATCH, end=True)
    raw.send(frame(DATA, 0, stream, b"more"))
    raw.read(lambda: stream in raw.reset, 1)
    assert raw.goaway is None


@pytest.mark.parametrize("path", [HEALTH, STREAM, IMPORT])
def test_a_call_that_ends_with_its_headers_is_answered(raw, path):
    head, stream = raw.open(path, end=True)
    raw.send(head)
    assert raw.answer(stream, 3), "no answer within three seconds"
    if path == HEALTH:
        assert raw.answer(stream)[0] == INVALID


def test_a_call_of_two_messages_is_invalid(raw):
    assert raw.answer(raw.call(body=message() * 2))[0] == INVALID


def test_a_message_too_large_is_refused_when_it_says_so(raw):
    stream = raw.call(body=message(b"x", length=1 << 30), end=False)
    status, text = raw.answer(stream, 3)
    assert status == EXHAUSTED and str(4 << 20) in text


def test_headers_in_the_middle_of_a_call(raw):
    stream = raw.call(STREAM, body=b"", end=False)
    raw.send(frame(HEADERS, END_HEADERS, stream, raw.block()))
    raw.read(lambda: stream in raw.reset or stream in raw.status, 2)


def call_with_much(raw, extra):
    """A call with headers that take several frames."""
    stream, raw.next_stream = raw.next_stream, raw.next_stream + 2
    block = raw.block(extra=extra)
    pieces = [block[start:start + 16384] for start in range(0, len(block), 16384)]
    kinds = [HEADERS] + [CONTINUATION] * (len(pieces) - 1)
    flags = [0] * (len(pieces) - 1) + [END_HEADERS]
    raw.send(b"".join(
        frame(*head, stream, piece) for head, piece in zip(zip(kinds, flags), pieces))
        + frame(DATA, END_STREAM, stream, message()))
    return stream


@pytest.mark.parametrize("count, length", [(1, 17_000), (1, 40_000), (1, 60_000), (300, 100), (900, 1)])
def test_too_many_headers_refuse_their_call_alone(raw, count, length):
    # The limit counts from when the client has acknowledged it.
    assert raw.works()
    other = raw.open(WATCH)[0] + frame(DATA, END_STREAM, raw.next_stream - 2, message())
    raw.send(other)
    extra = [(f"x-{number}", "a" * length) for number in range(count)]
    status, text = raw.answer(call_with_much(raw, extra))
    assert status == EXHAUSTED and "16384" in text
    assert raw.goaway is None and not raw.reset


@pytest.mark.parametrize("count, length", [(1, 15_000), (100, 100), (400, 1)])
def test_headers_within_the_limit_are_accepted(raw, count, length):
    assert raw.answer(call_with_much(raw, [(f"x-{number}", "a" * length) for number in range(count)])) == (0, "")


def test_headers_without_end_end_the_connection(address):
    with Raw(address) as raw:
        assert raw.works()
        call_with_much(raw, [("x", "a" * 100_000)])
        assert raw.closes()
