// SPDX-License-Identifier: Apache-2.0
// What the inspector works out, without a page.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe as suite, test } from "node:test";

import { Camera, projected } from "../../../Clients/inspector/camera.js";
import { deletion, insertion, movement, shuffle } from "../../../Clients/inspector/editing.js";
import { enumerations, messages } from "../../../Clients/inspector/fields.js";
import { bytesText, quantile, rate, readMetrics, sumOf } from "../../../Clients/inspector/figures.js";
import { fieldsOfSchema, kinds, parse, pathOf, replacing, valueAt } from "../../../Clients/inspector/form-model.js";
import { History } from "../../../Clients/inspector/history.js";
import { MeteredTransport } from "../../../Clients/inspector/meter.js";
import { Approach, Flight, Momentum, projection, VelocityMeter } from "../../../Clients/inspector/motion.js";
import { kindOf, layoutOfKind, presets } from "../../../Clients/inspector/presets.js";
import { sampleNamed, samples } from "../../../Clients/inspector/samples.js";
import { Scene } from "../../../Clients/inspector/scene.js";
import { paletteOf, rgbOf } from "../../../Clients/inspector/theme.js";
import { Before, Transition } from "../../../Clients/inspector/transitions.js";
import { initialView, linkOf, viewOf } from "../../../Clients/inspector/view-link.js";
import { Effects, Placement } from "../../../Clients/web/src/effects.js";
import * as contract from "../../../Clients/web/src/messages.js";
import { Elements } from "../../../Clients/web/src/table.js";
import { encode } from "../../../Clients/web/src/wire.js";
import { randomNumbers } from "./random.js";

const near = (value, expected, tolerance = 1e-6) => (
  assert.ok(Math.abs(value - expected) <= tolerance, `${value} instead of ${expected}`));

/** Puts a cell into a table. */
function put(elements, slot, { x = 0, y = 0, width = 10, height = 10, z = 0, item = slot, transform } = {}) {
  elements.put({
    slot, itemKey: "", key: { category: "cell", kind: "", indexPath: { section: 0, item } },
    attributes: { frame: { x, y, width, height }, zIndex: z, hidden: false, transform: transform && { values: transform } },
  });
}

suite("Forms from JSON schemas", () => {
  test("a property is a control of its type, with its range and words", () => {
    const fields = fieldsOfSchema({
      type: "object",
      properties: {
        size: { type: "number", title: "Size", description: "in points", minimum: 1, maximum: 100, default: 20 },
        turns: { type: "integer" }, "arm": { enum: ["left", "right"] }, is_open: { type: "boolean" },
        more: { type: "object" }, list: { type: "array" }, broken: null, "": { type: "number" },
      },
    });
    assert.deepEqual(fields.map(({ name, kind }) => `${name} ${kind}`), [
      "size number", "turns integer", "arm choice", "is_open flag", "more json",
    ]);
    assert.equal(fields[0].help, "Size: in points");
    assert.equal(fields[0].absent, "20");
    assert.deepEqual(fields[2].words.map(({ word }) => word), ["left", "right"]);
    assert.deepEqual(parse(fields[0], "12.5"), { value: 12.5 });
    assert.equal(parse(fields[0], "0").problem, "1 to 100 is allowed");
    assert.equal(parse(fields[1], "1.5").problem, "a whole number is needed");
    assert.deepEqual(parse(fields[1], "-3"), { value: -3 });
  });

  test("what is no schema of an object has no fields", () => {
    for (const schema of [undefined, null, 3, [], { properties: 3 }, { type: "array" }]) {
      assert.deepEqual(fieldsOfSchema(schema), []);
    }
  });
});

suite("The inspector's files", () => {
  const clients = new URL("../../../Clients/", import.meta.url);
  const read = (path) => readFileSync(new URL(path, clients), "utf8");

  test("all that the page loads is part of the server, and nothing else", () => {
    const embedded = [...readFileSync(new URL("../Sources/InspectorFiles/InspectorFiles.c", clients), "utf8")
      .matchAll(/\{"\/([\w./-]+)", \w+, sizeof \w+\}/g)].map(([, path]) => path);
    const wanted = new Set(readdirSync(new URL("inspector/", clients)).map((name) => `inspector/${name}`));
    const visit = (path) => {
      wanted.add(path);
      for (const [, name] of read(path).matchAll(/from "(\.[^"]+)"/g)) {
        const found = new URL(name, new URL(path, "file:///")).pathname.slice(1);
        if (!wanted.has(found) || (found.startsWith("inspector/") && !visited.has(found))) {
          visited.add(found);
          visit(found);
        }
      }
    };
    const visited = new Set();
    visit("inspector/main.js");
    assert.deepEqual(embedded.toSorted(), [...wanted].sort());
  });

  test("the page has no scripts or styles of its own text, and loads nothing from elsewhere", () => {
    const page = read("inspector/index.html");
    assert.ok(!/<script(?![^>]*src=)|<style|\son\w+=|\sstyle=|https?:/.test(page));
    assert.ok(!/url\(|@import/.test(read("inspector/inspector.css")));
  });
});

suite("Samples and presets", () => {
  test("all samples are contents that a request can hold", () => {
    for (const { id, contents } of samples) {
      const bytes = encode(contract.CollectionContents, contents());
      assert.ok(bytes.length < 3 << 20, `${id} has ${bytes.length} bytes`);
    }
  });

  test("ten million items are counted, and not listed", () => {
    const { sections } = sampleNamed("ten-million").contents();
    assert.equal(sections.reduce((sum, { blocks }) => sum + blocks[0].count, 0), 10_000_000);
  });

  test("each sample begins with a preset that exists", () => {
    for (const { preset } of samples) assert.ok(presets.some(({ id }) => id === preset), preset);
  });

  test("there is a preset of every kind of layout that the contract has, and each can be sent", () => {
    const there = new Set(presets.map(({ layout }) => kindOf(layout)));
    assert.deepEqual([...there].sort(), kinds.map(({ name }) => name).filter((name) => name !== "custom").sort());
    for (const { layout } of presets) encode(contract.LayoutSpec, layout);
    assert.deepEqual(layoutOfKind("custom"), { custom: {} });
  });
});

suite("Links", () => {
  test("a link shows the same view again", () => {
    const views = [
      { ...initialView, x: 0, y: 123_456.75 },
      { ...initialView, source: "collection:art", preset: "named/collections/art/layouts/wide", rightToLeft: true, zoom: 0.5 },
      {
        ...initialView, source: "sample:cards", preset: undefined, layout: { flow: { itemSize: { width: 3, height: 4 } } },
        mode: "spatial", theme: "dark", selected: [3, 77], size: { width: 390, height: 844 }, overlays: true, labels: "slots",
      },
    ];
    for (const view of views) assert.deepEqual(viewOf(`#${linkOf(view)}`), view);
  });

  test("what cannot be read is as initially", () => {
    const view = viewOf("#show=nothing:x&layout=%7B&x=NaN&zoom=1e9&size=0x5&item=a.b&theme=pink&mode=&labels=0&rtl=yes&y=1e400");
    assert.deepEqual(view, initialView);
    assert.deepEqual(viewOf("layout=[]"), initialView);
  });
});

suite("Forms", () => {
  test("every message and enumeration that a field names is there, with help", () => {
    for (const [name, { fields }] of Object.entries(messages)) {
      assert.ok(contract[name], `${name} is in the contract`);
      for (const { type, kind, help, name: field } of fields) {
        if (kind === "message") assert.ok(messages[type], `${name}.${field}`);
        if (kind === "choice") assert.ok(enumerations[type].length > 0, `${name}.${field}`);
        assert.ok(help.length > 0 || ["Size", "Point", "EdgeInsets", "Rect"].includes(name), `${name}.${field} has no help`);
      }
    }
  });

  test("ranges, units and defaults come from the comments of the contract", () => {
    const field = (message, name) => messages[message].fields.find((each) => each.name === name);
    const { unit, absent, min } = field("FlowLayout", "minimumLineSpacing");
    assert.deepEqual([unit, absent, min], ["pt", "10", 0]);
    assert.deepEqual([field("SpatialLayout", "zoom").min, field("SpatialLayout", "zoom").max], [-8, 40]);
    assert.deepEqual([field("WaterfallLayout", "columnCount").min, field("WaterfallLayout", "columnCount").max], [1, 1024]);
    assert.equal(field("CircleLayout", "radiusDivisor").min, 0.001);
    assert.equal(field("TableColumn", "share").above, 0);
  });

  test("numbers are checked as one types them", () => {
    const number = { kind: "number", min: 0 }, natural = { kind: "natural", min: 1, max: 1024 };
    assert.deepEqual(parse(number, " 2.5 "), { value: 2.5 });
    assert.deepEqual(parse(number, ""), { value: undefined });
    for (const text of ["x", "1e999", "-1", "1,5"]) assert.ok(parse(number, text).problem, text);
    for (const text of ["0", "1025", "1.5"]) assert.ok(parse(natural, text).problem, text);
    assert.ok(parse({ kind: "number", above: 0 }, "0").problem);
    assert.ok(parse({ kind: "natural" }, "-1").problem);
    assert.deepEqual(parse({ kind: "json" }, "{\"a\": 1}"), { value: { a: 1 } });
    for (const text of ["[1]", "{", "null"]) assert.ok(parse({ kind: "json" }, text).problem, text);
  });

  test("a field is replaced in a copy", () => {
    const layout = { flow: { itemSize: { width: 3 } } };
    const changed = replacing(layout, ["flow", "itemSize", "height"], 4);
    assert.deepEqual(changed, { flow: { itemSize: { width: 3, height: 4 } } });
    assert.deepEqual(layout, { flow: { itemSize: { width: 3 } } });
    assert.deepEqual(replacing(layout, ["flow", "itemSize"], undefined), { flow: {} });
    assert.deepEqual(replacing({}, ["compositional", "sections", 0, "name"], "a"), { compositional: { sections: [{ name: "a" }] } });
    assert.deepEqual(replacing({ scrollEffects: [1, 2] }, ["scrollEffects", 0], undefined), { scrollEffects: [2] });
    assert.equal(valueAt(layout, ["flow", "itemSize", "width"]), 3);
    assert.equal(valueAt(layout, ["list", "rowHeight"]), undefined);
  });

  test("the server's paths lead to the form's fields", () => {
    assert.deepEqual(pathOf("layout.layout.flow.item_size.width"), ["flow", "itemSize", "width"]);
    assert.deepEqual(pathOf("layout.compositional.sections[2].group"), ["compositional", "sections", 2, "group"]);
    assert.deepEqual(pathOf("elsewhere"), []);
  });
});

suite("Motion", () => {
  test("momentum ends where it is said to end, however long its steps are", () => {
    for (const [velocity, step] of [[3000, 16], [-800, 7], [12_000, 60]]) {
      const momentum = new Momentum({ x: 0, y: velocity }, 0);
      let y = 0;
      for (let time = step; !momentum.isOver; time += step) y += momentum.step(time).y;
      near(y, projection(velocity), Math.abs(velocity) / 500 + 8);
    }
  });

  test("the velocity is that of the last movements", () => {
    const meter = new VelocityMeter();
    for (let time = 0; time <= 200; time += 10) meter.add(time, time < 100 ? 0 : time - 100, -2 * time);
    near(meter.velocity(200).x, 1000, 1);
    near(meter.velocity(200).y, -2000, 1);
    assert.deepEqual(meter.velocity(1000), { x: 0, y: 0 });
  });

  test("an approach ends at its end, also if the content moves", () => {
    const approach = new Approach({ x: 0, y: 0 }, { x: 0, y: 100 }, 0, 200);
    approach.shift(0, 50);
    assert.deepEqual(approach.at(500), { x: 0, y: 150 });
    assert.ok(approach.isOver);
  });

  test("a flight turns at the ends, and does not move what has no room", () => {
    const flight = new Flight(0);
    let y = 0, turns = 0, before = 0;
    for (let time = 16; time < 20_000; time += 16) {
      y = Math.min(Math.max(y + flight.step(time, { ahead: 2000 - y, behind: y }), 0), 2000);
      if (flight.direction !== before) turns += 1;
      before = flight.direction;
    }
    assert.ok(turns > 4, `${turns} turns`);
    assert.equal(new Flight(0).step(16, { ahead: 0, behind: 0 }), 0);
  });
});

suite("The camera", () => {
  const stage = { width: 800, height: 600 };

  test("flat, points of the viewport are pixels of the stage", () => {
    const point = projected(new Camera().matrix(stage, { ...stage }), 12, 34, 0);
    near(point.x, 12);
    near(point.y, 34);
  });

  test("the point under the pointer stays there while the zoom changes", () => {
    const camera = new Camera(), before = projected(camera.matrix(stage, stage), 200, 500, 0);
    camera.zoomAt(3, before.x, before.y, stage);
    const after = projected(camera.matrix(stage, stage), 200, 500, 0);
    near(after.x, before.x, 1e-9);
    near(after.y, before.y, 1e-9);
  });

  test("from the side, what has a higher z-index lies elsewhere, and the middle stays in the middle", () => {
    const camera = new Camera();
    camera.isSpatial = true;
    const matrix = camera.matrix(stage, stage), low = projected(matrix, 400, 300, 0), high = projected(matrix, 400, 300, 240);
    near(low.x, 400);
    near(low.y, 300);
    assert.ok(Math.hypot(high.x - low.x, high.y - low.y) > 50);
  });
});

suite("Scenes", () => {
  const viewport = { x: 0, y: 1000, width: 400, height: 300 }, colors = paletteOf(false), effects = new Effects();

  test("boxes lie relative to the viewport, the nearest last", () => {
    const elements = new Elements(), scene = new Scene();
    put(elements, 0, { x: 10, y: 1020, z: 5 });
    put(elements, 1, { x: 30, y: 1040 });
    scene.build({ elements, effects, viewport, colors, stamp: 1 });
    assert.deepEqual([...scene.slots.subarray(0, 2)], [1, 0]);
    assert.deepEqual([...scene.boxes.subarray(0, 4)], [35, 45, 10, 10]);
    assert.equal(scene.hasMatrices, false);
  });

  test("the nearest element at a point is found, turned ones too", () => {
    const elements = new Elements(), scene = new Scene(), stage = { width: 400, height: 300 };
    put(elements, 0, { x: 0, y: 1000, width: 400, height: 300 });
    put(elements, 1, { x: 100, y: 1100, width: 100, height: 10, z: 1, transform: [0, 1, -1, 0, 0, 0] });
    scene.build({ elements, effects, viewport, colors, stamp: 1 });
    const matrix = new Camera().matrix(stage, viewport);
    const at = (x, y) => scene.slots[scene.find(matrix, 0, x, y)];
    assert.equal(at(150, 60), 1);
    assert.equal(at(110, 105), 0);
    assert.equal(scene.find(matrix, 0, -5, 10), -1);
  });

  test("effects and transforms make the same matrix as the browser client's", () => {
    const message = {
      scrollAxis: "vertical",
      effects: [{
        category: "cell", kinds: [], axis: "unspecified", progress: "interactive",
        leading: { values: { scale: 0.5, rotation: 1, translation: { x: 7, y: -3 } } },
      }],
    };
    const effected = new Effects(message), elements = new Elements(), scene = new Scene();
    put(elements, 0, { x: 50, y: 995, width: 40, height: 20, transform: [0.8, 0.2, -0.3, 1.1, 5, 6] });
    scene.build({ elements, effects: effected, viewport, colors, stamp: 1 });
    const placement = effected.place(elements, 0, viewport, new Placement()), [a, b, c, d, tx, ty] = placement.matrix();
    const m = scene.matrices;
    for (const [found, expected] of [[m[0], a], [m[1], b], [m[4], c], [m[5], d], [m[12], tx], [m[13], ty]]) near(found, expected, 1e-5);
  });

  test("colours are within their range", () => {
    for (const isDark of [true, false]) assert.ok(paletteOf(isDark).every((value) => value >= 0 && value <= 1));
    assert.deepEqual(rgbOf(0, 1, 0.5).map((value) => Math.round(value)), [1, 0, 0]);
  });
});

suite("The history", () => {
  /** What a table holds, as text. */
  const contents = (elements) => [...elements].sort((a, b) => a.slot - b.slot)
    .map(({ slot, item, x, width, z, key }) => `${slot}:${item}@${x}+${width}z${z}${key}`).join(" ");

  test("the elements after each kept frame can be had again", () => {
    const below = randomNumbers(5), elements = new Elements(), history = new History(120), texts = [];
    for (let seq = 1; seq <= 500; seq += 1) {
      const changed = new Set(), removed = new Set(), keyframe = seq === 1 || below(90) === 0;
      if (keyframe) elements.clear();
      for (let count = below(8); count > 0; count -= 1) {
        const slot = below(40);
        if (elements.has(slot) && below(3) === 0) {
          elements.remove(slot);
          removed.add(slot);
          changed.delete(slot);
        } else {
          put(elements, slot, { x: below(1000), width: below(50), z: below(3), item: below(1000) });
          changed.add(slot);
          removed.delete(slot);
        }
      }
      history.record(elements, { changed: [...changed], removed: [...removed], keyframe }, { seq });
      texts.push(contents(elements));
    }
    assert.equal(history.length, 120);
    for (let index = 0; index < history.length; index += 1) {
      const { seq } = history.frame(index);
      assert.equal(contents(history.elements(index)), texts[seq - 1], `frame ${seq}`);
    }
  });

  test("it keeps a thousand frames, and fewer if they are large", () => {
    const elements = new Elements(), history = new History(), small = new History(1000, 20_000);
    put(elements, 0);
    for (let seq = 1; seq <= 1500; seq += 1) {
      for (const each of [history, small]) each.record(elements, { changed: [0], removed: [], keyframe: false }, { seq });
    }
    assert.equal(history.length, 1000);
    assert.equal(history.frame(0).seq, 501);
    assert.ok(small.length < 300 && small.byteCount <= 20_000);
    history.clear();
    assert.equal(history.elements(0), undefined);
  });
});

suite("Transitions", () => {
  test("elements come, go and slide from where they were", () => {
    const elements = new Elements();
    put(elements, 0, { x: 0 });
    put(elements, 1, { x: 50 });
    const before = new Before(elements), placement = new Placement();
    elements.remove(1);
    put(elements, 0, { x: 100 });
    put(elements, 2, { x: 200 });
    const initial = { slot: 2, attributes: { frame: { x: 0, y: 0, width: 10, height: 10 }, alpha: 0 } };
    const frame = {
      transition: { animated: true, appearing: [initial], disappearing: [] }, changed: [0, 2], removed: [1],
      adjustment: { x: 0, y: 20 },
    };
    const transition = new Transition(frame, before, 0, 100);
    const at = (time, slot) => {
      transition.advance(time);
      new Effects().place(elements, slot, { x: 0, y: 0, width: 1, height: 1 }, placement);
      transition.apply(slot, placement);
      return [placement.x, placement.y, placement.alpha];
    };
    assert.deepEqual(at(0, 0), [0, 20, 1]);
    assert.deepEqual(at(100, 0), [100, 0, 1]);
    assert.deepEqual(at(0, 2), [0, 0, 0]);
    assert.deepEqual(at(100, 2), [200, 0, 1]);
    assert.ok(transition.isOver);
    const [ghost] = transition.ghosts;
    transition.advance(0);
    assert.deepEqual([transition.placeGhost(ghost, placement).x, placement.y, placement.alpha], [50, 20, 1]);
    transition.advance(100);
    assert.equal(transition.placeGhost(ghost, placement).alpha, 0);
    // A frame that comes meanwhile moves the content, and has one of them where it says.
    transition.follow({ changed: [0], adjustment: { x: 0, y: -5 } });
    assert.deepEqual(at(0, 0), [100, 0, 1]);
    assert.deepEqual(at(0, 2), [0, -5, 0]);
  });
});

suite("Edits", () => {
  const plain = { isOutline: false, hasKeys: false, hasSizes: false, hasPlaces: false };

  test("all edits can be sent", () => {
    const outline = { ...plain, isOutline: true, hasKeys: true }, place = { section: 1, item: 2, key: "a" };
    const batches = [
      insertion(place, 3, plain), insertion(place, 2, { ...plain, hasSizes: true, hasKeys: true }),
      insertion(place, 1, { ...plain, hasPlaces: true, place: { x: 1, y: 2 } }), insertion(place, 1, outline),
      deletion(place, 4, plain), deletion(place, 1, outline), movement(place, { section: 1, item: 9, key: "b" }, plain),
      movement(place, { section: 1, item: 9, key: "b" }, outline),
    ];
    for (const batch of batches) encode(contract.UpdateBatch, batch);
    assert.equal(batches[1].operations.operations[0].insertItems.blocks[0].keys.length, 2);
  });

  test("a shuffle moves each item to the place of another one, and leaves out those that stay", () => {
    const items = Array.from({ length: 30 }, (_, item) => ({ section: 2, item: item + 5 }));
    const { operations } = shuffle(items).operations, moves = operations.map(({ moveItem }) => moveItem);
    assert.ok(moves.length > 10 && moves.every(({ from, to }) => from.item !== to.item && to.section === 2));
    const sorted = (values) => values.map(({ item }) => item).sort((a, b) => a - b);
    assert.deepEqual(sorted(moves.map(({ from }) => from)), sorted(moves.map(({ to }) => to)));
  });
});

suite("Figures", () => {
  test("Prometheus' text is read, with labels", () => {
    const samples = readMetrics("# HELP a b\na_total{x=\"1\",y=\"q\\\"r\"} 3\na_total{x=\"2\"} 4\nb 5.5\n\n");
    assert.equal(sumOf(samples, "a_total"), 7);
    assert.equal(sumOf(samples, "a_total", { x: "2" }), 4);
    assert.equal(sumOf(samples, "b"), 5.5);
    assert.equal(sumOf(samples, "c"), undefined);
  });

  test("rates, quantiles and bytes", () => {
    assert.equal(rate(10, 30, 2), 10);
    assert.equal(rate(30, 10, 2), 5);
    assert.equal(rate(undefined, 10, 2), undefined);
    assert.equal(quantile([3, 1, 2], 0.5), 2);
    assert.equal(quantile([], 0.5), undefined);
    assert.deepEqual([bytesText(512), bytesText(1536), bytesText(300 << 20)], ["512 B", "1.5 KiB", "300 MiB"]);
  });

  test("a frame's latency is that of the newest event that it shows", () => {
    let time = 0, receive;
    const inner = {
      open: (method, { message }) => {
        receive = message;
        return { send: () => {}, end: () => {}, cancel: () => {} };
      },
    };
    const meter = new MeteredTransport(inner, () => time);
    const stream = meter.open("LayoutSessionService/StreamLayout", { message: () => {}, end: () => {} });
    for (const [at, event] of [[0, 1], [10, 2], [20, 300], [30, 301]]) {
      time = at;
      stream.send(encode(contract.StreamLayoutRequest, { eventSeq: event, resync: {} }));
    }
    time = 50;
    receive(new Uint8Array(100));
    assert.deepEqual(meter.takeFrame(300), { bytes: 100, latency: 30 });
    assert.deepEqual(meter.takeFrame(300), { bytes: 0, latency: undefined });
    assert.equal(meter.received, 100);
  });
});
