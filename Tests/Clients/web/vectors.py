# SPDX-License-Identifier: Apache-2.0
"""Writes vectors.json: messages and checksums as the Python package has them, to compare with.

Usage, with the Python package installed: vectors.py >vectors.json
"""

import importlib
import json
import random

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor as Field

from collection_layout._checksum import element_hash

FILES = (
    "geometry", "attributes", "collection", "layouts", "problem", "updates", "session",
    "collection_service", "query_service")
LENGTHS = [0.0, -0.5, 1 / 3, 1e-300, 1e18, 1e300, -1e300, 12345.678, 2.0**31, -(2.0**40)]
chance = random.Random(7)


def scalar(field):
    choices = {
        Field.TYPE_DOUBLE: [0.0, 1.5, -2.25, 1e300, chance.random()],
        Field.TYPE_UINT32: [0, 1, 127, 128, 2**31, 2**32 - 1],
        Field.TYPE_FIXED32: [0, 1, 2**32 - 1],
        Field.TYPE_SINT32: [0, 1, -1, 2**31 - 1, -(2**31)],
        Field.TYPE_INT32: [0, 1, -1, 2**31 - 1, -(2**31)],
        Field.TYPE_UINT64: [0, 1, 2**32, 2**53 - 1],
        Field.TYPE_FIXED64: [0, 2**64 - 1, 2**53 + 1],
        Field.TYPE_SINT64: [0, -1, 2**53 - 1, -(2**53) + 1, 2**31, -(2**32)],
        Field.TYPE_INT64: [0, -1, 2**53 - 1],
        Field.TYPE_BOOL: [True, False],
        Field.TYPE_STRING: ["", "a", "schön", "日本語🙂", "x" * 40, "\ufeffmark"],
        Field.TYPE_BYTES: [b"", bytes(range(250, 256))],
    }
    if field.type == Field.TYPE_ENUM:
        return chance.choice(field.enum_type.values).number
    return chance.choice(choices[field.type])


def fill(message, depth=0):
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Struct":
        message.update({"a": 1.5, "b": [None, True, "x", {"c": []}], "__proto__": {}})
    elif name in ("google.protobuf.Duration", "google.protobuf.Timestamp"):
        message.seconds, message.nanos = chance.randrange(100), chance.choice([0, 250_000_000])
    elif name == "google.protobuf.FieldMask":
        message.paths.extend(["a", "b.c"])
    else:
        for field in message.DESCRIPTOR.fields:
            if chance.random() < 0.6:
                fill_field(message, field, depth)


def fill_field(message, field, depth):
    value = getattr(message, field.name)
    if field.message_type and field.message_type.GetOptions().map_entry:
        value.update({"key": "value", "__proto__": "", "": "x"})
    elif hasattr(value, "append") or hasattr(value, "add"):
        for _ in range(chance.choice([1, 1, 3])):
            if field.type != Field.TYPE_MESSAGE:
                value.append(scalar(field))
            elif depth < 2:
                fill(value.add(), depth + 1)
    elif field.type != Field.TYPE_MESSAGE:
        setattr(message, field.name, scalar(field))
    elif depth < 3:
        value.SetInParent()
        fill(value, depth + 1)


def messages():
    for file in FILES:
        module = importlib.import_module(f"collection_layout.v1.{file}_pb2")
        for name in module.DESCRIPTOR.message_types_by_name:
            message = getattr(module, name)()
            fill(message)
            yield name, message.SerializeToString().hex(), json_format.MessageToDict(message)


def hashes():
    for _ in range(300):
        fields = dict(
            category=chance.choice([1, 2, 3]), kind=chance.choice(["", "header", "größe"]),
            section=chance.choice([0, 3, 2**32 - 2]), item=chance.choice([0, 1, 10**7, 2**32 - 1]),
            x=chance.choice(LENGTHS), y=chance.choice(LENGTHS), width=abs(chance.choice(LENGTHS)),
            height=abs(chance.choice(LENGTHS)), z=chance.choice([0, -1, 2**31 - 1]),
            alpha=chance.choice([1.0, 0.5, 0.0, 1 / 3]), hidden=chance.random() < 0.5,
            units=chance.choice([64, 192]))
        yield fields, element_hash(**fields)


lines = [json.dumps(each, ensure_ascii=False, sort_keys=True) for each in messages()]
print('{"messages": [\n' + ",\n".join(lines) + '\n],\n"hashes": [')
print(",\n".join(json.dumps(each, ensure_ascii=False) for each in hashes()) + "\n]}")
