// SPDX-License-Identifier: Apache-2.0
// Shows a collection on a canvas, for thousands of elements at once.

import { Placement } from "./effects.js";
import { Scroller } from "./scroller.js";
import { ElementCursor } from "./table.js";

/** A canvas in an element of the page, which scrolls. */
export class CanvasView {
  #scroller;
  #draw;
  #canvas;
  #context;
  // Slots from the farthest to the nearest; undefined = to be sorted.
  #order;
  #placement = new Placement();
  #cursor = new ElementCursor(undefined);

  /**
   * `draw(context, element, rect)` draws an element in view coordinates; the context has the element's
   * opacity and transform. `clear(context, size)` draws what lies behind all. The element and the rect are
   * used again for the next one. The other options are those of `Client.view`.
   */
  constructor(container, client, collection, { draw, clear = clearAll, ...options }) {
    this.#draw = draw;
    this.clear = clear;
    this.#canvas = document.createElement("canvas");
    this.#canvas.style.cssText = "position:sticky;left:0;top:0;display:block";
    this.#context = this.#canvas.getContext("2d");
    this.#scroller = new Scroller(container, client, collection, options, {
      take: () => {
        this.#order = undefined;
      },
      draw: () => this.#drawAll(),
    });
    this.#scroller.content.append(this.#canvas);
  }

  get viewer() {
    return this.#scroller.viewer;
  }

  /** What is in sight, in content coordinates. */
  get viewport() {
    return this.#scroller.viewport;
  }

  /** Scrolls to an offset, in points. */
  scrollTo(offset) {
    this.#scroller.scrollTo(offset);
  }

  /** Scrolls to the item with a key, or to the one at [section, item]. */
  async scrollToItem(item, options) {
    this.scrollTo(await this.viewer.scrollTarget(item, options));
  }

  /** Draws again, for example because what elements show has changed. */
  redraw() {
    this.#scroller.schedule();
  }

  close() {
    this.#scroller.close();
  }

  #drawAll() {
    const { viewport, viewer, width, height } = this.#scroller, { elements } = viewer;
    const context = this.#context, scale = this.#fit(width, height);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.clear(context, { width, height });
    this.#order ??= inOrder(elements);
    this.#cursor.elements = elements;
    if (viewer.changesByScrolling || elements.extras.size > 0) this.#drawPlaced(viewport, scale);
    else this.#drawFlat(viewport);
  }

  /** Draws elements that are where their columns say. */
  #drawFlat({ x, y, width, height }) {
    const { elements } = this.viewer, placement = this.#placement;
    for (const slot of this.#order) {
      const left = elements.x[slot] - x, top = elements.y[slot] - y;
      if (left >= width || top >= height) continue;
      placement.x = left;
      placement.y = top;
      placement.width = elements.width[slot];
      placement.height = elements.height[slot];
      if (left + placement.width <= 0 || top + placement.height <= 0) continue;
      placement.alpha = elements.alpha[slot];
      if (elements.hidden[slot] === 0 && placement.alpha > 0) this.#drawOne(slot);
    }
  }

  /** Draws elements of which some are pinned or transformed. */
  #drawPlaced(viewport, scale) {
    const { viewer } = this, placement = this.#placement;
    for (const slot of this.#order) {
      viewer.place(slot, placement, viewport);
      if (placement.hidden || placement.alpha <= 0) continue;
      placement.x -= viewport.x;
      placement.y -= viewport.y;
      if (placement.isTransformed) {
        this.#drawTransformed(slot, scale);
      } else if (placement.x < viewport.width && placement.x + placement.width > 0
        && placement.y < viewport.height && placement.y + placement.height > 0) {
        this.#drawOne(slot);
      }
    }
  }

  #drawOne(slot) {
    const context = this.#context, placement = this.#placement, { alpha } = placement;
    this.#cursor.slot = slot;
    if (alpha !== 1) context.globalAlpha = alpha;
    this.#draw(context, this.#cursor, placement);
    if (alpha !== 1) context.globalAlpha = 1;
  }

  #drawTransformed(slot, scale) {
    const context = this.#context, placement = this.#placement, matrix = placement.matrix();
    // A canvas has no third dimension.
    if (matrix) {
      const [a, b, c, d, tx, ty] = matrix;
      const x = placement.x + placement.width / 2, y = placement.y + placement.height / 2;
      context.transform(a, b, c, d, x + tx - a * x - c * y, y + ty - b * x - d * y);
    }
    this.#drawOne(slot);
    context.setTransform(scale, 0, 0, scale, 0, 0);
  }

  /** Makes the canvas as large as what is in sight, in pixels of the screen. */
  #fit(width, height) {
    const scale = devicePixelRatio, { style } = this.#canvas;
    const columns = Math.round(width * scale), rows = Math.round(height * scale);
    if (this.#canvas.width !== columns || this.#canvas.height !== rows) {
      this.#canvas.width = columns;
      this.#canvas.height = rows;
      style.width = `${width}px`;
      style.height = `${height}px`;
    }
    return scale;
  }
}

function clearAll(context, { width, height }) {
  context.clearRect(0, 0, width, height);
}

/** The slots of all elements, those with a higher z-index later. */
function inOrder(elements) {
  const slots = elements.slots.slice(0, elements.count), { z } = elements;
  const isFlat = slots.every((slot) => z[slot] === z[slots[0]]);
  // Slots in rising order come from neighbouring memory.
  return isFlat ? slots.sort() : slots.sort((a, b) => z[a] - z[b] || a - b);
}
