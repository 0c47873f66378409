// SPDX-License-Identifier: Apache-2.0
// Offsets in long contents and positions of the scroller.

import assert from "node:assert/strict";
import { describe as suite, test } from "node:test";

import { AxisMapping } from "../../../Clients/web/src/axis.js";
import { randomNumbers } from "./random.js";

/** Moves like a browser's scroller, which rounds and limits. */
function scroller(axis) {
  return (position) => Math.round(Math.min(Math.max(0, position), axis.range) * 3) / 3;
}

suite("Offsets and positions", { timeout: 60_000 }, () => {
  test("short contents have equal offsets and positions", () => {
    const axis = new AxisMapping();
    axis.setRange(-20, 3_000_000);
    axis.settle(-20, scroller(axis));
    for (const position of [0, 1, 1234.5, 3_000_020]) {
      axis.scrolled(position, 800);
      assert.equal(axis.offset, position - 20);
      assert.equal(axis.positionOf(axis.offset), position);
    }
  });

  test("each offset of long contents has its position, rising, and the ends are those of the scroller", () => {
    for (const length of [4_000_001, 33_554_433, 4.4e8, 2 ** 40]) {
      const axis = new AxisMapping();
      axis.setRange(0, length);
      assert.equal(axis.positionOf(0), 0);
      assert.equal(axis.positionOf(length), axis.range);
      let last = -1;
      for (let part = 0; part <= 1000; part += 1) {
        const offset = (length * part) / 1000, position = axis.positionOf(offset);
        assert.ok(position > last || part === 0, `${offset}`);
        assert.ok(Math.abs(axis.offsetOf(position) - offset) <= 1e-9 * length);
        last = position;
      }
    }
  });

  test("steps are one to one, however long the content is, and both ends are reached", () => {
    const random = randomNumbers(11), axis = new AxisMapping();
    axis.setRange(0, 4.4e8);
    const move = scroller(axis);
    for (let round = 0; round < 200; round += 1) {
      axis.settle(random(440_000_000), move);
      let { offset } = axis;
      for (let step = 0; step < 100; step += 1) {
        const delta = random(1601) - 800, position = Math.min(Math.max(0, axis.position + delta), axis.range);
        offset += position - axis.position;
        axis.scrolled(position, 800);
        assert.equal(axis.offset, Math.min(Math.max(offset, 0), 4.4e8));
        ({ offset } = axis);
        if (random(10) === 0 || axis.isStuck) axis.settle(offset, move);
        assert.ok(Math.abs(axis.offset - offset) < 1e-6);
      }
    }
    axis.settle(2_000, move);
    for (let step = 0; step < 10; step += 1) axis.scrolled(Math.max(0, axis.position - 300), 800);
    assert.equal(axis.offset, 0);
    assert.equal(axis.isStuck, false);
  });

  test("a movement of the scroll bar goes to the same part of the content", () => {
    const axis = new AxisMapping();
    axis.setRange(0, 4.4e8);
    axis.scrolled(axis.range / 2, 800);
    assert.ok(Math.abs(axis.offset - 2.2e8) < 1);
    axis.scrolled(axis.range, 800);
    assert.equal(axis.offset, 4.4e8);
  });

  test("content that moves under the viewport leaves the scroller where it is until scrolling rests", () => {
    const axis = new AxisMapping();
    axis.setRange(0, 100_000);
    axis.scrolled(5_000, 800);
    axis.shift(123.25);
    axis.scrolled(5_010, 800);
    assert.equal(axis.offset, 5_133.25);
    axis.settle(axis.offset, scroller(axis));
    assert.equal(axis.offset, 5_133.25);
    assert.ok(Math.abs(axis.base) < 1);
  });

  test("content that is shorter than the viewport may be placed by a negative offset", () => {
    const axis = new AxisMapping();
    axis.setRange(0, -300);
    axis.shift(-300);
    axis.scrolled(0, 800);
    assert.equal(axis.offset, -300);
    assert.equal(axis.range, 0);
  });
});
