// SPDX-License-Identifier: Apache-2.0
// Opens pages in Chromium.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The command of Chromium; undefined = it is not installed. */
export const chromium = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"].find(
  (name) => name && spawnSync(name, ["--version"]).status === 0);

/** Opens a page, and resolves to what it posts to the door. */
export async function resultOf(door, url, { timeout = 90_000, flags = [] } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "layout-chromium-"));
  let browser, timer;
  try {
    return await new Promise((resolve, reject) => {
      door.results = resolve;
      browser = spawn(chromium, [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--window-size=1280,1024", `--user-data-dir=${profile}`, ...flags, url,
      ], { stdio: ["ignore", "ignore", "pipe"] });
      let output = "";
      browser.stderr.on("data", (chunk) => {
        output = (output + chunk).slice(-4000);
      });
      browser.on("error", reject);
      timer = setTimeout(() => reject(new Error(`no result within ${timeout} ms: ${output}`)), timeout);
    });
  } finally {
    clearTimeout(timer);
    const ended = new Promise((resolve) => {
      browser.on("exit", resolve);
    });
    browser.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
