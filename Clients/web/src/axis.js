// SPDX-License-Identifier: Apache-2.0

// Browsers limit how long an element can be (Firefox to 17.9 million pixels), and keep scroll positions as
// floats of 32 bits. Within this length these are exact to a quarter of a pixel.
const MOST_LENGTH = 4_000_000;

/**
 * Maps offsets in the content to positions of a scroller, along one axis.
 *
 * Where the content is longer than a scroller can be, the scroller is shorter. While the user scrolls, one
 * pixel is one point nevertheless: only `base`, the difference of offset and position, has changed. When
 * scrolling rests, the position is set to where the scroll bar should be. A movement by more than two
 * viewports at once is that of the scroll bar, and goes to the same part of the content. Near both ends
 * position and offset run alike, so that the end of the one is that of the other.
 */
export class AxisMapping {
  /** The least and the greatest offset at rest. */
  least = 0;
  most = 0;
  /** The scroller's position. */
  position = 0;
  /** What the offset has more than the position. */
  base = 0;

  constructor(mostLength = MOST_LENGTH) {
    this.mostLength = mostLength;
  }

  /** The offset in the content. */
  get offset() {
    return this.base + this.position;
  }

  /** The greatest position. */
  get range() {
    return Math.min(Math.max(0, this.most - this.least), this.mostLength);
  }

  setRange(least, most) {
    this.least = least;
    this.most = Math.max(least, most);
  }

  /** The position at which the scroller should be for an offset. */
  positionOf(offset) {
    const { range } = this, whole = this.most - this.least, distance = offset - this.least;
    if (whole <= range) return Math.min(Math.max(0, distance), range);
    const edge = range / 4;
    if (distance <= edge) return Math.max(0, distance);
    if (whole - distance <= edge) return Math.min(range, range - (whole - distance));
    return edge + ((distance - edge) * (range - 2 * edge)) / (whole - 2 * edge);
  }

  /** The offset to which a position of the scroll bar leads. */
  offsetOf(position) {
    const { range } = this, whole = this.most - this.least, edge = range / 4;
    if (whole <= range || position <= edge) return this.least + position;
    if (range - position <= edge) return this.most - (range - position);
    return this.least + edge + ((position - edge) * (whole - 2 * edge)) / (range - 2 * edge);
  }

  /** The scroller moved to a position; `extent` is the length of the viewport. */
  scrolled(position, extent) {
    const isJump = Math.abs(position - this.position) > 2 * extent && this.most - this.least > this.range;
    this.position = position;
    if (isJump) this.base = this.offsetOf(position) - position;
    // Beyond its ends a scroller bounces, and the content with it. Less than a pixel is rounding.
    if (position < 0 || position > this.range + 1 || this.most === this.least) return;
    this.base = Math.min(Math.max(this.offset, this.least), this.most) - position;
  }

  /** The content moved under the viewport. */
  shift(distance) {
    this.base += distance;
  }

  /** Whether the scroller is at an end and the content is not, so that the user could not go on. */
  get isStuck() {
    const { position, range, offset } = this;
    return position > range + 1 || (position <= 0.5 && offset > this.least + 1)
      || (position >= range - 0.5 && offset < this.most - 1);
  }

  /**
   * Goes to an offset. `move` sets the scroller's position and returns what it has become, which may be
   * rounded.
   */
  settle(offset, move) {
    const wanted = this.positionOf(offset);
    if (Math.abs(wanted - this.position) >= 1) this.position = move(wanted);
    this.base = offset - this.position;
  }
}
