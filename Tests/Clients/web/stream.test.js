// SPDX-License-Identifier: Apache-2.0
// Viewers of the real server: scrolling, live edits, reconnection.

import assert from "node:assert/strict";
import { after, before, describe as suite, test } from "node:test";

import { Client, decode, encode, LayoutError, messages } from "../../../Clients/web/collection-layout.js";
import { GrpcTransport } from "./grpc-transport.js";
import { LayoutServer } from "./server.js";

const SIZE = { width: 390, height: 844 };
const LIST = { list: { rowHeight: 44 } };

/** Breaks the stream that is open with a frame that does not fit, when `damage` says so. */
class Damaging extends GrpcTransport {
  damage = () => false;

  open(method, handlers) {
    const stream = super.open(method, {
      ...handlers,
      message: (bytes) => {
        const response = decode(messages.StreamLayoutResponse, bytes), { frame } = response;
        if (!frame || !this.damage(frame)) return handlers.message(bytes);
        frame.liveCount += 1;
        handlers.message(encode(messages.StreamLayoutResponse, response));
        stream.cancel();
        return handlers.end(new LayoutError("UNAVAILABLE", "damaged"));
      },
    });
    return stream;
  }
}

/** So many rows, in blocks with keys. */
function rows(count, start = 0) {
  const keys = Array.from({ length: count }, (_, index) => `row${start + index}`);
  return { sections: [{ blocks: [{ count, heights: keys.map((_, index) => 40 + (index % 25)), keys }] }] };
}

/** The elements that meet the viewport, in order. */
function visible(viewer) {
  const { y, height } = viewer.viewport;
  return [...viewer.elements]
    .filter((each) => each.y < y + height && each.y + each.height > y)
    .sort((a, b) => a.y - b.y);
}

suite("Viewers of the real server", { timeout: 120_000 }, () => {
  let server, transport, client;

  before(async () => {
    server = await LayoutServer.start();
    transport = new GrpcTransport(server.address);
    client = new Client(transport);
  });

  after(async () => {
    client.close();
    transport.close();
    await server.stop();
  });

  test("headers have the keys of their sections, in both encodings", async () => {
    const sections = ["a", "b", "c"].map((key) => ({ key, blocks: [{ count: 2, keys: [`${key}0`, `${key}1`] }] }));
    await client.createCollection("headed", { sections }, { layout: { list: { headerHeight: 20 } } });
    for (const packed of [true, false]) {
      const viewer = client.view("headed", { size: SIZE, packed });
      await viewer.nextFrame();
      const found = [...viewer.elements].sort((one, other) => one.y - other.y).map(({ key }) => key);
      assert.deepEqual(found, ["a", "a0", "a1", "b", "b0", "b1", "c", "c0", "c1"]);
      viewer.close();
    }
  });

  test("items carry data for renderers that ask for it, in both encodings", async () => {
    const data = ["", "one", '{"title":"two"}'];
    await client.createCollection("titled", { sections: [{ blocks: [{ count: 3, data }] }] }, { layout: LIST });
    for (const packed of [true, false]) {
      const viewer = client.view("titled", { size: SIZE, packed, itemData: true });
      await viewer.nextFrame();
      const found = [...viewer.elements].sort((one, other) => one.y - other.y);
      assert.deepEqual(found.map((element) => element.data), data);
      const plain = client.view("titled", { size: SIZE, packed });
      await plain.nextFrame();
      assert.ok([...plain.elements].every((element) => element.data === ""));
      const changed = `changed ${packed}`, reconfigureItems = {
        range: { section: 0, firstItem: 0, itemCount: 1 }, blocks: [{ count: 1, data: [changed] }],
      };
      await client.apply("titled", [{ reconfigureItems }]);
      await viewer.nextFrame();
      assert.ok([...viewer.elements].some((element) => element.data === changed));
      await client.apply("titled", [{ reconfigureItems: { ...reconfigureItems, blocks: [{ count: 1, data: [""] }] } }]);
      viewer.close();
      plain.close();
    }
  });

  test("contents are imported and exported, and changes of them watched", async () => {
    await client.createCollection("streamed");
    const keys = Array.from({ length: 20_000 }, (_, index) => `row${index}`);
    const contents = {
      cellKindNames: ["", "wide"],
      sections: [
        { key: "a", blocks: [{ count: 20_000, heights: keys.map((_, index) => index % 50), keys, widths: [90] }] },
        { key: "b", blocks: [{ count: 2, cellKinds: [0, 1] }] },
      ],
    };
    const imported = await client.importContents("streamed", contents);
    assert.equal(imported.itemCount, 20_002);
    const found = await client.exportContents("streamed");
    assert.equal(found.dataVersion, imported.dataVersion);
    assert.deepEqual(found.contents.cellKindNames, ["", "wide"]);
    assert.deepEqual(found.contents.sections.map(({ key }) => key), ["a", "b"]);
    const [first] = found.contents.sections;
    assert.deepEqual(first.blocks.flatMap((block) => [...block.keys]), keys);
    async function* parts() {
      yield { section: { key: "c" } };
      yield { items: { count: 3 } };
    }
    assert.equal((await client.importContents("streamed", parts())).itemCount, 3);
    await assert.rejects(client.importContents("streamed", contents, { expectedDataVersion: 1 }), {
      reason: "VERSION_CONFLICT",
    });
    await assert.rejects(client.exportContents("missing"), { reason: "COLLECTION_NOT_FOUND" });
    const { dataVersion } = await client.exportContents("streamed"), versions = [];
    const watch = (async () => {
      for await (const { batch, dataVersion: version } of client.watchUpdates("streamed", { after: dataVersion })) {
        if (batch) versions.push(version);
        if (versions.length === 3) return;
      }
    })();
    for (let step = 0; step < 3; step += 1) {
      await client.apply("streamed", [{ deleteItems: { section: 0, firstItem: 0, itemCount: 1 } }]);
    }
    await watch;
    assert.deepEqual(versions, [1, 2, 3].map((step) => dataVersion + step));
    await assert.rejects(async () => {
      for await (const _ of client.watchUpdates("streamed", { after: 1_000_000 })) assert.fail("a message");
    }, { reason: "VERSION_AHEAD" });
  });

  test("a million rows are scrolled through, and every frame has the server's checksum", async () => {
    const contents = { sections: [{ blocks: [{ count: 1_000_000, heights: [44] }] }] };
    await client.createCollection("million", contents, { layout: LIST });
    for (const packed of [true, false]) {
      const viewer = client.view("million", { size: SIZE, packed });
      assert.equal((await viewer.nextFrame()).keyframe, true);
      const end = 44_000_000 - SIZE.height;
      for (let step = 1; step <= 40; step += 1) {
        const y = step % 2 === 1 ? (end * step) / 40 : viewer.viewport.y + 300;
        viewer.scroll({ y: Math.min(y, end) });
        await viewer.settle();
        const shown = visible(viewer);
        assert.ok(shown.length >= 19, `${shown.length} rows at ${viewer.viewport.y}`);
        assert.equal(shown[0].item, Math.floor(viewer.viewport.y / 44));
      }
      const frame = await viewer.nextFrame();
      assert.equal(frame.changed.length + frame.removed.length > 0, true);
      assert.equal(viewer.reconnections, 0);
      viewer.close();
    }
  });

  test("edits above the visible rows do not move them", async () => {
    await client.createCollection("edited", rows(5_000), { layout: { list: {} } });
    const viewer = client.view("edited", { size: SIZE, offset: { x: 0, y: 100_000 } });
    await viewer.nextFrame();
    const [first] = visible(viewer), before = first.y - viewer.viewport.y;
    let version = viewer.dataVersion;
    for (let step = 0; step < 10; step += 1) {
      const keys = [`new${step}a`, `new${step}b`];
      const insert = {
        insertItems: {
          at: { section: 0, item: step * 7 }, blocks: [{ count: 2, heights: [33.25, 70], keys }],
        },
      };
      version = step % 2 === 0 ? await client.apply("edited", [insert]) : await viewer.update([insert]);
      while (viewer.dataVersion < version) await viewer.nextFrame();
      const again = [...viewer.elements].find((each) => each.key === first.key);
      assert.equal(again.slot, first.slot);
      assert.equal(again.item, first.item + 2 * (step + 1));
      assert.ok(Math.abs(again.y - viewer.viewport.y - before) < 1 / 64, `step ${step}`);
    }
    viewer.close();
  });

  test("the visible rows do not move if a stream breaks after a frame that does not fit", async () => {
    await client.createCollection("damaged", rows(5_000), { layout: { list: {} } });
    const damaging = new Damaging(server.address);
    const viewer = new Client(damaging).view("damaged", { size: SIZE, offset: { x: 0, y: 100_000 } });
    await viewer.nextFrame();
    const [first] = visible(viewer), place = first.y - viewer.viewport.y;
    let isDamaged = false;
    damaging.damage = ({ dataVersion }) => {
      const isNow = !isDamaged && dataVersion > version;
      isDamaged ||= isNow;
      return isNow;
    };
    let version = Infinity;
    // The offset has the adjustment of the first change, and not yet that of the second.
    for (const key of ["new1", "new2"]) {
      const insertItems = { at: { section: 0, item: 0 }, blocks: [{ count: 1, heights: [70], keys: [key] }] };
      const changed = await viewer.update([{ insertItems }]);
      while (viewer.dataVersion < changed) await viewer.nextFrame();
      version = changed;
    }
    await viewer.settle();
    assert.deepEqual([isDamaged, viewer.reconnections], [true, 1]);
    const again = [...viewer.elements].find(({ key }) => key === first.key);
    assert.equal(again.y - viewer.viewport.y, place);
    viewer.close();
    damaging.close();
  });

  test("scrolling to items, neighbors and releases are answered", async () => {
    await client.createCollection("targets", rows(2_000), { layout: { list: {} } });
    const viewer = client.view("targets", { size: SIZE });
    await viewer.nextFrame();
    const offset = await viewer.scrollToItem("row1500", { position: "start" });
    await viewer.settle();
    assert.equal(visible(viewer)[0].key, "row1500");
    assert.equal(viewer.viewport.y, offset.y);
    const next = await viewer.neighbor("down", "row1500");
    assert.equal(next.neighbor.itemKey, "row1501");
    const end = await viewer.release({ x: 0, y: 1000 });
    assert.ok(end.y > offset.y + 400);
    await assert.rejects(viewer.scrollTarget("nothing"), (error) => (
      error instanceof LayoutError && error.code === "OUT_OF_RANGE"
      && error.reason === "INDEX_OUT_OF_RANGE"));
    viewer.close();
  });

  test("measured sizes hold, and what is in sight keeps its place", async () => {
    const contents = { sections: [{ blocks: [{ count: 1_000 }] }] };
    const layout = { compositional: { sections: [{ list: { estimatedRowHeight: 50 } }] } };
    await client.createCollection("measured", contents, { layout });
    const viewer = client.view("measured", { size: SIZE });
    await viewer.nextFrame();
    const cells = () => visible(viewer).filter((each) => each.category === "cell");
    const slots = cells().map((each) => each.slot);
    await viewer.measure(slots, slots.map(() => ({ width: 390, height: 61 })));
    await viewer.settle();
    assert.ok(cells().slice(0, 5).every((each) => each.height === 61));
    viewer.close();
  });

  test("pinned elements and scroll effects are where the server puts them", async () => {
    const half = { sections: [20, 20, 20].map((count) => ({ blocks: [{ count }] })) };
    const scrollEffects = [
      {
        leading: { values: { alpha: 0.2, scale: 0.5, translation: { x: 30, y: -10 }, rotation: 0.7, zIndex: -3 } },
        trailing: { values: { alpha: 0.5, hidden: true }, identity: { centered: 0.5 }, outer: { visible: 0.3 } },
      },
      { category: "supplementary", leading: { values: { alpha: 0.5 } }, progress: "discrete" },
    ];
    const layout = {
      list: { rowHeight: 44, headerHeight: 30, headersPinToVisibleBounds: true }, scrollEffects,
    };
    await client.createCollection("effects", half, { layout });
    for (const rightToLeft of [false, true]) {
      const viewport = { traits: { rightToLeft }, contentInsets: { top: 20, bottom: 50 } };
      const options = { size: SIZE, viewport, units: 192 };
      const plain = client.view("effects", options);
      const own = client.view("effects", { ...options, pinning: true, scrollEffects: true });
      await Promise.all([plain.nextFrame(), own.nextFrame()]);
      assert.equal(own.changesByScrolling, true);
      for (const y of [-20, 0, 13, 333.25, 900, 1_500]) {
        plain.scroll({ y });
        own.scroll({ y });
        await Promise.all([plain.settle(), own.settle()]);
        const seen = new Map([...own.elements].map((each) => [
          `${each.category} ${each.section}/${each.item}`, own.place(each.slot),
        ]));
        let transformed = 0;
        for (const each of visible(plain)) {
          const found = seen.get(`${each.category} ${each.section}/${each.item}`), name = JSON.stringify([y, each]);
          assert.ok(found, name);
          assert.ok(Math.abs(found.y - each.y) < 0.01 && Math.abs(found.x - each.x) < 0.01, name);
          assert.ok(Math.abs(found.alpha - each.alpha) < 1e-4, name);
          assert.equal(found.z, each.z, name);
          assert.equal(found.hidden, each.hidden, name);
          const values = each.message?.attributes.transform?.values ?? [1, 0, 0, 1, 0, 0];
          found.matrix().forEach((value, index) => assert.ok(Math.abs(value - values[index]) < 1e-6, name));
          transformed += each.message?.attributes.transform ? 1 : 0;
        }
        assert.ok(y < 13 || transformed > 0, `${transformed} at ${y}`);
      }
      plain.close();
      own.close();
    }
  });

  test("headers of a table that scrolls only to the side stay above their columns", async () => {
    const columns = Array.from({ length: 20 }, (_, index) => ({ id: `c${index}`, width: 100 }));
    await client.createCollection("wide", rows(2), { layout: { table: { columns } } });
    const viewer = client.view("wide", { size: SIZE, pinning: true });
    await viewer.nextFrame();
    viewer.scroll({ x: 500 });
    await viewer.settle();
    const pinned = [...viewer.elements].filter((each) => each.message?.pin);
    assert.ok(pinned.length > 3);
    for (const each of pinned) {
      const seen = viewer.place(each.slot);
      assert.deepEqual([seen.x, seen.y], [each.x, each.y]);
    }
    viewer.close();
  });

  test("another layout, refused events and unknown fields", async () => {
    await client.createCollection("layouts", rows(500), { layout: { list: {} } });
    const viewer = client.view("layouts", { size: SIZE });
    await viewer.nextFrame();
    await viewer.changeLayout({ grid: { itemSize: { width: 100, height: 80 } } });
    await viewer.settle();
    assert.equal(viewer.elements.element(visible(viewer)[0].slot).width, 100);
    await assert.rejects(viewer.changeLayout({ waterfall: {} }), (error) => (
      error.code === "INVALID_ARGUMENT" && error.field.includes("column_count")));
    await assert.rejects(
      viewer.changeLayout({ grid: { itemSise: {} } }), { message: /did you mean 'itemSize'/ });
    assert.throws(() => viewer.scroll({ y: NaN }), { name: "FieldError" });
    assert.equal(viewer.isConnected, true);
    viewer.close();
  });

  test("a viewer of a collection that does not exist ends with the server's error", async () => {
    const viewer = client.view("nothing");
    await assert.rejects(viewer.nextFrame(), { code: "NOT_FOUND", reason: "COLLECTION_NOT_FOUND" });
  });

  test("collections are listed and deleted", async () => {
    await client.createCollection("passing", rows(3));
    const names = [];
    for await (const collection of client.listCollections()) names.push(collection.name);
    assert.ok(names.includes("collections/passing"));
    const { incarnation, itemCount } = await client.getCollection("passing");
    assert.equal(typeof incarnation, "bigint");
    assert.equal(itemCount, 3);
    await client.deleteCollection("passing");
    await assert.rejects(client.getCollection("passing"), { code: "NOT_FOUND" });
  });
});

suite("A server that is killed", { timeout: 120_000 }, () => {
  test("a viewer goes on where it was, and an update is applied once", async () => {
    const server = await LayoutServer.start({ isDurable: true });
    const transport = new GrpcTransport(server.address), client = new Client(transport);
    try {
      await client.createCollection("kept", rows(5_000), { layout: { list: {} } });
      const viewer = client.view("kept", { size: SIZE });
      await viewer.nextFrame();
      viewer.scroll({ y: 50_000 });
      await viewer.settle();
      const [first] = visible(viewer);
      await server.kill();
      const deletion = viewer.update([{ deleteItems: { section: 0, firstItem: 0, itemCount: 10 } }]);
      viewer.scroll({ y: 50_044 });
      await server.restart();
      const version = await deletion;
      while (viewer.dataVersion < version) await viewer.nextFrame();
      await viewer.settle();
      assert.equal(viewer.reconnections, 1);
      assert.equal((await client.getCollection("kept")).itemCount, 4_990);
      const again = [...viewer.elements].find((each) => each.key === first.key);
      assert.equal(again.item, first.item - 10);
      viewer.close();
    } finally {
      transport.close();
      await server.stop();
    }
  });

  test("a viewer with several addresses goes on at another server", async () => {
    const secret = ["--resume-secret", "0123456789abcdef0123456789abcdef"];
    const servers = await Promise.all([0, 1].map(() => LayoutServer.start({ options: secret })));
    const transports = servers.map((server) => new GrpcTransport(server.address));
    try {
      for (const transport of transports) {
        await new Client(transport).createCollection("both", rows(100), { layout: { list: {} } });
      }
      const client = new Client(transports), viewer = client.view("both", { size: SIZE });
      await viewer.nextFrame();
      await servers[0].kill();
      while (viewer.reconnections === 0) await viewer.nextFrame();
      await viewer.settle();
      assert.equal(visible(viewer)[0].key, "row0");
      viewer.close();
    } finally {
      for (const transport of transports) transport.close();
      for (const server of servers) await server.stop();
    }
  });
});
