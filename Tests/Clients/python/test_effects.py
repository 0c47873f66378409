# SPDX-License-Identifier: Apache-2.0
"""Scroll effects: what the server shows, and what a renderer shows that applies them itself."""

import pytest
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import query_service_pb2_grpc as query_grpc
from collection_layout.v1 import session_pb2 as session
from effects import Viewport, bounds, seen
from lockstep import Session, element_name
from test_stream import contents

SIZE = (400, 300)
INSETS = (30, 10, 20, 0)

EDGES = dict(
    leading=dict(values=dict(alpha=0.2, scale=0.5, rotation=0.7, translation=dict(x=40, y=-30))),
    trailing=dict(
        values=dict(alpha=0.5, z_index=-9, hidden=True), identity=dict(visible=0.8, inset=20),
        outer=dict(inset=-10)))
HEADERS = dict(category=2, kinds=["header"], identity=dict(alpha=0.5), axis=2)
TWICE = dict(identity=dict(scale=1.5, z_index=3), leading=dict(identity=dict(centered=1)))

ORTHOGONAL = dict(sections=[dict(
    orthogonal_scrolling=2,
    group=dict(
        axis=1, size=dict(width=dict(absolute=100), height=dict(absolute=80)),
        subitems=[dict(item=dict(size=dict(
            width=dict(fractional_width=1), height=dict(fractional_height=1))))]))])

LAYOUTS = {
    "flow": dict(flow=dict(header_reference_size=dict(height=40)),
                 scroll_effects=[EDGES, HEADERS, TWICE]),
    "waterfall": dict(waterfall=dict(column_count=3), scroll_effects=[EDGES]),
    "line": dict(line={}, scroll_effects=[EDGES]),
    "orthogonal": dict(compositional=ORTHOGONAL, scroll_effects=[EDGES]),
}


def opening(layout, applies, right_to_left, encoding):
    return session.OpenSession(
        inline_contents=contents(5), layout=layouts.LayoutSpec(**LAYOUTS[layout]),
        viewport=session.ViewportChange(
            content_offset=dict(x=0, y=0), size=dict(width=SIZE[0], height=SIZE[1]),
            content_insets=dict(
                top=INSETS[0], leading=INSETS[1], bottom=INSETS[2], trailing=INSETS[3]),
            traits=dict(display_scale=1, right_to_left=right_to_left)),
        capabilities=session.ClientCapabilities(
            encodings=[encoding], checksums=True, scroll_effects=applies))


def shown(channel, stream):
    """What the server answers for the coverage of a session, with effects."""
    stub = query_grpc.LayoutQueryServiceStub(channel)
    found, token = {}, ""
    while True:
        answer = stub.QueryElements(query.QueryElementsRequest(
            target=query.LayoutTarget(session=stream.opened.session), rect=stream.mirror.coverage._asdict(),
            page_size=500, page_token=token))
        found.update({element_name(e.key): e for e in answer.elements})
        token = answer.next_page_token
        if not token:
            return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("right_to_left", [False, True])
@pytest.mark.parametrize("encoding", [1, 2])
def test_renderer_shows_what_the_server_shows(channel, layout, right_to_left, encoding):
    stream = Session(channel, opening(layout, True, right_to_left, encoding))
    # Half a unit of an edge, which scale and rotation make larger.
    tolerance = 0.1 if encoding == 2 else 1e-6
    for offset in [(0, 0), (3, 57.5), (40, 333), (120, 1210)]:
        stream.scroll_to(*offset)
        assert len(stream.mirror.scroll_effects.effects) == len(LAYOUTS[layout]["scroll_effects"])
        viewport = Viewport(stream.offset, SIZE, INSETS, right_to_left)
        mine = {
            element_name(e.key): seen(stream.mirror.scroll_effects, e, viewport)
            for e in stream.mirror.slots.values()}
        for name, element in shown(channel, stream).items():
            alpha, z_index, hidden, points = mine[name]
            wanted = element.attributes
            assert alpha == pytest.approx(
                wanted.alpha if wanted.HasField("alpha") else 1, abs=tolerance / 20), name
            assert abs(z_index - wanted.z_index) <= (1 if encoding == 2 else 0), name
            if encoding == 1:
                assert hidden == wanted.hidden, name
            if len(wanted.transform.values) == 16:
                continue
            box = bounds(points)
            other = bounds(seen(layouts.ScrollEffects(), element_of(element), viewport)[3])
            for field in ("x", "y", "width", "height"):
                assert getattr(box, field) == pytest.approx(
                    getattr(other, field), abs=tolerance), (name, field)
    stream.close()


def element_of(answer):
    return session.LayoutElement(key=answer.key, attributes=answer.attributes)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_server_applies_effects_for_others(channel, layout):
    stream = Session(channel, opening(layout, False, False, 1))
    for offset in [(0, 0), (0, 57.5), (10, 333)]:
        stream.scroll_to(*offset)
        assert not stream.mirror.scroll_effects.effects
        held = stream.mirror.attributes()
        found = shown(channel, stream)
        assert held.keys() == found.keys()
        for name, element in found.items():
            assert held[name] == element.attributes, name
    stream.close()
