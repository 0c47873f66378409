// SPDX-License-Identifier: Apache-2.0

/// One length or coordinate of each item in a chunk, in points (positions: in whatever unit the
/// layout's projection asks for). Never NaN.
///
/// Varying values are 32-bit floats where all of them are exact as such, else doubles.
@frozen
public enum LengthColumn: Hashable, Sendable {
  /// The data says nothing: the layout decides.
  case absent
  case constant(Double)
  case floats([Float])
  case doubles([Double])

  /// - Precondition: where values vary, `index` is within the chunk.
  @inlinable
  public func value(at index: Int) -> Double? {
    switch self {
    case .absent: nil
    case .constant(let value): value
    case .floats(let values): Double(values[index])
    case .doubles(let values): values[index]
    }
  }

  /// - Complexity: O(1): a varying column is never made of equal values.
  @inlinable public var uniform: UniformColumn {
    switch self {
    case .absent: .absent
    case .constant(let value): .constant(value)
    case .floats, .doubles: .varying
    }
  }

  @inlinable public var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// The values of a block's column: none, one for all, or one for each.
  ///
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

  /// The narrowest column that holds some values.
  ///
  /// - Precondition: not empty.
  init(_ values: ArraySlice<Double>) {
    let first = values[values.startIndex]
    if values.allSatisfy({ $0 == first }) {
      self = .constant(first)
      return
    }
    var floats = [Float](repeating: 0, count: values.count)
    var isExact = true
    var i = 0
    for value in values {
      let float = Float(value)
      isExact = isExact && Double(float) == value
      floats[i] = float
      i += 1
    }
    self = isExact ? .floats(floats) : .doubles(Array(values))
  }

  /// Roughly what it keeps in memory, in bytes.
  var byteCount: Int {
    switch self {
    case .absent, .constant: 0
    case .floats(let values): 32 + values.count * 4
    case .doubles(let values): 32 + values.count * 8
    }
  }
}

/// What a run of items has in a column.
@frozen
public enum UniformColumn: Hashable, Sendable {
  /// There are no items.
  case empty
  /// No item has a value.
  case absent
  /// All items have this value.
  case constant(Double)
  case varying

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
