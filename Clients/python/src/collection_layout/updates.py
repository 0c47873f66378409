# SPDX-License-Identifier: Apache-2.0
"""Edits of a collection, which `batch` puts together.

Deletes, reloads, reconfigurations and the sources of moves count in the state before the batch; inserts
and the targets of moves in the state after it.

```python
from collection_layout import updates

client.apply("collections/photos", updates.batch(
    updates.insert((0, 3), heights=[40, 60], keys=["new-1", "new-2"]),
    updates.delete((0, 10), count=2), animated=True))
```
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping

from collection_layout._build import FieldError
from collection_layout.data import Column, ContentsLike, SectionColumns, SectionLike, contents, items
from collection_layout.v1 import attributes_pb2, collection_pb2, updates_pb2

#: (section, item)
Place = tuple[int, int]


def batch(
        *operations: updates_pb2.UpdateOperation, animated: bool = False,
        expected_data_version: int | None = None, request_id: str | None = None
) -> updates_pb2.UpdateBatch:
    """Operations that are applied together.

    Args:
        operations: What the functions of this module return.
        animated: Whether renderers should animate from the old state to the new.
        expected_data_version: The version that this was made against; with another one the server
            refuses the batch (ConflictError).
        request_id: A retry with the same one is not applied again. None = a new one.
    """
    return updates_pb2.UpdateBatch(
        operations=updates_pb2.UpdateOperations(operations=operations), animated=animated,
        expected_data_version=expected_data_version, request_id=_request_id(request_id))


def snapshot(
        source: ContentsLike, *, animated: bool = False, reloaded: Iterable[str] = (),
        reconfigured: Iterable[str] = (), expected_data_version: int | None = None,
        request_id: str | None = None) -> updates_pb2.UpdateBatch:
    """The wanted contents; the server works out by key what was inserted, deleted and moved.

    Args:
        source: Contents or sections; every section and item has a key.
        animated: Whether renderers should animate from the old state to the new.
        reloaded: Keys of items whose content changed although their key did not.
        reconfigured: Keys of items that keep their identity and have other content.
        expected_data_version: As for `batch`.
        request_id: As for `batch`.
    """
    if isinstance(source, (SectionColumns, collection_pb2.Section)):
        source = [source]
    if not isinstance(source, collection_pb2.CollectionContents):
        source = contents(*source)
    return updates_pb2.UpdateBatch(
        snapshot=updates_pb2.SnapshotUpdate(
            contents=source, reloaded_item_keys=reloaded, reconfigured_item_keys=reconfigured),
        animated=animated, expected_data_version=expected_data_version,
        request_id=_request_id(request_id))


def insert(
        at: Place, *, count: int | None = None, widths: Column = None, heights: Column = None,
        xs: Column = None, ys: Column = None, keys: Column = None,
        data: Column = None) -> updates_pb2.UpdateOperation:
    """Inserts items; the first of them is at `at` after the batch. `items` describes the columns."""
    block = _blocks(count, widths, heights, xs, ys, keys, data)
    return updates_pb2.UpdateOperation(
        insert_items=updates_pb2.InsertItems(at=_path(at, "at"), blocks=block))


def delete(at: Place, *, count: int = 1) -> updates_pb2.UpdateOperation:
    """Deletes consecutive items of a section."""
    return updates_pb2.UpdateOperation(delete_items=_range(at, count))


def move(source: Place, target: Place) -> updates_pb2.UpdateOperation:
    """Moves an item; it stays the same element."""
    move_item = updates_pb2.MoveItem(to=_path(target, "target"))
    # `from` is a word of Python's.
    getattr(move_item, "from").CopyFrom(_path(source, "source"))
    return updates_pb2.UpdateOperation(move_item=move_item)


def reload(
        at: Place, *, count: int | None = None, widths: Column = None, heights: Column = None,
        xs: Column = None, ys: Column = None, keys: Column = None,
        data: Column = None) -> updates_pb2.UpdateOperation:
    """New content under a new identity: renderers replace the elements."""
    return updates_pb2.UpdateOperation(
        reload_items=_replacement(at, count, widths, heights, xs, ys, keys, data))


def reconfigure(
        at: Place, *, count: int | None = None, widths: Column = None, heights: Column = None,
        xs: Column = None, ys: Column = None, keys: Column = None,
        data: Column = None) -> updates_pb2.UpdateOperation:
    """New sizes, or data, under the same identity: renderers keep the elements."""
    return updates_pb2.UpdateOperation(
        reconfigure_items=_replacement(at, count, widths, heights, xs, ys, keys, data))


def insert_sections(at: int, *sections: SectionLike) -> updates_pb2.UpdateOperation:
    """Inserts sections with their items. Kinds of cells cannot be named here."""
    inserted = contents(*sections)
    if inserted.cell_kind_names:
        raise FieldError("sections", "a batch cannot name kinds of cells")
    return updates_pb2.UpdateOperation(
        insert_sections=updates_pb2.InsertSections(at=at, sections=inserted.sections))


def delete_sections(first: int, *, count: int = 1) -> updates_pb2.UpdateOperation:
    """Deletes consecutive sections with their items."""
    return updates_pb2.UpdateOperation(
        delete_sections=updates_pb2.SectionRange(first_section=first, section_count=count))


def move_section(source: int, target: int) -> updates_pb2.UpdateOperation:
    """Moves a section with its items."""
    move = updates_pb2.MoveSection(to=target)
    setattr(move, "from", source)
    return updates_pb2.UpdateOperation(move_section=move)


def _request_id(given: str | None) -> str:
    return str(uuid.uuid4()) if given is None else given


def _path(place: Place, name: str) -> attributes_pb2.IndexPath:
    try:
        section, item = place
        return attributes_pb2.IndexPath(section=section, item=item)
    except (TypeError, ValueError):
        raise FieldError(name, f"{place!r} is not (section, item)") from None


def _range(at: Place, count: int) -> updates_pb2.ItemRange:
    path = _path(at, "at")
    return updates_pb2.ItemRange(section=path.section, first_item=path.item, item_count=count)


def _blocks(
        count: int | None, widths: Column, heights: Column, xs: Column, ys: Column, keys: Column,
        data: Column
) -> list[collection_pb2.ItemBlock]:
    columns = items(
        count=_count(count, widths, heights, xs, ys, keys, data), widths=widths, heights=heights,
        xs=xs, ys=ys, keys=keys, data=data)
    return list(columns.blocks({}, 1 << 62))


def _count(count: int | None, *columns: Column) -> int | None:
    """Values that are not columns are for one item unless something says otherwise."""
    if count is None and all(isinstance(c, (int, float, str, Mapping, type(None))) for c in columns):
        return 1
    return count


def _replacement(
        at: Place, count: int | None, widths: Column, heights: Column, xs: Column, ys: Column,
        keys: Column, data: Column) -> updates_pb2.ReplaceItems:
    blocks = _blocks(count, widths, heights, xs, ys, keys, data)
    return updates_pb2.ReplaceItems(
        range=_range(at, sum(block.count for block in blocks)), blocks=blocks)
