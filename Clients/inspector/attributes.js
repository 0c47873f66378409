// SPDX-License-Identifier: Apache-2.0
// All that is known of one element, as a table.

import { CATEGORIES } from "../web/src/table.js";
import { make } from "./dom.js";
import { numberText } from "./figures.js";

/** Names and texts of what is known of the element in a slot. */
export function attributesOf(elements, slot, effects, viewport) {
  if (!elements.has(slot)) return [];
  const itemEnd = elements.itemEnd[slot], extra = elements.extras.get(slot);
  const number = (value) => numberText(value, 3);
  const rows = [
    ["Category", CATEGORIES[elements.category[slot]]],
    ["Kind", elements.kindNames[elements.kindNumber[slot]] || "(unnamed)"],
    ["Index path", itemEnd > 0 ? `${elements.section[slot]} . ${itemEnd - 1}` : `section ${elements.section[slot]}`],
    ["Slot", String(slot)],
  ];
  if (elements.keys[slot]) rows.push(["Key", elements.keys[slot]]);
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => elements[name][slot]);
  rows.push(
    ["Origin", `${number(x)}, ${number(y)}`], ["Size", `${number(width)} × ${number(height)}`],
    ["Middle", `${number(x + width / 2)}, ${number(y + height / 2)}`],
    ["z-index", number(elements.z[slot])], ["Alpha", number(elements.alpha[slot])],
    ["Hidden", elements.hidden[slot] ? "yes" : "no"],
  );
  if (elements.state[slot] !== 0 || elements.level[slot] !== 0) {
    rows.push(["Outline", `level ${elements.level[slot]}, ${["a leaf", "collapsed", "expanded"][elements.state[slot]]}`]);
  }
  const seen = effects.place(elements, slot, viewport);
  if (seen.x !== x || seen.y !== y) rows.push(["Seen at", `${number(seen.x)}, ${number(seen.y)} (pinned)`]);
  if (seen.alpha !== elements.alpha[slot]) rows.push(["Seen alpha", number(seen.alpha)]);
  if (seen.scale !== 1) rows.push(["Effect scale", number(seen.scale)]);
  if (seen.rotation !== 0) rows.push(["Effect rotation", `${number(seen.rotation)} rad`]);
  if (extra?.pin) {
    const { minOffset, maxOffset, inset } = extra.pin;
    rows.push(["Pinned within", `${number(minOffset)} … ${number(maxOffset)}${inset ? `, inset ${number(inset)}` : ""}`]);
  }
  if (extra?.attributes.transform) rows.push(["Transform", matrixText(extra.attributes.transform.values)]);
  if (extra?.attributes.custom) rows.push(["Custom", JSON.stringify(extra.attributes.custom)]);
  return rows;
}

/** A matrix in rows of equal length. */
function matrixText(values) {
  const columns = values.length === 16 ? 4 : 2, rows = [];
  for (let at = 0; at < values.length; at += columns) {
    rows.push(Array.from(values.slice(at, at + columns), (value) => value.toFixed(3)).join("  "));
  }
  return rows.join("\n");
}

/** Shows rows in a table. */
export function showAttributes(table, rows) {
  table.replaceChildren(...rows.map(([name, text]) => make("tr", {},
    make("th", { scope: "row" }, name),
    make("td", { className: text.includes("\n") ? "matrix" : "" }, text))));
}
