// SPDX-License-Identifier: Apache-2.0
// The last answers by their cookies, and the memory that calls take.

import { randomBytes } from "node:crypto";

import { CallError } from "./call-error.js";

// Elements of all answers that are remembered.
const MOST_ELEMENTS = 4_000_000;

/** Remembers the answers that were used last. */
export class Memory {
  #most;
  #answers = new Map();
  #elements = 0;

  constructor(most) {
    this.#most = most;
  }

  /** Remembers an answer, and returns its cookie; an empty one = it is not remembered. */
  add(answer) {
    if (this.#most <= 0 || answer.elementCount > MOST_ELEMENTS) return new Uint8Array(0);
    const cookie = randomBytes(16);
    this.#answers.set(cookie.toString("hex"), answer);
    this.#elements += answer.elementCount;
    while (this.#answers.size > this.#most || this.#elements > MOST_ELEMENTS) {
      const [oldest, { elementCount }] = this.#answers.entries().next().value;
      this.#answers.delete(oldest);
      this.#elements -= elementCount;
    }
    return new Uint8Array(cookie);
  }

  /** The answer with a cookie; undefined = it is not remembered any more. */
  get(cookie) {
    const name = Buffer.from(cookie).toString("hex");
    const answer = this.#answers.get(name);
    if (answer) {
      this.#answers.delete(name);
      this.#answers.set(name, answer);
    }
    return answer;
  }
}

/** The bytes that all calls together may take for what they are asked to place. */
export class Budget {
  #left;
  #most;

  constructor(bytes) {
    this.#left = bytes;
    this.#most = bytes;
  }

  /** A share that a call takes from and gives back in the end. */
  share() {
    let taken = 0;
    return {
      take: (bytes) => {
        if (bytes > this.#left) {
          throw new CallError("RESOURCE_EXHAUSTED", `calls take more than ${this.#most} bytes together`);
        }
        this.#left -= bytes;
        taken += bytes;
      },
      release: () => {
        this.#left += taken;
        taken = 0;
      },
    };
  }
}
