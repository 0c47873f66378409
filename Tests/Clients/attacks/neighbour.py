# SPDX-License-Identifier: Apache-2.0
"""Somebody who only scrolls, in a process of its own: how long each frame takes, while others
attack. Prints the milliseconds of each, one a line, until its standard input ends.

    neighbour.py ADDRESS [AUTHORITIES [TOKEN]]

AUTHORITIES is a file with those of a server that speaks TLS, or "" for one that does not."""

import pathlib
import select
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import stubs  # noqa: E402

stubs.generate()

import grpc  # noqa: E402
from collection_layout.v1 import collection_pb2 as collection  # noqa: E402
from collection_layout.v1 import layouts_pb2 as layouts  # noqa: E402
from collection_layout.v1 import session_pb2 as session  # noqa: E402
from layout_client import Session  # noqa: E402
from secure import secure_channel  # noqa: E402


class WithToken(grpc.StreamStreamClientInterceptor):
    """Sends a token, which gRPC does by itself only where a connection is encrypted."""

    def __init__(self, token):
        self.token = token

    def intercept_stream_stream(self, proceed, details, requests):
        return proceed(details._replace(
            metadata=[*(details.metadata or ()), ("authorization", f"Bearer {self.token}")]), requests)


def connect(address, authorities="", token=None):
    channel = secure_channel(address, authorities) if authorities else grpc.insecure_channel(address)
    return grpc.intercept_channel(channel, WithToken(token)) if token else channel


def scroll(address, *security, pause=0.05):
    contents = collection.CollectionContents()
    contents.sections.add().blocks.add(count=5000)
    with connect(address, *security) as channel:
        stream = Session(channel, session.OpenSession(
            inline_contents=contents,
            layout=layouts.LayoutSpec(list=layouts.ListLayout(row_height=30)),
            viewport=session.ViewportChange(
                content_offset=dict(x=0, y=0), size=dict(width=1024, height=768))))
        offset = 0
        while not select.select([sys.stdin], [], [], pause)[0]:
            offset = (offset + 700) % 100_000
            start = time.perf_counter()
            stream.scroll_to(0, offset)
            print(f"{(time.perf_counter() - start) * 1000:.2f}", flush=True)
        stream.close()


if __name__ == "__main__":
    scroll(*sys.argv[1:])
