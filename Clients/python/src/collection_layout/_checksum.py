# SPDX-License-Identifier: Apache-2.0
"""The hash of an element in the state checksum, for one element and for columns."""

from __future__ import annotations

import functools
import math
from typing import Any

from collection_layout._numpy import numpy

MASK = 0xFFFFFFFF
SEED = 0x434C5631
LIMIT = 1 << 62


@functools.lru_cache(maxsize=4096)
def kind_hash(kind: str) -> int:
    """FNV-1a of the kind's UTF-8."""
    h = 0x811C9DC5
    for byte in kind.encode():
        h = (h ^ byte) * 0x01000193 & MASK
    return h


def edge(value: float, units: int) -> int:
    """A coordinate in units, or an alpha in its."""
    # Any finite number fits: what is beyond 2⁶² counts as that.
    return math.floor(min(max(value * units + 0.5, -LIMIT), LIMIT))


def element_hash(
        category: int, kind: str, section: int, item: int, x: float, y: float, width: float,
        height: float, z: int, alpha: float, hidden: bool, units: int) -> int:
    """The hash of one element; `item` is the index + 1, and 0 for a section's element."""
    left, top = edge(x, units), edge(y, units)
    h = SEED
    for field in (
            category, kind_hash(kind), section, item, left, top, edge(x + width, units) - left,
            edge(y + height, units) - top, z, edge(alpha, 65535), int(hidden)):
        for word in (field & MASK, field >> 32 & MASK):
            # The mixing is written out, because this runs for each word of each element.
            h ^= word
            h = (h ^ h >> 16) * 0x85EBCA6B & MASK
            h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
            h ^= h >> 16
            h = ((h << 13 | h >> 19) & MASK) * 5 + 0xE6546B64 & MASK
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    return h ^ h >> 16


def _mixed_column(h: Any) -> Any:
    h ^= h >> 16
    h *= 0x85EBCA6B
    h &= MASK
    h ^= h >> 13
    h *= 0xC2B2AE35
    h &= MASK
    h ^= h >> 16
    return h


def column_hashes(
        units: int, categories: Any, kinds: Any, sections: Any, items: Any, xs: Any, ys: Any,
        widths: Any, heights: Any, zs: Any, alphas: Any, hidden: Any) -> Any:
    """The hashes of elements in numpy columns; `kinds` are hashes of kinds. The result is uint64."""
    def edges(values: Any, units: int = units) -> Any:
        return numpy.floor(numpy.clip(values * units + 0.5, -LIMIT, LIMIT)).astype(numpy.int64)

    with numpy.errstate(over="ignore"):
        lefts, tops = edges(xs), edges(ys)
        # A difference beyond 64 bits wraps, and only its lowest 64 bits count.
        fields = (
            categories, kinds, sections, items, lefts, tops, edges(xs + widths) - lefts,
            edges(ys + heights) - tops, zs, edges(alphas, 65535), hidden)
        h = numpy.full(len(xs), SEED, numpy.uint64)
        for field in fields:
            whole = field.astype(numpy.int64).view(numpy.uint64)
            for word in (whole & MASK, whole >> 32):
                h = _mixed_column(h ^ word)
                h = ((h << 13 | h >> 19) & MASK) * 5 + 0xE6546B64 & MASK
        return _mixed_column(h)
