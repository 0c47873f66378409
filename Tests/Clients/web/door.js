#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Accepts WebSockets for a layout server that speaks gRPC, as Documentation/websocket.md describes it, and
// serves files. For tests, and for trying the client on one's own machine.
//
//   door.js [--server 127.0.0.1:50051] [--port 8080] [--files FOLDER]

import { readFile } from "node:fs/promises";
import http from "node:http";
import { extname, join, normalize } from "node:path";
import { parseArgs } from "node:util";

import { CODES } from "../../../Clients/web/src/errors.js";
import { GrpcTransport } from "./grpc-transport.js";
import { refuse, ServerSocket } from "./websocket.js";

const PROTOCOL = "collection-layout.v1";
const MOST_BYTES = 4 << 20;
const STATUS_BASE = 4000;
const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
};

/** A server of HTTP whose WebSockets lead to a layout server. */
export class Door {
  /** `files` is a folder, `pages` are texts by path. `results` takes what pages post to /result. */
  constructor(server, { files, pages = {}, results = () => {}, origins = [] } = {}) {
    this.server = server;
    this.files = files;
    this.pages = pages;
    this.origins = origins;
    this.results = results;
    this.sockets = new Set();
    this.http = http.createServer((request, response) => this.#serve(request, response));
    this.http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Listens on a port; 0 = any. Resolves to the port. */
  async listen(port = 0) {
    await new Promise((resolve) => {
      this.http.listen(port, "127.0.0.1", resolve);
    });
    return this.http.address().port;
  }

  /** Breaks all connections of WebSockets. */
  breakConnections() {
    for (const socket of this.sockets) socket.destroy();
  }

  close() {
    this.breakConnections();
    this.http.closeAllConnections();
    this.http.close();
  }

  async #serve(request, response) {
    if (request.method === "POST" && request.url === "/result") {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end();
      this.results(JSON.parse(Buffer.concat(chunks).toString()));
      return;
    }
    const path = normalize(decodeURIComponent(new URL(request.url, "http://door").pathname));
    try {
      const body = this.pages[path] ?? await readFile(join(this.files, path.endsWith("/") ? `${path}index.html` : path));
      response.setHeader("content-type", TYPES[extname(path) || ".html"] ?? "application/octet-stream");
      response.end(body);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  }

  #upgrade(request, socket, head) {
    const url = new URL(request.url, "http://door");
    const [, method] = /^\/v1\/(\w+\/\w+)$/.exec(url.pathname) ?? [];
    const { origin, host, "sec-websocket-protocol": protocols = "" } = request.headers;
    const offered = protocols.split(",").map((each) => each.trim());
    const isKnown = !origin || origin === `http://${host}` || this.origins.includes(origin);
    if (!isKnown) refuse(socket, "403 Forbidden");
    else if (!method) refuse(socket, "404 Not Found");
    else if (!offered.includes(PROTOCOL)) refuse(socket, "400 Bad Request");
    else this.#connect(request, socket, head, method, url.searchParams.get("collection"), offered);
  }

  #connect(request, socket, head, method, collection, offered) {
    this.sockets.add(socket);
    const token = offered.find((each) => each.startsWith("bearer."))?.slice("bearer.".length);
    const transport = new GrpcTransport(this.server, {
      metadata: token ? { authorization: `Bearer ${token}` } : {},
    });
    const call = transport.open(method, {
      collection,
      message: (bytes) => webSocket.send(bytes),
      end: (error) => {
        if (error) webSocket.send(JSON.stringify(problemOf(error)));
        const code = error ? STATUS_BASE + CODES.indexOf(error.code) : 1000;
        webSocket.close(code, error?.message);
        transport.close();
      },
    });
    const isStream = method.endsWith("/StreamLayout");
    const webSocket = new ServerSocket(socket, request, PROTOCOL, head, {
      mostBytes: MOST_BYTES,
      message: (bytes) => {
        call.send(bytes);
        if (!isStream) call.end();
      },
      closed: () => {
        this.sockets.delete(socket);
        call.cancel();
        transport.close();
      },
    });
  }
}

/** A problem as JSON, for the text message before the end. */
function problemOf({ code, reason, message, violations, metadata }) {
  const text = reason ? message.slice(`${reason}: `.length) : message.slice(`${code}: `.length);
  return { code: CODES.indexOf(code), reason, message: text, fieldViolations: violations, metadata };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { values } = parseArgs({
    options: {
      server: { type: "string", default: "127.0.0.1:50051" },
      port: { type: "string", default: "8080" },
      files: { type: "string", default: new URL("../../../Clients/web/", import.meta.url).pathname },
    },
  });
  const port = await new Door(values.server, { files: values.files }).listen(Number(values.port));
  console.log(`http://127.0.0.1:${port}/ leads to ${values.server}`);
}
