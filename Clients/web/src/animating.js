// SPDX-License-Identifier: Apache-2.0
// Animates nodes between frames: what appears, what disappears, and what moves.

import { Placement } from "./effects.js";

// More nodes than these are not animated at once: they change at once.
const MOST_NODES = 400;
const WANTED = { duration: 300, easing: "ease-in-out" };

/** Where a message of an element says that it is. */
function placementOf({ attributes = {} }, into = new Placement()) {
  const { frame = {}, transform, alpha, zIndex, hidden } = attributes;
  into.x = frame.x ?? 0;
  into.y = frame.y ?? 0;
  into.width = frame.width ?? 0;
  into.height = frame.height ?? 0;
  into.z = zIndex ?? 0;
  into.alpha = alpha ?? 1;
  into.hidden = hidden ?? false;
  const values = transform?.values;
  into.isTransformed = values?.length === 6 || values?.length === 16;
  into.transform = into.isTransformed ? values : null;
  into.scale = 1;
  into.rotation = into.translation.x = into.translation.y = 0;
  return into;
}

/** What the style of a node at a place is. */
function keyframe(placement, origin) {
  return {
    transform: placement.css(origin.x, origin.y), width: `${placement.width}px`,
    height: `${placement.height}px`, opacity: String(placement.alpha),
  };
}

/**
 * The animation of the nodes of one list.
 *
 * A frame that is animated names the initial attributes of elements that it adds and the final ones of those
 * that it removes; all others go from where they were. Users who want less motion get none.
 */
export class Animating {
  #options;
  #transition;
  #adjustment = { x: 0, y: 0 };
  // By slot: where nodes were before the frames that are to be drawn.
  #before = new Map();
  #ghosts = new Set();

  constructor(options) {
    this.#options = { ...WANTED, ...(options === true ? {} : options) };
  }

  /** Notes a frame that is to be drawn; `placeOf(slot)` is where a node is now, or undefined. */
  take({ transition, adjustment, changed, removed, keyframe: isWhole }, placeOf) {
    const before = { ...this.#adjustment };
    this.#adjustment.x += adjustment.x;
    this.#adjustment.y += adjustment.y;
    if (isWhole || !transition?.animated || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      // What is drawn later than this frame has no place to come from.
      if (isWhole) this.#forget();
      return;
    }
    this.#transition = transition;
    for (const slot of [...changed, ...removed]) {
      if (this.#before.has(slot)) continue;
      const place = placeOf(slot);
      if (place) this.#before.set(slot, { placement: place, adjustment: before });
    }
  }

  /** Whether anything is to be animated when the frame is drawn. */
  get isDue() {
    return this.#transition !== undefined;
  }

  /**
   * Leaves a copy of a node where it is, before the node stands for nothing or for another element, and lets
   * that go where the frame says.
   */
  leave(slot, node, stage, origin) {
    const last = this.#transition?.disappearing?.find((each) => each.slot === slot);
    if (!last || !this.#before.has(slot) || this.#ghosts.size >= MOST_NODES) return;
    const ghost = node.cloneNode(true);
    ghost.removeAttribute("data-slot");
    ghost.removeAttribute("id");
    ghost.setAttribute("aria-hidden", "true");
    ghost.inert = true;
    ghost.style.pointerEvents = "none";
    stage.append(ghost);
    this.#ghosts.add(ghost);
    const from = this.#start(slot, origin), to = keyframe(placementOf(last), origin);
    const animation = ghost.animate([from, to], { ...this.#options, fill: "forwards" });
    const end = () => {
      ghost.remove();
      this.#ghosts.delete(ghost);
    };
    animation.onfinish = end;
    animation.oncancel = end;
  }

  /** Begins the animation of nodes that are placed; `nodeOf(slot)` is the node of an element. */
  start(nodeOf, origin) {
    const transition = this.#transition;
    if (transition) {
      const appearing = transition.appearing.slice(0, MOST_NODES);
      const initial = new Set(appearing.map(({ slot }) => slot));
      for (const element of appearing) {
        this.#run(nodeOf(element.slot), keyframe(placementOf(element), origin));
      }
      let count = initial.size;
      for (const slot of this.#before.keys()) {
        if (initial.has(slot) || count >= MOST_NODES) continue;
        const node = nodeOf(slot);
        if (!node) continue;
        count += 1;
        this.#run(node, this.#start(slot, origin));
      }
    }
    this.#forget();
  }

  /** Ends all animations. */
  close() {
    for (const ghost of this.#ghosts) ghost.remove();
    this.#ghosts.clear();
    this.#forget();
  }

  #run(node, from) {
    node?.animate([from, {}], this.#options);
  }

  /** Where a node was, in the coordinates of the frame that is drawn. */
  #start(slot, origin) {
    const before = this.#before.get(slot);
    const x = this.#adjustment.x - before.adjustment.x, y = this.#adjustment.y - before.adjustment.y;
    return keyframe(before.placement, { x: origin.x - x, y: origin.y - y });
  }

  #forget() {
    this.#transition = undefined;
    this.#before.clear();
    this.#adjustment = { x: 0, y: 0 };
  }
}
