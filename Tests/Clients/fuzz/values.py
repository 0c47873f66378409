# SPDX-License-Identifier: Apache-2.0
"""What fields that are no messages are filled with.

Ordinary values get a request past the first check: names that exist, small numbers. Wild ones are at
the limits of what a field can hold, or beyond."""

from google.protobuf.descriptor import FieldDescriptor as Field

NAMES = ["collections/a", "collections/b", "collections/none", "sessions/none", "a", "b", "art",
         "collections/a/layouts/one", "collections/b/layouts/one"]
LAYOUTS = ["one", "one", "two", "none"]
KINDS = ["", "header", "footer", "background", "separator", "k0", "k1"]
TEXTS = [
    "", "x", "s0", "k0", "\u202e\x1b[31mred\x07", "é" * 64, "n" * 128, "n" * 129, "\x00",
    "collections/" + "n" * 64, "collections/Ä", "../..", "display_name", "*", "item_count",
]

SANE_DOUBLES = [0.0, 1.0, 0.5, 10.0, 44.0, 100.0, 320.0, 333.25, 1000.0]
WILD_DOUBLES = [
    -0.0, -1.0, 5e-324, 1e-9, 1e6, 1e12, 2.0**40, 2.0**40 + 1, -(2.0**40), 2.0**53, 1e300,
    float("inf"), float("-inf"), float("nan"),
]
SANE_INTEGERS = [0, 1, 2, 3, 5, 10]
WILD_UNSIGNED = {32: [100, 4096, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1],
                 64: [100, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1]}
WILD_SIGNED = {32: [-1, -(2**31), 2**31 - 1], 64: [-1, -(2**63), 2**63 - 1, 2**40]}

UNSIGNED = {Field.TYPE_UINT32: 32, Field.TYPE_FIXED32: 32,
            Field.TYPE_UINT64: 64, Field.TYPE_FIXED64: 64}
SIGNED = {Field.TYPE_INT32: 32, Field.TYPE_SINT32: 32, Field.TYPE_SFIXED32: 32,
          Field.TYPE_INT64: 64, Field.TYPE_SINT64: 64, Field.TYPE_SFIXED64: 64}


def values(field):
    """What a field that is no message is filled with: ordinary values, and those at limits or beyond."""
    kind = field.type
    if kind in (Field.TYPE_DOUBLE, Field.TYPE_FLOAT):
        return SANE_DOUBLES, WILD_DOUBLES
    if kind in UNSIGNED:
        return SANE_INTEGERS, WILD_UNSIGNED[UNSIGNED[kind]]
    if kind in SIGNED:
        return SANE_INTEGERS, WILD_SIGNED[SIGNED[kind]]
    if kind == Field.TYPE_BOOL:
        return [False, True], [False, True]
    if kind == Field.TYPE_ENUM:
        return [value.number for value in field.enum_type.values], [77, -1]
    if kind == Field.TYPE_BYTES:
        return [b"", b"\x00", b"\x01\xff" * 20], [b"\xff" * 40]
    if field.name in ("name", "collection", "session", "parent"):
        return NAMES, TEXTS
    if field.name in ("layout_id", "layout_name"):
        return LAYOUTS, TEXTS
    if field.name == "kind":
        return KINDS, TEXTS
    return TEXTS[:4], TEXTS
