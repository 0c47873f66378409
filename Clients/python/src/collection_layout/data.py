# SPDX-License-Identifier: Apache-2.0
"""Contents of collections from columns: lists, numpy arrays, pandas and polars columns, Arrow arrays."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from collection_layout._build import FieldError, InsetsLike, SizeLike, build
from collection_layout.v1 import collection_pb2, collection_service_pb2

#: A column of values, or one value for all items. A column is a list or another iterable, or something
#: with one dimension that has `to_pylist` (Arrow), `tolist` (numpy, pandas, array), `to_list` (polars),
#: `to_numpy`, `__array__`, or the buffer protocol.
Column: TypeAlias = Any

# Of one part of an import. The server accepts 4 MiB by default.
PART_BYTES = 1 << 20
MOST_KEY_BYTES = 128
MOST_LENGTH = float(1 << 40)

SectionLike: TypeAlias = "SectionColumns | collection_pb2.Section"
ContentsLike: TypeAlias = "collection_pb2.CollectionContents | Iterable[SectionLike] | SectionLike"


def to_list(column: Column, name: str) -> list[Any]:
    """The values of a column as a list. Raises FieldError with the name."""
    values: Any
    if isinstance(column, (list, tuple)):
        return list(column)
    if isinstance(column, (str, bytes, Mapping)):
        raise FieldError(name, f"{column!r} is no column")
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, method):
            values = getattr(column, method)()
            break
    else:
        for method in ("to_numpy", "__array__"):
            if hasattr(column, method):
                values = getattr(column, method)().tolist()
                break
        else:
            values = _from_buffer(column, name)
    if not isinstance(values, list) or values and isinstance(values[0], list):
        raise FieldError(name, "is not a column of one dimension")
    return values


def _from_buffer(column: Column, name: str) -> list[Any]:
    try:
        return memoryview(column).tolist()
    except TypeError:
        pass
    except NotImplementedError as error:
        raise FieldError(name, f"the buffer cannot be read: {error}") from None
    try:
        return list(column)
    except TypeError:
        raise FieldError(name, f"{column!r} is no column") from None


@dataclasses.dataclass(frozen=True)
class Items:
    """Columns of items, checked. A column is empty, or has one value for all items or one for each."""

    #: How many items there are.
    count: int
    widths: Sequence[float] = ()
    heights: Sequence[float] = ()
    xs: Sequence[float] = ()
    ys: Sequence[float] = ()
    #: Names of kinds.
    kinds: Sequence[str] = ()
    keys: Sequence[str] = ()
    levels: Sequence[int] = ()
    expanded: Sequence[bool] = ()
    #: What they carry for renderers.
    data: Sequence[str] = ()

    def blocks(self, numbers: dict[str, int], part_bytes: int = PART_BYTES
               ) -> Iterator[collection_pb2.ItemBlock]:
        """The items in blocks of at most so many bytes each.

        `numbers` are the numbers of the kinds, to which those are added that it does not have.
        """
        start = 0
        while start < self.count:
            stop = self._end(start, part_bytes)
            yield self._block(start, stop, numbers)
            start = stop

    def _end(self, start: int, part_bytes: int) -> int:
        """The end of the longest block from an item on that is not too large."""
        # A double has 8 bytes, a number of a kind at most 3, a level and a flag 1 each.
        bytes_each = sum(8 for c in (self.widths, self.heights, self.xs, self.ys) if len(c) > 1) + 8
        stop = min(self.count, start + max(1, part_bytes // (2 * bytes_each)))
        texts = [column for column in (self.keys, self.data) if len(column) > 1]
        # Most texts are short, so half of the bytes are theirs; longer ones make blocks shorter.
        size = 0
        for index in range(start, stop if texts else start):
            size += sum(2 + len(column[index].encode()) for column in texts)
            if size > part_bytes // 2:
                return max(start + 1, index)
        return stop

    def _block(self, start: int, stop: int, numbers: dict[str, int]) -> collection_pb2.ItemBlock:
        def part(column: Sequence[Any]) -> Sequence[Any]:
            return column if len(column) == 1 else column[start:stop]

        block = collection_pb2.ItemBlock(
            count=stop - start, widths=part(self.widths), heights=part(self.heights), xs=part(self.xs),
            ys=part(self.ys), keys=self.keys[start:stop], data=part(self.data),
            cell_kinds=[numbers.setdefault(kind, len(numbers)) for kind in part(self.kinds)])
        if self.levels or self.expanded:
            block.outline.levels.extend(part(self.levels))
            block.outline.expanded.extend(part(self.expanded))
        return block


def items(
        *, count: int | None = None, widths: Column = None, heights: Column = None, xs: Column = None,
        ys: Column = None, kinds: Column = None, keys: Column = None, levels: Column = None,
        expanded: Column = None, data: Column = None) -> Items:
    """Items from columns of the same length.

    Args:
        count: How many items; needed if there is no column.
        widths: In points, 0 or more. None = the layout's own.
        heights: The same.
        xs: Places for the spatial layout: points, or degrees of longitude.
        ys: Points, or degrees of latitude.
        kinds: Names of reuse kinds.
        keys: Identify the items through changes of the data: 1 to 128 bytes each, none twice.
        levels: In an outline, how many ancestors each item has.
        expanded: In an outline, whether each item is expanded.
        data: What items carry for renderers: texts, or dictionaries and lists, which become JSON; None =
            nothing. The server allows 1,024 bytes by default.

    Raises:
        FieldError: A column is of another length than the others, or has a value that is not allowed.
    """
    if isinstance(data, Mapping):
        data = _datum(data, "data")
    given = dict(
        widths=widths, heights=heights, xs=xs, ys=ys, kinds=kinds, keys=keys, levels=levels,
        expanded=expanded, data=data)
    columns: dict[str, Any] = dict(
        widths=_numbers(widths, "widths", 0), heights=_numbers(heights, "heights", 0),
        xs=_numbers(xs, "xs", -MOST_LENGTH), ys=_numbers(ys, "ys", -MOST_LENGTH),
        kinds=_texts(kinds, "kinds"), keys=_texts(keys, "keys"),
        levels=_levels(levels), expanded=_flags(expanded), data=_data(data))
    lengths = {
        name: len(column) for name, column in columns.items()
        if column is not None and not _is_one(given[name])}
    for name, length in lengths.items():
        if count is None:
            count = length
        elif length != count:
            first = next((n for n, other in lengths.items() if other == count), "count")
            raise FieldError(name, f"has {length} values, but {first} says {count}")
    if count is None:
        raise FieldError("count", "is needed without a column")
    if count < 0:
        raise FieldError("count", f"{count} is less than 0")
    return Items(count, **{name: column or () for name, column in columns.items()})


@dataclasses.dataclass(frozen=True)
class SectionColumns:
    """A section whose items are columns. It becomes messages when it is sent, part by part."""

    #: Its items.
    items: Items
    #: Identifies it through changes of the data.
    key: str = ""
    #: Names a part of a compositional layout or of one of sections.
    layout_name: str = ""
    #: Overrides the layout's own metrics.
    metrics: collection_pb2.SectionMetrics | None = None
    #: Set = the items lie under one another.
    outline: collection_pb2.Outline | None = None

    def head(self) -> collection_pb2.Section:
        """The section without items."""
        return collection_pb2.Section(
            key=self.key, layout_name=self.layout_name, metrics=self.metrics, outline=self.outline)


def section(
        *, key: str = "", layout_name: str = "", inset: InsetsLike | None = None,
        line_spacing: float | None = None, interitem_spacing: float | None = None,
        header_size: SizeLike | None = None, footer_size: SizeLike | None = None,
        outline: str | None = None, count: int | None = None, widths: Column = None,
        heights: Column = None, xs: Column = None, ys: Column = None, kinds: Column = None,
        keys: Column = None, levels: Column = None, expanded: Column = None,
        data: Column = None) -> SectionColumns:
    """A section from columns of its items, which are described at `items`.

    Args:
        key: Identifies the section through changes of the data.
        layout_name: Names a part of a compositional layout or of one of sections.
        inset: Between the section's edges and its items. This and the following override the layout's.
        line_spacing: Between lines or rows.
        interitem_spacing: Between the items of a line.
        header_size: Of the header; (0, 0) = none.
        footer_size: Of the footer; (0, 0) = none.
        outline: "per_viewer" or "shared": the section is an outline, and this says who expands it.
        count: See `items`, as for all that follow.
    """
    metrics = dict(
        inset=inset, line_spacing=line_spacing, interitem_spacing=interitem_spacing,
        header_size=header_size, footer_size=footer_size)
    given = {name: value for name, value in metrics.items() if value is not None}
    if outline is None and (levels is not None or expanded is not None):
        raise FieldError("outline", 'is needed with levels: "per_viewer" or "shared"')
    return SectionColumns(
        items=items(count=count, widths=widths, heights=heights, xs=xs, ys=ys, kinds=kinds, keys=keys,
                    levels=levels, expanded=expanded, data=data),
        key=key, layout_name=layout_name,
        metrics=build(collection_pb2.SectionMetrics, given, "section") if given else None,
        outline=None if outline is None else build(
            collection_pb2.Outline, dict(expansion=outline), "section"))


def contents(
        *sections: SectionLike, group_by: Column = None, **columns: Column
) -> collection_pb2.CollectionContents:
    """Contents from sections, or those of one section from columns, which are described at `items`.

    With `group_by`, a column, there is a section for each of its values, in the order in which they come
    first; the values are the keys of the sections.

    ```python
    contents(widths=frame["width"], heights=frame["height"], keys=frame["id"], group_by=frame["artist"])
    ```

    For more than one message can hold, see `Client.import_contents`, which sends it in parts.
    """
    result = collection_pb2.CollectionContents()
    numbers: dict[str, int] = {}
    for each in all_sections(sections, group_by, columns):
        if isinstance(each, collection_pb2.Section):
            result.sections.append(each)
        else:
            added = result.sections.add()
            added.CopyFrom(each.head())
            added.blocks.extend(each.items.blocks(numbers, 1 << 62))
    result.cell_kind_names.extend(numbers)
    return result


def all_sections(
        sections: Iterable[SectionLike], group_by: Column, columns: Mapping[str, Column]
) -> Iterator[SectionLike]:
    """The sections, or those that columns make."""
    sections = iter(sections)
    if not columns and group_by is None:
        return sections
    if next(sections, None) is not None:
        raise FieldError("contents", "has both sections and columns")
    if group_by is None:
        return iter([SectionColumns(items(**columns))])
    values = to_list(group_by, "group_by")
    if all(column is None or _is_one(column) for column in columns.values()):
        columns = {"count": len(values), **columns}
    return _groups(values, items(**columns))


def _groups(values: list[Any], every: Items) -> Iterator[SectionColumns]:
    if len(values) != every.count:
        raise FieldError("group_by", f"has {len(values)} values, but there are {every.count} items")
    rows: dict[str, list[int]] = {}
    for index, value in enumerate(values):
        rows.setdefault(str(value), []).append(index)

    def taken(column: Sequence[Any], indices: list[int]) -> Sequence[Any]:
        return column if len(column) < 2 and every.count != len(column) else [column[i] for i in indices]

    for key, indices in rows.items():
        yield SectionColumns(key=key, items=Items(len(indices), **{
            field.name: taken(getattr(every, field.name), indices)
            for field in dataclasses.fields(Items) if field.name != "count"}))


def import_parts(
        name: str, source: ContentsLike, expected_data_version: int | None = None,
        part_bytes: int = PART_BYTES
) -> Iterator[collection_service_pb2.ImportContentsRequest]:
    """The parts of an import: a header, sections and their items in blocks, and the end mark.

    Sections are read one after another, so a generator of sections needs no more memory than the largest
    of them. The names of kinds are needed first, so sections that have kinds are all read before.
    """
    request = collection_service_pb2.ImportContentsRequest
    sections, numbers = _prepared(source)
    yield request(header=collection_service_pb2.ImportHeader(
        name=name, expected_data_version=expected_data_version, cell_kind_names=list(numbers)))
    section_count = item_count = 0
    for each in sections:
        section_count += 1
        if isinstance(each, collection_pb2.Section):
            head = collection_pb2.Section(
                key=each.key, layout_name=each.layout_name,
                metrics=each.metrics if each.HasField("metrics") else None,
                outline=each.outline if each.HasField("outline") else None)
            yield request(section=head)
            # The numbers of the kinds refer to the contents' own names.
            blocks = _split_all(each.blocks, part_bytes)
        else:
            yield request(section=each.head())
            blocks = each.items.blocks(numbers, part_bytes)
        for block in blocks:
            item_count += block.count
            yield request(items=block)
    yield request(end=collection_service_pb2.ImportEnd(
        section_count=section_count, item_count=item_count))


def _prepared(source: ContentsLike) -> tuple[Iterable[SectionLike], dict[str, int]]:
    """The sections, and the numbers of the names of all kinds."""
    if isinstance(source, collection_pb2.CollectionContents):
        return source.sections, {name: index for index, name in enumerate(source.cell_kind_names)}
    if isinstance(source, (SectionColumns, collection_pb2.Section)):
        source = [source]
    iterator = iter(source)
    first = next(iterator, None)
    if first is None:
        return [], {}
    if not isinstance(first, SectionColumns) or not first.items.kinds:
        return _same_kind(first, iterator), {}
    held = [first, *iterator]
    names = (kind for each in held if isinstance(each, SectionColumns) for kind in each.items.kinds)
    return held, {name: index for index, name in enumerate(dict.fromkeys(names))}


def _same_kind(first: SectionLike, rest: Iterator[SectionLike]) -> Iterator[SectionLike]:
    yield first
    for each in rest:
        if isinstance(each, SectionColumns) and each.items.kinds:
            raise FieldError("kinds", "a section has them and the first section has none")
        yield each


def _split_all(
        blocks: Iterable[collection_pb2.ItemBlock], part_bytes: int) -> Iterator[collection_pb2.ItemBlock]:
    for block in blocks:
        yield from _split(block, part_bytes)


def _split(block: collection_pb2.ItemBlock, part_bytes: int) -> Iterator[collection_pb2.ItemBlock]:
    if block.ByteSize() <= part_bytes or block.count < 2:
        yield block
        return
    # Halves are of about the same size, also where keys are of different lengths.
    middle = block.count // 2
    for start, stop in ((0, middle), (middle, block.count)):
        part = collection_pb2.ItemBlock(count=stop - start)
        for source, target in ((block, part), (block.outline, part.outline)):
            for field, values in source.ListFields():
                if field.name not in ("count", "outline"):
                    getattr(target, field.name).extend(values if len(values) == 1 else values[start:stop])
        yield from _split(part, part_bytes)


def _is_one(column: Column) -> bool:
    """Whether this is one value for all items."""
    return isinstance(column, (bool, int, float, str)) or getattr(column, "shape", None) == ()


def _values(column: Column, name: str) -> list[Any] | None:
    if column is None:
        return None
    if isinstance(column, (bool, int, float, str)):
        return [column]
    return [column.item()] if _is_one(column) else to_list(column, name)


def _numbers(column: Column, name: str, least: float) -> list[float] | None:
    values = _values(column, name)
    if values is None:
        return None
    try:
        fine = all(map(math.isfinite, values)) and (
            not values or min(values) >= least and max(values) <= MOST_LENGTH)
    except TypeError:
        fine = False
    if not fine:
        for index, value in enumerate(values):
            if isinstance(value, (int, float)) and math.isfinite(value) and least <= value <= MOST_LENGTH:
                continue
            raise FieldError(f"{name}[{index}]", f"{value!r} is not a number from {least:g} to 2^40")
    return values


def _texts(column: Column, name: str) -> list[str] | None:
    values = _values(column, name)
    if values is None:
        return None
    if name == "keys" and _is_one(column):
        raise FieldError(name, f"{column!r} is one key, and each item needs its own")
    # Numbers of rows are common keys; the server knows keys as text.
    texts = [value if isinstance(value, str) else _text(value, f"{name}[{index}]")
             for index, value in enumerate(values)]
    for index, text in enumerate(texts):
        size = len(text) if text.isascii() else len(text.encode())
        if size > MOST_KEY_BYTES or not size and name == "keys":
            raise FieldError(f"{name}[{index}]", f"{text!r} has {size} bytes, and 1 to 128 are allowed")
    if name == "keys" and len(set(texts)) < len(texts):
        seen: set[str] = set()
        for index, text in enumerate(texts):
            if text in seen:
                raise FieldError(f"keys[{index}]", f"{text!r} comes twice")
            seen.add(text)
    return texts


def _data(column: Column) -> list[str] | None:
    values = _values(column, "data")
    return None if values is None else [_datum(value, f"data[{index}]") for index, value in enumerate(values)]


def _datum(value: object, path: str) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if not isinstance(value, (Mapping, list, tuple, bool, int, float)):
        raise FieldError(path, f"{value!r} is neither text nor what JSON can hold")
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise FieldError(path, f"{value!r} cannot be JSON: {error}") from None


def _text(value: object, path: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise FieldError(path, f"{value!r} is neither text nor a whole number")
    return str(value)


def _levels(column: Column) -> list[int] | None:
    values = _values(column, "levels")
    for index, value in enumerate(values or ()):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 63:
            raise FieldError(f"levels[{index}]", f"{value!r} is not a whole number from 0 to 63")
    return values


def _flags(column: Column) -> list[bool] | None:
    values = _values(column, "expanded")
    for index, value in enumerate(values or ()):
        if not isinstance(value, bool):
            raise FieldError(f"expanded[{index}]", f"{value!r} is neither True nor False")
    return values
