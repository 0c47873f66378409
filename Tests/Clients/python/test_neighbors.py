# SPDX-License-Identifier: Apache-2.0
"""Where arrow keys lead, against a search through all items that is written from the contract alone."""

import math
import random

import grpc
import pytest
from collection_layout.v1 import attributes_pb2 as attributes
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import query_service_pb2_grpc as query_grpc
from collection_layout.v1 import session_pb2 as session
from lockstep import Session

WIDTH, HEIGHT = 600, 400

LAYOUTS = {
    "flow": dict(flow=dict(minimum_line_spacing=8, header_reference_size=dict(height=30))),
    "waterfall": dict(waterfall=dict(column_count=4, column_spacing=6, item_spacing=6)),
    "grid": dict(grid=dict(interitem_spacing=4, line_spacing=6)),
}
UP, DOWN, LEFT, RIGHT = (
    session.NEIGHBOR_STEP_UP, session.NEIGHBOR_STEP_DOWN,
    session.NEIGHBOR_STEP_LEFT, session.NEIGHBOR_STEP_RIGHT)


def contents(seed):
    chance = random.Random(seed)
    result = collection.CollectionContents()
    for section in range(4):
        count = chance.choice([0, 1, 9, 17])
        block = result.sections.add().blocks.add(
            count=count, keys=[f"{section}.{item}" for item in range(count)])
        if count:
            block.widths.extend(chance.randrange(40, 201) for _ in range(count))
            block.heights.extend(chance.randrange(40, 201) for _ in range(count))
    return result


def target(layout, seed, right_to_left):
    return query.LayoutTarget(
        inline_contents=contents(seed), layout=layouts.LayoutSpec(**LAYOUTS[layout]),
        viewport=session.ViewportChange(
            content_offset=dict(), size=dict(width=WIDTH, height=HEIGHT),
            traits=dict(display_scale=1, right_to_left=right_to_left)))


def directed(frame, step):
    """(start, end) in the direction, in which numbers grow, and (start, end) across it."""
    across, down = (frame.x, frame.x + frame.width), (frame.y, frame.y + frame.height)
    main, cross = (across, down) if step in (LEFT, RIGHT) else (down, across)
    return (main if step in (DOWN, RIGHT) else (-main[1], -main[0])), cross


def distance(start, item, step):
    """None = the item is no candidate."""
    (main, cross), (other, across) = directed(start, step), directed(item, step)
    is_horizontal = step in (LEFT, RIGHT)
    aside = max(0, across[0] - cross[1], cross[0] - across[1])
    is_farther = other[0] > main[0] + 1e-6 and other[1] > main[1] + 1e-6
    if not is_farther or aside > (HEIGHT if is_horizontal else WIDTH):
        return None
    way = math.hypot(max(0, other[0] - main[1]), aside)
    extent = cross[1] - cross[0]
    overlap = max(0, min(cross[1], across[1]) - max(cross[0], across[0]))
    if overlap <= 1e-6:
        return way + (aside + extent / 2) * (30 if is_horizontal else 2)
    common = max(0, min(main[1], other[1]) - other[0]) * overlap
    return way - 5 * overlap / extent - math.sqrt(common)


def is_seen(frame, offset):
    """Whether as much as can be is in the viewport at an offset."""
    def share(start, length, low, extent):
        return min(start + length, low + extent) - max(start, low) >= min(length, extent) - 1e-6
    return (share(frame.x, frame.width, offset.x, WIDTH)
            and share(frame.y, frame.height, offset.y, HEIGHT))


@pytest.mark.parametrize("right_to_left", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrow_keys_lead_to_the_nearest_item_and_show_it(channel, layout, right_to_left):
    stub = query_grpc.LayoutQueryServiceStub(channel)
    chance = random.Random(9)
    for seed in range(3):
        asked = target(layout, seed, right_to_left)
        everything = stub.QueryElements(query.QueryElementsRequest(target=asked, page_size=1000))
        cells = {e.item_key: e.attributes.frame for e in everything.elements if e.item_key}
        for start in chance.sample(sorted(cells), min(len(cells), 8)):
            for step in (UP, DOWN, LEFT, RIGHT):
                answer = stub.FindNeighbor(query.FindNeighborRequest(
                    target=asked, request=session.NeighborRequest(item_key=start, step=step)))
                distances = {
                    key: away for key, frame in cells.items()
                    if (away := distance(cells[start], frame, step)) is not None}
                note = (seed, start, step, answer, distances)
                assert answer.HasField("element") == bool(distances), note
                if not distances:
                    continue
                found = answer.element
                assert distances[found.item_key] <= min(distances.values()) + 1e-6, note
                assert found.attributes.frame == cells[found.item_key], note
                assert is_seen(found.attributes.frame, answer.content_offset), note
                assert not answer.HasField("section_offset")


def test_steps_in_reading_order_visit_every_item_once(channel):
    stub = query_grpc.LayoutQueryServiceStub(channel)
    asked = target("flow", 1, False)
    keys = [key for s in asked.inline_contents.sections for b in s.blocks for key in b.keys]
    for first, following, expected in [
        (session.NEIGHBOR_STEP_FIRST, session.NEIGHBOR_STEP_NEXT, keys),
        (session.NEIGHBOR_STEP_LAST, session.NEIGHBOR_STEP_PREVIOUS, keys[::-1]),
    ]:
        walked, request = [], session.NeighborRequest(step=first)
        while (answer := stub.FindNeighbor(query.FindNeighborRequest(
                target=asked, request=request))).HasField("element"):
            walked.append(answer.element.item_key)
            request = session.NeighborRequest(item_key=walked[-1], step=following)
        assert walked == expected


def test_a_stream_answers_as_the_call_does_and_refuses_what_is_not_there(channel):
    stub = query_grpc.LayoutQueryServiceStub(channel)
    asked = target("flow", 1, False)
    stream = Session(channel, session.OpenSession(
        inline_contents=asked.inline_contents, layout=asked.layout, viewport=asked.viewport))

    def ask(**request):
        result = stream.perform(scroll_target=dict(neighbor=request))
        return result, stream.targets.get(stream.seq)

    last = [key for s in asked.inline_contents.sections for b in s.blocks for key in b.keys][-1]
    for step in (UP, session.NEIGHBOR_STEP_PAGE_UP, session.NEIGHBOR_STEP_PREVIOUS, DOWN):
        answer = stub.FindNeighbor(query.FindNeighborRequest(
            target=query.LayoutTarget(session=stream.opened.session),
            request=session.NeighborRequest(item_key=last, step=step)))
        result, found = ask(item_key=last, step=step)
        assert not result.HasField("problem"), result.problem
        assert found.content_offset == answer.content_offset
        assert found.HasField("neighbor") == answer.HasField("element") == (step != DOWN)
        assert found.neighbor == answer.element
    key = attributes.ElementKey(
        category=attributes.ELEMENT_CATEGORY_CELL, index_path=dict(section=9, item=0))
    for request, field, reason in [
        (dict(item_key="nobody", step=UP), "item_key", "INDEX_OUT_OF_RANGE"),
        (dict(key=key, step=UP), "key", "INDEX_OUT_OF_RANGE"),
        (dict(step=UP), "start", "FIELD_INVALID"),
        (dict(item_key=last), "step", "FIELD_INVALID"),
    ]:
        result, _ = ask(**request)
        assert result.problem.reason == reason
        fields = [violation.field for violation in result.problem.field_violations]
        assert fields and fields[0].endswith(f"neighbor.{field}"), fields
        with pytest.raises(grpc.RpcError) as refused:
            stub.FindNeighbor(query.FindNeighborRequest(
                target=asked, request=session.NeighborRequest(**request)))
        codes = dict(INDEX_OUT_OF_RANGE=grpc.StatusCode.OUT_OF_RANGE,
                     FIELD_INVALID=grpc.StatusCode.INVALID_ARGUMENT)
        assert refused.value.code() == codes[reason]
    stream.close()
