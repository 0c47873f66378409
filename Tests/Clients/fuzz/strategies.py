# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies for any message of the contract, made from its descriptor.

Many requests get past the first check: columns are as long as their block.
"""

from checks import is_repeated
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor as Field
from hypothesis import strategies as st
from mutations import damage
from values import SANE_DOUBLES, WILD_DOUBLES, values

MAX_DEPTH = 7


def scalar(field):
    """One of the ordinary values most of the time: a message has many, and a bad one refuses it."""
    if field.type == Field.TYPE_BYTES:
        return st.binary(max_size=40)
    ordinary, wild = values(field)
    return st.integers(0, 19).flatmap(lambda n: st.sampled_from(wild if n == 0 else ordinary))


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
    data = draw(messages(descriptor)).SerializeToString()
    return damage(draw(st.randoms(use_true_random=False)), data)
