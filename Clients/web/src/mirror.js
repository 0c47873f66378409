// SPDX-License-Identifier: Apache-2.0
// The elements that the server says are live, kept up to date by frames.

import { Changes } from "./changes.js";
import { applyShifts, putOnce, putPacked, runValues } from "./packed.js";
import { FrameParts } from "./parts.js";
import { check, Elements, FrameError, MOST_KINDS } from "./table.js";

/** Applies frames of either encoding, and compares the checksum of each. */
export class Mirror {
  // What has changed and no frame has told, because the elements were those of an old session. Those who show
  // elements learn it with the next frame. Undefined = nothing.
  #untold;

  constructor(units = 64) {
    this.reset(units);
  }

  /** Forgets everything, for a new session with so many units to a point; 0 = 64. */
  reset(units) {
    if (this.elements) this.#removeAll(this.#untold ??= new Changes());
    /** The live elements. */
    this.elements = new Elements(units || 64);
    /** The newest frame that was applied; 0 = none. */
    this.frameSeq = 0;
    /**
     * Whether a frame after `frameSeq` was refused. Everything is as `frameSeq` left it, until a keyframe comes or the
     * server confirms the checksum.
     */
    this.isBehind = false;
    /** The version of the data that the elements show. */
    this.dataVersion = 0;
    /** The version of the geometry. */
    this.layoutVersion = 0;
    /** The newest event such that the elements reflect it and all before it. */
    this.appliedEvent = 0;
    /** Width and height of the content. */
    this.contentSize = { width: 0, height: 0 };
    /** The elements are complete within it. */
    this.coverage = { x: 0, y: 0, width: 0, height: 0 };
    /** Whether each scroll step has to be reported. */
    this.everyScroll = false;
    /** The effects that the client applies; undefined = none. */
    this.scrollEffects = undefined;
    /** The sections that scroll across the content and have elements here, if the viewer asked for them. */
    this.sectionScrolls = [];
    // The kinds that packed frames name, as numbers of the table's.
    this.frameKinds = [];
    this.forgetParts();
  }

  get liveCount() {
    return this.elements.count;
  }

  get checksum() {
    return this.elements.checksum;
  }

  /** The rest of a frame will not come, because its stream ended. */
  forgetParts() {
    this.parts = new FrameParts();
    // The frame of which a part was refused; its further parts are passed over. 0 = none.
    this.refused = 0;
  }

  /**
   * Applies a frame with its last part. Returns what it changed, or undefined if more parts follow. Throws
   * FrameError; then nothing has changed, only a keyframe can follow, and further parts of the same frame are passed
   * over.
   *
   * `byteLength` is how many bytes the part came as; 0 = it is not known.
   */
  apply(part, byteLength = 0) {
    const { frameSeq, continued } = part, isPassedOver = this.refused !== 0 && this.refused === frameSeq;
    if (isPassedOver && continued) return undefined;
    this.refused = 0;
    if (isPassedOver) return undefined;
    try {
      this.parts.add(part, byteLength);
      return continued ? undefined : this.applyAll(part);
    } catch (error) {
      this.forgetParts();
      if (continued) this.refused = frameSeq;
      this.isBehind = true;
      throw error;
    }
  }

  /**
   * Takes note of what elements the server believes to be here. Where a frame was refused and its stream broke, they
   * may have become the same as before it: then the server has nothing to send.
   */
  compare({ lastFrameSeq, liveCount, stateChecksum }) {
    const { frameSeq, elements } = this;
    if (lastFrameSeq !== frameSeq || liveCount !== elements.count) return;
    if (stateChecksum === elements.checksum) this.isBehind = false;
  }

  /** Applies all parts. */
  applyAll(part) {
    const parts = this.parts.list;
    this.forgetParts();
    for (const { contentSize, coverage, contentOffsetAdjustment } of parts) {
      checkFinite(contentSize, "content_size");
      checkFinite(coverage, "coverage");
      checkFinite(contentOffsetAdjustment, "content_offset_adjustment");
    }
    check(parts.every((each) => each.frameSeq === part.frameSeq), "parts of different frames");
    const isKeyframe = part.baseFrameSeq === 0;
    check(
      isKeyframe || part.baseFrameSeq === this.frameSeq,
      `frame ${part.frameSeq} follows ${part.baseFrameSeq}, not ${this.frameSeq}`);
    const changes = new Changes();
    if (this.#untold) changes.merge(this.#untold);
    if (isKeyframe) this.#removeAll(changes);
    this.#change(part, parts, isKeyframe, changes);
    for (const each of parts) this.#describe(each, isKeyframe && each === parts[0]);
    this.#finish(part);
    return {
      seq: part.frameSeq,
      keyframe: isKeyframe,
      changes,
      adjustment: part.contentOffsetAdjustment ?? { x: 0, y: 0 },
      transition: part.transition,
      mergedEvents: part.mergedEvents,
    };
  }

  /** Changes the elements, or nothing if they are not those that the frame announces. */
  #change(part, parts, isKeyframe, changes) {
    const { elements, frameKinds } = this, known = frameKinds.length;
    elements.begin(isKeyframe);
    if (isKeyframe) this.frameKinds = [];
    try {
      for (const each of parts) {
        if (each.packed) this.applyPacked(each.packed, changes);
        else if (each.elements) this.applyMessages(each.elements, changes);
      }
      this.#compare(part);
      elements.commit();
    } catch (error) {
      elements.undo();
      this.frameKinds = frameKinds;
      frameKinds.length = known;
      throw error;
    }
  }

  /** Takes what a part says beside its elements; a keyframe says all anew. */
  #describe({ contentSize, coverage, scrollEffects, sectionScrolls }, isAnew) {
    if (isAnew) {
      this.scrollEffects = undefined;
      this.sectionScrolls = [];
    }
    if (contentSize) this.contentSize = contentSize;
    if (coverage) this.coverage = coverage;
    if (scrollEffects) this.scrollEffects = scrollEffects;
    if (sectionScrolls) this.sectionScrolls = sectionScrolls.sections;
  }

  #removeAll(changes) {
    const { elements } = this;
    for (let index = 0; index < elements.count; index += 1) changes.remove(elements.slots[index]);
  }

  applyPacked(packed, changes) {
    const { elements } = this;
    this.remove(runValues(packed.removedSlotRuns, undefined, "removed_slot_runs"), changes);
    applyShifts(elements, packed.indexShiftRuns, changes);
    const known = this.frameKinds.length, added = packed.kindNames.length, most = MOST_KINDS;
    check(known + added <= most, `kind_names has ${added} names after ${known}; ${most} in all are allowed`);
    for (const name of packed.kindNames) this.frameKinds.push(elements.number(name));
    putPacked(elements, packed, this.frameKinds, changes);
    this.put(packed.exceptions, changes);
  }

  applyMessages({ upserts, removedSlots }, changes) {
    this.remove(removedSlots, changes);
    this.put(upserts, changes);
  }

  put(upserts, changes) {
    this.elements.note(upserts.map(({ slot }) => slot));
    for (const element of upserts) putOnce(changes, element.slot, this.elements.put(element));
  }

  remove(slots, changes) {
    check(slots.length <= this.elements.count, "more elements are removed than there are");
    this.elements.note(slots);
    for (const slot of slots) {
      this.elements.remove(slot);
      changes.remove(slot);
    }
  }

  #compare(part) {
    const { count, checksum } = this.elements;
    check(part.liveCount === count, `${count} elements instead of ${part.liveCount}`);
    if (part.stateChecksum !== undefined && part.stateChecksum !== checksum) {
      throw new FrameError(`checksum ${hex(checksum)} instead of ${hex(part.stateChecksum)}`);
    }
  }

  #finish(part) {
    this.#untold = undefined;
    this.isBehind = false;
    this.frameSeq = part.frameSeq;
    this.dataVersion = part.dataVersion;
    this.layoutVersion = part.layoutVersion;
    this.appliedEvent = part.appliedEventSeq;
    this.everyScroll = part.scrollSensitivity === "every_scroll";
  }
}

function checkFinite(lengths, name) {
  check(Object.values(lengths ?? {}).every(Number.isFinite), `${name} is not finite`);
}

function hex(checksum) {
  return checksum.toString(16).padStart(8, "0");
}
