// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Reads the lengths of items near each other, a stretch at a time; looks for a chunk only where it
/// leaves one.
struct ItemLengthReader {
  private let items: ItemSequence
  private let rule: LineRule
  private var chunk: ItemChunk?
  private var start = 0
  private var end = 0
  /// Of the stretch that was read last.
  private(set) var lengths: [ItemLengths] = []
  /// Of items asked for one by one: some more are read with the first.
  private var ahead: [ItemLengths] = []
  private var aheadStart = 0
  private static let aheadCount = 64

  init(_ items: ItemSequence, rule: LineRule) {
    self.items = items
    self.rule = rule
  }

  /// Fills `lengths` with those of a range.
  ///
  /// - Precondition: `range` is within the items.
  mutating func read(_ range: Range<Int>) {
    lengths.removeAll(keepingCapacity: true)
    var index = range.lowerBound
    while index < range.upperBound {
      guard let chunk = chunk(at: index) else { return }
      let last = min(range.upperBound, end)
      Self.append(chunk, index - start ..< last - start, rule, to: &lengths)
      index = last
    }
  }

  /// - Precondition: `index` is within the items.
  @inline(__always)
  mutating func lengths(at index: Int) -> ItemLengths {
    let offset = index - aheadStart
    if offset >= 0, offset < ahead.count { return ahead[offset] }
    return readAhead(from: index)
  }

  @inline(never)
  private mutating func readAhead(from index: Int) -> ItemLengths {
    guard let chunk = chunk(at: index) else { return ItemLengths(main: 0, cross: 0) }
    ahead.removeAll(keepingCapacity: true)
    aheadStart = index
    let range = index - start ..< min(index + Self.aheadCount, end) - start
    Self.append(chunk, range, rule, to: &ahead)
    return ahead[0]
  }

  /// How many equal items begin at an index, as far as its chunk knows; 1 where they differ.
  mutating func run(at index: Int) -> Int {
    guard let chunk = chunk(at: index),
      rule.uniformLengths(width: chunk.widths.uniform, height: chunk.heights.uniform) != nil
    else { return 1 }
    return end - index
  }

  private mutating func chunk(at index: Int) -> ItemChunk? {
    if index < start || index >= end || chunk == nil {
      let found = items.chunk(containing: index)
      chunk = found.chunk
      start = found.start
      end = found.start + found.chunk.count
    }
    return chunk
  }

  private static func append(
    _ chunk: ItemChunk,
    _ range: Range<Int>,
    _ rule: LineRule,
    to lengths: inout [ItemLengths]
  ) {
    switch (chunk.widths, chunk.heights) {
    case (.floats(let widths), .floats(let heights)):
      for index in range {
        lengths.append(rule.lengths(width: Double(widths[index]), height: Double(heights[index])))
      }
    case (let widths, let heights):
      for index in range {
        lengths.append(
          rule.lengths(width: widths.value(at: index), height: heights.value(at: index))
        )
      }
    }
  }
}
