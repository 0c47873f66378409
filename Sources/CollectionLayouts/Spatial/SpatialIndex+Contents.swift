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
    var entries = SpatialEntries(uniformSize: uniformSize, capacity: contents.itemCount)
    let bytesPerItem =
      MemoryLayout<SIMD2<Double>>.stride + MemoryLayout<UInt32>.stride
      + (uniformSize == nil ? MemoryLayout<SIMD2<Float>>.stride : 0)
    var next = 0
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      section.items.forEachChunk(in: 0 ..< section.items.count) { chunk, _ in
        defer { next += chunk.count }
        guard chunk.summary.hasPositions else { return work.proceed(1) }
        // A chunk whose items are all at one place may have any number of items.
        for start in stride(from: 0, to: chunk.count, by: 1024) {
          let range = start ..< min(start + 1024, chunk.count)
          guard work.proceed(range.count), work.keep(bytes: range.count * bytesPerItem) else {
            return false
          }
          entries.append(chunk, range, from: next + start, placement, hasSizes: uniformSize == nil)
        }
        return true
      }
      return !work.isStopped
    }
    self.init(entries, placement, work: work)
  }

  /// Makes an index of items that are placed so.
  ///
  /// - Complexity: O(n)
  convenience init(
    _ entries: consuming SpatialEntries,
    _ placement: SpatialPlacement,
    work: LayoutWork
  ) {
    self.init(
      entries,
      curve: placement.cells?.curve,
      content: placement.boxContent,
      work: work
    )
  }
}

extension SpatialPlacement {
  /// What the boxes of indices are around.
  fileprivate var boxContent: SpatialIndex.BoxContent {
    worldWidth > 0 ? .positions : .frames(self)
  }
}

extension SpatialEntries {
  /// Appends items of a chunk that have a place.
  ///
  /// - Parameter ordinal: of the first.
  fileprivate mutating func append(
    _ chunk: ItemChunk,
    _ range: Range<Int>,
    from ordinal: Int,
    _ placement: SpatialPlacement,
    hasSizes: Bool
  ) {
    guard !chunk.xs.isAbsent, !chunk.ys.isAbsent else { return }
    let isPlaced = append(from: ordinal, count: range.count) { positions in
      placement.writePositions(of: range, in: chunk, to: &positions)
    }
    guard isPlaced, hasSizes else { return }
    for index in range { append(placement.size(of: index, in: chunk)) }
  }
}
