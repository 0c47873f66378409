// SPDX-License-Identifier: Apache-2.0
// Matrices of sixteen numbers, column by column, as WebGL and CSS have them; and where a camera sees points.

/** The product that first applies `b`, then `a`. */
export function product(a, b) {
  const result = new Float64Array(16);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      let sum = 0;
      for (let index = 0; index < 4; index += 1) sum += a[index * 4 + row] * b[column * 4 + index];
      result[column * 4 + row] = sum;
    }
  }
  return result;
}

export const translation = (x, y, z = 0) => Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1);
export const scaling = (x, y = x, z = 1) => Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1);

function turning(angle, first, second) {
  const matrix = scaling(1);
  matrix[first * 5] = matrix[second * 5] = Math.cos(angle);
  matrix[first * 4 + second] = Math.sin(angle);
  matrix[second * 4 + first] = -Math.sin(angle);
  return matrix;
}

/** Perspective for an eye so many points in front of the picture. */
function perspective(distance) {
  const matrix = scaling(1);
  matrix[11] = -1 / distance;
  return matrix;
}

/** Where a matrix leads a point; `w` is not positive behind the eye. */
export function projected(matrix, x, y, z, into = { x: 0, y: 0, w: 1 }) {
  const w = matrix[3] * x + matrix[7] * y + matrix[11] * z + matrix[15];
  into.x = (matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12]) / w;
  into.y = (matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13]) / w;
  into.w = w;
  return into;
}

/** Looks at the viewport, flat or from the side, and says where on the stage its points are. */
export class Camera {
  /** How much larger things are seen. */
  zoom = 1;
  /** By how much the picture is moved, in pixels. */
  panX = 0;
  panY = 0;
  isSpatial = false;
  /** How far the picture is turned, in radians. */
  yaw = -0.6;
  pitch = 0.5;
  /** Between two z-indices, in points. */
  lift = 24;

  /** From points relative to the viewport's upper left corner to pixels of the stage. */
  matrix(stage, viewport) {
    const centre = translation(-viewport.width / 2, -viewport.height / 2);
    const placed = product(
      translation(stage.width / 2 + this.panX, stage.height / 2 + this.panY),
      scaling(this.zoom, this.zoom, this.zoom));
    if (!this.isSpatial) return product(placed, centre);
    const turned = product(turning(this.pitch, 1, 2), turning(this.yaw, 2, 0));
    const depth = 3 * Math.max(viewport.width, viewport.height, 1);
    return product(placed, product(perspective(depth), product(turned, centre)));
  }

  /** The place of the content at a point of the stage, if the camera looks at it flat. */
  place(stage, viewport, x, y) {
    return {
      x: viewport.x + viewport.width / 2 + (x - stage.width / 2 - this.panX) / this.zoom,
      y: viewport.y + viewport.height / 2 + (y - stage.height / 2 - this.panY) / this.zoom,
    };
  }

  /** Makes a point of the stage stay where it is while the zoom changes. */
  zoomAt(zoom, x, y, stage) {
    const limited = Math.min(Math.max(zoom, 0.05), 16), ratio = limited / this.zoom;
    const fromX = x - stage.width / 2, fromY = y - stage.height / 2;
    this.panX = fromX - (fromX - this.panX) * ratio;
    this.panY = fromY - (fromY - this.panY) * ratio;
    this.zoom = limited;
  }

  /** Turns the picture by a movement of the pointer. */
  orbit(x, y) {
    this.yaw += x / 200;
    this.pitch = Math.min(Math.max(this.pitch - y / 200, -1.4), 1.4);
  }

  reset() {
    this.panX = this.panY = 0;
    this.zoom = 1;
    this.yaw = -0.6;
    this.pitch = 0.5;
  }
}

