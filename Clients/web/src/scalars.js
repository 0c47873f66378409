// SPDX-License-Identifier: Apache-2.0
// How fields of each type are read and written.

import { BYTES, FieldError, FIXED32, FIXED64, VARINT } from "./bytes.js";

const TWO_32 = 4294967296;
const encoder = new TextEncoder();

/** Throws FieldError; the path is put together on the way up. */
export function refuse(value, allowed) {
  const found = typeof value === "string" ? `"${value}"` : String(value);
  throw new FieldError("", `${found} is not ${allowed}`);
}

function integer(least, most, allowed) {
  return (value) => {
    if (typeof value === "bigint") value = Number(value);
    return Number.isInteger(value) && value >= least && value <= most ? value : refuse(value, allowed);
  };
}

const uint32 = integer(0, 0xffffffff, "an integer from 0 to 2^32 - 1");
export const int32 = integer(-0x80000000, 0x7fffffff, "an integer from -2^31 to 2^31 - 1");
const uint53 = integer(0, Number.MAX_SAFE_INTEGER, "an integer from 0 to 2^53 - 1");
const int53 = integer(
  Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, "an integer from -(2^53 - 1) to 2^53 - 1");

export function writeSigned(writer, value) {
  if (value >= 0) writer.varint(value);
  else writeBig(writer, BigInt.asUintN(64, BigInt(value)));
}

function writeBig(writer, value) {
  for (; value > 0x7fn; value >>= 7n) writer.byte(Number(value & 0x7fn) | 0x80);
  writer.byte(Number(value));
}

// `Column` is the typed array that a repeated field of the type becomes.
export const scalars = {
  double: {
    wireType: FIXED64, zero: 0, Column: Float64Array,
    read(reader) {
      reader.need(8);
      const value = reader.view.getFloat64(reader.at, true);
      reader.at += 8;
      return value;
    },
    write(writer, value) {
      if (!Number.isFinite(value)) refuse(value, "a finite number");
      const start = writer.take(8);
      writer.view.setFloat64(start, value, true);
    },
  },
  fixed32: {
    wireType: FIXED32, zero: 0, Column: Uint32Array,
    read(reader) {
      reader.need(4);
      const value = reader.view.getUint32(reader.at, true);
      reader.at += 4;
      return value;
    },
    write(writer, value) {
      const checked = uint32(value), start = writer.take(4);
      writer.view.setUint32(start, checked, true);
    },
  },
  fixed64: {
    wireType: FIXED64, zero: 0n,
    read(reader) {
      reader.need(8);
      const value = reader.view.getBigUint64(reader.at, true);
      reader.at += 8;
      return value;
    },
    write(writer, value) {
      const whole = typeof value === "bigint" ? value : BigInt(uint53(value));
      if (whole !== BigInt.asUintN(64, whole)) refuse(value, "an integer from 0 to 2^64 - 1");
      const start = writer.take(8);
      writer.view.setBigUint64(start, whole, true);
    },
  },
  uint32: {
    wireType: VARINT, zero: 0, Column: Uint32Array,
    read: (reader) => reader.varint(),
    write: (writer, value) => writer.varint(uint32(value)),
  },
  int32: {
    wireType: VARINT, zero: 0, Column: Int32Array,
    read: (reader) => reader.varint() | 0,
    write: (writer, value) => writeSigned(writer, int32(value)),
  },
  sint32: {
    wireType: VARINT, zero: 0, Column: Int32Array,
    read(reader) {
      const value = reader.varint();
      return (value >>> 1) ^ -(value & 1);
    },
    write(writer, value) {
      const checked = int32(value);
      writer.varint(((checked << 1) ^ (checked >> 31)) >>> 0);
    },
  },
  uint64: {
    wireType: VARINT, zero: 0,
    read(reader) {
      const low = reader.varint();
      return reader.whole(low, reader.high);
    },
    write: (writer, value) => writer.varint(uint53(value)),
  },
  int64: {
    wireType: VARINT, zero: 0,
    read(reader) {
      const low = reader.varint();
      return reader.whole(low, reader.high | 0);
    },
    write: (writer, value) => writeSigned(writer, int53(value)),
  },
  sint64: {
    wireType: VARINT, zero: 0,
    read(reader) {
      const low = reader.varint(), { high } = reader;
      // Halved first, so that it stays within 53 bits wherever the result does.
      const half = (high >>> 1) * TWO_32 + ((((high & 1) << 31) | (low >>> 1)) >>> 0);
      const value = low & 1 ? -half - 1 : half;
      if (!Number.isSafeInteger(value)) reader.fail("an integer is beyond 2^53 - 1");
      return value;
    },
    write(writer, value) {
      const checked = int53(value);
      writeBig(writer, checked < 0 ? -BigInt(checked) * 2n - 1n : BigInt(checked) * 2n);
    },
  },
  bool: {
    wireType: VARINT, zero: false, Column: Uint8Array,
    read(reader) {
      const low = reader.varint();
      return low !== 0 || reader.high !== 0;
    },
    write(writer, value) {
      if (typeof value !== "boolean" && value !== 0 && value !== 1) refuse(value, "true or false");
      writer.varint(value ? 1 : 0);
    },
  },
  string: {
    wireType: BYTES, zero: "",
    read: (reader) => reader.text(),
    write(writer, value) {
      if (typeof value !== "string") refuse(value, "a text");
      const bytes = encoder.encode(value);
      writer.varint(bytes.length);
      writer.raw(bytes);
    },
  },
  bytes: {
    wireType: BYTES, zero: new Uint8Array(0),
    read(reader) {
      const end = reader.limit();
      const value = reader.bytes.slice(reader.at, end);
      reader.at = end;
      return value;
    },
    write(writer, value) {
      if (!(value instanceof Uint8Array)) refuse(value, "a Uint8Array");
      writer.varint(value.length);
      writer.raw(value);
    },
  },
};
