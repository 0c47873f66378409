# SPDX-License-Identifier: Apache-2.0
"""Requests that the server accepts, of methods that nobody gets right by chance: they name what was made
before, or take several parts that fit each other."""

from collection_layout.v1 import collection_service_pb2 as contract
from collection_layout.v1 import query_service_pb2 as queries
from collection_layout.v1 import session_pb2

LAYOUT = "collections/a/layouts/one"


def new_layout(parent):
    """The request that makes the layout that others name."""
    request = contract.CreateLayoutRequest(parent=parent, layout_id="one")
    request.layout.layout.list.row_height = 20
    return request


def seeds(session):
    """Requests that begin with the collections of `create`, and a session."""
    yield contract.CreateLayoutRequest(
        parent="collections/b", layout_id="two", layout=new_layout("").layout)
    yield contract.GetLayoutRequest(name=LAYOUT)
    yield contract.ListLayoutsRequest(parent="collections/a", page_size=10)
    change = contract.UpdateLayoutRequest()
    change.layout.name = LAYOUT
    change.layout.layout.grid.item_size.width = 30
    change.layout.layout.grid.item_size.height = 30
    yield change
    yield contract.DeleteLayoutRequest(name=LAYOUT, allow_missing=True)
    transfer = contract.TransferItemsRequest()
    transfer.source.name = "collections/a"
    transfer.source.paths.add(section=0, item=0)
    transfer.source.paths.add(section=0, item=2)
    transfer.destination.name = "collections/b"
    transfer.destination.at.section = 0
    transfer.destination.at.item = 0
    yield transfer
    yield queries.GetExpansionsRequest(session=session)
    for target in ({"session": session}, {"collection": "collections/a", "layout_name": "one"}):
        request = queries.QueryElementsRequest(target=target, page_size=100)
        request.rect.width = request.rect.height = 500
        yield request
    opening = session_pb2.StreamLayoutRequest(event_seq=1)
    opening.open.collection = "collections/a"
    opening.open.layout_name = "one"
    yield opening


def imported():
    """The parts of an import, between its header and its end."""
    yield contract.ImportContentsRequest(section={"key": "s0"})
    yield contract.ImportContentsRequest(items={"count": 3})
    yield contract.ImportContentsRequest(items={"count": 2, "widths": [20, 30], "keys": ["k0", "k1"]})
