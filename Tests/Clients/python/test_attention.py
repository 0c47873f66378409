# SPDX-License-Identifier: Apache-2.0
"""Items to get ready, and elements that were seen, as a client in another language hears of them."""

import datetime
import random

from collection_layout.v1 import attributes_pb2 as attributes
from collection_layout.v1 import collection_pb2 as collection
from collection_layout.v1 import session_pb2 as session
from lockstep import Session
from test_resume import insertion
from test_stream import open_session

ROW = 30
HEIGHT = 768


def rows(count=1000):
    contents = collection.CollectionContents()
    contents.sections.add().blocks.add(count=count, keys=[f"k{item}" for item in range(count)])
    return contents


def opening(**options):
    opened = open_session("list", inline_contents=rows())
    opened.layout.list.ClearField("header_height")
    opened.layout.list.ClearField("separator_thickness")
    opened.options.CopyFrom(session.SessionOptions(**options))
    return opened


class Candidates:
    """The items to get ready, by their numbers; each begins once and ends once."""

    def __init__(self, stream):
        self.stream = stream
        self.keys = {}
        self.over = set()
        self.changes = 0

    def read(self):
        for change in self.stream.prefetches[self.changes:]:
            self.changes += 1
            self._apply(change)
        return set(self.keys.values())

    def _apply(self, change):
        assert not change.continued
        assert change.reset == (self.changes == 1)
        for number in [*change.shown, *change.cancelled]:
            del self.keys[number]
            assert number not in self.over
            self.over.add(number)
        for item in change.items:
            assert item.number not in self.keys and item.number not in self.over
            assert item.key.category == attributes.ELEMENT_CATEGORY_CELL
            self.keys[item.number] = item.item_key


def wanted(offset, most, total):
    """Rows below the viewport, then those above it, by the rule, when the user scrolls down."""
    first = int(offset // ROW)
    last = int(-(-(offset + HEIGHT) // ROW))
    ahead = [i for i in range(last, total) if i * ROW < offset + 2 * HEIGHT]
    behind = [i for i in range(first - 1, -1, -1) if (i + 1) * ROW > offset - HEIGHT / 2]
    return (ahead + behind)[:most]


def test_each_item_is_asked_for_once_and_is_shown_or_called_off_once(channel):
    stream = Session(channel, opening(prefetch=dict(max_items=40)))
    assert stream.opened.options.prefetch.distance_ahead == 1
    candidates = Candidates(stream)
    chance = random.Random(7)
    offset = 0
    for _ in range(20):
        offset += chance.randrange(1, 1500)
        stream.send(viewport=session.ViewportChange(
            content_offset=dict(x=0, y=offset), velocity=dict(x=0, y=1000)))
        expected = {f"k{item}" for item in wanted(offset, 40, 1000)}
        stream.until(lambda _, expected=expected: candidates.read() == expected)
    # Rows above move along with the viewport, and nothing is told.
    assert stream.perform(update=insertion()).data_version == 1
    stream.settle()
    assert len(stream.prefetches) == candidates.changes
    stream.close()


def test_rows_are_seen_when_they_have_been_in_sight_for_half_a_second(channel):
    rule = dict(threshold=0.8, duration=dict(nanos=500_000_000))
    stream = Session(channel, opening(visibility=dict(rules=[rule])))

    def began():
        return [sighting for change in stream.visibilities for sighting in change.began]

    stream.until(lambda _: began())
    # 768 points are 25 rows and 18 points of 30, which are too few.
    assert [sighting.item_key for sighting in began()] == [f"k{item}" for item in range(25)]
    for sighting in began():
        assert sighting.rule == 0
        assert sighting.seen_for.ToTimedelta() >= datetime.timedelta(milliseconds=500)
        assert stream.mirror.slots[sighting.slot].item_key == sighting.item_key
    stream.scroll(0, 3000)
    stream.until(lambda _: len(began()) == 50)
    assert [sighting.number for sighting in began()] == list(range(1, 51))
    ended = [end.number for change in stream.visibilities for end in change.ended]
    assert sorted(ended) == list(range(1, 26))
    assert began()[25].item_key == "k100"
    stream.close()


def test_options_beyond_their_limits_are_refused_with_their_field(channel):
    stream = Session(channel, opening())
    result = stream.perform(options=session.SessionOptions(
        prefetch=dict(max_items=1001), visibility=dict(rules=[dict(threshold=2)])))
    assert result.problem.reason == "FIELD_INVALID"
    assert [violation.field for violation in result.problem.field_violations] == [
        "prefetch.max_items", "visibility.rules[0].threshold"]
    stream.close()
