# SPDX-License-Identifier: Apache-2.0
"""Calls by gRPC whose requests were encoded before, so that the attacker needs little time of its own."""

import collections
import queue
import threading
import time

import grpc
from collection_layout import LayoutError
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import session_pb2 as session

PACKAGE = "/collection_layout.v1."
CREATE = PACKAGE + "CollectionService/CreateCollection"
CONTENT_SIZE = PACKAGE + "LayoutQueryService/GetContentSize"
STREAM = PACKAGE + "LayoutSessionService/StreamLayout"


def connect(address):
    """A connection that no other channel shares."""
    return grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])


def answer_of(error):
    """The status of a call that ended, with the reason."""
    error = LayoutError.from_rpc_error(error)
    return f"{error.code.name} {error.reason}".rstrip()


def viewport(width=1024, height=768):
    return session.ViewportChange(
        content_offset={"x": 0, "y": 0}, size={"width": width, "height": height})


def items(count, section="", **columns):
    """One section, with its key."""
    contents = collection.CollectionContents()
    contents.sections.add(key=section).blocks.add(count=count, **columns)
    return contents


def sections(count):
    """Sections of one item each."""
    one = collection.CollectionContents()
    one.sections.add().blocks.add(count=1)
    return collection.CollectionContents.FromString(one.SerializeToString() * count)


def large_query():
    """The bytes of a query whose answer is large: 3,000 elements of inline contents."""
    request = query.QueryElementsRequest(page_size=3000)
    request.target.inline_contents.CopyFrom(items(3000))
    request.target.layout.list.row_height = 10
    request.target.viewport.CopyFrom(viewport(100, 1000))
    return request.SerializeToString()


class Flood:
    """The same request again and again, some at a time on each of some connections."""

    def __init__(self, address, path, request, connections=2, at_once=4):
        self.request = request.SerializeToString()
        self.at_once = at_once
        self.answers = collections.Counter()
        self.channels = [connect(address) for _ in range(connections)]
        self.calls = [channel.unary_unary(path) for channel in self.channels]

    def run(self, seconds):
        """Counts the answers by status and reason; calls that are left at the end are cancelled."""
        end = time.monotonic() + seconds
        waiting = collections.deque()
        for _ in range(self.at_once):
            waiting.extend((call, call.future(self.request)) for call in self.calls)
        while time.monotonic() < end:
            call, future = waiting.popleft()
            if future.done():
                self._count(future)
                future = call.future(self.request)
            else:
                time.sleep(0.001)
            waiting.append((call, future))
        for _, future in waiting:
            if future.done():
                self._count(future)
            else:
                future.cancel()
        for channel in self.channels:
            channel.close()
        return self.answers

    def _count(self, future):
        error = future.exception()
        self.answers[answer_of(error) if error else "OK"] += 1


class Stream:
    """A layout stream that acknowledges its frames and mirrors nothing."""

    def __init__(self, channel, opening):
        self.requests = queue.SimpleQueue()
        self.seq = 0
        self.frames = 0
        self.frame_seq = 0
        self.results = {}
        self.opened = None
        # The status that the stream ended with; None = it is open.
        self.status = None
        self.call = channel.stream_stream(
            STREAM,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=session.StreamLayoutResponse.FromString,
        )(iter(self.requests.get, None))
        self.changed = threading.Condition()
        self.send(open=opening)
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, **event):
        self.seq += 1
        self.requests.put(session.StreamLayoutRequest(event_seq=self.seq, **event))
        return self.seq

    def _read(self):
        status = "OK"
        try:
            for response in self.call:
                with self.changed:
                    self._take(response)
                    self.changed.notify_all()
        except grpc.RpcError as error:
            status = answer_of(error)
        with self.changed:
            self.status = status
            self.changed.notify_all()
        self.requests.put(None)

    def _take(self, response):
        kind = response.WhichOneof("message")
        if kind == "opened":
            self.opened = response.opened
        elif kind == "event_result":
            self.results[response.event_result.event_seq] = response.event_result
        elif kind == "frame":
            self.frames += not response.frame.continued
            self.frame_seq = response.frame.frame_seq
            self.requests.put(
                session.StreamLayoutRequest(ack={"frame_seq": response.frame.frame_seq}))

    def wait(self, condition, seconds=10):
        """Whether the condition holds in time, before the stream ends."""
        with self.changed:
            return self.changed.wait_for(
                lambda: condition(self) or self.status, seconds) and condition(self)

    def perform(self, seconds=20, **event):
        """The result of an event; None = it did not come in time."""
        seq = self.send(**event)
        self.wait(lambda stream: seq in stream.results, seconds)
        return self.results.get(seq)

    def close(self):
        """Ends the session; other than a cancelled call, this does not count as a reset."""
        self.send(close={"discard": True})
        self.requests.put(None)
        self.wait(lambda stream: False)


def open_stream(channel, contents, layout, view=None):
    """A stream of contents of its own that has shown its first frame."""
    stream = Stream(channel, session.OpenSession(
        inline_contents=contents, layout=layout, viewport=view or viewport(),
        capabilities={"encodings": [session.ELEMENT_ENCODING_PACKED]}))
    assert stream.wait(lambda stream: stream.frames > 0, 20), stream.status
    return stream
