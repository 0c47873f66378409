// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Reads the lengths of items near each other; looks for a chunk only where it leaves one.
struct ItemLengthReader {
  private let items: ItemSequence
  private let rule: LineRule
  private let uniform: ItemLengths?
  private var chunk: ItemChunk?
  private var start = 0
  private var end = 0

  /// - Parameter uniform: where known, the lengths of all items.
  init(_ items: ItemSequence, rule: LineRule, uniform: ItemLengths?) {
    self.items = items
    self.rule = rule
    self.uniform = uniform
  }

  /// - Precondition: `index` is within the items.
  mutating func lengths(at index: Int) -> ItemLengths {
    if let uniform { return uniform }
    if index < start || index >= end { load(index) }
    guard let chunk else { return ItemLengths(main: 0, cross: 0) }
    return rule.lengths(
      width: chunk.widths.value(at: index - start),
      height: chunk.heights.value(at: index - start)
    )
  }

  private mutating func load(_ index: Int) {
    let found = items.chunk(containing: index)
    chunk = found.chunk
    start = found.start
    end = found.start + found.chunk.count
  }

  /// How many equal items begin at an index, as far as its chunk knows; 1 where they differ.
  mutating func run(at index: Int) -> Int {
    if uniform != nil { return items.count - index }
    if index < start || index >= end { load(index) }
    guard let chunk,
      rule.uniformLengths(width: chunk.widths.uniform, height: chunk.heights.uniform) != nil
    else { return 1 }
    return end - index
  }
}
