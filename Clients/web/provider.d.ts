// SPDX-License-Identifier: Apache-2.0
// Layouts in JavaScript: functions that place items, served to a layout server.

import type { Code } from "./collection-layout.js";
import type { Json, JsonObject } from "./src/wire.js";

/** All items, section after section, column by column. NaN = the data gives no number. */
export class Items {
  readonly length: number;
  /** The index of each item's section. */
  readonly section: Uint32Array;
  /** The index of each item in its section. */
  readonly index: Uint32Array;
  /** In points. */
  readonly width: Float64Array;
  /** In points. */
  readonly height: Float64Array;
  /** The data's coordinates, which layouts may use as they like. */
  readonly x: Float64Array;
  /** The other coordinate. */
  readonly y: Float64Array;
  /** The reuse kind of each item; "" = the unnamed one. */
  readonly kind: string[];
  /** The key of each item; "" = it has none. */
  readonly key: string[];
  /** The key of each section; "" = it has none. */
  readonly sectionKeys: string[];
  /** How many items each section has. */
  readonly sectionCounts: number[];
  /** The number of the first item of each section, and that of all items. */
  sectionStarts(): number[];
}

/** What items are placed in: a viewport without its offset, in points. */
export class Container {
  /** Of the whole viewport, insets included. */
  readonly width: number;
  readonly height: number;
  /** Insets; content coordinates begin inside of them. */
  readonly top: number;
  readonly leading: number;
  readonly bottom: number;
  readonly trailing: number;
  /** Pixels per point. */
  readonly scale: number;
  /** Whether reading runs from right to left. Nothing is mirrored for the layout. */
  readonly rightToLeft: boolean;
  /** What the client set. */
  readonly parameters: JsonObject;
  /** A parameter that is a number, or another one where it is not set. Throws RangeError. */
  number(name: string, otherwise: number): number;
}

/** One number for all items, or one for each. */
export type Column = number | ArrayLike<number>;

/** An element that is no cell: a supplementary element, or a decoration, which shows no data. */
export interface Other {
  kind: string;
  x: number;
  y: number;
  width: number;
  height: number;
  /** 0 by default. */
  section?: number;
  /** The index in the section; -1, the default = it belongs to the section. */
  item?: number;
  z?: number;
  alpha?: number;
  decoration?: boolean;
}

/** Where the items are, in points, in their order. */
export interface Placed {
  x: Column;
  y: Column;
  width: Column;
  height: Column;
  /** Integers; elements with a higher one lie nearer to the viewer. 0 by default. */
  z?: Column;
  /** Opacities, 0 to 1. 1 by default. */
  alpha?: Column;
  others?: Iterable<Other>;
  /** The size of the whole content; up to the farthest edges of items by default. */
  content?: { width: number; height: number };
}

/**
 * Says where items are. A RangeError tells clients that the parameters are wrong. The signal is aborted when nobody
 * waits any more.
 */
export type Place = (items: Items, container: Container, signal: AbortSignal) => Placed | Promise<Placed>;

/** As `Place`, with what was placed before, and for each item its number then; -1 = it is new or has new values. */
export type Update = (
  items: Items, container: Container, before: Placed, was: Int32Array, signal: AbortSignal,
) => Placed | Promise<Placed>;

/** Makes a function the layout of a name, by which clients ask for it, and returns the function. */
export function layout<Function extends Place>(name: string, place: Function, options?: {
  /** For people. */
  description?: string;
  /** What the parameters may be, as a JSON schema. */
  schema?: { [name: string]: Json };
  /** The axis along which content grows; "" = both. "vertical" by default. */
  scroll?: "vertical" | "horizontal" | "";
  /** The most items that it places; 0, the default = no limit. */
  maxItems?: number;
  /** Places the same, starting from what was placed before the data changed. */
  update?: Update;
}): Function;

/** A call that ends with a status of gRPC. */
export class CallError extends Error {
  constructor(code: Code, message: string);
  readonly code: Code;
}

export interface ProviderOptions {
  /** An address of this machine, "127.0.0.1" by default. */
  host?: string;
  /** 0 = any free one, which `Provider.port` tells. */
  port?: number;
  /** What callers have to show; "", the default = nothing. */
  token?: string;
  /** With `key`, both in PEM; connections are encrypted then. */
  certificate?: string | Uint8Array;
  key?: string | Uint8Array;
  /** How many answers are remembered, to send only what a change moved. 8 by default, 0 = none. */
  keep?: number;
  /** The most bytes of one message, 4 MiB by default. */
  messageBytes?: number;
  /** The bytes that all calls together may take for what they are asked to place, 1 GiB by default. */
  memory?: number;
  /** What a call may take, whatever its deadline: 60 by default. */
  seconds?: number;
  /** Told of errors in layouts; `console.error` by default. */
  report?: (error: unknown) => void;
}

/** A provider that listens. */
export class Provider {
  /** Where it listens; undefined = it does not any more. */
  readonly port: number | undefined;
  /** Ends calls and closes the port. */
  stop(): Promise<void>;
}

/** Serves all layouts of this process in the background, on any free port unless told otherwise. */
export function start(options?: ProviderOptions): Promise<Provider>;
/** As `start`, and says where it is; on port 50061 unless told otherwise. */
export function serve(options?: ProviderOptions): Promise<Provider>;
