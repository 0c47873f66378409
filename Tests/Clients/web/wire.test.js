// SPDX-License-Identifier: Apache-2.0
// The encoding: as other clients have it, and with bytes that are no messages.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe as suite, test } from "node:test";

import { decode, DecodeError, encode, FieldError, messages } from "../../../Clients/web/collection-layout.js";
import { randomNumbers } from "./random.js";

const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url)));
const CORPUS = new URL("../../Fuzzing/Corpus/frames/", import.meta.url);
const bytesOf = (hex) => new Uint8Array(Buffer.from(hex, "hex"));

/** A value as protobuf's JSON has it, so far as the expected value shows which of several forms that is. */
function asJson(value, expected) {
  if (value instanceof Uint8Array && typeof expected === "string") return Buffer.from(value).toString("base64");
  if (value instanceof Date) return value.getTime() === new Date(expected).getTime() ? expected : value;
  if (ArrayBuffer.isView(value)) return asJson([...value], expected);
  if (Array.isArray(value)) {
    if (typeof expected === "string") return value.join();
    return value.map((each, index) => asJson(each, expected?.[index]));
  }
  if (typeof expected === "boolean") return Boolean(value);
  if (typeof expected === "string" && (typeof value === "number" || typeof value === "bigint")) {
    if (!expected.endsWith("s")) return String(value);
    return parseFloat(expected) === value ? expected : value;
  }
  if (typeof value === "string") {
    // Enumerations have a prefix.
    return /^[A-Z0-9_]+$/.test(expected) && expected.endsWith(`_${value.toUpperCase()}`) ? expected : value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // Defaults are absent in JSON.
      .filter(([name, content]) => Object.hasOwn(expected ?? {}, name) || !isDefault(content))
      .map(([name, content]) => [name, asJson(content, expected?.[name])]));
}

function isDefault(value) {
  return value === undefined || value === 0 || value === 0n || value === "" || value === false
    || value === "unspecified" || value.length === 0
    || (typeof value === "object" && Object.keys(value).length === 0);
}

/** The records of a corpus: two bytes with the length of each come first. */
function* records(bytes) {
  for (let at = 0; at + 2 <= bytes.length;) {
    const length = bytes[at] | (bytes[at + 1] << 8);
    yield new Uint8Array(bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
}

/** What is wrong with bytes; undefined = they are a message. Other errors are faults of the decoder. */
function fault(schema, bytes) {
  try {
    decode(schema, bytes);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof DecodeError, `${Buffer.from(bytes).toString("hex")}: ${error.stack}`);
    return error.message;
  }
}

suite("The encoding", { timeout: 120_000 }, () => {
  for (const [name, hex, json] of vectors.messages) {
    test(`${name} is read as Python's protobuf reads it, and survives being written`, () => {
      const value = decode(messages[name], bytesOf(hex));
      assert.deepEqual(asJson(value, json), json);
      assert.deepEqual(decode(messages[name], encode(messages[name], value)), value);
    });
  }

  test("unknown fields of every kind are passed over", () => {
    // Field 1000 as a varint, 64 bits, bytes, a group with a group inside, and 32 bits; then x = 1.
    const unknown = "c03e8101" + "c13e0102030405060708" + "c23e02ffff" + "c33ec33ec43ec43e" + "c53e01020304";
    assert.equal(decode(messages.Point, bytesOf(`${unknown}09000000000000f03f`)).x, 1);
    // A known field of another kind is an unknown one.
    assert.equal(decode(messages.Point, bytesOf("0801")).x, 0);
  });

  test("columns may come in parts, and not packed", () => {
    const { xs } = decode(messages.PackedElements, bytesOf("5a020204" + "5806" + "5a0108"));
    assert.deepEqual(xs, Int32Array.of(1, 2, 3, 4));
  });

  test("a column in many pieces is not copied for each of them", () => {
    const count = 50_000, numbers = Object.getPrototypeOf(Int32Array.prototype), { set } = numbers;
    let copied = 0;
    numbers.set = function (values, ...rest) {
      copied += values.length;
      return set.call(this, values, ...rest);
    };
    try {
      const { xs } = decode(messages.PackedElements, bytesOf("5802".repeat(count)));
      assert.deepEqual([xs.length, xs[0], xs[count - 1]], [count, 1, 1]);
      assert.ok(copied < 4 * count, `${copied} numbers were copied`);
    } finally {
      numbers.set = set;
    }
  });

  test("messages in two parts are put together, and the last of a oneof counts", () => {
    const size = decode(messages.LayoutFrame, bytesOf("420911000000000000f03f" + "420909000000000000f03f"));
    assert.deepEqual(size.contentSize, { width: 1, height: 1 });
    const frame = decode(messages.LayoutFrame, bytesOf("6200" + "6a00"));
    assert.equal(frame.elements, undefined);
    assert.equal(frame.packed.upsertCount, 0);
  });

  test("malformed bytes are refused, and the error says why and where", () => {
    const faults = {
      "0a": /is cut off/, "0a05": /a length of 5 is too long/, "09000000": /is cut off/,
      "07": /no valid number/, "00": /no valid number/, "0e": /wire type 6 does not exist/,
      "0c": /a group ends that did not begin|wire type 4/, "1b": /is cut off/, "1b24": /a group ends/,
    };
    for (const [hex, expected] of Object.entries(faults)) {
      assert.match(fault(messages.Point, bytesOf(hex)) ?? "none", expected, hex);
    }
    assert.match(fault(messages.FrameAck, bytesOf("08ffffffffffffffffffff01")), /more than 10 bytes/);
    assert.match(fault(messages.FrameAck, bytesOf("08ffffffffffffffffff7f")), /more than 64 bits/);
    assert.match(fault(messages.FrameAck, bytesOf("08ffffffffffffffff7f")), /beyond 2\^53 - 1/);
    assert.match(fault(messages.ElementKey, bytesOf("1202c328")), /not UTF-8/);
    assert.match(fault(messages.PackedElements, bytesOf("5a0180")), /is cut off/);
    assert.match(fault(messages.ItemBlock, bytesOf("1207000000000000f0")), /cut off/);
  });

  test("messages that lie too deep in one another are refused", () => {
    let layout = {};
    for (let depth = 0; depth < 40; depth += 1) layout = { responsive: { otherwise: layout } };
    decode(messages.LayoutSpec, encode(messages.LayoutSpec, layout));
    for (let depth = 0; depth < 20; depth += 1) layout = { responsive: { otherwise: layout } };
    assert.match(fault(messages.LayoutSpec, encode(messages.LayoutSpec, layout)), /more than 100 deep/);
    const groups = new Uint8Array(100_000).fill(0x1b);
    assert.match(fault(messages.Point, groups), /more than 100 deep/);
  });

  test("values that do not fit are refused, with the path of the field", () => {
    const problems = [
      [{ open: { layout: { flow: { itemSise: {} } } } }, "open.layout.flow.itemSise", /did you mean 'itemSize'/],
      [{ eventSeq: -1 }, "eventSeq", /an integer from 0 to 2\^53 - 1/],
      [{ measurements: { slots: [1, 1.5] } }, "measurements.slots[1]", /an integer from 0 to 2\^32 - 1/],
      [{ viewport: { size: { width: NaN } } }, "viewport.size.width", /a finite number/],
      [{ options: { anchorMode: "middle" } }, "options.anchorMode", /one of none, first_visible, last_visible/],
      [{ open: { collection: "a", resume: {} } }, "open.resume", /cannot be beside collection/],
      [{ movement: { beginItems: { keys: ["a", 7] } } }, "movement.beginItems.keys[1]", /a text/],
    ];
    for (const [value, path, problem] of problems) {
      assert.throws(() => encode(messages.StreamLayoutRequest, value), (error) => (
        error instanceof FieldError && error.path === path && problem.test(error.problem)), path);
    }
  });

  test("random and mutilated bytes either are a message or a DecodeError", () => {
    const random = randomNumbers(1);
    const names = vectors.messages.map(([name]) => name);
    for (let round = 0; round < 20_000; round += 1) {
      const [name, hex] = vectors.messages[random(vectors.messages.length)];
      const bytes = bytesOf(hex);
      for (let change = random(4); change >= 0 && bytes.length > 0; change -= 1) {
        bytes[random(bytes.length)] = random(256);
      }
      fault(messages[name], bytes.subarray(random(3), bytes.length - random(3)));
      // The bytes of one message as another one.
      fault(messages[names[random(names.length)]], bytes);
    }
  });

  test("the frames of the fuzzer's corpus either are a message or a DecodeError", () => {
    let read = 0;
    for (const name of readdirSync(CORPUS)) {
      for (const record of records(readFileSync(new URL(name, CORPUS)))) {
        if (!fault(messages.LayoutFrame, record)) read += 1;
      }
    }
    assert.ok(read > 200, `${read} frames`);
  });
});
