// SPDX-License-Identifier: Apache-2.0
// The parts of one frame, and what they may hold together. The protocol guide tells why ("What clients refuse").

import { countRuns, countShifts } from "./packed.js";
import { check, MOST_ELEMENTS } from "./table.js";

/** So many bytes the parts of one frame may have together, as they came. */
export const MOST_BYTES = 1 << 30;
/** So many parts one frame may have: those bytes in the parts of 64 KiB that servers send. */
export const MOST_PARTS = 1 << 14;

/** Collects the parts of one frame, and counts what they stand for before any of it is made. */
export class FrameParts {
  /** The parts that have come. */
  list = [];
  #bytes = 0;
  #put = 0;
  #removed = 0;

  /** Takes the next part, which came as so many bytes. Throws FrameError. */
  add(part, byteLength) {
    check(this.list.length < MOST_PARTS, `a frame has more than ${MOST_PARTS} parts`);
    this.#bytes += byteLength;
    check(this.#bytes <= MOST_BYTES, `the parts of a frame have ${this.#bytes} bytes; ${MOST_BYTES} are allowed`);
    const { packed, elements } = part;
    if (packed) {
      this.#remove("removed_slot_runs", countRuns(packed.removedSlotRuns, "removed_slot_runs"));
      this.#add("index_shift_runs", countShifts(packed.indexShiftRuns));
      this.#add("upsert_count", packed.upsertCount);
      this.#add("exceptions", packed.exceptions.length);
    } else if (elements) {
      this.#remove("removed_slots", elements.removedSlots.length);
      this.#add("upserts", elements.upserts.length);
    }
    this.list.push(part);
  }

  #add(name, count) {
    checkSum(name, count, this.#put);
    this.#put += count;
  }

  #remove(name, count) {
    checkSum(name, count, this.#removed);
    this.#removed += count;
  }
}

function checkSum(name, count, before) {
  check(
    before + count <= MOST_ELEMENTS,
    `${name} has ${count} elements after ${before} of the same frame; ${MOST_ELEMENTS} in all are allowed`);
}
