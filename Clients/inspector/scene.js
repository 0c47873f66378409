// SPDX-License-Identifier: Apache-2.0
// What is to be drawn, as columns of numbers that a painter takes as they are.

import { Placement } from "../web/src/effects.js";
import { projected } from "./camera.js";
import { wholeMatrix } from "./transitions.js";

/** Numbers of each box: middle x and y, width, height, z, opacity, corner radius, unused, red, green, blue, edge. */
export const BOX = 12;
const DECORATION = 3, SUPPLEMENTARY = 2;
export const PALETTE = 60;

/** The number of the palette's colour for an element; elements of a section look alike, but not quite. */
export function colorIndex(category, section, itemEnd) {
  if (category === DECORATION) return PALETTE + 1;
  if (category === SUPPLEMENTARY) return PALETTE;
  return ((section * 5) % 12) * 5 + (itemEnd * 7) % 5;
}

/** The boxes of all elements, the farthest first. */
export class Scene {
  count = 0;
  boxes = new Float32Array(BOX * 512);
  /** Sixteen numbers for each box, about its middle; only if `hasMatrices`. */
  matrices = new Float32Array(0);
  hasMatrices = false;
  /** The slot of each box; of ghosts -1 - their index. */
  slots = new Int32Array(512);
  #placement = new Placement();
  #order = new Uint32Array(0);
  #orderKey = {};

  /**
   * Makes boxes of elements. `viewport` is what is in sight; positions of boxes are relative to it. `colors`
   * has three numbers for each of the palette. `stamp` changes whenever the elements do.
   */
  build({ elements, effects, viewport, transition, colors, stamp, inViewport = false }) {
    const ghosts = transition?.ghosts ?? [];
    this.#reserve(elements.count + ghosts.length);
    this.count = 0;
    const isPlain = effects.isEmpty && elements.extras.size === 0 && !transition;
    this.hasMatrices = !isPlain;
    if (!isPlain && this.matrices.length < this.slots.length * 16) {
      this.matrices = new Float32Array(this.slots.length * 16);
    }
    const placement = this.#placement;
    for (const [index, ghost] of ghosts.entries()) {
      transition.placeGhost(ghost, placement);
      this.#put(-1 - index, colorIndex(ghost.category, ghost.section, ghost.itemEnd), viewport, colors);
    }
    const { x, y, width, height, z, alpha, hidden, category, section, itemEnd } = elements;
    for (const slot of this.#ordered(elements, effects, viewport, stamp)) {
      if (isPlain) {
        if (hidden[slot] !== 0 || alpha[slot] <= 0) continue;
        if (inViewport && (x[slot] > viewport.x + viewport.width || y[slot] > viewport.y + viewport.height
          || x[slot] + width[slot] < viewport.x || y[slot] + height[slot] < viewport.y)) continue;
        placement.x = x[slot];
        placement.y = y[slot];
        placement.width = width[slot];
        placement.height = height[slot];
        placement.z = z[slot];
        placement.alpha = alpha[slot];
      } else {
        effects.place(elements, slot, viewport, placement);
        if (placement.hidden) continue;
        transition?.apply(slot, placement);
        if (placement.alpha <= 0) continue;
      }
      this.#put(slot, colorIndex(category[slot], section[slot], itemEnd[slot]), viewport, colors);
    }
  }

  /** The box that a point of the stage lies in, the nearest one; -1 = none. */
  find(matrix, lift, stageX, stageY) {
    const corners = new Float64Array(8);
    for (let index = this.count - 1; index >= 0; index -= 1) {
      if (this.slots[index] < 0) continue;
      if (this.corners(index, matrix, lift, corners) && holds(corners, stageX, stageY)) return index;
    }
    return -1;
  }

  /** Where the corners of a box are on the stage; false = it is behind the eye. */
  corners(index, matrix, lift, into) {
    const at = index * BOX, { boxes } = this, point = { x: 0, y: 0, w: 1 };
    const halfWidth = boxes[at + 2] / 2, halfHeight = boxes[at + 3] / 2;
    for (let corner = 0; corner < 4; corner += 1) {
      const right = corner === 1 || corner === 2 ? 1 : -1, low = corner > 1 ? 1 : -1;
      if (!this.#point(index, right * halfWidth, low * halfHeight, matrix, lift, point)) return false;
      into[corner * 2] = point.x;
      into[corner * 2 + 1] = point.y;
    }
    return true;
  }

  /** Where the middle of a box is on the stage; false = it is behind the eye. */
  middle(index, matrix, lift, into) {
    return this.#point(index, 0, 0, matrix, lift, into);
  }

  #point(index, localX, localY, matrix, lift, into) {
    const at = index * BOX, { boxes } = this;
    let x = localX, y = localY, z = 0;
    if (this.hasMatrices) {
      const start = index * 16, m = this.matrices;
      const w = m[start + 3] * localX + m[start + 7] * localY + m[start + 15];
      if (w <= 0) return false;
      x = (m[start] * localX + m[start + 4] * localY + m[start + 12]) / w;
      y = (m[start + 1] * localX + m[start + 5] * localY + m[start + 13]) / w;
      z = (m[start + 2] * localX + m[start + 6] * localY + m[start + 14]) / w;
    }
    projected(matrix, boxes[at] + x, boxes[at + 1] + y, z + boxes[at + 4] * lift, into);
    return into.w > 0;
  }

  #put(slot, color, viewport, colors) {
    const placement = this.#placement, index = this.count, at = index * BOX, { boxes } = this;
    boxes[at] = placement.x + placement.width / 2 - viewport.x;
    boxes[at + 1] = placement.y + placement.height / 2 - viewport.y;
    boxes[at + 2] = placement.width;
    boxes[at + 3] = placement.height;
    boxes[at + 4] = placement.z;
    boxes[at + 5] = placement.alpha;
    boxes[at + 6] = color === PALETTE ? 0 : Math.min(6, placement.width / 4, placement.height / 4);
    boxes[at + 7] = 0;
    boxes[at + 8] = colors[color * 3];
    boxes[at + 9] = colors[color * 3 + 1];
    boxes[at + 10] = colors[color * 3 + 2];
    boxes[at + 11] = color < PALETTE ? 1 : 0;
    this.slots[index] = slot;
    if (this.hasMatrices) this.matrices.set(this.#matrix(), index * 16);
    this.count += 1;
  }

  #matrix() {
    const placement = this.#placement;
    if (!placement.isTransformed) return IDENTITY;
    const { scale, rotation, translation } = placement, own = wholeMatrix(placement.transform);
    if (scale === 1 && rotation === 0 && translation.x === 0 && translation.y === 0) return own;
    // Effects come after the element's own transform, about the middle of its bounds after that.
    const cosine = scale * Math.cos(rotation), sine = scale * Math.sin(rotation), result = own.slice();
    const tx = own[12], ty = own[13];
    for (let column = 0; column < 4; column += 1) {
      const at = column * 4, w = own[at + 3], a = own[at] - tx * w, b = own[at + 1] - ty * w;
      result[at] = cosine * a - sine * b + (tx + translation.x) * w;
      result[at + 1] = sine * a + cosine * b + (ty + translation.y) * w;
    }
    return result;
  }

  /** The slots by z-index; sorted only if the elements or what effects make of them have changed. */
  #ordered(elements, effects, viewport, stamp) {
    const key = this.#orderKey;
    if (effects.isEmpty && key.elements === elements && key.stamp === stamp) return this.#order;
    let { z } = elements;
    if (!effects.isEmpty) {
      z = new Int32Array(elements.capacity);
      for (let index = 0; index < elements.count; index += 1) {
        const slot = elements.slots[index];
        z[slot] = effects.place(elements, slot, viewport, this.#placement).z;
      }
    }
    const slots = elements.slots.slice(0, elements.count), { category } = elements;
    // Of the same z-index what decorates lies behind, and what supplements lies in front.
    const rank = (slot) => (category[slot] === DECORATION ? 0 : category[slot]);
    slots.sort((a, b) => z[a] - z[b] || rank(a) - rank(b) || a - b);
    this.#order = slots;
    this.#orderKey = { elements, stamp };
    return slots;
  }

  #reserve(count) {
    if (count <= this.slots.length) return;
    const capacity = Math.max(count, this.slots.length * 2);
    this.boxes = new Float32Array(capacity * BOX);
    this.slots = new Int32Array(capacity);
    this.matrices = new Float32Array(0);
  }
}

const IDENTITY = wholeMatrix(undefined);

/** Whether a point lies within four corners. */
function holds(corners, x, y) {
  let positive = false, negative = false;
  for (let index = 0; index < 8; index += 2) {
    const next = (index + 2) % 8;
    const side = (corners[next] - corners[index]) * (y - corners[index + 1])
      - (corners[next + 1] - corners[index + 1]) * (x - corners[index]);
    if (side > 0) positive = true;
    if (side < 0) negative = true;
  }
  return !(positive && negative);
}
