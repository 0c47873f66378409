// SPDX-License-Identifier: Apache-2.0
// Makes elements of the page.

/** An element with attributes and children. Texts are texts, never markup. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && key !== "list" && key !== "form") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** The element of the page with an identifier. */
export function byId(id) {
  return document.getElementById(id);
}

/** Calls a function once a while has passed without another call. */
export function delayed(milliseconds, action) {
  let timer;
  const call = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}
