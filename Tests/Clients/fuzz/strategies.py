# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for any message of the contract, made from its descriptor.

Values are chosen so that many requests get past the first check: names that exist, small numbers,
columns as long as their block. The rest is at the limits of what a field can hold, or beyond.
"""

from checks import is_repeated
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from hypothesis import strategies as st

MAX_DEPTH = 7

NAMES = ["collections/a", "collections/b", "collections/none", "sessions/none", "a", "b", "art"]
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


def mostly(sane, wild):
    """One of `sane` most of the time: a message has many values, and one bad one refuses it."""
    return st.integers(0, 19).flatmap(lambda n: st.sampled_from(wild if n == 0 else sane))


def scalar(field):
    kind = field.type
    if kind in (Field.TYPE_DOUBLE, Field.TYPE_FLOAT):
        return mostly(SANE_DOUBLES, WILD_DOUBLES)
    if kind in UNSIGNED:
        return mostly(SANE_INTEGERS, WILD_UNSIGNED[UNSIGNED[kind]])
    if kind in SIGNED:
        return mostly(SANE_INTEGERS, WILD_SIGNED[SIGNED[kind]])
    if kind == Field.TYPE_BOOL:
        return st.booleans()
    if kind == Field.TYPE_ENUM:
        return mostly([value.number for value in field.enum_type.values], [77, -1])
    if kind == Field.TYPE_BYTES:
        return st.binary(max_size=40)
    if field.name in ("name", "collection", "session"):
        return mostly(NAMES, TEXTS)
    if field.name == "kind":
        return mostly(KINDS, TEXTS)
    return mostly(TEXTS[:4], TEXTS)


def size_of(draw, depth):
    """Of a repeated field: small, and none deep down."""
    return 0 if depth > MAX_DEPTH else draw(st.sampled_from([0, 0, 1, 1, 2, 3]))


def fill_field(draw, message, field, depth):
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        value = field.message_type.fields_by_name["value"]
        target = getattr(message, field.name)
        for _ in range(size_of(draw, depth)):
            key = draw(st.sampled_from(["", "x", "columns", "k" * 257]))
            if value.message_type is None:
                target[key] = draw(scalar(value))
            else:
                fill(draw, target[key], depth + 1)
    elif is_repeated(field):
        target = getattr(message, field.name)
        for _ in range(size_of(draw, depth)):
            if field.message_type is None:
                target.append(draw(scalar(field)))
            else:
                fill(draw, target.add(), depth + 1)
    elif field.message_type is not None:
        child = getattr(message, field.name)
        child.SetInParent()
        fill(draw, child, depth + 1)
    else:
        setattr(message, field.name, draw(scalar(field)))


def fill_block(draw, block):
    """An ItemBlock whose columns mostly fit."""
    block.count = draw(st.sampled_from([0, 1, 2, 3, 10, 1000, 100_000]))
    for name in ("widths", "heights", "xs", "ys"):
        shape = draw(st.sampled_from(["none", "none", "one", "each", "wrong"]))
        value = st.sampled_from(SANE_DOUBLES + WILD_DOUBLES[:4])
        count = {"none": 0, "one": 1, "each": min(block.count, 10), "wrong": 4}[shape]
        getattr(block, name).extend(draw(st.lists(value, min_size=count, max_size=count)))
    if draw(st.integers(0, 5)) == 0:
        block.cell_kinds.append(draw(st.sampled_from([0, 1, 2**32 - 1])))
    if draw(st.integers(0, 5)) == 0:
        block.keys.extend(f"key {draw(st.integers(0, 30))}" for _ in range(min(block.count, 10)))


def fill(draw, message, depth=0):
    descriptor = message.DESCRIPTOR
    if descriptor.name == "ItemBlock" and draw(st.integers(0, 7)) > 0:
        fill_block(draw, message)
        return
    # A message deep down stays as it is: empty.
    if depth > MAX_DEPTH:
        return
    in_oneofs = set()
    for oneof in descriptor.oneofs:
        # `optional` fields are oneofs of one field to the descriptor.
        if len(oneof.fields) == 1 and oneof.name.startswith("_"):
            continue
        in_oneofs.update(field.name for field in oneof.fields)
        if draw(st.integers(0, 9)) > 0:
            fill_field(draw, message, draw(st.sampled_from(list(oneof.fields))), depth)
    likely = 3 if depth < 3 else 2
    for field in descriptor.fields:
        if field.name in in_oneofs:
            continue
        # Such a question waits, and there are better uses for the time.
        odds = 1 if field.name == "min_data_version" else likely * 8
        if draw(st.integers(0, 39)) < odds:
            fill_field(draw, message, field, depth)


@st.composite
def messages(draw, descriptor):
    message = message_factory.GetMessageClass(descriptor)()
    fill(draw, message)
    return message


@st.composite
def damaged(draw, descriptor):
    """The bytes of a message with some of them changed, dropped or put in."""
    data = bytearray(draw(messages(descriptor)).SerializeToString())
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        change = draw(st.sampled_from(["set", "insert", "cut"]))
        if change == "insert":
            data[place:place] = draw(st.binary(min_size=1, max_size=6))
        elif change == "cut":
            del data[place:]
        elif place < len(data):
            data[place] = draw(st.integers(0, 255))
    return bytes(data)
