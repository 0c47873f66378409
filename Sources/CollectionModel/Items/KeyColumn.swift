// SPDX-License-Identifier: Apache-2.0

/// The key of each item in a chunk.
@frozen
public enum KeyColumn: Hashable, Sendable {
  /// No item has a key.
  case absent
  /// Every item has a key.
  case packed(PackedStrings)

  /// The key of an item; nil = it has none.
  ///
  /// - Precondition: if there are keys, `index` is within the chunk.
  public func value(at index: Int) -> String? {
    switch self {
    case .absent: nil
    case .packed(let keys): keys[index]
    }
  }

  /// Whether no item has a key.
  public var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// The keys of some items of a block.
  ///
  /// - Parameter keys: empty, or one for each item of the block.
  init(_ keys: [String], in range: Range<Int>) {
    self = keys.isEmpty || range.isEmpty ? .absent : .packed(PackedStrings(keys[range]))
  }

  /// Roughly the memory that the keys use, in bytes.
  var byteCount: Int {
    switch self {
    case .absent: 0
    case .packed(let keys): keys.byteCount
    }
  }
}
