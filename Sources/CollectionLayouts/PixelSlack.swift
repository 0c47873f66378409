// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension PixelGrid? {
  /// How much farther than without rounding a search has to look: a pixel, because edges are
  /// rounded to pixels, and a point at least, because they are rounded in floating point too.
  var slack: Double { max(1, map { 1 / $0.scale } ?? 0) }
}
