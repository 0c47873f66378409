# SPDX-License-Identifier: Apache-2.0
"""Layouts that follow the viewer."""

import grpc
import pytest
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from layout_client import Session
from test_stream import assert_mirror

RESPONSIVE = dict(responsive=dict(
    variants=[
        dict(condition=dict(required_traits=["wall"]), layout=dict(waterfall=dict(column_count=5))),
        dict(condition=dict(below_width=400), layout=dict(list=dict(row_height=30))),
    ],
    otherwise=dict(waterfall=dict(column_count=2)), animated=True))


def opening(width=320, **source):
    return session.OpenSession(
        viewport=session.ViewportChange(
            content_offset=dict(x=0, y=0), size=dict(width=width, height=480)),
        capabilities=session.ClientCapabilities(checksums=True, animations=True), **source)


def rows(count=200):
    contents = collection.CollectionContents()
    contents.sections.add().blocks.add(count=count)
    return contents


def widths(stream):
    return {round(attributes.frame.width) for attributes in stream.mirror.elements().values()}


def test_a_responsive_layout_follows_the_viewport_and_the_traits(channel):
    stream = Session(channel, opening(
        inline_contents=rows(), layout=layouts.LayoutSpec(**RESPONSIVE)))
    assert widths(stream) == {320}
    for change, width in [
            (dict(size=dict(width=600, height=480)), 300),
            (dict(traits=dict(names=["wall", "tv"])), 120),
            (dict(traits=dict(names=["tv"])), 300),
            (dict(content_insets=dict(leading=100, trailing=101)), 399),
            (dict(content_insets=dict()), 300)]:
        stream.send(viewport=session.ViewportChange(
            observed_frame_seq=stream.mirror.frame_seq, **change))
        stream.until(lambda s, width=width: widths(s) == {width})
        assert_mirror(channel, stream)
    stream.close()


def test_a_faulty_variant_is_told_with_its_field(channel):
    spec = layouts.LayoutSpec(**RESPONSIVE)
    spec.responsive.variants[1].condition.min_width = 400
    with pytest.raises(grpc.RpcError) as error:
        Session(channel, opening(inline_contents=rows(), layout=spec))
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "layout.responsive.variants[1].condition.below_width" in error.value.details()
