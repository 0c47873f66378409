// SPDX-License-Identifier: Apache-2.0
// Mice, fingers and pens on the stage: dragging, tapping, pinching.

import { VelocityMeter } from "./motion.js";

// A movement of fewer pixels is a tap.
const TAP = 5;

/** Where an event is on an element, in its pixels. */
export function placeOn(element, event) {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** Tells what pointers do on an element, in its pixels. */
export class Pointers {
  #element;
  #tell;
  #pointers = new Map();
  #meter;
  #moved = 0;
  #bar;

  constructor(element, tell) {
    this.#element = element;
    this.#tell = tell;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", (event) => this.#cancel(event));
    element.addEventListener("pointerleave", () => this.#tell.leave());
  }

  #down(event) {
    if (event.button !== 0 || event.target.closest("button")) return;
    const at = placeOn(this.#element, event);
    this.#element.setPointerCapture(event.pointerId);
    this.#element.focus({ preventScroll: true });
    this.#pointers.set(event.pointerId, at);
    if (this.#pointers.size > 1) return;
    this.#tell.hover(at.x, at.y);
    this.#tell.down();
    this.#bar = this.#tell.bar(at.x, at.y);
    this.#bar?.(at.x, at.y);
    this.#moved = 0;
    this.#meter = new VelocityMeter();
    this.#meter.add(event.timeStamp, at.x, at.y);
  }

  #move(event) {
    const at = placeOn(this.#element, event), before = this.#pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") this.#tell.hover(at.x, at.y);
      return;
    }
    this.#pointers.set(event.pointerId, at);
    const x = at.x - before.x, y = at.y - before.y;
    this.#moved += Math.hypot(x, y);
    if (this.#bar) this.#bar(at.x, at.y);
    else if (this.#pointers.size > 1) this.#pinch(event.pointerId, before, at);
    else if (this.#moved > TAP) {
      if (this.#tell.orbits()) this.#tell.orbit(x, y);
      else this.#tell.drag(x, y);
    }
    this.#meter?.add(event.timeStamp, at.x, at.y);
  }

  #pinch(id, before, at) {
    const [, other] = [...this.#pointers].find(([each]) => each !== id);
    const distance = (point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    this.#tell.zoom(distance(at) / distance(before), (at.x + other.x) / 2, (at.y + other.y) / 2);
  }

  #up(event) {
    const at = placeOn(this.#element, event);
    if (!this.#pointers.delete(event.pointerId) || this.#pointers.size > 0) return;
    if (this.#bar) this.#tell.release({ x: 0, y: 0 });
    else if (this.#moved <= TAP) this.#tell.tap(at.x, at.y);
    else if (!this.#tell.orbits()) this.#tell.release(this.#meter.velocity(event.timeStamp));
    this.#bar = undefined;
    if (event.pointerType !== "mouse") this.#tell.leave();
  }

  #cancel(event) {
    this.#pointers.delete(event.pointerId);
    this.#bar = undefined;
  }
}
