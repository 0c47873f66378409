// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

// Computes where columns end without the frames of items. `prepare` does this for every item.
extension WaterfallRule {
  /// Moves columns on by a range of items.
  ///
  /// - Parameters:
  ///   - columns: where each column's next item begins.
  ///   - stride: the number of items from one call of `mark` to the next.
  ///   - mark: called before every `stride` items with where the columns end; returns whether to go
  ///     on.
  ///   - pause: not called, because an item takes no more than a comparison with each column.
  func stack(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    stride: Int,
    mark: ([Double]) -> Bool,
    pause _: (Int) -> Bool
  ) {
    var next = range.lowerBound
    var pitches = [Double](repeating: 0, count: stride)
    // As long as this is not nil, it holds the current ends, and those in `columns` are stale.
    var sorted: SortedColumns?
    // For how many more parts sorting is not tried. Set after columns ended at the same place: if
    // that happens often, sorting does not pay.
    var patience = 0
    items.forEachChunk(in: range) { chunk, start in
      let end = min(start + chunk.count, range.upperBound)
      while next < end {
        let offset = (next - range.lowerBound) % stride
        if offset == 0 {
          sorted?.write(to: &columns)
          guard mark(columns) else { return false }
        }
        let stop = min(end, next + stride - offset)
        let part = next - start ..< stop - start
        if order == .shortestFirst, columnCount <= 8, pixelGrid == nil,
          case .floats(let widths) = chunk.widths, case .floats(let heights) = chunk.heights
        {
          // Lengths are computed as they are needed, so that the processor divides while it
          // compares.
          let main = axis == .vertical ? heights : widths
          let cross = axis == .vertical ? widths : heights
          let (mains, crosses) = (main.span, cross.span)
          func pitch(_ index: Int) -> Double {
            // Unsafe for speed alone: the part is within the chunk, whose columns have all its
            // items.
            let main = unsafe mains[unchecked: part.lowerBound + index]
            let cross = unsafe crosses[unchecked: part.lowerBound + index]
            return ScaledLength.length(
              main: Double(main),
              cross: Double(cross),
              across: columnWidth
            ) + itemSpacing
          }
          if sorted == nil, patience == 0 { sorted = SortedColumns(columns) }
          patience = max(0, patience - 1)
          if sorted?.stack(count: part.count, pitch: pitch) != true {
            if sorted != nil { patience = 16 }
            sorted?.write(to: &columns)
            sorted = nil
            stackOnShortestOfEight(count: part.count, columns: &columns, pitch: pitch)
          }
        } else {
          sorted?.write(to: &columns)
          sorted = nil
          readPitches(of: chunk, in: part, into: &pitches)
          stack(pitches, count: part.count, from: next, columns: &columns)
        }
        next = stop
      }
      return true
    }
    sorted?.write(to: &columns)
  }

  // MARK: - Lengths

  /// Computes how far each item of a part of a chunk moves its column along.
  private func readPitches(
    of chunk: ItemChunk,
    in range: Range<Int>,
    into pitches: inout [Double]
  ) {
    for index in range {
      pitches[index - range.lowerBound] =
        length(width: chunk.widths.value(at: index), height: chunk.heights.value(at: index))
        + itemSpacing
    }
  }

  // MARK: - Columns

  /// Moves columns along by items with known pitches.
  private func stack(_ pitches: [Double], count: Int, from item: Int, columns: inout [Double]) {
    switch order {
    case .shortestFirst where columnCount <= 8:
      stackOnShortestOfEight(count: count, columns: &columns) { pitches[$0] }
    default:
      for index in 0 ..< count {
        columns[column(ofItem: item + index, ends: columns)] += pitches[index]
      }
    }
  }

  /// Puts items on the shortest of up to eight columns, without a branch that depends on lengths:
  /// the processor would often predict it wrongly. Ends are not negative, so they are ordered like
  /// the integers with the same bits.
  @inline(__always)
  private func stackOnShortestOfEight(
    count: Int,
    columns: inout [Double],
    pitch: (Int) -> Double
  ) {
    // Columns that do not exist end behind all others, so they are never the shortest.
    var ends = [Int64](repeating: .max, count: 8)
    for column in columns.indices { ends[column] = Int64(bitPattern: columns[column].bitPattern) }
    unsafe ends.withUnsafeMutableBufferPointer { ends in
      for index in 0 ..< count {
        let shortest = unsafe Self.earlier(
          Self.earlier(
            Self.earlier((ends[0], 0), (ends[1], 1)),
            Self.earlier((ends[2], 2), (ends[3], 3))
          ),
          Self.earlier(
            Self.earlier((ends[4], 4), (ends[5], 5)),
            Self.earlier((ends[6], 6), (ends[7], 7))
          )
        )
        let end = Double(bitPattern: UInt64(bitPattern: shortest.end)) + pitch(index)
        unsafe ends[shortest.column] = Int64(bitPattern: end.bitPattern)
      }
    }
    for column in columns.indices {
      columns[column] = Double(bitPattern: UInt64(bitPattern: ends[column]))
    }
  }

  /// The column that ends earlier; if both end at the same place, the first.
  @inline(__always)
  private static func earlier(
    _ a: (end: Int64, column: Int),
    _ b: (end: Int64, column: Int)
  ) -> (end: Int64, column: Int) {
    let isLater = b.end < a.end
    return (isLater ? b.end : a.end, isLater ? b.column : a.column)
  }
}
