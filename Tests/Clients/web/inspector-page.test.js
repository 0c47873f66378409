// SPDX-License-Identifier: Apache-2.0
// The inspector's page in Chromium, as the admin port of the real server serves it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe as suite, test } from "node:test";

import { Client } from "../../../Clients/web/collection-layout.js";
import { chromium } from "./browser.js";
import { Page } from "./devtools.js";
import { GrpcTransport } from "./grpc-transport.js";
import { LayoutServer } from "./server.js";

const STAGE = { x: 640, y: 400 };
const CONTROL = 2;

suite("The inspector in Chromium", { skip: !chromium && "Chromium is not installed", timeout: 300_000 }, () => {
  let server, transport, client, page, root;

  before(async () => {
    server = await LayoutServer.start({ options: ["--admin-port", "0"] });
    root = `http://${server.admin}`;
    transport = new GrpcTransport(server.address);
    client = new Client(transport);
    await client.createCollection("shared", {
      sections: [{ key: "a", blocks: [{ count: 500, keys: Array.from({ length: 500 }, (_, item) => `item ${item}`) }] }],
    }, { layout: { list: { rowHeight: 40 } }, displayName: "Shared <b>rows</b>" });
  });

  after(async () => {
    transport.close();
    await server.stop();
  });

  beforeEach(async () => {
    page = await Page.open();
  });

  afterEach(async () => {
    await page.close();
  });

  /** Opens a view, and waits until there are elements. */
  async function open(link = "") {
    await page.go(`${root}/inspector/${link ? `#${link}` : ""}`);
    // The page may be there already, with another view.
    const preset = JSON.stringify(new URLSearchParams(link).get("preset") ?? "flow");
    await page.until(`globalThis.inspector?.view.preset === ${preset} && inspector.viewer?.elements.count > 0 && inspector.stage.scene.count > 0`);
  }

  /** No errors, and nothing from elsewhere. */
  function checkQuiet() {
    assert.deepEqual(page.problems, []);
    const foreign = page.requests.filter((url) => !url.startsWith(`${root}/`) && !url.startsWith(`ws://${server.admin}/`) && !url.startsWith("data:"));
    assert.deepEqual(foreign, []);
  }

  const offset = () => page.value("inspector.stage.viewport.y");

  test("a visitor sees a moving layout of ten million items", async () => {
    await page.go(`${root}/`);
    await page.until("globalThis.inspector?.stage.contentSize.height > 50_000_000");
    await page.until("inspector.stage.isFlying && inspector.stage.viewport.y > 100");
    const first = await offset();
    await page.until(`inspector.stage.viewport.y > ${first} + 400`);
    const drawn = await page.value("inspector.stage.scene.count");
    assert.ok(drawn > 20 && drawn < 1000, `${drawn} elements are drawn`);
    // From the end of ten million, with what is there.
    await page.value("document.getElementById('stage').focus()");
    await page.key("End");
    await page.until("[...inspector.viewer.elements].some(({ section, item }) => section === 9999 && item === 999)");
    checkQuiet();
  });

  test("wheels, keys, touch and momentum scroll; a tap selects; keys move the selection", async () => {
    await open("show=sample:ten-million&preset=flow");
    await page.wheel(STAGE.x, STAGE.y, 0, 500);
    await page.until("inspector.stage.viewport.y === 500");
    await page.value("document.getElementById('stage').focus()");
    await page.key("PageDown");
    await page.until("inspector.stage.viewport.y > 900");
    await page.key("Home");
    await page.until("inspector.stage.viewport.y === 0");
    await page.mouse("mousePressed", STAGE.x, 600);
    for (let step = 1; step <= 12; step += 1) await page.mouse("mouseMoved", STAGE.x, 600 - step * 25);
    await page.mouse("mouseReleased", STAGE.x, 300);
    const released = await offset();
    assert.ok(released >= 280, `${released}`);
    await page.key("Home");
    await page.until("inspector.stage.viewport.y === 0");
    const at = await page.value(`(() => {
      const { x, y, width, height, left, top } = { ...inspector.viewer.elements.element(
        [...inspector.viewer.elements].find(({ item }) => item === 3).slot), ...document.getElementById("stage").getBoundingClientRect().toJSON(),
        ...(({ x, y, width, height }) => ({ x, y, width, height }))([...inspector.viewer.elements].find(({ item }) => item === 3)) };
      return [left + x + width / 2, top + y + height / 2];
    })()`);
    await page.mouse("mouseMoved", ...at, "none");
    await page.until("document.getElementById('attributes').textContent.includes('0 . 3')");
    await page.click(...at);
    await page.until("inspector.view.selected?.join() === '0,3'");
    await page.key("ArrowRight");
    await page.until("inspector.view.selected?.join() === '0,4'");
    await page.key("Escape");
    await page.until("inspector.stage.selected === -1");
    checkQuiet();
  });

  /** So many places from one to another. */
  const path = (from, to, steps = 12) => Array.from({ length: steps + 1 }, (_, step) => (
    [0, 1].map((axis) => from[axis] + ((to[axis] - from[axis]) * step) / steps)));

  test("a finger scrolls and selects, and two fingers zoom", async () => {
    await page.size(390, 844, 2, true);
    await page.touchable();
    await open("show=sample:ten-million&preset=flow");
    await page.fingers(path([195, 400], [195, 150]));
    await page.until("inspector.stage.viewport.y >= 230");
    await page.value("inspector.stage.stop()");
    assert.equal(await page.value("document.documentElement.scrollTop"), 0);
    const cell = await page.value(`(() => {
      const { y } = inspector.stage.viewport, box = document.getElementById("stage").getBoundingClientRect();
      const found = [...inspector.viewer.elements].find((each) => each.category === "cell" && each.y > y + 100);
      return [box.left + found.x + found.width / 2, box.top + found.y - y + found.height / 2];
    })()`);
    await page.fingers([cell]);
    await page.until("inspector.view.selected?.length === 2");
    const zoom = await page.value("inspector.stage.camera.zoom");
    await page.fingers(path([180, 300], [60, 300]), path([210, 300], [330, 300]));
    await page.until(`inspector.stage.camera.zoom > ${zoom} * 1.5`);
    checkQuiet();
  });

  test("a section that scrolls across follows wheels and fingers, and keeps within its content", async () => {
    await page.touchable();
    await open("show=sample:ten-million&preset=shelves");
    await page.until("inspector.viewer.sectionScrolls.length > 1");
    const middle = await page.value(`(() => {
      const { rect } = inspector.viewer.sectionScrolls[0], box = document.getElementById("stage").getBoundingClientRect();
      return [box.left + rect.x + rect.width / 2, box.top + rect.y - inspector.stage.viewport.y + rect.height / 2];
    })()`);
    const state = (field) => page.value(`inspector.viewer.sectionScrolls[0].${field}`);
    const section = await state("section"), most = await state("maxOffset");
    const offset = `inspector.viewer.sectionScrolls.find(({ section }) => section === ${section}).offset`;
    assert.ok(most > 500, `${most}`);
    // Beside its first item, where the pointer is on no element.
    const beside = [middle[0] - (await state("rect.width")) / 2 + 4, middle[1]];
    await page.mouse("mouseMoved", ...beside, "none");
    assert.equal(await page.value("inspector.stage.hovered"), -1);
    await page.wheel(...beside, 200, 0);
    await page.until(`${offset} > 0`);
    const y = await page.value("inspector.stage.viewport.y");
    await page.fingers(path(middle, [middle[0] - 300, middle[1]]));
    await page.until(`${offset} > 300`);
    assert.equal(await page.value("inspector.stage.viewport.y"), y);
    await page.mouse("mouseMoved", ...middle, "none");
    await page.wheel(...middle, 1e7, 0);
    await page.until(`${offset} === ${most}`);
    await page.wheel(...middle, -100, 0);
    await page.until(`${offset} < ${most}`);
    checkQuiet();
  });

  test("momentum carries on after the release", async () => {
    await open("show=sample:ten-million&preset=flow");
    await page.value("inspector.stage.release({ x: 0, y: 2000 })");
    await page.until("inspector.stage.viewport.y > 700");
    checkQuiet();
  });

  test("scrolling snaps as the layout says", async () => {
    await open("show=sample:cards&preset=cover-flow");
    await page.wheel(STAGE.x, STAGE.y, 300, 0);
    await page.until("inspector.stage.viewport.x === 220");
    checkQuiet();
  });

  test("every preset is shown", async () => {
    await open("show=sample:cards&preset=flow");
    const ids = await page.value("import('/inspector/presets.js').then(({ presets }) => presets.map(({ id }) => id))");
    for (const id of ids) {
      const source = id.startsWith("map") ? "places" : id === "outline" ? "outline" : "cards";
      await open(`show=sample:${source}&preset=${id}`);
      assert.equal(await page.value("document.querySelector('#form .alert').textContent"), "", id);
    }
    checkQuiet();
  });

  test("a form is made from the contract; what is wrong is said beside the field while one types", async () => {
    await open("show=sample:ten-million&preset=flow");
    const type = (label, text) => page.value(`(() => {
      const input = [...document.querySelectorAll("#form input, #form select")]
        .find((each) => (each.ariaLabel ?? each.labels?.[0]?.textContent ?? "").startsWith(${JSON.stringify(label)}));
      input.value = ${JSON.stringify(text)};
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await type("Item size, width", "150");
    await page.until("[...inspector.viewer.elements].some(({ width }) => width === 150)");
    assert.equal(await page.value("document.getElementById('preset').value"), "edited");
    await type("Minimum line spacing", "-1");
    await page.until("[...document.querySelectorAll('#form .note')].some(({ textContent }) => textContent.includes('at least 0'))");
    await type("Minimum line spacing", "20");
    await type("Item size, width", "1e300");
    await page.until("document.getElementById('layout-state').value === 'refused'");
    assert.ok(await page.value("document.querySelectorAll('#form [aria-invalid=true]').length") > 0);
    await type("Item size, width", "90");
    await page.until("document.getElementById('layout-state').value === 'applied'");
    assert.equal(await page.value("document.querySelectorAll('#form [aria-invalid=true]').length"), 0);
    checkQuiet();
  });

  test("edits are seen at once, with an animation, and frames can be stepped back through", async () => {
    await open("show=sample:photos&preset=flow");
    for (const id of ["insert", "move", "shuffle", "delete"]) {
      const before = await page.value("inspector.viewer.dataVersion");
      await page.value(`document.getElementById(${JSON.stringify(id)}).click()`);
      await page.until(`inspector.viewer.dataVersion > ${before}`);
      await page.until("!document.getElementById('edited').dataset.state && document.getElementById('edited').textContent");
    }
    assert.ok(await page.value("[...inspector.history.frames()].some(({ animated }) => animated)"));
    const newest = await page.value("inspector.history.length");
    await page.value("document.getElementById('back').click()");
    await page.until(`inspector.timeline.chosen === ${newest - 2}`);
    await page.value("document.getElementById('timeline').focus()");
    await page.key("Home");
    await page.until("inspector.timeline.chosen === 0 && inspector.stage.past.facts.dataVersion === 0");
    assert.ok(await page.value("inspector.stage.past.elements.count > 5"));
    await page.value("document.getElementById('now').click()");
    await page.until("inspector.stage.past === undefined");
    checkQuiet();
  });

  test("a collection is edited only by who agreed, and everybody sees it", async () => {
    await page.go(`${root}/inspector/#show=collection:shared`);
    await page.until("globalThis.inspector?.viewer?.elements.count > 0");
    await page.until("document.getElementById('source').textContent.includes('Shared <b>rows</b>')");
    assert.equal(await page.value("document.getElementById('insert').disabled"), true);
    await page.value("document.getElementById('agreed').click()");
    await page.value("document.getElementById('insert').click()");
    await page.until("inspector.viewer.dataVersion === 1");
    assert.equal((await client.getCollection("shared")).itemCount, 503);
    checkQuiet();
  });

  test("the strip shows how items are distributed, and leads anywhere", async () => {
    await open("show=sample:ten-million&preset=flow");
    await page.until("inspector.strip.map?.buckets.length > 0");
    const count = await page.value("inspector.strip.map.buckets.reduce((sum, { itemCount }) => sum + Number(itemCount), 0)");
    assert.equal(count, 10_000_000);
    await page.value("document.getElementById('strip').focus()");
    await page.key("End");
    await page.until("[...inspector.viewer.elements].some(({ section, item }) => section === 9999 && item === 999)");
    const label = await page.value("document.getElementById('strip-label').textContent");
    assert.match(label, /^100\.0 % · /);
    checkQuiet();
  });

  test("an outline expands and collapses at a tap", async () => {
    await open("show=sample:outline&preset=outline");
    const rows = await page.value("inspector.stage.contentSize.height");
    await page.value(`(() => {
      const { elements } = inspector.viewer;
      inspector.stage.select(elements.slots.find((slot) => elements.state[slot] === 1 && elements.y[slot] < 500));
      document.getElementById("stage").focus();
    })()`);
    await page.key("Enter");
    await page.until(`inspector.stage.contentSize.height > ${rows}`);
    checkQuiet();
  });

  test("zoom, three dimensions, overlays, right to left and sizes; a link shows the same again", async () => {
    await open("show=sample:ten-million&preset=waterfall");
    await page.wheel(STAGE.x, STAGE.y, 0, 300, CONTROL);
    await page.until("inspector.stage.camera.zoom < 0.5");
    for (const id of ["overlays", "spatial", "rtl"]) await page.value(`document.getElementById(${JSON.stringify(id)}).click()`);
    await page.until("inspector.viewer?.viewport.rightToLeft && inspector.viewer.elements.count > 0");
    await page.value(`(() => {
      const size = document.getElementById("size");
      size.value = "390x844";
      size.dispatchEvent(new Event("change"));
    })()`);
    await page.until("inspector.viewer.viewport.width === 390 && inspector.stage.contentSize.width === 390");
    await page.wheel(STAGE.x, STAGE.y, 0, 400);
    await page.until("inspector.stage.viewport.y > 300");
    const link = await page.until("location.hash.includes(`y=${Math.round(inspector.stage.viewport.y * 100) / 100}`) && location.hash");
    const y = await page.value("inspector.stage.viewport.y");
    for (const part of ["size=390x844", "mode=spatial", "rtl=1", "overlays=1"]) assert.ok(link.includes(part), part);
    const other = await Page.open();
    try {
      await other.go(`${root}/inspector/${link}`);
      await other.until("globalThis.inspector?.viewer?.elements.count > 0 && inspector.stage.scene.count > 0");
      const found = await other.value("[inspector.stage.viewport.y, inspector.stage.size.width, inspector.stage.camera.isSpatial, inspector.stage.showsOverlays, inspector.viewer.viewport.rightToLeft]");
      assert.ok(Math.abs(found[0] - y) < 1, `${found[0]} instead of ${y}`);
      assert.deepEqual(found.slice(1), [390, true, true, true]);
      assert.deepEqual(other.problems, []);
    } finally {
      await other.close();
    }
    checkQuiet();
  });

  test("narrow screens have one panel at a time, and nothing is wider than they are", async () => {
    await page.size(390, 844, 2, true);
    await open("show=sample:ten-million&preset=flow");
    assert.ok(await page.value("document.documentElement.scrollWidth") <= 390);
    for (const tab of ["element", "edit", "figures", "frames", "layout"]) {
      await page.value(`document.querySelector(".tabs [data-tab=${tab}]").click()`);
      const shown = await page.value(`[...document.querySelectorAll(".panel")].filter((each) => each.offsetParent).map((each) => each.className)`);
      assert.deepEqual(shown, [`panel ${tab}`]);
    }
    // The view, and beside it the strip that shows where one is.
    const [width, height, strip] = await page.value(
      "[inspector.stage.width, inspector.stage.height, document.getElementById('strip').offsetWidth]");
    assert.ok(width + strip === 390 && strip < 40 && height > 250, `${width} + ${strip}, ${height}`);
    checkQuiet();
  });

  test("dark and light follow the system, and the button", async () => {
    await page.prefers({ "prefers-color-scheme": "dark" });
    await open("show=sample:cards&preset=stack");
    const background = () => page.value("getComputedStyle(document.querySelector('header')).backgroundColor");
    assert.equal(await background(), "rgb(26, 31, 40)");
    await page.value("document.getElementById('theme').click()");
    assert.equal(await background(), "rgb(255, 255, 255)");
    checkQuiet();
  });

  test("everything can be reached by keys, and has a name", async () => {
    await open("show=sample:ten-million&preset=flow");
    const nameless = await page.value(`[...document.querySelectorAll("button, input, select, textarea, [tabindex]")].filter((each) => (
      !(each.ariaLabel || each.getAttribute("aria-label") || each.title || each.textContent.trim() || each.labels?.length))).map((each) => each.outerHTML)`);
    assert.deepEqual(nameless, []);
    await page.value("document.getElementById('source').focus()");
    const reached = new Set();
    for (let count = 0; count < 120; count += 1) {
      await page.call("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 });
      await page.call("Input.dispatchKeyEvent", { type: "keyUp", key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 });
      reached.add(await page.value("document.activeElement.id"));
    }
    for (const id of ["preset", "fly", "theme", "stage", "insert", "timeline", "now"]) assert.ok(reached.has(id), id);
    checkQuiet();
  });

  test("figures of the server come from its metrics", async () => {
    await open("show=sample:ten-million&preset=flow");
    await page.until("document.getElementById('figures').textContent.includes('Viewers')");
    const text = await page.until(`(() => {
      const rows = [...document.querySelectorAll("#figures tr")].map((row) => row.textContent);
      return !rows.some((row) => row.endsWith("–") && !row.startsWith("Found in the cache")) && rows.join("\\n");
    })()`);
    assert.match(text, /Viewers[1-9]/);
    assert.match(text, /Process\d/);
    checkQuiet();
  });

  test("a server with identities asks for a token, and shows what it may see", async () => {
    const folder = mkdtempSync(join(tmpdir(), "layout-inspector-")), token = "a-token-of-this-test";
    const digest = createHash("sha256").update(token).digest("hex");
    writeFileSync(join(folder, "tokens"), `viewer ${digest}\n`);
    writeFileSync(join(folder, "policy.json"), JSON.stringify({
      rules: [{ identities: ["token:viewer"], role: "view", collections: ["*"] }],
    }));
    const guarded = await LayoutServer.start({
      options: ["--admin-port", "0", "--auth-tokens", join(folder, "tokens"), "--auth-policy", join(folder, "policy.json")],
    });
    try {
      await page.go(`http://${guarded.admin}/inspector/#show=sample:ten-million&preset=flow`);
      await page.until("document.querySelector('#banner input[type=password]')");
      assert.equal(await page.value("inspector.viewer?.elements.count ?? 0"), 0);
      await page.value(`(() => {
        document.querySelector("#banner input").value = ${JSON.stringify(token)};
        document.querySelector("#banner form button").click();
      })()`);
      await page.until("inspector.viewer?.elements.count > 0");
      assert.ok(!(await page.value("location.href")).includes(token));
      assert.deepEqual(page.problems, []);
    } finally {
      await guarded.stop();
      rmSync(folder, { recursive: true });
    }
  });

  test("pages of other sites can neither load nor connect", async () => {
    const answer = await fetch(`${root}/inspector/`);
    const policy = answer.headers.get("content-security-policy");
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    await page.go(`http://localhost:${server.admin.split(":")[1]}/version`);
    const closed = await page.value(`new Promise((resolve) => {
      const socket = new WebSocket("ws://${server.admin}/v1/LayoutSessionService/StreamLayout", "collection-layout.v1");
      socket.onopen = () => resolve("open");
      socket.onclose = () => resolve("closed");
    })`);
    assert.equal(closed, "closed");
  });
});
