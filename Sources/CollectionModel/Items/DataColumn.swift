// SPDX-License-Identifier: Apache-2.0

/// The data that each item of a chunk carries for renderers: texts to which layouts give no
/// meaning.
@frozen
public enum DataColumn: Hashable, Sendable {
  /// All items have this text; "" = none.
  case constant(String)
  /// One text for each item, at least two of them different.
  case packed(PackedStrings)

  /// The data of an item; "" = none.
  ///
  /// - Precondition: if data vary, `index` is within the chunk.
  public func value(at index: Int) -> String {
    switch self {
    case .constant(let text): text
    case .packed(let texts): texts[index]
    }
  }

  /// Compares byte for byte: strings are equal where their characters look the same.
  public static func == (a: DataColumn, b: DataColumn) -> Bool {
    switch (a, b) {
    case (.constant(let a), .constant(let b)): a.utf8.elementsEqual(b.utf8)
    case (.packed(let a), .packed(let b)): a == b
    default: false
    }
  }

  /// The data of some items of a block.
  ///
  /// - Parameter texts: empty = none; else one for all items or one for each.
  init(_ texts: [String], in range: Range<Int>) {
    guard texts.count > 1, let first = texts[range].first else {
      self = .constant(texts.first ?? "")
      return
    }
    let texts = texts[range]
    let isUniform = texts.allSatisfy { $0.utf8.elementsEqual(first.utf8) }
    self = isUniform ? .constant(first) : .packed(PackedStrings(texts))
  }

  /// The data of the joined slices.
  ///
  /// - Parameter count: the number of items in all slices; of the order of
  ///   `ChunkAssembly.highestCount`, so that their data take far less than 4 GiB.
  init(joining slices: [ChunkSlice], count: Int) {
    guard let first = slices.first else {
      self = .constant("")
      return
    }
    if case .constant = first.chunk.data, slices.allSatisfy({ $0.chunk.data == first.chunk.data }) {
      self = first.chunk.data
      return
    }
    var all = PackedStrings()
    all.reserve(count: count, bytes: count * 16)
    for slice in slices {
      switch slice.chunk.data {
      case .constant(let text): for _ in slice.range { all.append(text.utf8) }
      case .packed(let texts): all.append(texts, in: slice.range)
      }
    }
    self = all.uniform.map { .constant($0) } ?? .packed(all)
  }

  /// Whether an item has the same data as one of another chunk.
  ///
  /// - Precondition: if data vary, the indices are within their chunks.
  func hasSameValue(at index: Int, as other: DataColumn, at otherIndex: Int) -> Bool {
    if case .packed(let a) = self, case .packed(let b) = other {
      return a.hasSameText(at: index, as: b, at: otherIndex)
    }
    return value(at: index).utf8.elementsEqual(other.value(at: otherIndex).utf8)
  }

  /// Roughly the memory that the column uses, in bytes.
  var byteCount: Int {
    switch self {
    // Short texts lie in the column itself.
    case .constant(let text): text.utf8.count > 15 ? 32 + text.utf8.count : 0
    case .packed(let texts): texts.byteCount
    }
  }
}

extension PackedStrings {
  /// The text that all slices share; nil = there are several, or none at all.
  fileprivate var uniform: String? {
    guard count > 0 else { return nil }
    return (1 ..< count).allSatisfy { hasSameText(at: $0, as: self, at: 0) } ? self[0] : nil
  }
}
