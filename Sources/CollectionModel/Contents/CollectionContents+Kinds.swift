// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// The cell kind of an item; "" if there is no such item.
  package func cellKind(at path: IndexPath) -> String {
    item(at: path).map { cellKind(of: $0) } ?? ""
  }

  /// The cell kind of one of the items.
  package func cellKind(of item: ItemValues) -> String {
    cellKindNames.indices.contains(item.cellKind) ? cellKindNames[item.cellKind] : ""
  }

  /// The same contents with cell kinds numbered as in older contents: names that the older contents
  /// have get the index that they have there, and others are added at the end.
  ///
  /// - Parameter older: the kind names of the older contents, in order.
  /// - Complexity: O(kinds) where all numbers stay the same, else O(items)
  func numberingKinds(after older: [String]) -> CollectionContents {
    var kinds = KindNumbering(older)
    let mapping = cellKindNames.enumerated().map { kinds.number(of: $1, expected: $0) }
    var result = self
    // Versions with the same kinds share the list.
    result.cellKindNames = older
    if !kinds.new.isEmpty { result.cellKindNames += kinds.new }
    result.sectionsChanged()
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

extension CollectionContents {
  /// The same contents with more cell kinds after their own. Names that they have already are
  /// ignored.
  ///
  /// - Complexity: O(kinds)
  /// - Throws: FIELD_INVALID if there would be too many.
  func addingKinds(
    _ names: [String],
    limits: ContentsLimits
  ) throws(Refusal) -> CollectionContents {
    var kinds = KindNumbering(cellKindNames)
    for name in names { _ = kinds.number(of: name) }
    guard !kinds.new.isEmpty else { return self }
    var result = self
    result.cellKindNames += kinds.new
    guard result.cellKindNames.count <= limits.cellKinds else {
      throw Refusal(
        .fieldInvalid,
        field: "new_cell_kind_names",
        "\(result.cellKindNames.count) names together with those of earlier versions; at most "
          + "\(limits.cellKinds)"
      )
    }
    result.sectionsChanged()
    return result
  }
}

extension ItemChunk {
  /// The chunk with each kind replaced by `mapping[kind]`.
  ///
  /// - Precondition: `mapping` has an entry for every kind of the chunk. `SnapshotUpdate.check` has
  ///   checked the kinds of a snapshot against its names.
  fileprivate func renumbered(_ mapping: [Int]) -> ItemChunk {
    ItemChunk(
      count: count,
      widths: widths,
      heights: heights,
      xs: xs,
      ys: ys,
      cellKinds: cellKinds.remapped({ mapping[$0] }, count: count),
      keys: keys,
      outline: outline,
      data: data
    )
  }
}
