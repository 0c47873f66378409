// SPDX-License-Identifier: Apache-2.0
// The inspector: opens a view of a collection and connects the parts of the page with it.

import { Client } from "../web/src/client.js";
import { WebSocketTransport } from "../web/src/transport.js";
import { attributesOf, showAttributes } from "./attributes.js";
import { byId, delayed, make } from "./dom.js";
import { Editor } from "./editor.js";
import { FiguresPanel } from "./figures-panel.js";
import { numberText } from "./figures.js";
import { LayoutForm } from "./form.js";
import { History } from "./history.js";
import { MeteredTransport } from "./meter.js";
import { kindOf, layoutOfKind, presetNamed, presets } from "./presets.js";
import { sampleNamed, samples } from "./samples.js";
import { Stage } from "./stage.js";
import { DensityStrip } from "./strip.js";
import { frameText, Timeline } from "./timeline.js";
import { initialView, linkOf, viewOf } from "./view-link.js";

// For a viewer to connect that is not wanted any more.
const PATIENCE = 5000;
const DEFAULT = "default", NAMED = "named/", CUSTOM = "edited", REGISTERED = "custom/";

/** The page. */
class Inspector {
  view = viewOf(location.hash);
  history = new History();
  viewer = undefined;
  #token = "";
  #collections = [];
  #reopening = 0;
  /** What the view does not show, and why; "" = nothing. */
  #missing = "";
  /** Whether something was selected since something was pointed at. */
  #isSelectionNewer = false;

  constructor() {
    const transport = new WebSocketTransport(location.origin.replace(/^http/, "ws"), { token: () => this.#token });
    this.meter = new MeteredTransport(transport);
    this.client = new Client(this.meter);
    this.stage = new Stage(byId("stage"), {
      selected: () => this.#selected(), hovered: () => this.#hovered(), toggled: (slot) => this.#toggle(slot),
      stepped: (direction) => this.#moveSelection(direction), moved: (corner) => this.#moved(corner),
      resized: () => this.#showSize(), returned: () => this.#choose(undefined), flying: () => this.#showState(),
    });
    this.form = new LayoutForm(byId("form"), (layout) => this.#edited(layout), () => this.#showLayoutState("refused", "not applied"));
    this.timeline = new Timeline(byId("timeline"), this.history, (index) => this.#choose(index));
    this.strip = new DensityStrip(byId("strip"), byId("strip-label"), this.#stripPage());
    this.editor = new Editor(this);
    this.figures = new FiguresPanel(byId("figures"), this);
    this.#connectControls();
  }

  async start() {
    this.#takeTheme();
    this.#listSources();
    const isFirst = location.hash === "", isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    await this.#open();
    if (isFirst && !isCalm) this.stage.fly(true);
    await this.#loadCollections();
  }

  // MARK: Sources and layouts

  get sample() {
    return this.view.source.startsWith("sample:") ? sampleNamed(this.view.source.slice("sample:".length)) : undefined;
  }

  get collection() {
    return this.view.source.startsWith("collection:") ? this.view.source.slice("collection:".length) : undefined;
  }

  async #loadCollections() {
    try {
      const found = [];
      for await (const each of this.client.listCollections()) {
        found.push(each);
        if (found.length === 500) break;
      }
      this.#collections = found;
      const { layoutKinds = [] } = await this.client.call("LayoutQueryService.GetServerInfo", {});
      this.#custom = layoutKinds.filter((kind) => kind.startsWith("custom:")).map((kind) => kind.slice("custom:".length));
      this.form.schemas = await schemas();
      this.#listSources();
    } catch (error) {
      this.#complain(error);
    }
  }

  #custom = [];

  #listSources() {
    const option = (value, text) => make("option", { value, selected: value === this.view.source }, text);
    const groups = [make("optgroup", { label: "Samples" },
      ...samples.map(({ id, name, note }) => option(`sample:${id}`, `${name} (${note})`)))];
    if (this.#collections.length > 0) {
      groups.push(make("optgroup", { label: "Collections" }, ...this.#collections.map(({ name, displayName, itemCount }) => {
        const id = name.slice("collections/".length);
        return option(`collection:${id}`, `${displayName || id} (${numberText(itemCount)})`);
      })));
    } else if (this.collection) {
      groups.push(make("optgroup", { label: "Collections" }, option(this.view.source, this.collection)));
    }
    byId("source").replaceChildren(...groups);
  }

  /** The layouts that can be chosen for what is shown. */
  #listLayouts(named = []) {
    const chosen = this.view.layout ? CUSTOM : this.view.preset ?? DEFAULT;
    const option = (value, text) => make("option", { value, selected: value === chosen }, text);
    const groups = [];
    if (this.collection) groups.push(option(DEFAULT, "The collection's own"));
    if (this.view.layout) groups.push(option(CUSTOM, "Edited"));
    if (named.length > 0) {
      groups.push(make("optgroup", { label: "Named layouts" },
        ...named.map(({ name, displayName }) => option(NAMED + name, displayName || name.split("/").at(-1)))));
    }
    for (const name of new Set(presets.map(({ group }) => group))) {
      groups.push(make("optgroup", { label: name },
        ...presets.filter(({ group }) => group === name).map((each) => option(each.id, each.name))));
    }
    if (this.#custom.length > 0) {
      groups.push(make("optgroup", { label: "Registered" }, ...this.#custom.map((name) => option(REGISTERED + name, name))));
    }
    byId("preset").replaceChildren(...groups);
    this.named = named;
  }

  /** What the view asks for: a `LayoutSpec`, the name of a named layout, or undefined = the collection's own. */
  get layout() {
    const { layout, preset } = this.view;
    if (layout) return layout;
    if (preset?.startsWith(NAMED)) return preset.slice(NAMED.length);
    if (preset?.startsWith(REGISTERED)) return { custom: { name: preset.slice(REGISTERED.length) } };
    return presetNamed(preset)?.layout ?? (this.collection ? undefined : presetNamed(this.sample.preset).layout);
  }

  /** Opens what the view says. */
  async #open() {
    clearTimeout(this.#reopening);
    this.stage.leave();
    if (this.viewer) closeGently(this.viewer);
    this.viewer = undefined;
    this.history.clear();
    this.timeline.chosen = undefined;
    this.stage.past = undefined;
    if (!this.collection && !this.sample) this.view = { ...this.view, source: initialView.source, preset: "flow" };
    this.stage.rightToLeft = this.view.rightToLeft;
    this.stage.fixedSize = this.view.size;
    this.stage.setSize(this.view.size);
    if (this.view.zoom !== 1 || this.view.size) this.stage.zoomTo(this.view.zoom);
    this.stage.camera.isSpatial = this.view.mode === "spatial";
    this.stage.labels = this.view.labels;
    this.stage.showsOverlays = this.view.overlays;
    this.#listLayouts();
    this.#showState();
    this.editor.opened();
    const { layout, own } = await this.#resolved();
    this.form.show(typeof layout === "object" ? layout : own ?? {});
    try {
      this.#show(this.client.view(this.collection ?? "", this.#options(layout)));
    } catch (error) {
      this.#complain(error);
    }
  }

  /** The layout to open with, and that which the form shows of a layout that only has a name. */
  async #resolved() {
    const { layout } = this;
    if (!this.collection) return { layout };
    try {
      const found = await this.client.getCollection(this.collection);
      const { layouts } = await this.client.call("CollectionService.ListLayouts", { parent: found.name });
      this.#listLayouts(layouts);
      const named = layouts.find(({ name }) => name === layout)?.layout;
      if (layout !== undefined || found.defaultLayout) return { layout, own: named ?? found.defaultLayout };
      this.view.preset = "flow";
      this.#listLayouts(layouts);
      return { layout: presetNamed("flow").layout };
    } catch (error) {
      this.#complain(error);
      return { layout };
    }
  }

  #options(layout) {
    const { x, y, rightToLeft } = this.view, { sample } = this;
    const hasOffset = x !== undefined || y !== undefined;
    return {
      contents: sample?.contents(), layout, size: this.stage.size, animations: true, pinning: true, scrollEffects: true,
      sectionScrolls: true,
      offset: hasOffset ? { x: x ?? 0, y: y ?? 0 } : undefined,
      start: !hasOffset && rightToLeft ? { edge: "start" } : undefined,
      viewport: { traits: { rightToLeft, displayScale: Math.min(Math.max(devicePixelRatio, 0.01), 100) } },
    };
  }

  #show(viewer) {
    this.viewer = viewer;
    this.stage.show(viewer);
    viewer.on("frame", (frame) => this.#framed(frame));
    viewer.on("state", () => this.#showConnection());
    viewer.on("end", (error) => this.#ended(viewer, error));
    viewer.on("notice", ({ type, problem }) => {
      // The problem is the one that is over.
      if (type === "layout_available") this.#banner("");
      else if (problem?.reason === "SERVER_DRAINING") this.#banner("The server shuts down; connecting again …");
      else this.#banner(problem?.message ?? "");
    });
    this.#showConnection();
  }

  #ended(viewer, error) {
    if (viewer !== this.viewer || !error) return;
    this.#showConnection("ended");
    // A sample's contents end with its session. They are there again at once.
    const isLost = ["SESSION_EXPIRED", "RESUME_TOKEN_INVALID"].includes(error.reason) || error.code === "UNAVAILABLE";
    if (isLost && this.sample) this.#reopening = setTimeout(() => this.#open(), 1000);
    else this.#complain(error);
  }

  #complain(error) {
    if (error.code === "CANCELLED") return;
    this.#showConnection("ended");
    const banner = byId("banner"), again = () => {
      banner.hidden = true;
      this.#open();
      this.#loadCollections();
    };
    const parts = [make("span", {}, error.message)];
    if (error.code === "UNAUTHENTICATED" || error.code === "PERMISSION_DENIED") {
      const field = make("input", { type: "password", placeholder: "token", ariaLabel: "Token", autocomplete: "off" });
      parts.push(make("form", {
        onsubmit: (event) => {
          event.preventDefault();
          this.#token = field.value.trim();
          again();
        },
      }, field, make("button", {}, "Use this token")));
    } else {
      parts.push(make("button", { type: "button", onclick: again }, "Try again"));
    }
    banner.replaceChildren(...parts);
    banner.hidden = false;
  }

  #banner(text) {
    const banner = byId("banner");
    banner.replaceChildren(make("span", {}, text), make("button", {
      type: "button",
      onclick: () => {
        banner.hidden = true;
      },
    }, "Close"));
    banner.hidden = text === "";
  }

  // MARK: Layouts that change

  /** One typed a layout that can be read. */
  #edited(layout) {
    this.view = { ...this.view, layout };
    if (byId("preset").value !== CUSTOM) this.#listLayouts(this.named);
    this.#apply(layout);
  }

  /** The server says whether a layout is right, and where it is not. */
  #apply = delayed(120, async (layout) => {
    const { viewer } = this;
    this.#showLayoutState("waiting", "…");
    try {
      await viewer?.changeLayout(layout ?? presetNamed("flow").layout, { animated: this.editor.isAnimated });
      this.form.refuse(undefined);
      this.#showLayoutState("", "applied");
      this.#saveLink();
    } catch (error) {
      if (viewer !== this.viewer) return;
      this.form.refuse(error);
      this.#showLayoutState("refused", "refused");
    }
  });

  #showLayoutState(state, text) {
    const output = byId("layout-state");
    output.dataset.state = state;
    output.value = text;
  }

  #choosePreset(value) {
    if (value === CUSTOM) return;
    this.view = { ...this.view, preset: value === DEFAULT ? undefined : value, layout: undefined };
    this.stage.stop();
    this.#listLayouts(this.named);
    const { layout } = this;
    if (layout === undefined) {
      this.#open();
      return;
    }
    this.form.show(typeof layout === "string" ? this.named.find(({ name }) => name === layout)?.layout : layout);
    this.#apply(layout);
  }

  // MARK: Frames

  #framed(frame) {
    const { viewer, stage, history, timeline } = this;
    const { bytes, latency } = this.meter.takeFrame(frame.appliedEvent);
    const facts = {
      seq: frame.seq, time: performance.now(), bytes, latency, upserts: frame.changed.length,
      removals: frame.removed.length, merged: frame.mergedEvents, keyframe: frame.keyframe,
      animated: frame.transition?.animated === true, adjustment: frame.adjustment, contentSize: { ...frame.contentSize },
      coverage: { ...frame.coverage }, viewport: { ...stage.viewport }, effects: viewer.effects,
      dataVersion: frame.dataVersion, layoutVersion: frame.layoutVersion, count: viewer.elements.count,
    };
    const length = history.length;
    if (stage.past) facts.viewport = { ...viewer.viewport, ...stage.size, rightToLeft: stage.rightToLeft };
    history.record(viewer.elements, frame, facts);
    if (timeline.chosen !== undefined && history.length === length) timeline.chosen = Math.max(0, timeline.chosen - 1);
    timeline.schedule();
    this.strip.framed(facts);
    this.#showFrame();
    this.#selectLinked();
  }

  /** Shows a frame of the past; undefined = the newest. */
  #choose(index) {
    this.timeline.chosen = index;
    const facts = index === undefined ? undefined : this.history.frame(index);
    this.stage.past = facts && { facts, elements: this.history.elements(index) };
    this.stage.schedule();
    this.timeline.schedule();
    this.#showFrame();
    this.#showElement();
  }

  #showFrame = this.#oncePerPicture(() => {
    const { history, timeline } = this, index = timeline.chosen ?? history.length - 1;
    byId("frame").value = frameText(history.frame(index));
    byId("now").dataset.state = timeline.chosen === undefined ? "" : "past";
    const slider = byId("timeline");
    slider.ariaValueMax = String(Math.max(0, history.length - 1));
    slider.ariaValueNow = String(Math.max(0, index));
    slider.ariaValueText = byId("frame").value;
    this.#showElement();
  });

  #oncePerPicture(action) {
    let scheduled = 0;
    return () => {
      scheduled ||= requestAnimationFrame(() => {
        scheduled = 0;
        action();
      });
    };
  }

  /** What the strip beside the view shows and moves. */
  #stripPage() {
    const inspector = this;
    return {
      get session() {
        return inspector.viewer?.session;
      },
      get viewport() {
        return inspector.stage.viewport;
      },
      get contentSize() {
        return inspector.stage.contentSize;
      },
      ask: (request) => this.client.call("LayoutQueryService.GetScrollMap", {
        target: { session: this.viewer?.session ?? "" }, ...request,
      }),
      go: (offset) => {
        this.stage.stop();
        this.stage.moveTo(offset);
      },
    };
  }

  // MARK: Elements

  #selected() {
    const { elements, selected } = this.stage;
    const itemEnd = selected >= 0 && elements ? elements.itemEnd[selected] : 0;
    this.view.selected = itemEnd > 0 ? [elements.section[selected], itemEnd - 1] : undefined;
    this.#isSelectionNewer = selected >= 0;
    this.#sayElement(selected);
    this.#showElement();
    this.#saveLink();
  }

  #hovered() {
    this.#isSelectionNewer = false;
    this.#showElement();
  }

  /** Tells screen readers what is selected. */
  #sayElement(slot) {
    const element = slot >= 0 ? this.stage.elements?.element(slot) : undefined;
    if (!element) return;
    const { kind, category, section, item } = element;
    const [x, y, width, height] = [element.x, element.y, element.width, element.height].map((number) => numberText(Math.round(number)));
    byId("said").textContent = `${kind || category} ${section}.${item ?? ""}, at ${x}, ${y}, ${width} by ${height} points`;
  }

  /** Selects the element that a link names, once it is there. */
  #selectLinked() {
    const { selected } = this.view, { elements } = this.viewer;
    if (!selected || this.stage.selected >= 0) return;
    for (const slot of elements.slots.subarray(0, elements.count)) {
      if (elements.category[slot] === 1 && elements.section[slot] === selected[0] && elements.itemEnd[slot] === selected[1] + 1) {
        this.stage.select(slot);
        return;
      }
    }
  }

  #showElement = this.#oncePerPicture(() => {
    const { stage } = this, { elements } = stage;
    // What was pointed at or selected last.
    const isPointedAt = stage.hovered >= 0 && elements?.has(stage.hovered) && !this.#isSelectionNewer;
    const slot = isPointedAt ? stage.hovered : stage.selected;
    const rows = slot >= 0 && elements ? attributesOf(elements, slot, stage.effects, stage.viewport) : [];
    byId("no-element").hidden = rows.length > 0;
    showAttributes(byId("attributes"), rows);
    this.#showTip(isPointedAt ? stage.hovered : -1, rows);
  });

  #showTip(slot, rows) {
    const tip = byId("tip"), isShown = slot >= 0 && rows.length > 0 && matchMedia("(hover: hover)").matches;
    tip.hidden = !isShown;
    if (!isShown) return;
    const text = (name) => rows.find(([each]) => each === name)?.[1] ?? "";
    tip.textContent = `${text("Kind")} · ${text("Index path")} · slot ${slot} · ${text("Size")}`;
    const { width, height } = this.stage, { x, y } = this.pointer ?? { x: 0, y: 0 };
    tip.style.transform = `translate(${Math.min(x + 14, Math.max(0, width - tip.offsetWidth - 6))}px, ${
      y + 40 > height ? y - 34 : y + 18}px)`;
  }

  /** Outlines expand and collapse at a tap. */
  async #toggle(slot) {
    if (this.stage.past || this.viewer.elements.state[slot] === 0) return;
    await this.viewer.changeOutline({ toggle: [slot], animated: this.editor.isAnimated }).catch((error) => this.editor.tell(error.message, true));
  }

  /** The selection goes to the item that a key press leads to. */
  async #moveSelection(direction) {
    const { elements, selected } = this.stage;
    if (elements.itemEnd[selected] === 0) return;
    try {
      const answer = await this.viewer.neighbor(direction, [elements.section[selected], elements.itemEnd[selected] - 1]);
      const path = answer?.neighbor?.key?.indexPath;
      if (!path) return;
      this.stage.approach(answer.contentOffset);
      this.view.selected = [path.section, path.item];
      this.stage.selected = -1;
      this.#selectLinked();
    } catch {
      // The item is no longer there.
    }
  }

  // MARK: What the page shows

  #moved(corner) {
    const handle = byId("handle"), { stage } = this, isFlat = !stage.camera.isSpatial;
    handle.hidden = !isFlat;
    const x = Math.min(corner.x, stage.width) - 18, y = Math.min(corner.y, stage.height) - 18;
    handle.style.transform = `translate(${x}px, ${y}px)`;
    this.strip.schedule();
    this.#showWhere();
    this.#saveLink();
  }

  #showWhere = this.#oncePerPicture(() => {
    const { x, y, width, height } = this.stage.viewport, { contentSize } = this.stage;
    byId("where").textContent = `${numberText(Math.round(x))}, ${numberText(Math.round(y))} of ${
      numberText(Math.round(contentSize.width))} × ${numberText(Math.round(contentSize.height))} points · view ${
      numberText(Math.round(width))} × ${numberText(Math.round(height))} · ${this.stage.kind}${this.#missing}`;
    this.#lookForMissing();
    byId("zoom").textContent = `${Math.round(this.stage.camera.zoom * 100)} %`;
  });

  /** Says what is wrong with a view that stays empty, or in which something is missing. */
  #lookForMissing = delayed(500, () => {
    const { viewer, stage } = this;
    if (!viewer?.isConnected || stage.past) return;
    const before = this.#missing, { coverage, contentSize, elements } = viewer, { x, y, width, height } = stage.viewport;
    const isShort = (from, to, first, last) => from > Math.max(0, first) + 1 || to < last - 1;
    const isPart = coverage && (isShort(coverage.x, coverage.x + coverage.width, x, Math.min(x + width, contentSize.width))
      || isShort(coverage.y, coverage.y + coverage.height, y, Math.min(y + height, contentSize.height)));
    this.#missing = isPart ? " · more is in sight than one viewer may have: a part is shown" : elements.count === 0 ? " · nothing is in sight" : "";
    if (this.#missing !== before) this.#showWhere();
  });

  #showConnection(state) {
    const output = byId("connection"), isConnected = this.viewer?.isConnected;
    output.dataset.state = state ?? (isConnected ? "connected" : "waiting");
    output.textContent = state ?? (isConnected ? "connected" : "connecting");
    if (isConnected && !state) byId("banner").hidden = true;
  }

  #showState() {
    const { stage, view } = this;
    const pressed = {
      fly: stage.isFlying, spatial: stage.camera.isSpatial, overlays: stage.showsOverlays, rtl: view.rightToLeft,
    };
    byId("labels").value = stage.labels;
    for (const [id, isPressed] of Object.entries(pressed)) byId(id).ariaPressed = String(isPressed);
    this.#showSize();
    stage.schedule();
  }

  #showSize() {
    const { fixedSize } = this.stage, select = byId("size"), value = fixedSize ? `${fixedSize.width}x${fixedSize.height}` : "";
    const custom = select.querySelector("[value=custom]"), isKnown = [...select.options].some((each) => each.value === value);
    custom.textContent = fixedSize ? `${fixedSize.width} × ${fixedSize.height}` : "";
    select.value = isKnown ? value : "custom";
  }

  #takeTheme() {
    const { view } = this, prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const isDark = view.theme ? view.theme === "dark" : prefersDark;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    this.stage.takeTheme(isDark);
    this.timeline.schedule();
    this.strip.schedule();
  }

  /** Takes over from the stage what one has changed there. */
  #takeView() {
    const { stage, view } = this, { x, y } = stage.viewport;
    Object.assign(view, {
      x, y, size: stage.fixedSize, zoom: stage.camera.zoom, mode: stage.camera.isSpatial ? "spatial" : "flat",
      overlays: stage.showsOverlays, labels: stage.labels,
    });
  }

  #saveLink = delayed(250, () => {
    const { stage, view } = this;
    if (!this.viewer || stage.past) return;
    this.#takeView();
    window.history.replaceState(null, "", `#${linkOf(view)}`);
  });

  // MARK: Controls

  #connectControls() {
    const { stage } = this, on = (id, type, action) => byId(id).addEventListener(type, action);
    const press = (id, action) => on(id, "click", () => {
      action();
      this.#showState();
      this.#saveLink();
    });
    on("source", "change", ({ target }) => {
      this.#takeView();
      this.view = { ...this.view, source: target.value, preset: undefined, layout: undefined, x: undefined, y: undefined, selected: undefined };
      this.view.preset = this.sample?.preset;
      this.#open();
    });
    on("preset", "change", ({ target }) => this.#choosePreset(target.value));
    press("fly", () => stage.fly(!stage.isFlying));
    press("spatial", () => {
      stage.camera.isSpatial = !stage.camera.isSpatial;
      stage.camera.zoom = stage.camera.isSpatial ? Math.min(stage.camera.zoom, 0.7) : stage.fixedSize ? stage.camera.zoom : 1;
    });
    press("overlays", () => {
      stage.showsOverlays = !stage.showsOverlays;
    });
    on("labels", "change", ({ target }) => {
      stage.labels = target.value;
      stage.schedule();
      this.#saveLink();
    });
    press("rtl", () => this.#turn());
    press("zoom-in", () => stage.zoomTo(stage.camera.zoom * 1.25));
    press("zoom-out", () => stage.zoomTo(stage.camera.zoom / 1.25));
    press("zoom", () => stage.setSize(stage.fixedSize));
    press("theme", () => {
      this.view.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      this.#takeTheme();
    });
    press("back", () => this.timeline.step(-1));
    press("forward", () => this.timeline.step(1));
    press("now", () => this.#choose(undefined));
    on("link", "click", () => this.#copyLink());
    on("size", "change", ({ target }) => {
      const [width, height] = target.value.split("x").map(Number);
      stage.setSize(height > 0 ? { width, height } : undefined);
      this.#showState();
    });
    on("measure", "change", ({ target }) => {
      this.timeline.measure = target.value;
      this.timeline.schedule();
    });
    on("form", "submit", (event) => event.preventDefault());
    on("stage", "pointermove", (event) => {
      const box = byId("stage").getBoundingClientRect();
      this.pointer = { x: event.clientX - box.left, y: event.clientY - box.top };
      if (stage.hovered >= 0) this.#showElement();
    });
    for (const button of document.querySelectorAll(".tabs button")) {
      button.addEventListener("click", () => this.#chooseTab(button.dataset.tab));
    }
    this.#chooseTab("layout");
    this.#connectHandle();
    document.addEventListener("keydown", (event) => this.#key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#takeTheme());
    window.addEventListener("hashchange", () => {
      this.view = viewOf(location.hash);
      this.#takeTheme();
      this.#listSources();
      this.#open();
    });
  }

  #chooseTab(name) {
    document.body.dataset.tab = name;
    for (const button of document.querySelectorAll(".tabs button")) button.ariaPressed = String(button.dataset.tab === name);
  }

  /** Mirrors the layout. */
  #turn() {
    const { view } = this;
    this.#takeView();
    view.rightToLeft = !view.rightToLeft;
    view.x = view.y = view.selected = undefined;
    this.#open();
  }

  #connectHandle() {
    const handle = byId("handle"), { stage } = this;
    const resize = (width, height) => {
      const limited = (value) => Math.round(Math.min(Math.max(value, 120), 4000));
      stage.resizeTo({ width: limited(width), height: limited(height) });
      this.#showState();
    };
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { width, height } = stage.size, { zoom } = stage.camera;
      // The picture is in the middle, so that its corner moves half as far as its size changes.
      resize(width + (2 * event.movementX) / zoom, height + (2 * event.movementY) / zoom);
    });
    handle.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20] };
      const step = steps[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      resize(stage.size.width + step[0], stage.size.height + step[1]);
    });
    handle.addEventListener("dblclick", () => {
      stage.setSize(undefined);
      this.#showState();
    });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const buttons = {
      f: "fly", d: "spatial", o: "overlays", r: "rtl", i: "insert", m: "move", s: "shuffle", Delete: "delete",
      ",": "back", ".": "forward",
    };
    const id = buttons[event.key];
    if (event.key === "l") this.#nextLabels();
    if (!id) return;
    event.preventDefault();
    byId(id).click();
  }

  #nextLabels() {
    const select = byId("labels");
    select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
    select.dispatchEvent(new Event("change"));
  }

  async #copyLink() {
    const button = byId("link");
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "It is in the address";
    }
    setTimeout(() => {
      button.textContent = "Copy link";
    }, 1600);
  }

  /** What kind of layout is shown, for those who insert items. */
  get kind() {
    return kindOf(this.form.layout) || kindOf(layoutOfKind("flow"));
  }
}

/** What parameters of layouts of other programs may be, as JSON schemas by the layouts' names. */
async function schemas() {
  const found = new Map();
  try {
    const answer = await fetch("/v1/layout-providers");
    const { layout_providers: providers = [] } = answer.ok ? await answer.json() : {};
    for (const each of providers) if (each.parameters_schema) found.set(each.layout, JSON.parse(each.parameters_schema));
  } catch {
    // The form then takes parameters as JSON.
  }
  return found;
}

/** Closes a viewer, one that connects once it has: browsers complain in the console of earlier ends. */
function closeGently(viewer) {
  const close = () => {
    clearTimeout(timer);
    viewer.close();
  };
  const timer = setTimeout(close, PATIENCE);
  if (viewer.isConnected) close();
  else viewer.on("state", close);
}

const inspector = new Inspector();
// For tests, and for people with a console.
globalThis.inspector = inspector;
inspector.start();
