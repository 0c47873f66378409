// SPDX-License-Identifier: Apache-2.0
// A browser client of the collection layout server.

import type * as messages from "./src/messages.js";
import type { Init } from "./src/wire.js";

export * as messages from "./src/messages.js";
export { DecodeError, decode, encode, FieldError, Init, Json, JsonObject, Schema } from "./src/wire.js";

// MARK: Values

/** In points, from the upper left corner of the content. */
export interface Point {
  x: number;
  y: number;
}

/** In points. */
export interface Size {
  width: number;
  height: number;
}

export interface Rect extends Point, Size {}

/** An item by its key, or by its section and its index in it. */
export type Item = string | readonly [section: number, item: number];

export type Position = "nearest" | "start" | "center" | "end";

export type Step =
  "up" | "down" | "left" | "right" | "next" | "previous" | "page_up" | "page_down" | "first" | "last";

/** The name of a gRPC status. */
export type Code =
  | "CANCELLED" | "UNKNOWN" | "INVALID_ARGUMENT" | "DEADLINE_EXCEEDED" | "NOT_FOUND" | "ALREADY_EXISTS"
  | "PERMISSION_DENIED" | "RESOURCE_EXHAUSTED" | "FAILED_PRECONDITION" | "ABORTED" | "OUT_OF_RANGE"
  | "UNIMPLEMENTED" | "INTERNAL" | "UNAVAILABLE" | "DATA_LOSS" | "UNAUTHENTICATED";

/** Something that the server refused, or that did not reach it. */
export class LayoutError extends Error {
  constructor(code: Code, message: string, details?: {
    reason?: string;
    violations?: { field: string; description: string }[];
    metadata?: Record<string, string>;
    cause?: unknown;
    requestId?: string;
  });
  readonly code: Code;
  /** Stable, for programs: "VERSION_CONFLICT". Empty where the code says everything. */
  readonly reason: string;
  /** The fields at fault: of each its path, and what was found and what is allowed. */
  readonly violations: { field: string; description: string }[];
  /** Facts for programs: "currentDataVersion", "limit". */
  readonly metadata: Record<string, string>;
  /**
   * That of an update whose answer did not come, so that nobody knows whether it is applied: sent again with the
   * same identifier, it is applied once.
   */
  readonly requestId: string | undefined;
  /** The first field at fault; empty where no field is. */
  readonly field: string;
  /** After how many seconds to try again; undefined = waiting does not help. */
  readonly retryDelay: number | undefined;
}

/** A frame that does not fit the elements from before. The viewer asks for a keyframe by itself. */
export class FrameError extends Error {}

// MARK: Elements

/** One element. Lengths are in points. */
export interface Element extends Rect {
  /** A small number that the element keeps while it lives: for recycling views. */
  readonly slot: number;
  readonly category: "cell" | "supplementary" | "decoration";
  /** Of a cell its reuse kind, of others the element kind, such as "header". */
  readonly kind: string;
  /** The index of its section. */
  readonly section: number;
  /** The index of its item within the section; null = it belongs to the section. */
  readonly item: number | null;
  /** The key of its item, or of its section if it belongs to that; empty = none. */
  readonly key: string;
  /** What its item carries for renderers, with `ViewOptions.itemData`; empty = nothing. */
  readonly data: string;
  /** Higher is nearer to the viewer. */
  readonly z: number;
  /** Opacity, 0 to 1. */
  readonly alpha: number;
  /** Whether it is not shown. */
  readonly hidden: boolean;
  /** How many ancestors it has in an outline. */
  readonly level: number;
  /** In an outline, whether it is expanded; null = it cannot be. */
  readonly expanded: boolean | null;
  /** All that the server said where that is more than the above, such as custom attributes; else null. */
  readonly message: messages.LayoutElement | null;
}

/**
 * The live elements. Columns are indexed by slot; those of empty slots have no meaning. They are replaced
 * when they grow, so take them anew for each frame.
 */
export class Elements implements Iterable<Element> {
  /** How many elements there are. */
  readonly count: number;
  /** The slots of the elements, the first `count` of them, in no particular order. */
  readonly slots: Uint32Array;
  /** The state checksum. */
  readonly checksum: number;
  /** 1 = cell, 2 = supplementary, 3 = decoration; 0 = the slot is empty. */
  readonly category: Uint8Array;
  /** Indices into `kindNames`. */
  readonly kindNumber: Uint32Array;
  readonly kindNames: string[];
  readonly section: Uint32Array;
  /** The index of the item + 1; 0 = the element belongs to the section. */
  readonly itemEnd: Uint32Array;
  /** Left edges, in points. */
  readonly x: Float64Array;
  /** Upper edges, in points. */
  readonly y: Float64Array;
  readonly width: Float64Array;
  readonly height: Float64Array;
  readonly z: Int32Array;
  /** Opacity, 0 to 1. */
  readonly alpha: Float64Array;
  readonly hidden: Uint8Array;
  /** The keys of items, and of sections for their own elements; empty = none. */
  readonly keys: readonly (string | undefined)[];
  /** What items carry for renderers, with `ViewOptions.itemData`; empty = nothing. */
  readonly data: readonly (string | undefined)[];
  /** Whether a slot has an element. */
  has(slot: number): boolean;
  /** The element in a slot as an object; undefined = the slot is empty. */
  element(slot: number): Element | undefined;
  [Symbol.iterator](): Iterator<Element>;
}

/** What a frame changed. */
export interface MirrorChange {
  readonly seq: number;
  readonly keyframe: boolean;
  readonly changes: { readonly changed: number[]; readonly removed: number[] };
  readonly adjustment: Point;
  readonly transition?: messages.Transition;
  /** Events and batches that the server merged into it beyond the first. */
  readonly mergedEvents: number;
}

/** Applies frames of either encoding, for a client of one's own. */
export class Mirror {
  constructor(unitsPerPoint?: number);
  readonly elements: Elements;
  readonly frameSeq: number;
  /**
   * Whether a frame after `frameSeq` was refused. Everything is as `frameSeq` left it, until a keyframe comes or the
   * server confirms the checksum.
   */
  readonly isBehind: boolean;
  readonly dataVersion: number;
  readonly layoutVersion: number;
  readonly appliedEvent: number;
  readonly contentSize: Size;
  readonly coverage: Rect;
  readonly everyScroll: boolean;
  readonly scrollEffects?: messages.ScrollEffects;
  readonly liveCount: number;
  readonly checksum: number;
  /**
   * Applies a frame with its last part; undefined = more parts follow. Throws FrameError; then nothing has changed, and
   * further parts of that frame are passed over. `byteLength` is how many bytes the part came as, which the mirror
   * limits for a whole frame.
   */
  apply(part: messages.LayoutFrame, byteLength?: number): MirrorChange | undefined;
  /** The rest of a frame will not come, because its stream ended. */
  forgetParts(): void;
  /** Forgets everything, for a new session. */
  reset(unitsPerPoint: number): void;
}

/** An element as it is seen: pinned, and changed by scroll effects. */
export class Placement {
  /** The upper left corner before transforms. */
  x: number;
  y: number;
  width: number;
  height: number;
  z: number;
  alpha: number;
  hidden: boolean;
  /** Whether there is a transform. */
  isTransformed: boolean;
  /** The transform about the middle as (a, b, c, d, tx, ty); null = it is spatial. */
  matrix(): number[] | null;
  /** As a value of CSS `transform`, for a box at an origin. */
  css(originX: number, originY: number): string;
}

/** The scroll effects of a frame. */
export interface Effects {
  readonly isEmpty: boolean;
  place(elements: Elements, slot: number, viewport: Viewport, into?: Placement): Placement;
}

// MARK: Viewers

/** A change of the elements. */
export interface Frame {
  readonly seq: number;
  readonly dataVersion: number;
  readonly layoutVersion: number;
  /** Whether all elements were sent anew. */
  readonly keyframe: boolean;
  /** Slots whose elements are new or have changed. */
  readonly changed: number[];
  /** Slots that are empty now. */
  readonly removed: number[];
  /** Added to the scroll offset, so that what is anchored does not jump. */
  readonly adjustment: Point;
  readonly contentSize: Size;
  /** The elements are complete within it. */
  readonly coverage: Rect;
  /** Whether each scroll step has to be reported, not only those that near the edge of `coverage`. */
  readonly everyScroll: boolean;
  /** Where animated elements come from and go to; undefined = the change is not animated. */
  readonly transition?: messages.Transition;
  /** Events and batches that the server merged into it beyond the first. */
  readonly mergedEvents: number;
  /** The newest event such that the frame reflects it and all before it. */
  readonly appliedEvent: number;
  /** How many frames of the server were merged into it. */
  readonly merged: number;
}

export interface Viewport extends Rect {
  readonly insets?: Partial<messages.EdgeInsets>;
  readonly rightToLeft: boolean;
  readonly axis: "vertical" | "horizontal";
}

export interface ViewerEvents {
  frame: (frame: Frame) => void;
  /** Connected, or not because of an error. */
  state: (error: LayoutError | undefined) => void;
  /** An event that nobody waits for was refused. */
  refused: (error: LayoutError) => void;
  notice: (notice: messages.Notice) => void;
  prefetch: (change: messages.PrefetchChange) => void;
  visibility: (change: messages.VisibilityChange) => void;
  /** The server has scrolled a section by itself, to `sectionOffset`. */
  scrollTarget: (target: messages.ScrollTarget) => void;
  /** The viewer was closed, or cannot go on for this reason. */
  end: (error: Error | undefined) => void;
}

/**
 * A viewer of one collection: `Client.view` makes it.
 *
 * It applies what the server sends, compares checksums, acknowledges, and connects again after the
 * connection was lost. Methods that wait for an answer reject with a LayoutError.
 */
export class Viewer implements AsyncIterable<Frame> {
  private constructor();
  readonly elements: Elements;
  /** What is in sight, in content coordinates. */
  readonly viewport: Viewport;
  readonly contentSize: Size;
  readonly coverage: Rect;
  readonly everyScroll: boolean;
  readonly changesByScrolling: boolean;
  readonly dataVersion: number;
  /** The name of the session, for queries about what it shows. */
  readonly session: string;
  readonly isConnected: boolean;
  /** How the last stream ended or failed to begin, while there is no connection; undefined = nothing has failed. */
  readonly connectionError: LayoutError | undefined;
  /** How often another stream took the place of a lost one. */
  readonly reconnections: number;

  /** Calls a function with each event of a type; returns a function that ends this. */
  on<Type extends keyof ViewerEvents>(type: Type, listener: ViewerEvents[Type]): () => void;
  /** The changes since the frame before, merged into one; the first frame has all elements. */
  nextFrame(): Promise<Frame>;
  [Symbol.asyncIterator](): AsyncIterator<Frame>;
  /** Where the element in a slot is seen. */
  place(slot: number, into?: Placement, viewport?: Viewport): Placement;
  /** What `place` uses: the scroll effects of the newest frame. Frames do not change it, they replace it. */
  readonly effects: Effects;
  /** The sections that scroll across the content, with `ViewOptions.sectionScrolls`. */
  readonly sectionScrolls: readonly messages.SectionScroll[];

  /**
   * Scrolls to an offset; what is left out stays as it is. `sections` are offsets by section. `frame` is the number of
   * the frame in which the offset was read, by default the newest.
   */
  scroll(to: {
    x?: number; y?: number; velocity?: Point; sections?: Record<number, number>; frame?: number;
  }): void;
  resize(width: number, height: number): void;
  setViewport(change: Init<messages.ViewportChange>): void;
  /**
   * Changes the data; resolves to the new data version. If the answer does not come in time, the error has the
   * `requestId` with which it may have been applied, or none if it was never sent.
   */
  update(
    change: Init<messages.UpdateBatch> | Init<messages.UpdateOperation>[], options?: { animated?: boolean },
  ): Promise<number>;
  /** Another layout, or the name of a named layout to follow. */
  changeLayout(layout: Init<messages.LayoutSpec> | string, options?: { animated?: boolean }): Promise<void>;
  /**
   * Sizes that were measured of the self-sizing elements in the slots, as the frame with a number had them, by default
   * the newest.
   */
  measure(slots: readonly number[], sizes: readonly Size[], options?: { frame?: number }): Promise<void>;
  setOptions(options: Init<messages.SessionOptions>): Promise<void>;
  /** Expands and collapses items of outlines, by key, or by slot with `toggle`. */
  changeOutline(change: {
    expand?: readonly string[];
    collapse?: readonly string[];
    toggle?: readonly number[];
    descendants?: boolean;
    animated?: boolean;
  }): Promise<void>;
  /** Changes columns of tables for this viewer, by id; a column without fields is as the layout says. */
  changeTable(change: {
    columns?: Readonly<Record<string, Omit<Init<messages.TableColumnChange>, "id">>>;
    /** Which come first, in this order; undefined = as before. */
    order?: readonly string[];
    reset?: boolean;
    animated?: boolean;
  }): Promise<void>;
  /** The offset that shows an item. Nothing is scrolled. */
  scrollTarget(item: Item, options?: { position?: Position; reveal?: boolean }): Promise<Point>;
  /** Scrolls so that an item is in sight; resolves to the offset. */
  scrollToItem(item: Item, options?: { position?: Position; reveal?: boolean }): Promise<Point>;
  /** Where scrolling is to end when the finger lifts at a velocity, in points a second. */
  release(velocity: Point, options?: {
    proposedOffset?: Point;
    section?: number;
    deceleration?: "normal" | "fast";
  }): Promise<Point>;
  /** Which item a key press leads to from another one, and the offset that shows it. */
  neighbor(
    step: Step, item?: Item, options?: { position?: Position },
  ): Promise<messages.ScrollTarget | undefined>;
  /** Any event of the protocol that has an answer. */
  send(event: Init<messages.StreamLayoutRequest>): Promise<messages.EventResult>;
  /** Waits until the elements reflect all that was sent before. */
  settle(): Promise<Elements>;
  /**
   * Ends the viewer. With `discard: false` the server keeps the session for a while. A server that
   * does not end the stream within 5 s is left, by `TransportStream.cancel`.
   */
  close(options?: { discard?: boolean }): void;
}

export interface ViewOptions {
  /** Shown instead of a collection; nobody else sees them. */
  contents?: Init<messages.CollectionContents>;
  /** A layout, or the name of a named layout to follow; by default that of the collection. */
  layout?: Init<messages.LayoutSpec> | string;
  /** Of the viewport, in points. */
  size?: Size;
  /** Where to begin. */
  offset?: Point;
  /** Other fields of the viewport, such as `contentInsets` and `traits`. */
  viewport?: Init<messages.ViewportChange>;
  /** Where to begin, instead of an offset: `{ edge: "end" }`. */
  start?: Init<messages.StartPlace>;
  options?: Init<messages.SessionOptions>;
  /** What of outlines is expanded. */
  expansions?: Init<messages.ExpansionState>;
  /** What the viewer has changed of the columns of tables. */
  table?: Init<messages.TableChange>;
  /** Whether elements travel as columns; true by default. */
  packed?: boolean;
  /** Units to a point of packed elements: 64 or 192. */
  units?: 64 | 192;
  /** Whether frames tell where animated elements come from and go to. */
  animations?: boolean;
  /** Whether the client moves pinned elements: `Viewer.place` says where they are. */
  pinning?: boolean;
  /** Whether the client applies scroll effects itself. */
  scrollEffects?: boolean;
  /** Whether the viewer is told which sections scroll across the content (`Viewer.sectionScrolls`). */
  sectionScrolls?: boolean;
  /** Whether elements tell what their items carry for renderers (`Element.data`). */
  itemData?: boolean;
}

/** A client of a layout server, or of several that share their collections. */
export class Client {
  /**
   * `timeout` is that of calls and answers, in seconds; 30 unless set. An export may be so long without a part, and an
   * import without a step forward. Once all of an import is taken, its answer may take `importTimeout`
   * seconds, 600 unless set, or `timeout` if that is longer: the server builds and stores millions
   * of items. Then they reject with DEADLINE_EXCEEDED.
   */
  constructor(
    addresses: string | URL | Transport | readonly (string | URL | Transport)[],
    options?: { token?: Token; timeout?: number; importTimeout?: number },
  );
  /** Opens a viewer of a collection. It goes on to try while the server cannot be reached. */
  view(collection?: string, options?: ViewOptions): Viewer;
  /** Makes a call: `call("CollectionService.GetCollection", { name: "collections/photos" })`. */
  call<Name extends keyof messages.Calls>(
    name: Name, request: Init<messages.Calls[Name][0]>,
  ): Promise<messages.Calls[Name][1]>;
  createCollection(name: string, contents?: Init<messages.CollectionContents>, options?: {
    layout?: Init<messages.LayoutSpec>;
    displayName?: string;
    labels?: Record<string, string>;
  }): Promise<messages.Collection>;
  getCollection(name: string): Promise<messages.Collection>;
  listCollections(): AsyncIterable<messages.Collection>;
  deleteCollection(name: string, options?: { allowMissing?: boolean }): Promise<void>;
  /** Changes the data; resolves to the new data version. */
  apply(
    name: string, change: Init<messages.UpdateBatch> | Init<messages.UpdateOperation>[],
    options?: { animated?: boolean },
  ): Promise<number>;
  /** Replaces the contents of a collection that exists, by all of them or by parts. */
  importContents(
    name: string,
    contents: Init<messages.CollectionContents>
      | Iterable<Init<messages.ImportContentsRequest>> | AsyncIterable<Init<messages.ImportContentsRequest>>,
    options?: { expectedDataVersion?: number; cellKindNames?: readonly string[] },
  ): Promise<messages.Collection>;
  /** The contents part by part. */
  exportParts(name: string): AsyncIterable<messages.ExportContentsResponse>;
  /** All contents. Rejects unless there are as many sections and items as the server announces. */
  exportContents(name: string): Promise<{ contents: Init<messages.CollectionContents>; dataVersion: number }>;
  /** The batches after a data version, for ever; connections that are lost are made again. */
  watchUpdates(
    name: string, options?: { after?: number; incarnation?: bigint },
  ): AsyncIterable<messages.WatchUpdatesResponse>;
  /** Ends all viewers. */
  close(): void;
}

// MARK: Transports

/** A token, or what gives one for each stream and call. */
export type Token = string | (() => string | Promise<string>);

/** How streams and calls reach a server. */
export interface Transport {
  readonly address: string;
  /** Whether the next stream may have another token. */
  readonly canRenew: boolean;
  /** Begins a stream or a call of a method: "Service/Method". */
  open(method: string, handlers: {
    /** For proxies that route by it. */
    collection?: string;
    message: (bytes: Uint8Array) => void;
    /** Is called once, unless the stream was cancelled; undefined = it ended without an error. */
    end: (error: LayoutError | undefined) => void;
  }): TransportStream;
}

export interface TransportStream {
  /** The bytes that wait to be sent, also those that wait for the connection. */
  readonly buffered: number;
  send(message: Uint8Array): void;
  /** Nothing more will be sent. */
  end(): void;
  /** The answer is not wanted any more. */
  cancel(): void;
}

/**
 * Connects over WebSockets.
 *
 * On Node a connection keeps the program alive. A `WebSocket` with `terminate`, such as that of the
 * package `ws`, drops it when a stream is cancelled. Others wait for the server to close it too.
 */
export class WebSocketTransport implements Transport {
  constructor(url: string | URL, options?: { token?: Token; WebSocket?: typeof globalThis.WebSocket });
  readonly address: string;
  readonly canRenew: boolean;
  open: Transport["open"];
}

// MARK: Bindings

interface ScrollOptions {
  position?: Position;
  reveal?: boolean;
}

export interface ListViewOptions extends Omit<ViewOptions, "size"> {
  /** Fills a node whenever its element is new or has changed. */
  render: (node: HTMLElement, element: Element) => void;
  /** Makes a node; by default a `div`. */
  create?: (element: Element) => HTMLElement;
  /** The length of nodes that their content decides; it counts where the layout estimates it. */
  selfSizing?: "height" | "width";
  /** Whether keys move the focus from item to item; true by default. */
  focusable?: boolean;
  /** Whether nodes come, go and move as animated changes say; milliseconds, and a function of CSS. */
  animation?: boolean | { duration?: number; easing?: string };
}

/** A list in an element of the page, which scrolls: only what is in sight has nodes. */
export class ListView {
  constructor(container: HTMLElement, client: Client, collection: string, options: ListViewOptions);
  readonly viewer: Viewer;
  readonly viewport: Viewport;
  /** The node of the element in a slot. */
  node(slot: number): HTMLElement | undefined;
  /** The slot of a node or of what is inside it. */
  slotOf(inside: globalThis.Element | null): number | undefined;
  scrollTo(offset: Partial<Point>): void;
  scrollToItem(item: Item, options?: ScrollOptions): Promise<void>;
  /** Scrolls to an item, and gives it the focus. */
  focusItem(item: Item): Promise<void>;
  close(): void;
}

export interface CanvasViewOptions extends Omit<ViewOptions, "size"> {
  /**
   * Draws an element in view coordinates; the context has its opacity and transform. The element and the
   * rect are used again for the next one.
   */
  draw: (context: CanvasRenderingContext2D, element: Element, rect: Rect) => void;
  /** Draws what lies behind all elements; by default nothing. */
  clear?: (context: CanvasRenderingContext2D, size: Size) => void;
}

/** A canvas in an element of the page, which scrolls, for thousands of elements at once. */
export class CanvasView {
  constructor(container: HTMLElement, client: Client, collection: string, options: CanvasViewOptions);
  readonly viewer: Viewer;
  readonly viewport: Viewport;
  scrollTo(offset: Partial<Point>): void;
  scrollToItem(item: Item, options?: ScrollOptions): Promise<void>;
  /** Draws again. */
  redraw(): void;
  close(): void;
}
