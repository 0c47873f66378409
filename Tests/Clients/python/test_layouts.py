# SPDX-License-Identifier: Apache-2.0
"""Layouts that follow the viewer."""

import grpc
import pytest
from collection_layout import InvalidArgumentError
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from conftest import Server
from lockstep import Session
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
    return {round(attributes.frame.width) for attributes in stream.mirror.attributes().values()}


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
        stream.send(viewport=session.ViewportChange(**change))
        stream.until(lambda s, width=width: widths(s) == {width})
        assert_mirror(channel, stream)
    stream.close()


def test_a_faulty_variant_is_told_with_its_field(channel):
    spec = layouts.LayoutSpec(**RESPONSIVE)
    spec.responsive.variants[1].condition.min_width = 400
    with pytest.raises(InvalidArgumentError) as error:
        Session(channel, opening(inline_contents=rows(), layout=spec))
    assert error.value.field == "layout.responsive.variants[1].condition.below_width"


def height(stream):
    return stream.mirror.content_size[1]


def named(stub, row_height):
    """A new collection with a layout "wall", rows of this height."""
    parent = stub.CreateCollection(service.CreateCollectionRequest(contents=rows())).collection.name
    return stub.CreateLayout(service.CreateLayoutRequest(
        parent=parent, layout_id="wall", layout=collection.NamedLayout(
            layout=dict(list=dict(row_height=row_height))))).layout


def update(stub, layout, row_height, **fields):
    return stub.UpdateLayout(service.UpdateLayoutRequest(
        layout=dict(name=layout.name, layout=dict(list=dict(row_height=row_height))),
        **fields)).layout


def test_viewers_follow_a_named_layout(channel):
    stub = service_grpc.CollectionServiceStub(channel)
    layout = named(stub, 20)
    parent = layout.name.split("/layouts/")[0]
    streams = [
        Session(channel, opening(collection=parent, layout_name=layout.name)) for _ in range(3)]
    for stream in streams:
        assert height(stream) == 4000
    update(stub, layout, 30, animated=True)
    for stream in streams:
        stream.until(lambda s: height(s) == 6000)
        assert_mirror(channel, stream)
    stub.DeleteLayout(service.DeleteLayoutRequest(name=layout.name))
    stream = streams[0]
    refused = stream.perform(layout=session.LayoutChange(layout_name=layout.name))
    assert refused.problem.reason == "LAYOUT_NOT_FOUND"
    assert height(stream) == 6000
    for stream in streams:
        stream.close()


def test_named_layouts_outlive_a_kill_and_viewers_go_on_to_follow(tmp_path):
    store = tmp_path / "collections.sqlite"
    server = Server(store=store)
    try:
        with grpc.insecure_channel(server.address) as channel:
            stub = service_grpc.CollectionServiceStub(channel)
            layout = named(stub, 20)
            parent = layout.name.split("/layouts/")[0]
            stream = Session(
                channel, opening(collection=parent, layout_name=layout.name), reconnect=True)
            for number in range(1, 4):
                updated = update(stub, layout, 20 + number)
                server.kill()
                server = Server(port=server.address.rsplit(":", 1)[1], store=store)
                stream.until(lambda s, number=number: height(s) == 200 * (20 + number))
                found = stub.GetLayout(service.GetLayoutRequest(name=layout.name)).layout
                assert found == updated
            stream.close()
    finally:
        server.stop()
