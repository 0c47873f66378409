// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension SpatialIndex {
  /// Makes an index of all items that have a place.
  ///
  /// - Parameter uniformSize: the size that all items have; nil = they differ.
  /// - Complexity: O(n); a chunk without positions takes O(1).
  convenience init(
    _ contents: CollectionContents,
    placement: SpatialPlacement,
    uniformSize: Size?,
    work: LayoutWork
  ) {
    var xs: [Double] = []
    var ys: [Double] = []
    var ordinals: [UInt32] = []
    var keys: [UInt64] = []
    var sizes: [Size] = uniformSize.map { [$0] } ?? []
    var next = 0
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      section.items.forEachChunk(in: 0 ..< section.items.count) { chunk, _ in
        defer { next += chunk.count }
        guard chunk.summary.hasPositions else { return work.proceed(1) }
        for item in 0 ..< chunk.count {
          // A chunk whose items are all at one place may have any number of items.
          if item & 1023 == 0, !work.proceed(min(1024, chunk.count - item)) { return false }
          guard let frame = placement.frame(of: item, in: chunk),
            let ordinal = UInt32(exactly: next + item)
          else { continue }
          xs.append(frame.x)
          ys.append(frame.y)
          ordinals.append(ordinal)
          if uniformSize == nil { sizes.append(frame.size) }
          if placement.cells != nil, let key = placement.key(of: item, in: chunk) {
            keys.append(key)
          }
        }
        return true
      }
      return !work.isStopped
    }
    self.init(xs: xs, ys: ys, ordinals: ordinals, sizes: sizes, keys: keys, work: work)
  }
}
