// SPDX-License-Identifier: Apache-2.0
// What forms for layouts are about, without a page: fields, what one types, and paths.

import { enumerations, messages } from "./fields.js";

/** The fields of a message by its name. */
export function fieldsOf(type) {
  return messages[type].fields;
}

/** The words of an enumeration, with what they mean. */
export function wordsOf(type) {
  return enumerations[type];
}

/** The kinds of layouts: fields of which a layout has one. */
export const kinds = fieldsOf("LayoutSpec").filter(({ oneof }) => oneof === "kind");

/** The fields of all layouts, whatever their kind. */
export const commonFields = fieldsOf("LayoutSpec").filter(({ oneof }) => oneof === undefined);

const SCHEMA_KINDS = { number: "number", integer: "integer", string: "text", boolean: "flag", object: "json" };

/** The fields that a JSON schema for an object names; those that a form has no control for are left out. */
export function fieldsOfSchema(schema) {
  const properties = Object.entries(schema?.properties ?? {}).filter(([name, each]) => name !== "" && each !== null && typeof each === "object");
  return properties.flatMap(([name, each]) => {
    const text = [each.title, each.description].filter((part) => typeof part === "string").join(": ");
    const field = { name, help: text, absent: each.default === undefined ? undefined : String(each.default) };
    if (Array.isArray(each.enum) && each.enum.every((word) => typeof word === "string")) {
      return [{ ...field, kind: "choice", words: each.enum.map((word) => ({ word, help: "" })) }];
    }
    const kind = SCHEMA_KINDS[each.type];
    if (!kind) return [];
    return [{ ...field, kind, optional: kind === "flag", min: each.minimum, max: each.maximum, above: each.exclusiveMinimum }];
  });
}

/** Messages of a few numbers, which are shown in one line. */
const LINES = new Set(["Size", "Point", "EdgeInsets", "Rect"]);

/** Whether a field is shown as a line of numbers. */
export function isLine(field) {
  return field.kind === "message" && !field.repeated && LINES.has(field.type);
}

/** "minimumLineSpacing" as people read it: "Minimum line spacing". */
export function titleOf(name) {
  const words = name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
}

/** The range of a field for people; empty = there is none. */
export function rangeText({ min, max, above }) {
  const text = (value) => value.toLocaleString("en-US");
  if (min !== undefined && max !== undefined) return `${text(min)} to ${text(max)}`;
  if (min !== undefined) return `at least ${text(min)}`;
  if (above !== undefined) return `more than ${text(above)}`;
  return "";
}

/**
 * The value of what one typed into a field: `{ value }`, where undefined = nothing was typed, or
 * `{ problem }`.
 */
export function parse(field, text) {
  const trimmed = text.trim();
  if (field.kind === "text") return { value: text === "" ? undefined : text };
  if (trimmed === "") return { value: undefined };
  if (field.kind === "json") return parseObject(trimmed);
  const value = Number(trimmed);
  if (!Number.isFinite(value)) return { problem: "a number is needed" };
  if (field.kind !== "number" && !Number.isInteger(value)) return { problem: "a whole number is needed" };
  const range = rangeText(field);
  const isBelow = value < (field.min ?? (field.kind === "natural" ? 0 : -Infinity));
  if (isBelow || value > (field.max ?? Infinity) || value <= (field.above ?? -Infinity)) {
    return { problem: `${range || "at least 0"} is allowed` };
  }
  return { value };
}

function parseObject(text) {
  try {
    const value = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { value } : { problem: "an object is needed, such as {\"name\": 1}" };
  } catch (error) {
    return { problem: `this is no JSON: ${error.message}` };
  }
}

/** The value at a path of names and indices; undefined = there is none. */
export function valueAt(root, path) {
  return path.reduce((value, name) => value?.[name], root);
}

/** A copy with another value at a path; undefined removes it, and objects and lists that nothing is left of. */
export function replacing(root, path, value) {
  const copy = structuredClone(root ?? {});
  let at = copy;
  for (const [index, name] of path.slice(0, -1).entries()) {
    at[name] ??= typeof path[index + 1] === "number" ? [] : {};
    at = at[name];
  }
  const last = path.at(-1);
  if (value !== undefined) at[last] = value;
  else if (Array.isArray(at)) at.splice(last, 1);
  else delete at[last];
  return copy;
}

/** The path of a field that a server or the client names: "layout.flow.item_size.width", "flow.itemSize". */
export function pathOf(text) {
  const parts = text.replace(/\[(\d+)\]/g, ".$1").split(".").filter((part) => part !== "");
  const known = new Set([...kinds, ...commonFields].map(({ name }) => name));
  const names = parts.map((part) => (
    /^\d+$/.test(part) ? Number(part) : part.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())));
  const start = names.findIndex((name) => known.has(name));
  return start < 0 ? [] : names.slice(start);
}

/** The first sentence of a text. */
export function firstSentence(text) {
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;
}
