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
      ], { stdio: ["ignore", "ignore", "pipe"], detached: true });
      let output = "";
      browser.stderr.on("data", (chunk) => {
        output = (output + chunk).slice(-4000);
      });
      browser.on("error", reject);
      timer = setTimeout(() => reject(new Error(`no result within ${timeout} ms: ${output}`)), timeout);
    });
  } finally {
    clearTimeout(timer);
    await endBrowser(browser);
    await removeProfile(profile);
  }
}

/** Kills a browser and the processes that it started, which are in a group of their own. */
export async function endBrowser(browser) {
  if (browser?.pid === undefined) return;
  const ended = browser.exitCode !== null || browser.signalCode !== null
    ? Promise.resolve() : new Promise((resolve) => browser.on("exit", resolve));
  try {
    process.kill(-browser.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
  await ended;
}

/** Removes a profile. Killed processes can still write into it for a moment, and `rmSync` itself does not look again. */
export async function removeProfile(profile) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return rmSync(profile, { recursive: true, force: true });
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
