// SPDX-License-Identifier: Apache-2.0
// The live elements by slot, column by column.

import { edge, Hasher, kindHash } from "./checksum.js";

/** A frame that does not fit the elements from before. The viewer asks for a keyframe by itself. */
export class FrameError extends Error {
  name = "FrameError";
}

/** Throws FrameError unless the condition holds. */
export function check(condition, problem) {
  if (!condition) throw new FrameError(problem);
}

export const CATEGORIES = ["", "cell", "supplementary", "decoration"];
const OUTLINE_STATES = ["unspecified", "collapsed", "expanded"];

// The server gives small numbers, and takes freed ones again. So a server cannot fill the memory.
export const MOST_SLOTS = 1 << 21;
/** So many kinds a server can name from one keyframe to the next; so many are kept beyond it. */
export const MOST_KINDS = 1 << 16;
// The contract allows 128 bytes.
const MOST_KIND_BYTES = 128;
/** So many elements can be live, can one frame put and shift together, and empty: more than any server sends. */
export const MOST_ELEMENTS = 1 << 20;

const COLUMNS = {
  category: Uint8Array, kindNumber: Uint32Array, section: Uint32Array, itemEnd: Uint32Array,
  x: Float64Array, y: Float64Array, width: Float64Array, height: Float64Array,
  z: Int32Array, alpha: Float64Array, hidden: Uint8Array, level: Uint8Array, state: Uint8Array,
  hash: Uint32Array, place: Uint32Array,
};
// What `undo` brings back, the category first. `place` follows from the order of the slots.
const NOTED = Object.keys(COLUMNS).filter((name) => name !== "place");

/** The values of a column in slots, as a column. */
function valuesAt(column, slots) {
  const found = new column.constructor(slots.length);
  for (let index = 0; index < slots.length; index += 1) found[index] = column[slots[index]];
  return found;
}

/** The same of texts: a function for columns of numbers alone is several times as fast. */
function textsAt(texts, slots) {
  const found = [];
  for (let index = 0; index < slots.length; index += 1) found.push(texts[slots[index]]);
  return found;
}

/**
 * The live elements. Columns are typed arrays that are indexed by slot; those of empty slots have no
 * meaning. They are replaced when they grow, so take them anew for each frame.
 */
export class Elements {
  /** What the frame that is being applied has changed, to take it back; undefined = none is. */
  #before;

  constructor(units = 64) {
    this.units = units;
    /** The kinds that were met; `kindNumber` are indices into them. */
    this.kindNames = [];
    this.kindNumbers = new Map();
    this.kindHashes = [];
    this.hasher = new Hasher();
    this.clear();
  }

  clear() {
    if (this.kindNames.length > MOST_KINDS) {
      this.kindNames = [];
      this.kindNumbers = new Map();
      this.kindHashes = [];
    }
    /** How many elements there are. */
    this.count = 0;
    /** The slots of the elements, the first `count` of them, in no particular order. */
    this.slots = new Uint32Array(0);
    /** The state checksum. */
    this.checksum = 0;
    /** The keys of items, and of sections for their own elements, by slot; an empty text = none. */
    this.keys = [];
    /** What items carry for renderers, by slot, where the viewer asked for it; an empty text = nothing. */
    this.data = [];
    /** What columns do not hold: elements with a transform, custom attributes, a pin or their own axis. */
    this.extras = new Map();
    /** So many slots have room. */
    this.capacity = 0;
    for (const [name, Column] of Object.entries(COLUMNS)) this[name] = new Column(0);
  }

  // MARK: Taking a frame back

  /** From now on `undo` can bring back what was before: a keyframe clears all, other frames change noted slots. */
  begin(isKeyframe) {
    // `clear` makes new columns, so the old ones stay as they are.
    this.#before = isKeyframe ? { all: { ...this } } : { checksum: this.checksum, notes: [] };
    if (isKeyframe) this.clear();
  }

  /** Notes what slots hold, before they are changed. Those that are out of range are passed over. */
  note(changed) {
    if (!this.#before?.notes) return;
    const slots = new Int32Array(changed);
    this.#before.notes.push({
      slots, columns: NOTED.map((name) => valuesAt(this[name], slots)),
      keys: textsAt(this.keys, slots), data: textsAt(this.data, slots),
      extras: this.extras.size > 0 ? Array.from(slots, (slot) => this.extras.get(slot)) : [],
    });
  }

  /** What was changed stays. */
  commit() {
    this.#before = undefined;
  }

  /** Brings back what was before `begin`. The order of the slots may be another one. */
  undo() {
    const { all, checksum, notes } = this.#before;
    this.#before = undefined;
    if (all) {
      Object.assign(this, all);
      return;
    }
    // What was noted first comes last.
    for (const note of notes.reverse()) this.#undoNote(note);
    this.checksum = checksum;
  }

  #undoNote({ slots, columns, keys, data, extras }) {
    for (let index = 0; index < slots.length; index += 1) {
      const slot = slots[index], isLive = this.has(slot), wasLive = columns[0][index] !== 0;
      if (slot < 0 || slot >= this.capacity) continue;
      if (wasLive && !isLive) this.#link(slot);
      else if (!wasLive && isLive) this.#unlink(slot);
      NOTED.forEach((name, column) => {
        this[name][slot] = columns[column][index];
      });
      this.keys[slot] = keys[index];
      this.data[slot] = data[index];
      if (extras[index]) this.extras.set(slot, extras[index]);
      else this.extras.delete(slot);
    }
  }

  #link(slot) {
    this.place[slot] = this.count;
    this.slots[this.count] = slot;
    this.count += 1;
  }

  #unlink(slot) {
    this.count -= 1;
    const last = this.slots[this.count], place = this.place[slot];
    this.slots[place] = last;
    this.place[last] = place;
  }

  // MARK: Changing

  /** Whether a slot has an element. */
  has(slot) {
    return slot >= 0 && slot < this.capacity && this.category[slot] !== 0;
  }

  /** The number of a kind, a new one if it was not met before. */
  number(kind) {
    let number = this.kindNumbers.get(kind);
    if (number === undefined) {
      const { length } = this.kindNames;
      const size = new TextEncoder().encode(kind).length;
      check(size <= MOST_KIND_BYTES, `a kind has ${size} bytes; ${MOST_KIND_BYTES} are allowed`);
      // Those from before the last keyframe are among them.
      check(length < 2 * MOST_KINDS, `there are ${length} kinds; ${2 * MOST_KINDS} are allowed`);
      number = this.kindNames.push(kind) - 1;
      this.kindNumbers.set(kind, number);
      this.kindHashes.push(kindHash(kind));
    }
    return number;
  }

  /** Makes room for an element in a slot, and returns whether the slot was empty. */
  open(slot) {
    check(Number.isInteger(slot) && slot >= 0 && slot < MOST_SLOTS, `slot ${slot} is out of range`);
    if (slot >= this.capacity) this.grow(slot + 1);
    if (this.category[slot] !== 0) {
      this.checksum = (this.checksum - this.hash[slot]) >>> 0;
      if (this.extras.size > 0) this.extras.delete(slot);
      return false;
    }
    check(this.count < MOST_ELEMENTS, "there are too many elements");
    this.#link(slot);
    return true;
  }

  /** Makes room for so many slots at least. */
  grow(least) {
    const capacity = Math.max(least, this.capacity * 2, 256);
    for (const name of [...Object.keys(COLUMNS), "slots"]) {
      const grown = new this[name].constructor(capacity);
      grown.set(this[name]);
      this[name] = grown;
    }
    this.capacity = capacity;
  }

  remove(slot) {
    check(this.has(slot), `slot ${slot} is removed and has no element`);
    this.checksum = (this.checksum - this.hash[slot]) >>> 0;
    this.category[slot] = 0;
    this.keys[slot] = undefined;
    this.data[slot] = undefined;
    if (this.extras.size > 0) this.extras.delete(slot);
    this.#unlink(slot);
  }

  /** Adds to the index path of an element. */
  shift(slot, section, item) {
    check(this.has(slot), `slot ${slot} is shifted and has no element`);
    const path = [this.section[slot] + section, this.itemEnd[slot] && this.itemEnd[slot] + item];
    check(path.every((index) => index >= 0 && index <= 0xffffffff), `slot ${slot} has no valid path`);
    check((this.itemEnd[slot] === 0) === (path[1] === 0), `slot ${slot} has no valid item`);
    [this.section[slot], this.itemEnd[slot]] = path;
    this.checksum = (this.checksum - this.hash[slot]) >>> 0;
    this.seal(slot);
    const extra = this.extras.get(slot);
    if (extra) {
      const indexPath = { ...extra.key.indexPath, section: path[0] };
      if (path[1] > 0) indexPath.item = path[1] - 1;
      this.extras.set(slot, { ...extra, key: { ...extra.key, indexPath } });
    }
  }

  /** Counts the element in a slot, whose columns are set. */
  seal(slot) {
    const { units } = this, x = this.x[slot], y = this.y[slot];
    this.sealUnits(
      slot, edge(x, units), edge(y, units), edge(x + this.width[slot], units),
      edge(y + this.height[slot], units));
  }

  /** The same with edges in units. */
  sealUnits(slot, left, top, right, bottom) {
    const hash = this.hasher.hash(
      this.category[slot], this.kindHashes[this.kindNumber[slot]], this.section[slot], this.itemEnd[slot],
      left, top, right, bottom, this.z[slot], this.alpha[slot], this.hidden[slot]);
    this.hash[slot] = hash;
    this.checksum = (this.checksum + hash) >>> 0;
  }

  /** Puts an element that came as a message, and returns whether its slot was empty. */
  put(element) {
    const { slot, key, attributes, outline } = element;
    const category = CATEGORIES.indexOf(key?.category ?? "");
    check(category > 0, `slot ${slot} has the category ${key?.category}`);
    check(attributes?.frame !== undefined, `slot ${slot} has no frame`);
    const { frame } = attributes, path = key.indexPath ?? { section: 0 };
    key.indexPath = path;
    for (const name of ["x", "y", "width", "height"]) {
      check(Number.isFinite(frame[name]), `slot ${slot} has the ${name} ${frame[name]}`);
    }
    check(Number.isFinite(attributes.alpha ?? 1), `slot ${slot} has the alpha ${attributes.alpha}`);
    check(path.item !== 0xffffffff, `slot ${slot} has no valid item`);
    const isNew = this.open(slot);
    this.category[slot] = category;
    this.kindNumber[slot] = this.number(key.kind);
    this.section[slot] = path.section;
    this.itemEnd[slot] = path.item === undefined ? 0 : path.item + 1;
    this.x[slot] = frame.x;
    this.y[slot] = frame.y;
    this.width[slot] = frame.width;
    this.height[slot] = frame.height;
    this.z[slot] = attributes.zIndex;
    this.alpha[slot] = attributes.alpha ?? 1;
    this.hidden[slot] = attributes.hidden ? 1 : 0;
    this.level[slot] = Math.min(outline?.level ?? 0, 255);
    this.state[slot] = Math.max(0, OUTLINE_STATES.indexOf(outline?.state));
    this.keys[slot] = element.itemKey || element.sectionKey;
    this.data[slot] = element.itemData;
    if (attributes.transform || attributes.custom || element.pin || element.scrollsAcross) {
      this.extras.set(slot, element);
    }
    this.seal(slot);
    return isNew;
  }

  /** The element in a slot as an object of its own; undefined = the slot is empty. */
  element(slot) {
    if (!this.has(slot)) return undefined;
    const {
      category, kind, section, item, key, data, x, y, width, height, z, alpha, hidden, level, expanded,
      message,
    } = new ElementCursor(this, slot);
    return {
      slot, category, kind, section, item, key, data, x, y, width, height, z, alpha, hidden, level,
      expanded, message,
    };
  }

  /** All elements, as objects. */
  *[Symbol.iterator]() {
    for (const slot of this.slots.slice(0, this.count)) yield this.element(slot);
  }
}

/** Reads the element in a slot, which can be changed to read another one without making an object. */
export class ElementCursor {
  constructor(elements, slot = 0) {
    this.elements = elements;
    this.slot = slot;
  }

  get category() {
    return CATEGORIES[this.elements.category[this.slot]];
  }

  get kind() {
    return this.elements.kindNames[this.elements.kindNumber[this.slot]];
  }

  get section() {
    return this.elements.section[this.slot];
  }

  /** null = the element belongs to the section. */
  get item() {
    const itemEnd = this.elements.itemEnd[this.slot];
    return itemEnd === 0 ? null : itemEnd - 1;
  }

  get key() {
    return this.elements.keys[this.slot] ?? "";
  }

  get data() {
    return this.elements.data[this.slot] ?? "";
  }

  get x() {
    return this.elements.x[this.slot];
  }

  get y() {
    return this.elements.y[this.slot];
  }

  get width() {
    return this.elements.width[this.slot];
  }

  get height() {
    return this.elements.height[this.slot];
  }

  get z() {
    return this.elements.z[this.slot];
  }

  get alpha() {
    return this.elements.alpha[this.slot];
  }

  get hidden() {
    return this.elements.hidden[this.slot] !== 0;
  }

  get level() {
    return this.elements.level[this.slot];
  }

  /** null = it cannot be expanded. */
  get expanded() {
    const state = this.elements.state[this.slot];
    return state === 0 ? null : state === 2;
  }

  /** All that the server said where that is more than the above; else null. */
  get message() {
    return this.elements.extras.get(this.slot) ?? null;
  }
}
