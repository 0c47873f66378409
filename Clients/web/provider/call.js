// SPDX-License-Identifier: Apache-2.0
// One call of gRPC on a stream of HTTP/2.

import { constants } from "node:http2";

import { CODES } from "../src/errors.js";
import { decode, DecodeError, encode } from "../src/wire.js";
import { CallError } from "./call-error.js";
import { ENCODINGS, framed, MessageReader, percentEncoded } from "./framing.js";

const MOST_TEXT = 500;
// Of a timer, in milliseconds.
const MOST_WAIT = 0x7fffffff;

/** One call, from its headers to its status. */
export class Call {
  #stream;
  #chunks;
  #share;
  #limit;
  #encoding;
  #controller = new AbortController();
  #gone;
  #alarm;
  #hasStatus = false;

  /** `milliseconds` is the time that it may take; `share` is its part of the memory for calls. */
  constructor(stream, { share, messageBytes, encoding, milliseconds }) {
    this.#stream = stream;
    this.#share = share;
    this.#limit = messageBytes;
    this.#encoding = encoding;
    this.charge = share.take;
    this.#gone = new Promise((_, reject) => {
      this.signal.addEventListener("abort", () => reject(this.signal.reason), { once: true });
    });
    // Most calls end before anybody waits for that.
    this.#gone.catch(() => {});
    stream.on("aborted", () => this.#abandon(new CallError("CANCELLED", "the caller has gone")));
    stream.on("close", () => {
      clearTimeout(this.#alarm);
      this.#abandon(new CallError("CANCELLED", "the call is over"));
    });
    if (milliseconds <= MOST_WAIT) this.#alarm = setTimeout(() => this.#expire(), milliseconds);
  }

  /** Ends when nobody waits for the answer any more. */
  get signal() {
    return this.#controller.signal;
  }

  /** What a promise comes to. Throws CallError as soon as nobody waits for it any more. */
  until(promise) {
    return Promise.race([promise, this.#gone]);
  }

  #abandon(reason) {
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  #expire() {
    this.#abandon(new CallError("DEADLINE_EXCEEDED", "the time of the call is over"));
    // A status would have to wait for what the caller does not take.
    if (this.#stream.headersSent) this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  // MARK: Receiving

  /** The messages of the request. Throws CallError. */
  async * messages(schema) {
    const reader = new MessageReader(this.#limit, this.#encoding);
    this.#chunks ??= this.#stream[Symbol.asyncIterator]();
    for (;;) {
      for (let bytes = await reader.next(); bytes; bytes = await reader.next()) yield decoded(schema, bytes);
      // Not with `for await`, whose end would destroy the stream before it has a status.
      const { value, done } = await this.until(this.#chunks.next());
      if (done) break;
      reader.push(value);
    }
    reader.end();
  }

  /** The message of a request that has one. Throws CallError. */
  async onlyMessage(schema) {
    const messages = this.messages(schema);
    const first = await messages.next();
    if (first.done || !(await messages.next()).done) {
      throw new CallError("UNIMPLEMENTED", "the request needs one message");
    }
    return first.value;
  }

  // MARK: Answering

  /** Sends a message, and waits until the caller takes it. Throws CallError. */
  async send(schema, value) {
    const frame = framed(encode(schema, value));
    this.signal.throwIfAborted();
    if (!this.#stream.headersSent) this.#stream.respond(HEADERS, { waitForTrailers: true });
    if (this.#stream.write(frame)) return;
    let taken;
    const drained = new Promise((resolve) => {
      taken = resolve;
    });
    this.#stream.once("drain", taken);
    try {
      await this.until(drained);
    } finally {
      this.#stream.off("drain", taken);
    }
  }

  /** Ends the call with the status OK. */
  succeed() {
    this.#finish({ "grpc-status": 0 });
  }

  /** Ends the call with another status. */
  fail({ code, message }) {
    this.#finish({
      "grpc-status": CODES.indexOf(code), "grpc-message": percentEncoded(message.slice(0, MOST_TEXT)),
    });
  }

  #finish(status) {
    this.#share.release();
    const stream = this.#stream;
    if (this.#hasStatus || stream.destroyed || stream.closed) return;
    this.#hasStatus = true;
    if (stream.headersSent) {
      stream.once("wantTrailers", () => {
        stream.sendTrailers(status);
        this.#stopReading();
      });
      stream.end();
    } else {
      stream.respond({ ...HEADERS, ...status }, { endStream: true });
      this.#stopReading();
    }
  }

  /** Passes over what still comes, and tells the caller to send no more. */
  #stopReading() {
    const stream = this.#stream;
    stream.resume();
    if (!stream.readableEnded) setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  }
}

const HEADERS = {
  ":status": 200, "content-type": "application/grpc", "grpc-accept-encoding": ENCODINGS,
};

function decoded(schema, bytes) {
  try {
    return decode(schema, bytes);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new CallError("INTERNAL", `a message cannot be read: ${error.message}`);
  }
}
