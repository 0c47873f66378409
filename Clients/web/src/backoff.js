// SPDX-License-Identifier: Apache-2.0

const FIRST = 0.1, MOST = 10;
// A stream that ends sooner after it began is a failure, so that a faulty server is not asked without end.
const WORKED = 1000;

/**
 * When to connect again, and to which of several addresses.
 *
 * After a stream that worked for a second, each address is tried at once. Then the wait is 100 ms, and
 * doubles with each round through the addresses, up to 10 s, 20 % more or less.
 */
export class Backoff {
  #failures = 0;
  #began;

  constructor(addresses, { random = Math.random, now = () => performance.now() } = {}) {
    this.addresses = addresses;
    this.random = random;
    this.now = now;
    /** The index of the address to connect to. */
    this.address = 0;
  }

  /** The server has answered. Until `next`, only the first answer counts. */
  succeeded() {
    this.#began ??= this.now();
  }

  /** Whether the stream that has an answer has worked for a second. */
  get hasWorked() {
    return this.#began !== undefined && this.now() - this.#began > WORKED;
  }

  /** The next stream is opened at once, at the same address. Returns how many seconds to wait: 0. */
  again() {
    if (this.hasWorked) this.#failures = 0;
    this.#began = undefined;
    return 0;
  }

  /** Goes on to the next address, and returns how many seconds to wait before. */
  next() {
    this.again();
    const tries = this.#failures;
    this.#failures += 1;
    // After the first failure of a connection that worked, the same address is the best one.
    if (tries > 0) this.address = (this.address + 1) % this.addresses;
    if (tries < this.addresses) return 0;
    const rounds = Math.floor(tries / this.addresses) - 1;
    const delay = Math.min(FIRST * 2 ** Math.min(rounds, 16), MOST);
    return Math.min(delay * (0.8 + 0.4 * this.random()), MOST);
  }
}
