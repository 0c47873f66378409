// SPDX-License-Identifier: Apache-2.0

/// Texts as UTF-8, one after the other without separators: keys, or the data of items.
public struct PackedStrings: Hashable, Sendable {
  /// The UTF-8 of all texts.
  public private(set) var bytes: [UInt8]
  /// For each text the offset in `bytes` at which it ends. 32 bits are enough: all texts come in
  /// one message or were joined from a few chunks.
  public private(set) var ends: [UInt32]

  init(bytes: [UInt8] = [], ends: [UInt32] = []) {
    self.bytes = bytes
    self.ends = ends
  }

  /// - Precondition: the texts have less than 4 GiB together, as those of one message always have.
  init(_ texts: ArraySlice<String>) {
    self.init()
    ends.reserveCapacity(texts.count)
    for text in texts { append(text.utf8) }
  }

  /// The number of texts.
  public var count: Int { ends.count }

  /// The range of a text in `bytes`.
  ///
  /// - Precondition: `index` is within 0 ..< count.
  public func byteRange(at index: Int) -> Range<Int> {
    (index == 0 ? 0 : Int(ends[index - 1])) ..< Int(ends[index])
  }

  /// A text as a string.
  ///
  /// - Complexity: O(length of the text)
  /// - Precondition: `index` is within 0 ..< count.
  public subscript(index: Int) -> String {
    String(decoding: bytes[byteRange(at: index)], as: UTF8.self)
  }

  /// The index of a text; nil = it is not among these.
  ///
  /// Only texts of the same length are compared, backwards: keys of one collection tend to have
  /// common beginnings.
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

  /// Roughly the memory in use, in bytes.
  var byteCount: Int { 64 + bytes.count + ends.count * 4 }

  /// Whether two texts are the same, byte for byte.
  ///
  /// - Precondition: both indices are within the chunks.
  func hasSameText(at index: Int, as other: PackedStrings, at otherIndex: Int) -> Bool {
    let mine = byteRange(at: index)
    let theirs = other.byteRange(at: otherIndex)
    guard mine.count == theirs.count else { return false }
    for i in 0 ..< mine.count
    where bytes[mine.lowerBound + i] != other.bytes[theirs.lowerBound + i] {
      return false
    }
    return true
  }

  /// Appends a text.
  ///
  /// - Precondition: less than 4 GiB together.
  mutating func append(_ text: String.UTF8View) {
    bytes.append(contentsOf: text)
    ends.append(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// Appends some texts of another chunk.
  ///
  /// - Precondition: less than 4 GiB together, and `range` is within 0 ..< the other's count.
  mutating func append(_ other: PackedStrings, in range: Range<Int>) {
    guard !range.isEmpty else { return }
    let from = other.byteRange(at: range.lowerBound).lowerBound
    let to = Int(other.ends[range.upperBound - 1])
    let shift = bytes.count - from
    bytes.append(contentsOf: other.bytes[from ..< to])
    ends.append(
      contentsOf: other.ends[range].lazy.map { UInt32(truncatingIfNeeded: Int($0) + shift) }
    )
  }

  /// Reserves room for texts that are about to be appended.
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
