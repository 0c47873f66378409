// SPDX-License-Identifier: Apache-2.0
// How content moves by itself: momentum, the way to a place, and a flight. No clocks: time is an argument, in
// milliseconds.

// What is left of the velocity after a millisecond: UIKit's normal deceleration.
const DECELERATION = 0.998;
const SLOWEST = 8;
// Movements of a finger that are older do not count for the velocity when it lifts.
const RECENT = 90;

/** Measures how fast something is dragged. */
export class VelocityMeter {
  #samples = [];

  add(time, x, y) {
    this.#samples.push({ time, x, y });
    while (this.#samples.length > 0 && this.#samples[0].time < time - RECENT) this.#samples.shift();
  }

  /** In points a second, when the finger lifts at a time. */
  velocity(time) {
    const recent = this.#samples.filter((each) => each.time >= time - RECENT);
    const first = recent[0], last = recent.at(-1);
    if (!first || last.time - first.time < 8) return { x: 0, y: 0 };
    const seconds = (last.time - first.time) / 1000;
    return { x: (last.x - first.x) / seconds, y: (last.y - first.y) / seconds };
  }
}

/** Where momentum ends that begins with a velocity, in points a second. */
export function projection(velocity) {
  return (velocity / 1000) * DECELERATION / (1 - DECELERATION);
}

/** Moves on with a velocity that decays. */
export class Momentum {
  constructor(velocity, time) {
    this.velocity = { ...velocity };
    this.time = time;
  }

  /** The step since the last one. */
  step(time) {
    const elapsed = Math.min(Math.max(0, time - this.time), 64), decay = DECELERATION ** elapsed;
    this.time = time;
    const factor = (1 - decay) / (1 - DECELERATION) / 1000;
    const step = { x: this.velocity.x * factor, y: this.velocity.y * factor };
    this.velocity.x *= decay;
    this.velocity.y *= decay;
    return step;
  }

  get isOver() {
    return Math.hypot(this.velocity.x, this.velocity.y) < SLOWEST;
  }
}

/** Goes from one offset to another, fast at first. */
export class Approach {
  constructor(from, to, time, duration) {
    Object.assign(this, { from: { ...from }, to: { ...to }, time, duration });
    this.isOver = false;
  }

  /** The offset at a time. */
  at(time) {
    const part = Math.min(Math.max(0, (time - this.time) / this.duration), 1);
    this.isOver = part === 1;
    const eased = easedOut(part);
    return {
      x: this.from.x + (this.to.x - this.from.x) * eased, y: this.from.y + (this.to.y - this.from.y) * eased,
    };
  }

  /** The content moved under the viewport. */
  shift(x, y) {
    for (const point of [this.from, this.to]) {
      point.x += x;
      point.y += y;
    }
  }
}

/** A part of an animation, fast at first and slow at its end. */
export function easedOut(part) {
  return 1 - (1 - part) ** 3;
}

/** Flies along the content: there and back, with turns that are not abrupt. */
export class Flight {
  constructor(time, speed = 900) {
    this.time = time;
    this.speed = speed;
    this.velocity = 0;
    this.direction = 1;
  }

  /** The step since the last one; `room` is how far the content goes on before and behind. */
  step(time, room) {
    const elapsed = Math.min(Math.max(0, time - this.time), 64) / 1000;
    this.time = time;
    if (room.ahead < 1 && room.behind < 1) return 0;
    if (this.direction > 0 && room.ahead < 1) this.direction = -1;
    else if (this.direction < 0 && room.behind < 1) this.direction = 1;
    this.velocity += (this.direction * this.speed - this.velocity) * Math.min(1, elapsed * 2.5);
    return this.velocity * elapsed;
  }
}
