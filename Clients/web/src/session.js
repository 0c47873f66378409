// SPDX-License-Identifier: Apache-2.0
// What a viewer knows and does, without connections and clocks: `Viewer` puts it between the stream and
// the page.

import { ScreenAnchor } from "./anchor.js";
import { Effects } from "./effects.js";
import { boundedDelay, LayoutError, TokenSourceError } from "./errors.js";
import { Mirror } from "./mirror.js";
import { mergedExpansions, mergedTable, mergeViewport } from "./opening.js";
import { FrameError } from "./table.js";

const LOST_SESSION = new Set(["RESUME_TOKEN_INVALID", "SESSION_EXPIRED", "COLLECTION_NOT_FOUND"]);
const PASSING = new Set(["UNAVAILABLE", "CANCELLED", "UNKNOWN", "INTERNAL"]);
// After so many frames that could not be applied, the fault is not on the way.
const MOST_REJECTED = 3;
// Seconds between heartbeats that servers grant.
const HEARTBEAT = 15, LEAST_HEARTBEAT = 1, MOST_HEARTBEAT = 60;

function isPassing({ code, reason }) {
  return PASSING.has(code) || (code === "DEADLINE_EXCEEDED" && !reason);
}

/** The name of the event in a request. */
export function eventKind(request) {
  return Object.keys(request).find((name) => name !== "eventSeq" && name !== "ack") ?? "";
}

/** A text that nobody else makes. */
export function newIdentifier() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Whether only the session that it was meant for can apply an event: it names slots, or is a step of something
 * that ended with the session.
 */
function isOfOneSession({ measurements, movement, transition, outline }) {
  return Boolean(measurements || movement || transition || outline?.toggledSlots?.length > 0);
}

/** The state of one viewer across the streams that it has. */
export class Session {
  /** Where a transition ends; undefined = there is none. */
  #nextLayout;
  /** What the last opening left out, of `layout` and `options`: a new session has the defaults of these. */
  #leftOut = new Set();
  /** In a new session, until its first frame: where the items in sight were. */
  #anchor;

  constructor(opening, backoff) {
    this.opening = { ...opening, viewport: { contentOffset: { x: 0, y: 0 }, ...opening.viewport } };
    this.backoff = backoff;
    this.mirror = new Mirror(opening.capabilities?.unitsPerPoint?.[0] ?? 64);
    this.effects = new Effects();
    /** What the server answered to the opening; undefined = nothing yet. */
    this.opened = undefined;
    this.isConnected = false;
    this.streams = 0;
    // Events that the server has not answered, by number: the request, whether it was sent on this stream, and
    // whether it was on any.
    this.pending = new Map();
    this.seq = 1;
    this.token = undefined;
    this.targets = new Map();
    this.rejected = 0;
    /** The number of the last event that scrolled to where the items in sight were; 0 = there was none. */
    this.restoredBy = 0;
    this.delay = undefined;
    /** Tells events to the viewer: `frame`, `answer`, `notice`, `prefetch`, `visibility`. */
    this.tell = () => {};
  }

  // MARK: What goes out

  /** The first request of a stream. */
  firstRequest() {
    const opening = { ...this.opening, viewport: { ...this.opening.viewport } };
    this.mirror.forgetParts();
    this.#leftOut.clear();
    for (const [seq, event] of this.pending) {
      event.sent = false;
      // The opening has what these would change, and a new session must not take it for later.
      if (event.request.viewport) this.pending.delete(seq);
    }
    if (this.token) {
      delete opening.collection;
      delete opening.inlineContents;
      opening.resume = {
        resumeToken: this.token, lastFrameSeq: this.mirror.frameSeq, lastEventSeq: this.seq,
        stateChecksum: this.mirror.checksum, liveCount: this.mirror.liveCount,
      };
      opening.viewport.observedFrameSeq = this.mirror.frameSeq;
      // They may be applied already: the session knows best which layout and options it has.
      for (const { request } of this.pending.values()) {
        if (request.layout || request.transition) this.#leftOut.add("layout");
        if (request.options) this.#leftOut.add("options");
      }
      if (this.#leftOut.has("layout")) delete opening.layoutName;
      for (const field of this.#leftOut) delete opening[field];
    }
    // Before the first frame nothing can have been scrolled; after it there is no start.
    if (opening.start) delete opening.viewport.contentOffset;
    return this.streams === 0 ? { eventSeq: 1, open: opening } : { open: opening };
  }

  /** Takes an event, and returns its number. */
  event(event) {
    if (event.update && !event.update.requestId) event.update.requestId = newIdentifier();
    if (event.viewport) {
      event.viewport.observedFrameSeq ??= this.mirror.frameSeq;
      const { observedFrameSeq: _, ...known } = event.viewport;
      mergeViewport(this.opening.viewport, known);
      this.#mergeWaiting(event);
    }
    this.seq += 1;
    this.pending.set(this.seq, { request: { eventSeq: this.seq, ...event }, sent: false, wasSent: false });
    return this.seq;
  }

  /** Takes back an event for whose answer nobody waits any more. Returns it if it may be applied all the same. */
  withdraw(seq) {
    const event = this.pending.get(seq);
    if (!event || event.wasSent) return event?.request;
    this.pending.delete(seq);
    if (this.isConnected) this.#restore();
    return undefined;
  }

  /** A viewport change that was not sent gives way to the next one. */
  #mergeWaiting(event) {
    const last = this.pending.get(this.seq);
    if (!last || last.sent || !last.request.viewport) return;
    this.pending.delete(this.seq);
    const merged = { ...last.request.viewport };
    mergeViewport(merged, event.viewport);
    event.viewport = merged;
  }

  /** The events that are to be sent, oldest first; they count as sent. */
  *outgoing() {
    if (!this.isConnected) return;
    for (const event of this.pending.values()) {
      if (event.sent) continue;
      event.sent = event.wasSent = true;
      yield event.request;
    }
  }

  get hasOutgoing() {
    return this.isConnected && [...this.pending.values()].some((event) => !event.sent);
  }

  #acknowledgement() {
    return { ack: { frameSeq: this.mirror.frameSeq, stateChecksum: this.mirror.checksum } };
  }

  // MARK: What comes in

  /**
   * Takes note of a message that came as so many bytes, and returns what to send at once. Throws LayoutError if
   * nothing helps.
   */
  receive(response, byteLength) {
    if (response.frame) return this.#receiveFrame(response.frame, byteLength);
    if (response.heartbeat) return this.#receiveHeartbeat(response.heartbeat);
    if (response.opened) this.#receiveOpened(response.opened);
    else if (response.eventResult) this.#receiveResult(response.eventResult);
    else if (response.scrollTarget) this.#receiveTarget(response.scrollTarget);
    else if (response.notice) this.#receiveNotice(response.notice);
    else if (response.prefetch) this.tell("prefetch", response.prefetch);
    else if (response.visibility) this.tell("visibility", response.visibility);
    return undefined;
  }

  #receiveOpened(opened) {
    const before = this.opened, isNew = before?.session !== opened.session;
    this.opened = opened;
    this.token = opened.resumeToken;
    this.isConnected = true;
    this.delay = undefined;
    this.streams += 1;
    this.backoff.succeeded();
    if (isNew) {
      const mode = this.opening.options?.anchorMode;
      // A session that ends before its first frame has no places: those of the one before count.
      if (before && this.mirror.frameSeq > 0) {
        this.#anchor = new ScreenAnchor(this.mirror.elements, this.viewport, mode);
      }
      this.mirror.reset(opened.unitsPerPoint || 64);
      this.effects = new Effects();
    }
    // The session is where the mirror is: it has compared the checksums.
    if (!isNew && opened.outcome === "resumed") this.mirror.isBehind = false;
    if (!isNew || !before) this.#leftOut.clear();
    this.#forget(opened.lastEventSeq);
    for (const [seq, event] of this.pending) {
      const { request } = event;
      // The session has applied it: it tells the answer again, and would not take the event again.
      if (!isNew && seq <= opened.lastEventSeq) event.sent = true;
      // Those since the opening name a frame of the old session.
      if (isNew && request.viewport) request.viewport.observedFrameSeq = 0;
      if (isNew && before && isOfOneSession(request)) {
        const message = "the session ended before it answered";
        this.#receiveResult({ eventSeq: seq, problem: { code: 5, reason: "SESSION_EXPIRED", message } });
      }
    }
    this.#restore();
    this.tell("state");
  }

  /** Tells a new session what its opening left out, unless a pending event will tell it another value. */
  #restore() {
    const pending = new Set([...this.pending.values()].map(({ request }) => eventKind(request)));
    for (const field of [...this.#leftOut].filter((each) => !pending.has(each))) {
      this.#leftOut.delete(field);
      const { layout, layoutName, options } = this.opening;
      if (field === "options" && options) this.event({ options });
      if (field === "layout" && (layout || layoutName)) this.event({ layout: { layout, layoutName } });
    }
  }

  #receiveTarget(target) {
    // Nobody waits for others, which would stay for ever.
    if (this.pending.has(target.eventSeq)) this.targets.set(target.eventSeq, target);
    if (target.eventSeq !== 0 || !target.sectionOffset) return;
    // The server scrolls a section by itself, and a new session would have to be told.
    mergeViewport(this.opening.viewport, { sectionOffsets: [target.sectionOffset] });
    this.tell("scrollTarget", target);
  }

  #receiveHeartbeat(heartbeat) {
    if (heartbeat.resumeToken.length > 0) this.token = heartbeat.resumeToken;
    this.#forget(heartbeat.appliedEventSeq);
    this.mirror.compare(heartbeat);
    return this.#acknowledgement();
  }

  #receiveNotice(notice) {
    if (notice.type === "going_away") this.delay = boundedDelay(notice.reconnectDelay ?? 0);
    this.tell("notice", notice);
  }

  #receiveFrame(part, byteLength) {
    const { mirror } = this;
    let frame;
    try {
      frame = mirror.apply(part, byteLength);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.rejected += 1;
      if (this.rejected > MOST_REJECTED && part.baseFrameSeq === 0) {
        throw new LayoutError("DATA_LOSS", `frames cannot be applied: ${error.message}`);
      }
      return { ack: { frameSeq: part.frameSeq, rejected: true } };
    }
    if (!frame) return undefined;
    this.rejected = 0;
    this.effects = new Effects(mirror.scrollEffects);
    const { contentOffset } = this.opening.viewport;
    this.opening.viewport.contentOffset = {
      x: contentOffset.x + frame.adjustment.x, y: contentOffset.y + frame.adjustment.y,
    };
    // From now on the offset says where the user is.
    delete this.opening.start;
    this.#forget(part.appliedEventSeq);
    this.#restorePlace(frame);
    const answer = this.#acknowledgement();
    this.tell("frame", frame);
    return answer;
  }

  /** Scrolls so that the first item which was in sight, and still exists, is where it was. */
  #restorePlace(frame) {
    const moved = this.#anchor?.displacement(this.mirror.elements);
    this.#anchor = undefined;
    if (!moved || (moved.x === 0 && moved.y === 0)) return;
    const { x, y } = this.opening.viewport.contentOffset;
    frame.adjustment = { x: frame.adjustment.x + moved.x, y: frame.adjustment.y + moved.y };
    this.restoredBy = this.event({ viewport: { contentOffset: { x: x + moved.x, y: y + moved.y } } });
  }

  #receiveResult(result) {
    const { eventSeq } = result, event = this.pending.get(eventSeq), target = this.targets.get(eventSeq);
    this.pending.delete(eventSeq);
    this.targets.delete(eventSeq);
    if (!event) return;
    if (!result.problem) this.#noteApplied(event.request, result);
    this.#restore();
    const error = result.problem && LayoutError.fromProblem(result.problem);
    this.tell("answer", { seq: eventSeq, request: event.request, result, target, error });
  }

  /** What a new session would have to be told. */
  #noteApplied({ layout, options, transition, table, outline }, { dataVersion }) {
    if (table) this.opening.table = mergedTable(this.opening.table, table);
    // With a version the expansions are shared: the collection keeps them.
    if (outline && !dataVersion) this.opening.expansions = mergedExpansions(this.opening.expansions, outline);
    if (options) this.opening.options = options;
    if (options) this.#leftOut.delete("options");
    if (layout) this.#leftOut.delete("layout");
    if (transition?.begin) this.#nextLayout = transition.begin;
    // A transition that is finished leaves its layout.
    if (transition?.finish && this.#nextLayout) layout = { layout: this.#nextLayout };
    if (transition?.finish || transition?.cancel) this.#nextLayout = undefined;
    if (!layout) return;
    const { layout: _, layoutName: __, ...rest } = this.opening;
    this.opening = layout.layoutName
      ? { ...rest, layoutName: layout.layoutName } : { ...rest, layout: layout.layout };
  }

  /** Viewport changes up to here are applied, and have no other answer. */
  #forget(applied) {
    for (const [seq, { request }] of this.pending) {
      if (seq <= applied && request.viewport) this.pending.delete(seq);
    }
  }

  // MARK: When a stream ends

  /**
   * How many seconds to wait before the next stream. Throws the error if another stream is of no use.
   *
   * No error = the server ended the stream without one, or was silent for too long.
   */
  ended(error) {
    const wasOpened = this.isConnected, { delay } = this;
    this.isConnected = false;
    this.delay = undefined;
    // A server that tells each stream to go at once is a faulty one.
    if (delay !== undefined) return Math.max(delay, this.backoff.next());
    // Before the first stream nobody knows whether there are tokens at all.
    if (error instanceof TokenSourceError && this.streams === 0) throw error;
    if (!error || isPassing(error)) return this.backoff.next();
    // A collection without a default layout cannot be shown without one.
    const lacksLayout = this.#leftOut.has("layout") && error.reason === "LAYOUT_KIND_UNKNOWN";
    if (this.token && (lacksLayout || LOST_SESSION.has(error.reason))) {
      this.token = undefined;
      // Nothing is left of the session, where its collection may well be. The server that has refused to resume
      // it can open another one at once; one that ends what it has just opened is a faulty one.
      if (error.reason !== "COLLECTION_NOT_FOUND" && !this.opening.inlineContents) {
        return wasOpened ? this.backoff.next() : this.backoff.again();
      }
    } else if (error.code === "RESOURCE_EXHAUSTED" && error.retryDelay !== undefined) {
      return Math.max(error.retryDelay, this.backoff.next());
    }
    throw error;
  }

  // MARK: For callers

  /** What is in sight, in content coordinates. */
  get viewport() {
    const { contentOffset, size, contentInsets, traits } = this.opening.viewport;
    return {
      x: contentOffset.x, y: contentOffset.y, width: size?.width ?? 0, height: size?.height ?? 0,
      insets: contentInsets, rightToLeft: traits?.rightToLeft ?? false, axis: this.#scrollAxis(size),
    };
  }

  // The protocol tells the axis only where there are effects. Content is at most as large as the viewport
  // across it.
  #scrollAxis(size) {
    const { width, height } = this.mirror.contentSize;
    const isWide = width > (size?.width ?? 0) + 0.5, isHigh = height > (size?.height ?? 0) + 0.5;
    return isWide && !isHigh ? "horizontal" : "vertical";
  }

  /** Seconds after which the server says something in any case, 1 to 60. */
  get heartbeat() {
    const interval = this.opened?.options?.heartbeatInterval || HEARTBEAT;
    return Math.min(Math.max(interval, LEAST_HEARTBEAT), MOST_HEARTBEAT);
  }
}
