# SPDX-License-Identifier: Apache-2.0
"""A viewer that reads its stream only when a test tells it to.

The package `collection_layout` says what to send and applies what comes. Here are no threads, and
nothing is put right in silence: a frame that does not fit fails the test.
"""

import queue
import time

import grpc
from collection_layout import FrameError, LayoutError, Machine, Mirror
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import session_pb2_grpc


class StrictMirror(Mirror):
    """A mirror that counts frames, and whose frames have to fit."""

    frames = 0
    adjustment = (0.0, 0.0)

    def apply(self, part):
        try:
            adjustment = super().apply(part)
        except FrameError as error:
            raise AssertionError(f"frame {part.frame_seq}: {error}") from error
        if adjustment is not None:
            self.frames += 1
            self.adjustment = adjustment
        return adjustment

    @property
    def slots(self):
        """The elements as messages, by slot."""
        return {element.slot: element.to_message() for element in self.elements()}

    def attributes(self):
        """Attributes of the elements by (category, kind, section, item)."""
        return {element_name(e.key): e.attributes for e in self.slots.values()}


def element_name(key):
    path = key.index_path
    return (key.category, key.kind, path.section, path.item if path.HasField("item") else None)


class Session:
    """One session. Reading is synchronous: what the server sends is applied as it is read.

    With `reconnect` a stream that breaks is followed by another one; otherwise LayoutError is raised.
    """

    def __init__(self, channel, opening, metadata=None, acknowledge=True, reconnect=False):
        self.acknowledge, self.reconnect = acknowledge, reconnect
        self.results, self.targets, self.outcomes = {}, {}, []
        self.seq = 1
        # Of its own, since it is kept up to date for the next stream.
        mine = session.OpenSession()
        mine.CopyFrom(opening)
        self.machine = Machine(mine, StrictMirror())
        self._stub, self._metadata = session_pb2_grpc.LayoutSessionServiceStub(channel), metadata
        self._requests = queue.SimpleQueue()
        self._stream()
        self.until(lambda s: s.mirror.frames > 0)

    @property
    def mirror(self):
        return self.machine.mirror

    @property
    def opened(self):
        return self.machine.opened

    @property
    def offset(self):
        return self.machine.viewport[:2]

    @property
    def notices(self):
        return self.machine.notices

    @property
    def prefetches(self):
        return self._told(session.PrefetchChange)

    @property
    def visibilities(self):
        return self._told(session.VisibilityChange)

    def _told(self, kind):
        return [change for change in self.machine.told if isinstance(change, kind)]

    def _stream(self):
        # Ends the requests of the stream before.
        self._requests.put(None)
        self._requests = queue.SimpleQueue()
        self._requests.put(self.machine.first_request())
        self.call = self._stub.StreamLayout(
            iter(self._requests.get, None), metadata=self._metadata)

    def send(self, **event):
        request = self.machine.event(**event)
        # Otherwise the next stream begins with it.
        if self.machine.is_connected:
            self._requests.put(request)
        self.seq = request.event_seq
        return self.seq

    def read(self):
        """Applies the next message and returns it."""
        while True:
            error = None
            try:
                response = next(self.call, None)
            except grpc.RpcError as ended:
                response, error = None, LayoutError.from_rpc_error(ended)
            if response is not None:
                self._receive(response)
                return response
            if not self.reconnect or not self.machine.streams:
                raise error or EOFError("the server ended the stream")
            time.sleep(self.machine.ended(error))
            self._stream()

    def _receive(self, response):
        for request in self.machine.receive(response):
            if self.acknowledge or not request.HasField("ack"):
                self._requests.put(request)
        if response.HasField("opened") and self.machine.streams > 1:
            self.outcomes.append(response.opened.outcome)
        for seq, answer in self.machine.answers:
            # Told again after a resume, an answer is the same.
            self.results[seq] = answer.result
            if answer.target is not None:
                self.targets[seq] = answer.target
        self.machine.answers.clear()

    def ack(self):
        self._requests.put(self.machine.acknowledgement())

    def result(self, seq):
        """Reads until the event has its result."""
        self.until(lambda s: seq in s.results)
        return self.results[seq]

    def perform(self, **event):
        """Sends an event that gets a result; returns the result."""
        return self.result(self.send(**event))

    def until(self, condition):
        while not condition(self):
            self.read()

    def scroll(self, x, y):
        return self.send(viewport=session.ViewportChange(content_offset={"x": x, "y": y}))

    def scroll_to(self, x, y):
        """Scrolls, and makes sure by a barrier that all frames it causes have been read."""
        self.scroll(x, y)
        self.settle()

    def settle(self):
        """Reads until everything that was sent is reflected in the mirror.

        A resync is answered by a keyframe that reflects all events before it.
        """
        applied = False
        while not applied:
            streams = self.machine.streams
            seq = self.send(resync=session.ResyncRequest(
                reason=session.ResyncRequest.REASON_CLIENT_RESET))
            # A new session, after the server was lost, knows nothing of what was answered before.
            self.until(lambda s, seq=seq, streams=streams: (
                s.mirror.applied_event >= seq or s.machine.streams > streams))
            applied = self.mirror.applied_event >= seq

    def close(self):
        self.send(close=session.CloseSession(discard=True))
        self._requests.put(None)
        for _ in self.call:
            pass
