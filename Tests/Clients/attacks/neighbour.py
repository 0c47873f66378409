# SPDX-License-Identifier: Apache-2.0
"""Somebody who only scrolls, in a process of its own: how long each frame takes, while others
attack. Prints the milliseconds of each, one a line, until its standard input ends.

    neighbour.py ADDRESS [AUTHORITIES [TOKEN]]

AUTHORITIES is a file with those of a server that speaks TLS, or "" for one that does not."""

import select
import sys
import time

from collection_layout import Client, contents, layouts


def scroll(address, authorities="", token=None, pause=0.05):
    with Client(address, tls=authorities or False, token=token) as client, client.view(
            contents=contents(count=5000), layout=layouts.list(row_height=30)) as viewer:
        offset = 0
        while not select.select([sys.stdin], [], [], pause)[0]:
            offset = (offset + 700) % 100_000
            start = time.perf_counter()
            viewer.scroll(y=offset)
            viewer.settle()
            print(f"{(time.perf_counter() - start) * 1000:.2f}", flush=True)
        # A viewer connects again by itself, but nobody may have cut its stream.
        return viewer.reconnections == 0


if __name__ == "__main__":
    sys.exit(0 if scroll(*sys.argv[1:]) else 1)
