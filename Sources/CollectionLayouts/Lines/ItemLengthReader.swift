// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Reads the lengths of items near each other; looks for a chunk only where it leaves one.
struct ItemLengthReader {
  private let items: ItemSequence
  private let rule: LineRule
  private var chunk: ItemChunk?
  /// The chunk's first item, and the one after its last.
  private var start = 0
  private var end = 0
  /// Whether all items of the chunk are equal.
  private var isUniform = false
  /// The chunk's columns where both hold floats that count as they are, which is the rule; else empty.
  private var main: [Float] = []
  private var cross: [Float] = []

  init(_ items: ItemSequence, rule: LineRule) {
    self.items = items
    self.rule = rule
  }

  /// - Precondition: `index` is within the items.
  @inline(__always)
  mutating func lengths(at index: Int) -> ItemLengths {
    goToChunk(of: index)
    return main.isEmpty
      ? anyLengths(at: index)
      : ItemLengths(main: Double(main[index - start]), cross: Double(cross[index - start]))
  }

  /// Calls `body` with the lengths of each item of a range, in order.
  ///
  /// - Precondition: `range` is within the items.
  @inline(__always)
  mutating func forEach(in range: Range<Int>, _ body: (ItemLengths) -> Void) {
    var index = range.lowerBound
    while index < range.upperBound {
      goToChunk(of: index)
      let stop = min(range.upperBound, end)
      if main.isEmpty {
        for item in index ..< stop { body(anyLengths(at: item)) }
      } else {
        let (main, cross) = (main.span, cross.span)
        for place in index - start ..< stop - start {
          body(ItemLengths(main: Double(main[place]), cross: Double(cross[place])))
        }
      }
      index = stop
    }
  }

  /// Finds the end of a line.
  ///
  /// - Parameter first: its first item.
  /// - Parameter itemCount: of all items.
  /// - Returns: the first item of the next line, and the greatest length in this one.
  @inline(__always)
  mutating func lineEnd(from first: Int, itemCount: Int) -> (end: Int, length: Double) {
    let item = lengths(at: first)
    let spacing = rule.itemSpacing
    var remaining = rule.offered - (item.cross + spacing)
    var length = item.main
    var index = first + 1
    while index < itemCount {
      goToChunk(of: index)
      let stop = min(itemCount, end)
      if main.isEmpty {
        while index < stop {
          let item = anyLengths(at: index)
          guard item.cross <= remaining else { return (index, length) }
          remaining -= item.cross + spacing
          length = item.main > length ? item.main : length
          index += 1
        }
      } else {
        let (main, cross) = (main.span, cross.span)
        while index < stop {
          let (extent, itemLength) = (Double(cross[index - start]), Double(main[index - start]))
          guard extent <= remaining else { return (index, length) }
          remaining -= extent + spacing
          length = itemLength > length ? itemLength : length
          index += 1
        }
      }
    }
    return (index, length)
  }

  /// How many equal items begin at an index, as far as its chunk knows; 1 where they differ.
  @inline(__always)
  mutating func run(at index: Int) -> Int {
    goToChunk(of: index)
    return isUniform ? end - index : 1
  }

  @inline(__always)
  private mutating func goToChunk(of index: Int) {
    if index < start || index >= end { findChunk(of: index) }
  }

  @inline(never)
  private mutating func findChunk(of index: Int) {
    let found = items.chunk(containing: index)
    let (widths, heights) = (found.chunk.widths, found.chunk.heights)
    chunk = found.chunk
    start = found.start
    end = found.start + found.chunk.count
    isUniform = false
    if !rule.isList, rule.pixelGrid == nil, case .floats(let widths) = widths,
      case .floats(let heights) = heights
    {
      let isVertical = rule.axis == .vertical
      main = isVertical ? heights : widths
      cross = isVertical ? widths : heights
    } else {
      main = []
      cross = []
      isUniform = rule.uniformLengths(width: widths.uniform, height: heights.uniform) != nil
    }
  }

  @inline(never)
  private func anyLengths(at index: Int) -> ItemLengths {
    guard let chunk else { return ItemLengths(main: 0, cross: 0) }
    return rule.lengths(
      width: chunk.widths.value(at: index - start),
      height: chunk.heights.value(at: index - start)
    )
  }
}
