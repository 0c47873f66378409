// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// How far a place is into items that follow each other along an axis.
public struct ItemProgress: Hashable, Sendable {
  /// The number of items before the first that ends behind the place. If items fill their section
  /// from its end, the number of items that begin before the place. It never falls from one place
  /// to a later one.
  public var passed: Int
  /// The first item in view with the viewport's leading edge at the place; nil = all items end
  /// before it.
  public var item: IndexPath?
  /// The section that covers the place, including the spacing after it; nil = the item's section.
  public var section: Int?

  /// Makes a progress after this many items.
  public init(passed: Int, item: IndexPath?, section: Int? = nil) {
    self.passed = passed
    self.item = item
    self.section = section
  }
}

extension PreparedLayout {
  /// Items are in no order along any axis, or in none that is known.
  public func itemProgress(
    at place: Double,
    along axis: ScrollAxis,
    work: LayoutWork
  ) -> ItemProgress? { nil }

  /// Looks at every item.
  public func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]? { nil }

  /// Sections start with their first items.
  public func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double? { nil }
}

/// Extents of one length in a row with equal steps.
struct EqualExtents {
  /// Where the first one starts.
  var start: Double
  var length: Double
  /// From the start of one to the start of the next; at least 0.
  var step: Double
  var count: Int

  /// The first one that ends behind a place; `count` if there is none.
  func first(endingAfter place: Double) -> Int {
    guard step > 0 else { return start + length > place ? 0 : count }
    let nearest = ((place - start - length) / step).rounded(.down) + 1
    // NaN is not greater than 0; other numbers are cut off to 0…count, so the conversion cannot
    // trap.
    var index = nearest > 0 ? Int(min(nearest, Double(count))) : 0
    // The quotient is rounded, so it may be one off.
    if index > 0, end(of: index - 1) > place { index -= 1 }
    if index < count, !(end(of: index) > place) { index += 1 }
    return index
  }

  private func end(of index: Int) -> Double { start + Double(index) * step + length }
}
