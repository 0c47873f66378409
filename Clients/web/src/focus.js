// SPDX-License-Identifier: Apache-2.0

const STEPS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", PageUp: "page_up",
  PageDown: "page_down", Home: "first", End: "last",
};

/**
 * Moves the focus from item to item by keys. The server knows which item lies where, also far from what is
 * in sight.
 */
export class Focus {
  #container;
  #list;
  // The item that is to get the focus as soon as it has a node.
  #wanted;
  // The item that had it last.
  #last;
  #isAsking = false;

  constructor(container, list) {
    this.#container = container;
    this.#list = list;
    if (!container.hasAttribute("tabindex")) container.tabIndex = 0;
    container.addEventListener("keydown", this.#pressed);
  }

  close() {
    this.#container.removeEventListener("keydown", this.#pressed);
  }

  /** Gives the focus to an item as soon as it has a node. */
  want(item) {
    this.#wanted = item;
    this.update();
  }

  update() {
    if (this.#wanted === undefined) return;
    const slot = this.#slotOf(this.#wanted), node = slot === undefined ? undefined : this.#list.node(slot);
    if (!node) return;
    this.#last = this.#wanted;
    this.#wanted = undefined;
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
  }

  /** The item with the focus is out of sight; keys go on from it. */
  hold() {
    this.#container.focus({ preventScroll: true });
  }

  #slotOf(item) {
    const { elements } = this.#list.viewer;
    for (let index = 0; index < elements.count; index += 1) {
      const slot = elements.slots[index];
      if (elements.category[slot] !== 1) continue;
      const isWanted = typeof item === "string" ? elements.keys[slot] === item
        : elements.section[slot] === item[0] && elements.itemEnd[slot] === item[1] + 1;
      if (isWanted) return slot;
    }
    return undefined;
  }

  /** The first item in sight. */
  #firstVisible() {
    const { viewport, viewer: { elements } } = this.#list;
    const found = [...elements].filter((each) => (
      each.category === "cell" && !each.hidden
      && each.y + each.height > viewport.y && each.y < viewport.y + viewport.height
      && each.x + each.width > viewport.x && each.x < viewport.x + viewport.width));
    found.sort((a, b) => a.section - b.section || a.item - b.item);
    return found[0];
  }

  #pressed = (event) => {
    const step = STEPS[event.key];
    if (!step || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    if (!this.#isAsking) this.#move(step, this.#list.slotOf(document.activeElement));
  };

  async #move(step, slot) {
    const { viewer } = this.#list, element = slot === undefined ? undefined : viewer.elements.element(slot);
    const isItem = element?.category === "cell" && element.item !== null;
    const start = isItem ? element.key || [element.section, element.item] : this.#last;
    if (start === undefined) {
      const first = this.#firstVisible();
      if (first) this.want(first.key || [first.section, first.item]);
      return;
    }
    this.#isAsking = true;
    try {
      const answer = await viewer.neighbor(step, start);
      const path = answer?.neighbor?.key?.indexPath;
      if (!path) return;
      this.#list.scrollTo(answer.contentOffset ?? { x: 0, y: 0 });
      this.want(answer.neighbor.itemKey || [path.section, path.item ?? 0]);
    } catch {
      // The item was deleted meanwhile, or the viewer was closed.
      this.#last = undefined;
    } finally {
      this.#isAsking = false;
    }
  }
}
