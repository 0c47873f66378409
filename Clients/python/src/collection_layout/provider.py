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
import dataclasses
import hmac
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

import grpc
from google.protobuf import json_format

from collection_layout._numpy import numpy
from collection_layout.v1 import geometry_pb2, layout_provider_pb2, layout_provider_pb2_grpc

__all__ = [
    "Container", "Items", "Other", "Placed", "Provider", "layout", "serve", "start",
]

# Elements of one message: about 256 KiB.
_CHUNK = 4096

Column = Union[float, Sequence[float], Any]
"""One number for all items, a list of them, or an array of numpy's."""


@dataclasses.dataclass
class Items:
    """All items, section after section, column by column: arrays of numpy's where it is installed, lists
    otherwise. NaN = the data gives no number."""

    section: Any
    """The index of each item's section."""
    index: Any
    """The index of each item in its section."""
    width: Any
    """In points."""
    height: Any
    """In points."""
    x: Any
    """The data's coordinates, which layouts may use as they like."""
    y: Any
    """The other coordinate."""
    kind: list[str]
    """The reuse kind of each item; "" = the unnamed one."""
    key: list[str]
    """The key of each item; "" = it has none."""
    section_keys: list[str]
    """The key of each section; "" = it has none."""
    section_counts: list[int]
    """How many items each section has."""

    def __len__(self) -> int:
        return len(self.kind)


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


@dataclasses.dataclass(frozen=True)
class _Layout:
    place: Place
    description: layout_provider_pb2.ProvidedLayout


_layouts: dict[str, _Layout] = {}


def layout(
    name: str,
    *,
    schema: Mapping[str, object] | None = None,
    scroll: str = "vertical",
    max_items: int = 0,
) -> Callable[[Place], Place]:
    """Makes a function the layout of a name.

    Args:
        name: by which clients ask for it.
        schema: what its parameters may be, as a JSON schema.
        scroll: "vertical", "horizontal", or "" for both.
        max_items: the most that it places; 0 = no limit.
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
        _layouts[name] = _Layout(place, description)
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
) -> Provider:
    """Serves all layouts of this process in the background.

    Args:
        host: an address of this machine.
        port: 0 = any free one, which `Provider.port` tells.
        token: that callers have to show; "" = none.
        certificate: with `key`, both in PEM; empty = connections are not encrypted.
        key: of the certificate.
        threads: calls at the same time.
    """
    executor = concurrent.futures.ThreadPoolExecutor(max_workers=threads)
    server = grpc.server(executor)
    layout_provider_pb2_grpc.add_LayoutProviderServiceServicer_to_server(_Service(token), server)
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


class _Service(layout_provider_pb2_grpc.LayoutProviderServiceServicer):
    def __init__(self, token: str) -> None:
        self._token = token

    def DescribeLayouts(self, request: Any, context: Any) -> Any:
        self._check(context)
        return layout_provider_pb2.DescribeLayoutsResponse(
            layouts=[found.description for found in _layouts.values()])

    def PrepareLayout(self, requests: Any, context: Any) -> Iterator[Any]:
        self._check(context)
        start = next(requests).start
        found = _layouts.get(start.layout)
        if found is None:
            context.abort(grpc.StatusCode.NOT_FOUND, f"there is no layout {start.layout!r}")
            return
        items = _items(start, requests)
        try:
            placed = found.place(items, _container(start))
            yield from _responses(items, placed)
        except ValueError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error)[:500])

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


def _items(start: Any, requests: Iterator[Any]) -> Items:
    names = list(start.cell_kind_names) or [""]
    numbers: dict[str, list[float]] = {"widths": [], "heights": [], "xs": [], "ys": []}
    items = Items([], [], [], [], [], [], [], [], [], [])
    for request in requests:
        if request.WhichOneof("part") == "section":
            items.section_keys.append(request.section.key)
            items.section_counts.append(0)
            continue
        block = request.items
        first = items.section_counts[-1]
        items.section_counts[-1] += block.count
        items.section.extend([len(items.section_counts) - 1] * block.count)
        items.index.extend(range(first, first + block.count))
        for name, column in numbers.items():
            column.extend(_spread(getattr(block, name), block.count, math.nan))
        items.kind.extend(names[kind] for kind in _spread(block.cell_kinds, block.count, 0))
        items.key.extend(_spread(block.keys, block.count, ""))
    columns = [items.section, items.index, *numbers.values()]
    if numpy is not None:
        columns = [numpy.asarray(column) for column in columns]
    items.section, items.index, items.width, items.height, items.x, items.y = columns
    return items


def _spread(column: Sequence[Any], count: int, other: Any) -> list[Any]:
    values = list(column) or [other]
    return values * count if len(values) == 1 else values


def _column(column: Column, count: int, name: str) -> list[float]:
    if hasattr(column, "tolist"):
        column = column.tolist()
    if isinstance(column, (int, float)):
        return [column] * count
    if len(column) != count:
        raise ValueError(f"{name} has {len(column)} values for {count} items")
    return list(column)


def _responses(items: Items, placed: Placed) -> Iterator[Any]:
    count = len(items)
    columns = {name: _column(getattr(placed, name), count, name)
               for name in ("x", "y", "width", "height", "z", "alpha")}
    sections = [int(section) for section in items.section]
    indices = [int(index) for index in items.index]
    for first in range(0, count, _CHUNK):
        part = slice(first, first + _CHUNK)
        yield layout_provider_pb2.PrepareLayoutResponse(
            elements=layout_provider_pb2.PlacedElements(
                count=len(sections[part]),
                sections=sections[part],
                items=indices[part],
                xs=columns["x"][part],
                ys=columns["y"][part],
                widths=columns["width"][part],
                heights=columns["height"][part],
                z_indices=[int(z) for z in columns["z"][part]],
                alphas=columns["alpha"][part],
            ))
    kinds = list(dict.fromkeys(other.kind for other in placed.others))
    for first in range(0, len(placed.others), _CHUNK):
        others = placed.others[first:first + _CHUNK]
        yield layout_provider_pb2.PrepareLayoutResponse(
            elements=layout_provider_pb2.PlacedElements(
                count=len(others),
                categories=[3 if other.decoration else 2 for other in others],  # type: ignore[misc]
                kinds=[kinds.index(other.kind) for other in others],
                sections=[other.section for other in others],
                items=[other.item for other in others],
                xs=[other.x for other in others],
                ys=[other.y for other in others],
                widths=[other.width for other in others],
                heights=[other.height for other in others],
                z_indices=[other.z for other in others],
                alphas=[other.alpha for other in others],
            ))
    width, height = placed.content or (
        max(map(sum, zip(columns["x"], columns["width"])), default=0),
        max(map(sum, zip(columns["y"], columns["height"])), default=0))
    yield layout_provider_pb2.PrepareLayoutResponse(
        end=layout_provider_pb2.PrepareLayoutEnd(
            content_size=geometry_pb2.Size(width=max(0, width), height=max(0, height)),
            element_count=count + len(placed.others),
            kind_names=kinds,
        ))
