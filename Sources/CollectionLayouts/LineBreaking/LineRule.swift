// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// All that decides which items share a line and how long lines are. Equal rules make equal lines of
/// equal items.
struct LineRule: Hashable, Sendable {
  let axis: ScrollAxis
  /// What a line offers its items; `.infinity` is not allowed.
  let extent: Double
  /// Between the items of a line, at least 0.
  let itemSpacing: Double
  /// Between lines, at least 0.
  let lineSpacing: Double
  /// For items without a size of their own.
  let defaultSize: Size
  /// Whether each item has a line of its own that it fills: a list.
  let isList: Bool
  let pixelGrid: PixelGrid?

  /// Rounding errors must not send the last of exactly fitting items to the next line.
  static let tolerance = 1e-7

  /// What the first item of a line finds: see `LineBreaker`.
  var offered: Double { extent + Self.tolerance }

  /// How many items of one extent across the scroll axis a line holds, at least 1.
  ///
  /// Subtracts as the breaking of different items does, so that both agree to the last bit, up to a
  /// count where nobody could see the difference.
  func capacity(itemExtent: Double) -> Int {
    if isList { return 1 }
    let step = itemExtent + itemSpacing
    guard step > 0 else { return Self.unlimited }
    var remaining = offered - step
    var count = 1
    while itemExtent <= remaining {
      count += 1
      remaining -= step
      if count == 4096 {
        let more = ((remaining + itemSpacing) / step).rounded(.down)
        return more.isFinite ? count + Int(min(max(more, 0), Double(Self.unlimited))) : count
      }
    }
    return count
  }

  /// Stands for any number of items in one line.
  static let unlimited = 1 << 40

  /// The extents of an item along and across the scroll axis, as it is laid out.
  func lengths(width: Double?, height: Double?) -> ItemLengths {
    var size = Size(width: width ?? defaultSize.width, height: height ?? defaultSize.height)
    if let pixelGrid { size = pixelGrid.round(size) }
    return ItemLengths(
      main: axis.main(size),
      cross: isList ? alignedExtent : axis.cross(size)
    )
  }

  private var alignedExtent: Double { pixelGrid?.round(extent) ?? extent }

  /// What all items have in common; nil where they differ.
  func uniformLengths(of items: ItemSequence) -> ItemLengths? {
    let summary = items.summary
    if let lengths = uniformLengths(width: summary.width, height: summary.height) { return lengths }
    // Items without a size are as large as the default: still uniform beside given ones like that.
    var common: ItemLengths?
    var isUniform = true
    items.forEachChunk(in: 0 ..< items.count) { chunk, _ in
      let lengths = uniformLengths(width: chunk.widths.uniform, height: chunk.heights.uniform)
      isUniform = lengths != nil && (common == nil || common == lengths)
      common = lengths
      return isUniform
    }
    return isUniform ? common : nil
  }

  /// The lengths of items whose columns are uniform; nil where they vary or there are none.
  func uniformLengths(width: UniformColumn, height: UniformColumn) -> ItemLengths? {
    // A list's rows are as wide as the list.
    guard let width = isList ? .some(nil) : value(width), let height = value(height)
    else { return nil }
    return lengths(width: width, height: height)
  }

  /// nil = varying; `.some(nil)` = absent.
  private func value(_ column: UniformColumn) -> Double?? {
    switch column {
    case .absent: .some(nil)
    case .constant(let value): value
    case .empty, .varying: nil
    }
  }
}

/// The extents of an item along and across the scroll axis.
struct ItemLengths: Hashable, Sendable {
  var main: Double
  var cross: Double
}
