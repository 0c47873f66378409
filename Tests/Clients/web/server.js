// SPDX-License-Identifier: Apache-2.0
// A layout server of a test's own.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BINARY = process.env.LAYOUT_SERVER
  ?? new URL("../../../.build/debug/layout-server", import.meta.url).pathname;

/** A process of `layout-server`. */
export class LayoutServer {
  #process;
  #folder;

  /** Starts a server; with `isDurable` its collections outlive it. */
  static async start({ isDurable = false, options = [], port = 0 } = {}) {
    const server = new LayoutServer();
    server.options = options;
    server.port = port;
    if (isDurable) server.#folder = mkdtempSync(join(tmpdir(), "layout-web-"));
    await server.#run();
    return server;
  }

  async #run() {
    const store = this.#folder ? ["--store-path", join(this.#folder, "store.sqlite")] : ["--store", "memory"];
    const child = spawn(BINARY, ["--port", String(this.port), ...store, ...this.options], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#process = child;
    this.address = await new Promise((resolve, reject) => {
      let output = "";
      child.stdout.on("data", (chunk) => {
        output += chunk;
        const found = /listening on (\S+:\d+)/.exec(output);
        this.web = /web port on (\S+:\d+)/.exec(output)?.[1];
        this.admin = /admin port on (\S+:\d+)/.exec(output)?.[1];
        const isThere = (option, address) => address || !this.options.includes(option);
        if (found && isThere("--web-port", this.web) && isThere("--admin-port", this.admin)) resolve(found[1]);
      });
      child.on("error", reject);
      child.on("exit", () => reject(new Error(`${BINARY} ended: ${output}`)));
    });
    this.port = Number(this.address.split(":").pop());
  }

  /** Kills the server, without giving it time for anything. */
  async kill() {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => {
      child.on("exit", resolve);
    });
    child.kill("SIGKILL");
    await ended;
  }

  /** Starts it again at the same address. */
  async restart() {
    await this.#run();
  }

  async stop() {
    await this.kill();
    if (this.#folder) rmSync(this.#folder, { recursive: true });
  }
}
