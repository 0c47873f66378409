// SPDX-License-Identifier: Apache-2.0

/// New values for items that keep their places.
///
/// A reload replaces all values; items keep their keys and their levels if a block has none. A
/// reconfiguration replaces only the columns that a block has.
struct ItemReplacement {
  private let blocks: BlockOffsets
  private let keepsValues: Bool

  /// - Parameter keepsValues: whether columns that a block leaves empty keep their old values, as
  ///   in a reconfiguration.
  /// - Complexity: O(blocks)
  init(_ blocks: [ItemBlock], keepsValues: Bool) {
    self.blocks = BlockOffsets(blocks)
    self.keepsValues = keepsValues
  }

  /// The new items for one part of a replacement.
  ///
  /// - Parameter range: the items of the part, counted from the first item of the blocks.
  /// - Parameter part: says where these items are in `old`.
  /// - Parameter old: the section's items before the batch.
  /// - Complexity: O(log blocks + blocks and chunks in the range)
  func slices(
    in range: Range<Int>,
    of part: SequencePlan.Part,
    _ old: ItemSequence
  ) -> [ChunkSlice] {
    var result: [ChunkSlice] = []
    let shift = part.splice.old.lowerBound - range.lowerBound
    blocks.forEach(in: range) { block, start, covered in
      var next = covered.lowerBound - start
      for slice in old.slices(in: covered.lowerBound + shift ..< covered.upperBound + shift) {
        result.append(ChunkSlice(chunk(block, next ..< next + slice.count, slice)))
        next += slice.count
      }
    }
    return result
  }

  /// The items of `old` with the values of a block.
  ///
  /// - Parameter range: the items of the block; as many as `old` has.
  private func chunk(_ block: ItemBlock, _ range: Range<Int>, _ old: ChunkSlice) -> ItemChunk {
    func lengths(_ values: [Double], _ column: (ItemChunk) -> LengthColumn) -> LengthColumn {
      values.isEmpty && keepsValues
        ? LengthColumn(joining: [old], count: old.count, column) : LengthColumn(values, in: range)
    }
    return ItemChunk(
      count: old.count,
      widths: lengths(block.widths, \.widths),
      heights: lengths(block.heights, \.heights),
      xs: lengths(block.xs, \.xs),
      ys: lengths(block.ys, \.ys),
      cellKinds: block.cellKinds.isEmpty && keepsValues
        ? KindColumn(joining: [old], count: old.count) : KindColumn(block.cellKinds, in: range),
      keys: block.keys.isEmpty
        ? KeyColumn(joining: [old], count: old.count) : KeyColumn(block.keys, in: range),
      outline: outline(block, range, old),
      data: block.data.isEmpty && keepsValues
        ? DataColumn(joining: [old], count: old.count) : DataColumn(block.data, in: range)
    )
  }

  /// The places of the items of `old` with the values of a block.
  private func outline(_ block: ItemBlock, _ range: Range<Int>, _ old: ChunkSlice) -> OutlineColumn
  {
    if old.chunk.outline.isAbsent && block.outline.isEmpty { return .absent }
    return OutlineColumn(block.outline, in: range) { index in
      let item = old.chunk.outline.value(at: old.range.lowerBound + index)
      return keepsValues ? item : OutlineItem(level: item.level)
    }
  }
}
