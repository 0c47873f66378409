// SPDX-License-Identifier: Apache-2.0
// The last frames and the elements after each of them, so that one can step back.

import { Elements } from "../web/src/table.js";

const COLUMNS = [
  "category", "kindNumber", "section", "itemEnd", "x", "y", "width", "height", "z", "alpha", "hidden", "level",
  "state",
];
// After so many frames all elements are kept, and not only what changed.
const SNAPSHOT_INTERVAL = 50;

/** The elements in some slots, column by column. */
class Extract {
  constructor(elements, slots) {
    this.slots = Uint32Array.from(slots);
    for (const name of COLUMNS) {
      const column = elements[name];
      this[name] = column.constructor.from(this.slots, (slot) => column[slot]);
    }
    this.keys = Array.from(this.slots, (slot) => elements.keys[slot]);
    this.extras = [];
    if (elements.extras.size === 0) return;
    for (const slot of this.slots) {
      const extra = elements.extras.get(slot);
      // The mirror shifts index paths in place.
      if (extra) this.extras.push([slot, { ...extra, key: structuredClone(extra.key) }]);
    }
  }

  putInto(elements) {
    for (let index = 0; index < this.slots.length; index += 1) {
      const slot = this.slots[index];
      elements.open(slot);
      for (const name of COLUMNS) elements[name][slot] = this[name][index];
      elements.keys[slot] = this.keys[index];
      elements.hash[slot] = 0;
    }
    for (const [slot, extra] of this.extras) elements.extras.set(slot, extra);
  }

  get byteCount() {
    return this.slots.length * 72;
  }
}

/** A bounded list of frames. */
export class History {
  #entries = [];

  /** Keeps so many frames, and fewer if they take more than so many bytes. */
  constructor(limit = 1000, byteLimit = 192 << 20) {
    this.limit = limit;
    this.byteLimit = byteLimit;
    this.byteCount = 0;
  }

  get length() {
    return this.#entries.length;
  }

  /** What is known of the frame at an index; 0 = the oldest. */
  frame(index) {
    return this.#entries[index]?.facts;
  }

  *frames() {
    for (const { facts } of this.#entries) yield facts;
  }

  clear() {
    this.#entries = [];
    this.byteCount = 0;
  }

  /** Appends a frame: the elements after it, which slots it changed, and what else is to be known of it. */
  record(elements, { changed, removed, keyframe }, facts) {
    const last = this.#entries.at(-1);
    const isWhole = keyframe || !last || last.sinceWhole + 1 >= SNAPSHOT_INTERVAL;
    const slots = isWhole ? elements.slots.subarray(0, elements.count) : changed;
    const entry = {
      facts, isWhole, sinceWhole: isWhole ? 0 : last.sinceWhole + 1, removed: isWhole ? [] : [...removed],
      upserts: new Extract(elements, slots), kindNames: elements.kindNames, units: elements.units,
    };
    entry.byteCount = entry.upserts.byteCount;
    this.#entries.push(entry);
    this.byteCount += entry.byteCount;
    while (this.#entries.length > this.limit || (this.byteCount > this.byteLimit && this.length > 1)) {
      this.#dropOldest();
    }
  }

  /** The elements as they were after the frame at an index, as a table of their own. */
  elements(index) {
    const entry = this.#entries[index];
    if (!entry) return undefined;
    const table = new Elements(entry.units);
    table.kindNames = entry.kindNames;
    for (const each of this.#entries.slice(index - entry.sinceWhole, index + 1)) {
      for (const slot of each.removed) if (table.has(slot)) table.remove(slot);
      each.upserts.putInto(table);
    }
    return table;
  }

  /** The next frame may need what the oldest one has. */
  #dropOldest() {
    const next = this.#entries[1];
    if (next && !next.isWhole) {
      const table = this.elements(1);
      this.byteCount -= next.byteCount;
      next.upserts = new Extract(table, table.slots.subarray(0, table.count));
      next.removed = [];
      next.isWhole = true;
      next.byteCount = next.upserts.byteCount;
      this.byteCount += next.byteCount;
      let since = 0;
      for (const entry of this.#entries.slice(1)) {
        if (entry.isWhole && entry !== next) break;
        entry.sinceWhole = since;
        since += 1;
      }
    }
    this.byteCount -= this.#entries.shift().byteCount;
  }
}
