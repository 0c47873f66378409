// SPDX-License-Identifier: Apache-2.0
// Checks of ListView in a browser.

import { Client, ListView } from "/Clients/web/collection-layout.js";
import { address, until } from "./checks.js";

const container = document.querySelector("#list");
const client = new Client(address);

/** The nodes in sight: of each its text and its upper edge in the container. */
function shown() {
  const frame = container.getBoundingClientRect();
  return [...container.querySelectorAll("[data-slot]")]
    .map((node) => ({ node, text: node.textContent, box: node.getBoundingClientRect() }))
    .filter(({ node, box }) => (
      getComputedStyle(node).display !== "none" && box.bottom > frame.top && box.top < frame.bottom
      && box.right > frame.left && box.left < frame.right))
    .sort((a, b) => a.box.top - b.box.top)
    .map(({ text, box, node }) => ({ text, node, top: box.top - frame.top, height: box.height, left: box.left }));
}

let view;

function open(collection, options = {}) {
  view = new ListView(container, client, collection, {
    render: (node, element) => {
      node.textContent = element.key || `${element.kind || element.category} ${element.section}/${element.item}`;
    },
    ...options,
  });
}

/** Puts everything back after a check. */
export function cleanUp() {
  view.close();
  container.style.direction = "";
  container.style.width = "";
}

/** Whether the rows in sight are those of the offset, without gaps. */
function fits(view, height) {
  const rows = shown(), { y } = view.viewport;
  if (rows.length < container.clientHeight / height) return false;
  return rows.every(({ text, top }) => {
    const item = Number(text.split("/")[1]);
    return Math.abs(item * height - y - top) < 0.51;
  });
}

export const listChecks = {
  /** A fault in the page's own function, and scrolling after the viewer has ended. */
  async faults() {
    const faults = [];
    const heard = (event) => {
      event.preventDefault();
      faults.push(event.message);
    };
    window.addEventListener("error", heard);
    try {
      open("long", {
        render: (node, { item }) => {
          if (item === 2) throw new Error("row 2");
          node.textContent = `cell 0/${item}`;
        },
      });
      const rows = await until(() => {
        const texts = shown().map(({ text }) => text);
        return texts.includes("cell 0/5") && texts;
      }, "the other rows");
      view.viewer.close();
      container.scrollTop += 3_000;
      for (let step = 0; step < 10; step += 1) await until(() => true);
      return { rows: rows.slice(0, 5), faults };
    } finally {
      window.removeEventListener("error", heard);
    }
  },

  /** Ten million rows of 44 points are 440 million pixels, more than any browser's scroller. */
  async longContents() {
    open("long");
    await until(() => fits(view, 44), "the first rows");
    const nodes = [];
    const visited = [];
    for (const part of [0.1, 0.5, 0.9, 1, 0.25]) {
      container.scrollTop = part * (container.scrollHeight - container.clientHeight);
      await until(() => fits(view, 44), `the rows at ${part}`);
      visited.push(view.viewport.y);
      nodes.push(container.querySelectorAll("[data-slot]").length);
    }
    // A wheel's steps are one to one, wherever the content is.
    const before = view.viewport.y;
    for (let step = 0; step < 30; step += 1) {
      container.scrollTop += 53;
      await until(() => true);
    }
    await until(() => fits(view, 44), "the rows after steps");
    const moved = view.viewport.y - before;
    container.scrollTop = 0;
    await until(() => view.viewport.y === 0 && fits(view, 44), "the start");
    view.scrollTo({ y: 123_456_789.5 });
    await until(() => fits(view, 44), "an offset");
    const offset = view.viewport.y;
    await view.scrollToItem([0, 9_999_999], { position: "end" });
    await until(() => fits(view, 44) && shown().at(-1)?.text.endsWith("/9999999"), "the last item");
    const last = shown().at(-1)?.text, { scrollHeight } = container;
    view.close();
    return { visited, nodes, moved, offset, last, scrollHeight, left: container.childElementCount };
  },

  async edits() {
    open("edited");
    await until(() => shown().length > 10, "rows");
    view.scrollTo({ y: 5_000 });
    const first = await until(() => shown()[0]?.text !== "row0" && shown().length > 10 && shown()[1], "rows below");
    const jumps = [];
    for (let step = 0; step < 5; step += 1) {
      const keys = [`in${step}`];
      const version = await client.apply("edited", [{
        insertItems: { at: { section: 0, item: 0 }, blocks: [{ count: 1, heights: [37.5], keys }] },
      }]);
      await until(() => view.viewer.dataVersion >= version, "the edit");
      await until(() => true);
      const again = shown().find((each) => each.text === first.text);
      jumps.push({ jump: again.top - first.top, isSame: again.node === first.node });
    }
    return jumps;
  },

  /** Steps of the user count, and edits above do not. */
  async editsWhileScrolling() {
    open("edited");
    await until(() => shown().length > 10, "rows");
    view.scrollTo({ y: 9_000 });
    const row = await until(() => shown().length > 10 && view.viewport.y > 8_000 && shown().at(-1), "rows below");
    let version = 0, moved = 0, worst = 0;
    for (let step = 0; step < 60; step += 1) {
      container.scrollTop += 9;
      moved += 9;
      if (step % 6 === 0) {
        const insertItems = { at: { section: 0, item: 1 }, blocks: [{ count: 1, heights: [51.5], keys: [`w${step}`] }] };
        version = await client.apply("edited", [{ insertItems }]);
      }
      await until(() => true);
      const now = shown().find((each) => each.text === row.text);
      worst = Math.max(worst, Math.abs(now.top - row.top + moved));
    }
    await until(() => view.viewer.dataVersion >= version, "the last edit");
    await new Promise((resolve) => {
      setTimeout(resolve, 400);
    });
    const now = shown().find((each) => each.text === row.text);
    return { worst, last: Math.abs(now.top - row.top + moved), base: container.scrollTop - view.viewport.y };
  },

  /** Contents go to the server and come back over a WebSocket each. */
  async contents() {
    open("imported");
    const keys = Array.from({ length: 20_000 }, (_, index) => `row${index}`);
    const { itemCount } = await client.importContents("imported", {
      sections: [{ key: "all", blocks: [{ count: keys.length, heights: [20], keys }] }],
    });
    await until(() => shown()[0]?.text === "row0", "what was imported");
    const { contents: { sections: [{ key, blocks }] } } = await client.exportContents("imported");
    return { itemCount, key, last: blocks.at(-1).keys.at(-1) };
  },

  /** Rows come from, go to and move between the places that the layout names. */
  async animations() {
    const from = { offset: { x: 200, y: 0 }, alpha: 0.5 };
    open("animated", {
      animation: { duration: 100_000, easing: "linear" },
      layout: { list: { rowHeight: 40 }, appearing: from, disappearing: { offset: { x: -100, y: 0 } } },
    });
    await until(() => shown().length > 10, "rows");
    const insertItems = { at: { section: 0, item: 1 }, blocks: [{ count: 1, keys: ["new"] }] };
    const deleteItems = { section: 0, firstItem: 5, itemCount: 1 };
    const version = await client.apply("animated", [{ deleteItems }, { insertItems }], { animated: true });
    await until(() => view.viewer.dataVersion >= version && document.getAnimations().length > 3, "animations");
    const animations = document.getAnimations();
    const rowOf = (text) => animations.find(({ effect }) => effect.target.textContent === text);
    const left = (animation) => {
      const { effect: { target } } = animation;
      return Math.round(target.getBoundingClientRect().left - container.getBoundingClientRect().left);
    };
    const top = (animation) => {
      const { effect: { target } } = animation;
      return Math.round(target.getBoundingClientRect().top - container.getBoundingClientRect().top);
    };
    const at = (time) => {
      for (const animation of animations) animation.currentTime = time;
      return {
        new: left(rowOf("new")), gone: left(rowOf("row5")), moved: top(rowOf("row1")),
        opacity: Math.round(100 * getComputedStyle(rowOf("new").effect.target).opacity) / 100,
        hidden: rowOf("row5").effect.target.getAttribute("aria-hidden"),
      };
    };
    const [start, end] = [at(0), at(99_999)];
    for (const animation of animations) animation.finish();
    await until(() => document.getAnimations().length === 0, "the end of animations");
    await until(() => !container.textContent.includes("row5"), "the end of the row that is gone");
    return { start, end, nodes: shown().slice(0, 4).map(({ text }) => text) };
  },

  async selfSizing() {
    open("estimated", {
      selfSizing: "height",
      render: (node, element) => {
        node.innerHTML = `<div style="height:${60 + (element.item % 3) * 20}px">${element.item}</div>`;
      },
    });
    const rows = await until(() => {
      const found = shown().filter((each) => each.text !== "");
      const isSized = found.every(({ text, height }) => Math.abs(height - 60 - (Number(text) % 3) * 20) < 0.5);
      const isDense = found.every(({ top }, index) => (
        index === 0 || Math.abs(top - found[index - 1].top - found[index - 1].height) < 0.6));
      return found.length > 5 && isSized && isDense && found;
    }, "measured rows");
    return rows.length;
  },

  async keyboard() {
    open("edited");
    await until(() => shown().length > 10, "rows");
    const press = (key) => (document.activeElement.closest("#list") ?? container).dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const focused = async (key, text) => {
      press(key);
      await until(() => document.activeElement.textContent === text && view.slotOf(document.activeElement) !== undefined,
        `the focus on ${text}, it is on ${document.activeElement.textContent.slice(0, 20)},`);
    };
    container.focus();
    const first = shown()[0].text;
    await focused("ArrowDown", first);
    const second = shown()[1].text;
    await focused("ArrowDown", second);
    await focused("End", "row999");
    // The item with the focus may be far away; keys go on from it.
    view.scrollTo({ y: 0 });
    await until(() => document.activeElement === container && shown()[0]?.text === first, "the focus on the list");
    await focused("ArrowUp", "row998");
    await focused("Home", first);
    return [first, second];
  },

  async rightToLeft() {
    container.style.direction = "rtl";
    open("sideways");
    // The scroll bar takes room for one of eight rows.
    const rows = await until(() => view.viewport.x > 4_000 && shown().length > 3 && shown(), "cells");
    const frame = container.getBoundingClientRect();
    const right = Math.max(...rows.map(({ node }) => node.getBoundingClientRect().right));
    const start = view.viewport.x;
    container.scrollLeft -= 500;
    await until(() => view.viewport.x < start - 400, `scrolling to the left from ${start}, ${container.scrollLeft}`);
    await until(() => shown().length > 3, "cells on the left");
    return {
      start, gap: frame.left + container.clientWidth - right, direction: getComputedStyle(rows[0].node).direction,
    };
  },

  /** What bars cover belongs to the viewport; content begins below it. */
  async insets() {
    open("edited", { viewport: { contentInsets: { top: 60, bottom: 40 } } });
    await until(() => shown().length > 10 && shown()[0]?.top > 59, "rows below the bar");
    const { top } = shown()[0];
    container.scrollTop = container.scrollHeight;
    const last = await until(() => shown().at(-1)?.text === "row999" && shown().at(-1), "the last row");
    return [top, container.clientHeight - last.top - last.height];
  },

  async resizing() {
    open("grid");
    const columns = () => new Set(shown().map((each) => Math.round(each.left))).size;
    await until(() => columns() === 3, "three columns");
    container.style.width = "700px";
    await until(() => columns() === 6, "six columns");
    container.style.width = "390px";
    await until(() => columns() === 3, "three columns again");
    return true;
  },

  async pinnedHeaders() {
    open("headed", {
      render: (node, { category, section, item }) => {
        node.textContent = category === "cell" ? `${section}/${item}` : `header ${section}`;
      },
    });
    await until(() => shown().some((each) => each.text === "header 0"), "a header");
    const tops = [];
    for (const y of [10, 77, 333, 700]) {
      container.scrollTop = y;
      await until(() => view.viewport.y === y, "scrolling");
      await until(() => true);
      tops.push(shown().find((each) => each.text === "header 0")?.top);
    }
    return tops;
  },
};
