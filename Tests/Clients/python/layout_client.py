# SPDX-License-Identifier: Apache-2.0
"""A small client of the layout stream: sends events, mirrors the elements, acknowledges.

Written from the contract alone, so that the server is checked by something that shares no code
with it. Import after `stubs.generate()` has put the generated modules on the path.
"""

import math
import queue

import grpc
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import session_pb2_grpc

MASK = 0xFFFFFFFF


def fmix32(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B & MASK
    h ^= h >> 13
    h = h * 0xC2B2AE35 & MASK
    return h ^ h >> 16


def fnv1a(text):
    h = 0x811C9DC5
    for byte in text.encode():
        h = (h ^ byte) * 0x01000193 & MASK
    return h


def element_hash(element, units=64):
    """The hash of one element in the state checksum."""
    key, attributes = element.key, element.attributes
    frame = attributes.frame

    def edge(value):
        return math.floor(value * units + 0.5)

    left, top = edge(frame.x), edge(frame.y)
    alpha = attributes.alpha if attributes.HasField("alpha") else 1.0
    item = key.index_path.item + 1 if key.index_path.HasField("item") else 0
    h = 0x434C5631
    for field in (
        key.category, fnv1a(key.kind), key.index_path.section, item, left, top,
        edge(frame.x + frame.width) - left, edge(frame.y + frame.height) - top,
        attributes.z_index, math.floor(alpha * 65535 + 0.5), int(attributes.hidden),
    ):
        for word in (field & MASK, field >> 32 & MASK):
            h = fmix32(h ^ word)
            h = ((h << 13 | h >> 19) & MASK) * 5 + 0xE6546B64 & MASK
    return fmix32(h)


class Mirror:
    """The elements that the server says are live, by slot."""

    def __init__(self):
        self.slots = {}
        self.frame_seq = 0
        self.content_size = None
        self.coverage = None
        self.data_version = 0
        self.adjustment = (0.0, 0.0)
        self.frames = 0

    def apply(self, part):
        """Applies one part of a frame; True when the frame is whole."""
        if part.base_frame_seq == 0 and part.frame_seq != self.frame_seq:
            self.slots = {}
        elif part.frame_seq != self.frame_seq:
            assert part.base_frame_seq == self.frame_seq, (part.base_frame_seq, self.frame_seq)
        if part.frame_seq != self.frame_seq:
            self.adjustment = (0.0, 0.0)
        self.frame_seq = part.frame_seq
        for slot in part.elements.removed_slots:
            del self.slots[slot]
        for element in part.elements.upserts:
            self.slots[element.slot] = element
        if part.HasField("content_size"):
            self.content_size = part.content_size
        if part.HasField("coverage"):
            self.coverage = part.coverage
        self.data_version = part.data_version
        offset = part.content_offset_adjustment
        self.adjustment = (self.adjustment[0] + offset.x, self.adjustment[1] + offset.y)
        if part.continued:
            return False
        self.frames += 1
        assert part.live_count == len(self.slots), (part.live_count, len(self.slots))
        if part.HasField("state_checksum"):
            assert part.state_checksum == self.checksum(), "state checksums differ"
        return True

    def checksum(self):
        return sum(element_hash(element) for element in self.slots.values()) & MASK

    def elements(self):
        """Elements by (category, kind, section, item)."""
        return {
            element_name(element.key): element.attributes for element in self.slots.values()
        }


def element_name(key):
    path = key.index_path
    return (key.category, key.kind, path.section, path.item if path.HasField("item") else None)


class Session:
    """One stream. Reading is synchronous: what the server sends is applied as it is read."""

    def __init__(self, channel, open_session, metadata=None, acknowledge=True):
        self.mirror = Mirror()
        self.results = {}
        self.targets = {}
        self.notices = []
        self.opened = None
        self.seq = 0
        self.offset = [0.0, 0.0]
        self.acknowledge = acknowledge
        self._requests = queue.SimpleQueue()
        stub = session_pb2_grpc.LayoutSessionServiceStub(channel)
        self.call = stub.StreamLayout(iter(self._requests.get, None), metadata=metadata)
        if open_session.viewport.HasField("content_offset"):
            offset = open_session.viewport.content_offset
            self.offset = [offset.x, offset.y]
        self.send(open=open_session)
        while self.mirror.frames == 0:
            self.read()

    def send(self, **event):
        self.seq += 1
        self._requests.put(session.StreamLayoutRequest(event_seq=self.seq, **event))
        return self.seq

    def read(self):
        response = next(self.call)
        kind = response.WhichOneof("message")
        if kind == "opened":
            self.opened = response.opened
        elif kind == "frame":
            if self.mirror.apply(response.frame):
                self.offset[0] += self.mirror.adjustment[0]
                self.offset[1] += self.mirror.adjustment[1]
                self.applied = response.frame.applied_event_seq
                if self.acknowledge:
                    self.ack()
        elif kind == "event_result":
            self.results[response.event_result.event_seq] = response.event_result
        elif kind == "scroll_target":
            self.targets[response.scroll_target.event_seq] = response.scroll_target
        elif kind == "heartbeat":
            self.ack()
        elif kind == "notice":
            self.notices.append(response.notice)
        return response

    def ack(self):
        frame_ack = session.FrameAck(
            frame_seq=self.mirror.frame_seq, state_checksum=self.mirror.checksum())
        self._requests.put(session.StreamLayoutRequest(ack=frame_ack))

    def result(self, seq):
        """Reads until the event has its result."""
        while seq not in self.results:
            self.read()
        return self.results[seq]

    def perform(self, **event):
        """Sends an event that gets a result; returns the result."""
        return self.result(self.send(**event))

    def until(self, condition):
        while not condition(self):
            self.read()

    def scroll_to(self, x, y):
        """Scrolls, and makes sure by a barrier that all frames it causes have been read."""
        self.offset = [x, y]
        self.send(
            viewport=session.ViewportChange(
                observed_frame_seq=self.mirror.frame_seq, content_offset={"x": x, "y": y}))
        self.settle()

    def settle(self):
        """Reads until everything that was sent is reflected in the mirror.

        A resync is answered by a keyframe that reflects all events before it.
        """
        seq = self.send(resync=session.ResyncRequest(reason=2))
        self.result(seq)
        self.until(lambda s: getattr(s, "applied", 0) >= seq)

    def close(self):
        self.send(close=session.CloseSession(discard=True))
        self._requests.put(None)
        for response in self.call:
            pass


def is_rpc_error(error, code):
    return isinstance(error, grpc.RpcError) and error.code() == code
