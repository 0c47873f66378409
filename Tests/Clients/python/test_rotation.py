# SPDX-License-Identifier: Apache-2.0
"""Certificate, key, authorities, key set and policy are replaced while streams are open.

Those that should stay do, those that may not end within a second. ROTATION_STREAMS is how many there are: 100,
or 1000, which take a minute.
"""

import asyncio
import collections
import json
import os
import pathlib
import time

import grpc
from authority import Authority, Signer, key_set, pem, replace, token_lines
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import session_pb2 as session
from conftest import Server

COUNT = int(os.environ.get("ROTATION_STREAMS", "100"))
# Of one connection; the server allows 128.
PER_CONNECTION = 50
STREAM = "/collection_layout.v1.LayoutSessionService/StreamLayout"
# How long a stream may go on after its rights were taken back, as the documentation says.
PROMISED = 1.0
NAME = "collections/shared"

UNAUTHENTICATED, DENIED = grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED


class Files:
    """What the server trusts, and who is to lose what."""

    def __init__(self, folder):
        self.folder = folder
        self.authorities = {name: Authority(name) for name in ("stays", "goes")}
        self.signers = {name: Signer(name) for name in ("stays", "goes")}
        self.certificate, self.key = self.authorities["stays"].issue_server(folder)
        self.write_authorities("stays", "goes")
        self.write_keys("stays", "goes")
        self.write_policy("stays", "goes")
        self.tokens = replace(folder / "tokens", token_lines("root"))

    def write_authorities(self, *names):
        text = b"".join(pem(self.authorities[name].certificate) for name in names)
        self.ca = replace(self.folder / "ca.pem", text)

    def write_keys(self, *names):
        keys = (self.signers.setdefault(name, Signer(name)) for name in names)
        self.keys = replace(self.folder / "keys.json", key_set(*(key.jwk for key in keys)))

    def write_policy(self, *subjects):
        rules = [
            {"identities": ["token:root"], "role": "admin", "collections": ["*"]},
            *({"identities": [f"subject:{name}-*"], "role": "view", "collections": ["shared"]}
              for name in subjects)]
        self.policy = replace(self.folder / "policy.json", json.dumps({"rules": rules}))

    @property
    def options(self):
        return ["--tls-certificate", self.certificate, "--tls-key", self.key, "--tls-client-ca", self.ca,
                "--auth-policy", self.policy, "--auth-tokens", self.tokens, "--auth-keys", self.keys]

    def channel(self, address, authority):
        """A connection with a client certificate, which identifies nobody who has rights."""
        pair = self.authorities[authority].issue_client(self.folder, f"client-{authority}")
        root = pem(self.authorities["stays"].certificate)
        credentials = grpc.ssl_channel_credentials(root, pair[1].read_bytes(), pair[0].read_bytes())
        return grpc.aio.secure_channel(
            address, credentials, options=[("grpc.use_local_subchannel_pool", 1)])


class Viewer:
    """A stream that acknowledges its frames."""

    def __init__(self, channel, token):
        self.version = -1
        self.status, self.ended = None, None
        self.changed = asyncio.Event()
        method = channel.stream_stream(
            STREAM, request_serializer=session.StreamLayoutRequest.SerializeToString,
            response_deserializer=session.StreamLayoutResponse.FromString)
        self.call = method(metadata=[("authorization", f"Bearer {token}")])
        self.task = asyncio.create_task(self._run())

    async def _run(self):
        try:
            opening = session.OpenSession(collection=NAME)
            opening.viewport.size.width, opening.viewport.size.height = 100, 100
            await self.call.write(session.StreamLayoutRequest(event_seq=1, open=opening))
            async for response in self.call:
                kind = response.WhichOneof("message")
                if kind == "frame":
                    self.version = max(self.version, response.frame.data_version)
                    ack = {"frame_seq": response.frame.frame_seq}
                elif kind == "heartbeat":
                    ack = {}
                else:
                    continue
                self.changed.set()
                await self.call.write(session.StreamLayoutRequest(ack=ack))
            self.status = grpc.StatusCode.OK
        except (grpc.RpcError, asyncio.InvalidStateError):
            self.status = await self.call.code()
        self.ended = time.monotonic()
        self.changed.set()

    async def reaches(self, version, seconds=20):
        """Whether a frame of the version comes before the stream ends."""
        end = time.monotonic() + seconds
        while self.version < version and self.status is None and time.monotonic() < end:
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), end - time.monotonic())
            except asyncio.TimeoutError:
                break
        return self.version >= version


class Run:
    def __init__(self, server, files):
        self.address = "localhost:" + server.address.rsplit(":", 1)[1]
        self.files = files
        self.channels = []
        self.version = 0
        self.report = []

    async def open(self, count, subject="stays", key="stays", authority="stays"):
        """Streams of as many subjects, each with a token of its own."""
        viewers = []
        for number in range(count):
            if number % PER_CONNECTION == 0:
                self.channels.append(self.files.channel(self.address, authority))
            token = self.files.signers[key].token(f"{subject}-{number}", 3600)
            viewers.append(Viewer(self.channels[-1], token))
            if number % 20 == 19:
                await viewers[-1].reaches(0)
        assert all([await viewer.reaches(0) for viewer in viewers])
        return viewers

    async def create(self):
        self.channels.append(self.files.channel(self.address, "stays"))
        self.root = service_grpc.CollectionServiceStub(self.channels[-1])
        request = service.CreateCollectionRequest(collection_id="shared")
        request.collection.default_layout.list.row_height = 10
        request.contents.sections.add().blocks.add().count = 20
        await self.root.CreateCollection(request, metadata=[("authorization", "Bearer root")])

    async def assert_live(self, viewers):
        """Whether each of them sees another change."""
        request = service.ApplyUpdatesRequest(name=NAME)
        insertion = request.batch.operations.operations.add().insert_items
        insertion.at.item = 0
        insertion.blocks.add().count = 1
        answer = await self.root.ApplyUpdates(request, metadata=[("authorization", "Bearer root")])
        seen = await asyncio.gather(*(viewer.reaches(answer.data_version) for viewer in viewers))
        lost = collections.Counter(str(viewer.status) for viewer in viewers if viewer.status)
        assert all(seen), f"{seen.count(False)} of {len(seen)} saw no frame; ended: {dict(lost)}"
        self.version = answer.data_version

    async def assert_end(self, viewers, status, revoke):
        """Whether `revoke` ends the streams in time, and no frame comes after it has."""
        begin = time.monotonic()
        revoke()
        await asyncio.wait_for(asyncio.gather(*(viewer.task for viewer in viewers)), 30)
        assert {viewer.status for viewer in viewers} == {status}
        slowest = max(viewer.ended for viewer in viewers) - begin
        self.report.append(f"{len(viewers)} streams ended with {status.name} within {slowest:.2f} s")
        assert slowest < PROMISED + SLACK, f"the last one ended after {slowest:.2f} s"
        return [viewer.version for viewer in viewers]


# This process reads a thousand statuses meanwhile, on the same processors.
SLACK = 1.0


async def rotate(server, files):
    run = Run(server, files)
    await run.create()
    part = max(1, COUNT // 10)
    stay = await run.open(COUNT - 3 * part)
    denied = await run.open(part, subject="goes")
    unsigned = await run.open(part, key="goes")
    uncertified = await run.open(part, authority="goes")
    everybody = stay + denied + unsigned + uncertified
    await run.assert_live(everybody)

    # Nothing of this takes anything from anybody.
    for number in range(3):
        files.authorities["stays"].issue_server(files.folder)
        files.write_keys("stays", "goes", f"new-{number}")
        files.write_authorities("goes", "stays")
        files.write_policy("stays", "goes", f"new-{number}")
        await asyncio.sleep(0.6)
        await run.assert_live(everybody)
    new = await run.open(2, subject="new-2", key="new-2")

    seen = await run.assert_end(denied, DENIED, lambda: files.write_policy("stays", "new-2"))
    await run.assert_live(stay + new + unsigned + uncertified)
    await run.assert_end(unsigned, UNAUTHENTICATED, lambda: files.write_keys("stays", "new-2"))
    await run.assert_end(uncertified, UNAUTHENTICATED, lambda: files.write_authorities("stays"))
    await run.assert_live(stay + new)
    # What was committed since did not reach those whose streams had ended.
    assert [viewer.version for viewer in denied] == seen and max(seen) < run.version
    for channel in run.channels:
        await channel.close()
    return run.report


def test_rotation(tmp_path):
    files = Files(pathlib.Path(tmp_path))
    server = Server(more=files.options)
    try:
        report = asyncio.run(rotate(server, files))
    finally:
        server.stop()
    print(*report, sep="\n")
