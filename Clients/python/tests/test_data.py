# SPDX-License-Identifier: Apache-2.0
"""Contents from columns."""

from __future__ import annotations

import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection_layout import Client, FieldError, contents, import_parts, items, section
from collection_layout._numpy import numpy
from collection_layout.v1 import collection_pb2

LENGTHS = st.floats(0, 2.0**40)
COLUMNS = st.integers(0, 40).flatmap(lambda count: st.fixed_dictionaries({
    "count": st.just(count),
    "widths": st.none() | LENGTHS | st.lists(LENGTHS, min_size=count, max_size=count),
    "heights": st.none() | LENGTHS | st.lists(LENGTHS, min_size=count, max_size=count),
    "kinds": st.none() | st.lists(st.sampled_from(["a", "b", "ü"]), min_size=count, max_size=count),
    "keys": st.none() | st.lists(
        st.text(min_size=1, max_size=9), min_size=count, max_size=count, unique=True),
    "data": st.none() | st.text(max_size=9) | st.lists(st.text(max_size=9), min_size=count, max_size=count),
}))


def rows(data: collection_pb2.CollectionContents) -> list[list[tuple[Any, ...]]]:
    """The items of each section: width, height, kind, key, data."""
    result = []
    for each in data.sections:
        found: list[tuple[Any, ...]] = []
        for block in each.blocks:
            def column(values: Any, count: int = block.count) -> list[Any]:
                return [None] * count if not len(values) else list(values) * (
                    count if len(values) == 1 else 1)
            kinds = [data.cell_kind_names[k] if k is not None else None
                     for k in column(block.cell_kinds)]
            found += zip(column(block.widths), column(block.heights), kinds, column(block.keys),
                         column(block.data))
        result.append(found)
    return result


def wanted(columns: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The same of the columns."""
    def column(value: Any) -> list[Any]:
        return value if isinstance(value, list) else [value] * columns["count"]

    return list(zip(*(column(columns[name]) for name in ("widths", "heights", "kinds", "keys", "data"))))


@given(COLUMNS)
def test_contents_have_what_the_columns_have(columns: dict[str, Any]) -> None:
    data = contents(**columns)
    assert [row for each in rows(data) for row in each] == wanted(columns)


@given(st.lists(COLUMNS, min_size=1, max_size=4), st.integers(200, 600))
def test_an_import_has_what_the_columns_have(every: list[dict[str, Any]], part_bytes: int) -> None:
    for index, columns in enumerate(every):
        if columns["keys"]:
            columns["keys"] = [f"{index}{key}"[:9] for key in columns["keys"]]
            columns["keys"] = [f"{n}-{key}" for n, key in enumerate(columns["keys"])]
        # Names of kinds are sent first, so either all sections have them or none.
        columns["kinds"] = columns["kinds"] if every[0]["kinds"] else None
    sections = [section(**columns) for columns in every]
    whole = contents(*sections)
    for source in (sections, whole):
        parts = list(import_parts("collections/x", source, part_bytes=part_bytes))
        assert parts[0].WhichOneof("part") == "header" and parts[-1].WhichOneof("part") == "end"
        assert parts[-1].end.section_count == len(every)
        assert parts[-1].end.item_count == sum(columns["count"] for columns in every)
        received = collection_pb2.CollectionContents(
            cell_kind_names=parts[0].header.cell_kind_names)
        for part in parts[1:-1]:
            if part.HasField("section"):
                received.sections.append(part.section)
            else:
                assert part.items.count == 1 or part.items.ByteSize() <= part_bytes
                received.sections[-1].blocks.append(part.items)
        assert rows(received) == [wanted(columns) for columns in every]


class Arrow:
    """What an Arrow array has."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def to_pylist(self) -> list[Any]:
        return self.values


class Frame:
    """A column that only knows __array__."""

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return numpy.array(self.values)


@pytest.mark.parametrize("column", [
    [1.5, 2.0, 3.0], (1.5, 2.0, 3.0), array.array("d", [1.5, 2, 3]), array.array("f", [1.5, 2, 3]),
    memoryview(array.array("d", [1.5, 2, 3])), Arrow([1.5, 2, 3]), iter([1.5, 2, 3]),
    (n for n in (1.5, 2, 3))])
def test_columns_of_many_types(column: Any) -> None:
    assert items(widths=column).widths == [1.5, 2.0, 3.0]


@pytest.mark.skipif(numpy is None, reason="numpy is not installed")
def test_columns_of_numpy() -> None:
    for kind in ("f8", "f4", "i4", "u1"):
        assert items(widths=numpy.array([1, 2, 3], kind)).widths == [1, 2, 3]
    assert items(widths=Frame([1, 2.5])).widths == [1, 2.5]
    assert items(widths=numpy.array([[1, 2], [3, 4]])[:, 0]).widths == [1, 3]
    assert items(count=2, widths=numpy.float64(3)).widths == [3]
    assert items(keys=numpy.array(["a", "b"])).keys == ["a", "b"]
    assert items(keys=numpy.arange(3)).keys == ["0", "1", "2"]
    with pytest.raises(FieldError, match="one dimension"):
        items(widths=numpy.zeros((2, 2)))
    with pytest.raises(FieldError, match=r"widths\[1\].*nan"):
        items(widths=numpy.array([1, numpy.nan]))


def test_columns_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"w": [1, 2, 3], "h": [1.5, 2.5, 3.5], "id": ["a", "b", "c"]})
    found = items(widths=table["w"], heights=table["h"], keys=table["id"])
    assert (found.widths, found.heights, found.keys) == ([1, 2, 3], [1.5, 2.5, 3.5], ["a", "b", "c"])
    with pytest.raises(FieldError, match=r"keys\[1\]"):
        items(keys=pandas.Series(["a", None]))


def test_columns_of_arrow() -> None:
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table({"w": [1.0, 2.0], "id": ["a", "b"]})
    found = items(widths=table["w"], keys=table["id"])
    assert (found.widths, found.keys) == ([1, 2], ["a", "b"])
    with pytest.raises(FieldError, match=r"widths\[1\].*None"):
        items(widths=arrow.array([1.0, None]))


@pytest.mark.parametrize(("columns", "field"), [
    (dict(widths=[1, 2], heights=[1]), "heights"), (dict(count=3, widths=[1]), "widths"),
    (dict(widths=5), "count"), (dict(count=-1), "count"), (dict(widths=[1, -2]), "widths[1]"),
    (dict(heights=[1, float("inf")]), "heights[1]"), (dict(widths=["a"]), "widths[0]"),
    (dict(keys=["a", "a"]), "keys[1]"), (dict(keys=["a", ""]), "keys[1]"),
    (dict(keys=["a" * 129]), "keys[0]"), (dict(keys=[1.5]), "keys[0]"), (dict(keys="abc"), "keys"),
    (dict(widths="abc"), "widths[0]"), (dict(widths={1: 2}), "widths"), (dict(widths=object()), "widths"),
    (dict(data=["a", object()]), "data[1]"), (dict(data=[float("nan")]), "data[0]"),
    (dict(levels=[0, 64]), "levels[1]"), (dict(expanded=[1]), "expanded[0]")])
def test_wrong_columns_name_the_field(columns: dict[str, Any], field: str) -> None:
    with pytest.raises(FieldError) as caught:
        items(**columns)
    assert caught.value.field == field


def test_groups_become_sections() -> None:
    data = contents(
        widths=[1, 2, 3, 4], keys=["a", "b", "c", "d"], heights=9,
        group_by=["x", "y", "x", "z"])
    assert [each.key for each in data.sections] == ["x", "y", "z"]
    assert [list(each.blocks[0].keys) for each in data.sections] == [["a", "c"], ["b"], ["d"]]
    assert [list(each.blocks[0].widths) for each in data.sections] == [[1, 3], [2], [4]]
    assert all(list(each.blocks[0].heights) == [9] for each in data.sections)
    with pytest.raises(FieldError, match="group_by"):
        contents(widths=[1, 2], group_by=["a"])


def test_sections_have_metrics_and_outlines(client: Client) -> None:
    data = contents(
        section(key="a", inset=8, header_size=(0, 30), heights=[10, 20], keys=["1", "2"]),
        section(key="b", outline="shared", levels=[0, 1], expanded=[True, False], keys=["3", "4"]))
    client.create_collection("sections", data)
    found = client.export_contents("sections")
    assert found.sections[0].metrics.inset.leading == 8
    assert found.sections[0].metrics.header_size.height == 30
    assert list(found.sections[1].blocks[0].outline.levels) == [0, 1]
    with pytest.raises(FieldError, match="outline"):
        section(levels=[0, 1], keys=["1", "2"])
    with pytest.raises(FieldError, match="did you mean 'shared'"):
        section(outline="share", count=0)


def test_a_large_import_goes_in_parts(client: Client) -> None:
    count = 300_000
    made = client.create_collection(
        "large", heights=array.array("d", [20 + n % 7 for n in range(count)]), keys=range(count))
    assert (made.item_count, made.data_version) == (count, 1)
    # Sections one after another, from a generator.
    made = client.import_contents(
        "large", (section(key=str(n), heights=[n] * 1000) for n in range(1, 100)))
    assert (made.section_count, made.item_count, made.data_version) == (99, 99_000, 2)


def test_an_error_while_sections_are_made_is_the_error_of_the_import(client: Client) -> None:
    client.create_collection("half", heights=[1, 2])

    def sections() -> Any:
        yield section(heights=[1])
        raise KeyError("no more")

    with pytest.raises(KeyError):
        client.import_contents("half", sections())
    assert client.get_collection("half").item_count == 2
