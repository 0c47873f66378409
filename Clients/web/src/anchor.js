// SPDX-License-Identifier: Apache-2.0

/**
 * Where the items in sight were, to find the place again in a new session. Items are told by their keys,
 * because their index paths may be others by then.
 */
export class ScreenAnchor {
  // By key, in the order in which they are tried.
  #places = new Map();

  /** Empty at the start of the content, where a viewer stays, and where the mode is none. */
  constructor(elements, { x, y, width, height }, mode) {
    const isLast = mode === "last_visible";
    if (mode === "none" || (!isLast && x === 0 && y === 0)) return;
    const isSeen = (each) => each.category === "cell" && each.key
      && each.x < x + width && each.x + each.width > x && each.y < y + height && each.y + each.height > y;
    const seen = [...elements].filter(isSeen)
      .sort((one, other) => one.section - other.section || one.item - other.item);
    for (const each of isLast ? seen.reverse() : seen) this.#places.set(each.key, { x: each.x, y: each.y });
  }

  /** How far the first item that still exists has moved; undefined = none exists. */
  displacement(elements) {
    if (this.#places.size === 0) return undefined;
    const found = new Map();
    for (const each of elements) {
      if (each.category === "cell" && this.#places.has(each.key)) found.set(each.key, each);
    }
    for (const [key, { x, y }] of this.#places) {
      const place = found.get(key);
      if (place) return { x: place.x - x, y: place.y - y };
    }
    return undefined;
  }
}
