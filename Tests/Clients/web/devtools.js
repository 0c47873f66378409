// SPDX-License-Identifier: Apache-2.0
// Drives a page in Chromium by its DevTools protocol, over a pipe.

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium, endBrowser, removeProfile } from "./browser.js";

/** A browser with one page. */
export class Page {
  /** Errors and warnings that the page wrote to the console, and faults of its scripts. */
  problems = [];
  /** Addresses that the page asked for. */
  requests = [];
  #browser;
  #profile;
  #calls = new Map();
  #number = 0;
  #rest = "";
  #session;

  /** Opens an empty page. */
  static async open({ width = 1280, height = 800, scale = 1, flags = [] } = {}) {
    const page = new Page();
    await page.#start(flags);
    await page.size(width, height, scale);
    return page;
  }

  async #start(flags) {
    this.#profile = mkdtempSync(join(tmpdir(), "layout-chromium-"));
    this.#browser = spawn(chromium, [
      "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader", "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`, ...flags, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
    this.#browser.stdio[4].on("data", (chunk) => this.#receive(chunk.toString()));
    const { targetInfos } = await this.#call("Target.getTargets", {}, undefined);
    const { targetId } = targetInfos.find(({ type }) => type === "page");
    const { sessionId } = await this.#call("Target.attachToTarget", { targetId, flatten: true }, undefined);
    this.#session = sessionId;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.call(`${domain}.enable`);
  }

  #receive(text) {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop();
    for (const message of messages) this.#take(JSON.parse(message));
  }

  #take({ id, result, error, method, params }) {
    if (id !== undefined) {
      const { resolve, reject } = this.#calls.get(id);
      this.#calls.delete(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
      return;
    }
    if (method === "Runtime.exceptionThrown") {
      const { exception, text } = params.exceptionDetails;
      this.problems.push(exception?.description ?? text);
    } else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) {
      this.problems.push(params.args.map(({ value, description }) => value ?? description).join(" "));
    } else if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) {
      this.problems.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    } else if (method === "Network.requestWillBeSent") {
      this.requests.push(params.request.url);
    }
  }

  #call(method, params, sessionId) {
    return new Promise((resolve, reject) => {
      this.#number += 1;
      this.#calls.set(this.#number, { resolve, reject });
      this.#browser.stdio[3].write(`${JSON.stringify({ id: this.#number, method, params, sessionId })}\0`);
    });
  }

  /** Any command of the protocol. */
  call(method, params = {}) {
    return this.#call(method, params, this.#session);
  }

  size(width, height, scale = 1, mobile = false) {
    return this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile });
  }

  /** Lets the page believe that the user prefers dark or light, or little motion. */
  prefers(features) {
    return this.call("Emulation.setEmulatedMedia", {
      features: Object.entries(features).map(([name, value]) => ({ name, value })),
    });
  }

  go(url) {
    return this.call("Page.navigate", { url });
  }

  /** The value of an expression in the page, which may be a promise. */
  async value(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true, and returns its value. */
  async until(expression, { timeout = 30_000 } = {}) {
    const deadline = Date.now() + timeout;
    for (;;) {
      const value = await this.value(expression).catch((error) => {
        if (Date.now() > deadline) throw error;
      });
      if (value) return value;
      if (Date.now() > deadline) throw new Error(`not within ${timeout} ms: ${expression}; ${this.problems}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  wheel(x, y, deltaX, deltaY, modifiers = 0) {
    return this.call("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX, deltaY, modifiers });
  }

  mouse(type, x, y, button = "left") {
    const buttons = type === "mouseReleased" ? 0 : 1;
    return this.call("Input.dispatchMouseEvent", {
      type, x, y, button: type === "mouseMoved" && button === "none" ? "none" : button, buttons: button === "none" ? 0 : buttons,
      clickCount: 1,
    });
  }

  /** From now on the page has a screen that is touched, as a phone has. */
  touchable() {
    return this.call("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 });
  }

  /** Moves fingers over the screen: each is a list of [x, y], all of the same length. */
  async fingers(...paths) {
    const points = (step) => paths.map((path, id) => ({ x: path[step][0], y: path[step][1], id }));
    await this.call("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(0) });
    for (let step = 1; step < paths[0].length; step += 1) {
      await this.call("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(step) });
    }
    await this.call("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  async click(x, y) {
    await this.mouse("mousePressed", x, y);
    await this.mouse("mouseReleased", x, y);
  }

  async key(key, { code = key, text } = {}) {
    await this.call("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, code, text });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", key, code });
  }

  /** A picture of the page, as the bytes of a PNG. */
  async picture() {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  async close() {
    await endBrowser(this.#browser);
    await removeProfile(this.#profile);
  }
}
