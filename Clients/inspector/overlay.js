// SPDX-License-Identifier: Apache-2.0
// What is drawn over the elements: names, what is selected, the viewport, coverage, overscan, the anchor, and
// scroll bars.

import { projected } from "./camera.js";
import { BOX } from "./scene.js";

const MOST_LABELS = 1200;
// An element has to be so large on the stage, in pixels, to be named.
const LEAST_WIDTH = 30, LEAST_HEIGHT = 15;
const MOST_BLOCKERS = 48;

/** Draws on a canvas over the picture. */
export class Overlay {
  #canvas;
  #context;
  #corners = new Float64Array(8);
  #point = { x: 0, y: 0, w: 1 };

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
  }

  /** Begins a picture. `view` has the scene, the camera's matrix and lift, the stage and the theme. */
  begin(view) {
    const context = this.#context, scale = this.#canvas.width / view.stage.width;
    this.view = view;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, view.stage.width, view.stage.height);
    context.setLineDash([]);
  }

  /** Names elements: `textOf(slot, isWide)`. */
  labels(textOf) {
    const { scene, matrix, lift, stage, theme } = this.view, context = this.#context;
    const corners = this.#corners, blockers = this.#blockers();
    let drawn = 0;
    context.font = "500 11px ui-sans-serif, system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let index = 0; index < scene.count && drawn < MOST_LABELS; index += 1) {
      const slot = scene.slots[index];
      if (slot < 0 || scene.boxes[index * BOX + 5] < 0.3) continue;
      if (!scene.corners(index, matrix, lift, corners)) continue;
      const width = Math.hypot(corners[2] - corners[0], corners[3] - corners[1]);
      const height = Math.hypot(corners[6] - corners[0], corners[7] - corners[1]);
      if (width < LEAST_WIDTH || height < LEAST_HEIGHT) continue;
      // Wide rows are named at their beginning, where they are read.
      const isWide = width > 5 * height && width > 240;
      const text = textOf(slot, isWide || width > 120);
      const room = Math.min(width - 8, 400);
      scene.middle(index, matrix, lift, this.#point);
      const { y } = this.#point, x = isWide ? Math.max((corners[0] + corners[6]) / 2 + 12, 12) : this.#point.x;
      if (x < -room || x > stage.width + room || y < -20 || y > stage.height + 20) continue;
      if (blockers.some((each) => each.index > index && contains(each, x, y))) continue;
      context.textAlign = isWide ? "left" : "center";
      context.fillStyle = scene.boxes[index * BOX + 11] > 0 ? theme.label : theme.text;
      context.fillText(text, x, y, room);
      drawn += 1;
    }
  }

  /** The bounds on the stage of boxes that lie over others. */
  #blockers() {
    const { scene, matrix, lift } = this.view, blockers = [];
    if (scene.count === 0) return blockers;
    const lowest = scene.boxes[Math.floor(scene.count / 2) * BOX + 4];
    for (let index = scene.count - 1; index >= 0 && blockers.length < MOST_BLOCKERS; index -= 1) {
      const isAbove = scene.boxes[index * BOX + 4] > lowest || scene.hasMatrices;
      if (!isAbove || scene.slots[index] < 0 || scene.boxes[index * BOX + 5] < 0.3) continue;
      const corners = new Float64Array(8);
      if (scene.corners(index, matrix, lift, corners)) blockers.push({ index, corners });
    }
    return blockers;
  }

  /** A line around the element in a slot. */
  outline(slot, color, width) {
    const { scene, matrix, lift } = this.view, index = this.#indexOf(slot);
    if (index < 0 || !scene.corners(index, matrix, lift, this.#corners)) return;
    this.#stroke(this.#corners, color, width);
  }

  #indexOf(slot) {
    const { slots, count } = this.view.scene;
    for (let index = 0; index < count; index += 1) if (slots[index] === slot) return index;
    return -1;
  }

  /** A rectangle in content coordinates; with a text at its corner, and dashes if wanted. */
  rect({ x, y, width, height }, color, { text = "", dashes = [], fill, lineWidth = 1.5 } = {}) {
    const { viewport } = this.view, left = x - viewport.x, top = y - viewport.y, context = this.#context;
    const corners = this.#place([[left, top], [left + width, top], [left + width, top + height], [left, top + height]]);
    if (!corners) return;
    if (fill) {
      context.fillStyle = fill;
      this.#path(corners);
      context.fill();
    }
    context.setLineDash(dashes);
    this.#stroke(corners, color, lineWidth);
    context.setLineDash([]);
    if (text) this.#tag(text, corners, color);
  }

  /** Darkens everything outside of the viewport. */
  shade(color) {
    const { viewport, stage } = this.view, context = this.#context;
    const corners = this.#place([[0, 0], [viewport.width, 0], [viewport.width, viewport.height], [0, viewport.height]]);
    if (!corners) return;
    context.fillStyle = color;
    this.#path(corners);
    context.rect(stage.width + 1, -1, -stage.width - 2, stage.height + 2);
    context.fill("evenodd");
  }

  /** Scroll bars of what is in sight in the content: of each axis where it begins and how long it is. */
  bars(bars, isActive) {
    const { theme, stage } = this.view, context = this.#context, thickness = isActive ? 8 : 5;
    context.fillStyle = theme.bar;
    for (const { axis, start, length } of bars) {
      context.beginPath();
      if (axis === "y") context.roundRect(stage.width - thickness - 3, start, thickness, length, thickness / 2);
      else context.roundRect(start, stage.height - thickness - 3, length, thickness, thickness / 2);
      context.fill();
    }
  }

  #place(points) {
    const corners = new Float64Array(points.length * 2), { matrix } = this.view;
    for (const [index, [x, y]] of points.entries()) {
      const point = projected(matrix, x, y, 0, this.#point);
      if (point.w <= 0) return undefined;
      corners[index * 2] = point.x;
      corners[index * 2 + 1] = point.y;
    }
    return corners;
  }

  #path(corners) {
    const context = this.#context;
    context.beginPath();
    for (let index = 0; index < corners.length; index += 2) context.lineTo(corners[index], corners[index + 1]);
    context.closePath();
  }

  #stroke(corners, color, width) {
    const context = this.#context;
    this.#path(corners);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  }

  #tag(text, corners, color) {
    const context = this.#context, { stage, theme } = this.view;
    context.font = "600 11px ui-sans-serif, system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    const width = context.measureText(text).width + 10;
    // Kept on the stage, whatever part of the rectangle is in sight.
    const x = Math.min(Math.max(corners[0], 2), stage.width - width - 2);
    const y = Math.min(Math.max(corners[1], 2), stage.height - 20);
    context.fillStyle = color;
    context.beginPath();
    context.roundRect(x, y, width, 18, 4);
    context.fill();
    context.fillStyle = theme.onAccent;
    context.fillText(text, x + 5, y + 9.5);
  }
}

function contains({ corners }, x, y) {
  const left = Math.min(corners[0], corners[6]), right = Math.max(corners[2], corners[4]);
  const top = Math.min(corners[1], corners[3]), bottom = Math.max(corners[5], corners[7]);
  return x >= left && x <= right && y >= top && y <= bottom;
}
