// SPDX-License-Identifier: Apache-2.0
// The bindings in Chromium, against the real server.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe as suite, test } from "node:test";

import { Client } from "../../../Clients/web/collection-layout.js";
import { chromium, resultOf } from "./browser.js";
import { Door } from "./door.js";
import { GrpcTransport } from "./grpc-transport.js";
import { LayoutServer } from "./server.js";

const ROOT = new URL("../../../", import.meta.url).pathname;

/** The page in the client's README, and a script that posts what it shows. */
function pageOfReadme() {
  const readme = readFileSync(new URL("Clients/web/README.md", `file://${ROOT}`), "utf8");
  const page = /```html\n(.*?)```/s.exec(readme)[1];
  return `${page}<script type="module">
    import { run, until } from "/Tests/Clients/web/pages/checks.js";
    run({ text: () => until(() => document.querySelector("[data-slot]")?.textContent, "the first row") });
  </script>`;
}

/** The page in the guide, which deletes the row that is clicked, and a script that clicks one. */
function pageOfGuide(web) {
  const guide = readFileSync(new URL("Documentation/guides/first-page.md", `file://${ROOT}`), "utf8");
  const page = /```html\n(.*?)```/s.exec(guide)[1].replace("ws://127.0.0.1:8081", `ws://${web}`)
    .replace('"rows"', '"edited"').replace('"rows"', '"edited"');
  return `${page}<script type="module">
    import { run, until } from "/Tests/Clients/web/pages/checks.js";
    const row = (text) => [...document.querySelectorAll("[data-slot]")].find((node) => node.textContent === text);
    run({ async click() {
      (await until(() => row("row3"), "a row")).click();
      await until(() => document.getAnimations().length > 0, "an animation");
      return until(() => !row("row3") && row("row4").textContent, "the next row");
    } });
  </script>`;
}

/** A section of so many items. */
function section(count, columns = {}, rest = {}) {
  return { blocks: [{ count, ...columns }], ...rest };
}

const COLLECTIONS = {
  long: [[section(10_000_000, { heights: [44] })], { list: { rowHeight: 44 } }],
  rows: [[section(10_000_000)], { list: { rowHeight: 30 } }],
  edited: [
    [section(1_000, { heights: [40], keys: Array.from({ length: 1_000 }, (_, index) => `row${index}`) })],
    { list: {} },
  ],
  imported: [[section(1)], { list: {} }],
  animated: [
    [section(100, { heights: [40], keys: Array.from({ length: 100 }, (_, index) => `row${index}`) })],
    { list: {} },
  ],
  estimated: [[section(500)], { list: { rowHeight: 50, selfSizing: true } }],
  sideways: [[section(300)], {
    flow: { itemSize: { width: 100, height: 90 }, scrollDirection: "horizontal" },
  }],
  grid: [[section(300)], { flow: { itemSize: { width: 100, height: 80 } } }],
  tiles: [[section(400_000)], {
    flow: { itemSize: { width: 10, height: 8 }, minimumLineSpacing: 1, minimumInteritemSpacing: 0 },
  }],
  stack: [[section(50)], { line: { itemSize: { width: 200, height: 200 }, activeDistance: 200, zoomFactor: 0.3 } }],
  headed: [[section(30), section(30), section(30)], {
    list: { rowHeight: 44, headerHeight: 30, headersPinToVisibleBounds: true },
  }],
};

suite("In Chromium", { skip: !chromium && "Chromium is not installed", timeout: 180_000 }, () => {
  let server, transport, door, root, address;

  before(async () => {
    server = await LayoutServer.start({ options: ["--web-port", "0", "--web-origins", "*"] });
    transport = new GrpcTransport(server.address);
    const pages = { "/Clients/web/": pageOfReadme(), "/Clients/web/guide": pageOfGuide(server.web) };
    door = new Door(server.address, { files: ROOT, pages });
    root = `http://127.0.0.1:${await door.listen()}`;
    address = `${root}/Tests/Clients/web/pages`;
    const client = new Client(transport);
    for (const [name, [sections, layout]] of Object.entries(COLLECTIONS)) {
      await client.createCollection(name, { sections }, { layout });
    }
  });

  after(async () => {
    door.close();
    transport.close();
    await server.stop();
  });

  test("lists: ten million rows, edits, self-sizing, keyboard, right to left, resizing, pinned headers", async () => {
    const results = await resultOf(door, `${address}/list.html?server=ws://${server.web}`);
    for (const [name, { error }] of Object.entries(results)) assert.equal(error, undefined, name);
    const value = (name) => results[name].value;

    const { rows: others, faults } = value("faults");
    assert.deepEqual(others, ["cell 0/0", "cell 0/1", "", "cell 0/3", "cell 0/4"]);
    assert.deepEqual(faults.filter((fault) => !fault.includes("row 2")), []);
    assert.ok(faults.length > 0);
    const { visited, nodes, moved, offset, last, scrollHeight, left } = value("longContents");
    assert.ok(scrollHeight < 16_777_216, "positions are exact in floats of 32 bits");
    assert.ok(visited.every((y, index) => index === 0 || index > 3 || y > visited[index - 1]));
    assert.equal(visited[3], 440_000_000 - 800);
    assert.ok(nodes.every((count) => count < 120), `${nodes} nodes`);
    assert.equal(moved, 30 * 53);
    assert.equal(offset, 123_456_789.5);
    assert.equal(last, "cell 0/9999999");
    assert.equal(left, 0);

    for (const { jump, isSame } of value("edits")) {
      assert.ok(Math.abs(jump) < 0.1 && isSame, `the row moved by ${jump}`);
    }
    const { worst, last: rested, base } = value("editsWhileScrolling");
    assert.ok(worst < 0.6 && rested < 0.6 && Math.abs(base) < 1, `${worst}, ${rested}, ${base}`);
    const { start: first, end: final, nodes: rows } = value("animations");
    assert.deepEqual(first, { new: 200, gone: 0, moved: 40, opacity: 0.5, hidden: "true" });
    assert.deepEqual(final, { new: 0, gone: -100, moved: 80, opacity: 1, hidden: "true" });
    assert.deepEqual(rows, ["row0", "new", "row1", "row2"]);
    assert.deepEqual(value("contents"), { itemCount: 20_000, key: "all", last: "row19999" });
    assert.ok(value("selfSizing") > 5);
    assert.equal(new Set(value("keyboard")).size, 2);
    const { start, gap, direction } = value("rightToLeft");
    assert.ok(start > 1000 && Math.abs(gap) < 1);
    assert.equal(direction, "rtl");
    assert.deepEqual(value("insets"), [60, 40]);
    assert.deepEqual(value("pinnedHeaders"), [0, 0, 0, 0]);
  });

  test("the page of the README", async () => {
    const { text } = await resultOf(door, `${root}/Clients/web/`);
    assert.deepEqual(text, { value: "Row 0" });
  });

  test("the page of the guide", async () => {
    const { click } = await resultOf(door, `${root}/Clients/web/guide`);
    assert.deepEqual(click, { value: "row4" });
  });

  test("a canvas of ten thousand elements", async (context) => {
    const results = await resultOf(door, `${address}/canvas.html?server=ws://${server.web}`);
    for (const [name, { error }] of Object.entries(results)) assert.equal(error, undefined, name);
    const { tops, color, count, drawing, receiving, live } = results.tenThousand.value;
    assert.deepEqual(tops, [0, 0]);
    assert.deepEqual(color, [30, 60, 90]);
    assert.ok(count >= 10_000, `${count} elements`);
    context.diagnostic(`${count} of ${live} elements: milliseconds of script to draw ${JSON.stringify(drawing)}, `
      + `to receive ${JSON.stringify(receiving)}`);
    const places = results.transforms.value;
    assert.ok(places.some(({ scale }) => scale > 1.1) && places.some(({ scale }) => scale === 1));
  });
});
