// SPDX-License-Identifier: Apache-2.0
// Where the items lie along the content: a strip beside the view, which is the scroll bar of any number of items.

import { numberText } from "./figures.js";

const BUCKETS = 192, SETTLED = 250, LEAST = 6;

/** Draws the density of the items, and goes where one drags. */
export class DensityStrip {
  #canvas;
  #label;
  #page;
  #map;
  // What the map was asked for; a map of something else is asked for once frames have settled.
  #known = "";
  #waiting = 0;
  #scheduled = 0;
  // While one drags: the part of the content's extent at the pointer, and whether an answer is awaited.
  #wanted;
  #isAsking = false;

  /**
   * `page.ask(request)` answers a GetScrollMap of the session that is shown, `page.go(offset)` scrolls,
   * `page.viewport` and `page.contentSize` are those of the view.
   */
  constructor(canvas, label, page) {
    this.#canvas = canvas;
    this.#label = label;
    this.#page = page;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#drag(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0) this.#drag(event);
    });
    canvas.addEventListener("pointerup", () => this.#drop());
    canvas.addEventListener("pointercancel", () => this.#drop());
    canvas.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.schedule()).observe(canvas);
  }

  /** Takes a frame of contents, a layout and a size: asks anew if they are others. */
  framed({ dataVersion, layoutVersion, contentSize }) {
    const known = [this.#page.session, dataVersion, layoutVersion, contentSize.width, contentSize.height].join(" ");
    if (known === this.#known) return;
    this.#known = known;
    // A collection that changes all the time is looked at now and then all the same.
    this.#waiting ||= setTimeout(() => {
      this.#waiting = 0;
      this.#refresh();
    }, SETTLED);
  }

  /** Draws with the next frame of the browser. */
  schedule() {
    this.#scheduled ||= requestAnimationFrame(() => {
      this.#scheduled = 0;
      this.#draw();
    });
  }

  get map() {
    return this.#map;
  }

  get #isHorizontal() {
    return this.#map?.axis === "horizontal";
  }

  async #refresh() {
    const known = this.#known;
    try {
      const map = await this.#page.ask({ bucketCount: BUCKETS });
      if (known === this.#known) this.#map = map;
    } catch {
      // The session has ended, and the page says so.
      this.#map = undefined;
    }
    this.schedule();
  }

  // MARK: Dragging

  #drag(event) {
    const box = this.#canvas.getBoundingClientRect();
    this.#go((event.clientY - box.top) / Math.max(1, box.height));
  }

  #key(event) {
    const { start, length } = this.#thumb(), middle = start + length / 2;
    const steps = { ArrowUp: -0.01, ArrowDown: 0.01, PageUp: -0.1, PageDown: 0.1, Home: -1, End: 1 };
    if (steps[event.key] === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#go(middle + steps[event.key]);
    this.#drop();
  }

  /** Goes to where this part of the content is in the middle, and says what is there. */
  async #go(part) {
    this.#wanted = part;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#wanted !== undefined) {
        const { length } = this.#thumb(), way = 1 - length;
        const fraction = way > 0 ? Math.min(Math.max((this.#wanted - length / 2) / way, 0), 1) : 0;
        this.#wanted = undefined;
        const { places } = await this.#page.ask({ fractions: [fraction] });
        this.#page.go(places[0].contentOffset);
        this.#tell(places[0], fraction);
      }
    } catch {
      this.#wanted = undefined;
    } finally {
      this.#isAsking = false;
    }
  }

  #drop() {
    this.#label.hidden = true;
  }

  #tell({ section, sectionKey, item, itemKey }, fraction) {
    const parts = [`${(fraction * 100).toFixed(1)} %`];
    if (section !== undefined) parts.push(sectionKey || `section ${numberText(section)}`);
    if (item) parts.push(itemKey || `item ${numberText(item.item ?? 0)}`);
    this.#label.textContent = parts.join(" · ");
    this.#label.hidden = false;
    this.#canvas.ariaValueNow = String(Math.round(fraction * 100));
    this.#canvas.ariaValueText = this.#label.textContent;
  }

  // MARK: The picture

  /** Where what is in sight begins in the content, and how long it is, as parts of its extent. */
  #thumb() {
    const { viewport, contentSize } = this.#page, isHorizontal = this.#isHorizontal;
    const [axis, extent] = isHorizontal ? ["x", "width"] : ["y", "height"];
    const whole = Math.max(contentSize[extent], 1e-9), length = Math.min(1, viewport[extent] / whole);
    const start = isHorizontal && viewport.rightToLeft ? whole - viewport[axis] - viewport[extent] : viewport[axis];
    return { start: Math.min(Math.max(start / whole, 0), 1 - length), length };
  }

  #draw() {
    const canvas = this.#canvas, { clientWidth: width, clientHeight: height } = canvas, scale = devicePixelRatio;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d"), style = getComputedStyle(canvas);
    const color = (name) => style.getPropertyValue(name).trim();
    context.scale(scale, scale);
    const buckets = this.#map?.buckets ?? [], step = height / Math.max(1, buckets.length);
    const most = buckets.reduce((most, { itemCount }) => Math.max(most, Number(itemCount)), 1);
    context.fillStyle = color("--frame");
    for (const [index, { itemCount }] of buckets.entries()) {
      // Roots, so that thin parts are seen beside dense ones.
      const wide = Number(itemCount) > 0 ? Math.max(1, Math.sqrt(Number(itemCount) / most) * (width - 8)) : 0;
      context.fillRect(4, index * step, wide, Math.max(1, step - 0.5));
    }
    context.fillStyle = color("--anchor");
    const sections = buckets.filter(({ section }) => section !== undefined).length;
    // Where nearly every part has a section, that says nothing.
    for (const [index, { section }] of buckets.entries()) {
      if (section !== undefined && sections < buckets.length / 2) context.fillRect(0, index * step, 3, Math.max(1.5, step));
    }
    const { start, length } = this.#thumb(), long = Math.max(LEAST, length * height);
    context.strokeStyle = color("--accent");
    context.lineWidth = 1.5;
    context.strokeRect(1, Math.min(start * height, height - long) + 0.75, width - 2, long - 1.5);
  }
}
