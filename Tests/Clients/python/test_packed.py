# SPDX-License-Identifier: Apache-2.0
"""Two viewers of one collection, one for each encoding, hold the same elements."""

import random

import pytest
from collection_layout.v1 import collection_service_pb2 as service
from collection_layout.v1 import collection_service_pb2_grpc as service_grpc
from collection_layout.v1 import layouts_pb2 as layouts
from collection_layout.v1 import session_pb2 as session
from collection_layout.v1 import updates_pb2 as updates
from lockstep import Session, element_name
from test_stream import LAYOUTS, VIEWPORT, contents, section_counts

FULL = dict(width=dict(fractional_width=1 / 3), height=dict(absolute=61.3))
SPECS = {
    **LAYOUTS,
    "pinning": LAYOUTS["list"],
    "waterfall": dict(waterfall=dict(column_count=7, column_spacing=3.7, item_spacing=2.1)),
    "spatial": dict(spatial=dict()),
    "circle": dict(circle=dict()),
    "carousel": dict(carousel=dict(style=layouts.CarouselLayout.STYLE_ROTARY)),
    "stack": dict(stack=dict()),
    "compositional": dict(compositional=dict(sections=[dict(
        group=dict(
            axis=layouts.LayoutGroup.AXIS_HORIZONTAL,
            size=dict(width=dict(fractional_width=1), height=dict(absolute=61.3)),
            subitems=[dict(item=dict(size=FULL))]),
        visible_item_effects=[dict(
            attribute=layouts.VisibleItemEffect.ATTRIBUTE_ALPHA,
            active_distance=500, at_center=1, at_distance=0.2)])])),
    "sections": dict(sections=dict(layouts=[
        dict(list=dict(header_height=20, separator_thickness=1)),
        dict(waterfall=dict(column_count=3)),
        dict(grid=dict(item_size=dict(width=40, height=30)))])),
}
# What frames must have had, so that the test is about something.
SEEN = {
    "flow": "z_indices kinds removed_slot_runs",
    "list": "z_indices kinds removed_slot_runs",
    "grid": "removed_slot_runs parts",
    "pinning": "exceptions removed_slot_runs",
    "waterfall": "index_shift_runs removed_slot_runs",
    "spatial": "index_shift_runs removed_slot_runs",
    "circle": "index_shift_runs",
    "carousel": "exceptions",
    "stack": "exceptions",
    "compositional": "alphas",
    "sections": "kinds removed_slot_runs",
}
OPAQUE = 65535
# In the packed encoding an anchor's distance is rounded; without one both viewers see the same.
OPTIONS = session.SessionOptions(anchor_mode=session.ANCHOR_MODE_NONE)


def edges(frame):
    return frame.x, frame.y, frame.x + frame.width, frame.y + frame.height


def alpha(attributes):
    return attributes.alpha if attributes.HasField("alpha") else 1


def assert_same(plain, packed, units):
    """Equal but for edges and alphas, which columns round."""
    held = {element_name(e.key): e for e in plain.mirror.slots.values()}
    found = {element_name(e.key): e for e in packed.mirror.slots.values()}
    assert held.keys() == found.keys()
    for name, exact in held.items():
        given = found[name]
        for a, b in zip(edges(exact.attributes.frame), edges(given.attributes.frame)):
            assert abs(a - b) <= 0.5 / units + 1e-9, (name, a, b)
        assert abs(alpha(exact.attributes) - alpha(given.attributes)) <= 0.5 / OPAQUE + 1e-12, name
        for field in ("transform", "z_index", "hidden", "custom"):
            assert getattr(exact.attributes, field) == getattr(given.attributes, field), name
        assert (exact.item_key, exact.pin) == (given.item_key, given.pin), name
    assert plain.mirror.content_size == packed.mirror.content_size
    assert plain.mirror.coverage == packed.mirror.coverage


class Edits:
    """Valid random batches; most concern the first sections, so that indices shift below."""

    def __init__(self, seed, counts):
        self.chance = random.Random(seed)
        self.counts = counts
        self.serial = 0

    def blocks(self, count):
        self.serial += 1
        return [dict(
            count=count, cell_kinds=[self.chance.randrange(2) for _ in range(count)],
            widths=[self.chance.uniform(30, 90) for _ in range(count)],
            heights=[self.chance.uniform(30, 90) for _ in range(count)],
            xs=[self.chance.uniform(0, 2000) for _ in range(count)],
            ys=[self.chance.uniform(0, 2000) for _ in range(count)],
            keys=[f"new{self.serial}-{number}" for number in range(count)])]

    def batch(self):
        section = self.chance.randrange(min(3, len(self.counts)))
        size = self.counts[section]
        kind = self.chance.choice(["insert", "delete", "move", "reload", "section"])
        if kind == "section":
            number = self.chance.choice([0, 5])
            self.counts.insert(section, number)
            blocks = self.blocks(number)
            change = dict(insert_sections=dict(
                at=section, sections=[dict(key=f"section{self.serial}", blocks=blocks)]))
        elif kind == "insert" or size == 0:
            number = self.chance.randrange(1, 4)
            self.counts[section] += number
            change = dict(insert_items=dict(
                at=dict(section=section, item=self.chance.randrange(min(size, 3) + 1)),
                blocks=self.blocks(number)))
        elif kind == "move":
            to = self.chance.randrange(len(self.counts))
            self.counts[section] -= 1
            self.counts[to] += 1
            change = dict(move_item={
                "from": dict(section=section, item=self.chance.randrange(size)),
                "to": dict(section=to, item=self.chance.randrange(self.counts[to]))})
        else:
            item = dict(section=section, first_item=self.chance.randrange(size), item_count=1)
            if kind == "delete":
                self.counts[section] -= 1
                change = dict(delete_items=item)
            else:
                change = dict(reload_items=dict(range=item, blocks=self.blocks(1)))
        return updates.UpdateBatch(operations=dict(operations=[change]))


class Viewer(Session):
    """A session that remembers what its frames had."""

    def __init__(self, *arguments, **options):
        self.seen = set()
        super().__init__(*arguments, **options)

    def read(self):
        response = super().read()
        if response.WhichOneof("message") == "frame":
            body = response.frame.WhichOneof("body")
            self.seen.add(body)
            self.seen.update(name.name for name, _ in getattr(response.frame, body).ListFields())
            if response.frame.continued:
                self.seen.add("parts")
        return response


def open_viewers(channel, name, layout, units, options):
    """One viewer for each encoding."""
    viewers = []
    for encoding in (session.ELEMENT_ENCODING_MESSAGES, session.ELEMENT_ENCODING_PACKED):
        viewer = Viewer(channel, session.OpenSession(
            collection=name, layout=layouts.LayoutSpec(**SPECS[layout]), options=options,
            viewport=session.ViewportChange(**VIEWPORT),
            capabilities=session.ClientCapabilities(
                encodings=[encoding], units_per_point=[units], checksums=True, item_keys=True,
                pinning=layout == "pinning", max_message_bytes=16384)))
        assert (viewer.opened.encoding, viewer.opened.units_per_point) == (encoding, units)
        viewers.append(viewer)
    return viewers


def scroll(viewers, offset, options):
    for viewer in viewers:
        viewer.scroll(**offset)
        # Answered after the scrolling has been seen.
        viewer.perform(options=options)


def edit(viewers, editor, batch):
    result = editor.perform(update=batch)
    assert not result.HasField("problem"), result.problem
    for viewer in viewers:
        viewer.until(lambda v: v.mirror.data_version >= result.data_version)


@pytest.fixture
def create(channel):
    """Creates collections that end with the test."""
    stub = service_grpc.CollectionServiceStub(channel)
    names = []

    def create(data):
        created = stub.CreateCollection(service.CreateCollectionRequest(contents=data))
        names.append(created.collection.name)
        return names[-1]

    yield create
    for name in names:
        stub.DeleteCollection(service.DeleteCollectionRequest(name=name))


@pytest.mark.parametrize("units", [64, 192])
@pytest.mark.parametrize("layout", SPECS)
def test_both_encodings_hold_the_same_elements(channel, create, layout, units):
    chance = random.Random(f"{layout} {units}")
    data = contents(
        seed=units, sections=20 if layout == "grid" else 8, most=10 if layout == "circle" else 80)
    data.cell_kind_names.extend(["text", "photo"])
    for block in (block for section in data.sections for block in section.blocks):
        block.cell_kinds.extend(chance.randrange(2) for _ in range(block.count))
        block.widths[:] = [width + chance.random() for width in block.widths]
        block.xs.extend(chance.uniform(0, 2000) for _ in range(block.count))
        block.ys.extend(chance.uniform(0, 2000) for _ in range(block.count))
    viewers = open_viewers(channel, create(data), layout, units, OPTIONS)
    plain, packed = viewers
    assert_same(plain, packed, units)
    edits = Edits(units, section_counts(data))
    for step in range(10):
        if chance.random() < 0.6:
            width, height = plain.mirror.content_size
            scroll(viewers, dict(
                x=chance.uniform(0, max(0, width - 1024)),
                y=chance.uniform(0, min(max(0, height - 768), 1500))), OPTIONS)
        edit(viewers, viewers[step % 2], edits.batch())
        assert_same(plain, packed, units)
    assert "packed" in packed.seen and "packed" not in plain.seen
    assert set(SEEN[layout].split()) <= packed.seen, packed.seen
    for viewer in viewers:
        viewer.close()


@pytest.mark.parametrize("units", [64, 192])
def test_a_packed_anchor_moves_by_whole_units(channel, create, units):
    data = contents(seed=9, sections=1, most=500)
    viewers = open_viewers(channel, create(data), "list", units, session.SessionOptions())
    scroll(viewers, dict(x=0, y=2000.3), session.SessionOptions())
    plain, packed = viewers
    for height in (33.337, 21.11, 10.01):
        edit(viewers, plain, updates.UpdateBatch(operations=dict(operations=[dict(
            insert_items=dict(at=dict(item=0), blocks=[dict(
                count=1, heights=[height], keys=[f"tall{height}"])]))])))
        assert plain.mirror.adjustment[1] == pytest.approx(height)
        distance = packed.mirror.adjustment[1] * units
        assert distance == pytest.approx(round(distance), abs=1e-6)
        assert abs(distance - height * units) <= 1
    for viewer in viewers:
        viewer.close()
