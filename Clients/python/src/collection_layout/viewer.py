# SPDX-License-Identifier: Apache-2.0
"""A live view of a collection, for programs with threads."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, cast

import grpc

from collection_layout import _events
from collection_layout._build import LayoutLike, PointLike, SizeLike
from collection_layout._credentials import Metadata, TokenKeeper
from collection_layout._events import Position, Step
from collection_layout._servers import Servers, TurningStub
from collection_layout.machine import Answer, Machine, add_request, renewal_delay
from collection_layout.errors import DeadlineError, LayoutError, make_error
from collection_layout.mirror import Elements, Frame, Rect
from collection_layout.v1 import session_pb2, session_pb2_grpc, updates_pb2

logger = logging.getLogger("collection_layout")

# Without a word from the server for so many heartbeats the connection is taken for lost.
MOST_SILENT_HEARTBEATS = 3
CLOSE_TIMEOUT = 5.0


class Requests(queue.Queue[Any]):
    """What waits to be sent, up to None."""

    def _put(self, item: Any) -> None:
        add_request(self.queue, item)


class Viewer:
    """A viewer of one collection: `Client.view` makes it.

    A thread of its own applies what the server sends, compares checksums, acknowledges, and connects again
    after the connection was lost, so `elements` is current whether or not frames are taken. Frames that
    are not taken in time are merged into one.

    ```python
    with client.view("collections/photos", size=(390, 844)) as viewer:
        for frame in viewer:
            draw(frame.elements)
    ```

    All methods can be called from any thread. Those that wait for an answer raise LayoutError if the server
    refuses, and DeadlineError if no answer comes within `timeout` seconds.
    """

    def __init__(
            self, servers: Servers[grpc.Channel], machine: Machine, tokens: TokenKeeper,
            metadata: Metadata, connect_timeout: float, timeout: float) -> None:
        self._stub = cast(
            "session_pb2_grpc.LayoutSessionServiceStub",
            TurningStub(servers, session_pb2_grpc.LayoutSessionServiceStub))
        self._servers, self._machine, self._tokens = servers, machine, tokens
        machine.backoff.addresses = len(servers)
        self._metadata, self._timeout = metadata, timeout
        self._changed = threading.Condition()
        self._wake = threading.Event()
        self._requests: Requests | None = None
        self._call: Any = None
        self._answers: dict[int, Answer | None] = {}
        self._failure: BaseException | None = None
        self._last_error: LayoutError | None = None
        self._closing = False
        self._heard = time.monotonic()
        self._thread = threading.Thread(
            target=self._run, name="collection-layout viewer", daemon=True)
        self._thread.start()
        self._wait_for_first(connect_timeout)

    # MARK: Looking

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        frame = self._take_frame(None)
        if frame is None:
            raise StopIteration
        return frame

    def next_frame(self, timeout: float | None = None) -> Frame:
        """Waits for a change since the frame before; the first one has all elements.

        Raises DeadlineError after `timeout` seconds, and LayoutError once the viewer is closed.
        """
        frame = self._take_frame(timeout)
        if frame is None:
            raise closed_error()
        return frame

    def take_frame(self) -> Frame | None:
        """The change since the frame before, without waiting; None = there is none.

        For event loops of user interfaces. Raises LayoutError once the viewer cannot go on, or if an event was
        refused that nobody waits for.
        """
        machine = self._machine
        with self._changed:
            if not (machine.mirror.has_news or machine.refusals or self._failure):
                return None
        return self._take_frame(0)

    def _take_frame(self, timeout: float | None) -> Frame | None:
        """The next frame; None = the viewer is closed."""
        machine = self._machine
        with self._changed:
            self._changed.wait_for(
                lambda: machine.mirror.has_news or machine.refusals or self._failure or self._closing,
                timeout)
            if self._closing:
                return None
            if machine.refusals:
                raise machine.refusals.pop(0)
            if machine.mirror.has_news:
                return machine.take_frame()
            if self._failure:
                raise self._failure
            raise deadline_error(f"no frame within {timeout} s")

    @property
    def elements(self) -> Elements:
        """The live elements as they are now; after a frame that was refused, as they were before it."""
        with self._changed:
            return self._machine.mirror.elements(self._machine.viewport)

    @property
    def viewport(self) -> Rect:
        """What is in sight, in content coordinates."""
        with self._changed:
            return self._machine.viewport

    @property
    def content_size(self) -> tuple[float, float]:
        """Width and height of the content."""
        with self._changed:
            return self._machine.mirror.content_size

    @property
    def coverage(self) -> Rect:
        """The elements are complete within it."""
        with self._changed:
            return self._machine.mirror.coverage

    @property
    def data_version(self) -> int:
        """The version of the data that the elements show."""
        with self._changed:
            return self._machine.mirror.data_version

    @property
    def session(self) -> str:
        """The name of the session, for queries about what it shows."""
        with self._changed:
            return self._machine.opened.session if self._machine.opened else ""

    @property
    def is_connected(self) -> bool:
        """Whether there is a stream at the moment."""
        return self._machine.is_connected

    @property
    def reconnections(self) -> int:
        """How often another stream took the place of a lost one."""
        return max(0, self._machine.streams - 1)

    def take_changes(
            self) -> list[session_pb2.PrefetchChange | session_pb2.VisibilityChange]:
        """What was told of items to get ready and of elements that were seen, since the last call.

        The newest 1000 are kept, and at most 16 MiB of them.
        """
        with self._changed:
            told, self._machine.told = self._machine.told, []
            return told

    def take_scroll_targets(self) -> list[session_pb2.ScrollTarget]:
        """Where the server has scrolled sections by itself since the last call, the newest 1000."""
        with self._changed:
            targets, self._machine.scroll_targets = self._machine.scroll_targets, []
            return targets

    def take_notices(self) -> list[session_pb2.Notice]:
        """The server's notices since the last call: the newest 1000, and at most 16 MiB of them."""
        with self._changed:
            notices, self._machine.notices = self._machine.notices, []
            return notices

    def _repr_html_(self) -> str:
        return self.elements.svg()

    # MARK: Events that nobody waits for

    def scroll(
            self, x: float | None = None, y: float | None = None, *, velocity: PointLike | None = None,
            sections: Mapping[int, float] | None = None, frame: int | None = None) -> None:
        """Scrolls to an offset, in points; what is None stays as it is.

        `sections` has offsets of sections that scroll by themselves. `frame` is the number (`Frame.seq`) of the
        frame in which the offset was read; None = the newest that came, taken or not. If the server refuses the
        event, the next frame that is waited for raises the error.
        """
        with self._changed:
            box = self._machine.viewport
            self._send(_events.scroll((box.x, box.y), x, y, velocity, sections, frame))

    def resize(self, width: float, height: float) -> None:
        """The view has another size, in points."""
        self.set_viewport(size=(width, height))

    def set_viewport(self, **fields: Any) -> None:
        """Any fields of `ViewportChange`, such as `content_insets=20` or `traits={"right_to_left": True}`."""
        event = _events.viewport(fields)
        with self._changed:
            self._send(event)

    # MARK: Events that have an answer

    def update(
            self, *changes: updates_pb2.UpdateBatch | updates_pb2.UpdateOperation,
            animated: bool = False, timeout: float | None = None) -> int:
        """Changes the data, by a batch or by operations of `updates`; returns the new data version.

        It is applied once, also if the connection is lost meanwhile. After a DeadlineError nobody knows whether
        it is applied: `request_id` of the error is that of the batch, with which it can be repeated. It is empty
        if the update was never sent, and will not be.
        """
        return self._perform(_events.update(changes, animated), timeout).result.data_version

    def change_layout(
            self, layout: LayoutLike, *, animated: bool = False, timeout: float | None = None) -> None:
        """Another layout: a `LayoutSpec`, a dictionary, or the name of a named layout to follow."""
        self._perform(_events.layout(layout, animated), timeout)

    def measure(
            self, slots: Iterable[int], sizes: Iterable[SizeLike], *, frame: int | None = None,
            timeout: float | None = None) -> None:
        """Sizes that were measured of the self-sizing elements in the slots.

        `frame` is the number (`Frame.seq`) of the frame that has them there; None = the newest that came, taken or
        not.
        """
        seq = self._machine.mirror.frame_seq if frame is None else frame
        event = _events.measure(seq, slots, sizes)
        self._perform(event, timeout)

    def set_options(self, *, timeout: float | None = None, **fields: Any) -> None:
        """Fields of `SessionOptions`; those that are not set take their defaults."""
        self._perform(_events.options(fields), timeout)

    def change_outline(
            self, *, expand: Iterable[str] = (), collapse: Iterable[str] = (), toggle: Iterable[int] = (),
            descendants: bool = False, animated: bool = False, timeout: float | None = None) -> None:
        """Expands and collapses items of outlines, by key, or by slot with `toggle`."""
        self._perform(_events.outline(expand, collapse, toggle, descendants, animated), timeout)

    def change_table(
            self, columns: Mapping[str, Mapping[str, Any]] = {}, *, order: Iterable[str] | None = None,
            reset: bool = False, animated: bool = False, timeout: float | None = None) -> None:
        """Changes columns of tables for this viewer.

        Args:
            columns: What is changed of columns and groups, by id: fields of `TableColumnChange`, such as
                ``{"year": {"width": 80}, "note": {"hidden": True}}``. No fields = as the layout says.
            order: Which come first, in this order. None = as before.
            reset: Whether what was changed before is forgotten first.
        """
        self._perform(_events.table(columns, order, reset, animated), timeout)

    def scroll_target(
            self, key: str = "", *, place: tuple[int, int] | None = None, position: Position = "nearest",
            reveal: bool = False, timeout: float | None = None) -> tuple[float, float]:
        """The offset that shows the item with a key, or at (section, item). Nothing is scrolled."""
        return target_offset(self._perform(_events.scroll_target(key, place, position, reveal), timeout))

    def scroll_to_item(
            self, key: str = "", *, place: tuple[int, int] | None = None, position: Position = "nearest",
            reveal: bool = False, timeout: float | None = None) -> tuple[float, float]:
        """Scrolls so that an item is in sight; returns the offset."""
        x, y = self.scroll_target(key, place=place, position=position, reveal=reveal, timeout=timeout)
        self.scroll(x, y)
        return x, y

    def release(
            self, velocity: PointLike = (0, 0), *, proposed_offset: PointLike | None = None,
            section: int | None = None, fast: bool = False, timeout: float | None = None
    ) -> tuple[float, float]:
        """Where scrolling is to end when the finger lifts at a velocity, in points a second."""
        return target_offset(self._perform(
            _events.release(velocity, proposed_offset, section, fast), timeout))

    def neighbor(
            self, step: Step, key: str = "", *, place: tuple[int, int] | None = None,
            position: Position = "nearest", timeout: float | None = None) -> session_pb2.ScrollTarget:
        """Which item a key press leads to from another one, and the offset that shows it."""
        answer = self._perform(_events.neighbor(step, key, place, position), timeout)
        return answer.target or session_pb2.ScrollTarget()

    def send(self, *, timeout: float | None = None, **event: Any) -> session_pb2.EventResult:
        """Any event of the protocol that has an answer, such as `movement={"begin": {…}}`."""
        return self._perform(_events.other(event), timeout).result

    def settle(self, timeout: float | None = None) -> Elements:
        """Waits until the elements reflect all that was sent before, and returns them."""
        deadline = time.monotonic() + self._within(timeout)
        machine = self._machine
        while True:
            answer = self._perform(_events.sync(), deadline - time.monotonic())
            with self._changed:
                # The answer comes also after a frame that was refused, before the keyframe that takes its place.
                self._wait_until(lambda: machine.mirror.is_current, deadline)
                # In a new session, the first frame may have made the viewer scroll to where it was.
                if machine.restored_by < answer.request.event_seq:
                    return self.elements

    # MARK: The end

    def close(self, discard: bool = True) -> None:
        """Ends the viewer. With `discard=False` the server keeps the session for a while."""
        with self._changed:
            if self._closing:
                return
            self._closing = True
            if self._requests is not None and self._machine.is_connected:
                self._send({"close": session_pb2.CloseSession(discard=discard)})
                self._requests.put(None)
            elif self._call is not None:
                self._call.cancel()
            self._changed.notify_all()
        self._wake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(CLOSE_TIMEOUT)
            if self._thread.is_alive() and self._call is not None:
                self._call.cancel()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None,
            trace: TracebackType | None) -> None:
        self.close()

    # MARK: Sending

    def _send(self, event: dict[str, Any]) -> int:
        if self._failure:
            raise self._failure
        request = self._machine.event(**event)
        if self._machine.is_connected and self._requests is not None:
            self._requests.put(request)
        return request.event_seq

    def _perform(self, event: dict[str, Any], timeout: float | None) -> Answer:
        deadline = time.monotonic() + self._within(timeout)
        with self._changed:
            seq = self._send(event)
            self._answers[seq] = None
            try:
                self._wait_until(lambda: self._answers[seq] is not None, deadline)
                answer = self._answers[seq]
            except DeadlineError:
                if self._failure:
                    raise
                raise late_answer(self._machine.withdraw(seq)) from None
            finally:
                del self._answers[seq]
        assert answer is not None
        error = answer.error()
        if error is not None:
            raise error
        return answer

    def _within(self, timeout: float | None) -> float:
        return self._timeout if timeout is None else timeout

    def _wait_until(self, condition: Any, deadline: float) -> None:
        """Waits with the lock held."""
        self._changed.wait_for(
            lambda: condition() or self._failure or self._closing, deadline - time.monotonic())
        if condition():
            return
        if self._failure:
            raise self._failure
        raise closed_error() if self._closing else deadline_error("the answer did not come in time")

    def _wait_for_first(self, connect_timeout: float) -> None:
        started = time.monotonic()
        try:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._machine.streams or self._failure, connect_timeout)
                if not self._machine.streams and not self._failure:
                    raise self._last_error or deadline_error(
                        f"{self._servers.address} does not answer within {connect_timeout:g} s")
                self._wait_until(
                    lambda: self._machine.mirror.frame_seq, started + connect_timeout + self._timeout)
        except BaseException:
            self.close()
            raise

    # MARK: The thread

    def _run(self) -> None:
        try:
            self._stream_after_stream()
        except Exception as error:
            # A fault of the client: whoever waits has to be told, since nothing comes any more.
            logger.exception("%s: the viewer has ended", self._servers.address)
            self._fail(error)
        finally:
            with self._changed:
                self._machine.is_connected = False
                self._changed.notify_all()

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._machine.is_connected = False
            self._changed.notify_all()
        if self._call is not None:
            self._call.cancel()

    def _stream_after_stream(self) -> None:
        while not self._closing:
            turn = self._servers.turn
            error = self._stream()
            with self._changed:
                if self._closing or self._failure:
                    break
                self._last_error = error
                delay = self._delay(error)
                if delay is None:
                    break
            logger.warning("%s: connecting again in %.2f s (%s)", self._servers.address, delay,
                           error or "the stream ended")
            self._servers.move_on(turn)
            self._wake.wait(delay)

    def _delay(self, error: LayoutError | None) -> float | None:
        """How long to wait for the next stream; None = there is none."""
        try:
            if error is not None and error.code == grpc.StatusCode.UNAUTHENTICATED:
                self._tokens.forget()
            return self._machine.ended(error, self._tokens.can_renew)
        except LayoutError as failure:
            self._failure = failure
            return None

    def _stream(self) -> LayoutError | None:
        """One stream from its beginning to its end; the error with which it ended."""
        first = None
        requests = Requests()
        try:
            try:
                metadata = self._metadata + self._tokens.metadata()
            except Exception as error:
                return no_token(self._machine, error)
            with self._changed:
                if self._closing:
                    return None
                first = self._machine.first_request()
                requests.put(first)
                self._requests, self._heard = requests, time.monotonic()
                self._call = self._stub.StreamLayout(self._outgoing(requests), metadata=metadata)
            for response in self._call:
                self._receive(response, requests)
            return None
        except grpc.RpcError as error:
            return LayoutError.from_rpc_error(error, self._servers.address, first)
        except Exception as error:
            # Also what a function that gives tokens raises at first: nobody else would see it.
            self._fail(error)
            return None
        finally:
            requests.put(None)

    def _receive(self, response: session_pb2.StreamLayoutResponse, requests: Requests) -> None:
        self._heard = time.monotonic()
        with self._changed:
            for request in self._machine.receive(response):
                requests.put(request)
            for seq, answer in self._machine.answers:
                if seq in self._answers:
                    self._answers[seq] = answer
            self._machine.answers = []
            self._changed.notify_all()

    def _outgoing(self, requests: Requests) -> Iterator[Any]:
        """What is to be sent; gRPC reads it in a thread, which also notices when the server is silent."""
        try:
            yield from self._to_send(requests)
        except Exception as error:
            # gRPC would say only that there was one.
            self._fail(error)
            raise

    def _to_send(self, requests: Requests) -> Iterator[Any]:
        renewal = renewal_delay(self._tokens.renew_at, time.time())
        renew_at = None if renewal is None else time.monotonic() + renewal
        while True:
            until = self._heard + MOST_SILENT_HEARTBEATS * self._machine.heartbeat
            until = until if renew_at is None else min(until, renew_at)
            wait = until - time.monotonic()
            try:
                request = requests.get(timeout=max(0.0, wait))
            except queue.Empty:
                if wait <= 0 and self._call is not None:
                    self._call.cancel()
                    return
                continue
            if request is None:
                return
            yield request


def no_token(machine: Machine, error: Exception) -> LayoutError:
    """A function that gives tokens has failed. Raises what it raised before the first stream, as calls do."""
    if not machine.streams:
        raise error
    result = make_error(grpc.StatusCode.UNAVAILABLE, f"no token: {error!r}")
    result.__cause__ = error
    return result


def late_answer(event: session_pb2.StreamLayoutRequest | None) -> LayoutError:
    """The answer to an event did not come in time. The event may be applied; None = it was taken back."""
    if event is None:
        return deadline_error("the event was not sent in time, and will not be")
    error = deadline_error("the answer did not come in time, and the event may be applied")
    error.request_id = event.update.request_id
    return error


def target_offset(answer: Answer) -> tuple[float, float]:
    """The offset that the server answered."""
    target = answer.target or session_pb2.ScrollTarget()
    # The server may answer -0.0.
    return target.content_offset.x + 0.0, target.content_offset.y + 0.0


def deadline_error(message: str) -> LayoutError:
    """Something did not happen in time."""
    return make_error(grpc.StatusCode.DEADLINE_EXCEEDED, message)


def closed_error() -> LayoutError:
    """The viewer was closed, and there is nothing to wait for."""
    return make_error(grpc.StatusCode.CANCELLED, "the viewer is closed")
