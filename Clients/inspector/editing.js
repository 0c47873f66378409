// SPDX-License-Identifier: Apache-2.0
// Edits of what is in sight, as operations of an update batch.

import { randomNumbers } from "./samples.js";

const numbers = randomNumbers(20_240_601);
let inserted = 0;

function random(count) {
  return Math.min(count - 1, Math.floor(numbers.next().value * count));
}

function newKey() {
  inserted += 1;
  return `new-${Date.now().toString(36)}-${inserted}`;
}

/** So many new items, of the same sort as those around them. */
function newBlock(count, { hasSizes, hasKeys, hasPlaces, place }) {
  const block = { count };
  const column = (value) => Array.from({ length: count }, value);
  if (hasSizes) {
    block.widths = column(() => 80 + random(160));
    block.heights = column(() => 60 + random(140));
  }
  if (hasKeys) block.keys = column(newKey);
  if (hasPlaces) {
    block.xs = column(() => place.x + random(200) / 100 - 1);
    block.ys = column(() => Math.max(-80, Math.min(80, place.y + random(200) / 100 - 1)));
  }
  return block;
}

/** Inserts items at a place. */
export function insertion({ section, item, key }, count, traits) {
  const block = newBlock(count, traits);
  if (traits.isOutline) return { outline: { edits: [{ insert: { at: { after: key }, blocks: [block] } }] } };
  return { operations: { operations: [{ insertItems: { at: { section, item }, blocks: [block] } }] } };
}

/** Deletes items from a place on; in an outline the one item with what is below it. */
export function deletion({ section, item, key }, count, { isOutline }) {
  if (isOutline) return { outline: { edits: [{ remove: { keys: [key] } }] } };
  const deleteItems = { section, firstItem: item, itemCount: count };
  return { operations: { operations: [{ deleteItems }] } };
}

/** Moves one item to where another one is. */
export function movement(from, to, { isOutline }) {
  if (isOutline) return { outline: { edits: [{ move: { key: from.key, to: { after: to.key } } }] } };
  const path = ({ section, item }) => ({ section, item });
  return { operations: { operations: [{ moveItem: { from: path(from), to: path(to) } }] } };
}

/**
 * Puts items in another order. All must be of one section. The batch deletes and inserts nothing: each item
 * moves to the place of another one.
 */
export function shuffle(items) {
  const targets = items.map(({ section, item }) => ({ section, item }));
  for (let index = targets.length - 1; index > 0; index -= 1) {
    const other = random(index + 1);
    [targets[index], targets[other]] = [targets[other], targets[index]];
  }
  const operations = items.flatMap(({ section, item }, index) => (
    targets[index].item === item ? [] : [{ moveItem: { from: { section, item }, to: targets[index] } }]));
  return { operations: { operations } };
}
