// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension SpatialIndex {
  /// An index of all items that have a place.
  ///
  /// - Parameter uniformSize: where all items have one.
  /// - Complexity: O(n); O(1) for a chunk without positions.
  convenience init(
    _ contents: CollectionContents,
    placement: SpatialPlacement,
    uniformSize: Size?
  ) {
    var xs: [Double] = []
    var ys: [Double] = []
    var ordinals: [UInt32] = []
    var sizes: [Size] = uniformSize.map { [$0] } ?? []
    var next = 0
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      section.items.forEachChunk(in: 0 ..< section.items.count) { chunk, _ in
        defer { next += chunk.count }
        guard chunk.summary.hasPositions else { return true }
        for item in 0 ..< chunk.count {
          guard let frame = placement.frame(of: item, in: chunk),
            let ordinal = UInt32(exactly: next + item)
          else { continue }
          xs.append(frame.x)
          ys.append(frame.y)
          ordinals.append(ordinal)
          if uniformSize == nil { sizes.append(frame.size) }
        }
        return true
      }
      return true
    }
    self.init(xs: xs, ys: ys, ordinals: ordinals, sizes: sizes)
  }
}
