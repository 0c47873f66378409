# SPDX-License-Identifier: Apache-2.0
"""The client, for programs with asyncio."""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar, cast

import grpc
import grpc.aio
from google.protobuf.message import Message

from collection_layout import _calls, _events
from collection_layout._build import (
    LayoutLike, PointLike, RectLike, SizeLike, build, layout_spec)
from collection_layout._credentials import (
    CHANNEL_OPTIONS, Metadata, Pem, Tls, TokenKeeper, TokenSource, channel_credentials)
from collection_layout._events import collection_name
from collection_layout._servers import Servers, TurningStub, address_list
from collection_layout.client import (
    DEFAULT_TIMEOUT, LONG_TIMEOUT, server_address, view_machine)
from collection_layout.data import Column, ContentsLike, import_parts
from collection_layout.errors import LayoutError
from collection_layout.v1 import (
    attributes_pb2, collection_pb2, collection_service_pb2 as service, collection_service_pb2_grpc,
    geometry_pb2, problem_pb2, query_service_pb2 as query, query_service_pb2_grpc, updates_pb2)
from collection_layout.async_viewer import AsyncViewer


Answer = TypeVar("Answer", bound=Message)
T = TypeVar("T")


class AsyncClient:
    """A connection to a layout server.

    ```python
    from collection_layout import AsyncClient, contents, layouts

    async with AsyncClient("127.0.0.1:50051") as client:
        await client.create_collection("rows", contents(heights=[44, 60, 52], widths=300))
        async with client.view("rows", layout=layouts.list(), size=(300, 400)) as viewer:
            print(viewer.elements.y)
    ```

    Names of collections are "collections/rows", or "rows" for short. Calls raise LayoutError. Those that
    only read, and updates, are tried again if the server cannot be reached, within their deadline.
    """

    def __init__(
            self, address: str | None = None, *, tls: Tls = False,
            client_certificate: Sequence[Pem] | None = None, token: TokenSource | None = None,
            timeout: float = DEFAULT_TIMEOUT, connect_timeout: float = 5.0,
            options: Iterable[tuple[str, Any]] = ()) -> None:
        """Nothing is connected before the first call.

        Args:
            address: Host and port; None = LAYOUT_SERVER_ADDRESS, or 127.0.0.1:50051. Servers that share their
                collections are a list with commas: where one is lost, the next is tried at once.
            tls: True = with the system's certificates; a path or bytes in PEM = with these; or
                credentials of grpc.
            client_certificate: Certificate chain and private key, as paths or as bytes in PEM.
            token: Sent as "Bearer" in `authorization`. A function, which may be a coroutine function, is
                asked for one with each call, or, if it returns `Token` with its end, some time before that.
            timeout: Of a call, and of answers in a stream, in seconds.
            connect_timeout: How long `view` waits for the server, in seconds.
            options: Of grpc's channel, beside those of this client.

        Raises:
            ValueError: The token would be sent in plain text to another machine.
        """
        addresses = address_list(server_address(address))
        self.timeout, self.connect_timeout = timeout, connect_timeout
        credentials = {each: channel_credentials(each, tls, client_certificate, token is not None)
                       for each in addresses}
        channel_options = [*CHANNEL_OPTIONS, *options]

        def connect(address: str) -> Any:
            given = credentials[address]
            return (grpc.aio.insecure_channel(address, channel_options) if given is None
                    else grpc.aio.secure_channel(address, given, channel_options))

        self._servers = Servers(addresses, connect)
        self._tokens = TokenKeeper(token)
        self._collections = cast(
            "collection_service_pb2_grpc.CollectionServiceAsyncStub",
            TurningStub(self._servers, collection_service_pb2_grpc.CollectionServiceStub))
        self._queries = cast(
            "query_service_pb2_grpc.LayoutQueryServiceAsyncStub",
            TurningStub(self._servers, query_service_pb2_grpc.LayoutQueryServiceStub))
        self._viewers: weakref.WeakSet[AsyncViewer] = weakref.WeakSet()

    # MARK: AsyncViewers

    def view(
            self, collection: str | None = None, *,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike = (1024, 768), offset: PointLike | None = None,
            viewport: Mapping[str, Any] | None = None, start: Mapping[str, Any] | None = None,
            options: Mapping[str, Any] | None = None, expansions: Mapping[str, Any] | None = None,
            packed: bool = True, units: int = 64, animations: bool = False,
            capabilities: Mapping[str, Any] | None = None, vectors: bool | None = None,
            renderer: str | None = None) -> AsyncViewer:
        """A viewer, which connects with `async with`, `await viewer.open()`, or the first frame.

        Args:
            collection: What to view.
            contents: Or contents of the viewer's own, which nobody else sees.
            layout: A `LayoutSpec`, a dictionary, or the name of a named layout; None = the collection's.
            size: Of the viewport, in points.
            offset: Where to begin.
            viewport: Other fields of `ViewportChange`, such as `content_insets` and `traits`.
            start: Fields of `StartPlace`, instead of an offset: `{"edge": "end"}`.
            options: Fields of `SessionOptions`, such as `overscan_ahead`.
            expansions: Fields of `ExpansionState`: what of outlines is expanded, `{"base": "expanded"}`.
            packed: Whether elements come packed, or one message each and without rounding.
            units: To which part of a point packed elements are rounded: 64 or 192.
            animations: Whether frames have `transition`.
            capabilities: Other fields of `ClientCapabilities`, such as `pinning` and `scroll_effects`: what
                the program does by itself with `Element.message` and `Frame.scroll_effects`.
            vectors: Whether columns are numpy arrays; None = if numpy is installed.
            renderer: What measures elements: name and version of the program, its fonts, and whatever else
                sizes depend on. Where the collection shares measurements, viewers with the same one have the
                same sizes. None = the viewer measures for itself.
        """
        machine = view_machine(
            collection, contents, layout, size, offset, viewport, start, options, expansions, packed,
            units, animations, capabilities, vectors, renderer)
        viewer = AsyncViewer(
            self._servers, machine, self._tokens,
            _calls.routing(machine.opening.collection), self.connect_timeout, self.timeout)
        self._viewers.add(viewer)
        return viewer

    # MARK: Collections

    async def create_collection(
            self, name: str = "", contents: ContentsLike | None = None, *, layout: LayoutLike | None = None,
            display_name: str = "", labels: Mapping[str, str] | None = None, group_by: Column = None,
            **columns: Column) -> collection_pb2.Collection:
        """Creates a collection, with contents, or with columns of items (see `items`).

        Contents that do not fit into one message are imported after the creation.
        """
        source = None
        if contents is not None or columns or group_by is not None:
            source = _calls.sections_of(contents, group_by, columns)
        small = None if source is None else _calls.small_contents(source)
        request = _calls.creation(name, layout, display_name, labels, small)
        created = (await self._call(self._collections.CreateCollection, request, False)).collection
        if source is None or small is not None:
            return created
        try:
            return await self.import_contents(created.name, source)
        except BaseException:
            await self.delete_collection(created.name)
            raise

    async def get_collection(self, name: str) -> collection_pb2.Collection:
        """What describes a collection, without its contents."""
        request = service.GetCollectionRequest(name=collection_name(name))
        return (await self._call(self._collections.GetCollection, request)).collection

    async def list_collections(self) -> AsyncIterator[collection_pb2.Collection]:
        """All collections, in order of their names, without their layouts."""
        request = service.ListCollectionsRequest(
            page_size=1000, view=service.COLLECTION_VIEW_BASIC)
        while True:
            page = await self._call(self._collections.ListCollections, request)
            for each in page.collections:
                yield each
            if not _calls.turn_page(request, page):
                return

    async def update_collection(
            self, name: str, *, layout: LayoutLike | None = None, display_name: str | None = None,
            labels: Mapping[str, str] | None = None, etag: str = "") -> collection_pb2.Collection:
        """Changes what describes a collection; what is None stays."""
        request = _calls.description(name, layout, display_name, labels, etag)
        return (await self._call(self._collections.UpdateCollection, request, False)).collection

    async def delete_collection(self, name: str, *, allow_missing: bool = False) -> None:
        """Deletes a collection and ends its viewers."""
        await self._call(self._collections.DeleteCollection, service.DeleteCollectionRequest(
            name=collection_name(name), allow_missing=allow_missing), False)

    async def import_contents(
            self, name: str, contents: ContentsLike | None = None, *,
            expected_data_version: int | None = None, group_by: Column = None,
            timeout: float = LONG_TIMEOUT, **columns: Column) -> collection_pb2.Collection:
        """Replaces the contents, as one data version: all or nothing.

        They are sent in parts of about 1 MiB, so there may be millions of items. `contents` are contents,
        sections, or a generator of sections; or columns are given as for `items`.
        """
        parts = import_parts(
            collection_name(name), _calls.sections_of(contents, group_by, columns),
            expected_data_version)
        errors: list[BaseException] = []
        answer = await self._once(
            lambda metadata: self._collections.ImportContents(
                _unblocked(parts, errors), timeout=timeout, metadata=metadata), None, errors)
        return answer.collection

    async def export_contents(
            self, name: str, timeout: float = LONG_TIMEOUT) -> collection_pb2.CollectionContents:
        """The contents at the current version.

        Raises LayoutError unless there are as many sections and items as the server announces.
        """
        request = service.ExportContentsRequest(name=collection_name(name))

        async def read(metadata: Metadata) -> collection_pb2.CollectionContents:
            export = _calls.Export()
            call = self._collections.ExportContents(request, timeout=timeout, metadata=metadata)
            try:
                async for part in call:
                    export.add(part)
            finally:
                call.cancel()
            return export.whole()

        return await self._once(read, request)

    async def apply(
            self, name: str, *changes: updates_pb2.UpdateBatch | updates_pb2.UpdateOperation,
            animated: bool = False) -> int:
        """Commits a batch, or operations of `updates` as one; returns the new data version."""
        batch = _events.one_batch(changes, animated)
        if not batch.request_id:
            batch.request_id = os.urandom(16).hex()
        return (await self._call(self._collections.ApplyUpdates, service.ApplyUpdatesRequest(
            name=collection_name(name), batch=batch))).data_version

    # MARK: Named layouts

    async def create_layout(
            self, collection: str, name: str, layout: LayoutLike) -> collection_pb2.NamedLayout:
        """Makes a layout that viewers can follow by its name."""
        return (await self._call(self._collections.CreateLayout, service.CreateLayoutRequest(
            parent=collection_name(collection), layout_id=name, layout=collection_pb2.NamedLayout(
                layout=layout_spec(layout))), False)).layout

    async def update_layout(
            self, name: str, layout: LayoutLike, *, animated: bool = False) -> collection_pb2.NamedLayout:
        """Changes a named layout, "collections/{collection}/layouts/{layout}", and all who follow it."""
        return (await self._call(self._collections.UpdateLayout, service.UpdateLayoutRequest(
            layout=collection_pb2.NamedLayout(name=name, layout=layout_spec(layout)),
            animated=animated), False)).layout

    async def delete_layout(self, name: str, *, allow_missing: bool = False) -> None:
        """Deletes a named layout. AsyncViewers who follow it keep what they have."""
        await self._call(self._collections.DeleteLayout, service.DeleteLayoutRequest(
            name=name, allow_missing=allow_missing), False)

    async def list_layouts(self, collection: str) -> AsyncIterator[collection_pb2.NamedLayout]:
        """The named layouts of a collection."""
        request = service.ListLayoutsRequest(parent=collection_name(collection), page_size=1000)
        while True:
            page = await self._call(self._collections.ListLayouts, request)
            for each in page.layouts:
                yield each
            if not _calls.turn_page(request, page):
                return

    # MARK: Questions

    async def query_elements(
            self, rect: RectLike, *, collection: str | None = None, session: str | None = None,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike | None = None, viewport: Mapping[str, Any] | None = None
    ) -> AsyncIterator[attributes_pb2.ElementAttributes]:
        """The elements in a rect, of a collection, of the session of a viewer, or of contents."""
        about = _calls.target(collection, session, contents, layout, size, viewport)
        request = _calls.elements_request(about, rect, 1000)
        while True:
            page = await self._call(self._queries.QueryElements, request)
            for each in page.elements:
                yield each
            if not _calls.turn_page(request, page):
                return

    async def content_size(
            self, *, collection: str | None = None, session: str | None = None,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike | None = None, viewport: Mapping[str, Any] | None = None
    ) -> tuple[float, float]:
        """Width and height of the content."""
        about = _calls.target(collection, session, contents, layout, size, viewport)
        found = (await self._call(
            self._queries.GetContentSize, query.GetContentSizeRequest(target=about))).content_size
        return found.width, found.height

    async def hit_test(
            self, point: PointLike, *, collection: str | None = None, session: str | None = None,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike | None = None, viewport: Mapping[str, Any] | None = None
    ) -> attributes_pb2.ElementAttributes | None:
        """The topmost element at a point; None = there is none."""
        about = _calls.target(collection, session, contents, layout, size, viewport)
        answer = await self._call(self._queries.HitTest, query.HitTestRequest(
            target=about, point=build(geometry_pb2.Point, point, "point")))
        return answer.element if answer.HasField("element") else None

    async def scroll_map(
            self, fractions: Iterable[float] = (), *, buckets: int = 0, sections: Iterable[int | str] = (),
            collection: str | None = None, session: str | None = None,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike | None = None, viewport: Mapping[str, Any] | None = None
    ) -> query.GetScrollMapResponse:
        """What a scroll bar wants to know: what is at parts of the way, how many items lie in each of so many
        parts of the content, and where sections start, which are named by their indices or keys. The answers
        for keys come after those for indices."""
        about = _calls.target(collection, session, contents, layout, size, viewport)
        named = list(sections)
        return await self._call(self._queries.GetScrollMap, query.GetScrollMapRequest(
            target=about, fractions=fractions, bucket_count=buckets,
            sections=[each for each in named if isinstance(each, int)],
            section_keys=[each for each in named if isinstance(each, str)]))

    async def validate_layout(
            self, layout: LayoutLike, size: SizeLike = (1024, 768)) -> list[problem_pb2.FieldViolation]:
        """What is wrong with a layout; empty = nothing."""
        answer = await self._call(self._queries.ValidateLayout, query.ValidateLayoutRequest(
            layout=layout_spec(layout),
            viewport_size=build(geometry_pb2.Size, size, "size")))
        return list(answer.violations)

    async def server_info(self) -> query.GetServerInfoResponse:
        """The server's version, layouts and limits."""
        return await self._call(self._queries.GetServerInfo, query.GetServerInfoRequest())

    # MARK: Calls of one's own

    @property
    def address(self) -> str:
        """Host and port of the server whose turn it is."""
        return self._servers.address

    @property
    def channel(self) -> grpc.aio.Channel:
        """The connection to the server whose turn it is, for stubs of `collection_layout.v1`; `metadata` goes with their calls."""
        return cast(grpc.aio.Channel, self._servers.channel)

    async def metadata(self) -> Metadata:
        """What goes with a call: the token, if there is one, which is asked for if needed."""
        return await self._tokens.metadata_async()

    # MARK: The end

    async def close(self) -> None:
        """Closes all viewers and the connection."""
        for viewer in list(self._viewers):
            await viewer.close()
        for channel in self._servers.channels:
            await channel.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
            self, kind: type[BaseException] | None, error: BaseException | None,
            trace: TracebackType | None) -> None:
        await self.close()

    # MARK: Calls

    async def _call(
            self, method: Callable[..., Awaitable[Answer]], request: Message,
            is_repeatable: bool = True) -> Answer:
        """A call with one request and one answer, tried again if that is safe and may help."""
        deadline = time.monotonic() + self.timeout
        retry = _calls.Retry(is_repeatable, len(self._servers))
        while True:
            left, turn = deadline - time.monotonic(), self._servers.turn
            try:
                return await self._once(lambda metadata: method(
                    request, timeout=left, metadata=metadata), request)
            except LayoutError as error:
                delay = retry.delay(error, deadline - time.monotonic())
                self._servers.move_on(turn)
                await asyncio.sleep(delay)

    async def _once(
            self, call: Callable[[Metadata], Awaitable[T]], request: Message | None,
            errors: Sequence[BaseException] = ()) -> T:
        """One attempt; if the server does not know the token any more, another one with a new token."""
        for attempt in range(2):
            try:
                return await call(await self._tokens.metadata_async())
            except asyncio.CancelledError:
                if errors:
                    # gRPC cancels a call whose requests cannot be made.
                    raise errors[0] from None
                raise
            except grpc.RpcError as error:
                if errors:
                    # What made the requests raised it, and gRPC tells only that the call ended.
                    raise errors[0] from None
                if (error.code() == grpc.StatusCode.UNAUTHENTICATED and self._tokens.can_renew
                        and request is not None and attempt == 0):
                    self._tokens.forget()
                    continue
                raise LayoutError.from_rpc_error(error, self.address, request) from error
        raise AssertionError("the second attempt returns or raises")


async def _unblocked(parts: Iterator[Any], errors: list[BaseException]) -> AsyncIterator[Any]:
    """The parts of a request; an error while they are made ends the call, and is kept."""
    try:
        for part in parts:
            yield part
            # Parts that are made without a break would keep everything else waiting.
            await asyncio.sleep(0)
    except Exception as error:
        errors.append(error)
        raise
