# SPDX-License-Identifier: Apache-2.0
"""Makes new messages by changing and combining earlier ones, which takes a fraction of the time that
making them from the descriptors does."""

from random import Random

from checks import is_repeated
from google.protobuf import message_factory
from values import values

# Messages of one type that are kept.
POOL_SIZE = 300
# A message that has grown beyond this is not changed any more.
MAX_BYTES = 8192


class Pool:
    """Messages of all types that requests consist of. Threads may use it at the same time."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.messages = {}
        self.accepted = {}

    def add(self, message, is_accepted=False):
        """Keeps copies of a message and of all that it holds.

        Most of what a generator makes is refused. So what was accepted is changed more often: it gets
        further, and so do some of its changed copies."""
        kind = message.DESCRIPTOR.full_name
        kept = (self.accepted if is_accepted else self.messages).setdefault(kind, [])
        copy = copy_of(message)
        if len(kept) < POOL_SIZE:
            kept.append(copy)
        else:
            kept[self.random.randrange(POOL_SIZE)] = copy
        for child in children(message):
            self.add(child, is_accepted)

    def sample(self, random, descriptor):
        """A message of this type, which the caller must not change; None if there is none."""
        kept = self.accepted.get(descriptor.full_name) if random.random() < 0.9 else None
        kept = kept or self.messages.get(descriptor.full_name)
        return random.choice(kept) if kept else None

    def mutant(self, random, descriptor):
        """A message of this type with up to four changes, which the caller may change."""
        message = message_factory.GetMessageClass(descriptor)()
        original = self.sample(random, descriptor)
        if original is not None:
            message.CopyFrom(original)
        if message.ByteSize() <= MAX_BYTES:
            for _ in range(random.choice([0, 1, 1, 2, 3, 4])):
                change(random, self, message)
        return message


def copy_of(message):
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def children(message):
    """The messages that a message holds directly."""
    for field, value in message.ListFields():
        if field.message_type is None or is_map(field):
            continue
        yield from value if is_repeated(field) else [value]


def change(random, pool, message):
    """Changes one field of a message, or of one of those in it."""
    below = list(children(message))
    while below and random.random() < 0.7:
        message = random.choice(below)
        below = list(children(message))
    fields = [field for field in message.DESCRIPTOR.fields if not is_map(field)]
    if not fields:
        return
    field = random.choice(fields)
    if random.random() < 0.15:
        message.ClearField(field.name)
    elif is_repeated(field):
        change_list(random, pool, field, getattr(message, field.name))
    elif field.message_type is not None:
        child = getattr(message, field.name)
        child.SetInParent()
        sample = pool.sample(random, field.message_type)
        if sample is not None:
            child.CopyFrom(sample)
    else:
        setattr(message, field.name, scalar(random, field))


def change_list(random, pool, field, elements):
    """Adds an element, repeats one, drops one or exchanges two."""
    count = len(elements)
    step = random.choice(["add", "repeat", "drop", "exchange"]) if count else "add"
    place = random.randrange(count) if count else 0
    if step == "add":
        if field.message_type is None:
            elements.append(scalar(random, field))
        else:
            added, sample = elements.add(), pool.sample(random, field.message_type)
            if sample is not None:
                added.CopyFrom(sample)
    elif step == "repeat":
        elements.extend([elements[place]] * random.choice([1, 1, 2, 20]))
    elif step == "drop":
        del elements[place]
    else:
        other = random.randrange(count)
        if field.message_type is None:
            elements[place], elements[other] = elements[other], elements[place]
        else:
            copy = copy_of(elements[place])
            elements[place].CopyFrom(elements[other])
            elements[other].CopyFrom(copy)


def scalar(random, field):
    ordinary, wild = values(field)
    return random.choice(wild if random.random() < 0.1 else ordinary)


def damage(random, data):
    """The bytes of a message with some of them changed, dropped or put in."""
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        place = random.randint(0, len(data))
        step = random.choice(["set", "insert", "cut"])
        if step == "insert":
            data[place:place] = random.randbytes(random.randint(1, 6))
        elif step == "cut":
            del data[place:]
        elif place < len(data):
            data[place] = random.randrange(256)
    return bytes(data)
