// SPDX-License-Identifier: Apache-2.0
// Serves the layouts of this process with Node's HTTP/2.

import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import http2 from "node:http2";

import { Call } from "./call.js";
import { CallError } from "./call-error.js";
import { timeoutOf } from "./framing.js";
import { descriptions } from "./layouts.js";
import { Budget, Memory } from "./memory.js";
import { methods } from "./service.js";

const MOST_CONNECTIONS = 256, MOST_STREAMS = 100;
// What a caller may send before it is read, of a stream and of a connection.
const STREAM_WINDOW = 1 << 20, CONNECTION_WINDOW = 1 << 22;
// What a timer can wait for.
const MOST_SECONDS = 2_000_000;
// A connection is closed when nothing comes and goes for so much longer than a call may take.
const SILENCE = 60;

/** A provider that listens, until `stop()`. */
export class Provider {
  #server;
  #sessions = new Set();

  /** `silence` is the number of milliseconds after which an unused connection is closed. */
  constructor(server, silence) {
    this.#server = server;
    server.on("session", (session) => {
      session.setTimeout(silence, () => session.destroy());
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      session.once("connect", () => session.setLocalWindowSize(CONNECTION_WINDOW));
    });
    // What is no HTTP/2, and connections that break.
    server.on("sessionError", (_, session) => session?.destroy());
  }

  /** Where it listens. */
  get port() {
    return this.#server.address()?.port;
  }

  /** Ends calls and closes the port. */
  async stop() {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const session of this.#sessions) session.destroy();
    await closed;
  }
}

/**
 * Serves all layouts of this process in the background.
 *
 * `port` 0 is any free one, which `Provider.port` tells. `token` has to be shown by callers. With `certificate` and
 * `key`, both in PEM, connections are encrypted. `keep` answers are remembered, to send only what a change moved.
 * `messageBytes` is the most of one message, `memory` the bytes that all calls together may take for what they are asked
 * to place, `seconds` what a call may take whatever its deadline. `report` is told of errors in layouts.
 */
export async function start({
  host = "127.0.0.1", port = 0, token = "", certificate, key, keep = 8, messageBytes = 4 << 20, memory = 1 << 30,
  seconds = 60, report = console.error,
} = {}) {
  for (const [name, value, most] of [
    ["keep", keep, 1000], ["messageBytes", messageBytes, 1 << 30], ["memory", memory, 2 ** 40],
    ["seconds", seconds, MOST_SECONDS],
  ]) {
    if (!(value >= 0 && value <= most)) throw new TypeError(`${name}: ${value}; 0 to ${most} is allowed`);
  }
  if (!certificate !== !key) throw new TypeError("certificate and key are needed together");
  const settings = { initialWindowSize: STREAM_WINDOW, maxConcurrentStreams: MOST_STREAMS };
  const server = certificate
    ? http2.createSecureServer({ cert: certificate, key, settings, allowHTTP1: false })
    : http2.createServer({ settings });
  server.maxConnections = MOST_CONNECTIONS;
  const provider = new Provider(server, Math.min(seconds + SILENCE, MOST_SECONDS) * 1000);
  const found = methods(new Memory(keep)), budget = new Budget(memory);
  const isPermitted = check(token);
  server.on("stream", (stream, headers) => {
    // It breaks when the caller goes; the call notices that by itself.
    stream.on("error", () => {});
    if (refuse(stream, headers)) return;
    const options = { share: budget.share(), messageBytes, milliseconds: seconds * 1000 };
    answer(stream, headers, found, isPermitted, options, report);
  });
  server.listen(port, host);
  await once(server, "listening");
  return provider;
}

/** As `start`, and says where it is; on port 50061 unless told otherwise. */
export async function serve({ host = "127.0.0.1", port = 50061, ...options } = {}) {
  const provider = await start({ host, port, ...options });
  const names = descriptions().map(({ name }) => name).sort();
  console.log(`layouts ${names.join(", ")} on ${host}:${provider.port}`);
  return provider;
}

/** Answers what is not gRPC; false = it is. */
function refuse(stream, headers) {
  const isGrpc = /^application\/grpc(\+proto)?(;|$)/.test(headers["content-type"] ?? "");
  if (headers[":method"] === "POST" && isGrpc) return false;
  stream.respond({ ":status": headers[":method"] === "POST" ? 415 : 405 }, { endStream: true });
  stream.resume();
  setImmediate(() => stream.close(http2.constants.NGHTTP2_NO_ERROR));
  return true;
}

async function answer(stream, headers, found, isPermitted, options, report) {
  let problem, timeout;
  try {
    timeout = timeoutOf(headers["grpc-timeout"]);
  } catch (error) {
    problem = error;
  }
  const method = found.get(headers[":path"]);
  const milliseconds = Math.min(timeout ?? Infinity, method?.isEndless ? Infinity : options.milliseconds);
  const call = new Call(stream, { ...options, milliseconds, encoding: headers["grpc-encoding"] });
  try {
    if (problem) throw problem;
    if (!isPermitted(headers.authorization)) {
      throw new CallError("UNAUTHENTICATED", "the token is missing or wrong");
    }
    if (!method) throw new CallError("UNIMPLEMENTED", "there is no such method");
    await method(call);
    call.succeed();
  } catch (error) {
    const told = CallError.of(error);
    if (told.code === "UNKNOWN") report(error);
    call.fail(told);
  }
}

/** Tells whether a header has the token; digests of it are compared, which takes as long whatever differs. */
function check(token) {
  if (!token) return () => true;
  const digest = (text) => createHash("sha256").update(text).digest();
  const needed = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest(header ?? ""), needed);
}
