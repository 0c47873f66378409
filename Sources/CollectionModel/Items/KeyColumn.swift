// SPDX-License-Identifier: Apache-2.0

/// The key of each item in a chunk.
@frozen
public enum KeyColumn: Hashable, Sendable {
  case absent
  case packed(PackedKeys)

  /// - Precondition: `index` is within the chunk.
  public func value(at index: Int) -> String? {
    switch self {
    case .absent: nil
    case .packed(let keys): keys[index]
    }
  }

  public var isAbsent: Bool { if case .absent = self { true } else { false } }

  init(_ keys: [String], in range: Range<Int>) {
    self = keys.isEmpty || range.isEmpty ? .absent : .packed(PackedKeys(keys[range]))
  }

  var byteCount: Int {
    switch self {
    case .absent: 0
    case .packed(let keys): 64 + keys.bytes.count + keys.ends.count * 4
    }
  }
}

/// Keys as UTF-8, end to end.
public struct PackedKeys: Hashable, Sendable {
  /// The UTF-8 of all keys.
  public private(set) var bytes: [UInt8]
  /// Where each key ends in `bytes`.
  public private(set) var ends: [UInt32]

  init(bytes: [UInt8] = [], ends: [UInt32] = []) {
    self.bytes = bytes
    self.ends = ends
  }

  /// - Precondition: less than 4 GiB together.
  init(_ keys: ArraySlice<String>) {
    self.init()
    ends.reserveCapacity(keys.count)
    for key in keys {
      bytes.append(contentsOf: key.utf8)
      ends.append(UInt32(truncatingIfNeeded: bytes.count))
    }
  }

  public var count: Int { ends.count }

  /// Where a key lies in `bytes`.
  public func byteRange(at index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(ends[index - 1])) ..< Int(ends[index])
  }

  /// - Precondition: `index` is within 0 ..< count.
  public subscript(index: Int) -> String {
    String(decoding: bytes[byteRange(at: index)], as: UTF8.self)
  }

  /// - Complexity: O(count), comparing only keys of the same length, from the end: keys of one
  ///   collection tend to begin alike.
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

  mutating func reserve(count: Int, bytes byteCount: Int) {
    ends.reserveCapacity(count)
    bytes.reserveCapacity(byteCount)
  }
}

extension ArraySlice<UInt8> {
  /// Whether two slices of the same length are equal.
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
