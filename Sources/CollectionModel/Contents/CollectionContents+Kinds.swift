// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// The same contents with its cell kinds numbered as in older ones: names that are there keep
  /// their index, others are added at the end.
  ///
  /// - Complexity: O(1) where numbers stay, else O(items)
  func numberingKinds(after older: [String]) -> CollectionContents {
    var names = older
    var indices: [String: Int] = [:]
    for (i, name) in older.enumerated() where indices[name] == nil { indices[name] = i }
    let mapping = cellKindNames.map { name in
      if let index = indices[name] { return index }
      indices[name] = names.count
      names.append(name)
      return names.count - 1
    }
    var result = self
    result.cellKindNames = names
    if mapping.enumerated().allSatisfy({ $0 == $1 }) { return result }
    result.sections = SummaryTree(
      sections.map { entry in
        var contents = entry.contents
        contents.items.chunks = SummaryTree(
          contents.items.chunks.map { ChunkEntry($0.chunk.renumbered(mapping), label: $0.label) }
        )
        return entry.replacing(contents)
      }
    )
    return result
  }
}

extension ItemChunk {
  fileprivate func renumbered(_ mapping: [Int]) -> ItemChunk {
    ItemChunk(
      count: count,
      widths: widths,
      heights: heights,
      xs: xs,
      ys: ys,
      cellKinds: cellKinds.remapped({ mapping[$0] }, count: count),
      keys: keys
    )
  }
}
