# SPDX-License-Identifier: Apache-2.0
"""The events of a viewer, made from what callers pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from collection_layout._build import (
    FieldError, LayoutLike, PointLike, SizeLike, build, layout_spec)
from collection_layout.v1 import session_pb2, updates_pb2

Position = Literal["nearest", "start", "center", "end"]
Step = Literal[
    "up", "down", "left", "right", "next", "previous", "page_up", "page_down", "first", "last"]
Event = dict[str, Any]


def scroll(
        offset: tuple[float, float], x: float | None, y: float | None, velocity: PointLike | None,
        sections: Mapping[int, float] | None, frame: int | None = None) -> Event:
    """A scroll step; what is None stays as it is."""
    fields: dict[str, Any] = {"velocity": velocity, "observed_frame_seq": frame}
    if x is not None or y is not None:
        fields["content_offset"] = (offset[0] if x is None else x, offset[1] if y is None else y)
    if sections:
        fields["section_offsets"] = [
            {"section": section, "offset": value} for section, value in sections.items()]
    return viewport(fields)


def viewport(fields: Mapping[str, Any]) -> Event:
    """Any change of the viewport."""
    return {"viewport": build(session_pb2.ViewportChange, fields, "viewport")}


def layout(value: object, animated: bool) -> Event:
    """Another layout: a LayoutSpec, a dictionary, or the name of a named layout."""
    if isinstance(value, str):
        return {"layout": session_pb2.LayoutChange(layout_name=value, animated=animated)}
    return {"layout": session_pb2.LayoutChange(layout=layout_spec(value), animated=animated)}


def update(
        changes: Sequence[updates_pb2.UpdateBatch | updates_pb2.UpdateOperation], animated: bool) -> Event:
    """A batch, or operations that become one."""
    return {"update": one_batch(changes, animated)}


def one_batch(
        changes: Sequence[updates_pb2.UpdateBatch | updates_pb2.UpdateOperation], animated: bool
) -> updates_pb2.UpdateBatch:
    """A batch, or operations that become one."""
    batch = updates_pb2.UpdateBatch(animated=animated)
    for change in changes:
        if isinstance(change, updates_pb2.UpdateOperation):
            batch.operations.operations.append(change)
        elif len(changes) == 1:
            batch.CopyFrom(change)
            batch.animated = batch.animated or animated
        else:
            raise FieldError("changes", "are either operations or one batch")
    if not changes:
        # Nothing changes, and it is a version nevertheless.
        batch.operations.SetInParent()
    return batch


def measure(frame_seq: int, slots: Iterable[int], sizes: Iterable[SizeLike]) -> Event:
    """Sizes of self-sizing elements."""
    return {"measurements": build(session_pb2.MeasurementReport, {
        "observed_frame_seq": frame_seq, "slots": slots, "sizes": sizes}, "measurements")}


def options(fields: Mapping[str, Any]) -> Event:
    """Other options in place of all that were granted."""
    return {"options": build(session_pb2.SessionOptions, fields, "options")}


def outline(
        expand: Iterable[str], collapse: Iterable[str], toggle: Iterable[int], descendants: bool,
        animated: bool) -> Event:
    """Items of outlines to expand and to collapse."""
    return {"outline": updates_pb2.OutlineChange(
        expand=expand, collapse=collapse, toggled_slots=toggle, descendants=descendants,
        animated=animated)}


def table(
        columns: Mapping[str, Mapping[str, Any]], order: Iterable[str] | None, reset: bool,
        animated: bool) -> Event:
    """What the viewer changes of the columns of tables."""
    change: dict[str, Any] = {
        "columns": [{"id": id, **fields} for id, fields in columns.items()],
        "reset": reset, "animated": animated}
    if order is not None:
        change["order"] = {"ids": list(order)}
    return {"table": build(session_pb2.TableChange, change, "table")}


def scroll_target(
        key: str, place: tuple[int, int] | None, position: Position, reveal: bool) -> Event:
    """Where to scroll to show an item."""
    if bool(key) == (place is not None):
        raise FieldError("scroll_target", "needs either a key or a place")
    element: dict[str, Any] = {"position": position, "reveal": reveal}
    if place is None:
        element["item_key"] = key
    else:
        element["key"] = {
            "category": "cell", "index_path": {"section": place[0], "item": place[1]}}
    return {"scroll_target": {
        "element": build(session_pb2.ScrollToElement, element, "scroll_target")}}


def release(
        velocity: PointLike, proposed_offset: PointLike | None, section: int | None, fast: bool) -> Event:
    """Where scrolling ends after the finger lifts."""
    return {"scroll_target": {"release": build(session_pb2.ScrollRelease, {
        "velocity": velocity, "proposed_offset": proposed_offset, "section": section,
        "deceleration": "fast" if fast else "normal"}, "release")}}


def neighbor(
        step: Step, key: str, place: tuple[int, int] | None, position: Position) -> Event:
    """Which item a key press leads to."""
    fields: dict[str, Any] = {"step": step, "position": position}
    if key:
        fields["item_key"] = key
    elif place is not None:
        fields["key"] = {"category": "cell", "index_path": {"section": place[0], "item": place[1]}}
    return {"scroll_target": {"neighbor": build(session_pb2.NeighborRequest, fields, "neighbor")}}


def sync() -> Event:
    """Answered once everything before it has been applied and sent."""
    return {"sync": session_pb2.SyncRequest()}


def other(event: Mapping[str, Any]) -> Event:
    """Any event of the protocol, as a message or a dictionary."""
    if len(event) != 1 or "open" in event:
        raise FieldError("event", "is one event other than the opening")
    return {name: getattr(build(session_pb2.StreamLayoutRequest, {name: value}, "event"), name)
            for name, value in event.items()}


def opening(
        collection: str | None, contents: Any, layout_value: LayoutLike | None, size: SizeLike,
        offset: PointLike | None, viewport_fields: Mapping[str, Any] | None,
        start: Mapping[str, Any] | None, options_fields: Mapping[str, Any] | None,
        capabilities: Mapping[str, Any], renderer: str | None = None) -> session_pb2.OpenSession:
    """The opening of a session."""
    result = session_pb2.OpenSession(
        capabilities=build(session_pb2.ClientCapabilities, capabilities, "capabilities"),
        options=build(session_pb2.SessionOptions, options_fields or {}, "options"))
    if (collection is None) == (contents is None):
        raise FieldError("view", "needs either a collection or contents")
    if collection is not None:
        result.collection = collection_name(collection)
    else:
        result.inline_contents.CopyFrom(contents)
    if isinstance(layout_value, str):
        result.layout_name = layout_value
    elif layout_value is not None:
        result.layout.CopyFrom(layout_spec(layout_value))
    fields = {"size": size, **(viewport_fields or {})}
    if offset is not None:
        fields["content_offset"] = offset
    result.viewport.CopyFrom(build(session_pb2.ViewportChange, fields, "viewport"))
    if start is not None:
        result.start.CopyFrom(build(session_pb2.StartPlace, start, "start"))
    if renderer is not None:
        if not (1 <= len(renderer) <= 128 and renderer.isascii() and renderer.isprintable()):
            raise FieldError("renderer", "needs 1 to 128 characters of printable ASCII")
        result.renderer = renderer
    return result


def collection_name(name: str) -> str:
    """The full name of a collection: "photos" is "collections/photos"."""
    return name if "/" in name else f"collections/{name}"
