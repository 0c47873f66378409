// SPDX-License-Identifier: Apache-2.0
// The view as the part of the address after "#", so that a link shows the same again.

const SIZES = /^(\d{1,5})x(\d{1,5})$/;
const CHOICES = {
  theme: ["dark", "light"], mode: ["flat", "spatial"], labels: ["paths", "kinds", "slots", "none"],
};

/** What a page shows that was opened without a link. */
export const initialView = Object.freeze({
  source: "sample:ten-million", preset: "flow", layout: undefined, x: undefined, y: undefined, size: undefined,
  zoom: 1, rightToLeft: false, mode: "flat", theme: undefined, selected: undefined, overlays: false, labels: "paths",
});

/** The text of a view; what is as initially is left out. */
export function linkOf(view) {
  const parameters = new URLSearchParams();
  const put = (name, value) => {
    if (value !== undefined) parameters.set(name, value);
  };
  put("show", view.source);
  put("preset", view.preset);
  put("layout", view.layout && JSON.stringify(view.layout));
  put("x", view.x === undefined ? undefined : rounded(view.x));
  put("y", view.y === undefined ? undefined : rounded(view.y));
  put("size", view.size && `${Math.round(view.size.width)}x${Math.round(view.size.height)}`);
  put("zoom", view.zoom === 1 ? undefined : rounded(view.zoom));
  put("rtl", view.rightToLeft ? "1" : undefined);
  put("mode", view.mode === "flat" ? undefined : view.mode);
  put("theme", view.theme);
  put("item", view.selected?.join("."));
  put("overlays", view.overlays ? "1" : undefined);
  put("labels", view.labels === initialView.labels ? undefined : view.labels);
  return parameters.toString();
}

/** The view of such a text. What cannot be read is as initially. */
export function viewOf(text) {
  const parameters = new URLSearchParams(text.replace(/^#/, ""));
  const view = { ...initialView };
  if (/^(sample|collection):[\w.-]{1,64}$/.test(parameters.get("show") ?? "")) {
    view.source = parameters.get("show");
    view.preset = undefined;
  }
  if (/^[\w./-]{1,160}$/.test(parameters.get("preset") ?? "")) view.preset = parameters.get("preset");
  const layout = parsed(parameters.get("layout"));
  if (layout !== null && typeof layout === "object" && !Array.isArray(layout)) view.layout = layout;
  for (const axis of ["x", "y"]) view[axis] = number(parameters.get(axis), -1e12, 1e12);
  const [, width, height] = SIZES.exec(parameters.get("size") ?? "") ?? [];
  if (width > 0 && height > 0) view.size = { width: Number(width), height: Number(height) };
  view.zoom = number(parameters.get("zoom"), 0.05, 16) ?? 1;
  view.rightToLeft = parameters.get("rtl") === "1";
  for (const [name, words] of Object.entries(CHOICES)) {
    if (words.includes(parameters.get(name))) view[name] = parameters.get(name);
  }
  const path = /^(\d{1,10})\.(\d{1,10})$/.exec(parameters.get("item") ?? "");
  if (path) view.selected = [Number(path[1]), Number(path[2])];
  view.overlays = parameters.get("overlays") === "1";
  return view;
}

function rounded(value) {
  return String(Math.round(value * 100) / 100);
}

function number(text, least, most) {
  const value = text === null || text.trim() === "" ? NaN : Number(text);
  return value >= least && value <= most ? value : undefined;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
