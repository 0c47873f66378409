# SPDX-License-Identifier: Apache-2.0
"""Items that go from one collection to another, by a call and by hand, also across a killed server."""

import grpc
import pytest
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from conftest import Server
from lockstep import Session
from test_stream import assert_mirror

LIST = layouts.LayoutSpec(list=dict(row_height=20))


def create(channel, prefix, count=6, **section):
    contents = collection.CollectionContents()
    block = contents.sections.add(**section).blocks.add(count=count)
    block.keys.extend(f"{prefix}{i}" for i in range(count))
    return service_grpc.CollectionServiceStub(channel).CreateCollection(
        service.CreateCollectionRequest(
            collection=dict(default_layout=LIST), contents=contents)).collection.name


def keys(channel, name):
    found = []
    for part in service_grpc.CollectionServiceStub(channel).ExportContents(
            service.ExportContentsRequest(name=name)):
        found += part.items.keys
    return found


def transfer(source, destination, moved, request_id="", **place):
    return service.TransferItemsRequest(
        source=dict(name=source, keys=moved), destination=dict(name=destination, **place),
        request_id=request_id)


def opening(name):
    return session.OpenSession(
        collection=name,
        viewport=session.ViewportChange(
            content_offset=dict(x=0, y=0), size=dict(width=320, height=480)),
        capabilities=session.ClientCapabilities(checksums=True, item_keys=True))


def test_items_go_to_another_collection_and_viewers_of_both_see_it(channel):
    stub = service_grpc.CollectionServiceStub(channel)
    left, right = create(channel, "l"), create(channel, "r")
    viewers = [Session(channel, opening(name)) for name in (left, right)]
    request = transfer(left, right, ["l4", "l1"], "t", relative_to=dict(after="r0"))
    done = stub.TransferItems(request)
    assert (done.source_data_version, done.destination_data_version, done.duplicate) == (1, 1, False)
    assert stub.TransferItems(request).duplicate
    assert keys(channel, left) == ["l0", "l2", "l3", "l5"]
    assert keys(channel, right) == ["r0", "l4", "l1", "r1", "r2", "r3", "r4", "r5"]
    for viewer, count in zip(viewers, (4, 8)):
        viewer.until(lambda s, count=count: len(s.mirror.attributes()) == count)
        assert_mirror(channel, viewer)
        viewer.close()


def test_a_key_that_is_there_already_refuses_all(channel):
    left, right = create(channel, "same"), create(channel, "same")
    with pytest.raises(grpc.RpcError) as error:
        service_grpc.CollectionServiceStub(channel).TransferItems(
            transfer(left, right, ["same2", "same3"], at=dict(item=0)))
    assert error.value.code() == grpc.StatusCode.ALREADY_EXISTS
    assert len(keys(channel, left)) == len(keys(channel, right)) == 6


def test_a_drop_from_another_collection_does_not_jump(channel):
    left, right = create(channel, "l"), create(channel, "r")
    stream = Session(channel, opening(right))

    def frames():
        return {e.item_key: (slot, e.attributes.frame.x, e.attributes.frame.y)
                for slot, e in stream.mirror.slots.items() if e.item_key}

    stream.send(movement=session.InteractiveMovement(begin_foreign=dict(
        collection_items=dict(collection=left, keys=["l2"]))))
    # The middle of the third row: the others make room, and the item comes to lie there.
    stream.send(movement=session.InteractiveMovement(position=dict(x=160, y=50)))
    stream.until(lambda s: "l2" in frames())
    before = frames()
    assert before["l2"][1:] == (0, 40) and before["r2"][2] == 60
    stream.send(movement=session.InteractiveMovement(end=True))
    stream.until(lambda s: s.mirror.data_version == 1)
    assert frames() == before
    assert_mirror(channel, stream)
    stream.close()
    assert keys(channel, left) == ["l0", "l1", "l3", "l4", "l5"]


def test_a_retry_after_a_killed_server_is_made_once(tmp_path):
    store = str(tmp_path / "store.sqlite")
    server = Server(store=store)
    with grpc.insecure_channel(server.address) as channel:
        left, right = create(channel, "l"), create(channel, "r")
        request = transfer(left, right, ["l0"], "once", at=dict(item=0))
        service_grpc.CollectionServiceStub(channel).TransferItems(request)
    server.kill()
    server = Server(store=store)
    with grpc.insecure_channel(server.address) as channel:
        again = service_grpc.CollectionServiceStub(channel).TransferItems(request)
        assert again.duplicate and again.destination_data_version == 1
        assert len(keys(channel, left)) == 5 and keys(channel, right)[0] == "l0"
    server.stop()
