// SPDX-License-Identifier: Apache-2.0
// Shows a collection by elements of the page, which are used again as the user scrolls.

import { Animating } from "./animating.js";
import { Focus } from "./focus.js";
import { Placement } from "./effects.js";
import { reported } from "./faults.js";
import { Measuring } from "./measuring.js";
import { Scroller } from "./scroller.js";

// Nodes are placed relative to a point of the content not farther away than this, so that their
// positions are small numbers.
const MOST_DISTANCE = 500_000;
// So many nodes without an element are kept, beside as many as there are elements.
const MOST_SPARE = 64;

/**
 * A list in an element of the page, which scrolls: only what is in sight has nodes.
 *
 * The server gives each element a slot, and a freed slot again to an element of the same kind. So the node
 * of a slot stands for one element after the other.
 */
export class ListView {
  #scroller;
  #render;
  #create;
  #stage;
  // By slot: the node and what was written to its style.
  #nodes = new Map();
  #spare = new Set();
  #dirty = new Set();
  #origin = { x: 0, y: 0 };
  // Where the stage is in the scroller, as it was written to its style.
  #corner = {};
  #placement = new Placement();
  #measuring;
  #focus;
  #animating;

  /**
   * `render(node, element)` fills a node whenever its element is new or has changed. `create(element)` makes
   * a node, by default a `div`. With `selfSizing`, "height" or "width", nodes have the length that their
   * content wants, and the server is told; it counts where the layout estimates it. With `animation`, true or
   * `{ duration, easing }`, nodes come, go and move as animated changes say. The other options are those of
   * `Client.view`.
   */
  constructor(container, client, collection, {
    render, create = () => document.createElement("div"), selfSizing, focusable = true,
    animation = false, ...options
  }) {
    this.#render = render;
    this.#create = create;
    this.#stage = document.createElement("div");
    this.#stage.style.cssText = "position:absolute;width:0;height:0";
    this.#stage.setAttribute("role", "list");
    if (animation) this.#animating = new Animating(animation);
    this.#scroller = new Scroller(container, client, collection, { animations: Boolean(animation), ...options }, {
      take: (frame) => this.#take(frame),
      draw: () => this.#draw(),
    });
    this.#stage.style.direction = this.#scroller.rightToLeft ? "rtl" : "ltr";
    this.#scroller.content.append(this.#stage);
    if (selfSizing) this.#measuring = new Measuring(this.viewer, selfSizing);
    if (focusable) this.#focus = new Focus(container, this);
  }

  get viewer() {
    return this.#scroller.viewer;
  }

  /** What is in sight, in content coordinates. */
  get viewport() {
    return this.#scroller.viewport;
  }

  /** The node of the element in a slot; undefined = the slot is empty. */
  node(slot) {
    return this.#spare.has(slot) ? undefined : this.#nodes.get(slot)?.node;
  }

  /** The slot of a node or of what is inside it; undefined = it is no node of the list. */
  slotOf(inside) {
    for (let node = inside; node; node = node.parentElement) {
      if (node.parentElement === this.#stage) return Number(node.dataset.slot);
    }
    return undefined;
  }

  /** Scrolls to an offset, in points. */
  scrollTo(offset) {
    this.#scroller.scrollTo(offset);
  }

  /** Scrolls to the item with a key, or to the one at [section, item]. */
  async scrollToItem(item, options) {
    this.scrollTo(await this.viewer.scrollTarget(item, options));
  }

  /** Scrolls to the item with a key, or to the one at [section, item], and gives it the focus. */
  async focusItem(item) {
    await this.scrollToItem(item);
    this.#focus?.want(item);
  }

  close() {
    this.#measuring?.close();
    this.#focus?.close();
    this.#animating?.close();
    this.#scroller.close();
  }

  // MARK: Drawing

  #take(frame) {
    const { changed, removed } = frame;
    this.#animating?.take(frame, (slot) => this.#nodes.get(slot)?.placement?.copy());
    for (const slot of changed) this.#dirty.add(slot);
    for (const slot of removed) this.#dirty.add(slot);
  }

  #draw() {
    const { viewer, viewport, base } = this.#scroller, { elements } = viewer;
    const isFar = Math.abs(viewport.y - this.#origin.y) > MOST_DISTANCE
      || Math.abs(viewport.x - this.#origin.x) > MOST_DISTANCE;
    if (isFar) this.#origin = { x: Math.round(viewport.x), y: Math.round(viewport.y) };
    const left = `${this.#origin.x - base.x}px`, top = `${this.#origin.y - base.y}px`;
    if (left !== this.#corner.left || top !== this.#corner.top) {
      this.#corner = { left, top };
      Object.assign(this.#stage.style, this.#corner);
    }
    const dirty = this.#dirty;
    this.#dirty = new Set();
    for (const slot of dirty) {
      if (elements.has(slot)) reported(() => this.#fill(slot));
      else this.#empty(slot);
    }
    const isEverywhere = isFar || viewer.changesByScrolling;
    for (const slot of isEverywhere ? elements.slots.slice(0, elements.count) : dirty) {
      this.#place(slot, viewport);
    }
    this.#animating?.start((slot) => this.node(slot), this.#origin);
    this.#prune(elements.count);
    this.#focus?.update();
  }

  #fill(slot) {
    const element = this.viewer.elements.element(slot);
    let entry = this.#nodes.get(slot);
    if (!entry) {
      const node = this.#create(element);
      node.dataset.slot = slot;
      node.style.cssText += ";position:absolute;left:0;top:0;box-sizing:border-box;contain:layout style";
      entry = { node };
      this.#nodes.set(slot, entry);
      this.#stage.append(node);
    } else if (this.#spare.delete(slot)) {
      entry.node.style.display = "";
    }
    const identity = element.key || `${element.section}/${element.item}`;
    if (entry.placement && this.#animating?.isDue) {
      // The slot may stand for another element, which comes from elsewhere.
      this.#animating.leave(slot, entry.node, this.#stage, this.#origin);
    }
    if (entry.identity !== undefined && entry.identity !== identity) this.#release(entry.node);
    entry.identity = identity;
    if (element.category === "cell" && !entry.node.hasAttribute("role")) {
      entry.node.setAttribute("role", "listitem");
      // There are more than have nodes, and nobody counts them.
      entry.node.setAttribute("aria-setsize", "-1");
    }
    this.#render(entry.node, element);
    this.#measuring?.observe(entry.node, element);
  }

  #empty(slot) {
    const entry = this.#nodes.get(slot);
    if (!entry) return;
    if (entry.placement && this.#animating?.isDue) {
      this.#animating.leave(slot, entry.node, this.#stage, this.#origin);
    }
    entry.placement = undefined;
    this.#spare.add(slot);
    this.#release(entry.node);
    entry.node.style.display = "none";
    this.#measuring?.forget(entry.node);
  }

  /** A node no longer stands for its element: the focus must neither be lost nor go to another one. */
  #release(node) {
    if (node.contains(document.activeElement)) this.#focus?.hold();
  }

  #place(slot, viewport) {
    const entry = this.#nodes.get(slot);
    if (!entry || this.#spare.has(slot)) return;
    // Animations need to know where a node was.
    const into = this.#animating ? entry.placement ??= new Placement() : this.#placement;
    const place = this.viewer.place(slot, into, viewport), { style } = entry.node;
    const sizing = this.#measuring?.lengthOf(entry.node);
    const values = {
      transform: place.css(this.#origin.x, this.#origin.y),
      width: sizing === "width" ? "auto" : `${place.width}px`,
      height: sizing === "height" ? "auto" : `${place.height}px`,
      zIndex: place.z === 0 ? "" : String(place.z),
      opacity: place.alpha === 1 ? "" : String(place.alpha),
      visibility: place.hidden ? "hidden" : "",
    };
    // Comparing with what was written is cheaper than asking the style.
    for (const name of Object.keys(values)) {
      if (entry[name] === values[name]) continue;
      entry[name] = values[name];
      style[name] = values[name];
    }
  }

  /** Drops nodes that stand for nothing, if there are many. */
  #prune(count) {
    if (this.#spare.size <= count + MOST_SPARE) return;
    for (const slot of this.#spare) {
      this.#nodes.get(slot).node.remove();
      this.#nodes.delete(slot);
    }
    this.#spare.clear();
  }
}
