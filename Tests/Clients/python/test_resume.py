# SPDX-License-Identifier: Apache-2.0
"""A client whose connection breaks."""

import contextlib
import socket
import threading

import grpc
import pytest
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import updates_pb2 as updates
from conftest import Server
from lockstep import Session
from test_stream import assert_mirror, open_session


class Proxy:
    """A TCP proxy whose connections can be cut."""

    def __init__(self, target):
        host, port = target.rsplit(":", 1)
        self.target = (host, int(port))
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.target)
                self.sockets += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._relay, args=pair, daemon=True).start()

    def _relay(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        while self.sockets:
            with contextlib.suppress(OSError):
                self.sockets.pop().shutdown(socket.SHUT_RDWR)


@pytest.fixture
def proxy(address):
    proxy = Proxy(address)
    yield proxy
    proxy.listener.close()
    proxy.cut()


def insertion():
    batch = updates.UpdateBatch()
    insert = batch.operations.operations.add().insert_items
    insert.at.item = 0
    insert.blocks.add(count=1, widths=[50], heights=[30])
    return batch


def rows():
    contents = collection.CollectionContents()
    contents.sections.add().blocks.add(count=500, widths=[50], heights=[30])
    return contents


def viewer_of_a_new_collection(channel):
    created = service_grpc.CollectionServiceStub(channel).CreateCollection(
        service.CreateCollectionRequest(contents=rows())).collection
    return Session(
        channel, open_session("list", collection=created.name), reconnect=True,
        metadata=[("x-layout-collection", created.name)])


def test_private_session_survives_cuts(proxy):
    with grpc.insecure_channel(proxy.address) as channel:
        stream = Session(
            channel, open_session("list", inline_contents=rows()), reconnect=True)
        name = stream.opened.session
        for number in range(1, 6):
            first = stream.send(update=insertion())
            proxy.cut()
            second = stream.send(update=insertion())
            assert not stream.result(first).HasField("problem")
            assert stream.result(second).data_version == 2 * number
            stream.scroll_to(0, number * 1000)
            assert stream.mirror.data_version == 2 * number
        assert stream.opened.session == name
        assert len(stream.outcomes) >= 5
        assert session.SessionOpened.OUTCOME_RESET not in stream.outcomes
        stream.close()


def test_a_killed_server_comes_back_with_all_that_it_had_acknowledged(tmp_path):
    store = tmp_path / "collections.sqlite"
    server = Server(store=store)
    try:
        with grpc.insecure_channel(server.address) as channel:
            stream = viewer_of_a_new_collection(channel)
            name = stream.opened.session
            for number in range(1, 4):
                assert stream.perform(update=insertion()).data_version == 2 * number - 1
                server.kill()
                # Sent while there is no server.
                event = stream.send(update=insertion())
                server = Server(port=server.address.rsplit(":", 1)[1], store=store)
                assert stream.result(event).data_version == 2 * number
                stream.scroll_to(0, number * 1000)
                assert_mirror(channel, stream)
            assert stream.opened.session != name
            assert stream.mirror.data_version == 6
            stream.close()
    finally:
        server.stop()


def test_a_server_that_is_told_to_stop_sends_its_clients_away_and_they_come_back(tmp_path):
    store = tmp_path / "collections.sqlite"
    server = Server(store=store)
    try:
        with grpc.insecure_channel(server.address) as channel:
            stream = viewer_of_a_new_collection(channel)
            assert stream.perform(update=insertion()).data_version == 1
            # With the stream open it ends by itself, with 0.
            server.stop()
            event = stream.send(update=insertion())
            server = Server(port=server.address.rsplit(":", 1)[1], store=store)
            assert stream.result(event).data_version == 2
            assert session.Notice.TYPE_GOING_AWAY in [notice.type for notice in stream.notices]
            stream.settle()
            assert_mirror(channel, stream)
            stream.close()
    finally:
        server.stop()
