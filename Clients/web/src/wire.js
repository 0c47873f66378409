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

import { BYTES, DecodeError, FieldError, MOST_DEPTH, Reader, VARINT, Writer } from "./bytes.js";
import { makeField } from "./fields.js";
import { int32, refuse, scalars, writeSigned } from "./scalars.js";

export { DecodeError, FieldError };

const types = new Map();

function typeNamed(name) {
  return scalars[name] ?? types.get(name);
}

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
      const field = makeField(name, number, type, oneof, typeNamed);
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
