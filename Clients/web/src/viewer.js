// SPDX-License-Identifier: Apache-2.0
// A live view of a collection.

import { Changes } from "./changes.js";
import { LayoutError } from "./errors.js";
import { reported } from "./faults.js";
import { StreamLayoutRequest, StreamLayoutResponse } from "./messages.js";
import { decode, DecodeError, encode } from "./wire.js";

// Without a word from the server for so many heartbeats the connection is taken for lost.
const MOST_SILENT_HEARTBEATS = 3;
// While so many bytes wait to be sent, viewport changes are merged.
const MOST_BUFFERED = 1 << 16;
// How long the server may take to end a stream that was closed, in milliseconds.
const MOST_CLOSING = 5_000;
// Beyond so many that wait, an acknowledgement replaces the last one. The server has to send a keyframe anyway.
const MOST_ACKNOWLEDGEMENTS = 1_000;
const METHOD = "LayoutSessionService/StreamLayout";

/** A time for timers, which take no more than 31 bits and end at once with more. */
function milliseconds(seconds) {
  return Math.min(Math.max(0, seconds * 1000), 0x7fffffff);
}

/**
 * A viewer of one collection: `Client.view` makes it.
 *
 * It applies what the server sends, compares checksums, acknowledges, and connects again after the
 * connection was lost, so `elements` is current at any time. Methods that wait for an answer reject with a
 * LayoutError if the server refuses or does not answer in time.
 */
export class Viewer {
  #session;
  #transports;
  #timeout;
  #listeners = new Map();
  #answers = new Map();
  #stream;
  #waits = new Set();
  // The frames that nobody has taken, merged into one.
  #news;
  #newsChanges;
  #failure;
  #closed = false;
  #silence;
  #retry;
  #flushing;
  #closing;
  // The acknowledgements that wait to be sent.
  #acknowledgements = [];
  // Another token was asked for, and no stream has worked since.
  #hasRenewed = false;
  #connectionError;

  constructor(transports, session, timeout) {
    this.#transports = transports;
    this.#session = session;
    this.#timeout = timeout;
    session.tell = (type, value) => this.#told(type, value);
    this.#connect();
    globalThis.addEventListener?.("online", this.#connectNow);
    globalThis.document?.addEventListener("visibilitychange", this.#connectIfSeen);
  }

  // MARK: Looking

  /** The live elements. */
  get elements() {
    return this.#session.mirror.elements;
  }

  /** What is in sight, in content coordinates. */
  get viewport() {
    return this.#session.viewport;
  }

  get contentSize() {
    return this.#session.mirror.contentSize;
  }

  /** The elements are complete within it. */
  get coverage() {
    return this.#session.mirror.coverage;
  }

  /** Whether each scroll step has to be reported, not only those that near the edge of `coverage`. */
  get everyScroll() {
    return this.#session.mirror.everyScroll;
  }

  /** The version of the data that the elements show. */
  get dataVersion() {
    return this.#session.mirror.dataVersion;
  }

  /** Whether the session shares measured sizes, as it was opened: a `MeasurementSharingState`. */
  get measurements() {
    return this.#session.opened?.measurements ?? "unspecified";
  }

  /** The name of the session, for queries about what it shows. */
  get session() {
    return this.#session.opened?.session ?? "";
  }

  get isConnected() {
    return this.#session.isConnected;
  }

  /** How the last stream ended or failed to begin, while there is no connection; undefined = nothing has failed. */
  get connectionError() {
    return this.#connectionError;
  }

  /** How often another stream took the place of a lost one. */
  get reconnections() {
    return Math.max(0, this.#session.streams - 1);
  }

  /**
   * Where the element in a slot is seen: pinned, and changed by scroll effects, in the viewport or another
   * one. `into` is used again if given.
   */
  place(slot, into, viewport = this.viewport) {
    return this.#session.effects.place(this.elements, slot, viewport, into);
  }

  /** The sections that scroll across the content, where they are and how far they scroll. */
  get sectionScrolls() {
    return this.#session.mirror.sectionScrolls;
  }

  /** What `place` uses: the scroll effects of the newest frame. Frames do not change it, they replace it. */
  get effects() {
    return this.#session.effects;
  }

  /** Whether elements change with each scroll step, since the client pins them or applies effects. */
  get changesByScrolling() {
    if (!this.#session.effects.isEmpty) return true;
    for (const extra of this.elements.extras.values()) if (extra.pin) return true;
    return false;
  }

  /**
   * Calls a function with each event of a type: "frame", "state" (connected, or not because of an error), "refused"
   * (a viewport change that the server refused), "notice", "prefetch", "visibility", "scrollTarget" (the server has
   * scrolled a section by itself), "end". Returns a function that ends this.
   */
  on(type, listener) {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type).add(listener);
    return () => this.#listeners.get(type).delete(listener);
  }

  /** The changes since the frame before, merged into one; the first frame has all elements. */
  async nextFrame() {
    // Somebody else who waits may take it first.
    while (!this.#news) await this.#until(() => this.#news, Infinity);
    const frame = this.#news;
    this.#news = undefined;
    frame.changed = this.#newsChanges.changed;
    frame.removed = this.#newsChanges.removed;
    return frame;
  }

  /** Frames until the viewer is closed. */
  async *[Symbol.asyncIterator]() {
    while (!this.#closed) {
      try {
        yield await this.nextFrame();
      } catch (error) {
        if (this.#closed) return;
        throw error;
      }
    }
  }

  // MARK: Events that nobody waits for

  /**
   * Scrolls to an offset, in points; what is left out stays as it is. `sections` has the offsets of sections
   * that scroll by themselves, by index. `frame` is the number of the frame in which the offset was read, by
   * default the newest.
   */
  scroll({ x, y, velocity, sections, frame } = {}) {
    const change = {};
    if (frame !== undefined) change.observedFrameSeq = frame;
    if (x !== undefined || y !== undefined) {
      const { viewport } = this;
      change.contentOffset = { x: x ?? viewport.x, y: y ?? viewport.y };
    }
    if (velocity) change.velocity = velocity;
    if (sections) {
      change.sectionOffsets = Object.entries(sections).map(
        ([section, offset]) => ({ section: Number(section), offset }));
    }
    this.setViewport(change);
  }

  /** The view has another size, in points. */
  resize(width, height) {
    this.setViewport({ size: { width, height } });
  }

  /** Any fields of `ViewportChange`. */
  setViewport(change) {
    this.#send({ viewport: { ...change } });
  }

  // MARK: Events that have an answer

  /**
   * Changes the data, by an `UpdateBatch` or a list of `UpdateOperation`s; resolves to the new data version.
   * It is applied once, also if the connection is lost meanwhile. If the answer does not come in time, the error
   * has the `requestId` with which it may have been applied, or none if it was never sent.
   */
  async update(change, { animated = false } = {}) {
    const batch = Array.isArray(change) ? { operations: { operations: change } } : { ...change };
    if (animated) batch.animated = true;
    return (await this.#perform({ update: batch })).result.dataVersion;
  }

  /** Another layout: a `LayoutSpec`, or the name of a named layout to follow. */
  async changeLayout(layout, { animated = false } = {}) {
    const named = typeof layout === "string" ? { layoutName: layout } : { layout };
    await this.#perform({ layout: { ...named, animated } });
  }

  /**
   * Sizes that were measured of the self-sizing elements in the slots, as the frame with a number had them, by
   * default the newest.
   */
  async measure(slots, sizes, { frame = this.#session.mirror.frameSeq } = {}) {
    await this.#perform({ measurements: { observedFrameSeq: frame, slots, sizes } });
  }

  /** Fields of `SessionOptions`; those that are left out take their defaults. */
  async setOptions(options) {
    await this.#perform({ options });
  }

  /** Expands and collapses items of outlines, by key, or by slot with `toggle`. */
  async changeOutline({ expand, collapse, toggle, descendants, animated }) {
    await this.#perform({
      outline: { expand, collapse, toggledSlots: toggle, descendants, animated },
    });
  }

  /** Changes columns of tables for this viewer; `columns` has fields of `TableColumnChange` by id. */
  async changeTable({ columns = {}, order, reset, animated }) {
    await this.#perform({
      table: {
        columns: Object.entries(columns).map(([id, fields]) => ({ id, ...fields })),
        order: order && { ids: order }, reset, animated,
      },
    });
  }

  /** The offset that shows the item with a key, or the one at [section, item]. Nothing is scrolled. */
  async scrollTarget(item, { position, reveal } = {}) {
    const { target } = await this.#perform({
      scrollTarget: { element: { ...itemFields(item), position, reveal } },
    });
    return target?.contentOffset ?? { x: 0, y: 0 };
  }

  /** Scrolls so that an item is in sight; resolves to the offset. */
  async scrollToItem(item, options) {
    const offset = await this.scrollTarget(item, options);
    this.scroll(offset);
    return offset;
  }

  /** Where scrolling is to end when the finger lifts at a velocity, in points a second. */
  async release(velocity, { proposedOffset, section, deceleration = "normal" } = {}) {
    const release = { velocity, proposedOffset, section, deceleration };
    return (await this.#perform({ scrollTarget: { release } })).target?.contentOffset ?? { x: 0, y: 0 };
  }

  /** Which item a key press leads to from another one, and the offset that shows it. */
  async neighbor(step, item, { position } = {}) {
    const start = item === undefined ? {} : itemFields(item);
    const answer = await this.#perform({ scrollTarget: { neighbor: { ...start, step, position } } });
    return answer.target;
  }

  /** Any event of the protocol that has an answer: `send({ movement: { begin: … } })`. */
  async send(event) {
    return (await this.#perform({ ...event })).result;
  }

  /** Waits until the elements reflect all that was sent before. */
  async settle() {
    const session = this.#session, { mirror } = session, deadline = Date.now() + this.#timeout * 1000;
    for (;;) {
      const { result } = await this.#perform({ sync: {} });
      // A frame before the answer was refused, or the session is new: the keyframe that follows shows it all.
      const isCurrent = () => !mirror.isBehind && mirror.frameSeq > 0;
      if (!isCurrent()) await this.#until(isCurrent, deadline);
      // In a new session, the first frame may have made the viewer scroll to where it was.
      if (session.restoredBy < result.eventSeq) return this.elements;
    }
  }

  // MARK: The end

  /** Ends the viewer. With `discard: false` the server keeps the session for a while. */
  close({ discard = true } = {}) {
    if (this.#closed) return;
    if (this.#session.isConnected) {
      this.#write({ eventSeq: this.#session.seq + 1, close: { discard } });
      this.#stream?.end();
      this.#closing = setTimeout(() => this.#stream?.cancel(), MOST_CLOSING);
      // It need not keep a program on Node alive: an open connection does.
      this.#closing.unref?.();
    } else {
      this.#stream?.cancel();
    }
    this.#finish(new LayoutError("CANCELLED", "the viewer is closed"), undefined);
  }

  #finish(failure, reported) {
    this.#closed = true;
    this.#failure = failure;
    this.#session.isConnected = false;
    for (const timer of [this.#silence, this.#retry, this.#flushing]) clearTimeout(timer);
    globalThis.removeEventListener?.("online", this.#connectNow);
    globalThis.document?.removeEventListener("visibilitychange", this.#connectIfSeen);
    for (const { reject } of this.#answers.values()) reject(failure);
    this.#answers.clear();
    this.#wake();
    this.#emit("end", reported);
  }

  // MARK: Sending

  #send(event) {
    if (this.#failure) throw this.#failure;
    // What does not fit the protocol is an error here, and not when it is sent.
    encode(StreamLayoutRequest, event);
    const seq = this.#session.event(event);
    this.#flush();
    return seq;
  }

  #perform(event) {
    return new Promise((resolve, reject) => {
      const seq = this.#send(event);
      const timer = setTimeout(() => {
        this.#answers.delete(seq);
        reject(lateAnswer(this.#session.withdraw(seq), this.#connectionError));
        this.#flush();
      }, this.#timeout * 1000);
      const settled = (settle) => (value) => {
        clearTimeout(timer);
        settle(value);
      };
      this.#answers.set(seq, { resolve: settled(resolve), reject: settled(reject) });
    });
  }

  #write(request) {
    this.#stream?.send(encode(StreamLayoutRequest, request));
  }

  /**
   * Sends an acknowledgement. While much waits to be sent, of those in a row the newest one counts; rejections stay,
   * since the server has to know whose adjustments of the offset were not applied.
   */
  #acknowledge({ ack }) {
    const waiting = this.#acknowledgements, last = waiting.at(-1)?.ack;
    // The answer to a heartbeat, which the server would ignore after the rejection.
    if (last?.rejected && !ack.rejected && ack.frameSeq <= last.frameSeq) return;
    const isReplaced = last && ((!last.rejected && !ack.rejected) || waiting.length >= MOST_ACKNOWLEDGEMENTS);
    waiting.splice(isReplaced ? -1 : waiting.length, 1, { ack });
    this.#flush();
  }

  /** Sends what waits, unless much waits already. */
  #flush = () => {
    clearTimeout(this.#flushing);
    const stream = this.#stream;
    if (!stream || this.#closed) return;
    if (stream.buffered > MOST_BUFFERED) {
      const isWaiting = this.#acknowledgements.length > 0 || this.#session.hasOutgoing;
      if (isWaiting) this.#flushing = setTimeout(this.#flush, 20);
      return;
    }
    for (const request of this.#acknowledgements) this.#write(request);
    this.#acknowledgements = [];
    for (const request of this.#session.outgoing()) this.#write(request);
  };

  // MARK: The stream

  #connectNow = () => {
    if (this.#retry === undefined || this.#closed) return;
    clearTimeout(this.#retry);
    this.#connect();
  };

  /** Who looks at the page again does not wait for a pause to end. */
  #connectIfSeen = () => {
    if (document.visibilityState === "visible") this.#connectNow();
  };

  #connect() {
    this.#retry = undefined;
    const transport = this.#transports[this.#session.backoff.address];
    let isOver = false;
    const end = (error) => {
      if (isOver) return;
      isOver = true;
      this.#ended(error, transport);
    };
    this.#listen(end);
    const stream = transport.open(METHOD, {
      collection: this.#session.opening.collection,
      message: (bytes) => {
        if (!isOver) this.#receive(bytes, end);
      },
      end,
    });
    if (isOver) return;
    this.#stream = stream;
    this.#acknowledgements = [];
    this.#write(this.#session.firstRequest());
  }

  /** Takes the connection for lost after a long silence. */
  #listen(end) {
    clearTimeout(this.#silence);
    const seconds = MOST_SILENT_HEARTBEATS * this.#session.heartbeat;
    this.#silence = setTimeout(() => {
      this.#stream?.cancel();
      end(new LayoutError("UNAVAILABLE", `the server said nothing for ${seconds} s`));
    }, milliseconds(seconds));
  }

  #receive(bytes, end) {
    if (this.#closed) return;
    this.#listen(end);
    try {
      const answer = this.#session.receive(decode(StreamLayoutResponse, bytes), bytes.length);
      if (answer) this.#acknowledge(answer);
    } catch (error) {
      this.#stream?.cancel();
      // A message that is none will be another one on the next stream.
      end(error instanceof DecodeError ? new LayoutError("INTERNAL", error.message) : error);
      return;
    }
    this.#flush();
    this.#wake();
  }

  #ended(error, transport) {
    clearTimeout(this.#silence);
    clearTimeout(this.#closing);
    this.#stream = undefined;
    if (this.#closed) return;
    this.#connectionError = error ?? new LayoutError("UNAVAILABLE", "the server ended the stream");
    let delay;
    try {
      delay = this.#mayRenew(error, transport)
        ? this.#session.backoff.again() : this.#session.ended(error);
    } catch (failure) {
      this.#finish(failure, failure);
      return;
    }
    this.#session.isConnected = false;
    this.#emit("state", this.#connectionError);
    this.#retry = setTimeout(() => this.#connect(), milliseconds(delay));
  }

  /**
   * Whether another token may help: the server had accepted one before and refuses it now. After another one that was
   * of no use, only a stream that has worked makes that likely.
   */
  #mayRenew(error, transport) {
    const { streams, backoff } = this.#session;
    if (backoff.hasWorked) this.#hasRenewed = false;
    if (error?.code !== "UNAUTHENTICATED" || !transport.canRenew) return false;
    if (streams === 0 || this.#hasRenewed) return false;
    this.#hasRenewed = true;
    // A delay that a notice announced is not for a stream with another token.
    this.#session.delay = undefined;
    return true;
  }

  // MARK: Telling

  #told(type, value) {
    if (type === "answer") this.#answered(value);
    else if (type === "frame") this.#framed(value);
    else if (type === "state") this.#opened();
    else this.#emit(type, value);
  }

  #opened() {
    this.#connectionError = undefined;
    this.#emit("state");
  }

  #answered({ seq, request, result, target, error }) {
    const waiting = this.#answers.get(seq);
    this.#answers.delete(seq);
    if (!waiting) {
      if (error) this.#emit("refused", error, request);
    } else if (error) {
      waiting.reject(error);
    } else {
      waiting.resolve({ result, target });
    }
  }

  #framed({ seq, keyframe, changes, adjustment, transition, mergedEvents }) {
    const { mirror } = this.#session;
    const frame = {
      seq, keyframe, adjustment, transition, mergedEvents, merged: 1, dataVersion: mirror.dataVersion,
      layoutVersion: mirror.layoutVersion, appliedEvent: mirror.appliedEvent,
      contentSize: mirror.contentSize, coverage: mirror.coverage, everyScroll: mirror.everyScroll,
      changed: changes.changed, removed: changes.removed,
    };
    this.#emit("frame", frame);
    const news = this.#news;
    if (!news) {
      this.#news = { ...frame };
      this.#newsChanges = changes;
      return;
    }
    this.#newsChanges.merge(changes);
    Object.assign(news, frame, {
      keyframe: news.keyframe || keyframe, merged: news.merged + 1,
      mergedEvents: news.mergedEvents + mergedEvents,
      adjustment: { x: news.adjustment.x + adjustment.x, y: news.adjustment.y + adjustment.y },
    });
  }

  #emit(type, ...values) {
    for (const listener of this.#listeners.get(type) ?? []) {
      reported(() => listener(...values));
    }
  }

  #wake() {
    for (const check of [...this.#waits]) check();
  }

  /** Waits for a condition, until a time in milliseconds. */
  #until(condition, deadline) {
    return new Promise((resolve, reject) => {
      let timer;
      const check = () => {
        const isDone = condition();
        if (!isDone && !this.#failure) return;
        clearTimeout(timer);
        this.#waits.delete(check);
        if (isDone) resolve();
        else reject(this.#failure);
      };
      this.#waits.add(check);
      if (deadline !== Infinity) {
        timer = setTimeout(() => {
          this.#waits.delete(check);
          reject(new LayoutError("DEADLINE_EXCEEDED", "the answer did not come in time"));
        }, deadline - Date.now());
      }
      check();
    });
  }
}

/** An item by its key, or by its place as [section, item]. */
function itemFields(item) {
  if (typeof item === "string") return { itemKey: item };
  const [section, index] = item;
  return { key: { category: "cell", indexPath: { section, item: index } } };
}

/** The answer to an event did not come in time. The event may be applied, unless it was taken back. */
function lateAnswer(event, cause) {
  const message = event ? "the answer did not come in time, and the event may be applied"
    : "the event was not sent in time, and will not be";
  return new LayoutError("DEADLINE_EXCEEDED", message, { requestId: event?.update?.requestId, cause });
}
