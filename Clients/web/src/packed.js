// SPDX-License-Identifier: Apache-2.0
// Reads packed elements into the table. The protocol guide describes them ("Packed elements").

import { check, FrameError, MOST_ELEMENTS, MOST_SLOTS } from "./table.js";

const OPAQUE = 65535;

/** The sums of a column of differences. */
function sums(column, count, name) {
  const values = new Float64Array(count);
  if (column.length < 2) {
    if (column.length === 1) values.fill(column[0]);
    return values;
  }
  check(column.length === count, `${name} has ${column.length} of ${count} numbers`);
  let value = 0;
  for (let index = 0; index < count; index += 1) {
    value += column[index];
    values[index] = value;
  }
  return values;
}

/** How many values (difference, length) pairs stand for. */
export function countRuns(runs, name) {
  check(runs.length % 2 === 0, `${name} does not consist of pairs`);
  let total = 0;
  for (let index = 1; index < runs.length; index += 2) {
    if (!(runs[index] > 0)) throw new FrameError(`${name} has a run of ${runs[index]}; at least 1 is needed`);
    total += runs[index];
  }
  return total;
}

/** The values of such pairs; so many of them, or as many as there are. */
export function runValues(runs, count, name) {
  const total = countRuns(runs, name), expected = count ?? total;
  check(total === expected, `${name} has ${total} of ${expected} values`);
  check(total <= MOST_ELEMENTS, `${name} has ${total} values; ${MOST_ELEMENTS} are allowed`);
  const values = new Float64Array(total);
  let value = 0, at = 0;
  for (let index = 0; index < runs.length; index += 2) {
    const difference = runs[index];
    for (const end = at + runs[index + 1]; at < end; at += 1) {
      value += difference;
      values[at] = value;
    }
  }
  return values;
}

/** A column of values, as a function of the index. */
function values(column, count, name, absent) {
  if (column.length < 2) {
    const value = column.length === 0 ? absent : column[0];
    return () => value;
  }
  check(column.length === count, `${name} has ${column.length} of ${count} values`);
  return (index) => column[index];
}

/** The keys of sections, which only elements without an item have: one for each of them, or one for all. */
function sectionKeys(column, items) {
  if (column.length > 1) {
    const count = items.reduce((sum, item) => sum + (item === 0 ? 1 : 0), 0);
    check(column.length === count, `section_keys has ${column.length} of ${count} values`);
  }
  let next = -1;
  return () => {
    next = Math.min(next + 1, column.length - 1);
    return column[next] ?? "";
  };
}

function checkRange(column, least, most, name) {
  for (let index = 0; index < column.length; index += 1) {
    check(column[index] >= least && column[index] <= most, `${name} has ${column[index]}`);
  }
}

/**
 * Puts the elements in the columns of a frame, without the exceptions.
 *
 * `kinds` are what the columns refer to: the names since the keyframe, as numbers of the table's.
 */
export function putPacked(table, packed, kinds, changes) {
  const count = packed.upsertCount;
  check(count <= MOST_ELEMENTS, `upsert_count is ${count}; ${MOST_ELEMENTS} are allowed`);
  // Elements have different slots, so an empty column, which stands for zeros, fits one of them.
  check(count < 2 || packed.slotRuns.length > 0, `slot_runs is empty for ${count} elements`);
  const slots = packed.slotRuns.length === 0
    ? new Float64Array(count) : runValues(packed.slotRuns, count, "slot_runs");
  const items = packed.itemRuns.length === 0
    ? new Float64Array(count) : runValues(packed.itemRuns, count, "item_runs");
  const outline = packed.outline ?? { levels: [], states: [] };
  const columns = {
    category: [packed.categories, 1, 3], kind: [packed.kinds, 0, kinds.length - 1],
    section: [packed.sections, 0, 0xffffffff], z: [packed.zIndices, -0x80000000, 0x7fffffff],
    width: [packed.widths, 0, Infinity], height: [packed.heights, 0, Infinity],
    x: [packed.xs, -Infinity, Infinity], y: [packed.ys, -Infinity, Infinity],
    level: [outline.levels, 0, 255], state: [outline.states, 0, 2],
  };
  const sum = {};
  for (const [name, [column, least, most]] of Object.entries(columns)) {
    sum[name] = sums(column, count, name);
    checkRange(sum[name], least, most, name);
  }
  checkRange(items, 0, 0xffffffff, "item_runs");
  const alpha = values(packed.alphas, count, "alphas", OPAQUE);
  const hidden = values(packed.hidden, count, "hidden", 0);
  const key = values(packed.itemKeys, count, "item_keys", "");
  const data = values(packed.itemData, count, "item_data", "");
  const ofSection = sectionKeys(packed.sectionKeys, items);
  reserve(table, slots);
  table.note(slots);
  const { units } = table, { originX, originY } = packed;
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index], left = originX + sum.x[index], top = originY + sum.y[index];
    putOnce(changes, slot, table.open(slot));
    table.category[slot] = sum.category[index];
    table.kindNumber[slot] = kinds[sum.kind[index]];
    table.section[slot] = sum.section[index];
    table.itemEnd[slot] = items[index];
    table.x[slot] = left / units;
    table.y[slot] = top / units;
    table.width[slot] = sum.width[index] / units;
    table.height[slot] = sum.height[index] / units;
    table.z[slot] = sum.z[index];
    table.alpha[slot] = Math.min(alpha(index), OPAQUE) / OPAQUE;
    table.hidden[slot] = hidden(index);
    table.level[slot] = sum.level[index];
    table.state[slot] = sum.state[index];
    table.keys[slot] = items[index] === 0 ? ofSection() : key(index);
    table.data[slot] = data(index);
    table.sealUnits(slot, left, top, left + sum.width[index], top + sum.height[index]);
  }
}

/** Makes room for all slots at once. */
function reserve(table, slots) {
  let most = 0;
  for (let index = 0; index < slots.length; index += 1) most = Math.max(most, slots[index]);
  if (most >= table.capacity && most < MOST_SLOTS) table.grow(most + 1);
}

/** Notes that a slot is put or shifted, which a frame does with a slot only once. */
export function putOnce(changes, slot, isNew) {
  if (!changes.put(slot, isNew)) throw new FrameError(`slot ${slot} is put twice in one frame; once is allowed`);
}

/** How many slots groups of four numbers shift. */
export function countShifts(runs) {
  check(runs.length % 4 === 0, "index_shift_runs does not consist of fours");
  let total = 0;
  for (let index = 1; index < runs.length; index += 4) {
    if (!(runs[index] > 0)) throw new FrameError(`index_shift_runs has ${runs[index]} slots; at least 1 is needed`);
    total += runs[index];
  }
  return total;
}

/** Shifts the index paths that a frame names. */
export function applyShifts(table, runs, changes) {
  const count = countShifts(runs);
  check(count <= table.count, `index_shift_runs has ${count} slots; there are ${table.count} elements`);
  const slots = shiftedSlots(runs, count);
  table.note(slots);
  let at = 0;
  for (let index = 0; index < runs.length; index += 4) {
    for (const end = at + runs[index + 1]; at < end; at += 1) {
      table.shift(slots[at], runs[index + 2], runs[index + 3]);
      putOnce(changes, slots[at], false);
    }
  }
}

function shiftedSlots(runs, count) {
  const slots = new Float64Array(count);
  let at = 0, last = 0;
  for (let index = 0; index < runs.length; index += 4) {
    const first = last + runs[index], length = runs[index + 1];
    for (let offset = 0; offset < length; offset += 1) slots[at + offset] = first + offset;
    at += length;
    last = first + length - 1;
  }
  return slots;
}
