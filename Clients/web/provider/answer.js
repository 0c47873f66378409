// SPDX-License-Identifier: Apache-2.0
// What was placed, as messages: all of it, or only what a change moved.

import { CallError } from "./call-error.js";

// Elements of one message: about 256 KiB.
const CHUNK = 4096;
const COLUMNS = ["x", "y", "width", "height", "z", "alpha"];
const DEFAULTS = { z: 0, alpha: 1 };
const LEAST_INT32 = -0x80000000, MOST_INT32 = 0x7fffffff;

/** The answer to a call. Throws CallError where what the layout placed is no answer. */
export class Answer {
  /** `kinds` are the names of kinds that were there before. */
  constructor(items, placed, layout, kinds = []) {
    if (typeof placed !== "object" || placed === null) throw wrong("the layout returned nothing");
    this.items = items;
    this.placed = placed;
    this.layout = layout;
    this.columns = {};
    for (const name of COLUMNS) this.columns[name] = column(placed[name] ?? DEFAULTS[name], items.length, name);
    this.others = Array.from(placed.others ?? [], completed);
    this.kinds = [...new Set([...kinds, ...this.others.map((other) => other.kind)])];
    this.elementCount = items.length + this.others.length;
    this.contentSize = contentSize(placed.content, this.columns, items.length);
  }

  /** The messages of cells, by the numbers of their items; undefined = all. */
  * cells(numbers) {
    const count = numbers?.length ?? this.items.length;
    for (let first = 0; first < count; first += CHUNK) {
      const end = Math.min(first + CHUNK, count);
      const part = numbers?.slice(first, end);
      const of = (values) => {
        if (typeof values === "number") return [values];
        return part ? values.constructor.from(part, (number) => values[number]) : values.subarray(first, end);
      };
      const { x, y, width, height, z, alpha } = this.columns;
      yield {
        count: end - first, sections: of(this.items.section), items: of(this.items.index), xs: of(x), ys: of(y),
        widths: of(width), heights: of(height), zIndices: of(z), alphas: of(alpha),
      };
    }
  }

  /** The messages of elements that are no cells. */
  * otherElements(others = this.others) {
    for (const part of parts(others)) {
      yield {
        ...this.#places(part), xs: part.map(({ x }) => x), ys: part.map(({ y }) => y),
        widths: part.map(({ width }) => width), heights: part.map(({ height }) => height),
        zIndices: part.map(({ z }) => z), alphas: part.map(({ alpha }) => alpha),
      };
    }
  }

  * removed(others) {
    for (const part of parts(others)) yield this.#places(part);
  }

  #places(others) {
    const numbers = new Map(this.kinds.map((kind, number) => [kind, number]));
    return {
      count: others.length,
      categories: others.map(({ decoration }) => (decoration ? "decoration" : "supplementary")),
      kinds: others.map(({ kind }) => numbers.get(kind)),
      sections: others.map(({ section }) => section),
      items: others.map(({ item }) => item),
    };
  }

  end(cookie) {
    return {
      contentSize: this.contentSize, elementCount: this.elementCount, kindNames: this.kinds, cookie,
    };
  }
}

/**
 * What a change moved: the numbers of items whose cells are new or elsewhere, and the other elements that are new or
 * elsewhere, or gone. `was` and `sections` say where items and sections were before.
 */
export function difference(answer, before, was, sections) {
  const moved = [];
  for (let number = 0; number < was.length; number += 1) {
    if (was[number] < 0 || !isSame(answer.columns, number, before.columns, was[number])) moved.push(number);
  }
  const stays = staying(answer, before, was, sections);
  const placed = new Map(answer.others.map((other) => [place(other), other]));
  const added = [...placed].filter(([where, other]) => {
    const old = stays.get(where);
    return !old || COLUMNS.some((name) => old[name] !== other[name]);
  });
  const gone = [...stays].filter(([where]) => !placed.has(where));
  return { moved, added: added.map(([, other]) => other), gone: gone.map(([, other]) => other) };
}

function isSame(columns, number, oldColumns, oldNumber) {
  for (const name of COLUMNS) {
    const now = columns[name], then = oldColumns[name];
    if ((typeof now === "number" ? now : now[number]) !== (typeof then === "number" ? then : then[oldNumber])) {
      return false;
    }
  }
  return true;
}

/** Elements that are no cells and stay unless something else is said, by their places now. */
function staying(answer, before, was, sections) {
  const stays = new Map();
  if (before.others.length === 0) return stays;
  const newSections = new Map(sections.map((old, now) => [old, now]));
  const newNumbers = new Int32Array(before.items.length).fill(-1);
  was.forEach((old, now) => {
    if (old >= 0) newNumbers[old] = now;
  });
  const starts = before.items.sectionStarts();
  for (const other of before.others) {
    let section, { item } = other;
    if (item < 0) {
      section = newSections.get(other.section);
    } else {
      const now = newNumbers[starts[other.section] + item] ?? -1;
      if (now >= 0) [section, item] = [answer.items.section[now], answer.items.index[now]];
    }
    if (section !== undefined) stays.set(place({ ...other, section, item }), { ...other, section, item });
  }
  return stays;
}

function place({ decoration, section, item, kind }) {
  return `${decoration ? 1 : 0},${section},${item},${kind}`;
}

function * parts(values) {
  for (let first = 0; first < values.length; first += CHUNK) yield values.slice(first, first + CHUNK);
}

/** One number for all items, or a copy of a column of as many numbers, since the layout may use its own again. */
function column(values, count, name) {
  if (typeof values === "number") return checked(values, name);
  if (typeof values?.length !== "number") throw wrong(`${name} is neither a number nor a column of numbers`);
  if (values.length !== count) throw wrong(`${name} has ${values.length} values for ${count} items`);
  const copy = name === "z" ? new Int32Array(count) : new Float64Array(count);
  for (let index = 0; index < count; index += 1) copy[index] = checked(values[index], name, index);
  return copy;
}

function checked(value, name, index) {
  const isAllowed = name === "z"
    ? Number.isInteger(value) && value >= LEAST_INT32 && value <= MOST_INT32 : Number.isFinite(value);
  if (isAllowed) return value;
  const allowed = name === "z" ? "an integer of 32 bits" : "a finite number";
  throw wrong(`${name}${index === undefined ? "" : ` of item ${index}`} is ${value}; ${allowed} is needed`);
}

/** An element that is no cell, with all that it may leave out. */
function completed(given, index) {
  const { kind, x, y, width, height, section = 0, item = -1, z = 0, alpha = 1, decoration = false } = given;
  if (typeof kind !== "string") throw wrong(`others[${index}].kind is no text`);
  const other = { kind, x, y, width, height, section, item, z, alpha, decoration };
  for (const name of COLUMNS) checked(other[name], name);
  for (const name of ["section", "item"]) {
    if (Number.isInteger(other[name]) && other[name] >= (name === "item" ? -1 : 0) && other[name] <= MOST_INT32) continue;
    throw wrong(`others[${index}].${name} is ${other[name]}; an index is needed`);
  }
  return other;
}

/** The size that counts: the layout's own, or up to the farthest edges of cells. */
function contentSize(given, { x, y, width, height }, count) {
  if (given) return { width: checked(given.width, "content.width"), height: checked(given.height, "content.height") };
  const size = { width: 0, height: 0 };
  const at = (values, index) => (typeof values === "number" ? values : values[index]);
  for (let index = 0; index < count; index += 1) {
    size.width = Math.max(size.width, at(x, index) + at(width, index));
    size.height = Math.max(size.height, at(y, index) + at(height, index));
  }
  return size;
}

/** The layout's own fault, not that of whoever called. */
function wrong(problem) {
  return new CallError("INTERNAL", problem);
}
