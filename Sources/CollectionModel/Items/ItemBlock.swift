// SPDX-License-Identifier: Apache-2.0

/// A run of items as it comes from outside, column by column. A column is empty (nothing given: the
/// layout decides), or holds one value for all items, or one for each.
public struct ItemBlock: Hashable, Sendable {
  public var count: Int
  public var widths: [Double]
  public var heights: [Double]
  public var xs: [Double]
  public var ys: [Double]
  /// Indices into the cell kind names.
  public var cellKinds: [Int]
  /// Empty, or one for each item.
  public var keys: [String]

  public init(
    count: Int,
    widths: [Double] = [],
    heights: [Double] = [],
    xs: [Double] = [],
    ys: [Double] = [],
    cellKinds: [Int] = [],
    keys: [String] = []
  ) {
    self.count = count
    self.widths = widths
    self.heights = heights
    self.xs = xs
    self.ys = ys
    self.cellKinds = cellKinds
    self.keys = keys
  }

  /// Items of a chunk, as they were given.
  ///
  /// - Complexity: O(range.count)
  public init(_ chunk: ItemChunk, in range: Range<Int>) {
    func values(_ column: LengthColumn) -> [Double] {
      switch column {
      case .absent: []
      case .constant(let value): [value]
      case .floats(let values): values[range].map(Double.init)
      case .doubles(let values): Array(values[range])
      }
    }
    let kinds: [Int] =
      switch chunk.cellKinds {
      case .constant(0): []
      case .constant(let kind): [kind]
      case .bytes(let kinds): kinds[range].map(Int.init)
      case .integers(let kinds): kinds[range].map(Int.init)
      }
    let keys: [String] =
      switch chunk.keys {
      case .absent: []
      case .packed(let keys): range.map { keys[$0] }
      }
    self.init(
      count: range.count,
      widths: values(chunk.widths),
      heights: values(chunk.heights),
      xs: values(chunk.xs),
      ys: values(chunk.ys),
      cellKinds: kinds,
      keys: keys
    )
  }
}
