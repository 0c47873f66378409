# SPDX-License-Identifier: Apache-2.0
"""A small client of the layout stream: sends events, mirrors the elements, acknowledges.

Written from the contract alone, so that the server is checked by something that shares no code
with it. Import after `stubs.generate()` has put the generated modules on the path.
"""

import functools
import math
import queue
import random
import time
import uuid

import grpc
import packed
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import session_pb2_grpc
from google.rpc import error_details_pb2, status_pb2

MASK = 0xFFFFFFFF


def fmix32(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B & MASK
    h ^= h >> 13
    h = h * 0xC2B2AE35 & MASK
    return h ^ h >> 16


@functools.cache
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
        return math.floor(min(max(value * units + 0.5, -(1 << 62)), 1 << 62))

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
    """The elements that the server says are live, by slot. Frames of either encoding may come."""

    def __init__(self, units=64):
        self.units = units
        self.slots = {}
        self.hashes = {}
        self.kind_names = []
        self.parts = []
        self.frame_seq = 0
        self.content_size = None
        self.coverage = None
        self.data_version = 0
        self.adjustment = (0.0, 0.0)
        self.effects = layouts.ScrollEffects()
        self.frames = 0

    def apply(self, part):
        """Applies a frame with its last part; True when the frame is whole."""
        self.parts.append(part)
        if part.continued:
            return False
        parts, self.parts = self.parts, []
        assert all(p.frame_seq == part.frame_seq for p in parts), [p.frame_seq for p in parts]
        if part.base_frame_seq == 0:
            self.slots, self.hashes, self.kind_names = {}, {}, []
            self.effects = layouts.ScrollEffects()
        else:
            assert part.base_frame_seq == self.frame_seq, (part.base_frame_seq, self.frame_seq)
        self.adjustment = (0.0, 0.0)
        for each in parts:
            self._apply_elements(each)
            offset = each.content_offset_adjustment
            self.adjustment = (self.adjustment[0] + offset.x, self.adjustment[1] + offset.y)
            if each.HasField("content_size"):
                self.content_size = each.content_size
            if each.HasField("coverage"):
                self.coverage = each.coverage
            if each.HasField("scroll_effects"):
                self.effects = each.scroll_effects
        self.frame_seq = part.frame_seq
        self.data_version = part.data_version
        self.frames += 1
        assert part.live_count == len(self.slots), (part.live_count, len(self.slots))
        if part.HasField("state_checksum"):
            assert part.state_checksum == self.checksum(), "state checksums differ"
        return True

    def _apply_elements(self, part):
        if part.HasField("packed"):
            self.kind_names += part.packed.kind_names
            removed = packed.removed_slots(part.packed)
            upserts = packed.elements(part.packed, self.kind_names, self.units)
        else:
            removed, upserts = part.elements.removed_slots, part.elements.upserts
        for slot in removed:
            del self.slots[slot], self.hashes[slot]
        for slot, section, item in packed.index_shifts(part.packed):
            packed.shift(self.slots[slot], section, item)
            self._put(self.slots[slot])
        for element in upserts:
            self._put(element)

    def _put(self, element):
        self.slots[element.slot] = element
        self.hashes[element.slot] = element_hash(element, self.units)

    def checksum(self):
        return sum(self.hashes.values()) & MASK

    def elements(self):
        """Elements by (category, kind, section, item)."""
        return {
            element_name(element.key): element.attributes for element in self.slots.values()
        }


def element_name(key):
    path = key.index_path
    return (key.category, key.kind, path.section, path.item if path.HasField("item") else None)


class Session:
    """One session. Reading is synchronous: what the server sends is applied as it is read.

    With `reconnect` a stream that breaks is followed by another one: what the server had not
    applied is sent again, and updates carry identifiers, so that none is made twice.
    """

    def __init__(self, channel, open_session, metadata=None, acknowledge=True, reconnect=False):
        self.mirror = Mirror()
        self.results = {}
        self.targets = {}
        self.notices = []
        self.prefetches = []
        self.visibilities = []
        self.opened = None
        self.seq = 0
        self.offset = [0.0, 0.0]
        self.acknowledge = acknowledge
        self.reconnect = reconnect
        self.outcomes = []
        self.applied = 0
        self.pending = []
        self.token = b""
        self.open_session = open_session
        self.metadata = metadata
        self.stub = session_pb2_grpc.LayoutSessionServiceStub(channel)
        self._stream()
        if open_session.viewport.HasField("content_offset"):
            offset = open_session.viewport.content_offset
            self.offset = [offset.x, offset.y]
        self.send(open=open_session)
        while self.mirror.frames == 0:
            self.read()

    def _stream(self):
        self._requests = queue.SimpleQueue()
        self.call = self.stub.StreamLayout(
            iter(self._requests.get, None), metadata=self.metadata)

    def send(self, **event):
        self.seq += 1
        request = session.StreamLayoutRequest(event_seq=self.seq, **event)
        # Each stream has an opening of its own.
        if self.reconnect and "open" not in event:
            if request.WhichOneof("event") == "update" and not request.update.request_id:
                request.update.request_id = str(uuid.uuid4())
            self.pending.append(request)
        self._requests.put(request)
        return self.seq

    def _applied(self, seq):
        self.pending = [request for request in self.pending if request.event_seq > seq]

    def _resume(self):
        """Tries again until there is a stream, or the server refuses one for good."""
        delay = 0.1
        if self.notices and self.notices[-1].type == session.Notice.TYPE_GOING_AWAY:
            delay = self.notices[-1].reconnect_delay.ToTimedelta().total_seconds()
        while True:
            self._requests.put(None)
            time.sleep(delay * random.uniform(0.8, 1.2))
            delay = min(max(delay * 2, 0.1), 10)
            self._stream()
            self._requests.put(session.StreamLayoutRequest(open=self._opening()))
            try:
                opened = next(r.opened for r in self.call if r.HasField("opened"))
            except StopIteration:
                continue
            except grpc.RpcError as error:
                if self._is_lost(error):
                    self.token = b""
                elif not is_passing(error):
                    raise
                continue
            return self._go_on(opened)

    def _opening(self):
        """Asks for the session of the token, or without one for a new session."""
        opening = session.OpenSession()
        opening.CopyFrom(self.open_session)
        opening.viewport.content_offset.x, opening.viewport.content_offset.y = self.offset
        if self.token:
            opening.resume.CopyFrom(session.ResumeRequest(
                resume_token=self.token, last_frame_seq=self.mirror.frame_seq,
                last_event_seq=self.seq, state_checksum=self.mirror.checksum(),
                live_count=len(self.mirror.slots)))
            opening.viewport.observed_frame_seq = self.mirror.frame_seq
        return opening

    def _is_lost(self, error):
        """Whether nothing is left of the session where its collection may well be."""
        return bool(self.token and self.open_session.collection) and reason(error) in (
            "RESUME_TOKEN_INVALID", "SESSION_EXPIRED")

    def _go_on(self, opened):
        """The new stream stands: what was not applied goes out before anything new."""
        self.mirror.parts = []
        if self.opened.session != opened.session:
            self.mirror = Mirror(opened.units_per_point)
            self.applied = 0
        self.opened, self.token = opened, opened.resume_token
        self.outcomes.append(opened.outcome)
        self._applied(opened.last_event_seq)
        for request in self.pending:
            if request.WhichOneof("event") == "viewport":
                # Of the session before.
                request.viewport.observed_frame_seq = self.mirror.frame_seq
            self._requests.put(request)

    def read(self):
        try:
            response = next(self.call)
        except grpc.RpcError as error:
            if not self.reconnect or not self.token or not is_passing(error):
                raise
            self._resume()
            return self.read()
        kind = response.WhichOneof("message")
        if kind == "opened":
            self.opened = response.opened
            self.mirror.units = self.opened.units_per_point
            self.token = response.opened.resume_token
        elif kind == "frame":
            if self.mirror.apply(response.frame):
                self.offset[0] += self.mirror.adjustment[0]
                self.offset[1] += self.mirror.adjustment[1]
                self.applied = response.frame.applied_event_seq
                self._applied(self.applied)
                if self.acknowledge:
                    self.ack()
        elif kind == "event_result":
            # Told again after a resume, an answer is the same.
            self.results[response.event_result.event_seq] = response.event_result
            self._applied(response.event_result.event_seq)
        elif kind == "scroll_target":
            self.targets[response.scroll_target.event_seq] = response.scroll_target
        elif kind == "heartbeat":
            self.token = response.heartbeat.resume_token or self.token
            self.ack()
        elif kind == "prefetch":
            self.prefetches.append(response.prefetch)
        elif kind == "visibility":
            self.visibilities.append(response.visibility)
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
        applied = False
        while not applied:
            streams = len(self.outcomes)
            seq = self.send(resync=session.ResyncRequest(reason=2))
            self.result(seq)
            # A new session, after the server was lost, knows nothing of what was answered before.
            self.until(lambda s: s.applied >= seq or len(s.outcomes) > streams)
            applied = self.applied >= seq

    def close(self):
        self.send(close=session.CloseSession(discard=True))
        self._requests.put(None)
        for response in self.call:
            pass


def is_rpc_error(error, code):
    return isinstance(error, grpc.RpcError) and error.code() == code


def reason(error):
    """The reason in the details of a status; "" = none."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return info.reason
    return ""


def is_passing(error):
    """Whether a stream that ended so may be followed by another."""
    return error.code() in (
        grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.INTERNAL)
