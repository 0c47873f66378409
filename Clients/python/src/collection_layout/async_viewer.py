# SPDX-License-Identifier: Apache-2.0
"""A live view of a collection, for programs with asyncio."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, cast

import grpc
import grpc.aio

from collection_layout import _events
from collection_layout._build import LayoutLike, PointLike, SizeLike
from collection_layout._credentials import Metadata, TokenKeeper
from collection_layout._events import Position, Step
from collection_layout._servers import Servers, TurningStub
from collection_layout.machine import Answer, Machine, add_request, renewal_delay
from collection_layout.errors import DeadlineError, LayoutError
from collection_layout.mirror import Elements, Frame, Rect
from collection_layout.v1 import session_pb2, session_pb2_grpc, updates_pb2
from collection_layout.viewer import (
    CLOSE_TIMEOUT, MOST_SILENT_HEARTBEATS, closed_error, deadline_error, late_answer, logger,
    no_token, target_offset)


class AsyncRequests(asyncio.Queue[Any]):
    """What waits to be sent, up to None."""

    _queue: deque[Any]

    def _put(self, item: Any) -> None:
        add_request(self._queue, item)


class AsyncViewer:
    """A viewer of one collection: `AsyncClient.view` makes it.

    A task of its own applies what the server sends, compares checksums, acknowledges, and connects again
    after the connection was lost, so `elements` is current whether or not frames are taken. Frames that
    are not taken in time are merged into one.

    ```python
    async with client.view("collections/photos", size=(390, 844)) as viewer:
        async for frame in viewer:
            draw(frame.elements)
    ```

    Methods that wait for an answer raise LayoutError if the server refuses, and DeadlineError if no answer
    comes within `timeout` seconds.
    """

    def __init__(
            self, servers: Servers[Any], machine: Machine, tokens: TokenKeeper,
            metadata: Metadata, connect_timeout: float, timeout: float) -> None:
        self._stub = cast(
            "session_pb2_grpc.LayoutSessionServiceAsyncStub",
            TurningStub(servers, session_pb2_grpc.LayoutSessionServiceStub))
        self._servers, self._machine, self._tokens = servers, machine, tokens
        machine.backoff.addresses = len(servers)
        self._metadata, self._timeout, self._connect_timeout = metadata, timeout, connect_timeout
        self._changed = asyncio.Condition()
        self._requests: AsyncRequests | None = None
        self._call: Any = None
        self._answers: dict[int, Answer | None] = {}
        self._failure: BaseException | None = None
        self._last_error: LayoutError | None = None
        self._closing = False
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> AsyncViewer:
        """Connects, and waits for the first frame. `async with` does it too."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())
            try:
                await self._wait_for_first()
            except BaseException:
                await self.close()
                raise
        return self

    # MARK: Looking

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self

    async def __anext__(self) -> Frame:
        frame = await self._take_frame(None)
        if frame is None:
            raise StopAsyncIteration
        return frame

    async def next_frame(self, timeout: float | None = None) -> Frame:
        """Waits for a change since the frame before; the first one has all elements.

        Raises DeadlineError after `timeout` seconds, and LayoutError once the viewer is closed.
        """
        frame = await self._take_frame(timeout)
        if frame is None:
            raise closed_error()
        return frame

    async def _take_frame(self, timeout: float | None) -> Frame | None:
        """The next frame; None = the viewer is closed."""
        await self.open()
        machine = self._machine
        await self._wait(
            lambda: machine.mirror.has_news or machine.refusals or self._failure or self._closing, timeout)
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
        return self._machine.mirror.elements(self._machine.viewport)

    @property
    def viewport(self) -> Rect:
        """What is in sight, in content coordinates."""
        return self._machine.viewport

    @property
    def content_size(self) -> tuple[float, float]:
        """Width and height of the content."""
        return self._machine.mirror.content_size

    @property
    def coverage(self) -> Rect:
        """The elements are complete within it."""
        return self._machine.mirror.coverage

    @property
    def data_version(self) -> int:
        """The version of the data that the elements show."""
        return self._machine.mirror.data_version

    @property
    def session(self) -> str:
        """The name of the session, for queries about what it shows."""
        return self._machine.opened.session if self._machine.opened else ""

    @property
    def is_connected(self) -> bool:
        """Whether there is a stream at the moment."""
        return self._machine.is_connected

    @property
    def reconnections(self) -> int:
        """How often another stream took the place of a lost one."""
        return max(0, self._machine.streams - 1)

    def take_changes(self) -> list[session_pb2.PrefetchChange | session_pb2.VisibilityChange]:
        """What was told of items to get ready and of elements that were seen, since the last call.

        The newest 1000 are kept, and at most 16 MiB of them.
        """
        told, self._machine.told = self._machine.told, []
        return told

    def take_scroll_targets(self) -> list[session_pb2.ScrollTarget]:
        """Where the server has scrolled sections by itself since the last call, the newest 1000."""
        targets, self._machine.scroll_targets = self._machine.scroll_targets, []
        return targets

    def take_notices(self) -> list[session_pb2.Notice]:
        """The server's notices since the last call: the newest 1000, and at most 16 MiB of them."""
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
        box = self._machine.viewport
        self._send(_events.scroll((box.x, box.y), x, y, velocity, sections, frame))

    def resize(self, width: float, height: float) -> None:
        """The view has another size, in points."""
        self.set_viewport(size=(width, height))

    def set_viewport(self, **fields: Any) -> None:
        """Any fields of `ViewportChange`, such as `content_insets=20` or `traits={"right_to_left": True}`."""
        self._send(_events.viewport(fields))

    # MARK: Events that have an answer

    async def update(
            self, *changes: updates_pb2.UpdateBatch | updates_pb2.UpdateOperation,
            animated: bool = False, timeout: float | None = None) -> int:
        """Changes the data, by a batch or by operations of `updates`; returns the new data version.

        It is applied once, also if the connection is lost meanwhile. After a DeadlineError nobody knows whether
        it is applied: `request_id` of the error is that of the batch, with which it can be repeated. It is empty
        if the update was never sent, and will not be.
        """
        answer = await self._perform(_events.update(changes, animated), timeout)
        return answer.result.data_version

    async def change_layout(
            self, layout: LayoutLike, *, animated: bool = False, timeout: float | None = None) -> None:
        """Another layout: a `LayoutSpec`, a dictionary, or the name of a named layout to follow."""
        await self._perform(_events.layout(layout, animated), timeout)

    async def measure(
            self, slots: Iterable[int], sizes: Iterable[SizeLike], *, frame: int | None = None,
            timeout: float | None = None) -> None:
        """Sizes that were measured of the self-sizing elements in the slots.

        `frame` is the number (`Frame.seq`) of the frame that has them there; None = the newest that came, taken or
        not.
        """
        seq = self._machine.mirror.frame_seq if frame is None else frame
        await self._perform(
            _events.measure(seq, slots, sizes), timeout)

    async def set_options(self, *, timeout: float | None = None, **fields: Any) -> None:
        """Fields of `SessionOptions`; those that are not set take their defaults."""
        await self._perform(_events.options(fields), timeout)

    async def change_outline(
            self, *, expand: Iterable[str] = (), collapse: Iterable[str] = (), toggle: Iterable[int] = (),
            descendants: bool = False, animated: bool = False, timeout: float | None = None) -> None:
        """Expands and collapses items of outlines, by key, or by slot with `toggle`."""
        await self._perform(
            _events.outline(expand, collapse, toggle, descendants, animated), timeout)

    async def change_table(
            self, columns: Mapping[str, Mapping[str, Any]] = {}, *, order: Iterable[str] | None = None,
            reset: bool = False, animated: bool = False, timeout: float | None = None) -> None:
        """Changes columns of tables for this viewer.

        Args:
            columns: What is changed of columns and groups, by id: fields of `TableColumnChange`, such as
                ``{"year": {"width": 80}, "note": {"hidden": True}}``. No fields = as the layout says.
            order: Which come first, in this order. None = as before.
            reset: Whether what was changed before is forgotten first.
        """
        await self._perform(_events.table(columns, order, reset, animated), timeout)

    async def scroll_target(
            self, key: str = "", *, place: tuple[int, int] | None = None, position: Position = "nearest",
            reveal: bool = False, timeout: float | None = None) -> tuple[float, float]:
        """The offset that shows the item with a key, or at (section, item). Nothing is scrolled."""
        return target_offset(await self._perform(
            _events.scroll_target(key, place, position, reveal), timeout))

    async def scroll_to_item(
            self, key: str = "", *, place: tuple[int, int] | None = None, position: Position = "nearest",
            reveal: bool = False, timeout: float | None = None) -> tuple[float, float]:
        """Scrolls so that an item is in sight; returns the offset."""
        x, y = await self.scroll_target(
            key, place=place, position=position, reveal=reveal, timeout=timeout)
        self.scroll(x, y)
        return x, y

    async def release(
            self, velocity: PointLike = (0, 0), *, proposed_offset: PointLike | None = None,
            section: int | None = None, fast: bool = False, timeout: float | None = None
    ) -> tuple[float, float]:
        """Where scrolling is to end when the finger lifts at a velocity, in points a second."""
        return target_offset(await self._perform(
            _events.release(velocity, proposed_offset, section, fast), timeout))

    async def neighbor(
            self, step: Step, key: str = "", *, place: tuple[int, int] | None = None,
            position: Position = "nearest", timeout: float | None = None) -> session_pb2.ScrollTarget:
        """Which item a key press leads to from another one, and the offset that shows it."""
        answer = await self._perform(_events.neighbor(step, key, place, position), timeout)
        return answer.target or session_pb2.ScrollTarget()

    async def send(self, *, timeout: float | None = None, **event: Any) -> session_pb2.EventResult:
        """Any event of the protocol that has an answer, such as `movement={"begin": {…}}`."""
        return (await self._perform(_events.other(event), timeout)).result

    async def settle(self, timeout: float | None = None) -> Elements:
        """Waits until the elements reflect all that was sent before, and returns them."""
        deadline = time.monotonic() + self._within(timeout)
        machine = self._machine
        while True:
            answer = await self._perform(_events.sync(), deadline - time.monotonic())
            # The answer comes also after a frame that was refused, before the keyframe that takes its place.
            await self._wait_until(lambda: machine.mirror.is_current, deadline)
            # In a new session, the first frame may have made the viewer scroll to where it was.
            if machine.restored_by < answer.request.event_seq:
                return self.elements

    # MARK: The end

    async def close(self, discard: bool = True) -> None:
        """Ends the viewer. With `discard=False` the server keeps the session for a while."""
        if self._closing:
            return
        if self._requests is not None and self._machine.is_connected and not self._failure:
            self._send({"close": session_pb2.CloseSession(discard=discard)})
            self._requests.put_nowait(None)
        self._closing, task = True, self._task
        await self._notify()
        if task is not None and task is not asyncio.current_task():
            if self._machine.is_connected:
                await asyncio.wait([task], timeout=CLOSE_TIMEOUT)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def __aenter__(self) -> AsyncViewer:
        return await self.open()

    async def __aexit__(
            self, kind: type[BaseException] | None, error: BaseException | None,
            trace: TracebackType | None) -> None:
        await self.close()

    # MARK: Sending

    def _send(self, event: dict[str, Any]) -> int:
        if self._failure:
            raise self._failure
        request = self._machine.event(**event)
        if self._machine.is_connected and self._requests is not None:
            self._requests.put_nowait(request)
        return request.event_seq

    async def _perform(self, event: dict[str, Any], timeout: float | None) -> Answer:
        deadline = time.monotonic() + self._within(timeout)
        seq = self._send(event)
        self._answers[seq] = None
        try:
            await self._wait_until(lambda: self._answers[seq] is not None, deadline)
            answer = self._answers[seq]
        except DeadlineError:
            if self._failure:
                raise
            raise late_answer(self._machine.withdraw(seq)) from None
        except asyncio.CancelledError:
            self._machine.withdraw(seq)
            raise
        finally:
            del self._answers[seq]
        assert answer is not None
        error = answer.error()
        if error is not None:
            raise error
        return answer

    def _within(self, timeout: float | None) -> float:
        return self._timeout if timeout is None else timeout

    async def _wait(self, condition: Any, timeout: float | None) -> None:
        """Waits until the condition holds, or the time is over."""
        async with self._changed:
            try:
                await asyncio.wait_for(self._changed.wait_for(condition), timeout)
            except asyncio.TimeoutError:
                pass

    async def _wait_until(self, condition: Any, deadline: float) -> None:
        await self._wait(
            lambda: condition() or self._failure or self._closing, deadline - time.monotonic())
        if condition():
            return
        if self._failure:
            raise self._failure
        raise closed_error() if self._closing else deadline_error("the answer did not come in time")

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _wait_for_first(self) -> None:
        started = time.monotonic()
        await self._wait(lambda: self._machine.streams or self._failure, self._connect_timeout)
        if not self._machine.streams and not self._failure:
            raise self._last_error or deadline_error(
                f"{self._servers.address} does not answer within {self._connect_timeout:g} s")
        await self._wait_until(
            lambda: self._machine.mirror.frame_seq, started + self._connect_timeout + self._timeout)

    # MARK: The task

    async def _run(self) -> None:
        try:
            while not self._closing:
                turn = self._servers.turn
                error = await self._stream()
                if self._closing or self._failure:
                    break
                self._last_error = error
                delay = self._delay(error)
                if delay is None:
                    break
                logger.warning("%s: connecting again in %.2f s (%s)", self._servers.address, delay,
                               error or "the stream ended")
                self._servers.move_on(turn)
                await self._wait(lambda: self._closing, delay)
        except Exception as error:
            # A fault of the client: whoever waits has to be told, since nothing comes any more.
            logger.exception("%s: the viewer has ended", self._servers.address)
            self._failure = self._failure or error
        finally:
            self._machine.is_connected = False
            await self._notify()

    def _delay(self, error: LayoutError | None) -> float | None:
        """How long to wait for the next stream; None = there is none."""
        try:
            if error is not None and error.code == grpc.StatusCode.UNAUTHENTICATED:
                self._tokens.forget()
            return self._machine.ended(error, self._tokens.can_renew)
        except LayoutError as failure:
            self._failure = failure
            return None

    async def _stream(self) -> LayoutError | None:
        """One stream from its beginning to its end; the error with which it ended."""
        first = None
        requests = AsyncRequests()
        try:
            try:
                metadata = self._metadata + await self._tokens.metadata_async()
            except Exception as error:
                return no_token(self._machine, error)
            first = self._machine.first_request()
            requests.put_nowait(first)
            self._requests = requests
            call: Any = self._stub.StreamLayout(outgoing(requests), metadata=metadata)
            try:
                await self._read(call, requests)
            finally:
                call.cancel()
            return None
        except grpc.RpcError as error:
            return LayoutError.from_rpc_error(error, self._servers.address, first)
        except asyncio.TimeoutError:
            return None
        except Exception as error:
            # Also what a function that gives tokens raises at first: nobody else would see it.
            self._failure = error
            return None
        finally:
            requests.put_nowait(None)

    async def _read(self, call: Any, requests: AsyncRequests) -> None:
        """Reads to the end. Raises TimeoutError if the server is silent, or the token ends."""
        renewal = renewal_delay(self._tokens.renew_at, time.time())
        renew_at = None if renewal is None else time.monotonic() + renewal
        while True:
            wait = MOST_SILENT_HEARTBEATS * self._machine.heartbeat
            if renew_at is not None:
                wait = min(wait, renew_at - time.monotonic())
            response = await asyncio.wait_for(call.read(), max(0.0, wait))
            if response is grpc.aio.EOF:
                return
            for request in self._machine.receive(response):
                requests.put_nowait(request)
            for seq, answer in self._machine.answers:
                if seq in self._answers:
                    self._answers[seq] = answer
            self._machine.answers = []
            await self._notify()


async def outgoing(requests: AsyncRequests) -> AsyncIterator[Any]:
    """What is to be sent, up to None."""
    while True:
        request = await requests.get()
        if request is None:
            return
        yield request
