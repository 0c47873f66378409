# SPDX-License-Identifier: Apache-2.0
"""Functions that make layouts, and dictionaries that stand for them."""

from __future__ import annotations

import inspect
from datetime import timedelta
from typing import Any

import pytest

from collection_layout import Client, FieldError, layouts
from collection_layout._build import build, layout_spec
from collection_layout.v1 import geometry_pb2, layouts_pb2, session_pb2

GROUP = layouts.layout_group(
    axis="horizontal", size={"width": {"fractional_width": 1}, "height": 60}, count=2,
    subitems=[layouts.layout_item(size={"width": {"fractional_width": 0.5}, "height": {"absolute": 60}})])
SAMPLES = {
    "flow": layouts.flow(item_size=(50, 40), section_inset=8, alignment="leading"),
    "list": layouts.list(row_height=30, separator_insets=(0, 16, 0, 0)),
    "grid": layouts.grid(item_size=(50, 40)),
    "waterfall": layouts.waterfall(column_count=3, order="shortest_first"),
    "grid_lanes": layouts.grid_lanes(
        lanes=[{"fraction": 1, "minimum": 90, "auto_fill": True}],
        placements=[{"cell_kind": "wide", "span": 2}]),
    "table": layouts.table(
        columns=[{"id": "name", "width": 90, "frozen": "leading"}, {"id": "year", "share": 1}],
        header_height=20),
    "compositional": layouts.compositional(
        sections=[layouts.compositional_section(group=GROUP, orthogonal_scrolling="paging")]),
    "line": layouts.line(item_size=(50, 40), zoom_factor=0.3),
    "circle": layouts.circle(item_size=(50, 40)),
    "carousel": layouts.carousel(style="cover_flow", item_size=(50, 40)),
    "stack": layouts.stack(visible_depth=4, depth_offset=(0, 8)),
    "spatial": layouts.spatial(projection="web_mercator", zoom=3),
    "sections": layouts.sections(layouts=[
        layouts.list(row_height=30), {"waterfall": {"column_count": 2}},
        layouts.compositional_section(group=GROUP)]),
    "responsive": layouts.responsive(
        variants=[{"condition": {"below_width": 400}, "layout": layouts.list()}],
        otherwise=layouts.grid(item_size=(50, 50))),
}


def test_there_is_a_function_for_each_kind_and_each_is_documented() -> None:
    kinds = [field.name for field in layouts_pb2.LayoutSpec.DESCRIPTOR.oneofs_by_name["kind"].fields]
    assert set(kinds) == {*SAMPLES, "custom"}
    for name in layouts.__all__:
        function = getattr(layouts, name)
        for argument in inspect.signature(function).parameters:
            assert f"\n    {argument}: " in (inspect.getdoc(function) or ""), (name, argument)


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_server_accepts_what_the_functions_make(client: Client, kind: str) -> None:
    assert SAMPLES[kind].WhichOneof("kind") == kind
    assert client.validate_layout(SAMPLES[kind]) == []


def test_a_custom_layout_has_parameters() -> None:
    made = layouts.custom(name="week", parameters={"hours": 24, "days": ["mon", "tue"]})
    assert made.custom.parameters["hours"] == 24 and "tue" in str(made.custom.parameters["days"])


def test_dictionaries_and_functions_make_the_same() -> None:
    assert layout_spec({"flow": {
        "item_size": {"width": 50, "height": 40}, "alignment": "FLOW_ALIGNMENT_LEADING",
        "section_inset": {"top": 8, "leading": 8, "bottom": 8, "trailing": 8}}}) == SAMPLES["flow"]
    assert layout_spec({"grid": {}}) == layouts.grid()
    assert layouts.grid().WhichOneof("kind") == "grid"
    assert layout_spec(layouts_pb2.FlowLayout(item_size={"width": 3})).flow.item_size.width == 3
    assert layout_spec({"pixel_aligned": True, "list": {}}) == layouts.list(pixel_aligned=True)


@pytest.mark.parametrize(("value", "text"), [
    ({"flow": {"item_siz": (1, 2)}}, "layout.flow: there is no field 'item_siz'; did you mean 'item_size'?"),
    ({"flwo": {}}, "layout: there is no field 'flwo'; did you mean 'flow'?"),
    ({"flow": {"alignment": "leadnig"}}, "did you mean 'leading'?"),
    ({"flow": {"alignment": "x"}}, "there is center, justified, leading, trailing"),
    ({"flow": {"item_size": (1, 2, 3)}}, "layout.flow.item_size: (1, 2, 3) is not (width, height)"),
    ({"flow": {"item_size": ("a", 2)}}, "layout.flow.item_size.width: 'a' is no number"),
    ({"flow": {"item_size": (float("nan"), 2)}}, "is no number"),
    ({"flow": 3}, "layout.flow: 3 is no FlowLayout"),
    ({"list": {"self_sizing": 1}}, "layout.list.self_sizing: 1 is neither True nor False"),
    ({"waterfall": {"column_count": 1.5}}, "1.5 is no whole number"),
    ({"waterfall": {"column_count": -1}}, "-1 is not between 0 and"),
    ({"waterfall": {"column_count": 1, "minimum_column_width": 9}}, "exclude each other"),
    ({"flow": {}, "list": {}}, "'flow' and 'list' exclude each other"),
    ({"compositional": {"sections": {}}}, "layout.compositional.sections: {} is no list"),
    ({"compositional": {"sections": [{"grop": {}}]}},
     "layout.compositional.sections[0]: there is no field 'grop'; did you mean 'group'?"),
    ({"sections": {"layouts": [layouts.list(pixel_aligned=True)]}}, "has no room for"),
    ({"sections": {"layouts": [layouts.circle()]}}, "and no CircleLayout"),
    ({"custom": {"parameters": 3}}, "3 is no dictionary"),
    ({"custom": {"parameters": {"a": object()}}}, "cannot be sent"),
    ("flow", "'flow' is no LayoutSpec"), (None, "None is no LayoutSpec")])
def test_mistakes_say_where_they_are(value: Any, text: str) -> None:
    with pytest.raises(FieldError) as caught:
        layout_spec(value)
    assert text in str(caught.value)


def test_durations_are_seconds() -> None:
    options = build(session_pb2.SessionOptions, dict(
        heartbeat_interval=1.5, min_frame_interval=timedelta(milliseconds=20)), "options")
    assert options.heartbeat_interval.ToTimedelta() == timedelta(seconds=1.5)
    assert options.min_frame_interval.ToTimedelta() == timedelta(milliseconds=20)
    assert build(geometry_pb2.EdgeInsets, 3, "insets").trailing == 3
