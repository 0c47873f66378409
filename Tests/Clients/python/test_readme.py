# SPDX-License-Identifier: Apache-2.0
"""The client in ten lines of the README, as it stands there."""

import pathlib
import queue
import re

from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import session_pb2_grpc
from collection_layout.v1 import updates_pb2 as updates
from lockstep import Session

README = pathlib.Path(__file__).resolve().parents[3] / "README.md"


class Stub:
    """A stub whose stream ends some heartbeats after it has had a data version."""

    def __init__(self, channel, last_version, react):
        self.stub = session_pb2_grpc.LayoutSessionServiceStub(channel)
        self.last_version, self.react = last_version, react
        self.parts = self.heartbeats = 0

    def StreamLayout(self, requests):
        call = self.stub.StreamLayout(self.hurried(requests))
        for response in call:
            yield response
            frame = response.frame
            self.parts += frame.continued
            self.heartbeats += response.HasField("heartbeat")
            if frame.frame_seq and not frame.continued and frame.data_version < self.last_version:
                self.react()
            if self.heartbeats == 4:
                break
        call.cancel()

    def hurried(self, requests):
        """A client that leaves three heartbeats without an answer is detached."""
        for request in requests:
            if request.HasField("open"):
                request.open.options.heartbeat_interval.FromSeconds(1)
            yield request


def test_the_client_of_the_readme_holds_what_the_server_says(channel):
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL).group(1)
    collections = service_grpc.CollectionServiceStub(channel)
    contents = collection.CollectionContents()
    # So many that a keyframe has several parts; what is edited is at their end.
    contents.sections.add().blocks.add(count=3000, widths=[9], heights=[9])
    name = "collections/artworks"
    collections.CreateCollection(service.CreateCollectionRequest(
        collection_id="artworks", contents=contents))
    changes = [
        dict(insert_items=dict(
            at=dict(item=2900), blocks=[dict(count=2, widths=[9], heights=[9])])),
        dict(delete_items=dict(first_item=2905, item_count=3)),
    ]

    def react():
        if changes:
            collections.ApplyUpdates(service.ApplyUpdatesRequest(
                name=name,
                batch=updates.UpdateBatch(operations=dict(operations=[changes.pop(0)]))))

    stub = Stub(channel, len(changes), react)
    names = dict(queue=queue, session=session, layouts=layouts, stub=stub)
    exec(code, names)
    opening = session.OpenSession()
    opening.CopyFrom(names["opening"].open)
    whole = Session(channel, opening)

    def by_path(elements):
        return {e.key.index_path.item: e.attributes for e in elements.values()}

    assert stub.parts > 0
    assert by_path(names["elements"]) == by_path(whole.mirror.slots)
    whole.close()
    collections.DeleteCollection(service.DeleteCollectionRequest(name=name))
