// SPDX-License-Identifier: Apache-2.0

/// Some placed elements, column by column. A column is empty, or has one value for all elements, or
/// one for each.
public struct PlacedColumns: Hashable, Sendable {
  /// How many elements there are.
  public var count = 0
  /// Raw values of `ElementCategory`. Empty = all are cells.
  public var categories: [Int] = []
  /// For elements other than cells, indices into the names of their kinds. Empty = all 0.
  public var kinds: [UInt32] = []
  /// Empty = all 0.
  public var sections: [UInt32] = []
  /// −1 = the element belongs to the section. Empty = all −1.
  public var items: [Int32] = []
  /// Left edges. Empty = all 0, as in the following.
  public var xs: [Double] = []
  /// Top edges.
  public var ys: [Double] = []
  /// In points.
  public var widths: [Double] = []
  /// In points.
  public var heights: [Double] = []
  /// Empty = all 0.
  public var zIndices: [Int32] = []
  /// 0 to 1. Empty = all 1.
  public var alphas: [Double] = []

  /// No elements.
  public init() {}
}

extension PlacedColumns {
  /// - Throws: what is wrong with the first column at fault.
  func checkLengths() throws(PlacementFault) {
    let lengths = [
      ("categories", categories.count), ("kinds", kinds.count), ("sections", sections.count),
      ("items", items.count), ("xs", xs.count), ("ys", ys.count), ("widths", widths.count),
      ("heights", heights.count), ("z_indices", zIndices.count), ("alphas", alphas.count),
    ]
    for (name, length) in lengths where length > 1 && length != count {
      throw PlacementFault(
        "the column \(name) has \(length) values; 0, 1 or \(count) are allowed"
      )
    }
  }
}

extension Array {
  /// The value for an element; `other` where the column is empty.
  func value(at index: Int, orElse other: Element) -> Element {
    count > 1 ? self[index] : first ?? other
  }
}
