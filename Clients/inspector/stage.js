// SPDX-License-Identifier: Apache-2.0
// The picture: what is in sight of the collection, how it moves, and how pointers, wheels and keys move it.

import { Effects } from "../web/src/effects.js";
import { CATEGORIES } from "../web/src/table.js";
import { Camera } from "./camera.js";
import { Approach, Flight, Momentum } from "./motion.js";
import { Overlay } from "./overlay.js";
import { makePainter } from "./painters.js";
import { placeOn, Pointers } from "./pointers.js";
import { Scene } from "./scene.js";
import { overlayTheme, paletteOf } from "./theme.js";
import { Before, Transition } from "./transitions.js";

// Steps of fewer points need not be reported, as long as they come to no more together.
const REPORTED = 32;
// A wheel that says nothing for so many milliseconds rests.
const WHEEL_REST = 140;
const LINE = 60, APPROACH = 320;
const NOTHING = new Effects();

/** By how much a section's offset changes when its items move by this. */
function along({ direction }, x, y) {
  return x * direction.x + y * direction.y;
}

/** Shows the viewer that `show` gives it, on the canvases of an element. */
export class Stage {
  camera = new Camera();
  scene = new Scene();
  /** The viewport's size in points; undefined = as large as the stage. */
  fixedSize = undefined;
  rightToLeft = false;
  /** What elements are named by: "paths", "kinds", "slots" or "none". */
  labels = "paths";
  showsOverlays = false;
  /** Slots of the elements that are selected and pointed at; -1 = none. */
  selected = -1;
  hovered = -1;
  /** What is shown instead of the newest frame: its elements, effects and facts; undefined = the newest. */
  past = undefined;
  /** Milliseconds of the last pictures' scripts. */
  times = [];
  /** When the last pictures were drawn. */
  ticks = [];
  #element;
  #picture;
  #overlayCanvas;
  #painter;
  #overlay;
  #viewer;
  #offset = { x: 0, y: 0 };
  #reported = { x: 0, y: 0 };
  #sections = new Map();
  // Grows with each movement of a section, so that the answer to an earlier one does not undo a later one.
  #sectionSteps = 0;
  // What a finger moves: a section that scrolls by itself, or the content.
  #dragged;
  // Where the pointer was last on the stage.
  #pointed = { x: 0, y: 0 };
  #motion;
  #scheduled = 0;
  #wheelRest = 0;
  #before;
  #transition;
  #stamp = 0;
  #colors;
  #theme;
  #listeners;
  #barsUntil = 0;

  /** `listeners`: `selected(slot)`, `hovered(slot)`, `moved()`, `resized()`, `toggled(slot)`. */
  constructor(element, listeners) {
    this.#element = element;
    this.#listeners = listeners;
    [this.#picture, this.#overlayCanvas] = element.querySelectorAll("canvas");
    this.#painter = makePainter(this.#picture);
    this.#overlay = new Overlay(this.#overlayCanvas);
    this.#pointers(element);
    new ResizeObserver(() => this.#resized()).observe(element);
    this.#measure();
  }

  /** How it is drawn: "WebGL 2" or "canvas". */
  get kind() {
    return this.#painter.kind;
  }

  // MARK: What is shown

  /** Shows a viewer from its beginning, or from where it is. */
  show(viewer) {
    this.#viewer = viewer;
    this.#motion = this.#transition = this.#before = this.past = undefined;
    this.#sections.clear();
    this.#sectionSteps++;
    this.selected = this.hovered = -1;
    const { x, y } = viewer.viewport;
    this.#offset = { x, y };
    this.#reported = { x, y };
    viewer.on("frame", (frame) => this.#framed(frame));
    this.schedule();
  }

  /** Shows nothing more of the viewer, which ends. The picture stays until there is another one. */
  leave() {
    this.stop();
    this.#viewer = this.past = undefined;
    this.selected = this.hovered = -1;
  }

  /** The size of the viewport in points. */
  get size() {
    return this.fixedSize ?? { width: this.width, height: this.height };
  }

  /** What is in sight, in content coordinates. */
  get viewport() {
    if (this.past) return this.past.facts.viewport;
    const { width, height } = this.size;
    return {
      ...this.#viewer?.viewport, ...this.#offset, width, height, rightToLeft: this.rightToLeft,
    };
  }

  get elements() {
    return this.past?.elements ?? this.#viewer?.elements;
  }

  get effects() {
    return this.past?.facts.effects ?? this.#viewer?.effects ?? NOTHING;
  }

  get contentSize() {
    return this.past?.facts.contentSize ?? this.#viewer?.contentSize ?? { width: 0, height: 0 };
  }

  get isFlying() {
    return this.#motion instanceof Flight;
  }

  /** Takes the colours of the page, which have changed. */
  takeTheme(isDark) {
    this.#colors = paletteOf(isDark);
    this.#theme = overlayTheme(this.#element);
    this.schedule();
  }

  /** Gives the viewport a size, or that of the stage; larger than the stage it is seen smaller. */
  setSize(size) {
    this.fixedSize = size;
    this.camera.reset();
    if (size) {
      const room = Math.min(this.width / size.width, this.height / size.height);
      this.camera.zoom = Math.min(1, room * 0.94);
    }
    this.#resizeViewer();
    this.schedule();
  }

  /** Makes the viewport as large as one says, from its upper left corner. */
  resizeTo(size) {
    this.fixedSize = size;
    this.#resizeViewer();
    this.schedule();
  }

  #resizeViewer() {
    try {
      this.#viewer?.resize(this.size.width, this.size.height);
    } catch {
      // The viewer has ended, and the page says so.
    }
  }

  #framed(frame) {
    const { adjustment } = frame;
    this.#offset.x += adjustment.x;
    this.#offset.y += adjustment.y;
    this.#reported.x += adjustment.x;
    this.#reported.y += adjustment.y;
    if (this.#motion instanceof Approach) this.#motion.shift(adjustment.x, adjustment.y);
    if (frame.transition?.animated && this.#before && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#transition = new Transition(frame, this.#before, performance.now());
    } else if (frame.keyframe) {
      this.#transition = undefined;
    } else {
      this.#transition?.follow(frame);
    }
    const { elements } = this.#viewer;
    // Copied only while edits and layouts may be animated: columns of numbers, without an object for each.
    this.#before = new Before(elements);
    this.#stamp += 1;
    if (this.selected >= 0 && !elements.has(this.selected)) this.select(-1);
    this.schedule();
  }

  // MARK: Drawing

  /** Draws with the next frame of the browser. */
  schedule() {
    this.#scheduled ||= requestAnimationFrame((time) => {
      this.#scheduled = 0;
      this.#draw(time);
    });
  }

  #draw(time) {
    if (!this.#viewer || this.width === 0) return;
    const began = performance.now();
    this.#move(time);
    this.#transition?.advance(began);
    if (this.#transition?.isOver) this.#transition = undefined;
    const { elements, viewport, camera } = this, stage = this, matrix = camera.matrix(stage, viewport);
    this.scene.build({
      elements, effects: this.effects, viewport, transition: this.past ? undefined : this.#transition,
      colors: this.#colors, stamp: this.past ? this.past.facts.seq : this.#stamp,
      inViewport: !camera.isSpatial && camera.zoom === 1 && !this.fixedSize,
    });
    this.#painter.draw(this.scene, matrix, this.lift, stage);
    this.#drawOverlay(matrix, viewport);
    this.#note(began);
    this.#place(matrix, viewport);
    if (this.#motion || this.#transition || this.#barsUntil > began) this.schedule();
  }

  get lift() {
    return this.camera.isSpatial ? this.camera.lift : 0;
  }

  #drawOverlay(matrix, viewport) {
    const overlay = this.#overlay, theme = this.#theme, { camera, elements } = this;
    overlay.begin({ scene: this.scene, matrix, lift: this.lift, stage: this, viewport, theme });
    if (this.labels !== "none") overlay.labels((slot, isWide) => this.#label(elements, slot, isWide));
    const isWhole = camera.zoom === 1 && !camera.isSpatial && !this.fixedSize && camera.panX === 0 && camera.panY === 0;
    if (!isWhole && !camera.isSpatial) overlay.shade(theme.shade);
    if (this.showsOverlays) this.#drawHelp(viewport);
    if (!isWhole) overlay.rect(viewport, theme.viewport, { lineWidth: 1.5 });
    if (this.hovered >= 0) overlay.outline(this.hovered, theme.hover, 1.5);
    if (this.selected >= 0) overlay.outline(this.selected, theme.accent, 3);
    if (isWhole) overlay.bars(this.bars, this.#barsUntil > performance.now());
  }

  /** Coverage, overscan and the anchor. */
  #drawHelp(viewport) {
    const overlay = this.#overlay, theme = this.#theme, facts = this.past?.facts;
    const coverage = facts?.coverage ?? this.#viewer.coverage;
    overlay.rect(coverage, theme.coverage, { text: "coverage", dashes: [8, 5], lineWidth: 2 });
    const room = { x: viewport.width / 2, y: viewport.height / 2 }, { width, height } = this.contentSize;
    const across = width > viewport.width + 1 ? room.x : 0, along = height > viewport.height + 1 ? room.y : 0;
    overlay.rect({
      x: viewport.x - across, y: viewport.y - along, width: viewport.width + 2 * across,
      height: viewport.height + 2 * along,
    }, theme.overscan, { text: "least overscan", dashes: [2, 4] });
    const anchor = this.anchor;
    if (anchor < 0) return;
    const { x, y, width: wide, height: high } = this.elements, adjustment = facts?.adjustment;
    const moved = adjustment && (adjustment.x !== 0 || adjustment.y !== 0)
      ? ` moved by ${Math.round(adjustment.x)}, ${Math.round(adjustment.y)}` : "";
    overlay.rect(
      { x: x[anchor], y: y[anchor], width: wide[anchor], height: high[anchor] }, theme.anchor,
      { text: `anchor${moved}`, lineWidth: 2.5 });
  }

  /** The first cell in sight, which keeps its place when content changes. */
  get anchor() {
    const { elements, viewport } = this;
    let best = -1;
    for (let index = 0; index < elements.count; index += 1) {
      const slot = elements.slots[index];
      if (elements.category[slot] !== 1 || elements.hidden[slot] !== 0) continue;
      if (elements.y[slot] + elements.height[slot] <= viewport.y || elements.x[slot] + elements.width[slot] <= viewport.x) continue;
      if (elements.y[slot] >= viewport.y + viewport.height || elements.x[slot] >= viewport.x + viewport.width) continue;
      if (best < 0 || elements.section[slot] < elements.section[best]
        || (elements.section[slot] === elements.section[best] && elements.itemEnd[slot] < elements.itemEnd[best])) best = slot;
    }
    return best;
  }

  /** Cells are named by their index paths, or keys if there is room for them. */
  #label(elements, slot, isWide) {
    if (this.labels === "slots") return String(slot);
    if (this.labels === "kinds") {
      return elements.kindNames[elements.kindNumber[slot]] || CATEGORIES[elements.category[slot]];
    }
    const section = elements.section[slot], itemEnd = elements.itemEnd[slot];
    if (elements.category[slot] === 1) {
      const key = isWide ? elements.keys[slot] : "", state = elements.state[slot];
      const mark = state === 2 ? "▾ " : state === 1 ? "▸ " : "";
      return "\u2003\u2003".repeat(elements.level[slot]) + mark + (key ? `${key} · ${section}.${itemEnd - 1}` : `${section}.${itemEnd - 1}`);
    }
    const kind = elements.kindNames[elements.kindNumber[slot]];
    if (elements.category[slot] === 3) return kind === "separator" ? "" : kind;
    return isWide ? `${kind} of section ${section}` : kind;
  }

  #note(began) {
    const now = performance.now();
    this.times.push(now - began);
    this.ticks.push(now);
    if (this.times.length > 120) this.times.shift();
    while (this.ticks[0] < now - 1000) this.ticks.shift();
  }

  /** Tells where the lower right corner of the viewport is, for its handle. */
  #place(matrix, viewport) {
    const x = (matrix[0] * viewport.width + matrix[4] * viewport.height + matrix[12]);
    const y = (matrix[1] * viewport.width + matrix[5] * viewport.height + matrix[13]);
    this.#listeners.moved({ x, y });
  }

  // MARK: Moving

  /** Where the content begins and ends at rest. */
  get range() {
    const { width, height } = this.size, content = this.contentSize;
    return { x: Math.max(0, content.width - width), y: Math.max(0, content.height - height) };
  }

  get isHorizontal() {
    const { x, y } = this.range;
    return x > 0.5 && y <= 0.5;
  }

  /** Goes to an offset at once. */
  moveTo({ x = this.#offset.x, y = this.#offset.y }, { isResting = true } = {}) {
    this.past &&= this.#returnToNow();
    const { range } = this;
    this.#offset = { x: Math.min(Math.max(x, 0), range.x), y: Math.min(Math.max(y, 0), range.y) };
    this.#report(isResting);
    this.#barsUntil = performance.now() + 900;
    this.schedule();
  }

  moveBy(x, y, options) {
    this.moveTo({ x: this.#offset.x + x, y: this.#offset.y + y }, options);
  }

  /** Goes to an offset, so that one sees the way; a long way is left out. */
  approach(to) {
    const { range, size } = this, from = { ...this.#offset };
    const end = { x: Math.min(Math.max(to.x, 0), range.x), y: Math.min(Math.max(to.y, 0), range.y) };
    if (Math.abs(end.x - from.x) > 3 * size.width || Math.abs(end.y - from.y) > 3 * size.height) {
      this.stop();
      this.moveTo(end);
      return;
    }
    this.past &&= this.#returnToNow();
    this.#motion = new Approach(from, end, performance.now(), APPROACH);
    this.schedule();
  }

  /** Begins to fly along the content, or ends it. */
  fly(isFlying) {
    this.past &&= this.#returnToNow();
    this.#motion = isFlying ? new Flight(performance.now()) : undefined;
    this.#listeners.flying(isFlying);
    if (!isFlying) this.#report(true);
    this.schedule();
  }

  /** Ends all movement. */
  stop() {
    if (this.isFlying) this.#listeners.flying(false);
    this.#motion = undefined;
  }

  #move(time) {
    const motion = this.#motion;
    if (!motion || this.past) return;
    if (motion instanceof Approach) {
      const at = motion.at(performance.now());
      if (motion.isOver) this.#motion = undefined;
      this.moveTo(at, { isResting: motion.isOver });
    } else if (motion instanceof Flight) {
      const { range } = this, axis = this.isHorizontal ? "x" : "y", at = this.#offset[axis];
      const step = motion.step(time, { ahead: range[axis] - at, behind: at });
      this.moveTo({ [axis]: at + step }, { isResting: false });
    } else {
      const step = motion.step(time);
      if (motion.isOver) this.#motion = undefined;
      this.moveBy(step.x, step.y, { isResting: motion.isOver });
    }
  }

  #report(isResting) {
    const { x, y } = this.#offset, viewer = this.#viewer;
    if (!viewer) return;
    const distance = Math.max(Math.abs(x - this.#reported.x), Math.abs(y - this.#reported.y));
    if (distance === 0 || (distance < REPORTED && !isResting && !viewer.everyScroll)) return;
    this.#reported = { x, y };
    try {
      viewer.scroll({ x, y });
    } catch {
      // The viewer has ended, and the page says so.
    }
  }

  #returnToNow() {
    this.#listeners.returned();
    return undefined;
  }

  /** Lets go with a velocity, in points a second: goes to where the layout lets scrolling rest. */
  async release(velocity) {
    const viewer = this.#viewer, speed = Math.hypot(velocity.x, velocity.y);
    if (speed > 60) {
      this.#motion = new Momentum(velocity, performance.now());
      this.schedule();
    }
    const motion = this.#motion, began = { ...this.#offset };
    try {
      const target = await viewer.release(velocity);
      // Something else has moved it meanwhile.
      if (viewer !== this.#viewer || motion !== this.#motion) return;
      const natural = speed > 60 ? Math.abs(this.#naturalEnd(began.x, velocity.x, "x") - target.x)
        + Math.abs(this.#naturalEnd(began.y, velocity.y, "y") - target.y) : Infinity;
      const distance = Math.abs(target.x - this.#offset.x) + Math.abs(target.y - this.#offset.y);
      // Momentum leads there by itself.
      if (natural < 2 || distance < 0.5) return;
      const time = Math.min(900, Math.max(240, (distance / Math.max(speed, 600)) * 1500));
      this.#motion = new Approach(this.#offset, target, performance.now(), time);
      this.schedule();
    } catch {
      // Without an answer it rests where it is.
    }
  }

  #naturalEnd(from, velocity, axis) {
    return Math.min(Math.max(from + velocity * 0.499, 0), this.range[axis]);
  }

  // MARK: Pointers, wheels and keys

  #pointers(element) {
    new Pointers(element, {
      down: () => {
        this.stop();
        this.#dragged = undefined;
      },
      drag: (x, y) => this.#drag(x, y),
      bar: (x, y) => this.#dragBar(x, y),
      release: (velocity) => this.#released(velocity),
      tap: (x, y) => this.#tap(x, y),
      hover: (x, y) => this.#hover(x, y),
      leave: () => this.#setHovered(-1),
      zoom: (factor, x, y) => this.zoomTo(this.camera.zoom * factor, x, y),
      orbit: (x, y) => {
        this.camera.orbit(x, y);
        this.schedule();
      },
      orbits: () => this.camera.isSpatial,
    });
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  zoomTo(zoom, x = this.width / 2, y = this.height / 2) {
    const snapped = Math.abs(zoom - 1) < 0.02 ? 1 : zoom;
    this.camera.zoomAt(snapped, x, y, this);
    if (snapped === 1 && !this.fixedSize) this.camera.panX = this.camera.panY = 0;
    this.schedule();
  }

  /** A drag that begins along a section that scrolls by itself moves this section until it ends. */
  #drag(x, y) {
    const { zoom } = this.camera;
    this.#dragged ??= { scroll: this.#scrollUnder(this.#pointed, x, y) };
    const { scroll } = this.#dragged;
    if (scroll) this.#scrollSection(scroll, along(scroll, x, y) / zoom);
    else this.moveBy(-x / zoom, -y / zoom, { isResting: false });
  }

  #released(velocity) {
    const { zoom } = this.camera, scroll = this.#dragged?.scroll;
    this.#dragged = undefined;
    if (scroll) this.#releaseSection(scroll, along(scroll, velocity.x, velocity.y) / zoom);
    else this.release({ x: -velocity.x / zoom, y: -velocity.y / zoom });
  }

  /** The section at a point of the stage, if it scrolls by itself and its axis is that of a movement. */
  #scrollUnder(at, x, y) {
    const scroll = this.#sectionScrollAt(at.x, at.y);
    if (!scroll || scroll.maxOffset - scroll.minOffset < 0.5) return undefined;
    return Math.abs(along(scroll, x, y)) > Math.hypot(x, y) * Math.SQRT1_2 ? scroll : undefined;
  }

  /** The section that scrolls by itself at a point of the stage: between its items too, and before they arrive. */
  #sectionScrollAt(x, y) {
    const { elements, camera, viewport } = this, { sectionScrolls } = this.#viewer, slot = this.slotAt(x, y);
    if (slot >= 0) return sectionScrolls.find(({ section }) => section === elements.section[slot]);
    // Seen from the side, a point of the stage is not one place of the content.
    if (camera.isSpatial) return undefined;
    const place = camera.place(this, viewport, x, y);
    return sectionScrolls.find(({ rect }) => place.x >= rect.x && place.x < rect.x + rect.width
      && place.y >= rect.y && place.y < rect.y + rect.height);
  }

  #scrollSection({ section, offset, minOffset, maxOffset }, distance) {
    const moved = (this.#sections.get(section) ?? offset) + distance;
    const within = Math.min(Math.max(moved, minOffset), maxOffset);
    this.#sectionSteps++;
    this.#sections.set(section, within);
    this.#viewer.scroll({ sections: { [section]: within } });
  }

  /** Scrolls a section to where it comes to rest, unless somebody moves one before that is known. */
  async #releaseSection({ section, direction }, speed) {
    const step = ++this.#sectionSteps;
    try {
      const velocity = direction.x === 0 ? { x: 0, y: speed } : { x: speed, y: 0 };
      const target = await this.#viewer.release(velocity, { section });
      if (step !== this.#sectionSteps) return;
      const offset = direction.x === 0 ? target.y : target.x;
      this.#sections.set(section, offset);
      this.#viewer.scroll({ sections: { [section]: offset } });
    } catch {
      // It rests where it is.
    }
  }

  #wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE / 3 : event.deltaMode === 2 ? this.height : 1;
    const x = event.deltaX * unit, y = event.deltaY * unit, at = placeOn(this.#element, event);
    if (event.ctrlKey || event.metaKey) {
      this.zoomTo(this.camera.zoom * Math.exp(-y / 300), at.x, at.y);
      return;
    }
    this.stop();
    const { zoom } = this.camera, isTurned = (event.shiftKey && x === 0) || (this.isHorizontal && x === 0);
    const [right, down] = isTurned ? [y, 0] : [x, y], scroll = this.#scrollUnder(at, right, down);
    if (scroll) this.#scrollSection(scroll, along(scroll, -right, -down) / zoom);
    else this.moveBy(right / zoom, down / zoom, { isResting: false });
    clearTimeout(this.#wheelRest);
    this.#wheelRest = setTimeout(() => {
      this.#report(true);
      if (scroll) this.#releaseSection(scroll, 0);
      else this.release({ x: 0, y: 0 });
    }, WHEEL_REST);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { width, height } = this.size, { range } = this, page = this.isHorizontal ? [width * 0.9, 0] : [0, height * 0.9];
    const arrows = { ArrowUp: [0, -LINE], ArrowDown: [0, LINE], ArrowLeft: [-LINE, 0], ArrowRight: [LINE, 0] };
    const steps = {
      ...arrows, PageDown: page, PageUp: page.map((each) => -each), " ": event.shiftKey ? page.map((each) => -each) : page,
    };
    if (this.selected >= 0 && arrows[event.key]) this.#listeners.stepped(event.key.slice("Arrow".length).toLowerCase());
    else if (steps[event.key]) this.#step(...steps[event.key]);
    else if (event.key === "Home") this.approach({ x: this.rightToLeft ? range.x : 0, y: 0 });
    else if (event.key === "End") this.approach({ x: this.rightToLeft || !this.isHorizontal ? 0 : range.x, y: range.y });
    else if (event.key === "+" || event.key === "=") this.zoomTo(this.camera.zoom * 1.25);
    else if (event.key === "-") this.zoomTo(this.camera.zoom / 1.25);
    else if (event.key === "0") this.#resetCamera();
    else if (event.key === "Escape") this.select(-1);
    else if (event.key === "Enter") this.#enter();
    else return;
    event.preventDefault();
  }

  #step(x, y) {
    const from = this.#motion instanceof Approach ? this.#motion.to : this.#offset;
    this.stop();
    this.approach({ x: from.x + x, y: from.y + y });
  }

  #resetCamera() {
    this.camera.reset();
    if (this.fixedSize) this.setSize(this.fixedSize);
    this.schedule();
  }

  #enter() {
    if (this.selected < 0) this.select(this.anchor);
    else this.#listeners.toggled(this.selected);
  }

  #tap(x, y) {
    const slot = this.slotAt(x, y);
    this.select(slot);
    if (slot >= 0) this.#listeners.toggled(slot);
  }

  select(slot) {
    this.selected = slot;
    this.#listeners.selected(slot);
    this.schedule();
  }

  #hover(x, y) {
    this.#pointed = { x, y };
    this.#setHovered(this.slotAt(x, y));
  }

  #setHovered(slot) {
    if (slot === this.hovered) return;
    this.hovered = slot;
    this.#listeners.hovered(slot);
    this.schedule();
  }

  /** The slot of the nearest element at a point of the stage; -1 = none. */
  slotAt(x, y) {
    if (!this.#viewer) return -1;
    const index = this.scene.find(this.camera.matrix(this, this.viewport), this.lift, x, y);
    return index < 0 ? -1 : this.scene.slots[index];
  }

  // MARK: Scroll bars

  /** Of each axis along which the content scrolls where the bar begins and how long it is, in pixels. */
  get bars() {
    const { viewport, contentSize } = this, bars = [];
    for (const [axis, extent, room] of [["x", "width", this.width], ["y", "height", this.height]]) {
      const whole = contentSize[extent];
      if (whole <= viewport[extent] + 0.5) continue;
      const length = Math.max(28, (viewport[extent] / whole) * room);
      bars.push({ axis, length, start: (viewport[axis] / (whole - viewport[extent])) * (room - length) });
    }
    return bars;
  }

  /** - Returns: false = there is no bar. */
  #dragBar(x, y) {
    const isWhole = this.camera.zoom === 1 && !this.camera.isSpatial && !this.fixedSize;
    const axis = x > this.width - 14 ? "y" : y > this.height - 14 ? "x" : undefined;
    const bar = isWhole ? this.bars.find((each) => each.axis === axis) : undefined;
    if (!bar) return undefined;
    const room = (axis === "y" ? this.height : this.width) - bar.length;
    return (px, py) => {
      const part = ((axis === "y" ? py : px) - bar.length / 2) / room;
      this.moveTo({ [axis]: Math.min(Math.max(part, 0), 1) * this.range[axis] }, { isResting: false });
    };
  }

  // MARK: The size of the stage

  #measure() {
    this.width = this.#element.clientWidth;
    this.height = this.#element.clientHeight;
    for (const canvas of [this.#picture, this.#overlayCanvas]) {
      canvas.width = Math.round(this.width * devicePixelRatio);
      canvas.height = Math.round(this.height * devicePixelRatio);
    }
  }

  #resized() {
    const { width, height } = this;
    this.#measure();
    if ((width !== this.width || height !== this.height) && !this.fixedSize && this.width > 0 && this.height > 0) {
      this.#resizeViewer();
    }
    this.#listeners.resized();
    // A canvas is empty once it has another size, and would flash.
    this.#draw(performance.now());
  }
}
