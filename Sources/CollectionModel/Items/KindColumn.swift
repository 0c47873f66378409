// SPDX-License-Identifier: Apache-2.0

/// The cell kind of each item in a chunk: indices into `CollectionContents.cellKindNames`.
@frozen
public enum KindColumn: Hashable, Sendable {
  /// All items have this kind.
  case constant(Int)
  /// One kind for each item, all of them at most 255.
  case bytes([UInt8])
  /// One kind for each item, some of them above 255.
  case integers([UInt32])

  /// The cell kind of an item.
  ///
  /// - Precondition: if kinds vary, `index` is within the chunk.
  @inlinable
  public func value(at index: Int) -> Int {
    switch self {
    case .constant(let kind): kind
    case .bytes(let kinds): Int(kinds[index])
    case .integers(let kinds): Int(kinds[index])
    }
  }

  /// The kind that all items have, if they have the same.
  ///
  /// - Complexity: O(1): a varying column has at least two different kinds.
  @inlinable public var uniform: UniformKind {
    if case .constant(let kind) = self { .constant(kind) } else { .varying }
  }

  /// The highest kind in use.
  ///
  /// - Complexity: O(count)
  var highest: Int {
    switch self {
    case .constant(let kind): kind
    case .bytes(let kinds): Int(kinds.max() ?? 0)
    case .integers(let kinds): Int(kinds.max() ?? 0)
    }
  }

  /// The kinds of some items of a block.
  ///
  /// - Parameter kinds: empty = 0 for all items; else one for all items or one for each.
  init(_ kinds: [Int], in range: Range<Int>) {
    if kinds.count <= 1 || range.isEmpty {
      self = .constant(kinds.first ?? 0)
    } else {
      self.init(kinds[range])
    }
  }

  /// The narrowest column that can express some kinds.
  ///
  /// - Precondition: `kinds` is not empty, and all are within 0 ..< 2³².
  init(_ kinds: ArraySlice<Int>) {
    let first = kinds[kinds.startIndex]
    if kinds.allSatisfy({ $0 == first }) {
      self = .constant(first)
    } else if kinds.allSatisfy({ $0 <= 255 }) {
      self = .bytes(kinds.map { UInt8(truncatingIfNeeded: $0) })
    } else {
      self = .integers(kinds.map { UInt32(truncatingIfNeeded: $0) })
    }
  }

  /// The column with every kind replaced.
  func remapped(_ newKind: (Int) -> Int, count: Int) -> KindColumn {
    if case .constant(let kind) = self { return .constant(newKind(kind)) }
    return KindColumn((0 ..< count).map { newKind(value(at: $0)) }[...])
  }

  /// Roughly the memory that the column uses, in bytes.
  var byteCount: Int {
    switch self {
    case .constant: 0
    case .bytes(let kinds): 32 + kinds.count
    case .integers(let kinds): 32 + kinds.count * 4
    }
  }
}

/// The cell kinds of a run of items.
@frozen
public enum UniformKind: Hashable, Sendable {
  /// There are no items.
  case empty
  /// All items have this kind.
  case constant(Int)
  /// Items have different kinds.
  case varying

  /// The kinds of a run of items followed by another.
  @inlinable
  public static func + (a: UniformKind, b: UniformKind) -> UniformKind {
    switch (a, b) {
    case (.empty, let other), (let other, .empty): other
    case (.constant(let x), .constant(let y)) where x == y: a
    default: .varying
    }
  }
}
