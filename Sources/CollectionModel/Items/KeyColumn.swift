// SPDX-License-Identifier: Apache-2.0

/// The key of each item in a chunk.
@frozen
public enum KeyColumn: Hashable, Sendable {
  /// No item has a key.
  case absent
  /// Every item has a key.
  case packed(PackedKeys)

  /// The key of an item; nil = it has none.
  ///
  /// - Precondition: where there are keys, `index` is within the chunk.
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
    self = keys.isEmpty || range.isEmpty ? .absent : .packed(PackedKeys(keys[range]))
  }

  /// Roughly the memory that the keys use, in bytes.
  var byteCount: Int {
    switch self {
    case .absent: 0
    case .packed(let keys): 64 + keys.bytes.count + keys.ends.count * 4
    }
  }
}

/// Keys as UTF-8, one after the other without separators.
public struct PackedKeys: Hashable, Sendable {
  /// The UTF-8 of all keys.
  public private(set) var bytes: [UInt8]
  /// For each key the offset in `bytes` at which it ends. 32 bits are enough: all keys come in one
  /// message or were joined from a few chunks.
  public private(set) var ends: [UInt32]

  init(bytes: [UInt8] = [], ends: [UInt32] = []) {
    self.bytes = bytes
    self.ends = ends
  }

  /// - Precondition: the keys have less than 4 GiB together, as those of one message always have.
  init(_ keys: ArraySlice<String>) {
    self.init()
    ends.reserveCapacity(keys.count)
    for key in keys {
      bytes.append(contentsOf: key.utf8)
      ends.append(UInt32(truncatingIfNeeded: bytes.count))
    }
  }

  /// The number of keys.
  public var count: Int { ends.count }

  /// The range of a key in `bytes`.
  ///
  /// - Precondition: `index` is within 0 ..< count.
  public func byteRange(at index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(ends[index - 1])) ..< Int(ends[index])
  }

  /// A key as a string.
  ///
  /// - Complexity: O(length of the key)
  /// - Precondition: `index` is within 0 ..< count.
  public subscript(index: Int) -> String {
    String(decoding: bytes[byteRange(at: index)], as: UTF8.self)
  }

  /// The index of a key; nil = it is not among these.
  ///
  /// Only keys of the same length are compared, from their end on: keys of one collection tend to begin
  /// alike.
  ///
  /// - Parameter key: as UTF-8.
  /// - Complexity: O(count)
  func firstIndex(of key: ArraySlice<UInt8>) -> Int? {
    let length = key.count
    var start = 0
    for i in ends.indices {
      let end = Int(ends[i])
      if end - start == length && bytes[start ..< end].equalsBackwards(key) { return i }
      start = end
    }
    return nil
  }

  /// Appends some keys of another chunk.
  ///
  /// - Precondition: less than 4 GiB together, and `range` is within 0 ..< the other's count.
  mutating func append(_ other: PackedKeys, in range: Range<Int>) {
    guard !range.isEmpty else { return }
    let from = other.byteRange(at: range.lowerBound).lowerBound
    let to = Int(other.ends[range.upperBound - 1])
    let shift = bytes.count - from
    bytes.append(contentsOf: other.bytes[from ..< to])
    ends.append(
      contentsOf: other.ends[range].lazy.map { UInt32(truncatingIfNeeded: Int($0) + shift) }
    )
  }

  /// Reserves room for keys that are about to be appended.
  mutating func reserve(count: Int, bytes byteCount: Int) {
    ends.reserveCapacity(count)
    bytes.reserveCapacity(byteCount)
  }
}

extension ArraySlice<UInt8> {
  /// Whether two slices of the same length are equal, compared from the end.
  fileprivate func equalsBackwards(_ other: ArraySlice<UInt8>) -> Bool {
    var i = endIndex
    var j = other.endIndex
    while i > startIndex {
      i -= 1
      j -= 1
      if self[i] != other[j] { return false }
    }
    return true
  }
}
