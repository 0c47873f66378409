# SPDX-License-Identifier: Apache-2.0
"""The connections of a client to servers that share their collections."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

C = TypeVar("C")


def address_list(given: str) -> list[str]:
    """The addresses that a text names, with commas between them. In targets of gRPC commas mean something else."""
    if given.startswith(("ipv4:", "ipv6:")):
        return [given]
    return [address for address in (each.strip() for each in given.split(",")) if address]


class Servers(Generic[C]):
    """One connection at a time: where it breaks, the next one goes to the address after it.

    Connections are made when they are first needed, and kept.
    """

    def __init__(self, addresses: Sequence[str], connect: Callable[[str], C]) -> None:
        self.addresses = list(addresses)
        self._connect = connect
        self._channels: dict[str, C] = {}
        self._lock = threading.Lock()
        #: How often another address took its turn.
        self.turn = 0

    def __len__(self) -> int:
        return len(self.addresses)

    @property
    def address(self) -> str:
        """Whose turn it is."""
        return self.addresses[self.turn % len(self.addresses)]

    @property
    def channel(self) -> C:
        """The connection to it."""
        with self._lock:
            address = self.address
            if address not in self._channels:
                self._channels[address] = self._connect(address)
            return self._channels[address]

    @property
    def channels(self) -> list[C]:
        """All connections that were made."""
        with self._lock:
            return list(self._channels.values())

    def move_on(self, turn: int) -> None:
        """A connection of a turn broke. The next address takes its turn, unless it has it already."""
        with self._lock:
            if self.turn == turn:
                self.turn += 1


class TurningStub:
    """A stub of gRPC whose calls go to the server whose turn it is."""

    def __init__(self, servers: Servers[Any], stub: Callable[[Any], Any]) -> None:
        self._servers, self._stub = servers, stub

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            return getattr(self._stub(self._servers.channel), name)(*arguments, **options)
        return call
