// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Everything that decides where the items of one section go. Equal rules place equal items
/// equally.
struct WaterfallRule: Hashable, UniformColumnRule {
  let axis: ScrollAxis
  /// The number of columns, from 1 to `WaterfallLayout.maximumColumnCount`.
  let columnCount: Int
  /// The width of every column, in points.
  let columnWidth: Double
  let columnSpacing: Double
  let itemSpacing: Double
  let order: WaterfallLayout.Order
  let pixelGrid: PixelGrid?

  /// Makes the rule of one section. Its metrics replace the layout's spacings.
  ///
  /// - Parameter extent: the section's extent across the scroll axis, in points.
  init(
    _ layout: WaterfallLayout,
    metrics: SectionMetrics,
    extent: Double,
    environment: SectionEnvironment
  ) {
    axis = environment.axis
    pixelGrid = environment.pixelGrid
    order = layout.order
    columnSpacing = max(0, metrics.interitemSpacing ?? layout.columnSpacing)
    itemSpacing = max(0, metrics.lineSpacing ?? layout.itemSpacing)
    switch layout.columns {
    case .count(let count):
      columnCount = min(max(count, 1), WaterfallLayout.maximumColumnCount)
    case .minimumWidth(let width):
      let fitting = ((extent + columnSpacing) / (max(width, 0) + columnSpacing)).rounded(.down)
      columnCount =
        fitting.isNaN ? 1 : Int(min(max(fitting, 1), Double(WaterfallLayout.maximumColumnCount)))
    }
    let free = extent - Double(columnCount - 1) * columnSpacing
    columnWidth = environment.pixelAligned(max(0, free / Double(columnCount)))
  }

  /// Where the columns end is all that later items depend on.
  var stateCount: Int { columnCount }
  var fillsFromEnd: Bool { false }

  func width(ofColumn column: Int) -> Double { columnWidth }

  func column(ofPlace place: Int) -> Int {
    order == .trailingToLeading ? columnCount - 1 - place : place
  }

  /// Where a column begins across the scroll axis, in points.
  func offset(ofColumn column: Int) -> Double {
    Double(column) * (columnWidth + columnSpacing)
  }

  /// An item's extent along the scroll axis, in points: see `ScaledLength`.
  func length(width: Double?, height: Double?) -> Double {
    let length = ScaledLength.length(of: (width, height), along: axis, across: columnWidth)
    return pixelGrid?.round(length) ?? length
  }

  /// The extent that all items have along the scroll axis; nil if they differ.
  ///
  /// - Complexity: O(1)
  func uniformLength(of items: ItemSequence) -> Double? {
    guard let width = items.summary.width.commonValue, let height = items.summary.height.commonValue
    else { return nil }
    return length(width: width.value, height: height.value)
  }

  /// The column of the next item.
  ///
  /// - Parameter ends: where each column's next item would begin.
  @inline(__always)
  func column(ofItem item: Int, ends: [Double]) -> Int {
    switch order {
    case .shortestFirst:
      var shortest = 0
      var end = ends[0]
      for column in 1 ..< max(columnCount, 1) where ends[column] < end {
        shortest = column
        end = ends[column]
      }
      return shortest
    case .leadingToTrailing: return item % columnCount
    case .trailingToLeading: return columnCount - 1 - item % columnCount
    }
  }
}

extension UniformColumn {
  /// The common value of all items; nil if they differ. A value of nil means that no item has one.
  var commonValue: (value: Double?, Void)? {
    switch self {
    case .empty, .absent: (nil, ())
    case .constant(let value): (value, ())
    case .varying: nil
    }
  }
}

extension WaterfallRule {
  /// Places a range of items one after the other, until `body` returns false.
  ///
  /// - Parameter columns: where each column's next item begins; updated for every item.
  @inline(__always)
  func place(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    _ body: (Int, AxisRect) -> Bool
  ) {
    items.forEachChunk(in: range) { chunk, start in
      let first = max(range.lowerBound - start, 0)
      for index in first ..< min(chunk.count, range.upperBound - start) {
        let item = start + index
        let length = length(
          width: chunk.widths.value(at: index),
          height: chunk.heights.value(at: index)
        )
        let column = column(ofItem: item, ends: columns)
        let frame = AxisRect(
          main: columns[column],
          cross: offset(ofColumn: column),
          mainLength: length,
          crossLength: columnWidth
        )
        columns[column] += length + itemSpacing
        guard body(item, frame) else { return false }
      }
      return true
    }
  }
}
