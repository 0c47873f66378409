// SPDX-License-Identifier: Apache-2.0
// Reads and writes numbers, texts and lengths as protobuf encodes them.

/** Bytes that are not the message they should be. */
export class DecodeError extends Error {
  name = "DecodeError";
}

/** A value that does not fit its field. */
export class FieldError extends Error {
  name = "FieldError";

  constructor(path, problem) {
    super(`${path}: ${problem}`);
    /** Where it is: "layout.flow.sectionInset". */
    this.path = path;
    /** What was found and what is allowed. */
    this.problem = problem;
  }
}

// Messages may lie this deep in one another, as at the server.
export const MOST_DEPTH = 100;
const TWO_32 = 4294967296;
const GROUP = 3, GROUP_END = 4;
export const VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5;

// MARK: Reading

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the parts that messages consist of. Throws DecodeError. */
export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.end = bytes.length;
    // The upper half of the last varint.
    this.high = 0;
  }

  fail(problem) {
    throw new DecodeError(`${problem}, at byte ${this.at}`);
  }

  /** The lower 32 bits of a varint, unsigned; `high` has the upper ones. */
  varint() {
    const { bytes } = this;
    let low = 0, high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) this.fail("a number is cut off");
      const byte = bytes[this.at++];
      if (shift < 28) {
        low |= (byte & 0x7f) << shift;
      } else if (shift === 28) {
        low |= (byte & 0x0f) << 28;
        high |= (byte & 0x7f) >> 4;
      } else {
        high |= (byte & 0x7f) << (shift - 32);
      }
      if (byte < 0x80) {
        if (shift === 63 && byte > 1) this.fail("a number has more than 64 bits");
        this.high = high >>> 0;
        return low >>> 0;
      }
    }
    return this.fail("a number has more than 10 bytes");
  }

  tag() {
    const tag = this.varint();
    if (this.high !== 0 || tag < 8) this.fail("a field has no valid number");
    return tag;
  }

  /** Where the bytes end whose length comes next. */
  limit() {
    const length = this.varint();
    if (this.high !== 0 || length > this.end - this.at) this.fail(`a length of ${length} is too long`);
    return this.at + length;
  }

  need(length) {
    if (length > this.end - this.at) this.fail("a number is cut off");
  }

  /** A number of 64 bits. */
  whole(low, high) {
    const value = high * TWO_32 + low;
    if (!Number.isSafeInteger(value)) this.fail("an integer is beyond 2^53 - 1");
    return value;
  }

  text() {
    const end = this.limit();
    const bytes = this.bytes.subarray(this.at, end);
    this.at = end;
    if (bytes.length < 24) {
      // Short keys are faster without the decoder.
      let text = "", index = 0;
      while (index < bytes.length && bytes[index] < 0x80) text += String.fromCharCode(bytes[index++]);
      if (index === bytes.length) return text;
    }
    try {
      return utf8.decode(bytes);
    } catch {
      return this.fail("a text is not UTF-8");
    }
  }

  skip(wireType, number, depth) {
    if (depth > MOST_DEPTH) this.fail(`messages are more than ${MOST_DEPTH} deep`);
    if (wireType === VARINT) {
      this.varint();
    } else if (wireType === FIXED64) {
      this.need(8);
      this.at += 8;
    } else if (wireType === BYTES) {
      this.at = this.limit();
    } else if (wireType === FIXED32) {
      this.need(4);
      this.at += 4;
    } else if (wireType === GROUP) {
      for (;;) {
        const tag = this.tag();
        if ((tag & 7) !== GROUP_END) this.skip(tag & 7, tag >>> 3, depth + 1);
        else if (tag >>> 3 === number) return;
        else this.fail("a group ends that did not begin");
      }
    } else {
      this.fail(`wire type ${wireType} does not exist`);
    }
  }
}

// MARK: Writing

/** Writes them. */
export class Writer {
  constructor() {
    this.bytes = new Uint8Array(256);
    this.view = new DataView(this.bytes.buffer);
    this.at = 0;
  }

  /** Makes room for so many bytes, and returns where they begin. */
  take(length) {
    const start = this.at, end = start + length;
    if (end > this.bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.bytes.length * 2));
      grown.set(this.bytes);
      this.bytes = grown;
      this.view = new DataView(grown.buffer);
    }
    this.at = end;
    return start;
  }

  byte(value) {
    const start = this.take(1);
    this.bytes[start] = value;
  }

  varint(value) {
    while (value > 0x7f) {
      this.byte((value & 0x7f) | 0x80);
      // Not a shift: the value may have 53 bits.
      value = Math.floor(value / 128);
    }
    this.byte(value);
  }

  tag(number, wireType) {
    this.varint(number * 8 + wireType);
  }

  raw(bytes) {
    const start = this.take(bytes.length);
    this.bytes.set(bytes, start);
  }

  /** What `write` writes, after its length. */
  delimited(write) {
    const start = this.take(1) + 1;
    write();
    const length = this.at - start;
    if (length > 0x7f) {
      let extra = 0;
      for (let rest = length; rest > 0x7f; rest = Math.floor(rest / 128)) extra += 1;
      this.take(extra);
      this.bytes.copyWithin(start + extra, start, start + length);
    }
    const end = this.at;
    this.at = start - 1;
    this.varint(length);
    this.at = end;
  }
}
