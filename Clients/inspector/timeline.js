// SPDX-License-Identifier: Apache-2.0
// The last frames as bars, one beside the other, through which one steps.

import { bytesText, numberText } from "./figures.js";

const MEASURES = {
  bytes: (facts) => facts.bytes, upserts: (facts) => facts.upserts, removals: (facts) => facts.removals,
  merged: (facts) => facts.merged, latency: (facts) => facts.latency ?? 0,
};

/** Draws a history and lets one choose a frame of it. */
export class Timeline {
  /** The index of the frame that is shown; undefined = the newest. */
  chosen = undefined;
  measure = "bytes";
  #canvas;
  #history;
  #scheduled = 0;

  /** `choose(index)` shows a frame; undefined = the newest. */
  constructor(canvas, history, choose) {
    this.#canvas = canvas;
    this.#history = history;
    this.choose = choose;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointed(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0) this.#pointed(event);
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.schedule()).observe(canvas);
  }

  /** Draws with the next frame of the browser. */
  schedule() {
    this.#scheduled ||= requestAnimationFrame(() => {
      this.#scheduled = 0;
      this.#draw();
    });
  }

  /** Goes so many frames forward or back. */
  step(count) {
    const last = this.#history.length - 1, from = this.chosen ?? last, to = from + count;
    if (last < 0) return;
    this.choose(to >= last && count > 0 ? undefined : Math.min(Math.max(to, 0), last));
  }

  #key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -25, PageDown: 25, Home: -Infinity, End: Infinity };
    if (event.key === "Escape") this.choose(undefined);
    else if (steps[event.key] === undefined) return;
    else if (event.key === "Home") this.choose(0);
    else if (event.key === "End") this.choose(undefined);
    else this.step(steps[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }

  #pointed(event) {
    const box = this.#canvas.getBoundingClientRect(), { length } = this.#history;
    if (length === 0) return;
    const fromEnd = Math.floor((box.right - event.clientX) / this.#step(box.width));
    const index = Math.min(Math.max(length - 1 - fromEnd, 0), length - 1);
    this.choose(index === length - 1 ? undefined : index);
  }

  /** Pixels for each frame: all are in sight. */
  #step(width) {
    return Math.min(8, Math.max(width / Math.max(this.#history.length, 1), width / this.#history.limit));
  }

  #draw() {
    const canvas = this.#canvas, { clientWidth: width, clientHeight: height } = canvas, scale = devicePixelRatio;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d"), style = getComputedStyle(canvas), step = this.#step(width);
    const color = (name) => style.getPropertyValue(name).trim(), valueOf = MEASURES[this.measure];
    context.scale(scale, scale);
    const { length } = this.#history, first = Math.max(0, length - Math.ceil(width / step));
    let most = 1;
    for (let index = first; index < length; index += 1) most = Math.max(most, valueOf(this.#history.frame(index)));
    const colors = { plain: color("--frame"), keyframe: color("--keyframe"), animated: color("--anchor") };
    for (let index = first; index < length; index += 1) {
      const facts = this.#history.frame(index), value = valueOf(facts);
      // Roots, so that small frames are seen beside keyframes.
      const high = value > 0 ? Math.max(2, Math.sqrt(value / most) * (height - 8)) : 1;
      const x = width - (length - index) * step;
      context.fillStyle = facts.keyframe ? colors.keyframe : facts.animated ? colors.animated : colors.plain;
      context.fillRect(x, height - high, Math.max(1, step - 1), high);
    }
    if (this.chosen !== undefined) {
      const x = width - (length - this.chosen) * step;
      context.strokeStyle = color("--accent");
      context.lineWidth = 2;
      context.strokeRect(Math.max(1, x - 1), 1, Math.max(3, step + 1), height - 2);
    }
  }
}

/** A frame as a line of text. */
export function frameText(facts) {
  if (!facts) return "No frames yet.";
  const parts = [
    `frame ${numberText(facts.seq)}`, facts.keyframe ? "keyframe" : undefined, bytesText(facts.bytes),
    `${numberText(facts.upserts)} upserts`, `${numberText(facts.removals)} removals`,
    `${numberText(facts.merged)} merged`, facts.latency === undefined ? undefined : `${numberText(facts.latency, 1)} ms`,
    `${numberText(facts.count)} elements`, `data ${numberText(facts.dataVersion)}`,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}
