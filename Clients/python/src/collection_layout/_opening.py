# SPDX-License-Identifier: Apache-2.0
"""What a session has applied, as the opening of the one that would follow it has it."""

from __future__ import annotations

from collections.abc import Iterable

from collection_layout.v1 import session_pb2, updates_pb2

# More keys than servers accept by default would end the session where it could go on.
MOST_KEYS = 10_000
# Servers accept as many offsets of sections. The newest are kept.
MOST_OFFSETS = 4096


def merge_viewport(viewport: session_pb2.ViewportChange, change: session_pb2.ViewportChange) -> None:
    """Puts a newer change over an older one."""
    newer = {each.section: each.offset for each in change.section_offsets}
    offsets = [(each.section, each.offset) for each in viewport.section_offsets if each.section not in newer]
    offsets += newer.items()
    frame = viewport.observed_frame_seq
    keeps_offset = viewport.HasField("content_offset") and not change.HasField("content_offset")
    # Protobuf would put messages together field by field, and take zeros for fields that are not set.
    for field, _ in change.ListFields():
        viewport.ClearField(field.name)
    viewport.MergeFrom(change)
    # The frame is the one in which the offset was read.
    viewport.observed_frame_seq = frame if keeps_offset else change.observed_frame_seq
    viewport.ClearField("section_offsets")
    for section, offset in offsets[-MOST_OFFSETS:]:
        viewport.section_offsets.add(section=section, offset=offset)


def merge_table(table: session_pb2.TableChange, change: session_pb2.TableChange) -> None:
    """Puts a change of columns over those before."""
    if change.reset:
        table.Clear()
    columns = {each.id: each for each in [*table.columns, *change.columns]}
    # Without fields a column is as the layout has it.
    kept = [_copy(each) for each in columns.values()
            if each.HasField("width") or each.HasField("hidden") or each.place]
    table.ClearField("columns")
    table.columns.extend(kept)
    if change.HasField("order"):
        table.order.CopyFrom(change.order)


def _copy(column: session_pb2.TableColumnChange) -> session_pb2.TableColumnChange:
    """A copy, since a list that is emptied takes its messages along."""
    result = session_pb2.TableColumnChange()
    result.CopyFrom(column)
    return result


def merge_expansions(expansions: session_pb2.ExpansionState, change: updates_pb2.OutlineChange) -> None:
    """Notes what was expanded and collapsed. What is below the named items is not known here."""
    expanded = _moved(expansions.expanded, change.expand, change.collapse)
    collapsed = _moved(expansions.collapsed, change.collapse, change.expand)
    extra = max(0, len(expanded) + len(collapsed) - MOST_KEYS)
    del (expanded if len(expanded) > len(collapsed) else collapsed)[:extra]
    expansions.expanded[:] = expanded
    expansions.collapsed[:] = collapsed


def _moved(keys: Iterable[str], added: Iterable[str], removed: Iterable[str]) -> list[str]:
    added = list(dict.fromkeys(added))
    moved = {*added, *removed}
    return [key for key in keys if key not in moved] + added
