// SPDX-License-Identifier: Apache-2.0
// Checks of CanvasView in a browser.

import { CanvasView, Client } from "/Clients/web/collection-layout.js";
import { address, until } from "./checks.js";

const container = document.querySelector("#view");
const client = new Client(address);
let view;

export function cleanUp() {
  view.close();
}

function color({ section, item }) {
  return `rgb(${(item * 7) % 256} ${(item * 13) % 256} ${section})`;
}

/** The median of some numbers, and the greatest of nine in ten. */
function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], ninth: sorted[Math.floor(sorted.length * 0.9)] };
}

export const canvasChecks = {
  /** More than ten thousand rectangles are in sight, and the content scrolls. */
  async tenThousand() {
    const drawn = [], scripts = [];
    let count = 0, began = 0;
    view = new CanvasView(container, client, "tiles", {
      options: { overscanAhead: 0.2, overscanBehind: 0.2 },
      clear: (context, { width, height }) => {
        began = performance.now();
        count = 0;
        context.clearRect(0, 0, width, height);
      },
      draw: (context, element, { x, y, width, height }) => {
        context.fillStyle = color(element);
        context.fillRect(x, y, width, height);
        count += 1;
      },
    });
    await until(() => count > 10_000, "ten thousand tiles");
    const context = container.querySelector("canvas").getContext("2d");
    const [red, green] = context.getImageData(5, 5, 1, 1).data;
    // What arrives between two frames counts for the later one.
    let received = 0, frames = 0;
    view.viewer.on("received", (milliseconds) => {
      received += milliseconds;
      frames += 1;
    });
    for (let step = 0; step < 120; step += 1) {
      container.scrollTop += 20;
      await new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
      await new Promise((resolve) => {
        setTimeout(resolve);
      });
      drawn.push(count);
      scripts.push(performance.now() - began);
    }
    return { red, green, fewest: Math.min(...drawn), drawing: spread(scripts), received, frames };
  },

  /** A rotated element is drawn about its middle, and a transparent one lets others through. */
  async transforms() {
    const places = [];
    view = new CanvasView(container, client, "stack", {
      draw: (context, element, { x, y, width, height }) => {
        const { a, b } = context.getTransform();
        places[element.item] = { x: x + width / 2, y: y + height / 2, scale: Math.hypot(a, b) };
      },
    });
    await until(() => places.length > 3, "a carousel");
    return places.filter(Boolean).slice(0, 5);
  },
};
