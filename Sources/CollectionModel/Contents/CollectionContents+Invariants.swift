// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// Describes the first fault in the inner structure; nil = there is none. For tests.
  ///
  /// - Complexity: O(n)
  public func brokenInvariant() -> String? {
    if let broken = sections.brokenInvariant() { return "sections: \(broken)" }
    var serials: Set<UInt32> = []
    var last: UInt64 = 0
    for (i, entry) in sections.enumerated() {
      if !serials.insert(entry.serial).inserted || entry.serial >= nextSerial {
        return "serial \(entry.serial) of section \(i)"
      }
      if entry.label <= last { return "label of section \(i)" }
      last = entry.label
      let items = entry.contents.items
      if items.count != entry.summary.itemCount { return "count of section \(i)" }
      if let broken = items.brokenInvariant() { return "section \(i): \(broken)" }
      if items.summary.highestCellKind >= cellKindNames.count { return "kinds of section \(i)" }
    }
    return nil
  }
}

extension ItemSequence {
  /// Describes the first fault in the inner structure; nil = there is none. For tests.
  ///
  /// - Complexity: O(n)
  public func brokenInvariant() -> String? {
    if let broken = chunks.brokenInvariant() { return "chunks: \(broken)" }
    var last: UInt64 = 0
    for (i, entry) in chunks.enumerated() {
      if entry.label <= last { return "label of chunk \(i)" }
      last = entry.label
      if let broken = entry.chunk.brokenInvariant() { return "chunk \(i): \(broken)" }
    }
    return nil
  }
}

extension ItemChunk {
  /// Describes the first fault in the chunk; nil = there is none.
  fileprivate func brokenInvariant() -> String? {
    if count <= 0 { return "empty" }
    if count > ChunkAssembly.highestCount && !isUniform { return "\(count) varying items" }
    for column in [widths, heights, xs, ys] {
      switch column {
      case .absent, .constant: break
      case .floats(let values):
        if values.count != count { return "\(values.count) of \(count) values" }
        if values.allSatisfy({ $0 == values[0] }) { return "equal values that are not constant" }
      case .doubles(let values):
        if values.count != count { return "\(values.count) of \(count) values" }
        if values.allSatisfy({ Double(Float($0)) == $0 }) { return "doubles that could be floats" }
      }
    }
    if case .packed(let bytes) = outline, bytes.count != count { return "\(bytes.count) levels" }
    if case .packed(let keys) = keys, keys.count != count { return "\(keys.count) keys" }
    return nil
  }
}
