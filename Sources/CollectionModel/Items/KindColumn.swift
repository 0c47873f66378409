// SPDX-License-Identifier: Apache-2.0

/// The cell kind of each item in a chunk: indices into `CollectionContents.cellKindNames`.
@frozen
public enum KindColumn: Hashable, Sendable {
  case constant(Int)
  case bytes([UInt8])
  case integers([UInt32])

  /// - Precondition: where kinds vary, `index` is within the chunk.
  @inlinable
  public func value(at index: Int) -> Int {
    switch self {
    case .constant(let kind): kind
    case .bytes(let kinds): Int(kinds[index])
    case .integers(let kinds): Int(kinds[index])
    }
  }

  @inlinable public var uniform: UniformKind {
    if case .constant(let kind) = self { .constant(kind) } else { .varying }
  }

  var highest: Int {
    switch self {
    case .constant(let kind): kind
    case .bytes(let kinds): Int(kinds.max() ?? 0)
    case .integers(let kinds): Int(kinds.max() ?? 0)
    }
  }

  /// The kinds of a block: none = all 0, one for all, or one for each.
  init(_ kinds: [Int], in range: Range<Int>) {
    if kinds.count <= 1 || range.isEmpty {
      self = .constant(kinds.first ?? 0)
    } else {
      self.init(kinds[range])
    }
  }

  /// - Precondition: not empty, all within 0 ..< 2³².
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
  case constant(Int)
  case varying

  @inlinable
  public static func + (a: UniformKind, b: UniformKind) -> UniformKind {
    switch (a, b) {
    case (.empty, let other), (let other, .empty): other
    case (.constant(let x), .constant(let y)) where x == y: a
    default: .varying
    }
  }
}
