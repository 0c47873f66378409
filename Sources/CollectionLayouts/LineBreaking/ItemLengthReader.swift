// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Reads the lengths of items that are near each other. It searches for a chunk only when an index
/// lies outside the items that it read last.
struct ItemLengthReader {
  private let items: ItemSequence
  private let rule: LineRule
  /// The items from `start` up to `end` can be read: a whole chunk or a part of it.
  private var start = 0
  private var end = 0
  /// The index after a chunk of equal items, or after a run of chunks of items without sizes; 0 if
  /// the items of the chunk differ.
  private var uniformEnd = 0
  /// The lengths of these items as the chunk stores them. They are empty if a column of the chunk
  /// does not hold floats, or if its lengths do not count as they are.
  private var main: [Float] = []
  private var cross: [Float] = []
  /// The lengths of these items computed one by one, if `main` and `cross` are empty.
  private var wideMain: [Double] = []
  private var wideCross: [Double] = []
  /// The most items whose lengths are computed at once.
  private static let window = 64

  init(_ items: ItemSequence, rule: LineRule) {
    self.items = items
    self.rule = rule
  }

  /// The lengths of an item.
  ///
  /// - Precondition: `index` is within the items.
  @inline(__always)
  mutating func lengths(at index: Int) -> ItemLengths {
    goToChunk(of: index)
    let place = index - start
    return main.isEmpty
      ? ItemLengths(main: wideMain[place], cross: wideCross[place])
      : ItemLengths(main: Double(main[place]), cross: Double(cross[place]))
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
        let (main, cross) = (wideMain.span, wideCross.span)
        for place in index - start ..< stop - start {
          body(ItemLengths(main: main[place], cross: cross[place]))
        }
      } else {
        let (main, cross) = (main.span, cross.span)
        for place in index - start ..< stop - start {
          body(ItemLengths(main: Double(main[place]), cross: Double(cross[place])))
        }
      }
      index = stop
    }
  }

  /// Finds the end of a line by the rule of `LineBreaker`.
  ///
  /// - Parameter first: the line's first item.
  /// - Parameter itemCount: the number of all items.
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
        let (main, cross) = (wideMain.span, wideCross.span)
        while index < stop {
          let (extent, itemLength) = (cross[index - start], main[index - start])
          guard extent <= remaining else { return (index, length) }
          remaining -= extent + spacing
          length = itemLength > length ? itemLength : length
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

  /// The same for a line that may have very many items.
  ///
  /// - Parameter work: told of the items. Once it has stopped, the result must not be used.
  @inline(never)
  mutating func longLineEnd(
    from first: Int,
    itemCount: Int,
    work: LayoutWork
  ) -> (end: Int, length: Double) {
    let item = lengths(at: first)
    var remaining = rule.offered - (item.cross + rule.itemSpacing)
    var length = item.main
    var index = first + 1
    var steps = StepBatch(work)
    while index < itemCount, steps.proceed() {
      let next = lengths(at: index)
      guard next.cross <= remaining else { break }
      remaining -= next.cross + rule.itemSpacing
      length = next.main > length ? next.main : length
      index += 1
    }
    return (index, length)
  }

  /// How many equal items begin at an index, as far as their chunk shows, or as far as items have
  /// no sizes; 1 if the chunk's items differ.
  @inline(__always)
  mutating func run(at index: Int) -> Int {
    goToChunk(of: index)
    return uniformEnd > index ? uniformEnd - index : 1
  }

  @inline(__always)
  private mutating func goToChunk(of index: Int) {
    if index < start || index >= end { findChunk(of: index) }
  }

  /// Reads the chunk of an item, or a window of it.
  @inline(never)
  private mutating func findChunk(of index: Int) {
    let (chunk, chunkStart) = items.chunk(containing: index)
    let (widths, heights) = (chunk.widths, chunk.heights)
    uniformEnd = 0
    if !rule.isList, rule.pixelGrid == nil, case .floats(let widths) = widths,
      case .floats(let heights) = heights
    {
      let isVertical = rule.axis == .vertical
      main = isVertical ? heights : widths
      cross = isVertical ? widths : heights
      start = chunkStart
      end = chunkStart + chunk.count
      return
    }
    if widths.isAbsent, heights.isAbsent {
      uniformEnd = items.endOfUnsizedRun(at: index)
    } else if rule.uniformLengths(width: widths.uniform, height: heights.uniform) != nil {
      uniformEnd = chunkStart + chunk.count
    }
    main = []
    cross = []
    wideMain.removeAll(keepingCapacity: true)
    wideCross.removeAll(keepingCapacity: true)
    wideMain.reserveCapacity(Self.window)
    wideCross.reserveCapacity(Self.window)
    start = index - (index - chunkStart) % Self.window
    end = min(start + Self.window, chunkStart + chunk.count)
    for place in start - chunkStart ..< end - chunkStart {
      let lengths = rule.lengths(width: widths.value(at: place), height: heights.value(at: place))
      wideMain.append(lengths.main)
      wideCross.append(lengths.cross)
    }
  }
}
