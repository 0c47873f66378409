// SPDX-License-Identifier: Apache-2.0
// The mirror: checksums, frames in parts, and frames that do not fit.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe as suite, test } from "node:test";

import {
  decode, DecodeError, encode, FrameError, messages, Mirror,
} from "../../../Clients/web/collection-layout.js";
import { Changes } from "../../../Clients/web/src/changes.js";
import { edge, Hasher, kindHash } from "../../../Clients/web/src/checksum.js";
import { randomNumbers } from "./random.js";

const { hashes } = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url)));
const CORPUS = new URL("../../Fuzzing/Corpus/frames/", import.meta.url);

/** An element as a message, of which only what matters is given. */
function element(slot, {
  frame = [0, slot * 10, 50, 10], section = 0, item = slot, category = "cell", kind = "", ...rest
} = {}) {
  const [x, y, width, height] = frame, indexPath = item === null ? { section } : { section, item };
  return { slot, key: { category, kind, indexPath }, attributes: { frame: { x, y, width, height }, ...rest } };
}

/** A frame as the server would encode it. */
function frame(fields) {
  return decode(messages.LayoutFrame, encode(messages.LayoutFrame, fields));
}

suite("The mirror", { timeout: 60_000 }, () => {
  test("checksums are those of the protocol's guide", () => {
    const mirror = new Mirror(64);
    mirror.apply(frame({
      frameSeq: 1, liveCount: 3, stateChecksum: 0x0c58ca79,
      elements: {
        upserts: [
          element(0, { frame: [0, 0, 390, 44] }),
          element(1, {
            category: "supplementary", kind: "header", section: 3, item: null, frame: [0, 520.5, 390, 32], zIndex: 10,
          }),
          element(2, { kind: "photo", section: 1, item: 41, frame: [1 / 3, 0, 1 / 3, 1], zIndex: -1, alpha: 0.5 }),
        ],
      },
    }));
    assert.equal(mirror.checksum, 0x0c58ca79);
  });

  test("checksums of extreme numbers are those of the Python package", () => {
    const hasher = new Hasher();
    for (const [each, expected] of hashes) {
      const { units, x, y, width, height } = each;
      const found = hasher.hash(
        each.category, kindHash(each.kind), each.section, each.item, edge(x, units), edge(y, units),
        edge(x + width, units), edge(y + height, units), each.z, each.alpha, each.hidden);
      assert.equal(found, expected, JSON.stringify(each));
    }
  });

  test("numbers that are not finite are refused", () => {
    const spoil = {
      "slot 0 has the alpha Infinity": ({ attributes }) => {
        attributes.alpha = Infinity;
      },
      "slot 0 has the alpha NaN": ({ attributes }) => {
        attributes.alpha = NaN;
      },
      "slot 0 has the width NaN": ({ attributes }) => {
        attributes.frame.width = NaN;
      },
      "content_size is not finite": (_, part) => {
        part.contentSize = { width: Infinity, height: 1 };
      },
    };
    for (const [problem, change] of Object.entries(spoil)) {
      // Clients do not encode such numbers.
      const part = frame({ frameSeq: 1, liveCount: 1, elements: { upserts: [element(0)] } });
      change(part.elements.upserts[0], part);
      assert.throws(() => new Mirror().apply(part), { name: "FrameError", message: new RegExp(problem) });
    }
  });

  test("absurd numbers are bounded, and no units are 64", () => {
    const mirror = new Mirror(0), far = [1e300, 1e300, 0, 0], hasher = new Hasher();
    mirror.apply(frame({
      frameSeq: 1, liveCount: 1,
      elements: { upserts: [element(0, { alpha: 1e300, frame: [1.7e308, 1.7e308, 1.7e308, 1.7e308] })] },
    }));
    const edges = far.map((each) => edge(each, 64)), [left, top] = edges;
    assert.equal(mirror.checksum, hasher.hash(1, kindHash(""), 0, 1, left, top, left, top, 0, 1e30, 0));
    mirror.apply(frame({
      frameSeq: 2, liveCount: 1,
      packed: { upsertCount: 1, categories: [1], kindNames: [""], xs: [128], alphas: [0xffffffff] },
    }));
    const [{ x, alpha }] = mirror.elements;
    assert.deepEqual([x, alpha], [2, 1]);
  });

  test("packed and plain elements have the same checksum, also after index shifts", () => {
    const random = randomNumbers(3);
    for (const units of [64, 192]) {
      for (let round = 0; round < 100; round += 1) {
        const count = 1 + random(50), packed = new Mirror(units), plain = new Mirror(units);
        const column = (bound) => Array.from({ length: count }, () => random(bound) - (bound >> 1));
        const xs = column(1 << 20), ys = column(1 << 20), sections = [7];
        const sum = (values, index) => values.slice(0, index + 1).reduce((total, each) => total + each, 0);
        const slotRuns = [0, 1, ...(count > 1 ? [1, count - 1] : [])];
        packed.apply(frame({
          frameSeq: 1, liveCount: count,
          packed: {
            upsertCount: count, slotRuns, itemRuns: [1, count], categories: [1], kindNames: ["a"], sections, xs, ys,
            originX: 1 << 30, widths: [640], heights: [320],
          },
        }));
        const upserts = xs.map((_, index) => element(index, {
          kind: "a", section: 7,
          frame: [((1 << 30) + sum(xs, index)) / units, sum(ys, index) / units, 640 / units, 320 / units],
        }));
        plain.apply(frame({ frameSeq: 1, liveCount: count, elements: { upserts } }));
        assert.equal(packed.checksum, plain.checksum);
        const change = packed.apply(frame({
          frameSeq: 2, baseFrameSeq: 1, liveCount: count, packed: { indexShiftRuns: [0, count, -2, 5] },
        }));
        assert.equal(change.changes.changed.length, count);
        const shifted = upserts.map((each) => ({
          ...each, key: { ...each.key, indexPath: { section: 5, item: each.slot + 5 } },
        }));
        plain.apply(frame({ frameSeq: 2, baseFrameSeq: 1, liveCount: count, elements: { upserts: shifted } }));
        assert.equal(packed.checksum, plain.checksum);
      }
    }
  });

  test("a frame in parts is applied with its last part", () => {
    const mirror = new Mirror();
    const parts = [[0, 1], [2]].map((slots, index) => frame({
      frameSeq: 4, liveCount: 3, continued: index === 0,
      elements: { upserts: slots.map((slot) => element(slot)) },
    }));
    assert.equal(mirror.apply(parts[0]), undefined);
    assert.equal(mirror.liveCount, 0);
    assert.deepEqual(mirror.apply(parts[1]).changes.changed, [0, 1, 2]);
  });

  test("slots that a keyframe does not fill again are empty", () => {
    const mirror = new Mirror();
    mirror.apply(frame({ frameSeq: 1, liveCount: 2, elements: { upserts: [element(0), element(1)] } }));
    const { changes } = mirror.apply(frame({ frameSeq: 2, liveCount: 1, elements: { upserts: [element(1)] } }));
    assert.deepEqual([changes.changed, changes.removed], [[1], [0]]);
    assert.deepEqual([...mirror.elements].map(({ slot }) => slot), [1]);
  });

  test("frames that do not fit are refused, and a keyframe puts things right", () => {
    const one = { upserts: [element(0)] };
    const packed = (fields) => ({
      liveCount: 2,
      packed: { upsertCount: 1, slotRuns: [1, 1], categories: [1], kindNames: ["a"], ...fields },
    });
    const wrong = {
      "follows 5, not 1": { baseFrameSeq: 5 },
      "1 elements instead of 2": { liveCount: 2 },
      "checksum": { liveCount: 1, stateChecksum: 1 },
      "slot 3 is removed": { liveCount: 1, elements: { removedSlots: [3] } },
      "out of range": { liveCount: 2, elements: { upserts: [element(4_000_000)] } },
      "more elements are removed": { elements: { removedSlots: [0, 0] } },
      "has the category": { elements: { upserts: [element(1, { category: "unspecified" })] } },
      "width has -1": packed({ widths: [-1] }),
      "slot 1 has no frame": { elements: { upserts: [{ slot: 1, key: { category: "cell" } }] } },
      "category has 0": packed({ categories: [] }),
      "kind has 1": packed({ kinds: [1] }),
      "x has 2 of 1": packed({ xs: [1, 2] }),
      "slot_runs has 2 of 1": packed({ slotRuns: [1, 2] }),
      "slot_runs has a run of 0; at least 1": packed({ slotRuns: [1, 0] }),
      "slot_runs is empty for 2 elements": packed({ upsertCount: 2, slotRuns: [] }),
      "index_shift_runs has 0 slots; at least 1": packed({ indexShiftRuns: [0, 0, 0, 1] }),
      "index_shift_runs has 2 slots; there are 1": packed({ indexShiftRuns: [0, 2, 0, 1] }),
      "index_shift_runs has 2147483647 elements after 0 ": packed({ indexShiftRuns: [0, 2147483647, 0, 1] }),
      "slot 1 is put twice": packed({ upsertCount: 2, slotRuns: [1, 1, 0, 1] }),
      "slot 0 is put twice": packed({ slotRuns: [0, 1], indexShiftRuns: [0, 1, 0, 1] }),
      "slot 2 is put twice": packed({ exceptions: [element(2), element(2)] }),
      "slot 3 is put twice": { elements: { upserts: [element(3), element(3)] } },
      "a kind has 129 bytes; 128": packed({ kindNames: ["k".repeat(129)] }),
      "a kind has 130 bytes; 128": packed({ kindNames: ["ä".repeat(65)] }),
      "kind_names has 65537 names after 0": packed({ kindNames: Array(65537).fill("a") }),
      "does not consist of pairs": packed({ removedSlotRuns: [1] }),
      "of fours": packed({ indexShiftRuns: [1, 1, 1] }),
      "slot 9 is shifted": packed({ indexShiftRuns: [9, 1, 0, 1] }),
      "no valid path": packed({ indexShiftRuns: [0, 1, -1, 0] }),
      "upsert_count has 4294967295 elements after 0 of the same frame; 1048576": packed({ upsertCount: 0xffffffff }),
      "removed_slot_runs has 2147483647 elements after 0 ": packed({ removedSlotRuns: [1, 2147483647] }),
    };
    for (const [problem, fields] of Object.entries(wrong)) {
      const mirror = new Mirror();
      mirror.apply(frame({ frameSeq: 1, liveCount: 1, elements: one }));
      assert.throws(() => mirror.apply(frame({ frameSeq: 2, baseFrameSeq: 1, ...fields })), (error) => (
        error instanceof FrameError && new RegExp(problem).test(error.message)), problem);
      mirror.apply(frame({ frameSeq: 3, liveCount: 1, elements: one }));
      assert.equal(mirror.frameSeq, 3);
    }
  });

  test("what was removed with an old session or by a refused frame is told with the next keyframe", () => {
    const three = { frameSeq: 1, liveCount: 3, elements: { upserts: [element(0), element(1), element(2)] } };
    const keyframe = { frameSeq: 3, liveCount: 1, elements: { upserts: [element(1)] } };
    const mirror = new Mirror();
    mirror.apply(frame(three));
    mirror.reset(64);
    let { changes } = mirror.apply(frame(keyframe));
    assert.deepEqual([changes.changed, changes.removed.sort()], [[1], [0, 2]]);
    mirror.reset(64);
    mirror.apply(frame(three));
    const wrong = { removedSlots: [0], upserts: [element(5), element(2)] };
    assert.throws(() => mirror.apply(frame({ frameSeq: 2, baseFrameSeq: 1, liveCount: 9, elements: wrong })));
    ({ changes } = mirror.apply(frame(keyframe)));
    assert.deepEqual([changes.changed, changes.removed.sort()], [[1], [0, 2]]);
    ({ changes } = mirror.apply(frame({ ...keyframe, frameSeq: 4 })));
    assert.deepEqual([changes.changed, changes.removed], [[1], []]);
  });

  /** All that a mirror shows. */
  const shown = (mirror) => {
    const { contentSize, coverage, scrollEffects, sectionScrolls, frameSeq, checksum, liveCount } = mirror;
    const elements = [...mirror.elements].sort((one, other) => one.slot - other.slot);
    return structuredClone(
      { contentSize, coverage, scrollEffects, sectionScrolls, frameSeq, checksum, liveCount, elements });
  };

  test("a refused frame changes nothing", () => {
    const pin = { minOffset: 0, maxOffset: 9 }, transform = { values: [1, 0, 0, 1, 5, 5] };
    const mirror = new Mirror(), one = {
      frameSeq: 1, contentSize: { width: 10, height: 20 }, coverage: { x: 0, y: 0, width: 10, height: 20 },
      scrollEffects: { effects: [{ category: "cell" }] }, liveCount: 4,
      elements: { upserts: [element(0), element(1), { ...element(2), pin }, { ...element(3), pin }] },
    };
    mirror.apply(frame(one));
    const before = shown(mirror), changed = element(1, { frame: [5, 6, 7, 8], transform });
    const described = {
      contentSize: { width: 1, height: 1 }, coverage: { x: 1, y: 1, width: 1, height: 1 }, scrollEffects: {},
      sectionScrolls: { sections: [{ section: 3 }] }, stateChecksum: 1,
    };
    const packed = {
      removedSlotRuns: [0, 1], indexShiftRuns: [2, 1, 0, 3], kindNames: ["new"], categories: [1],
      upsertCount: 2, slotRuns: [0, 1, 700, 1], exceptions: [changed],
    };
    for (const fields of [
      { elements: { removedSlots: [0, 3], upserts: [changed, element(5), element(900)] }, liveCount: 5 },
      { packed, liveCount: 5 },
    ]) {
      for (const baseFrameSeq of [1, 0]) {
        assert.throws(() => mirror.apply(frame({ frameSeq: 2, baseFrameSeq, ...described, ...fields })), FrameError);
        assert.deepEqual(shown(mirror), before);
        assert.equal(mirror.isBehind, true);
        const { changes } = mirror.apply(frame(one));
        assert.deepEqual([shown(mirror), mirror.isBehind, changes.removed], [before, false, []]);
      }
    }
  });

  test("whatever frame is refused, the next one finds the elements as they were", () => {
    const random = randomNumbers(21), mirror = new Mirror(), other = new Mirror(), live = new Set();
    for (let seq = 1; seq < 600; seq += 1) {
      const isKeyframe = seq === 1 || random(20) === 0, next = new Set(isKeyframe ? [] : live);
      const removedSlots = [...next].filter(() => random(4) === 0);
      for (const slot of removedSlots) next.delete(slot);
      const put = Array.from({ length: 40 }, (_, slot) => slot).filter(() => random(4) === 0);
      const upserts = put.map((slot) => element(
        slot, { frame: [random(9), random(9), 1, 1], kind: `k${random(5)}` }));
      for (const slot of put) next.add(slot);
      const baseFrameSeq = isKeyframe ? 0 : other.frameSeq;
      const fields = { baseFrameSeq, liveCount: next.size, elements: { removedSlots, upserts } };
      const before = shown(mirror);
      assert.throws(() => mirror.apply(frame({ frameSeq: seq, ...fields, liveCount: 99 })), FrameError);
      assert.deepEqual(shown(mirror), before);
      for (const each of [mirror, other]) each.apply(frame({ frameSeq: seq, ...fields }));
      assert.deepEqual(shown(mirror), shown(other));
      live.clear();
      for (const slot of next) live.add(slot);
    }
  });

  test("what all parts of a frame stand for is bounded before any of it is made", () => {
    const most = 1 << 20, made = (mirror) => {
      let count = 0;
      for (const name of ["open", "shift", "remove"]) {
        const make = mirror.elements[name];
        mirror.elements[name] = function (...values) {
          count += 1;
          return make.apply(this, values);
        };
      }
      return () => count;
    };
    const columns = (fields) => ({ packed: { categories: [1], kindNames: ["a"], ...fields } });
    const all = columns({ upsertCount: most, slotRuns: [0, most] }), upserts = [element(7)];
    const wrong = {
      // 33 bytes each, all for one slot.
      "upsert_count has 1048576 elements after 1048576": [2, all],
      "slot 0 is put twice": [1, all],
      "upsert_count has 1048576 elements after 4": [5, columns({ exceptions: upserts }), all],
      "exceptions has 1 elements after 1048576": [2, all, columns({ exceptions: upserts })],
      "upserts has 1 elements after 1048576": [2, all, { elements: { upserts } }],
      "index_shift_runs has 1 elements after 1048576": [2, all, { packed: { indexShiftRuns: [0, 1, 0, 1] } }],
      "removed_slot_runs has 600000 elements after 600000": [2, { packed: { removedSlotRuns: [1, 600000] } }],
      "removed_slots has 1 elements after 1048576":
        [2, { packed: { removedSlotRuns: [1, most] } }, { elements: { removedSlots: [3] } }],
      "a frame has more than 16384 parts": [16385, {}],
      "the parts of a frame have 1342177280 bytes; 1073741824 are allowed": [5, {}],
    };
    for (const [problem, [count, part, last = part]] of Object.entries(wrong)) {
      const mirror = new Mirror(), steps = made(mirror);
      const bytes = problem.includes("bytes") ? 1 << 28 : 40;
      assert.throws(() => {
        for (let index = 1; index <= count; index += 1) {
          const body = index < count ? part : last;
          mirror.apply(frame({ frameSeq: 1, continued: index < count, ...body }), bytes);
        }
      }, (error) => error instanceof FrameError && error.message.startsWith(problem), problem);
      assert.ok(steps() <= 2, `${steps()} elements for ${problem}`);
    }
  });

  test("the rest of a frame of which a part was refused is passed over", () => {
    const mirror = new Mirror(), part = (fields) => frame({ frameSeq: 1, liveCount: 1, ...fields });
    const tooMany = { packed: { upsertCount: 0xffffffff } }, one = { elements: { upserts: [element(0)] } };
    assert.throws(() => mirror.apply(part({ continued: true, ...tooMany })), FrameError);
    assert.equal(mirror.apply(part({ continued: true, ...tooMany })), undefined);
    assert.equal(mirror.apply(part(one)), undefined);
    assert.equal(mirror.liveCount, 0);
    assert.equal(mirror.apply({ ...part(one), frameSeq: 2 }).seq, 2);
  });

  test("a frame may put, shift and empty as many elements as are ever sent", () => {
    const mirror = new Mirror(), count = 1_001_000;
    const packed = {
      upsertCount: count, slotRuns: [0, 1, 1, count - 1], itemRuns: [1, count], categories: [1], kindNames: ["a"],
    };
    mirror.apply(frame({ frameSeq: 1, liveCount: count, packed }));
    const indexShiftRuns = [0, count, 0, 1];
    mirror.apply(frame({ frameSeq: 2, baseFrameSeq: 1, liveCount: count, packed: { indexShiftRuns } }));
    mirror.apply(frame({
      frameSeq: 3, baseFrameSeq: 2, liveCount: count,
      packed: { ...packed, removedSlotRuns: [0, 1, 1, count - 1], kindNames: [] },
    }));
    assert.equal(mirror.liveCount, count);
  });

  test("a server cannot add kinds for ever", () => {
    const mirror = new Mirror();
    mirror.apply(frame({ frameSeq: 1, liveCount: 1, elements: { upserts: [element(0)] } }));
    assert.throws(() => {
      for (let seq = 2; seq < 20; seq += 1) {
        const exceptions = Array.from(
          { length: 10_000 }, (_, index) => element(index + 1, { kind: `${seq} ${index}` }));
        mirror.apply(frame({ frameSeq: seq, baseFrameSeq: seq - 1, liveCount: 10_001, packed: { exceptions } }));
      }
    }, /there are 131072 kinds; 131072 are allowed/);
    mirror.apply(frame({ frameSeq: 30, liveCount: 1, elements: { upserts: [element(0, { kind: "new" })] } }));
    assert.deepEqual(mirror.elements.kindNames, ["new"]);
  });

  test("changes that are merged are those of all frames together", () => {
    const random = randomNumbers(5);
    for (let round = 0; round < 300; round += 1) {
      const live = new Set([0, 1, 2, 3]), before = new Set(live), all = new Changes(), touched = new Set();
      for (let part = 0; part < 3; part += 1) {
        const changes = new Changes();
        for (let step = 0; step < 4; step += 1) {
          const slot = random(8);
          touched.add(slot);
          if (live.delete(slot)) {
            changes.remove(slot);
          } else {
            live.add(slot);
            changes.put(slot, true);
          }
        }
        all.merge(changes);
      }
      assert.deepEqual(all.changed.sort(), [...touched].filter((slot) => live.has(slot)).sort());
      assert.deepEqual(
        all.removed.sort(), [...touched].filter((slot) => !live.has(slot) && before.has(slot)).sort());
    }
  });

  test("mutilated frames of the fuzzer's corpus never break the mirror", () => {
    const random = randomNumbers(9);
    let applied = 0;
    for (const name of readdirSync(CORPUS)) {
      const bytes = new Uint8Array(readFileSync(new URL(name, CORPUS)));
      for (let round = 0; round < 10; round += 1) {
        const mirror = new Mirror(), mutilated = bytes.slice();
        for (let change = 0; change < round; change += 1) mutilated[random(bytes.length)] = random(256);
        for (let at = 0; at + 2 <= mutilated.length;) {
          const end = at + 2 + (mutilated[at] | (mutilated[at + 1] << 8));
          try {
            mirror.apply(decode(messages.LayoutFrame, mutilated.subarray(at + 2, end)));
            applied += 1;
          } catch (error) {
            assert.ok(error instanceof DecodeError || error instanceof FrameError, error.stack);
          }
          at = end;
          assert.equal([...mirror.elements].length, mirror.liveCount);
        }
      }
    }
    assert.ok(applied > 100, `${applied} frames`);
  });
});
