// SPDX-License-Identifier: Apache-2.0

const CHANGED = 1, REMOVED = 2, ADDED = 4, MET = 8;

/**
 * Which slots some frames changed, merged into one change.
 *
 * A slot that was emptied and filled again has changed; one that was filled and emptied again is not
 * mentioned.
 */
export class Changes {
  // What happened to each slot.
  #flags = new Uint8Array(256);
  #slots = [];

  remove(slot) {
    const flags = this.#of(slot);
    this.#flags[slot] = (flags & ADDED) === 0 ? MET | REMOVED : MET;
  }

  /** `isNew` = the slot was empty. Returns false if it had changed already, and was not emptied since. */
  put(slot, isNew) {
    const flags = this.#of(slot), isAdded = (flags & ADDED) !== 0 || (isNew && (flags & REMOVED) === 0);
    this.#flags[slot] = isAdded ? MET | CHANGED | ADDED : MET | CHANGED;
    return (flags & CHANGED) === 0;
  }

  /** Appends later changes. */
  merge(later) {
    for (const slot of later.#slots) {
      const flags = later.#flags[slot];
      if ((flags & REMOVED) !== 0) this.remove(slot);
      else if ((flags & CHANGED) !== 0) this.put(slot, (flags & ADDED) !== 0);
    }
  }

  /** The slots whose elements are new or have changed. */
  get changed() {
    return this.#slots.filter((slot) => (this.#flags[slot] & CHANGED) !== 0);
  }

  /** The slots that are empty now. */
  get removed() {
    return this.#slots.filter((slot) => (this.#flags[slot] & REMOVED) !== 0);
  }

  #of(slot) {
    if (slot >= this.#flags.length) {
      const grown = new Uint8Array(Math.max(slot + 1, this.#flags.length * 2));
      grown.set(this.#flags);
      this.#flags = grown;
    }
    if (this.#flags[slot] === 0) {
      this.#slots.push(slot);
      this.#flags[slot] = MET;
    }
    return this.#flags[slot];
  }
}
