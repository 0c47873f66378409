# SPDX-License-Identifier: Apache-2.0
"""The parts of one frame, and what they may hold together.

The protocol guide tells why ("What clients refuse").
"""

from __future__ import annotations

from collections.abc import Collection

from collection_layout._packed import MOST_ELEMENTS, checked, count_runs, index_shifts
from collection_layout.v1 import session_pb2

#: So many bytes the parts of one frame may have together, as they came.
MOST_BYTES = 1 << 30
#: So many parts one frame may have: those bytes in the parts of 64 KiB that servers send.
MOST_PARTS = 1 << 14


class FrameParts:
    """Collects the parts of one frame, and counts what they stand for before any of it is made."""

    def __init__(self) -> None:
        self.parts: list[session_pb2.LayoutFrame] = []
        self._bytes = self._put = self._removed = 0
        self._slots: set[int] = set()

    def add(self, part: session_pb2.LayoutFrame) -> None:
        """Takes the next part. Raises FrameError."""
        checked(len(self.parts) < MOST_PARTS, f"a frame has more than {MOST_PARTS} parts")
        self._bytes += part.ByteSize()
        checked(self._bytes <= MOST_BYTES,
                f"the parts of a frame have {self._bytes} bytes; {MOST_BYTES} are allowed")
        if part.HasField("packed"):
            packed = part.packed
            self._remove("removed_slot_runs", count_runs(packed.removed_slot_runs, "removed_slot_runs"))
            self._add("index_shift_runs", sum(count for _, count, _, _ in index_shifts(packed)))
            self._add("upsert_count", packed.upsert_count)
            self._add("exceptions", len(packed.exceptions))
        else:
            self._remove("removed_slots", len(part.elements.removed_slots))
            self._add("upserts", len(part.elements.upserts))
        self.parts.append(part)

    def put(self, slots: Collection[int]) -> None:
        """Notes that slots are put or shifted, which a frame does with each only once. Raises FrameError."""
        before = len(self._slots)
        self._slots.update(slots)
        checked(len(self._slots) == before + len(slots),
                "a slot is put twice in one frame; once is allowed: "
                f"{len(slots)} elements have {len(self._slots) - before} slots of their own")

    def _add(self, name: str, count: int) -> None:
        _check_sum(name, count, self._put)
        self._put += count

    def _remove(self, name: str, count: int) -> None:
        _check_sum(name, count, self._removed)
        self._removed += count


def _check_sum(name: str, count: int, before: int) -> None:
    checked(before + count <= MOST_ELEMENTS,
            f"{name} has {count} elements after {before} of the same frame; "
            f"{MOST_ELEMENTS} in all are allowed")
