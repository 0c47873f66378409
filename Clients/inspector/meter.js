// SPDX-License-Identifier: Apache-2.0
// Counts what a stream sends and receives.

/** A transport that hands everything on to another one, and notes how much and when. */
export class MeteredTransport {
  /** Bytes of all messages. */
  sent = 0;
  received = 0;
  /** When events were sent that no frame has shown yet, by number. */
  #events = new Map();
  // Bytes since the last frame was taken.
  #frameBytes = 0;

  constructor(transport, clock = () => performance.now()) {
    this.transport = transport;
    this.clock = clock;
  }

  get address() {
    return this.transport.address;
  }

  get canRenew() {
    return this.transport.canRenew;
  }

  open(method, { message, ...rest }) {
    const isStream = method.endsWith("/StreamLayout");
    const stream = this.transport.open(method, {
      ...rest,
      message: (bytes) => {
        this.received += bytes.length;
        if (isStream) this.#frameBytes += bytes.length;
        message(bytes);
      },
    });
    const send = stream.send.bind(stream);
    stream.send = (bytes) => {
      this.sent += bytes.length;
      if (isStream) this.#noteEvent(bytes);
      send(bytes);
    };
    return stream;
  }

  /** What came since the last frame; its latency is that of the newest event that it shows, in milliseconds. */
  takeFrame(appliedEvent) {
    const bytes = this.#frameBytes, now = this.clock();
    let latency;
    this.#frameBytes = 0;
    for (const [event, time] of this.#events) {
      if (event > appliedEvent) break;
      latency = now - time;
      this.#events.delete(event);
    }
    return { bytes, latency };
  }

  /** The number of an event is the first field of its message. */
  #noteEvent(bytes) {
    if (bytes[0] !== 8) return;
    let event = 0, factor = 1;
    for (let index = 1; index < Math.min(bytes.length, 10); index += 1) {
      event += (bytes[index] & 0x7f) * factor;
      factor *= 128;
      if (bytes[index] < 0x80) break;
    }
    // Opening takes as long as connecting does.
    if (event === 1) return;
    this.#events.set(event, this.clock());
    if (this.#events.size > 4096) this.#events.delete(this.#events.keys().next().value);
  }
}
