// SPDX-License-Identifier: Apache-2.0
// The protobuf encoding of messages that `messages.js` describes.
//
// A message is a plain object. Fields have their names in lowerCamelCase:
//
// - Numbers, texts and booleans that are absent have their defaults; optional ones, members of a oneof
//   and messages are undefined.
// - Enumerations are words ("first_visible"); numbers that have no word are numbers.
// - Repeated numbers and booleans are typed arrays; those of 64 bits are arrays of numbers.
// - 64-bit integers are numbers, and what is beyond 2^53 - 1 is refused: they count versions, frames
//   and bytes. `fixed64` is a bigint, because identifiers use all bits.
// - Durations are seconds, timestamps are Dates, structs are plain objects, field masks lists of paths.

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
const MOST_DEPTH = 100;
const TWO_32 = 4294967296;
const VARINT = 0, FIXED64 = 1, BYTES = 2, GROUP = 3, GROUP_END = 4, FIXED32 = 5;

// MARK: Reading

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

class Reader {
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

class Writer {
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

// MARK: Numbers and texts

function refuse(value, allowed) {
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
const int32 = integer(-0x80000000, 0x7fffffff, "an integer from -2^31 to 2^31 - 1");
const uint53 = integer(0, Number.MAX_SAFE_INTEGER, "an integer from 0 to 2^53 - 1");
const int53 = integer(
  Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, "an integer from -(2^53 - 1) to 2^53 - 1");

function writeSigned(writer, value) {
  if (value >= 0) writer.varint(value);
  else writeBig(writer, BigInt.asUintN(64, BigInt(value)));
}

function writeBig(writer, value) {
  for (; value > 0x7fn; value >>= 7n) writer.byte(Number(value & 0x7fn) | 0x80);
  writer.byte(Number(value));
}

// `Column` is the typed array that a repeated field of the type becomes.
const scalars = {
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

const encoder = new TextEncoder();

// MARK: Descriptions

const types = new Map();

/** Describes an enumeration: the word of each number. */
export function enumeration(name, words) {
  const numbers = new Map(Object.entries(words).map(([number, word]) => [word, Number(number)]));
  const allowed = `one of ${[...numbers.keys()].filter((word) => word !== "unspecified").join(", ")}`;
  types.set(name, {
    wireType: VARINT,
    zero: words[0],
    read(reader) {
      const number = reader.varint() | 0;
      return words[number] ?? number;
    },
    write(writer, value) {
      const number = typeof value === "string" ? numbers.get(value) ?? refuse(value, allowed) : value;
      writeSigned(writer, int32(number));
    },
  });
}

/**
 * Describes a message: of each field its number, its type and the oneof that it belongs to. "?" after the
 * type means that absence differs from the default, "[]" that the field is repeated.
 */
export function message(name, fields) {
  const schema = new Schema(name, fields);
  types.set(name, schema);
  return schema;
}

class Schema {
  wireType = BYTES;

  constructor(name, fields) {
    this.name = name;
    this.declared = fields;
    this.prepared = false;
  }

  // Only now all other messages are known.
  prepare() {
    this.prepared = true;
    this.byNumber = [];
    this.byName = new Map();
    this.oneofs = {};
    this.defaults = {};
    this.lists = [];
    for (const [name, [number, type, oneof]] of Object.entries(this.declared)) {
      const field = makeField(name, number, type, oneof);
      this.byNumber[number] = field;
      this.byName.set(name, field);
      if (oneof) (this.oneofs[oneof] ??= []).push(name);
      if (field.kind === "list") {
        if (field.type.Column) this.defaults[name] = new field.type.Column(0);
        else this.lists.push(name);
      } else if (field.kind === "map") {
        this.lists.push(name);
      } else if (!field.hasPresence) {
        this.defaults[name] = field.type.zero;
      }
    }
  }

  create() {
    if (!this.prepared) this.prepare();
    const value = { ...this.defaults };
    for (const name of this.lists) value[name] = this.byName.get(name).kind === "map" ? {} : [];
    return value;
  }

  read(reader, depth, value = this.create()) {
    const end = reader.limit(), outer = reader.end;
    reader.end = end;
    this.readFields(reader, depth + 1, value);
    reader.end = outer;
    return value;
  }

  readFields(reader, depth, value) {
    if (depth > MOST_DEPTH) reader.fail(`messages are more than ${MOST_DEPTH} deep`);
    while (reader.at < reader.end) {
      const tag = reader.tag(), wireType = tag & 7;
      const field = this.byNumber[tag >>> 3];
      if (field === undefined || !field.read(reader, wireType, value, depth, this)) {
        reader.skip(wireType, tag >>> 3, depth);
      }
    }
  }

  write(writer, value) {
    writer.delimited(() => this.writeFields(writer, value));
  }

  writeFields(writer, value) {
    if (!this.prepared) this.prepare();
    if (typeof value !== "object" || value === null) refuse(value, `an object with fields of ${this.name}`);
    const chosen = {};
    for (const name of Object.keys(value)) {
      const content = value[name];
      if (content === undefined || content === null) continue;
      const field = this.byName.get(name) ?? this.unknown(name);
      if (field.oneof) {
        const other = chosen[field.oneof];
        if (other) throw new FieldError(name, `cannot be beside ${other}`);
        chosen[field.oneof] = name;
      }
      try {
        field.write(writer, content);
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        const rest = error.path && !error.path.startsWith("[") ? `.${error.path}` : error.path;
        throw new FieldError(name + rest, error.problem);
      }
    }
  }

  unknown(name) {
    const near = [...this.byName.keys()].sort((a, b) => distance(name, a) - distance(name, b))[0];
    const hint = near === undefined ? "" : `; did you mean '${near}'?`;
    throw new FieldError(name, `${this.name} has no such field${hint}`);
  }
}

/** How many letters have to be changed, added or removed. */
function distance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      next.push(Math.min(
        row[j] + 1, next[j - 1] + 1, row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length];
}

// MARK: Fields

function makeField(name, number, declared, oneof) {
  const map = /^map<string, (.+)>$/.exec(declared);
  if (map) return new MapField(name, number, typeNamed(map[1]));
  const type = typeNamed(declared.replace(/\[\]$|\?$/, ""));
  if (declared.endsWith("[]")) return new ListField(name, number, type);
  const hasPresence = declared.endsWith("?") || oneof !== undefined || type.zero === undefined;
  return new SingleField(name, number, type, oneof, hasPresence);
}

function typeNamed(name) {
  return scalars[name] ?? types.get(name);
}

class SingleField {
  kind = "single";

  constructor(name, number, type, oneof, hasPresence) {
    Object.assign(this, { name, number, type, oneof, hasPresence });
  }

  read(reader, wireType, value, depth, schema) {
    if (wireType !== this.type.wireType) return false;
    if (this.oneof) {
      for (const other of schema.oneofs[this.oneof]) if (other !== this.name) delete value[other];
    }
    // A message that comes in two parts is put together.
    value[this.name] = this.type.read(reader, depth, value[this.name]);
    return true;
  }

  write(writer, value) {
    if (!this.hasPresence && (value === this.type.zero || value.length === 0)) return;
    writer.tag(this.number, this.type.wireType);
    this.type.write(writer, value);
  }
}

class ListField {
  kind = "list";

  constructor(name, number, type) {
    Object.assign(this, { name, number, type });
  }

  read(reader, wireType, value, depth) {
    const { type, name } = this;
    if (wireType === BYTES && type.wireType !== BYTES) {
      value[name] = type.Column ? readColumn(reader, type, value[name]) : this.readPacked(reader, value[name]);
      return true;
    }
    if (wireType !== type.wireType) return false;
    if (type.Column) value[name] = appended(type.Column, value[name], [type.read(reader)]);
    else value[name].push(type.read(reader, depth));
    return true;
  }

  readPacked(reader, values) {
    const end = reader.limit(), outer = reader.end;
    reader.end = end;
    while (reader.at < end) values.push(this.type.read(reader));
    reader.end = outer;
    return values;
  }

  write(writer, values) {
    if (typeof values === "string" || typeof values[Symbol.iterator] !== "function") refuse(values, "a list");
    const { type, number } = this;
    let index = 0;
    try {
      if (type.wireType !== BYTES) {
        const list = ArrayBuffer.isView(values) ? values : [...values];
        if (list.length === 0) return;
        writer.tag(number, BYTES);
        writer.delimited(() => {
          for (; index < list.length; index += 1) type.write(writer, list[index]);
        });
        return;
      }
      for (const each of values) {
        writer.tag(number, BYTES);
        type.write(writer, each);
        index += 1;
      }
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw new FieldError(`[${index}]${error.path ? `.${error.path}` : ""}`, error.problem);
    }
  }
}

class MapField {
  kind = "map";

  constructor(name, number, type) {
    Object.assign(this, { name, number, type });
  }

  read(reader, wireType, value, depth) {
    if (wireType !== BYTES) return false;
    const end = reader.limit(), outer = reader.end;
    reader.end = end;
    let key = "", content = this.type.zero ?? (this.type.create ? this.type.create() : null);
    while (reader.at < end) {
      const tag = reader.tag();
      if (tag === 8 + BYTES) key = reader.text();
      else if (tag === 16 + this.type.wireType) content = this.type.read(reader, depth + 1);
      else reader.skip(tag & 7, tag >>> 3, depth);
    }
    reader.end = outer;
    put(value[this.name], key, content);
    return true;
  }

  write(writer, value) {
    for (const [key, content] of Object.entries(value)) {
      writer.tag(this.number, BYTES);
      writer.delimited(() => {
        writer.tag(1, BYTES);
        scalars.string.write(writer, key);
        writer.tag(2, this.type.wireType);
        this.type.write(writer, content);
      });
    }
  }
}

/** Sets a property, also one that is named as the prototype is. */
function put(object, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** A column of numbers, as one typed array and without an object for each number. */
function readColumn(reader, type, before) {
  const end = reader.limit(), outer = reader.end, { bytes } = reader;
  reader.end = end;
  let count = 0;
  if (type.wireType === VARINT) {
    for (let at = reader.at; at < end; at += 1) if (bytes[at] < 0x80) count += 1;
  } else {
    const size = type.wireType === FIXED64 ? 8 : 4;
    if ((end - reader.at) % size !== 0) reader.fail("a column is cut off");
    count = (end - reader.at) / size;
  }
  const column = new type.Column(count);
  for (let index = 0; index < count; index += 1) {
    // Most numbers of a column are differences that fit into one byte.
    if (type === scalars.sint32 && bytes[reader.at] < 0x80) {
      const value = bytes[reader.at++];
      column[index] = (value >>> 1) ^ -(value & 1);
    } else {
      column[index] = type.read(reader);
    }
  }
  if (reader.at !== end) reader.fail("a number is cut off");
  reader.end = outer;
  return before.length === 0 ? column : appended(type.Column, before, column);
}

function appended(Column, before, after) {
  const all = new Column(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}

// MARK: Well-known messages

/** A message that programs see as another value. */
function wellKnown(name, fields, fromMessage, toMessage) {
  const schema = message(`${name} message`, fields);
  types.set(name, {
    wireType: BYTES,
    read: (reader, depth) => fromMessage(schema.read(reader, depth)),
    write: (writer, value) => schema.write(writer, toMessage(value)),
  });
}

const WHOLE_TIME = { seconds: [1, "int64"], nanos: [2, "int32"] };

wellKnown("Duration", WHOLE_TIME, ({ seconds, nanos }) => seconds + nanos / 1e9, (value) => {
  if (typeof value !== "number" || !Number.isFinite(value)) refuse(value, "a number of seconds");
  const seconds = Math.trunc(value), nanos = Math.round((value - seconds) * 1e9);
  return Math.abs(nanos) === 1e9 ? { seconds: seconds + Math.sign(nanos), nanos: 0 } : { seconds, nanos };
});

wellKnown(
  "Timestamp", WHOLE_TIME, ({ seconds, nanos }) => new Date(seconds * 1000 + Math.floor(nanos / 1e6)),
  (value) => {
    const time = value instanceof Date ? value.getTime() : NaN;
    if (Number.isNaN(time)) refuse(value, "a valid Date");
    const seconds = Math.floor(time / 1000);
    return { seconds, nanos: (time - seconds * 1000) * 1e6 };
  });

wellKnown("FieldMask", { paths: [1, "string[]"] }, ({ paths }) => paths, (paths) => ({ paths }));

wellKnown("Struct", { fields: [1, "map<string, Value>"] }, ({ fields }) => fields, (fields) => {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) refuse(fields, "an object");
  return { fields };
});

wellKnown("ListValue", { values: [1, "Value[]"] }, ({ values }) => values, (values) => ({ values }));

const VALUE = {
  null: [1, "uint32", "kind"], number: [2, "double", "kind"], text: [3, "string", "kind"],
  bool: [4, "bool", "kind"], struct: [5, "Struct", "kind"], list: [6, "ListValue", "kind"],
};

wellKnown(
  "Value", VALUE,
  (value) => value.number ?? value.text ?? value.bool ?? value.struct ?? value.list ?? null,
  (value) => {
    if (value === null || value === undefined) return { null: 0 };
    if (typeof value === "number") return { number: value };
    if (typeof value === "string") return { text: value };
    if (typeof value === "boolean") return { bool: value };
    if (Array.isArray(value)) return { list: value };
    return typeof value === "object" ? { struct: value } : refuse(value, "JSON");
  });

// MARK: Whole messages

/** The bytes of a message. Throws FieldError. */
export function encode(schema, value) {
  const writer = new Writer();
  schema.writeFields(writer, value);
  return writer.bytes.slice(0, writer.at);
}

/** The message that bytes hold. Throws DecodeError. */
export function decode(schema, bytes) {
  const value = schema.create();
  schema.readFields(new Reader(bytes), 1, value);
  return value;
}
