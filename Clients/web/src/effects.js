// SPDX-License-Identifier: Apache-2.0
// Where elements are seen: pinned, transformed, and as scroll effects change them. `ScrollEffect` in
// layouts.proto has the formulas.

import { CATEGORIES } from "./table.js";

// Beyond these, effects are limited or do not move an element.
const MOST_SCALE = 4, MOST_POINTS = 4096;

/** The part of the viewport that content insets leave. */
function visibleRect({ x, y, width, height, insets, rightToLeft }) {
  const { top = 0, leading = 0, bottom = 0, trailing = 0 } = insets ?? {};
  const left = rightToLeft ? trailing : leading, right = rightToLeft ? leading : trailing;
  return {
    x: x + left, y: y + top,
    width: Math.max(0, width - left - right), height: Math.max(0, height - top - bottom),
  };
}

function numbers(values = {}) {
  return {
    alpha: values.alpha ?? 1, scale: values.scale ?? 1, rotation: values.rotation ?? 0,
    x: values.translation?.x ?? 0, y: values.translation?.y ?? 0, z: values.zIndex ?? 0,
    hidden: values.hidden ?? false,
  };
}

function makeEdge(edge) {
  return edge && {
    values: numbers(edge.values),
    identity: { visible: 1, centered: 0, inset: 0, ...edge.identity },
    outer: { visible: 0, centered: 0, inset: 0, ...edge.outer },
  };
}

function distance({ visible, centered, inset }, length, extent) {
  const edge = visible * Math.min(length, extent) - length / 2;
  return Math.min(extent / 2, (1 - centered) * edge + centered * (extent / 2) + inset);
}

/** How far an element has changed near an edge, 0 to 1. */
function progress(edge, isDiscrete, middle, length, extent) {
  if (!edge) return 0;
  const identity = distance(edge.identity, length, extent);
  if (middle >= identity) return 0;
  const outer = distance(edge.outer, length, extent);
  return middle <= outer || isDiscrete || outer >= identity ? 1 : (identity - middle) / (identity - outer);
}

function rounded(value) {
  return Math.sign(value) * Math.floor(Math.abs(value) + 0.5);
}

/** An element as it is seen; used again for each element. */
export class Placement {
  /** The upper left corner before transforms, where the element is pinned. */
  x = 0;
  y = 0;
  width = 0;
  height = 0;
  z = 0;
  alpha = 1;
  hidden = false;
  /** Whether there is more than a frame, alpha and z-index. */
  isTransformed = false;
  /** What scroll effects add, about the middle. */
  scale = 1;
  rotation = 0;
  translation = { x: 0, y: 0 };
  /** The element's own transform: 6 or 16 numbers, about its middle; null = none. */
  transform = null;

  /** The same place, which no longer changes. */
  copy() {
    return Object.assign(new Placement(), this, { translation: { ...this.translation } });
  }

  /** The matrix of six numbers about the middle of the frame, or null if the transform is spatial. */
  matrix() {
    const [a, b, c, d, tx, ty] = this.transform ?? [1, 0, 0, 1, 0, 0];
    if (this.transform && this.transform.length !== 6) return null;
    const cosine = this.scale * Math.cos(this.rotation), sine = this.scale * Math.sin(this.rotation);
    return [
      cosine * a - sine * b, sine * a + cosine * b, cosine * c - sine * d, sine * c + cosine * d,
      tx + this.translation.x, ty + this.translation.y,
    ];
  }

  /** As a value of CSS `transform` for a box whose left upper corner is at an origin. */
  css(originX, originY) {
    const x = this.x - originX, y = this.y - originY;
    if (!this.isTransformed) return `translate(${x}px,${y}px)`;
    const matrix = this.matrix();
    if (matrix) {
      return `translate(${x + matrix[4]}px,${y + matrix[5]}px) matrix(${matrix.slice(0, 4).join()},0,0)`;
    }
    const [tx, ty] = [this.transform[12], this.transform[13]], { translation } = this;
    return `translate(${x + translation.x + tx}px,${y + translation.y + ty}px) rotate(${this.rotation}rad) ` +
      `scale(${this.scale}) translate(${-tx}px,${-ty}px) matrix3d(${[...this.transform].join()})`;
  }

  /** Half the width and height of the bounds after the element's own transform. */
  reach() {
    const halfWidth = this.width / 2, halfHeight = this.height / 2, m = this.transform;
    if (!m) return [halfWidth, halfHeight];
    const [a, b, c, d] = m.length === 6 ? m : [m[0], m[1], m[4], m[5]];
    return [
      Math.abs(a) * halfWidth + Math.abs(c) * halfHeight, Math.abs(b) * halfWidth + Math.abs(d) * halfHeight,
    ];
  }
}

/** The effects of a frame, ready to be applied. */
export class Effects {
  #effects;
  /** The axis along which content scrolls, or undefined. */
  axis;

  constructor(message) {
    const known = message?.scrollAxis === "vertical" || message?.scrollAxis === "horizontal";
    this.axis = known ? message.scrollAxis : undefined;
    this.#effects = (message?.effects ?? []).map((effect) => ({
      category: effect.category === "unspecified" ? 1 : CATEGORIES.indexOf(effect.category),
      kinds: effect.kinds.length > 0 ? new Set(effect.kinds) : undefined,
      axis: effect.axis === "unspecified" ? undefined : effect.axis,
      isDiscrete: effect.progress === "discrete",
      leading: makeEdge(effect.leading), trailing: makeEdge(effect.trailing),
      identity: numbers(effect.identity),
    }));
  }

  get isEmpty() {
    return this.#effects.length === 0;
  }

  /**
   * Finds out where an element is seen.
   *
   * The viewport has `x`, `y`, `width`, `height`, and may have `insets`, `rightToLeft` and the `axis` along
   * which elements are pinned. Returns `into`.
   */
  place(elements, slot, viewport, into = new Placement()) {
    into.x = elements.x[slot];
    into.y = elements.y[slot];
    into.width = elements.width[slot];
    into.height = elements.height[slot];
    into.z = elements.z[slot];
    into.alpha = elements.alpha[slot];
    into.hidden = elements.hidden[slot] !== 0;
    into.isTransformed = false;
    into.transform = null;
    into.scale = 1;
    into.rotation = into.translation.x = into.translation.y = 0;
    const extra = elements.extras.size > 0 ? elements.extras.get(slot) : undefined;
    if (extra) this.#placeExtra(extra, viewport, into);
    if (this.#effects.length > 0) this.#change(elements, slot, extra, viewport, into);
    return into;
  }

  #placeExtra(extra, viewport, into) {
    const values = extra.attributes.transform?.values;
    if (values && (values.length === 6 || values.length === 16)) {
      into.transform = values;
      into.isTransformed = true;
    }
    const { pin } = extra;
    if (!pin) return;
    // Servers before `axis` say only where there are effects.
    const axis = pin.axis === "unspecified" ? this.axis ?? viewport.axis : pin.axis;
    const name = axis === "horizontal" ? "x" : "y";
    into[name] = Math.min(Math.max(viewport[name] + pin.inset, pin.minOffset), pin.maxOffset);
  }

  #change(elements, slot, extra, viewport, into) {
    const category = elements.category[slot], visible = visibleRect(viewport);
    for (const effect of this.#effects) {
      if (effect.category !== category) continue;
      if (effect.kinds && !effect.kinds.has(elements.kindNames[elements.kindNumber[slot]])) continue;
      let axis = effect.axis ?? this.axis ?? "vertical";
      if (!effect.axis && extra?.scrollsAcross) axis = axis === "vertical" ? "horizontal" : "vertical";
      this.#add(effect, axis, visible, viewport.rightToLeft, into);
    }
    into.scale = Math.min(into.scale, MOST_SCALE);
    const limited = (value) => Math.max(-MOST_POINTS, Math.min(value, MOST_POINTS));
    const { translation } = into, mirroring = viewport.rightToLeft ? -1 : 1;
    translation.x = mirroring * limited(translation.x);
    translation.y = limited(translation.y);
    into.rotation *= mirroring;
    const changes = into.scale !== 1 || into.rotation !== 0 || translation.x !== 0 || translation.y !== 0;
    if (changes && into.reach().every((half) => half * 2 <= MOST_POINTS)) {
      into.isTransformed = true;
    } else {
      into.scale = 1;
      into.rotation = translation.x = translation.y = 0;
    }
  }

  #add(effect, axis, visible, rightToLeft, into) {
    const isVertical = axis === "vertical";
    const length = isVertical ? into.height : into.width;
    const extent = isVertical ? visible.height : visible.width;
    const before = isVertical ? into.y - visible.y
      : rightToLeft ? visible.x + visible.width - into.x - into.width : into.x - visible.x;
    const middle = before + length / 2;
    const leading = progress(effect.leading, effect.isDiscrete, middle, length, extent);
    const trailing = progress(effect.trailing, effect.isDiscrete, extent - middle, length, extent);
    const p = leading > 0 ? leading : trailing, from = effect.identity;
    const to = leading > 0 ? effect.leading.values : trailing > 0 ? effect.trailing.values : from;
    into.alpha *= from.alpha + (to.alpha - from.alpha) * p;
    into.scale *= from.scale + (to.scale - from.scale) * p;
    into.rotation += from.rotation + (to.rotation - from.rotation) * p;
    into.translation.x += from.x + (to.x - from.x) * p;
    into.translation.y += from.y + (to.y - from.y) * p;
    into.z += rounded(from.z + (to.z - from.z) * p);
    if ((p === 0 || p === 1) && to.hidden) into.hidden = true;
  }
}
