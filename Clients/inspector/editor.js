// SPDX-License-Identifier: Apache-2.0
// The part of the page that edits: inserts, deletes, moves and shuffles what is in sight.

import { byId } from "./dom.js";
import { deletion, insertion, movement, shuffle } from "./editing.js";
import { numberText } from "./figures.js";

const PAUSE = 900, MOST_SHUFFLED = 200;

/** Edits what the inspector shows. */
export class Editor {
  #inspector;
  #timer = 0;
  #isBusy = false;

  constructor(inspector) {
    this.#inspector = inspector;
    const actions = {
      insert: () => this.#insert(), delete: () => this.#delete(), move: () => this.#move(), shuffle: () => this.#shuffle(),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", () => this.#perform(action));
    byId("steady").addEventListener("change", () => this.#steady());
    byId("agreed").addEventListener("change", () => this.#showConsent());
  }

  get isAnimated() {
    return byId("animated").checked;
  }

  /** Something else is shown. */
  opened() {
    byId("agreed").checked = false;
    byId("steady").checked = false;
    this.#steady();
    this.tell("");
    this.#showConsent();
  }

  /** Says what became of an edit. */
  tell(text, isRefused = false) {
    const note = byId("edited");
    note.textContent = text;
    note.dataset.state = isRefused ? "refused" : "";
  }

  /** A collection belongs to others too, so one has to agree first. */
  #showConsent() {
    const isShared = this.#inspector.collection !== undefined, mayEdit = !isShared || byId("agreed").checked;
    byId("consent").hidden = !isShared;
    for (const id of ["insert", "delete", "move", "shuffle", "steady"]) byId(id).disabled = !mayEdit;
  }

  #steady() {
    clearInterval(this.#timer);
    if (!byId("steady").checked) return;
    const actions = [() => this.#insert(), () => this.#delete(), () => this.#move(), () => this.#shuffle()];
    let turn = 0;
    this.#timer = setInterval(() => {
      if (document.hidden) return;
      this.#perform(actions[turn % actions.length]);
      turn += 1;
    }, PAUSE);
  }

  async #perform(action) {
    const { viewer, stage } = this.#inspector;
    if (!viewer || this.#isBusy) return;
    if (stage.past) this.#inspector.timeline.choose(undefined);
    this.#isBusy = true;
    try {
      const edit = action();
      if (edit === undefined) return;
      const began = performance.now();
      const version = await viewer.update(edit.change, { animated: this.isAnimated });
      this.tell(`${edit.text}: version ${numberText(version)}, ${numberText(performance.now() - began, 1)} ms`);
    } catch (error) {
      this.tell(error.message, true);
    } finally {
      this.#isBusy = false;
    }
  }

  // MARK: Where and what

  get #count() {
    return Math.min(Math.max(Math.floor(Number(byId("count").value)) || 1, 1), 1000);
  }

  /** The item in a slot. */
  #item(slot) {
    const { elements } = this.#inspector.viewer;
    return {
      slot, section: elements.section[slot], item: elements.itemEnd[slot] - 1, key: elements.keys[slot] ?? "",
    };
  }

  /** The cells that are wholly in sight, in order. */
  get #inSight() {
    const { elements, viewport, slotsInSight } = { ...this.#view, slotsInSight: [] };
    for (const slot of elements.slots.subarray(0, elements.count)) {
      if (elements.category[slot] !== 1 || elements.itemEnd[slot] === 0 || elements.hidden[slot] !== 0) continue;
      const x = elements.x[slot] - viewport.x, y = elements.y[slot] - viewport.y;
      const isIn = x > -1 && y > -1 && x + elements.width[slot] < viewport.width + 1 && y + elements.height[slot] < viewport.height + 1;
      if (isIn) slotsInSight.push(slot);
    }
    return slotsInSight.map((slot) => this.#item(slot)).sort((a, b) => a.section - b.section || a.item - b.item);
  }

  get #view() {
    const { viewer, stage } = this.#inspector;
    return { elements: viewer.elements, viewport: stage.viewport };
  }

  /** The selected item, or the one in the middle of those in sight. */
  get #place() {
    const { stage } = this.#inspector, { elements } = this.#view;
    if (stage.selected >= 0 && elements.itemEnd[stage.selected] > 0) return this.#item(stage.selected);
    const items = this.#inSight;
    return items[Math.floor(items.length / 3)] ?? (stage.anchor >= 0 ? this.#item(stage.anchor) : undefined);
  }

  #traits(place) {
    const { elements } = this.#view, { sample } = this.#inspector, { slot } = place ?? {};
    const isOutline = slot !== undefined && (sample?.id === "outline"
      || elements.slots.subarray(0, elements.count).some((each) => elements.state[each] !== 0));
    return {
      isOutline, hasKeys: isOutline || (place?.key ?? "") !== "", hasSizes: sample?.id === "photos",
      hasPlaces: sample?.id === "places", place: slot === undefined ? { x: 0, y: 0 } : this.#coordinates(slot),
    };
  }

  /** Longitude and latitude of an element on a map. */
  #coordinates(slot) {
    const { elements } = this.#view, { contentSize } = this.#inspector.stage, world = Math.max(contentSize.width, 1);
    const x = elements.x[slot] + elements.width[slot] / 2, y = elements.y[slot] + elements.height[slot] / 2;
    return {
      x: Math.min(Math.max((x / world) * 360 - 180, -178), 178),
      y: (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / world))) * 180) / Math.PI,
    };
  }

  // MARK: Edits

  #insert() {
    const place = this.#place ?? { section: 0, item: 0, key: "" }, count = this.#count;
    return { change: insertion(place, count, this.#traits(place)), text: `Inserted ${count}` };
  }

  #delete() {
    const place = this.#place;
    if (!place) return undefined;
    const inSection = this.#inSight.filter(({ section, item }) => section === place.section && item >= place.item).length;
    const traits = this.#traits(place), count = traits.isOutline ? 1 : Math.max(1, Math.min(this.#count, inSection));
    return { change: deletion(place, count, traits), text: `Deleted ${count}` };
  }

  #move() {
    const from = this.#place;
    if (!from) return undefined;
    const traits = this.#traits(from);
    const others = this.#inSight.filter(({ slot, section }) => slot !== from.slot && (!traits.isOutline || section === from.section));
    const to = others[Math.floor(Math.random() * others.length)];
    return to && { change: movement(from, to, traits), text: `Moved ${from.section}.${from.item} to ${to.section}.${to.item}` };
  }

  #shuffle() {
    const items = this.#inSight, place = this.#place;
    if (!place) return undefined;
    if (this.#traits(place).isOutline) return this.#move();
    const shuffled = items.filter(({ section }) => section === place.section).slice(0, MOST_SHUFFLED);
    if (shuffled.length < 2) return undefined;
    return { change: shuffle(shuffled), text: `Shuffled ${shuffled.length}` };
  }
}
