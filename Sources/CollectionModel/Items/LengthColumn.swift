// SPDX-License-Identifier: Apache-2.0

/// One length or coordinate of each item in a chunk. Lengths are in points, coordinates in the unit
/// that the layout's projection expects. Values are never NaN.
///
/// Varying values are stored as 32-bit floats if none of them loses precision, otherwise as
/// doubles.
@frozen
public enum LengthColumn: Hashable, Sendable {
  /// No item has a value: the layout decides.
  case absent
  /// All items have this value.
  case constant(Double)
  /// One value for each item, not all of them equal, all of them exact in 32 bits.
  case floats([Float])
  /// One value for each item, not all of them equal, not all of them exact in 32 bits.
  case doubles([Double])

  /// The value of an item; nil = it has none.
  ///
  /// - Precondition: if values vary, `index` is within the chunk.
  @inlinable
  public func value(at index: Int) -> Double? {
    switch self {
    case .absent: nil
    case .constant(let value): value
    case .floats(let values): Double(values[index])
    case .doubles(let values): values[index]
    }
  }

  /// The value that all items have, if they have the same.
  ///
  /// - Complexity: O(1): a varying column has at least two different values.
  @inlinable public var uniform: UniformColumn {
    switch self {
    case .absent: .absent
    case .constant(let value): .constant(value)
    case .floats, .doubles: .varying
    }
  }

  /// Whether no item has a value.
  @inlinable public var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// The values of some items of a block.
  ///
  /// - Parameter values: empty = no item has a value; else one for all items or one for each.
  /// - Complexity: O(range.count)
  init(_ values: [Double], in range: Range<Int>) {
    if values.isEmpty || range.isEmpty {
      self = .absent
    } else if values.count == 1 {
      self = .constant(values[0])
    } else {
      self.init(values[range])
    }
  }

  /// The narrowest column that can express some values exactly.
  ///
  /// - Precondition: `values` is not empty.
  init(_ values: ArraySlice<Double>) {
    self = Self.narrow(values.span) ?? .doubles(Array(values))
  }

  /// The narrowest column that can express some values exactly. A column of doubles uses the array
  /// itself.
  ///
  /// - Precondition: `values` is not empty.
  init(takingOver values: [Double]) {
    self = Self.narrow(values.span) ?? .doubles(values)
  }

  /// The narrowest column that can express some values exactly; nil = only doubles can.
  ///
  /// - Precondition: `values` is not empty.
  private static func narrow(_ values: Span<Double>) -> LengthColumn? {
    let first = values[0]
    guard values.indices.contains(where: { values[$0] != first }) else { return .constant(first) }
    // Coordinates are seldom exact in 32 bits, often not even the first.
    guard Double(Float(first)) == first else { return nil }
    var floats = [Float](repeating: 0, count: values.count)
    var isExact = true
    for index in values.indices {
      let value = values[index]
      let float = Float(value)
      isExact = isExact && Double(float) == value
      floats[index] = float
    }
    return isExact ? .floats(floats) : nil
  }

  /// Roughly the memory that the column uses, in bytes.
  var byteCount: Int {
    switch self {
    case .absent, .constant: 0
    case .floats(let values): 32 + values.count * 4
    case .doubles(let values): 32 + values.count * 8
    }
  }
}

/// The values of a run of items in one column.
@frozen
public enum UniformColumn: Hashable, Sendable {
  /// There are no items.
  case empty
  /// No item has a value.
  case absent
  /// All items have this value.
  case constant(Double)
  /// Items have different values, or only some have one.
  case varying

  /// The values of a run of items followed by another.
  @inlinable
  public static func + (a: UniformColumn, b: UniformColumn) -> UniformColumn {
    switch (a, b) {
    case (.empty, let other), (let other, .empty): other
    case (.absent, .absent): .absent
    case (.constant(let x), .constant(let y)) where x == y: a
    default: .varying
    }
  }
}
