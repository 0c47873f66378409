// SPDX-License-Identifier: Apache-2.0
// Checks of CanvasView in a browser.

import { CanvasView, Client, WebSocketTransport } from "/Clients/web/collection-layout.js";
import { address, until } from "./checks.js";

const container = document.querySelector("#view");
let view;
// How long the client took with messages since somebody asked, in milliseconds.
let spent = 0;

const transport = new WebSocketTransport(address);
const client = new Client({
  address,
  canRenew: false,
  open: (method, { message, ...rest }) => transport.open(method, {
    ...rest,
    message: (bytes) => {
      const began = performance.now();
      message(bytes);
      spent += performance.now() - began;
    },
  }),
});

export function cleanUp() {
  view.close();
}

/** The median of some numbers, and what nine in ten do not exceed. */
function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], ninth: sorted[Math.floor(sorted.length * 0.9)] };
}

export const canvasChecks = {
  /** More than ten thousand rectangles are in sight, and the content scrolls. */
  async tenThousand() {
    const drawn = [], drawing = [], receiving = [];
    let count = 0, began = 0;
    view = new CanvasView(container, client, "tiles", {
      options: { overscanAhead: 0.2, overscanBehind: 0.2 },
      clear: (context, { width, height }) => {
        began = performance.now();
        count = 0;
        context.clearRect(0, 0, width, height);
        context.fillStyle = "rgb(30 60 90)";
      },
      draw: (context, element, { x, y, width, height }) => {
        if (element.item % 10 !== 9) context.fillRect(x, y, width, height);
        count += 1;
      },
    });
    await until(() => count > 10_000, "ten thousand tiles");
    const context = container.querySelector("canvas").getContext("2d");
    const [red, green, blue] = context.getImageData(5, 5, 1, 1).data;
    // Registered after the view's listener, so its frame comes after the view's.
    container.addEventListener("scroll", () => {
      requestAnimationFrame(() => {
        drawn.push(count);
        drawing.push(performance.now() - began);
        receiving.push(spent);
        spent = 0;
      });
    });
    for (let step = 0; step < 200; step += 1) {
      container.scrollTop += 20;
      await until(() => drawn.length > step, "a frame");
    }
    // The canvas stays in sight, wherever the content is scrolled to.
    const top = () => container.querySelector("canvas").getBoundingClientRect().top - container.getBoundingClientRect().top;
    const tops = [top()];
    container.scrollTop = container.scrollHeight;
    await until(() => drawn.length > 200, "a frame at the end");
    tops.push(top());
    return {
      tops, color: [red, green, blue], count: spread(drawn).median, drawing: spread(drawing), receiving: spread(receiving),
      live: view.viewer.elements.count,
    };
  },

  /** The item in the middle of a line is enlarged about its middle. */
  async transforms() {
    const places = [];
    view = new CanvasView(container, client, "stack", {
      draw: (context, element, { x, y, width, height }) => {
        const { a, b } = context.getTransform();
        places[element.item] = { x: x + width / 2, y: y + height / 2, scale: Math.hypot(a, b) };
      },
    });
    await until(() => places.length > 3, "a line");
    return places.filter(Boolean).slice(0, 5);
  },
};
