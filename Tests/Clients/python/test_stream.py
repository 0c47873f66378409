# SPDX-License-Identifier: Apache-2.0
"""The stream as a client in another language sees it."""

import random

import grpc
import pytest
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import query_service_pb2 as query
from collection_layout.v1 import query_service_pb2_grpc as query_grpc
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import updates_pb2 as updates
from lockstep import Session, element_name

VIEWPORT = dict(content_offset=dict(x=0, y=0), size=dict(width=1024, height=768))

LAYOUTS = {
    "flow": dict(flow=dict(
        header_reference_size=dict(height=40), section_headers_pin_to_visible_bounds=True)),
    "list": dict(list=dict(
        row_height=30, header_height=20, separator_thickness=1,
        headers_pin_to_visible_bounds=True)),
    "grid": dict(grid=dict(interitem_spacing=4, line_spacing=6)),
}


def contents(seed, sections=8, most=120):
    """Sections of items of different sizes, each with a key."""
    chance = random.Random(seed)
    result = collection.CollectionContents()
    for section in range(sections):
        count = chance.randrange(most)
        result.sections.add(key=f"s{section}").blocks.add(
            count=count,
            widths=[chance.randrange(40, 201) for _ in range(count)],
            heights=[chance.randrange(40, 201) for _ in range(count)],
            keys=[f"s{section}i{item}" for item in range(count)])
    return result


def open_session(layout, **source):
    return session.OpenSession(
        layout=layouts.LayoutSpec(**LAYOUTS[layout]), viewport=session.ViewportChange(**VIEWPORT),
        capabilities=session.ClientCapabilities(checksums=True, item_keys=True), **source)


def assert_mirror(channel, stream):
    """What the client holds is what the server answers for the same rect, attribute by attribute."""
    stub = query_grpc.LayoutQueryServiceStub(channel)
    found, token = {}, ""
    while True:
        answer = stub.QueryElements(query.QueryElementsRequest(
            target=query.LayoutTarget(session=stream.opened.session), rect=stream.mirror.coverage._asdict(),
            page_size=500, page_token=token))
        found.update({element_name(e.key): e.attributes for e in answer.elements})
        token = answer.next_page_token
        if not token:
            break
    held = stream.mirror.attributes()
    assert held.keys() == found.keys()
    for name, attributes in found.items():
        assert held[name] == attributes, name
    size = answer.content_size
    assert stream.mirror.content_size == (size.width, size.height)


def section_counts(stream_contents):
    return [sum(block.count for block in s.blocks) for s in stream_contents.sections]


def random_edit(chance, counts, serial):
    """A valid batch of one operation, and the item counts after it."""
    section = chance.randrange(len(counts))
    counts = list(counts)
    operation = updates.UpdateOperation()
    if counts[section] and chance.random() < 0.5:
        first = chance.randrange(counts[section])
        number = min(chance.randrange(1, 4), counts[section] - first)
        operation.delete_items.CopyFrom(
            updates.ItemRange(section=section, first_item=first, item_count=number))
        counts[section] -= number
    else:
        insert = operation.insert_items
        insert.at.section = section
        insert.at.item = chance.randrange(counts[section] + 1)
        insert.blocks.add(count=1, widths=[77], heights=[chance.randrange(30, 90)],
                          keys=[f"new{serial}"])
        counts[section] += 1
    return updates.UpdateBatch(operations=dict(operations=[operation])), counts


def test_an_item_that_is_much_longer_than_wide_is_cut_off(channel):
    data = collection.CollectionContents()
    # A waterfall keeps the proportions of its items.
    data.sections.add().blocks.add(count=4, widths=[90, 1e-300, 90, 50], heights=[60, 10, 60, 70])
    opening = open_session("flow", inline_contents=data)
    opening.layout.CopyFrom(layouts.LayoutSpec(waterfall=layouts.WaterfallLayout(column_count=2)))
    stream = Session(channel, opening)
    # Each frame's checksum is compared when it is applied.
    assert max(e.attributes.frame.height for e in stream.mirror.slots.values()) == 2 ** 40
    assert_mirror(channel, stream)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_mirror_that_scrolls_and_edits_equals_the_query(channel, layout):
    data = contents(seed=1)
    stream = Session(channel, open_session(layout, inline_contents=data))
    assert_mirror(channel, stream)
    chance = random.Random(2)
    counts = section_counts(data)
    for step in range(40):
        if chance.random() < 0.5:
            height = stream.mirror.content_size[1]
            stream.scroll_to(0, chance.uniform(0, max(0, height - 768)))
        else:
            batch, counts = random_edit(chance, counts, step)
            result = stream.perform(update=batch)
            assert not result.HasField("problem"), result.problem
            stream.settle()
        assert_mirror(channel, stream)
    stream.close()


def test_all_viewers_of_a_collection_receive_each_batch(channel):
    collections = service_grpc.CollectionServiceStub(channel)
    data = contents(seed=3)
    created = collections.CreateCollection(
        service.CreateCollectionRequest(contents=data)).collection
    streams = [
        Session(channel, open_session("flow", collection=created.name),
                metadata=[("x-layout-collection", created.name)])
        for _ in range(3)
    ]
    chance = random.Random(4)
    counts = section_counts(data)
    for step in range(10):
        batch, counts = random_edit(chance, counts, step)
        version = collections.ApplyUpdates(
            service.ApplyUpdatesRequest(name=created.name, batch=batch)).data_version
        for stream in streams:
            stream.until(lambda s: s.mirror.data_version >= version)
            assert_mirror(channel, stream)
    for stream in streams:
        stream.close()
    collections.DeleteCollection(service.DeleteCollectionRequest(name=created.name))


def test_wrong_events_are_refused_with_their_field_and_the_stream_goes_on(channel):
    stream = Session(channel, open_session("list", inline_contents=contents(seed=5)))
    wrong = {
        "viewport.size.width": dict(viewport=session.ViewportChange(
            size=dict(width=-1, height=5))),
        "viewport.content_offset.x": dict(viewport=session.ViewportChange(
            content_offset=dict(x=float("nan"), y=0))),
        "layout": dict(layout=session.LayoutChange()),
        "layout.layout.list.row_height": dict(layout=session.LayoutChange(
            layout=dict(list=dict(row_height=-4)))),
        "update.operations[0].delete_items": dict(update=updates.UpdateBatch(
            operations=dict(operations=[dict(delete_items=dict(
                section=0, first_item=5000, item_count=1))]))),
        "options.max_in_flight_frames": dict(options=session.SessionOptions(
            max_in_flight_frames=99)),
    }
    for field, event in wrong.items():
        result = stream.perform(**event)
        assert result.HasField("problem"), field
        problem = result.problem
        assert problem.reason and problem.message, problem
        if problem.field_violations:
            fields = [violation.field for violation in problem.field_violations]
            last = field.split(".")[-1]
            assert any(last in name for name in fields), (field, fields)
        stream.settle()
        assert_mirror(channel, stream)
    stream.close()


def test_a_stream_that_does_not_open_ends_with_a_status(channel):
    from collection_layout.v1 import session_pb2_grpc
    stub = session_pb2_grpc.LayoutSessionServiceStub(channel)
    call = stub.StreamLayout(iter([session.StreamLayoutRequest(
        event_seq=1, viewport=session.ViewportChange(**VIEWPORT))]))
    with pytest.raises(grpc.RpcError) as caught:
        next(call)
    assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION


def test_acknowledgements_that_wait_merge_what_happens(channel):
    data = contents(seed=6)
    stream = Session(channel, open_session("flow", inline_contents=data), acknowledge=False)
    chance = random.Random(7)
    counts = section_counts(data)
    seqs = []
    for step in range(20):
        batch, counts = random_edit(chance, counts, step)
        seqs.append(stream.send(update=batch))
    for seq in seqs:
        stream.result(seq)
    assert stream.mirror.frames <= 2
    stream.acknowledge = True
    stream.ack()
    stream.settle()
    assert_mirror(channel, stream)
    stream.close()
