// SPDX-License-Identifier: Apache-2.0
// How gRPC divides a stream of bytes into messages.

import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";

import { CallError } from "./call-error.js";

const HEADER_BYTES = 5;
const inflaters = { gzip: promisify(gunzip), deflate: promisify(inflate) };

/** What callers may compress messages with. */
export const ENCODINGS = "identity,deflate,gzip";

/** Divides bytes that come in any pieces into messages. */
export class MessageReader {
  #chunks = [];
  /** How much of the first chunk was taken already. */
  #taken = 0;
  #waiting = 0;
  #header;
  #limit;
  #inflate;

  /** `limit` is that of a message's bytes, also when it is not compressed any more. */
  constructor(limit, encoding = "identity") {
    this.#limit = limit;
    if (encoding === "identity") return;
    this.#inflate = Object.hasOwn(inflaters, encoding) ? inflaters[encoding] : undefined;
    if (!this.#inflate) {
      throw new CallError("UNIMPLEMENTED", `messages are compressed with something else than ${ENCODINGS}`);
    }
  }

  push(chunk) {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
  }

  /** The bytes of the next message; undefined = it has not come whole yet. Throws CallError. */
  async next() {
    if (!this.#header) {
      if (this.#waiting < HEADER_BYTES) return undefined;
      this.#header = this.#readHeader();
    }
    const { isCompressed, length } = this.#header;
    if (this.#waiting < length) return undefined;
    this.#header = undefined;
    const bytes = this.#take(length);
    return isCompressed ? this.#inflated(bytes) : bytes;
  }

  /** Nothing more comes. Throws CallError in the middle of a message. */
  end() {
    if (this.#header || this.#waiting > 0) throw new CallError("INTERNAL", "a message is cut off");
  }

  #readHeader() {
    const header = this.#take(HEADER_BYTES);
    const flag = header[0], length = new DataView(header.buffer, header.byteOffset).getUint32(1);
    if (flag > 1) throw new CallError("INTERNAL", `the flag of a message is ${flag}; 0 or 1 is allowed`);
    if (flag === 1 && !this.#inflate) {
      throw new CallError("INTERNAL", "a message is compressed, but no encoding was named");
    }
    // Before the message itself comes, so that it takes no memory.
    if (length > this.#limit) throw this.#tooLarge(length);
    return { isCompressed: flag === 1, length };
  }

  async #inflated(bytes) {
    try {
      const whole = await this.#inflate(bytes, { maxOutputLength: Math.max(1, this.#limit) });
      return new Uint8Array(whole.buffer, whole.byteOffset, whole.length);
    } catch (error) {
      if (error.code === "ERR_BUFFER_TOO_LARGE") throw this.#tooLarge("more");
      throw new CallError("INTERNAL", "a message is not compressed as it says");
    }
  }

  #tooLarge(length) {
    return new CallError("RESOURCE_EXHAUSTED", `a message has ${length} bytes; at most ${this.#limit} are allowed`);
  }

  #take(count) {
    this.#waiting -= count;
    const first = this.#chunks[0];
    if (count === 0) return new Uint8Array(0);
    if (first.length - this.#taken >= count) {
      const bytes = new Uint8Array(first.buffer, first.byteOffset + this.#taken, count);
      this.#advance(count);
      return bytes;
    }
    const bytes = new Uint8Array(count);
    let done = 0;
    while (done < count) {
      const part = this.#chunks[0].subarray(this.#taken, this.#taken + count - done);
      bytes.set(part, done);
      done += part.length;
      this.#advance(part.length);
    }
    return bytes;
  }

  #advance(count) {
    this.#taken += count;
    if (this.#taken < this.#chunks[0].length) return;
    this.#chunks.shift();
    this.#taken = 0;
  }
}

/** A message as it is sent. */
export function framed(bytes) {
  const frame = new Uint8Array(HEADER_BYTES + bytes.length);
  new DataView(frame.buffer).setUint32(1, bytes.length);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

const UNITS = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** The milliseconds of a header "grpc-timeout"; undefined = there is none. Throws CallError. */
export function timeoutOf(header) {
  if (header === undefined) return undefined;
  const found = /^([0-9]{1,8})([HMSmun])$/.exec(header);
  if (!found) throw new CallError("INVALID_ARGUMENT", "grpc-timeout is not 1 to 8 digits and a unit");
  return Number(found[1]) * UNITS[found[2]];
}

/** A text as a header "grpc-message" has it. */
export function percentEncoded(text) {
  let result = "";
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    result += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}
