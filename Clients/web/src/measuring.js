// SPDX-License-Identifier: Apache-2.0

/** Tells the server how long nodes are whose length their content decides. */
export class Measuring {
  #viewer;
  #length;
  #observer;
  // By node: its slot and the length that was reported.
  #observed = new Map();

  constructor(viewer, length) {
    this.#viewer = viewer;
    this.#length = length;
    this.#observer = new ResizeObserver((entries) => this.#measure(entries));
  }

  /** The length that the content of a node decides: "width", "height", or undefined. */
  lengthOf(node) {
    return this.#observed.has(node) ? this.#length : undefined;
  }

  /** Decorations are as large as what they adorn. */
  observe(node, element) {
    if (element.category === "decoration") return;
    const known = this.#observed.get(node);
    if (known) {
      // The node may be as long as before and stand for another element, so it is looked at again.
      this.#observer.unobserve(node);
      known.isReported = false;
    } else {
      this.#observed.set(node, { slot: element.slot, isReported: false, reported: 0 });
    }
    this.#observer.observe(node);
  }

  forget(node) {
    this.#observer.unobserve(node);
    this.#observed.delete(node);
  }

  close() {
    this.#observer.disconnect();
  }

  #measure(entries) {
    const slots = [], sizes = [], { elements } = this.#viewer;
    for (const { target, borderBoxSize: [box] } of entries) {
      const observed = this.#observed.get(target);
      if (!observed || !elements.has(observed.slot)) continue;
      const { slot } = observed;
      const length = this.#length === "height" ? box.blockSize : box.inlineSize;
      const placed = this.#length === "height" ? elements.height[slot] : elements.width[slot];
      // The server rounds to pixels.
      if (Math.abs(length - (observed.isReported ? observed.reported : placed)) < 0.25) continue;
      observed.isReported = true;
      observed.reported = length;
      slots.push(slot);
      sizes.push(this.#length === "height"
        ? { width: elements.width[slot], height: length } : { width: length, height: elements.height[slot] });
    }
    // What the layout does not estimate is passed over; nothing has to be done about a refusal.
    if (slots.length > 0) this.#viewer.measure(slots, sizes).catch(() => {});
  }
}
