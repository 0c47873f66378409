// SPDX-License-Identifier: Apache-2.0
// The hash of an element in the state checksum. The protocol guide describes it ("State checksum").

const SEED = 0x434c5631;
const LIMIT = 2 ** 62;
const TWO_32 = 4294967296;

/** FNV-1a of the kind's UTF-8. */
export function kindHash(kind) {
  let h = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(kind)) h = Math.imul(h ^ byte, 0x01000193);
  return h >>> 0;
}

function mixed(h, word) {
  h ^= word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h ^= h >>> 16;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/** Mixes an integer, as two words of 32 bits. */
function mixedWhole(h, value) {
  // `|` takes the lowest 32 bits of integers of any size.
  const low = value | 0;
  return mixed(mixed(h, low), low === value ? low >> 31 : Math.floor(value / TWO_32));
}

/** A coordinate in units, or an alpha in its, as an integer: what is beyond 2⁶² counts as that. */
export function edge(value, units) {
  return Math.floor(Math.min(Math.max(value * units + 0.5, -LIMIT), LIMIT));
}

/** Mixes the difference of two edges, which may have more than 53 bits. */
function mixedDifference(h, after, before) {
  const difference = after - before;
  if (Number.isSafeInteger(difference)) return mixedWhole(h, difference);
  const whole = BigInt(after) - BigInt(before);
  return mixed(mixed(h, Number(whole & 0xffffffffn)), Number((whole >> 32n) & 0xffffffffn));
}

/**
 * Hashes elements. Those of one section mostly follow each other, so what category, kind and section make
 * of the hash is kept from one element to the next.
 */
export class Hasher {
  #category = -1;
  #kind = -1;
  #section = -1;
  #start = 0;

  /** `kind` is the hash of the kind, `item` the index + 1; edges and lengths are in units. */
  hash(category, kind, section, item, left, top, right, bottom, z, alpha, hidden) {
    if (category !== this.#category || kind !== this.#kind || section !== this.#section) {
      this.#category = category;
      this.#kind = kind;
      this.#section = section;
      this.#start = mixedWhole(mixedWhole(mixedWhole(SEED, category), kind), section);
    }
    let h = mixedWhole(mixedWhole(mixedWhole(this.#start, item), left), top);
    h = mixedDifference(mixedDifference(h, right, left), bottom, top);
    h = mixedWhole(mixedWhole(h, z), edge(alpha, 65535));
    h = mixed(mixed(h, hidden ? 1 : 0), 0);
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  }
}
