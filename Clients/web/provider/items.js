// SPDX-License-Identifier: Apache-2.0
// What layouts are asked to place, as calls bring it.

import { invalid } from "./call-error.js";

/** All items, section after section, column by column. NaN = the data gives no number. */
export class Items {
  constructor(columns, kind, key, sectionKeys, sectionCounts) {
    /** The index of each item's section. */
    this.section = columns.section;
    /** The index of each item in its section. */
    this.index = columns.index;
    this.width = columns.width;
    this.height = columns.height;
    /** The data's coordinates, which layouts may use as they like. */
    this.x = columns.x;
    this.y = columns.y;
    /** The reuse kind of each item; "" = the unnamed one. */
    this.kind = kind;
    /** The key of each item; "" = it has none. */
    this.key = key;
    this.sectionKeys = sectionKeys;
    /** How many items each section has. */
    this.sectionCounts = sectionCounts;
  }

  get length() {
    return this.section.length;
  }

  /** The number of the first item of each section, and that of all items. */
  sectionStarts() {
    const starts = [0];
    for (const count of this.sectionCounts) starts.push(starts[starts.length - 1] + count);
    return starts;
  }
}

/** What items are placed in: a viewport without its offset, in points. */
export class Container {
  constructor({ container, parameters }) {
    /** Of the whole viewport, insets included. */
    this.width = container?.size?.width ?? 0;
    this.height = container?.size?.height ?? 0;
    /** Insets; content coordinates begin inside of them. */
    this.top = container?.insets?.top ?? 0;
    this.leading = container?.insets?.leading ?? 0;
    this.bottom = container?.insets?.bottom ?? 0;
    this.trailing = container?.insets?.trailing ?? 0;
    /** Pixels per point. */
    this.scale = container?.displayScale ?? 1;
    /** Whether reading runs from right to left. Nothing is mirrored for the layout. */
    this.rightToLeft = container?.rightToLeft ?? false;
    /** What the client set, as JSON. */
    this.parameters = parameters ?? {};
  }

  /** A parameter that is a number, or another one where it is not set. Throws RangeError. */
  number(name, otherwise) {
    const value = Object.hasOwn(this.parameters, name) ? this.parameters[name] : otherwise;
    if (typeof value === "number") return value;
    throw new RangeError(`${name}: ${JSON.stringify(value).slice(0, 100)} found; a number is allowed`);
  }
}

// What an item takes beside the texts of its kind and key.
const ITEM_BYTES = 2 * 4 + 4 * 8 + 4 + 2 * 8;
const SECTION_BYTES = 32;
const NUMBERS = { width: "widths", height: "heights", x: "xs", y: "ys" };
const TEXT_OR_COLUMN = [...Object.values(NUMBERS), "cellKinds", "keys"];

/**
 * Puts items together from the parts of a request.
 *
 * `charge(bytes)` is told of memory before it is taken, and may refuse it. `old` are the items with which a change
 * began.
 */
export class ItemCollector {
  #names;
  #charge;
  #old;
  #starts;
  #most;
  #count = 0;
  #kind = [];
  #key = [];
  #sectionKeys = [];
  #sectionCounts = [];
  #columns = {
    section: new Uint32Array(0), index: new Uint32Array(0), was: new Int32Array(0), width: new Float64Array(0),
    height: new Float64Array(0), x: new Float64Array(0), y: new Float64Array(0),
  };
  /** For each section its index before; -1 = it is new. */
  sections = [];

  constructor(start, { charge, old, maxItems = 0 }) {
    this.#names = start.cellKindNames.length > 0 ? start.cellKindNames : [""];
    this.#charge = charge;
    this.#old = old;
    this.#starts = old?.sectionStarts();
    this.#most = maxItems || Infinity;
  }

  /** Takes the next part. Throws CallError. */
  add(part) {
    if (part.section) this.#addSection(part.section);
    else if (part.items) this.#addBlock(part.items);
    else if (part.kept) this.#addKept(part.kept);
    else throw invalid(part.start ? "a second start came" : "a request has no part that is known here");
  }

  #addSection(section) {
    this.#charge(SECTION_BYTES);
    const header = this.#old ? section.header : section;
    const was = this.#old ? section.was ?? -1 : -1;
    if (was >= (this.#old?.sectionCounts.length ?? 0)) {
      throw invalid(`section.was is ${was}; there were ${this.#old.sectionCounts.length} sections`);
    }
    this.sections.push(was);
    this.#sectionKeys.push(header?.key ?? "");
    this.#sectionCounts.push(0);
  }

  #addBlock(block) {
    const { count } = block;
    for (const name of TEXT_OR_COLUMN) {
      const { length } = block[name];
      if (length > 1 && length !== count) {
        throw invalid(`items.${name} has ${length} values; 0, 1 or ${count} are allowed`);
      }
    }
    const first = this.#grow(count), end = first + count;
    for (const [name, column] of Object.entries(NUMBERS)) fill(this.#columns[name], block[column], first, end, NaN);
    this.#columns.was.fill(-1, first, end);
    const { cellKinds, keys } = block;
    for (let index = 0; index < count; index += 1) {
      const kind = cellKinds.length > 1 ? cellKinds[index] : cellKinds[0] ?? 0;
      if (kind >= this.#names.length) {
        throw invalid(`items.cell_kinds[${index}] is ${kind}; there are ${this.#names.length} names`);
      }
      this.#kind.push(this.#names[kind]);
      this.#key.push(keys.length > 1 ? keys[index] : keys[0] ?? "");
    }
  }

  #addKept({ section, first, count }) {
    const had = this.#old.sectionCounts[section];
    if (had === undefined || count < 1 || first + count > had) {
      throw invalid(`kept has the items from ${first} on, ${count} of them, of section ${section}; it had ${had ?? 0}`);
    }
    const from = this.#starts[section] + first, to = from + count, start = this.#grow(count);
    for (const name of Object.keys(NUMBERS)) this.#columns[name].set(this.#old[name].subarray(from, to), start);
    for (let number = from; number < to; number += 1) {
      this.#columns.was[start + number - from] = number;
      this.#kind.push(this.#old.kind[number]);
      this.#key.push(this.#old.key[number]);
    }
  }

  /** Makes room for items of the last section, and returns the number of the first one. */
  #grow(count) {
    const section = this.#sectionCounts.length - 1, first = this.#count, all = first + count;
    if (section < 0) throw invalid("items came before a section");
    if (all > this.#most) throw invalid(`${all} items came; the layout places at most ${this.#most}`);
    this.#charge(count * ITEM_BYTES);
    if (all > this.#columns.section.length) {
      const room = Math.max(all, 2 * first, 1024);
      for (const [name, column] of Object.entries(this.#columns)) {
        this.#columns[name] = new column.constructor(room);
        this.#columns[name].set(column.subarray(0, first));
      }
    }
    const { index } = this.#columns, before = this.#sectionCounts[section];
    this.#columns.section.fill(section, first, all);
    for (let number = first; number < all; number += 1) index[number] = before + number - first;
    this.#sectionCounts[section] += count;
    this.#count = all;
    return first;
  }

  /** All items, and for each its number before a change; -1 = it is new or has new values. */
  finish() {
    const columns = {};
    for (const [name, column] of Object.entries(this.#columns)) {
      columns[name] = column.length === this.#count ? column : column.slice(0, this.#count);
    }
    const items = new Items(columns, this.#kind, this.#key, this.#sectionKeys, this.#sectionCounts);
    return { items, was: columns.was };
  }
}

function fill(column, values, first, end, otherwise) {
  if (values.length > 1) column.set(values, first);
  else column.fill(values[0] ?? otherwise, first, end);
}
