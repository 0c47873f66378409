# SPDX-License-Identifier: Apache-2.0
"""What a viewer knows and does, without connections and threads: for clients of one's own.

`Viewer` and `AsyncViewer` put it between the stream and their callers.
"""

from __future__ import annotations

import dataclasses
import random
import time
import uuid
from collections import deque
from collections.abc import Callable
from typing import Any

import grpc

from collection_layout._opening import merge_expansions, merge_table, merge_viewport
from collection_layout.errors import FrameError, LayoutError, bounded_delay, make_error
from collection_layout.mirror import Frame, Mirror, Rect
from collection_layout.v1 import layouts_pb2, session_pb2

Request = session_pb2.StreamLayoutRequest

#: Only the session that they were meant for can apply these events, which name slots or are steps of something
#: that ended with it. Outlines may name slots too.
OF_ONE_SESSION = {"measurements", "movement", "transition"}
#: The events that change what an opening has, by its fields.
CHANGED_BY = {"layout": {"layout", "transition"}, "options": {"options"}}
#: Reasons for which nothing is left of a session.
LOST_SESSION = {"RESUME_TOKEN_INVALID", "SESSION_EXPIRED", "COLLECTION_NOT_FOUND"}
#: A stream that ends with one of these may be followed by another.
PASSING = {
    grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.INTERNAL}
#: A stream that ends with one of these may be followed by another where no reason speaks against it.
PASSING_WITHOUT_REASON = {grpc.StatusCode.DEADLINE_EXCEEDED}
# After so many frames that could not be applied, the fault is not on the way.
MOST_REJECTED = 3
# A stream that ends sooner after it was opened is a failure: a faulty server is not asked without end.
WORKED = 1.0
#: So many notices, and so many changes of what is near or seen, are kept for whoever takes them: the
#: newest, and no more than so many bytes of them.
MOST_KEPT, MOST_KEPT_BYTES = 1000, 16 << 20
# Seconds between heartbeats that servers grant.
HEARTBEATS = 1.0, 60.0


@dataclasses.dataclass
class Answer:
    """The answer to one event."""

    request: Request
    result: session_pb2.EventResult
    target: session_pb2.ScrollTarget | None

    def error(self) -> LayoutError | None:
        """Why the event was refused; None = it was applied."""
        if not self.result.HasField("problem"):
            return None
        event = self.request.WhichOneof("event")
        return LayoutError.from_problem(
            self.result.problem, getattr(self.request, event) if event else None)


def add_request(waiting: deque[Any], request: Any) -> None:
    """Adds to what waits to be sent, which does not grow with each heartbeat while the server does not read.

    Of acknowledgements in a row the newest one counts. A rejection stays, and what was acknowledged before it as
    well: with both the server knows whose adjustments of the offset were not applied.
    """
    last: Any = waiting[-1] if waiting else None
    if not (_is_acknowledgement(last) and _is_acknowledgement(request)):
        waiting.append(request)
    elif last.ack.rejected and not request.ack.rejected and request.ack.frame_seq <= last.ack.frame_seq:
        # The answer to a heartbeat, which the server would ignore after the rejection.
        pass
    elif len(waiting) < MOST_KEPT and (last.ack.rejected or request.ack.rejected):
        waiting.append(request)
    else:
        waiting[-1] = request


def _is_acknowledgement(request: Any) -> bool:
    """Whether it is that, and nothing else."""
    return request is not None and request.HasField("ack") and not (
        request.event_seq or request.WhichOneof("event"))


class Backoff:
    """How long to wait before each attempt to connect: 100 ms, doubling to 10 s, 20 % more or less.

    Before the first success it is at most 2 s. With several addresses the others are tried at once, and the
    wait is for a round of all. It begins anew after a stream that worked for a second.
    """

    FIRST, MOST, MOST_BEFORE_SUCCESS = 0.1, 10.0, 2.0

    def __init__(
            self, chance: Callable[[float, float], float] = random.uniform, addresses: int = 1,
            now: Callable[[], float] = time.monotonic) -> None:
        self._chance, self.addresses, self._now = chance, addresses, now
        self._tried = 1
        self._delay = self.FIRST
        self._succeeded = False
        self._began: float | None = None

    def succeeded(self) -> None:
        """The server has opened a stream."""
        self._succeeded, self._began = True, self._now()

    @property
    def has_worked(self) -> bool:
        """Whether the newest stream was open for long enough."""
        return self._began is not None and self._now() - self._began > WORKED

    def ended(self) -> None:
        """The stream has ended, or there was none."""
        if self.has_worked:
            self._delay, self._tried = self.FIRST, 1
        self._began = None

    def next(self) -> float:
        """Seconds to wait."""
        self.ended()
        if self._tried < self.addresses:
            self._tried += 1
            return 0
        self._tried = 1
        most = self.MOST if self._succeeded else self.MOST_BEFORE_SUCCESS
        delay = min(self._delay, most)
        self._delay = min(delay * 2, most)
        return min(delay * self._chance(0.8, 1.2), most)


class Machine:
    """The state of one viewer across the streams that it has: what to send, and what came.

    A client of one's own opens a stream with `first_request()`, sends what `event()` and `receive()` return,
    and waits for as long as `ended()` says before the next stream. It takes what it needs of `answers`,
    which only grow, and of `notices`, `told` and `refusals`, of which the newest 1000 are kept.

    ```python
    machine = Machine(opening, Mirror())
    requests.put(machine.first_request())
    for response in stub.StreamLayout(iter(requests.get, None)):
        for request in machine.receive(response):
            requests.put(request)
    ```
    """

    def __init__(self, opening: session_pb2.OpenSession, mirror: Mirror) -> None:
        #: How a new session would be opened: events that are applied change it.
        self.opening = opening
        self.mirror = mirror
        self.backoff = Backoff()
        #: What the newest stream was opened with; None = there was none yet.
        self.opened: session_pb2.SessionOpened | None = None
        #: Whether a stream is open.
        self.is_connected = False
        #: How many streams were opened.
        self.streams = 0
        self._seq = 0
        self._token = b""
        self._pending: dict[int, Request] = {}
        #: The numbers of those that were sent, on whichever stream.
        self._sent: set[int] = set()
        self._targets: dict[int, session_pb2.ScrollTarget] = {}
        #: What the last opening left out: a new session has the defaults of these.
        self._left_out: set[str] = set()
        #: At which a transition ends.
        self._next_layout: layouts_pb2.LayoutSpec | None = None
        self._rejected = 0
        # The frame from which this stream would resume; None = it does not, or something came already.
        self._resumes_from: int | None = None
        # Whether another token was asked for because of a refusal, and no stream has worked since.
        self._renewed = False
        self._delay: float | None = None
        #: In a new session, until its first frame: the items that were in sight, and where they were.
        self._places: dict[str, tuple[float, float]] = {}
        #: The number of the last event that scrolled to where they were; 0 = there was none.
        self.restored_by = 0
        #: Refused events that nobody waits for.
        self.refusals: list[LayoutError] = []
        #: The answers to events, with the events' numbers.
        self.answers: list[tuple[int, Answer]] = []
        #: The server's notices, the newest 1000 and at most 16 MiB of them.
        self.notices: list[session_pb2.Notice] = []
        #: What was told of items to get ready and of elements that were seen, the newest 1000 and at most
        #: 16 MiB of them.
        self.told: list[session_pb2.PrefetchChange | session_pb2.VisibilityChange] = []
        #: What the server has scrolled by itself, the newest 1000.
        self.scroll_targets: list[session_pb2.ScrollTarget] = []
        # The bytes of each.
        self._notice_sizes: list[int] = []
        self._told_sizes: list[int] = []

    # MARK: What goes out

    def first_request(self) -> Request:
        """The first request of a stream."""
        opening = session_pb2.OpenSession()
        opening.CopyFrom(self.opening)
        self._left_out, self._resumes_from = set(), None
        # The opening has what these would change.
        self._forget(self._seq)
        if self._token:
            self._resumes_from = self.mirror.frame_seq
            opening.resume.CopyFrom(session_pb2.ResumeRequest(
                resume_token=self._token, last_frame_seq=self._resumes_from,
                last_event_seq=self._seq, state_checksum=self.mirror.checksum(),
                live_count=len(self.mirror)))
            # They may be applied already: the session knows best which layout and options it has.
            kinds = self._pending_kinds()
            self._left_out = {field for field, changing in CHANGED_BY.items() if kinds & changing}
            for field in self._left_out:
                opening.ClearField(field)
            if "layout" in self._left_out:
                opening.ClearField("layout_name")
            opening.viewport.observed_frame_seq = self.mirror.frame_seq
        if opening.HasField("start"):
            # Before the first frame nothing can have been scrolled; after it there is no start.
            opening.viewport.ClearField("content_offset")
        self.mirror.forget_parts()
        if self.streams == 0 and self._seq == 0:
            self._seq = 1
            return Request(event_seq=1, open=opening)
        return Request(open=opening)

    def _pending_kinds(self) -> set[str | None]:
        return {request.WhichOneof("event") for request in self._pending.values()}

    def event(self, **event: Any) -> Request:
        """The request for an event; it is sent at once while the viewer is connected, or later."""
        request = Request(**event)
        kind = request.WhichOneof("event")
        if kind == "update" and not request.update.request_id:
            request.update.request_id = str(uuid.uuid4())
        if kind == "viewport":
            request.viewport.observed_frame_seq = (
                request.viewport.observed_frame_seq or self.mirror.frame_seq)
            self._note_viewport(request.viewport)
            self._merge_waiting_viewport(request)
        self._seq += 1
        request.event_seq = self._seq
        self._pending[self._seq] = request
        if self.is_connected:
            self._sent.add(self._seq)
        return request

    def withdraw(self, seq: int) -> Request | None:
        """Takes back an event for whose answer nobody waits any more.

        Returns it if it was sent, so that it may be applied all the same.
        """
        if seq in self._sent:
            return self._pending.get(seq)
        self._pending.pop(seq, None)
        return None

    def _merge_waiting_viewport(self, request: Request) -> None:
        """While there is no stream, a scroll takes the place of the one before it."""
        if self.is_connected or not self._pending:
            return
        last = max(self._pending)
        before = self._pending[last]
        if before.WhichOneof("event") == "viewport":
            del self._pending[last]
            self._sent.discard(last)
            merge_viewport(before.viewport, request.viewport)
            request.viewport.CopyFrom(before.viewport)

    def _note_viewport(self, change: session_pb2.ViewportChange) -> None:
        """What a new session would have to be told."""
        merge_viewport(self.opening.viewport, change)
        self.opening.viewport.ClearField("observed_frame_seq")

    def acknowledgement(self) -> Request:
        """Says which frame is applied, and what the elements are then."""
        return Request(ack=session_pb2.FrameAck(
            frame_seq=self.mirror.frame_seq, state_checksum=self.mirror.checksum()))

    # MARK: What comes in

    def receive(self, response: session_pb2.StreamLayoutResponse) -> list[Request]:
        """Takes note of a message, and says what to send. Raises LayoutError if nothing helps."""
        kind = response.WhichOneof("message")
        if kind == "frame":
            return self._receive_frame(response.frame)
        if kind == "opened":
            return self._receive_opened(response.opened)
        if kind == "event_result":
            self._receive_result(response.event_result)
            return self._restore()
        if kind == "scroll_target":
            self._receive_target(response.scroll_target)
        elif kind == "heartbeat":
            self.mirror.compare(response.heartbeat)
            self._token = response.heartbeat.resume_token or self._token
            self._forget(response.heartbeat.applied_event_seq)
            return [self.acknowledgement()]
        elif kind == "notice":
            _keep_newest(self.notices, self._notice_sizes, response.notice)
            if response.notice.type == session_pb2.Notice.TYPE_GOING_AWAY:
                self._delay = bounded_delay(_seconds(response.notice.reconnect_delay))
        elif kind == "prefetch":
            _keep_newest(self.told, self._told_sizes, response.prefetch)
        elif kind == "visibility":
            _keep_newest(self.told, self._told_sizes, response.visibility)
        return []

    def _receive_opened(self, opened: session_pb2.SessionOpened) -> list[Request]:
        before, resumed_from = self.opened, self._resumes_from
        self._resumes_from = None
        is_new = before is None or before.session != opened.session
        self.opened, self._token = opened, opened.resume_token
        self.is_connected, self._delay = True, None
        self.streams += 1
        self.backoff.succeeded()
        if is_new:
            if before is not None:
                self._note_places()
            self.mirror.reset(opened.units_per_point)
        elif (opened.outcome == session_pb2.SessionOpened.OUTCOME_RESUMED
                and resumed_from == self.mirror.frame_seq):
            self.mirror.resumed()
        self._forget(opened.last_event_seq)
        if before is not None and is_new:
            self._refuse_what_is_lost()
        else:
            self._left_out = set()
        requests = []
        for seq in sorted(self._pending):
            if not is_new and seq <= opened.last_event_seq:
                # Applied: the server tells the answer again, and would not take the event again.
                continue
            request = self._pending[seq]
            if is_new and request.WhichOneof("event") == "viewport":
                request.viewport.observed_frame_seq = 0
            self._sent.add(seq)
            requests.append(request)
        return requests + self._restore()

    def _restore(self) -> list[Request]:
        """Tells a new session what its opening left out, unless a pending event will tell it another value."""
        opening, requests = self.opening, []
        for field in sorted(self._left_out - self._pending_kinds()):
            self._left_out.discard(field)
            if field == "options" and opening.HasField("options"):
                requests.append(self.event(options=opening.options))
            elif field == "layout" and opening.layout_name:
                requests.append(self.event(layout=dict(layout_name=opening.layout_name)))
            elif field == "layout" and opening.HasField("layout"):
                requests.append(self.event(layout=dict(layout=opening.layout)))
        return requests

    def _note_places(self) -> None:
        """Where the items in sight are. At the start of the contents a viewer stays there."""
        if not self.mirror.frame_seq:
            # A session that ends before its first frame has no places: those of the one before count.
            return
        left, top, width, height = self.viewport
        mode = self.opening.options.anchor_mode
        is_last = mode == session_pb2.ANCHOR_MODE_LAST_VISIBLE
        if mode == session_pb2.ANCHOR_MODE_NONE or not is_last and left == 0 and top == 0:
            return
        seen = sorted((
            each for each in self.mirror.elements(self.viewport)
            if each.key and each.category == "cell" and each.frame.x < left + width
            and each.frame.x + each.frame.width > left and each.frame.y < top + height
            and each.frame.y + each.frame.height > top),
            key=lambda each: (each.section, each.item or 0), reverse=is_last)
        self._places = {each.key: (each.frame.x, each.frame.y) for each in seen}

    def _restore_place(self) -> list[Request]:
        """Scrolls so that the first item which was in sight, and still exists, is where it was."""
        places, self._places = self._places, {}
        if not places:
            return []
        found = {each.key: each.frame for each in self.mirror.elements(self.viewport) if each.key in places}
        for key, (x, y) in places.items():
            if key in found:
                box, frame = self.viewport, found[key]
                if (frame.x, frame.y) == (x, y):
                    return []
                self.mirror.note_adjustment(frame.x - x, frame.y - y)
                offset = dict(x=box.x + frame.x - x, y=box.y + frame.y - y)
                request = self.event(viewport=session_pb2.ViewportChange(content_offset=offset))
                self.restored_by = request.event_seq
                return [request]
        return []

    def _refuse_what_is_lost(self) -> None:
        for seq, request in sorted(self._pending.items()):
            if request.WhichOneof("event") in OF_ONE_SESSION or request.outline.toggled_slots:
                result = session_pb2.EventResult(event_seq=seq)
                result.problem.code = grpc.StatusCode.NOT_FOUND.value[0]
                result.problem.reason = "SESSION_EXPIRED"
                result.problem.message = "the session ended before it answered"
                self._receive_result(result)

    def _receive_target(self, target: session_pb2.ScrollTarget) -> None:
        # Nobody waits for others, which would stay for ever.
        if target.event_seq in self._pending:
            self._targets[target.event_seq] = target
        if target.event_seq == 0 and target.HasField("section_offset"):
            # The server scrolls a section by itself, and a new session would have to be told.
            self._note_viewport(session_pb2.ViewportChange(section_offsets=[target.section_offset]))
            self.scroll_targets.append(target)
            del self.scroll_targets[:-MOST_KEPT]

    def _receive_frame(self, part: session_pb2.LayoutFrame) -> list[Request]:
        self._resumes_from = None
        try:
            adjustment = self.mirror.apply(part)
        except FrameError as error:
            self._rejected += 1
            if self._rejected > MOST_REJECTED and part.base_frame_seq == 0:
                raise make_error(
                    grpc.StatusCode.DATA_LOSS, f"frames cannot be applied: {error}") from error
            return [Request(ack=session_pb2.FrameAck(frame_seq=part.frame_seq, rejected=True))]
        if adjustment is None:
            return []
        self._rejected = 0
        offset = self.opening.viewport.content_offset
        offset.x += adjustment[0]
        offset.y += adjustment[1]
        # From now on the offset says where the user is.
        self.opening.ClearField("start")
        self._forget(part.applied_event_seq)
        return [self.acknowledgement(), *self._restore_place()]

    def _receive_result(self, result: session_pb2.EventResult) -> None:
        seq = result.event_seq
        request = self._pending.pop(seq, None)
        if request is None:
            # Nobody asked, or it is the second result: the first one counts.
            return
        self._sent.discard(seq)
        answer = Answer(request, result, self._targets.pop(seq, None))
        error = answer.error()
        if error is None:
            self._note_applied(request, result)
        elif request.WhichOneof("event") == "viewport":
            self.refusals.append(error)
            del self.refusals[:-MOST_KEPT]
        self.answers.append((seq, answer))

    def _note_applied(self, request: Request, result: session_pb2.EventResult) -> None:
        """What a new session would have to be told."""
        kind = request.WhichOneof("event")
        self._left_out.discard(kind or "")
        if kind == "layout":
            self.opening.ClearField("layout")
            self.opening.layout_name = request.layout.layout_name
            if not request.layout.layout_name:
                self.opening.layout.CopyFrom(request.layout.layout)
        elif kind == "transition":
            self._note_step(request.transition)
        elif kind == "options":
            self.opening.options.CopyFrom(request.options)
        elif kind == "table":
            merge_table(self.opening.table, request.table)
        elif kind == "outline" and not result.data_version:
            # With a version the expansions are shared: the collection keeps them.
            merge_expansions(self.opening.expansions, request.outline)

    def _note_step(self, transition: session_pb2.InteractiveTransition) -> None:
        """A transition that is finished leaves its layout."""
        step = transition.WhichOneof("step")
        if step == "begin":
            self._next_layout = transition.begin
        elif step == "finish" and self._next_layout is not None:
            self.opening.ClearField("layout_name")
            self.opening.layout.CopyFrom(self._next_layout)
        if step in ("finish", "cancel"):
            self._next_layout = None

    def _forget(self, applied: int) -> None:
        """Viewport changes up to here are applied, and have no other answer."""
        for seq in [
                seq for seq, request in self._pending.items()
                if seq <= applied and request.WhichOneof("event") == "viewport"]:
            del self._pending[seq]
            self._sent.discard(seq)

    # MARK: When a stream ends

    def ended(self, error: LayoutError | None, can_renew: bool = False) -> float:
        """How many seconds to wait before the next stream. Raises the error if another is of no use.

        Args:
            error: None = the server ended the stream without an error, or was silent for too long.
            can_renew: Whether the next stream may have another token.
        """
        was_open, self.is_connected = self.is_connected, False
        has_worked = self.backoff.has_worked
        self._renewed = self._renewed and not has_worked
        if error is not None and error.code == grpc.StatusCode.UNAUTHENTICATED and can_renew and self.streams:
            # The server had accepted a token before. One that accepts none for long is not asked without end.
            if self._renewed:
                raise error
            self._renewed, self._delay = True, None
            self.backoff.ended()
            return 0
        if self._delay is not None:
            delay, self._delay = self._delay, None
            least = self.backoff.next()
            # A server that tells each stream to go at once is a faulty one.
            return delay if has_worked else max(delay, least)
        if error is None or error.code in PASSING or (
                error.code in PASSING_WITHOUT_REASON and not error.reason):
            return self.backoff.next()
        # A collection without a default layout cannot be shown without one.
        lacks_layout = "layout" in self._left_out and error.reason == "LAYOUT_KIND_UNKNOWN"
        if self._token and (lacks_layout or error.reason in LOST_SESSION):
            self._token = b""
            has_own_contents = self.opening.HasField("inline_contents")
            if error.reason != "COLLECTION_NOT_FOUND" and not has_own_contents:
                # Nothing is left of the session, where its collection may well be. The server that has refused to
                # resume it can open another one at once; one that ends what it has just opened is a faulty one.
                return self.backoff.next() if was_open else 0
        elif error.code == grpc.StatusCode.RESOURCE_EXHAUSTED and error.retry_delay is not None:
            return max(error.retry_delay, self.backoff.next())
        raise error

    def can_wait_for_first(self) -> bool:
        """Whether the server has not answered yet."""
        return self.streams == 0

    # MARK: For callers

    @property
    def viewport(self) -> Rect:
        """What is in sight, in content coordinates."""
        viewport = self.opening.viewport
        return Rect(viewport.content_offset.x, viewport.content_offset.y, viewport.size.width,
                    viewport.size.height)

    def take_frame(self) -> Frame:
        """The change since the last frame that was handed out."""
        return self.mirror.take_frame(self.viewport)

    @property
    def heartbeat(self) -> float:
        """Seconds after which the server says something in any case, 1 to 60."""
        interval = 0.0 if self.opened is None else _seconds(self.opened.options.heartbeat_interval)
        least, most = HEARTBEATS
        return min(max(interval, least), most) if interval else 15.0


def _seconds(duration: Any) -> float:
    """A duration of the protocol; its fields may be anything."""
    return float(duration.seconds + duration.nanos / 1e9)


def _keep_newest(kept: list[Any], sizes: list[int], message: Any) -> None:
    """Adds a message, and lets go of the oldest ones beyond the bounds."""
    kept.append(message)
    sizes.append(message.ByteSize())
    # Somebody may have taken those before.
    del sizes[:-len(kept)]
    while len(kept) > MOST_KEPT or len(kept) > 1 and sum(sizes) > MOST_KEPT_BYTES:
        del kept[0], sizes[0]


def renewal_delay(renew_at: float | None, now: float) -> float | None:
    """In how many seconds a stream has to be opened anew with another token; None = never."""
    return None if renew_at is None else max(1.0, renew_at - now)
