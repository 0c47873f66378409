# SPDX-License-Identifier: Apache-2.0
"""The packed encoding of elements, read as "Packed elements" in Documentation/protocol.md says."""

from itertools import accumulate

from collection_layout.v1 import session_pb2 as session


def differences(column, count):
    """A column of differences: none = zeros, one = the same for all, else one for each."""
    if len(column) < 2:
        return [column[0] if column else 0] * count
    assert len(column) == count, (len(column), count)
    return list(accumulate(column))


def plain(column, count, default):
    """A column whose values have no differences."""
    if len(column) < 2:
        return [column[0] if column else default] * count
    assert len(column) == count, (len(column), count)
    return list(column)


def runs(column):
    """The values of a list of (difference, length) pairs."""
    assert len(column) % 2 == 0, len(column)
    values, value = [], 0
    for difference, length in zip(column[::2], column[1::2]):
        assert length > 0, length
        for _ in range(length):
            value += difference
            values.append(value)
    return values


def counted_runs(column, count):
    """The same where the number of values is known: none = zeros."""
    values = runs(column) if column else [0] * count
    assert len(values) == count, (len(values), count)
    return values


def removed_slots(packed):
    return runs(packed.removed_slot_runs)


def index_shifts(packed):
    """(slot, section shift, item shift) of each element whose index path alone changed."""
    column = packed.index_shift_runs
    assert len(column) % 4 == 0, len(column)
    last = 0
    for difference, count, section, item in zip(*(column[start::4] for start in range(4))):
        assert count > 0, count
        for slot in range(last + difference, last + difference + count):
            yield slot, section, item
        last += difference + count - 1


def shift(element, section, item):
    """Moves an element's index path."""
    path = element.key.index_path
    path.section += section
    if path.HasField("item"):
        path.item += item
    else:
        assert item == 0, item


def elements(packed, kind_names, units):
    """The elements of the columns and the exceptions, as messages.

    `kind_names` are those gathered since the keyframe, those of `packed` included.
    """
    count = packed.upsert_count
    columns = zip(
        counted_runs(packed.slot_runs, count),
        differences(packed.categories, count),
        differences(packed.kinds, count),
        differences(packed.sections, count),
        counted_runs(packed.item_runs, count),
        differences(packed.xs, count),
        differences(packed.ys, count),
        differences(packed.widths, count),
        differences(packed.heights, count),
        differences(packed.z_indices, count),
        plain(packed.alphas, count, 65535),
        plain(packed.hidden, count, False),
        plain(packed.item_keys, count, ""),
        differences(packed.outline.levels, count),
        differences(packed.outline.states, count))
    result = []
    for (slot, category, kind, section, item, x, y, width, height,
            z_index, alpha, hidden, item_key, level, state) in columns:
        element = session.LayoutElement(slot=slot, item_key=item_key)
        element.key.category = category
        element.key.kind = kind_names[kind]
        element.key.index_path.section = section
        if item > 0:
            element.key.index_path.item = item - 1
        frame = element.attributes.frame
        frame.x = (packed.origin_x + x) / units
        frame.y = (packed.origin_y + y) / units
        frame.width, frame.height = width / units, height / units
        element.attributes.z_index = z_index
        if alpha < 65535:
            element.attributes.alpha = alpha / 65535
        element.attributes.hidden = hidden
        if level or state:
            element.outline.level = level
            element.outline.state = state
        result.append(element)
    result.extend(packed.exceptions)
    return result
