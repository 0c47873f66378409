// SPDX-License-Identifier: Apache-2.0
// Layouts in JavaScript: what they are asked and what they answer, and with the real server.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe as suite, test } from "node:test";
import { promisify } from "node:util";

import { Client } from "../../../Clients/web/collection-layout.js";
import { CallError, layout, start } from "../../../Clients/web/provider.js";
import { GrpcTransport } from "./grpc-transport.js";
import { ProviderCaller, request } from "./provider-calls.js";
import { randomNumbers } from "./random.js";
import { LayoutServer } from "./server.js";

const run = promisify(execFile);
const LAYOUTCTL = process.env.LAYOUTCTL ?? new URL("../../../.build/debug/layoutctl", import.meta.url).pathname;

/** Items by their widths, with a badge on each tenth and a title above each section that is not empty. */
function packed(items) {
  const others = [];
  for (let number = 0; number < items.length; number += 1) {
    if (items.index[number] % 10 !== 0) continue;
    const at = { section: items.section[number], item: items.index[number] };
    others.push({ kind: "badge", x: 1, y: 1, width: 2, height: 2, ...at });
  }
  items.sectionCounts.forEach((count, section) => {
    if (count > 0) others.push({ kind: `title ${count % 3}`, x: 0, y: 0, width: 10, height: 10, section });
  });
  const widths = items.width.map((width) => (Number.isNaN(width) ? 0 : width));
  return {
    x: widths.map((width) => (7 * width) % 1000), y: widths, width: widths, height: 5, others,
    content: { width: 1000, height: 1000 },
  };
}

let seen;
let updates = [];
layout("packed", packed, { scroll: "" });
layout("again", packed, {
  update(items, container, earlier, was) {
    updates.push({ count: items.length, kept: was.filter((old) => old >= 0).length, earlier: earlier.x.length });
    return packed(items);
  },
});
layout("seen", (items, container) => {
  seen = { items, container };
  return { x: 0, y: 0, width: 1, height: 1 };
});
layout("steps", (items, container) => {
  const step = container.number("step", 10);
  if (step < 0) throw new RangeError(`step: ${step} found; 0 or more is allowed`);
  return { x: 0, y: items.index.map((index) => step * index), width: container.width, height: step };
}, { schema: { type: "object" }, maxItems: 6000, description: "Each item one step down." });
layout("later", async (items) => {
  await new Promise(setImmediate);
  return { x: new Array(items.length).fill(3), y: 0, width: 1, height: 1, z: 2, alpha: 0.5 };
});
layout("busy", () => {
  throw new CallError("UNAVAILABLE", "the index is being built");
});
layout("broken", () => undefined.x);
layout("nothing", () => undefined);
layout("short", () => ({ x: [1], y: 0, width: 1, height: 1 }));
layout("nan", (items) => ({ x: items.index.map(() => NaN), y: [NaN, NaN], width: 1, height: 1 }));

suite("Providers in JavaScript", { timeout: 120_000 }, () => {
  let provider, caller;
  const reports = [];

  before(async () => {
    provider = await start({ report: (error) => reports.push(error) });
    caller = new ProviderCaller(`http://127.0.0.1:${provider.port}`);
  });

  after(async () => {
    caller.close();
    await provider.stop();
  });

  test("layouts are described", async () => {
    const { status, messages } = await caller.call("DescribeLayouts", [{}]);
    assert.equal(status, 0);
    assert.deepEqual(messages[0].layouts.find(({ name }) => name === "steps"), {
      name: "steps", description: "Each item one step down.", parametersSchema: '{"type":"object"}',
      scrollDirection: "vertical", maxItems: 6000,
    });
  });

  test("what the data says arrives as columns", async () => {
    const blocks = [
      [{ count: 2, widths: [5, 6], heights: [7], keys: ["a", "b"], cellKinds: [1] }, { count: 1, xs: [9] }], [],
      [{ count: 2, ys: [-1, -2], cellKinds: [0, 1] }],
    ];
    const [first, ...rest] = request("seen", [3, 0, 2], { blocks, parameters: { deep: [{ a: null }], __proto__: null } });
    first.start.cellKindNames = ["", "photo"];
    first.start.container.insets = { top: 1, leading: 2, bottom: 3, trailing: 4 };
    first.start.container.rightToLeft = true;
    assert.equal((await caller.call("PrepareLayout", [first, ...rest], { piece: 7 })).status, 0);
    const { items, container } = seen;
    assert.deepEqual([...items.section], [0, 0, 0, 2, 2]);
    assert.deepEqual([...items.index], [0, 1, 2, 0, 1]);
    assert.deepEqual([...items.width], [5, 6, NaN, NaN, NaN]);
    assert.deepEqual([...items.height], [7, 7, NaN, NaN, NaN]);
    assert.deepEqual([...items.x], [NaN, NaN, 9, NaN, NaN]);
    assert.deepEqual([...items.y], [NaN, NaN, NaN, -1, -2]);
    assert.deepEqual(items.kind, ["photo", "photo", "", "", "photo"]);
    assert.deepEqual(items.key, ["a", "b", "", "", ""]);
    assert.deepEqual(items.sectionKeys, ["section 0", "section 1", "section 2"]);
    assert.deepEqual(items.sectionCounts, [3, 0, 2]);
    assert.deepEqual({ ...container }, {
      width: 200, height: 100, top: 1, leading: 2, bottom: 3, trailing: 4, scale: 2, rightToLeft: true,
      parameters: { deep: [{ a: null }] },
    });
  });

  test("columns may be numbers, lists and promises of them", async () => {
    const { messages } = await caller.call("PrepareLayout", request("later", [2, 1]));
    const [{ elements }, { end }] = messages;
    assert.deepEqual([...elements.xs], [3, 3, 3]);
    assert.deepEqual([elements.zIndices, elements.alphas].map((column) => [...column]), [[2], [0.5]]);
    assert.deepEqual([...elements.sections], [0, 0, 1]);
    assert.deepEqual(end.contentSize, { width: 4, height: 1 });
    assert.equal(end.cookie.length, 16);
  });

  test("an answer without items has an end", async () => {
    const { messages } = await caller.call("PrepareLayout", request("steps", [0, 0]));
    assert.deepEqual(messages.map(({ end }) => [end.elementCount, end.contentSize]), [[0, { width: 0, height: 0 }]]);
  });

  for (const [name, code, text] of [
    ["busy", 14, /being built/], ["broken", 2, /the layout failed: TypeError/], ["nothing", 13, /returned nothing/],
    ["short", 13, /x has 1 values for 2 items/], ["nan", 13, /y of item 0 is NaN/], ["absent", 5, /no layout "absent"/],
  ]) {
    test(`the layout "${name}" ends with a status that says why`, async () => {
      const { status, text: found, messages } = await caller.call("PrepareLayout", request(name, [2]));
      assert.equal(status, code);
      assert.match(found, text);
      assert.equal(messages.length, 0);
    });
  }

  test("only errors that are none of the caller's are reported", () => {
    assert.deepEqual(reports.map(({ name }) => name), ["TypeError"]);
  });

  for (const [parameters, text] of [[{ step: -1 }, /0 or more is allowed/], [{ step: "ä\n%" }, /"ä\\n%" found; a number/]]) {
    test(`parameters ${JSON.stringify(parameters)} are refused`, async () => {
      const { status, text: found } = await caller.call("PrepareLayout", request("steps", [2], { parameters }));
      assert.equal(status, 3);
      assert.match(found, text);
    });
  }

  for (const [what, parts, text] of [
    ["nothing", [], /has to be its start/],
    ["items first", [{ items: { count: 1 } }], /has to be its start/],
    ["items before a section", [request("seen", [])[0], { items: { count: 1 } }], /before a section/],
    ["two starts", [request("seen", [])[0], request("seen", [])[0]], /second start/],
    ["an unknown part", [request("seen", [])[0], {}], /no part that is known/],
    ["a column of another length", request("seen", [3], { blocks: [[{ count: 3, xs: [1, 2] }]] }), /items.xs has 2 values/],
    ["a kind without a name", request("seen", [1], { blocks: [[{ count: 1, cellKinds: [1] }]] }), /cell_kinds\[0\] is 1/],
    ["more items than the layout places", request("steps", [7000]), /at most 6000/],
  ]) {
    test(`a request with ${what} is refused`, async () => {
      const { status, text: found } = await caller.call("PrepareLayout", parts);
      assert.equal(status, 3);
      assert.match(found, text);
    });
  }

  test("a change is answered with what it moved", async () => {
    const widths = Array.from({ length: 30 }, (_, index) => index);
    const old = request("again", [30], { blocks: [[{ count: 30, widths }]] });
    const { messages: first } = await caller.call("PrepareLayout", old);
    const [{ start: prepare }] = request("again", [21]);
    const cookie = first.at(-1).end.cookie;
    const parts = [
      { start: { prepare, cookie } }, { section: { header: { key: "section 0" }, was: 0 } },
      { kept: { section: 0, first: 0, count: 5 } }, { items: { count: 1, widths: [99] } },
      { kept: { section: 0, first: 15, count: 15 } },
    ];
    updates = [];
    const { status, messages } = await caller.call("UpdatePlacement", parts);
    assert.equal(status, 0);
    assert.deepEqual(updates, [{ count: 21, kept: 20, earlier: 30 }]);
    const [cells, others, removed, { end }] = [messages[0].elements, messages[1].elements, messages[2].removed, messages[3]];
    assert.deepEqual([[...cells.items], [...cells.widths]], [[5], [99]]);
    // The badge of item 0 stays, that of item 10 is gone with it, and that of item 20 went along to item 11.
    assert.deepEqual([...others.items], [10, 20]);
    assert.deepEqual([...removed.items], [11]);
    assert.equal(end.elementCount, 21 + 3 + 1);
    assert.deepEqual(end.kindNames, ["badge", "title 0"]);
    // One cookie may come several times.
    assert.equal((await caller.call("UpdatePlacement", parts)).status, 0);
    for (const [wrong, code, text] of [
      [{ kept: { section: 0, first: 28, count: 3 } }, 3, /of section 0; it had 30/],
      [{ kept: { section: 1, first: 0, count: 1 } }, 3, /of section 1; it had 0/],
      [{ kept: { section: 0, first: 0, count: 0 } }, 3, /0 of them/],
      [{ section: { header: {}, was: 1 } }, 3, /section.was is 1; there were 1/],
    ]) {
      const { status: found, text: problem } = await caller.call("UpdatePlacement", [...parts.slice(0, 2), wrong]);
      assert.equal(found, code);
      assert.match(problem, text);
    }
    const foreign = await caller.call("UpdatePlacement", [{ start: { prepare, cookie: new Uint8Array([1]) } }]);
    assert.equal(foreign.status, 9);
    const [{ start: other }] = request("packed", [1]);
    assert.equal((await caller.call("UpdatePlacement", [{ start: { prepare: other, cookie } }])).status, 9);
  });

  test("the answers that were used last are remembered", async () => {
    const few = await start({ keep: 2 });
    const other = new ProviderCaller(`http://127.0.0.1:${few.port}`);
    const prepare = async () => (await other.call("PrepareLayout", request("packed", [1]))).messages.at(-1).end.cookie;
    const [{ start: begin }] = request("packed", [0]);
    const isKnown = async (cookie) => (await other.call("UpdatePlacement", [{ start: { prepare: begin, cookie } }])).status;
    const [first, second] = [await prepare(), await prepare()];
    assert.equal(await isKnown(first), 0);
    // The update of the first one is remembered instead of the second one.
    assert.equal(await isKnown(second), 9);
    assert.equal(await isKnown(first), 0);
    other.close();
    await few.stop();
    const none = await start({ keep: 0 });
    const third = new ProviderCaller(`http://127.0.0.1:${none.port}`);
    const { messages } = await third.call("PrepareLayout", request("packed", [1]));
    assert.equal(messages.at(-1).end.cookie.length, 0);
    third.close();
    await none.stop();
  });

  test("the rules of the contract are kept", async () => {
    for (const name of ["packed", "again", "steps"]) {
      const { stdout } = await run(LAYOUTCTL, [
        "provider", "check", `127.0.0.1:${provider.port}`, "--layout", name, "--timeout", "60",
      ]).catch((error) => error);
      assert.match(stdout, /of 19 cases kept or not tried, 0 failed/, stdout);
      assert.match(stdout, new RegExp(`kept {7}${name} {2}a change leads to the same places`));
    }
  });
});

suite("Providers in JavaScript with a server", { timeout: 120_000 }, () => {
  let provider, server, transport, client, folder;

  before(async () => {
    provider = await start({ token: "secret" });
    folder = mkdtempSync(join(tmpdir(), "layout-provider-"));
    writeFileSync(join(folder, "token"), "secret\n");
    const address = `127.0.0.1:${provider.port}`;
    server = await LayoutServer.start({ options: [
      "--layout-provider", `steps=${address},packed=${address},nan=${address}`,
      "--layout-provider-token-file", join(folder, "token"),
    ] });
    transport = new GrpcTransport(server.address);
    client = new Client(transport);
  });

  after(async () => {
    client.close();
    transport.close();
    await server.stop();
    await provider.stop();
    rmSync(folder, { recursive: true });
  });

  const query = async (custom, source) => {
    const { elements } = await client.call("LayoutQueryService.QueryElements", {
      target: { ...source, layout: { custom }, viewport: { size: { width: 100, height: 100 } } },
      rect: { x: 0, y: 0, width: 2000, height: 3000 },
      pageSize: 20_000,
    });
    return elements.map((element) => JSON.stringify(element)).sort();
  };

  test("a viewer sees what a function places", async () => {
    await client.createCollection("rows", { sections: [{ blocks: [{ count: 5000 }] }] });
    const custom = { name: "steps", parameters: { step: 20 } };
    const viewer = client.view("rows", { layout: { custom }, size: { width: 100, height: 50 } });
    for await (const _ of viewer) if (viewer.elements.count > 0) break;
    assert.deepEqual(viewer.contentSize, { width: 100, height: 100_000 });
    viewer.close();
  });

  test("what a layout places wrongly is refused by name", async () => {
    await assert.rejects(query({ name: "nan" }, { inlineContents: { sections: [{ blocks: [{ count: 2 }] }] } }), /is NaN/);
  });

  test("changes lead to what is placed anew", async () => {
    const below = randomNumbers(5);
    const widths = [Array.from({ length: 40 }, (_, index) => index), [], Array.from({ length: 25 }, (_, index) => 100 + index)];
    const contents = () => ({
      sections: widths.map((each) => ({ blocks: each.length > 0 ? [{ count: each.length, widths: each }] : [] })),
    });
    await client.createCollection("edited", contents());
    const collection = { collection: "collections/edited" };
    await query({ name: "packed" }, collection);
    for (let step = 0; step < 20; step += 1) {
      const section = below(3), place = below(widths[section].length + 1);
      if (below(2) === 0 || widths[section].length === 0) {
        const added = [1000 + step, 2000 + step];
        await client.apply("edited", [{ insertItems: { at: { section, item: place }, blocks: [{ count: 2, widths: added }] } }]);
        widths[section].splice(place, 0, ...added);
      } else {
        const item = Math.min(place, widths[section].length - 1);
        await client.apply("edited", [{ deleteItems: { section, firstItem: item, itemCount: 1 } }]);
        widths[section].splice(item, 1);
      }
      assert.deepEqual(
        await query({ name: "packed" }, collection), await query({ name: "packed" }, { inlineContents: contents() }));
    }
  });
});
