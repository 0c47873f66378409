// SPDX-License-Identifier: Apache-2.0
// How fields are read into messages and written from them.

import { BYTES, FieldError, FIXED64, VARINT } from "./bytes.js";
import { refuse, scalars } from "./scalars.js";

/** The field of a declared type; `typeNamed` finds the types of messages and enumerations. */
export function makeField(name, number, declared, oneof, typeNamed) {
  const map = /^map<string, (.+)>$/.exec(declared);
  if (map) return new MapField(name, number, typeNamed(map[1]));
  const type = typeNamed(declared.replace(/\[\]$|\?$/, ""));
  if (declared.endsWith("[]")) return new ListField(name, number, type);
  const hasPresence = declared.endsWith("?") || oneof !== undefined || type.zero === undefined;
  return new SingleField(name, number, type, oneof, hasPresence);
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
      value[name] = type.Column
        ? readColumn(reader, type, value[name]) : this.readPacked(reader, value[name]);
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
    if (typeof values === "string" || typeof values[Symbol.iterator] !== "function") {
      refuse(values, "a list");
    }
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

/**
 * A column with more numbers at its end. Only the column that was returned last may be appended to again: there is room
 * behind it, so that a column in many pieces takes no longer than one in a few.
 */
function appended(Column, before, after) {
  const length = before.length + after.length;
  let all = new Column(before.buffer);
  if (all.length < length) {
    all = new Column(Math.max(length, 2 * before.length));
    all.set(before);
  }
  all.set(after, before.length);
  return all.subarray(0, length);
}
