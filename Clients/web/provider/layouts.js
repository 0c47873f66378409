// SPDX-License-Identifier: Apache-2.0
// The layouts of this process, by their names.

import { CallError } from "./call-error.js";

const DIRECTIONS = { "": "unspecified", vertical: "vertical", horizontal: "horizontal" };
const MOST_NAME_BYTES = 128;

const layouts = new Map();

/**
 * Makes a function the layout of a name, by which clients ask for it, and returns the function.
 *
 * `place(items, container, signal)` returns where the items are, or a promise of it. `scroll` is the axis along which
 * content grows, "" = both. `maxItems` is the most that it places, 0 = no limit. `schema` says what its parameters may
 * be, as a JSON schema. `update(items, container, before, was, signal)` places the same, starting from what was placed
 * before the data changed.
 */
export function layout(name, place, { description = "", schema, scroll = "vertical", maxItems = 0, update } = {}) {
  const bytes = typeof name === "string" ? Buffer.byteLength(name) : 0;
  if (bytes < 1 || bytes > MOST_NAME_BYTES) throw new TypeError("the name of a layout has 1 to 128 bytes");
  if (typeof place !== "function") throw new TypeError(`the layout ${name} needs a function`);
  if (update !== undefined && typeof update !== "function") throw new TypeError(`update of ${name} is no function`);
  if (DIRECTIONS[scroll] === undefined) throw new TypeError(`scroll: ${scroll}; vertical, horizontal or "" is allowed`);
  if (!Number.isSafeInteger(maxItems) || maxItems < 0) throw new TypeError(`maxItems: ${maxItems}; 0 or more is allowed`);
  layouts.set(name, {
    place,
    update,
    maxItems,
    description: {
      name,
      description,
      parametersSchema: schema === undefined ? "" : JSON.stringify(schema),
      scrollDirection: DIRECTIONS[scroll],
      maxItems,
    },
  });
  return place;
}

/** The layout of a name. Throws CallError. */
export function layoutNamed(name) {
  const found = layouts.get(name);
  if (!found) throw new CallError("NOT_FOUND", `there is no layout ${JSON.stringify(name.slice(0, MOST_NAME_BYTES))}`);
  return found;
}

/** All layouts as servers are told of them. */
export function descriptions() {
  return [...layouts.values()].map((found) => found.description);
}
