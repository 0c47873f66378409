// SPDX-License-Identifier: Apache-2.0
// The form for a layout, made from the contract: a control for each field, with its meaning, unit and range.

import { make } from "./dom.js";
import {
  commonFields, fieldsOf, firstSentence, isLine, kinds, parse, pathOf, rangeText, replacing, titleOf, valueAt,
  wordsOf,
} from "./form-model.js";

// Beyond this depth a message is typed as JSON; groups of groups have no end.
const MOST_DEPTH = 9;

/** Edits a `LayoutSpec`. */
export class LayoutForm {
  #root;
  #changed;
  #mistyped;
  #layout = {};
  // What cannot be read, by path.
  #problems = new Map();
  #controls = new Map();
  #open = new Set();
  #serial = 0;

  /**
   * `changed(layout)` is called with each layout that can be read, while one types; `mistyped()` where it cannot
   * be read.
   */
  constructor(root, changed, mistyped) {
    this.#root = root;
    this.#changed = changed;
    this.#mistyped = mistyped;
  }

  get layout() {
    return this.#layout;
  }

  /** Shows a layout. */
  show(layout) {
    this.#layout = structuredClone(layout ?? {});
    this.#problems.clear();
    this.#render();
  }

  /** Says what the server refused; undefined = it took the layout. */
  refuse(error) {
    for (const { note } of this.#controls.values()) if (!note.dataset.own) note.textContent = "";
    this.#alert.textContent = "";
    this.#alert.hidden = true;
    for (const { control, note } of this.#controls.values()) if (!note.dataset.own) control.removeAttribute("aria-invalid");
    if (!error) return;
    const violations = error.violations?.length ? error.violations : [{ field: error.field ?? error.path ?? "", description: error.message }];
    const rest = violations.filter(({ field, description }) => !this.#mark(pathOf(field), description));
    if (rest.length > 0) {
      this.#alert.hidden = false;
      this.#alert.textContent = rest.map(({ field, description }) => (field ? `${field}: ${description}` : description)).join("\n");
    }
  }

  get #alert() {
    return this.#root.querySelector(".alert");
  }

  /** Marks the control of a path, or the next one above it. */
  #mark(path, description) {
    for (let length = path.length; length > 0; length -= 1) {
      const found = this.#controls.get(path.slice(0, length).join("."));
      if (!found) continue;
      found.control.setAttribute("aria-invalid", "true");
      found.note.textContent = description;
      for (let element = found.control.closest("details"); element; element = element.parentElement.closest("details")) {
        element.open = true;
      }
      return true;
    }
    return false;
  }

  #render() {
    this.#controls.clear();
    const kind = kinds.find(({ name }) => this.#layout[name] !== undefined);
    const own = kind ? this.#message(kind, [kind.name], 0) : [];
    this.#root.replaceChildren(
      make("p", { className: "alert", role: "alert", hidden: true }),
      make("div", { className: "fields" }, ...own),
      this.#details("common", "For all layouts", "What any layout may have besides.",
        commonFields.map((field) => this.#field(field, [field.name], 1))),
    );
  }

  /** The fields of a message. */
  #message(field, path, depth) {
    const oneofs = new Map();
    return fieldsOf(field.type).flatMap((each) => {
      if (!each.oneof) return [this.#field(each, [...path, each.name], depth)];
      if (oneofs.has(each.oneof)) return [];
      const choices = fieldsOf(field.type).filter(({ oneof }) => oneof === each.oneof);
      oneofs.set(each.oneof, choices);
      return [this.#oneof(each.oneof, choices, path, depth)];
    });
  }

  /** One of several fields. */
  #oneof(name, choices, path, depth) {
    const chosen = choices.find((each) => valueAt(this.#layout, [...path, each.name]) !== undefined);
    const select = make("select", { id: this.#newId() },
      make("option", { value: "" }, "none"),
      ...choices.map((each) => make("option", { value: each.name, selected: each === chosen }, titleOf(each.name))));
    select.addEventListener("change", () => {
      let layout = this.#layout;
      for (const each of choices) layout = replacing(layout, [...path, each.name], undefined);
      const next = choices.find((each) => each.name === select.value);
      if (next) layout = replacing(layout, [...path, next.name], emptyValue(next));
      this.#replace(layout);
    });
    const help = choices.map((each) => `${titleOf(each.name)}: ${each.help}`).join(" ");
    return make("div", { className: "group" },
      this.#row(titleOf(name), help, select, [...path, name]),
      chosen ? this.#field(chosen, [...path, chosen.name], depth) : undefined);
  }

  #field(field, path, depth) {
    if (field.repeated) return this.#list(field, path, depth);
    if (isLine(field)) return this.#line(field, path);
    if (field.kind === "message" && depth < MOST_DEPTH) return this.#nested(field, path, depth);
    return this.#row(titleOf(field.name), helpOf(field), this.#control(field, path), path, field.unit);
  }

  /** A message in a part of the form that opens. */
  #nested(field, path, depth) {
    const isThere = valueAt(this.#layout, path) !== undefined, key = path.join(".");
    const toggle = make("input", { type: "checkbox", checked: isThere, ariaLabel: `${titleOf(field.name)} is set` });
    toggle.addEventListener("change", () => {
      this.#open.add(key);
      this.#replace(replacing(this.#layout, path, toggle.checked ? emptyValue(field) : undefined));
    });
    const content = isThere || this.#open.has(key) ? this.#message(field, path, depth + 1) : [];
    const details = this.#details(key, titleOf(field.name), field.help, content, toggle);
    if (!isThere) {
      details.addEventListener("toggle", () => {
        if (details.open && details.querySelector(".fields").childElementCount === 0) {
          details.querySelector(".fields").append(...this.#message(field, path, depth + 1));
        }
      }, { once: true });
    }
    return details;
  }

  #details(key, title, help, content, toggle) {
    const details = make("details", { open: this.#open.has(key) },
      make("summary", {}, make("span", {}, title), toggle),
      help ? make("p", { className: "help" }, firstSentence(help)) : undefined,
      make("div", { className: "fields" }, ...content));
    details.addEventListener("toggle", () => {
      if (details.open) this.#open.add(key);
      else this.#open.delete(key);
    });
    return details;
  }

  #list(field, path, depth) {
    const values = valueAt(this.#layout, path) ?? [], single = { ...field, repeated: false };
    const rows = Array.from(values, (_, index) => make("div", { className: "entry" },
      this.#field({ ...single, name: `${index + 1}` }, [...path, index], depth + 1),
      make("button", {
        type: "button", className: "small", ariaLabel: `Remove ${titleOf(field.name)} ${index + 1}`,
        onclick: () => this.#replace(replacing(this.#layout, [...path, index], undefined)),
      }, "Remove")));
    const add = make("button", {
      type: "button", className: "small",
      onclick: () => {
        this.#open.add(path.join("."));
        this.#open.add([...path, values.length].join("."));
        this.#replace(replacing(this.#layout, path, [...values, emptyValue(single)]));
      },
    }, "Add");
    return this.#details(path.join("."), `${titleOf(field.name)}${values.length ? ` (${values.length})` : ""}`, field.help, [...rows, add]);
  }

  /** Two or four numbers beside each other. */
  #line(field, path) {
    const inputs = fieldsOf(field.type).map((each) => {
      const at = { ...each, min: field.type === "Size" ? 0 : undefined };
      const control = this.#control(at, [...path, each.name]);
      control.title = titleOf(each.name);
      control.setAttribute("aria-label", `${titleOf(field.name)}, ${each.name}`);
      return make("span", { className: "part" }, make("span", { className: "caption", ariaHidden: "true" }, each.name), control);
    });
    const note = make("p", { className: "note" });
    for (const each of fieldsOf(field.type)) {
      const key = [...path, each.name].join(".");
      this.#controls.set(key, { control: this.#controls.get(key).control, note });
    }
    return make("div", { className: "row wide" },
      ...this.#label(titleOf(field.name), helpOf(field), undefined, field.unit), make("div", { className: "line" }, ...inputs), note);
  }

  #control(field, path) {
    const value = valueAt(this.#layout, path), key = path.join(".");
    let control;
    if (field.kind === "flag") {
      control = make("input", { type: "checkbox", checked: value === true });
    } else if (field.kind === "choice") {
      control = make("select", {},
        make("option", { value: "" }, field.absent ? `default (${field.absent})` : "default"),
        ...wordsOf(field.type).map(({ word, help }) => make("option", { value: word, title: help, selected: word === value }, word.replaceAll("_", " "))));
    } else if (field.kind === "json" || field.kind === "message") {
      control = make("textarea", { rows: 3, spellcheck: false, value: value === undefined ? "" : JSON.stringify(value, null, 1) });
    } else {
      control = make("input", {
        type: "text", inputMode: field.kind === "text" ? "text" : "decimal", autocomplete: "off", spellcheck: false,
        value: value === undefined ? "" : String(value),
        placeholder: field.kind !== "text" && field.absent && field.absent.length < 16 ? field.absent : "",
      });
    }
    control.id = this.#newId();
    const note = make("p", { className: "note", id: `${control.id}-note` });
    control.setAttribute("aria-describedby", note.id);
    this.#controls.set(key, { control, note });
    control.addEventListener(control.tagName === "INPUT" && control.type === "text" || control.tagName === "TEXTAREA" ? "input" : "change",
      () => this.#typed(field, path, control));
    return control;
  }

  #typed(field, path, control) {
    const key = path.join("."), { note } = this.#controls.get(key);
    const { value, problem } = field.kind === "flag" ? { value: control.checked || (field.optional ? false : undefined) }
      : field.kind === "choice" ? { value: control.value || undefined }
        : parse(field.kind === "message" ? { kind: "json" } : field, control.value);
    note.dataset.own = problem ? "yes" : "";
    note.textContent = problem ?? "";
    if (problem) {
      control.setAttribute("aria-invalid", "true");
      this.#problems.set(key, problem);
      this.#mistyped();
      return;
    }
    control.removeAttribute("aria-invalid");
    this.#problems.delete(key);
    this.#layout = replacing(this.#layout, path, value);
    if (this.#problems.size === 0) this.#changed(this.#layout);
  }

  #replace(layout) {
    this.#layout = layout;
    this.#problems.clear();
    this.#render();
    this.#changed(layout);
  }

  #row(title, help, control, path, unit) {
    const { note } = this.#controls.get(path.join(".")) ?? { note: make("p", { className: "note" }) };
    this.#controls.set(path.join("."), { control, note });
    const isWide = control.tagName === "TEXTAREA";
    const [label, text] = this.#label(title, help, control.id, unit);
    return make("div", { className: isWide ? "row wide" : "row" }, label, control, text, note);
  }

  /** The name of a control with a button, and the text that the button shows. */
  #label(title, help, id, unit) {
    const text = make("p", { className: "help", hidden: true }, help);
    const button = make("button", {
      type: "button", className: "why", ariaLabel: `About ${title}`, ariaExpanded: "false", title: firstSentence(help),
      onclick: () => {
        text.hidden = !text.hidden;
        button.ariaExpanded = String(!text.hidden);
      },
    }, "?");
    const name = make(id ? "label" : "span", { htmlFor: id }, title,
      unit ? make("span", { className: "unit" }, ` ${unit}`) : undefined);
    return [make("div", { className: "label" }, name, help ? button : undefined), text];
  }

  #newId() {
    this.#serial += 1;
    return `field-${this.#serial}`;
  }
}

/** What a field says of itself, with its range. */
function helpOf(field) {
  const range = field.kind === "message" ? "" : rangeText(field);
  return range && !field.help.includes(range) ? `${field.help} Allowed: ${range}.` : field.help;
}

/** A value for a field that is to be there and says nothing yet. */
function emptyValue(field) {
  if (field.kind === "message") return {};
  if (field.kind === "flag") return true;
  if (field.kind === "text") return "";
  if (field.kind === "choice") return wordsOf(field.type)[0].word;
  return field.min ?? (field.above !== undefined ? field.above + 1 : field.kind === "json" ? {} : 1);
}
