// SPDX-License-Identifier: Apache-2.0

/// The sum of one length over a run of items, if all of them have it.
public struct LengthSum: Hashable, TreeSummary {
  /// The sum, in points; meaningless if `isKnown` is false.
  public var total: Double
  /// Whether each item has the length, and the sum was computed.
  public var isKnown: Bool
  /// Whether all lengths are whole points: they then lie on every pixel grid with a whole number of
  /// pixels per point, and their sum is exact.
  public var isWhole: Bool

  /// The sum over no items.
  public static let zero = LengthSum(total: 0, isKnown: true, isWhole: true)
  /// A sum that was not computed.
  static let unknown = LengthSum(total: 0, isKnown: false, isWhole: false)

  /// The sum over a run of items followed by another.
  public static func + (a: LengthSum, b: LengthSum) -> LengthSum {
    LengthSum(
      total: a.total + b.total,
      isKnown: a.isKnown && b.isKnown,
      isWhole: a.isWhole && b.isWhole
    )
  }

  init(total: Double, isKnown: Bool, isWhole: Bool) {
    self.total = total
    self.isKnown = isKnown
    self.isWhole = isWhole
  }

  /// The sum of a column.
  ///
  /// - Parameter count: the number of items; if the values differ, also the number of values.
  /// - Complexity: O(count), O(1) if the values are equal
  init(_ column: LengthColumn, count: Int) {
    switch column {
    case .absent: self = count == 0 ? .zero : .unknown
    case .constant(let value):
      self.init(
        total: value * Double(count),
        isKnown: true,
        isWhole: value.isWholeBelowLimit
      )
    case .floats(let values): self.init(values.span)
    case .doubles(let values): self.init(values.span)
    }
  }

  private init(_ values: Span<some StoredLength>) {
    // Four sums in parallel, because each addition waits for the one before it.
    var sums = SIMD4<Double>.zero
    var whole = SIMD4<Double>.zero
    var start = 0
    while start + 4 <= values.count {
      let part = SIMD4(
        values[start].points,
        values[start + 1].points,
        values[start + 2].points,
        values[start + 3].points
      )
      sums += part
      // 0 for each value that is whole, greater otherwise.
      let rest = part - ((part + Double.wholeLimit) - Double.wholeLimit)
      whole += rest * rest
      start += 4
    }
    var total = sums.sum()
    var isWhole = whole == .zero
    for index in start ..< values.count {
      let value = values[index].points
      total += value
      isWhole = isWhole && value.isWholeBelowLimit
    }
    self.init(total: total, isKnown: true, isWhole: isWhole)
  }
}

/// A length as a column stores it. Conversions that are generic over all floating-point types are
/// slow.
private protocol StoredLength {
  /// The length as a double.
  var points: Double { get }
}

extension Float: StoredLength {
  fileprivate var points: Double { Double(self) }
}

extension Double: StoredLength {
  fileprivate var points: Double { self }
}

extension Double {
  /// Above this number doubles have no fractions.
  fileprivate static let wholeLimit = 0x1p52

  /// Whether it is whole; false for some numbers that are greater than any length.
  fileprivate var isWholeBelowLimit: Bool {
    (self + Self.wholeLimit) - Self.wholeLimit == self
  }
}

extension LengthColumn {
  /// The sum of the first values, added up in order.
  ///
  /// - Parameter count: how many; at most as many as there are, and the column is not absent.
  /// - Complexity: O(count), O(1) if the values are equal
  public func sum(ofFirst count: Int) -> Double {
    switch self {
    case .absent: 0
    case .constant(let value): value * Double(count)
    case .floats(let values): values[..<count].reduce(0) { $0 + Double($1) }
    case .doubles(let values): values[..<count].reduce(0, +)
    }
  }
}
