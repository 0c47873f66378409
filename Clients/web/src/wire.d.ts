// SPDX-License-Identifier: Apache-2.0

/** The number of an enumeration's value that this client does not know. */
export type UnknownEnum = number;

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** Describes a message. */
export interface Schema<T> {
  readonly name: string;
  /** Only for the type checker. */
  readonly message?: T;
}

/**
 * A message as it is sent: fields may be left out, and lists of numbers may be arrays. Of the members of a
 * oneof at most one can be given.
 */
export type Init<T> =
  T extends Uint8Array ? Uint8Array | readonly boolean[]
  : T extends Int32Array | Uint32Array | Float64Array ? T | readonly number[]
  : T extends bigint ? bigint | number
  : T extends string | number | boolean | Date | null | undefined ? T
  : T extends readonly (infer Element)[] ? readonly Init<Element>[]
  : T extends object ? { [Name in keyof T]?: Init<T[Name]> }
  : T;

/** Bytes that are not the message they should be. */
export class DecodeError extends Error {}

/** A value that does not fit its field. */
export class FieldError extends Error {
  /** Where it is: "layout.flow.sectionInset". */
  readonly path: string;
  /** What was found and what is allowed. */
  readonly problem: string;
}

/** The bytes of a message. Throws FieldError. */
export function encode<T>(schema: Schema<T>, value: Init<T>): Uint8Array;
/** The message that bytes hold. Throws DecodeError. */
export function decode<T>(schema: Schema<T>, bytes: Uint8Array): T;
