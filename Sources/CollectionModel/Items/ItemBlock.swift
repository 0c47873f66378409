// SPDX-License-Identifier: Apache-2.0

/// A run of items as it arrives from outside, column by column.
///
/// A column is empty (the data gives no value, and the layout decides), or has one value for all
/// items or one value for each item. Nothing is checked before the block is added to contents.
public struct ItemBlock: Hashable, Sendable {
  /// The number of items; not negative.
  public var count: Int
  /// Widths, in points; finite and not negative.
  public var widths: [Double]
  /// Heights, in points; finite and not negative.
  public var heights: [Double]
  /// Horizontal positions, in the unit that the layout's projection expects; finite.
  public var xs: [Double]
  /// Vertical positions, in the unit that the layout's projection expects; finite.
  public var ys: [Double]
  /// Indices into the collection's cell kind names; empty = 0 for all items.
  public var cellKinds: [Int]
  /// Keys that are unique in the collection: empty, or one for each item, none of them "".
  public var keys: [String]
  /// The places in the section's outline; empty in other sections.
  public var outline: OutlineColumns
  /// Texts for renderers, to which layouts give no meaning; empty = none.
  public var data: [String]

  /// A block with the given columns, which are not checked.
  public init(
    count: Int,
    widths: [Double] = [],
    heights: [Double] = [],
    xs: [Double] = [],
    ys: [Double] = [],
    cellKinds: [Int] = [],
    keys: [String] = [],
    outline: OutlineColumns = OutlineColumns(),
    data: [String] = []
  ) {
    self.count = count
    self.widths = widths
    self.heights = heights
    self.xs = xs
    self.ys = ys
    self.cellKinds = cellKinds
    self.keys = keys
    self.outline = outline
    self.data = data
  }

  /// Some items of a chunk.
  ///
  /// - Complexity: O(range.count)
  /// - Precondition: `range` is within 0 ..< the chunk's count.
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
    let data: [String] =
      switch chunk.data {
      case .constant(""): []
      case .constant(let text): [text]
      case .packed(let texts): range.map { texts[$0] }
      }
    self.init(
      count: range.count,
      widths: values(chunk.widths),
      heights: values(chunk.heights),
      xs: values(chunk.xs),
      ys: values(chunk.ys),
      cellKinds: kinds,
      keys: keys,
      outline: OutlineColumns(chunk.outline, in: range),
      data: data
    )
  }
}
