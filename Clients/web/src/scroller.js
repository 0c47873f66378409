// SPDX-License-Identifier: Apache-2.0
// Binds a viewer to an element that scrolls.

import { AxisMapping } from "./axis.js";

// Scrolling rests if no step comes for so many milliseconds.
const REST = 150;
// Steps of fewer pixels need not be reported, as long as they come to no more together.
const REPORTED = 32;

/** How an element scrolls: which content it shows, and at which offset. */
export class Scroller {
  #x = new AxisMapping();
  #y = new AxisMapping();
  #container;
  #surface;
  #reported = { x: 0, y: 0 };
  #isMoving = false;
  #lengths = {};
  #rest;
  #scheduled = 0;
  #observer;
  #ends = [];
  #hasEnded = false;

  /**
   * Makes `container` scroll through a collection. The surface draws: `take(frame)` notes what a frame
   * changed, and `draw()` shows it.
   */
  constructor(container, client, collection, options, surface) {
    this.#container = container;
    this.#surface = surface;
    this.rightToLeft = getComputedStyle(container).direction === "rtl";
    /** As high and wide as the scroller makes of the content. */
    this.content = document.createElement("div");
    // `hidden` would make the content what sticky canvases stick to, and they would scroll away with it.
    this.content.style.cssText = "position:relative;contain:strict;overflow:clip";
    // Positions are those of the content, whose origin is on the left in all languages. Room for the scroll
    // bar is kept from the beginning: if it came with the content, all would be laid out twice.
    Object.assign(container.style, {
      overflow: "auto", overflowAnchor: "none", direction: "ltr", scrollbarGutter: "stable",
    });
    if (getComputedStyle(container).position === "static") container.style.position = "relative";
    container.append(this.content);
    this.width = container.clientWidth;
    this.height = container.clientHeight;
    /** The viewer that the container shows. */
    this.viewer = client.view(collection, this.#viewOptions(options));
    const start = this.viewer.viewport;
    this.#x.shift(start.x);
    this.#y.shift(start.y);
    this.#reported = { x: start.x, y: start.y };
    container.addEventListener("scroll", this.#scrolled, { passive: true });
    container.addEventListener("scrollend", this.#rested, { passive: true });
    this.#observer = new ResizeObserver(() => this.#resized());
    this.#observer.observe(container);
    this.#ends = [
      this.viewer.on("frame", (frame) => this.#framed(frame)),
      // Otherwise the page would stay empty without a word.
      this.viewer.on("end", (error) => {
        this.#hasEnded = true;
        if (error) console.error(`The view of ${collection} ended:`, error);
      }),
    ];
  }

  /** Elements are pinned, and changed by effects, in the page. */
  #viewOptions({ viewport, start, offset, ...options }) {
    const displayScale = Math.min(Math.max(devicePixelRatio, 0.01), 100);
    const traits = { displayScale, rightToLeft: this.rightToLeft, ...viewport?.traits };
    // With insets, and where content begins on the right, the start is not at the origin.
    const beginsElsewhere = this.rightToLeft || viewport?.contentInsets !== undefined;
    return {
      pinning: true, scrollEffects: true, ...options, offset,
      size: { width: this.width, height: this.height },
      start: start ?? (beginsElsewhere && !offset ? { edge: "start" } : undefined),
      viewport: { ...viewport, traits },
    };
  }

  /** What is in sight, in content coordinates. */
  get viewport() {
    return {
      ...this.viewer.viewport, x: this.#x.offset, y: this.#y.offset, width: this.width, height: this.height,
    };
  }

  /** Where an offset lies in `content`. */
  get base() {
    return { x: this.#x.base, y: this.#y.base };
  }

  /** Goes to an offset, without animation. */
  scrollTo({ x = this.#x.offset, y = this.#y.offset }) {
    const within = (axis, offset) => (
      axis.most > axis.least ? Math.min(Math.max(offset, axis.least), axis.most) : offset);
    this.#settle(within(this.#x, x), within(this.#y, y));
    this.#report(true);
    this.schedule();
  }

  /** Draws with the next frame of the browser. */
  schedule() {
    this.#scheduled ||= requestAnimationFrame(() => {
      this.#scheduled = 0;
      // The scroller may have moved since its last event, and must not be moved back.
      this.#scrolled();
      this.#arrange();
      this.#surface.draw();
    });
  }

  close() {
    cancelAnimationFrame(this.#scheduled);
    clearTimeout(this.#rest);
    this.#observer.disconnect();
    this.#container.removeEventListener("scroll", this.#scrolled);
    this.#container.removeEventListener("scrollend", this.#rested);
    for (const end of this.#ends) end();
    this.viewer.close();
    this.content.remove();
  }

  // MARK: What the server does

  #framed(frame) {
    this.#x.shift(frame.adjustment.x);
    this.#y.shift(frame.adjustment.y);
    this.#reported.x += frame.adjustment.x;
    this.#reported.y += frame.adjustment.y;
    this.#surface.take(frame);
    this.schedule();
  }

  /** Makes the scroller as long as the content wants it. */
  #arrange() {
    const { contentSize, viewport: { insets } } = this.viewer;
    const { top = 0, leading = 0, bottom = 0, trailing = 0 } = insets ?? {};
    const [left, right] = this.rightToLeft ? [trailing, leading] : [leading, trailing];
    this.#x.setRange(-left, contentSize.width + right - this.width);
    this.#y.setRange(-top, contentSize.height + bottom - this.height);
    // Whole pixels, because a scroller cannot go to a part of one.
    const lengthOf = ({ range }, extent) => (range > 0 ? `${Math.ceil(range) + extent}px` : "100%");
    const width = lengthOf(this.#x, this.width), height = lengthOf(this.#y, this.height);
    // Compared with what was written, because styles round what they tell.
    if (width !== this.#lengths.width || height !== this.#lengths.height) {
      this.#lengths = { width, height };
      Object.assign(this.content.style, this.#lengths);
    }
    if (!this.#isMoving || this.#x.isStuck || this.#y.isStuck) this.#settle(this.#x.offset, this.#y.offset);
  }

  #settle(x, y) {
    const container = this.#container;
    this.#x.settle(x, (position) => {
      container.scrollLeft = position;
      return container.scrollLeft;
    });
    this.#y.settle(y, (position) => {
      container.scrollTop = position;
      return container.scrollTop;
    });
  }

  // MARK: What the user does

  #scrolled = () => {
    const { scrollLeft, scrollTop } = this.#container;
    if (scrollLeft === this.#x.position && scrollTop === this.#y.position) return;
    this.#isMoving = true;
    this.#x.scrolled(scrollLeft, this.width);
    this.#y.scrolled(scrollTop, this.height);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(this.#rested, REST);
    this.#report(false);
    this.schedule();
  };

  #rested = () => {
    clearTimeout(this.#rest);
    if (!this.#isMoving) return;
    this.#isMoving = false;
    this.#report(true);
    this.schedule();
  };

  #report(isResting) {
    // What is shown can still be scrolled.
    if (this.#hasEnded) return;
    const x = this.#x.offset, y = this.#y.offset;
    const distance = Math.max(Math.abs(x - this.#reported.x), Math.abs(y - this.#reported.y));
    if (distance === 0 || (distance < REPORTED && !isResting && !this.viewer.everyScroll)) return;
    this.#reported = { x, y };
    this.viewer.scroll({ x, y });
  }

  #resized() {
    const { clientWidth, clientHeight } = this.#container;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    if (!this.#hasEnded) this.viewer.resize(clientWidth, clientHeight);
    this.schedule();
  }
}
