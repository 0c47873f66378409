// SPDX-License-Identifier: Apache-2.0
// When to connect again, and where.

import assert from "node:assert/strict";
import { describe as suite, test } from "node:test";

import { Backoff } from "../../../Clients/web/src/backoff.js";

suite("When to connect again", { timeout: 10_000 }, () => {
  test("each address at once, then after pauses that double", () => {
    const backoff = new Backoff(2, { random: () => 0.5 }), tries = [];
    for (let index = 0; index < 8; index += 1) {
      const delay = backoff.next();
      tries.push([backoff.address, Math.round(delay * 1000)]);
    }
    assert.deepEqual(tries, [[0, 0], [1, 0], [0, 100], [1, 100], [0, 200], [1, 200], [0, 400], [1, 400]]);
    for (let index = 0; index < 100; index += 1) assert.ok(backoff.next() <= 10);
  });

  test("only a stream that worked for a second ends the pauses", () => {
    let time = 0;
    const backoff = new Backoff(1, { random: () => 0.5, now: () => time });
    assert.deepEqual([backoff.next(), backoff.next(), backoff.next()], [0, 0.1, 0.2]);
    backoff.succeeded();
    time += 100;
    assert.equal(backoff.next(), 0.4);
    backoff.succeeded();
    time += 1_500;
    assert.equal(backoff.hasWorked, true);
    assert.equal(backoff.next(), 0);
    assert.equal(backoff.hasWorked, false);
    // It has worked since the first of its answers.
    assert.equal(backoff.next(), 0.1);
    backoff.succeeded();
    time += 1_500;
    backoff.succeeded();
    time += 100;
    assert.equal(backoff.next(), 0);
  });
});
