# SPDX-License-Identifier: Apache-2.0
"""The requests of both clients, and how their calls are tried again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import grpc
from google.protobuf import field_mask_pb2

from collection_layout._build import FieldError, LayoutLike, RectLike, SizeLike, build, layout_spec
from collection_layout._credentials import Metadata
from collection_layout._events import collection_name, viewport
from collection_layout.machine import Backoff
from collection_layout import data
from collection_layout.data import Column, ContentsLike, SectionColumns, all_sections
from collection_layout.errors import LayoutError
from collection_layout.v1 import (
    collection_pb2, collection_service_pb2, geometry_pb2, layouts_pb2, query_service_pb2)

# The server accepts 4 MiB by default; what is larger is imported in parts. An item has at most 128 bytes
# of key, and less of everything else.
MOST_CREATED_BYTES = 3 << 20
MOST_CREATED_ITEMS = MOST_CREATED_BYTES // 256


class Retry:
    """Whether and when to try a call again, within its deadline."""

    def __init__(self, is_repeatable: bool, addresses: int = 1) -> None:
        self._is_repeatable = is_repeatable
        self._backoff = Backoff(addresses=addresses)
        self._left = 3 + addresses

    def delay(self, error: LayoutError, seconds_left: float) -> float:
        """Seconds to wait; raises the error if another attempt is of no use."""
        self._left -= 1
        wait = max(self._backoff.next(), error.retry_delay or 0)
        if not self._is_repeatable or not error.is_passing or not self._left or wait >= seconds_left:
            raise error
        return wait


def routing(collection: str) -> Metadata:
    """What proxies route by."""
    return (("x-layout-collection", collection),) if collection else ()


def sections_of(source: ContentsLike | None, group_by: Column, columns: Mapping[str, Column]) -> Any:
    """What is to be imported: contents or sections, or those that columns make."""
    if source is not None and not columns and group_by is None:
        return source
    if source is not None:
        raise FieldError("contents", "has both contents and columns")
    return list(all_sections((), group_by, columns))


def small_contents(source: Any) -> collection_pb2.CollectionContents | None:
    """What fits into the request that creates a collection; None = it has to be imported afterwards."""
    if isinstance(source, collection_pb2.CollectionContents):
        return source if source.ByteSize() <= MOST_CREATED_BYTES else None
    if isinstance(source, SectionColumns):
        source = [source]
    # A generator can be read only once.
    if not isinstance(source, (list, tuple)) or len(source) > MOST_CREATED_ITEMS or not all(
            isinstance(each, SectionColumns) for each in source):
        return None
    items = sum(each.items.count for each in source)
    return data.contents(*source) if items <= MOST_CREATED_ITEMS else None


def creation(
        name: str, layout: LayoutLike | None, display_name: str, labels: Mapping[str, str] | None,
        contents: collection_pb2.CollectionContents | None
) -> collection_service_pb2.CreateCollectionRequest:
    """The creation of a collection, with contents if they are small enough for it."""
    return collection_service_pb2.CreateCollectionRequest(
        collection_id=name.removeprefix("collections/"),
        collection=collection_pb2.Collection(
            display_name=display_name, labels=labels or {},
            default_layout=None if layout is None else layout_spec(layout)),
        contents=contents)


def description(
        name: str, layout: LayoutLike | None, display_name: str | None,
        labels: Mapping[str, str] | None, etag: str
) -> collection_service_pb2.UpdateCollectionRequest:
    """The change of what describes a collection; None = as before."""
    paths = [path for path, value in (
        ("default_layout", layout), ("display_name", display_name), ("labels", labels))
        if value is not None]
    return collection_service_pb2.UpdateCollectionRequest(
        collection=collection_pb2.Collection(
            name=collection_name(name), etag=etag, display_name=display_name or "", labels=labels or {},
            default_layout=None if layout is None else layout_spec(layout)),
        update_mask=field_mask_pb2.FieldMask(paths=paths))


def target(
        collection: str | None, session: str | None, contents: collection_pb2.CollectionContents | None,
        layout: LayoutLike | None, size: SizeLike | None, viewport_fields: Mapping[str, Any] | None
) -> query_service_pb2.LayoutTarget:
    """What a question is about."""
    if sum(source is not None for source in (collection, session, contents)) != 1:
        raise FieldError("target", "needs one of collection, session and contents")
    result = query_service_pb2.LayoutTarget()
    if collection is not None:
        result.collection = collection_name(collection)
    elif session is not None:
        result.session = session
    else:
        result.inline_contents.CopyFrom(contents or collection_pb2.CollectionContents())
    if isinstance(layout, str):
        result.layout_name = layout
    elif layout is not None:
        result.layout.CopyFrom(layout_spec(layout))
    fields = dict(viewport_fields or {})
    if size is not None:
        fields["size"] = size
    if fields:
        result.viewport.CopyFrom(viewport(fields)["viewport"])
    return result


def elements_request(
        about: query_service_pb2.LayoutTarget, rect: RectLike, page_size: int
) -> query_service_pb2.QueryElementsRequest:
    """The elements in a rect, page by page."""
    return query_service_pb2.QueryElementsRequest(
        target=about, rect=build(geometry_pb2.Rect, rect, "rect"), page_size=page_size)


def turn_page(request: Any, page: Any) -> bool:
    """Makes the request one for the next page; False = there is none."""
    if not page.next_page_token:
        return False
    if page.next_page_token == request.page_token:
        # Asking for it would never end.
        raise LayoutError(
            grpc.StatusCode.INTERNAL,
            "next_page_token: the server gave the token of the page that it was asked for")
    request.page_token = page.next_page_token
    return True


class Export:
    """The contents that an export has, part by part, compared with what its header says."""

    def __init__(self) -> None:
        self._contents = collection_pb2.CollectionContents()
        self._header: collection_pb2.Collection | None = None
        self._items = 0

    def add(self, part: collection_service_pb2.ExportContentsResponse) -> None:
        """Takes the next part. Raises LayoutError before anything is kept that the header does not announce."""
        kind, contents = part.WhichOneof("part"), self._contents
        if kind == "header":
            _check_export(self._header is None, "there is more than one header")
            self._header = part.header
            contents.cell_kind_names.extend(part.cell_kind_names)
            return
        header = self._announced()
        if kind == "section":
            _check_export(len(contents.sections) < header.section_count,
                          f"there are more than the {header.section_count} sections of the header")
            contents.sections.append(part.section)
        elif kind == "items":
            _check_export(bool(contents.sections), "there are items before the first section")
            self._items += part.items.count
            _check_export(self._items <= header.item_count,
                          f"there are more than the {header.item_count} items of the header")
            # Without items there could be any number of blocks.
            if part.items.count:
                contents.sections[-1].blocks.append(part.items)

    def whole(self) -> collection_pb2.CollectionContents:
        """The contents after the last part. Raises LayoutError if something is missing."""
        header, sections = self._announced(), len(self._contents.sections)
        _check_export(sections == header.section_count,
                      f"there are {sections} of the {header.section_count} sections of the header")
        _check_export(self._items == header.item_count,
                      f"there are {self._items} of the {header.item_count} items of the header")
        return self._contents

    def _announced(self) -> collection_pb2.Collection:
        _check_export(self._header is not None, "the header is missing")
        assert self._header is not None
        return self._header


def _check_export(condition: bool, problem: str) -> None:
    if not condition:
        raise LayoutError(grpc.StatusCode.INTERNAL, f"the server sent an export that is not whole: {problem}")


def named_layout(collection: str, name: str, layout: LayoutLike | None) -> layouts_pb2.LayoutSpec:
    """The layout of a named layout, which is needed."""
    if layout is None:
        raise FieldError(f"{collection}/layouts/{name}", "needs a layout")
    return layout_spec(layout)
