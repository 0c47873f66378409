// SPDX-License-Identifier: Apache-2.0

const FIRST = 0.1, MOST = 30;

/**
 * When to connect again, and to which of several addresses.
 *
 * After a stream that worked, each address is tried at once. Then the wait is 100 ms, and doubles with each
 * round through the addresses, up to 30 s, 20 % more or less.
 */
export class Backoff {
  #failures = 0;

  constructor(addresses, random = Math.random) {
    this.addresses = addresses;
    this.random = random;
    /** The index of the address to connect to. */
    this.address = 0;
  }

  /** The server has answered. */
  succeeded() {
    this.#failures = 0;
  }

  /** Goes on to the next address, and returns how many seconds to wait before. */
  next() {
    const tries = this.#failures;
    this.#failures += 1;
    // After the first failure of a connection that worked, the same address is the best one.
    if (tries > 0) this.address = (this.address + 1) % this.addresses;
    if (tries < this.addresses) return 0;
    const rounds = Math.floor(tries / this.addresses) - 1;
    // With a ceiling first, because the power may be infinite.
    const delay = Math.min(FIRST * 2 ** Math.min(rounds, 16), MOST);
    return Math.min(delay * (0.8 + 0.4 * this.random()), MOST);
  }
}
