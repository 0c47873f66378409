# SPDX-License-Identifier: Apache-2.0
"""The client, for programs with threads."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar, cast

import grpc
from google.protobuf.message import Message

from collection_layout import _calls, _events
from collection_layout._build import (
    LayoutLike, PointLike, RectLike, SizeLike, build, layout_spec)
from collection_layout._credentials import (
    CHANNEL_OPTIONS, Metadata, Pem, Tls, TokenKeeper, TokenSource, channel_credentials)
from collection_layout._events import collection_name
from collection_layout._servers import Servers, TurningStub, address_list
from collection_layout.machine import Machine
from collection_layout._numpy import numpy
from collection_layout.data import Column, ContentsLike, import_parts
from collection_layout.errors import LayoutError
from collection_layout.mirror import Mirror
from collection_layout.v1 import (
    attributes_pb2, collection_pb2, collection_service_pb2 as service, collection_service_pb2_grpc,
    geometry_pb2, problem_pb2, query_service_pb2 as query, query_service_pb2_grpc,
    session_pb2, updates_pb2)
from collection_layout.viewer import Viewer

Answer = TypeVar("Answer", bound=Message)
T = TypeVar("T")

#: Where `layout-server` listens unless it is told otherwise.
DEFAULT_ADDRESS = "127.0.0.1:50051"
#: Of a call, in seconds.
DEFAULT_TIMEOUT = 30.0
#: For an import and an export, in seconds.
LONG_TIMEOUT = 600.0


def server_address(given: str | None) -> str:
    """The address that was given, that of the environment variable LAYOUT_SERVER_ADDRESS, or the default."""
    return given or os.environ.get("LAYOUT_SERVER_ADDRESS") or DEFAULT_ADDRESS


def view_machine(
        collection: str | None, contents: Any, layout: LayoutLike | None, size: SizeLike,
        offset: PointLike | None,
        viewport: Mapping[str, Any] | None, start: Mapping[str, Any] | None,
        options: Mapping[str, Any] | None, expansions: Mapping[str, Any] | None, packed: bool, units: int,
        animations: bool, capabilities: Mapping[str, Any] | None, vectors: bool | None,
        renderer: str | None = None) -> Machine:
    """The state of a new viewer."""
    asked = dict(
        encodings=["packed" if packed else "messages"], units_per_point=[units], checksums=True,
        item_keys=True, section_keys=True, animations=animations)
    opening = _events.opening(
        collection, contents, layout, size, offset, viewport, start, options,
        {**asked, **(capabilities or {})}, renderer)
    if expansions is not None:
        opening.expansions.CopyFrom(build(session_pb2.ExpansionState, expansions, "expansions"))
    return Machine(opening, Mirror(units, numpy is not None if vectors is None else vectors))


class Client:
    """A connection to a layout server.

    ```python
    from collection_layout import Client, contents, layouts

    with Client("127.0.0.1:50051") as client:
        client.create_collection("rows", contents(heights=[44, 60, 52], widths=300))
        with client.view("rows", layout=layouts.list(), size=(300, 400)) as viewer:
            print(viewer.elements.y)
    ```

    Names of collections are "collections/rows", or "rows" for short. Calls raise LayoutError. Those that
    only read, and updates, are tried again if the server cannot be reached, within their deadline.

    All methods can be called from any thread.
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
            token: Sent as "Bearer" in `authorization`. A function is asked for one with each call, or, if
                it returns `Token` with its end, some time before that.
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

        def connect(address: str) -> grpc.Channel:
            given = credentials[address]
            return (grpc.insecure_channel(address, channel_options) if given is None
                    else grpc.secure_channel(address, given, channel_options))

        self._servers = Servers(addresses, connect)
        self._tokens = TokenKeeper(token)
        self._collections = cast(
            "collection_service_pb2_grpc.CollectionServiceStub",
            TurningStub(self._servers, collection_service_pb2_grpc.CollectionServiceStub))
        self._queries = cast(
            "query_service_pb2_grpc.LayoutQueryServiceStub",
            TurningStub(self._servers, query_service_pb2_grpc.LayoutQueryServiceStub))
        self._viewers: weakref.WeakSet[Viewer] = weakref.WeakSet()
        self._closed = threading.Event()

    # MARK: Viewers

    def view(
            self, collection: str | None = None, *,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike = (1024, 768), offset: PointLike | None = None,
            viewport: Mapping[str, Any] | None = None, start: Mapping[str, Any] | None = None,
            options: Mapping[str, Any] | None = None, expansions: Mapping[str, Any] | None = None,
            packed: bool = True, units: int = 64, animations: bool = False,
            capabilities: Mapping[str, Any] | None = None, vectors: bool | None = None,
            renderer: str | None = None) -> Viewer:
        """Opens a viewer and waits for its first frame.

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
        viewer = Viewer(
            self._servers, machine, self._tokens,
            _calls.routing(machine.opening.collection), self.connect_timeout, self.timeout)
        self._viewers.add(viewer)
        return viewer

    # MARK: Collections

    def create_collection(
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
        created = self._call(self._collections.CreateCollection, request, False).collection
        if source is None or small is not None:
            return created
        try:
            return self.import_contents(created.name, source)
        except BaseException:
            self.delete_collection(created.name)
            raise

    def get_collection(self, name: str) -> collection_pb2.Collection:
        """What describes a collection, without its contents."""
        request = service.GetCollectionRequest(name=collection_name(name))
        return self._call(self._collections.GetCollection, request).collection

    def list_collections(self) -> Iterator[collection_pb2.Collection]:
        """All collections, in order of their names, without their layouts."""
        request = service.ListCollectionsRequest(
            page_size=1000, view=service.COLLECTION_VIEW_BASIC)
        while True:
            page = self._call(self._collections.ListCollections, request)
            yield from page.collections
            if not _calls.turn_page(request, page):
                return

    def update_collection(
            self, name: str, *, layout: LayoutLike | None = None, display_name: str | None = None,
            labels: Mapping[str, str] | None = None, etag: str = "") -> collection_pb2.Collection:
        """Changes what describes a collection; what is None stays."""
        request = _calls.description(name, layout, display_name, labels, etag)
        return self._call(self._collections.UpdateCollection, request, False).collection

    def delete_collection(self, name: str, *, allow_missing: bool = False) -> None:
        """Deletes a collection and ends its viewers."""
        self._call(self._collections.DeleteCollection, service.DeleteCollectionRequest(
            name=collection_name(name), allow_missing=allow_missing), False)

    def import_contents(
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
        return self._once(
            lambda metadata: self._collections.ImportContents(
                _guarded(parts, errors), timeout=timeout, metadata=metadata), None, errors).collection

    def export_contents(
            self, name: str, timeout: float = LONG_TIMEOUT) -> collection_pb2.CollectionContents:
        """The contents at the current version.

        Raises LayoutError unless there are as many sections and items as the server announces.
        """
        request = service.ExportContentsRequest(name=collection_name(name))

        def read(metadata: Metadata) -> collection_pb2.CollectionContents:
            export = _calls.Export()
            call = self._collections.ExportContents(request, timeout=timeout, metadata=metadata)
            try:
                for part in call:
                    export.add(part)
            finally:
                call.cancel()
            return export.whole()

        return self._once(read, request)

    def apply(
            self, name: str, *changes: updates_pb2.UpdateBatch | updates_pb2.UpdateOperation,
            animated: bool = False) -> int:
        """Commits a batch, or operations of `updates` as one; returns the new data version."""
        batch = _events.one_batch(changes, animated)
        if not batch.request_id:
            batch.request_id = os.urandom(16).hex()
        return self._call(self._collections.ApplyUpdates, service.ApplyUpdatesRequest(
            name=collection_name(name), batch=batch)).data_version

    # MARK: Named layouts

    def create_layout(
            self, collection: str, name: str, layout: LayoutLike) -> collection_pb2.NamedLayout:
        """Makes a layout that viewers can follow by its name."""
        return self._call(self._collections.CreateLayout, service.CreateLayoutRequest(
            parent=collection_name(collection), layout_id=name, layout=collection_pb2.NamedLayout(
                layout=layout_spec(layout))), False).layout

    def update_layout(
            self, name: str, layout: LayoutLike, *, animated: bool = False) -> collection_pb2.NamedLayout:
        """Changes a named layout, "collections/{collection}/layouts/{layout}", and all who follow it."""
        return self._call(self._collections.UpdateLayout, service.UpdateLayoutRequest(
            layout=collection_pb2.NamedLayout(name=name, layout=layout_spec(layout)),
            animated=animated), False).layout

    def delete_layout(self, name: str, *, allow_missing: bool = False) -> None:
        """Deletes a named layout. Viewers who follow it keep what they have."""
        self._call(self._collections.DeleteLayout, service.DeleteLayoutRequest(
            name=name, allow_missing=allow_missing), False)

    def list_layouts(self, collection: str) -> Iterator[collection_pb2.NamedLayout]:
        """The named layouts of a collection."""
        request = service.ListLayoutsRequest(parent=collection_name(collection), page_size=1000)
        while True:
            page = self._call(self._collections.ListLayouts, request)
            yield from page.layouts
            if not _calls.turn_page(request, page):
                return

    # MARK: Questions

    def query_elements(
            self, rect: RectLike, *, collection: str | None = None, session: str | None = None,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike | None = None, viewport: Mapping[str, Any] | None = None
    ) -> Iterator[attributes_pb2.ElementAttributes]:
        """The elements in a rect, of a collection, of the session of a viewer, or of contents."""
        about = _calls.target(collection, session, contents, layout, size, viewport)
        request = _calls.elements_request(about, rect, 1000)
        while True:
            page = self._call(self._queries.QueryElements, request)
            yield from page.elements
            if not _calls.turn_page(request, page):
                return

    def content_size(
            self, *, collection: str | None = None, session: str | None = None,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike | None = None, viewport: Mapping[str, Any] | None = None
    ) -> tuple[float, float]:
        """Width and height of the content."""
        about = _calls.target(collection, session, contents, layout, size, viewport)
        found = self._call(
            self._queries.GetContentSize, query.GetContentSizeRequest(target=about)).content_size
        return found.width, found.height

    def hit_test(
            self, point: PointLike, *, collection: str | None = None, session: str | None = None,
            contents: collection_pb2.CollectionContents | None = None, layout: LayoutLike | None = None,
            size: SizeLike | None = None, viewport: Mapping[str, Any] | None = None
    ) -> attributes_pb2.ElementAttributes | None:
        """The topmost element at a point; None = there is none."""
        about = _calls.target(collection, session, contents, layout, size, viewport)
        answer = self._call(self._queries.HitTest, query.HitTestRequest(
            target=about, point=build(geometry_pb2.Point, point, "point")))
        return answer.element if answer.HasField("element") else None

    def scroll_map(
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
        return self._call(self._queries.GetScrollMap, query.GetScrollMapRequest(
            target=about, fractions=fractions, bucket_count=buckets,
            sections=[each for each in named if isinstance(each, int)],
            section_keys=[each for each in named if isinstance(each, str)]))

    def validate_layout(
            self, layout: LayoutLike, size: SizeLike = (1024, 768)) -> list[problem_pb2.FieldViolation]:
        """What is wrong with a layout; empty = nothing."""
        return list(self._call(self._queries.ValidateLayout, query.ValidateLayoutRequest(
            layout=layout_spec(layout),
            viewport_size=build(geometry_pb2.Size, size, "size"))).violations)

    def server_info(self) -> query.GetServerInfoResponse:
        """The server's version, layouts and limits."""
        return self._call(self._queries.GetServerInfo, query.GetServerInfoRequest())

    # MARK: Calls of one's own

    @property
    def address(self) -> str:
        """Host and port of the server whose turn it is."""
        return self._servers.address

    @property
    def channel(self) -> grpc.Channel:
        """The connection to the server whose turn it is, for stubs of `collection_layout.v1`; `metadata` goes with their calls."""
        return self._servers.channel

    def metadata(self) -> Metadata:
        """What goes with a call: the token, if there is one, which is asked for if needed."""
        return self._tokens.metadata()

    # MARK: The end

    def close(self) -> None:
        """Closes all viewers and the connection."""
        for viewer in list(self._viewers):
            viewer.close()
        self._closed.set()
        for channel in self._servers.channels:
            channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None,
            trace: TracebackType | None) -> None:
        self.close()

    # MARK: Calls

    def _call(
            self, method: Callable[..., Answer], request: Message, is_repeatable: bool = True) -> Answer:
        """A call with one request and one answer, tried again if that is safe and may help."""
        deadline = time.monotonic() + self.timeout
        retry = _calls.Retry(is_repeatable, len(self._servers))
        while True:
            left, turn = deadline - time.monotonic(), self._servers.turn
            try:
                return self._once(lambda metadata: method(
                    request, timeout=left, metadata=metadata), request)
            except LayoutError as error:
                delay = retry.delay(error, deadline - time.monotonic())
                self._servers.move_on(turn)
                self._closed.wait(delay)

    def _once(
            self, call: Callable[[Metadata], T], request: Message | None,
            errors: Sequence[BaseException] = ()) -> T:
        """One attempt; if the server does not know the token any more, another one with a new token."""
        for attempt in range(2):
            try:
                return call(self._tokens.metadata())
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


def _guarded(parts: Iterator[Any], errors: list[BaseException]) -> Iterator[Any]:
    """The parts of a request; an error while they are made ends the call, and is kept."""
    try:
        yield from parts
    except Exception as error:
        errors.append(error)
        raise
