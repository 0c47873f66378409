# SPDX-License-Identifier: Apache-2.0
"""Layouts in Python: functions that place items, served to a layout server.

    from collection_layout.provider import Container, Items, Placed, layout, serve

    @layout("diagonal")
    def place(items: Items, container: Container) -> Placed:
        return Placed(x=[20 * i for i in range(len(items))], y=[20 * i for i in range(len(items))],
                      width=18, height=18)

    serve(port=50061)

The server is told where it is with `--layout-provider diagonal=127.0.0.1:50061`; clients then ask for the custom
layout "diagonal".
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import hmac
import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import grpc
from google.protobuf import json_format

from collection_layout._placements import Answer, Change, Items, Memory, TooMany, collect, responses, update_responses
from collection_layout.v1 import geometry_pb2, layout_provider_pb2, layout_provider_pb2_grpc

__all__ = [
    "Container", "Items", "Other", "Placed", "Provider", "layout", "serve", "start",
]

Column = Union[float, Sequence[float], Any]
"""One number for all items, a list of them, or an array of numpy's."""


@dataclasses.dataclass(frozen=True)
class Container:
    """What items are placed in: a viewport without its offset, in points."""

    width: float
    """Of the whole viewport, insets included."""
    height: float
    """Likewise."""
    top: float = 0
    """Insets; content coordinates begin inside of them."""
    leading: float = 0
    bottom: float = 0
    trailing: float = 0
    scale: float = 1
    """Pixels per point."""
    right_to_left: bool = False
    """Whether reading runs from right to left. Nothing is mirrored for the layout."""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """What the client set, as JSON."""

    def number(self, name: str, otherwise: float) -> float:
        """A parameter that is a number; `otherwise` if the client did not set it.

        Raises:
            ValueError: It is something else, which the client is told.
        """
        value = self.parameters.get(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{name}: {json.dumps(value)[:100]} found; a number is allowed")
        return float(value)


@dataclasses.dataclass(frozen=True)
class Other:
    """An element that is no cell: a supplementary element, or a decoration, which shows no data."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    section: int = 0
    item: int = -1
    """-1 = it belongs to the section."""
    z: int = 0
    alpha: float = 1
    decoration: bool = False


@dataclasses.dataclass
class Placed:
    """Where the items are, in points, in their order. A column is one number for all or one for each."""

    x: Column
    y: Column
    width: Column
    height: Column
    z: Column = 0
    alpha: Column = 1
    others: Sequence[Other] = ()
    content: tuple[float, float] | None = None
    """The width and height of the whole content; None = up to the farthest edge of an item."""


Place = Callable[[Items, Container], Placed]

Update = Callable[[Items, Container, Placed, Any], Placed]
"""As a function that places items, with what was placed before, and for each item its number then; -1 = it is new or
has new values."""


@dataclasses.dataclass(frozen=True)
class _Layout:
    place: Place
    update: Optional[Update]
    description: layout_provider_pb2.ProvidedLayout


_layouts: dict[str, _Layout] = {}
_logger = logging.getLogger(__name__)


def layout(
    name: str,
    *,
    schema: Mapping[str, object] | None = None,
    scroll: str = "vertical",
    max_items: int = 0,
    update: Update | None = None,
) -> Callable[[Place], Place]:
    """Makes a function the layout of a name.

    After a change of the data, servers are sent only what the function places elsewhere than before.

    Args:
        name: by which clients ask for it.
        schema: what its parameters may be, as a JSON schema.
        scroll: "vertical", "horizontal", or "" for both.
        max_items: the most that it places; 0 = no limit.
        update: places the same as the function, starting from what was placed before the data changed; None = the
            function places everything again.
    """
    directions = {
        "": geometry_pb2.SCROLL_DIRECTION_UNSPECIFIED,
        "vertical": geometry_pb2.SCROLL_DIRECTION_VERTICAL,
        "horizontal": geometry_pb2.SCROLL_DIRECTION_HORIZONTAL,
    }
    direction = directions[scroll]

    def register(place: Place) -> Place:
        description = layout_provider_pb2.ProvidedLayout(
            name=name,
            description=(place.__doc__ or "").strip(),
            parameters_schema="" if schema is None else json.dumps(schema),
            scroll_direction=direction,
            max_items=max_items,
        )
        _layouts[name] = _Layout(place, update, description)
        return place

    return register


class Provider:
    """A provider that listens, until `stop()` or the end of its `with` statement."""

    def __init__(self, server: grpc.Server, port: int) -> None:
        self._server = server
        self.port = port
        """Where it listens."""

    def stop(self) -> None:
        """Ends calls and closes the port."""
        self._server.stop(None).wait()

    def wait(self) -> None:
        """Returns once it has stopped."""
        self._server.wait_for_termination()

    def __enter__(self) -> Provider:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    token: str = "",
    certificate: bytes = b"",
    key: bytes = b"",
    threads: int = 4,
    keep: int = 8,
    items: int = 10_000_000,
    patience: float = 60,
) -> Provider:
    """Serves all layouts of this process in the background.

    Args:
        host: an address of this machine.
        port: 0 = any free one, which `Provider.port` tells.
        token: that callers have to show; "" = none.
        certificate: with `key`, both in PEM; empty = connections are not encrypted.
        key: of the certificate.
        threads: calls at the same time.
        keep: how many answers are remembered, to send only what a change moved; 0 = none.
        items: the most of one call.
        patience: the seconds within which the parts of a request have to come; then the call is cancelled. Otherwise
            a few callers that send nothing would keep all threads.
    """
    executor = concurrent.futures.ThreadPoolExecutor(max_workers=threads)
    # A second program at the same port would get a part of the calls.
    server = grpc.server(executor, options=[("grpc.so_reuseport", 0)])
    layout_provider_pb2_grpc.add_LayoutProviderServiceServicer_to_server(_Service(token, keep, items, patience), server)
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if certificate:
        credentials = grpc.ssl_server_credentials([(key, certificate)])
        bound = server.add_secure_port(address, credentials)
    else:
        bound = server.add_insecure_port(address)
    server.start()
    return Provider(server, bound)


def serve(host: str = "127.0.0.1", port: int = 50061, **options: Any) -> None:
    """Serves all layouts of this process until it is interrupted; options are those of `start`."""
    with start(host, port, **options) as provider:
        print(f"layouts {', '.join(sorted(_layouts))} on {host}:{provider.port}", flush=True)
        try:
            provider.wait()
        except KeyboardInterrupt:
            pass


@contextlib.contextmanager
def _in_time(context: Any, seconds: float) -> Iterator[None]:
    """Cancels a call that is still reading its request after a time."""
    timer = threading.Timer(seconds, context.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def _logged(name: str) -> Iterator[None]:
    """Logs what a layout's function raises, of which callers are told one line; ValueErrors are meant for them."""
    try:
        yield
    except ValueError:
        raise
    except Exception:
        _logger.exception("the layout %r failed", name)
        raise


class _Service(layout_provider_pb2_grpc.LayoutProviderServiceServicer):
    def __init__(self, token: str, keep: int, most: int, patience: float) -> None:
        self._token = token
        self._patience = patience
        self._most = most
        self._memory = Memory(keep)

    def DescribeLayouts(self, request: Any, context: Any) -> Any:
        self._check(context)
        return layout_provider_pb2.DescribeLayoutsResponse(
            layouts=[found.description for found in _layouts.values()])

    def PrepareLayout(self, requests: Any, context: Any) -> Iterator[Any]:
        self._check(context)
        with _in_time(context, self._patience):
            start = self._first(requests, context).start
            found = self._layout(start, context)
            items, _ = self._collect(start, requests, context)
        try:
            with _logged(start.layout):
                placed = found.place(items, _container(start))
            answer = Answer(items, placed, start.layout)
            yield from responses(answer, self._memory.add(answer))
        except ValueError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error)[:500])

    def UpdatePlacement(self, requests: Any, context: Any) -> Iterator[Any]:
        self._check(context)
        with _in_time(context, self._patience):
            start = self._first(requests, context).start
            found = self._layout(start.prepare, context)
            before = self._memory.get(start.cookie)
            if before is None or before.layout != start.prepare.layout:
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, "the cookie is not known any more")
                return
            items, change = self._collect(start.prepare, requests, context, before.items)
        container = _container(start.prepare)
        try:
            with _logged(start.prepare.layout):
                if found.update is None:
                    placed = found.place(items, container)
                else:
                    placed = found.update(items, container, before.placed, change.items)
            answer = Answer(items, placed, start.prepare.layout, before.kinds)
            yield from update_responses(answer, before, change, self._memory.add(answer))
        except ValueError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error)[:500])

    def _first(self, requests: Any, context: Any) -> Any:
        first = next(requests, None)
        if first is None or first.WhichOneof("part") != "start":
            context.abort(
                grpc.StatusCode.INVALID_ARGUMENT, "the first part of a request has to be its start")
        return first

    def _collect(
        self, start: Any, requests: Any, context: Any, old: Items | None = None,
    ) -> tuple[Items, Change]:
        try:
            return collect(start, requests, self._most, old)
        except TooMany as error:
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error))
            raise
        except ValueError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
            raise

    def _layout(self, start: Any, context: Any) -> _Layout:
        found = _layouts.get(start.layout)
        if found is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"there is no layout {start.layout!r}")
            raise KeyError(start.layout)
        return found

    def _check(self, context: Any) -> None:
        if not self._token:
            return
        shown = dict(context.invocation_metadata()).get("authorization", "")
        if not hmac.compare_digest(str(shown).encode(), f"Bearer {self._token}".encode()):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is missing or wrong")


def _container(start: Any) -> Container:
    given = start.container
    return Container(
        width=given.size.width,
        height=given.size.height,
        top=given.insets.top,
        leading=given.insets.leading,
        bottom=given.insets.bottom,
        trailing=given.insets.trailing,
        scale=given.display_scale,
        right_to_left=given.right_to_left,
        parameters=json_format.MessageToDict(start.parameters),
    )
