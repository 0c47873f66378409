// SPDX-License-Identifier: Apache-2.0
// Runs checks in a page, and posts their results to the test that opened the page.

/** Runs functions by name, one after the other; each returns what the test wants to know. */
export async function run(checks, cleanUp = () => {}) {
  const results = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      results[name] = { value: await check() };
    } catch (error) {
      results[name] = { error: `${error.message}\n${error.stack}` };
    }
    cleanUp();
  }
  await fetch("/result", { method: "POST", body: JSON.stringify(results) });
}

/** The next frame of the browser, and then some until a condition holds. */
export async function until(condition, what) {
  const deadline = performance.now() + 15_000;
  for (;;) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
    });
    const value = condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`${what} did not happen`);
  }
}

/** The server's own port where the test names it, else the door that serves this page. */
export const address = new URLSearchParams(location.search).get("server") ?? `ws://${location.host}`;
