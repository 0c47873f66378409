// SPDX-License-Identifier: Apache-2.0
// Elements on their way from initial to final attributes.

import { easedOut } from "./motion.js";

const DURATION = 450;

/** The frames and opacities of elements as they were, by slot. */
export class Before {
  #transforms = new Map();

  /** Copies what an animation could begin with. */
  constructor(elements) {
    this.columns = {};
    for (const name of ["x", "y", "width", "height", "alpha", "category", "section", "itemEnd", "z"]) {
      this.columns[name] = elements[name].slice();
    }
    for (const [slot, extra] of elements.extras) {
      if (extra.attributes.transform) this.#transforms.set(slot, extra.attributes.transform.values);
    }
  }

  has(slot) {
    return slot < this.columns.category.length && this.columns.category[slot] !== 0;
  }

  /** The attributes in a slot, moved by an adjustment of the offset. */
  attributes(slot, { x, y }) {
    const { columns } = this;
    return {
      x: columns.x[slot] + x, y: columns.y[slot] + y, width: columns.width[slot], height: columns.height[slot],
      alpha: columns.alpha[slot], transform: this.#transforms.get(slot),
    };
  }
}

function attributesOf({ attributes }) {
  const { frame, alpha, hidden, transform } = attributes;
  return { ...frame, alpha: hidden ? 0 : alpha ?? 1, transform: transform?.values };
}

/** A matrix of six or sixteen numbers as sixteen. */
export function wholeMatrix(values) {
  if (values?.length === 16) return values;
  const [a, b, c, d, x, y] = values?.length === 6 ? values : [1, 0, 0, 1, 0, 0];
  return [a, b, 0, 0, c, d, 0, 0, 0, 0, 1, 0, x, y, 0, 1];
}

/** One animated frame. */
export class Transition {
  /** Live elements that do not stand still: by slot where they come from. */
  from = new Map();
  /** Elements that are no longer live: what they were, where they come from and where they go. */
  ghosts = [];

  /** `frame` is that of the viewer, `before` the elements before it. */
  constructor(frame, before, time, duration = DURATION) {
    this.time = time;
    this.duration = duration;
    this.part = 0;
    const { transition, changed, removed, adjustment } = frame;
    const appearing = new Map((transition.appearing ?? []).map((each) => [each.slot, each]));
    const leaving = new Map((transition.disappearing ?? []).map((each) => [each.slot, each]));
    for (const slot of new Set([...removed, ...leaving.keys()])) {
      if (before.has(slot)) this.#addGhost(slot, before, leaving.get(slot), adjustment);
    }
    for (const slot of changed) {
      const initial = appearing.get(slot);
      if (initial) this.from.set(slot, attributesOf(initial));
      else if (before.has(slot) && !leaving.has(slot)) this.from.set(slot, before.attributes(slot, adjustment));
      else this.from.set(slot, { fades: true });
    }
  }

  #addGhost(slot, before, final, adjustment) {
    const from = before.attributes(slot, adjustment);
    const { category, section, itemEnd, z } = before.columns;
    this.ghosts.push({
      slot, from, to: final ? attributesOf(final) : { ...from, alpha: 0 }, category: category[slot],
      section: section[slot], itemEnd: itemEnd[slot], z: z[slot],
    });
  }

  /** Takes note of a frame that came meanwhile and is not animated. */
  follow({ changed, adjustment: { x, y } }) {
    for (const slot of changed) this.from.delete(slot);
    const moved = [...this.from.values(), ...this.ghosts.flatMap(({ from, to }) => [from, to])];
    for (const attributes of moved) {
      attributes.x += x;
      attributes.y += y;
    }
  }

  /** Goes on to a time. */
  advance(time) {
    this.part = easedOut(Math.min(Math.max(0, (time - this.time) / this.duration), 1));
  }

  get isOver() {
    return this.part === 1;
  }

  /** Puts an element, which is placed where it ends, to where it is at this time. */
  apply(slot, placement) {
    const from = this.from.get(slot);
    if (!from) return;
    if (from.fades) {
      placement.alpha *= this.part;
      return;
    }
    this.#mix(from, placement, placement);
  }

  /** Puts an element that leaves to where it is at this time. */
  placeGhost(ghost, placement) {
    const { to } = ghost;
    Object.assign(placement, {
      x: to.x, y: to.y, width: to.width, height: to.height, alpha: to.alpha, z: ghost.z, hidden: false, scale: 1,
      rotation: 0, transform: to.transform ?? null, isTransformed: to.transform !== undefined,
    });
    placement.translation.x = placement.translation.y = 0;
    this.#mix(ghost.from, placement, placement);
    return placement;
  }

  #mix(from, to, into) {
    const { part } = this;
    for (const name of ["x", "y", "width", "height", "alpha"]) into[name] = from[name] + (to[name] - from[name]) * part;
    if (!from.transform && !to.transform) return;
    const first = wholeMatrix(from.transform), last = wholeMatrix(to.transform);
    into.transform = first.map((value, index) => value + (last[index] - value) * part);
    into.isTransformed = true;
  }
}
