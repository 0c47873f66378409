// SPDX-License-Identifier: Apache-2.0
// Streams over WebSockets. Documentation/websocket.md describes them.

import { CODES, LayoutError, TokenSourceError } from "./errors.js";

const PROTOCOL = "collection-layout.v1";
// Characters that a subprotocol may have, by RFC 6455 and RFC 7230.
const TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const ENDED = 1000, TOO_LARGE = 1009, RESTARTS = 1012, LATER = 1013, FAILED = 1011, LOST = 1006;
const STATUS_BASE = 4000;

/** Connects to a layout server, or to a proxy that accepts WebSockets for one. */
export class WebSocketTransport {
  #token;
  #WebSocket;

  /**
   * The URL begins with "ws:" or "wss:". `token` is sent with each stream and call; a function, which may be
   * asynchronous, is asked for it each time.
   */
  constructor(url, { token, WebSocket = globalThis.WebSocket } = {}) {
    /** Where it connects to. */
    this.address = String(url).replace(/\/+$/, "").replace(/^http/, "ws");
    this.#token = token;
    this.#WebSocket = WebSocket;
  }

  /** Whether the next stream may have another token. */
  get canRenew() {
    return typeof this.#token === "function";
  }

  /** Begins a stream or a call of a method: "Service/Method". */
  open(method, { collection, message, end }) {
    // Only of an import the server cannot know when it is complete.
    const stream = new WebSocketStream(message, end, method.endsWith("/ImportContents"));
    const url = `${this.address}/v1/${method}`;
    const query = collection ? `?collection=${encodeURIComponent(collection)}` : "";
    this.#nextToken().then((token) => {
      stream.connect(() => new this.#WebSocket(url + query, protocols(token)));
    }).catch((error) => stream.fail(error));
    return stream;
  }

  async #nextToken() {
    if (!this.canRenew) return this.#token;
    try {
      return await this.#token();
    } catch (error) {
      throw new TokenSourceError(error);
    }
  }
}

function protocols(token) {
  if (!token) return [PROTOCOL];
  if (!TOKEN.test(token)) {
    throw new LayoutError("UNAUTHENTICATED", "the token has characters that a WebSocket cannot send");
  }
  return [PROTOCOL, `bearer.${token}`];
}

class WebSocketStream {
  #socket;
  // What is sent once the socket is open, and how many bytes that is.
  #waiting = [];
  #waitingBytes = 0;
  #message;
  #end;
  #problem;
  #tellsEnd;
  #isOver = false;

  constructor(message, end, tellsEnd) {
    this.#message = message;
    this.#end = end;
    this.#tellsEnd = tellsEnd;
  }

  connect(make) {
    if (this.#isOver) return;
    const socket = make();
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      for (const bytes of this.#waiting) socket.send(bytes);
      this.#waiting = [];
      this.#waitingBytes = 0;
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.#problem = readProblem(data);
      else if (!this.#isOver) this.#message(new Uint8Array(data));
    };
    socket.onclose = ({ code, reason }) => this.fail(closeError(code, reason, this.#problem));
    // Browsers close the socket right after, but Node 20 does not if nobody listens at the address.
    socket.onerror = () => setTimeout(() => this.fail(closeError(LOST, "")));
  }

  /** The bytes that wait to be sent. */
  get buffered() {
    return this.#waitingBytes + (this.#socket?.bufferedAmount ?? 0);
  }

  send(bytes) {
    if (this.#socket?.readyState === 1) {
      this.#socket.send(bytes);
    } else if (!this.#isOver) {
      this.#waiting.push(bytes);
      this.#waitingBytes += bytes.length;
    }
  }

  /** Nothing more will be sent. */
  end() {
    if (this.#tellsEnd) this.send("end");
  }

  cancel() {
    this.#isOver = true;
    this.#socket?.close(ENDED);
    // That of the package `ws`. Without it, a server that ignores the close frame keeps the
    // connection open, and so a program on Node alive.
    this.#socket?.terminate?.();
  }

  fail(error) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end(error);
  }
}

/** The problem that a text message holds, which comes before the end; undefined = none that can be read. */
function readProblem(text) {
  try {
    const problem = JSON.parse(text);
    return typeof problem === "object" && problem !== null ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** The error with which a WebSocket was closed; undefined = without one. */
function closeError(code, reason, problem) {
  if (code === ENDED) return undefined;
  if (code > STATUS_BASE && code < STATUS_BASE + CODES.length) {
    const [, name = "", message = reason] = /^([A-Z][A-Z0-9_]+): (.*)$/s.exec(reason) ?? [];
    const text = (value, other) => (typeof value === "string" ? value : other);
    return new LayoutError(CODES[code - STATUS_BASE], text(problem?.message, message), {
      reason: text(problem?.reason, name),
      violations: Array.isArray(problem?.fieldViolations) ? problem.fieldViolations : [],
      metadata: typeof problem?.metadata === "object" ? problem.metadata ?? {} : {},
    });
  }
  if (code === TOO_LARGE) return new LayoutError("RESOURCE_EXHAUSTED", "a message is too large");
  if (code === FAILED) return new LayoutError("INTERNAL", reason || "the server failed");
  if (code === RESTARTS || code === LATER) {
    return new LayoutError("UNAVAILABLE", reason || "the server restarts");
  }
  return new LayoutError("UNAVAILABLE", reason || `the connection was lost or refused (${code})`);
}
