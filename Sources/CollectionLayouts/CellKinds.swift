// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Looks up the reuse kinds of cells.
struct CellKinds: Sendable {
  private let contents: CollectionContents
  /// The kind of all cells; nil = they differ.
  private let uniform: UInt16?

  /// Finds out whether all cells have one kind.
  ///
  /// - Complexity: O(sections) if there are several kinds, else O(1).
  init(_ contents: CollectionContents) {
    self.contents = contents
    guard contents.cellKindNames.count > 1 else {
      uniform = 0
      return
    }
    var kinds = UniformKind.empty
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      kinds = kinds + section.items.summary.cellKind
      return kinds != .varying
    }
    uniform =
      switch kinds {
      case .empty: 0
      case .constant(let kind): UInt16(clamping: kind)
      case .varying: nil
      }
  }

  /// The kind of a cell, as an index into the contents' kind names.
  ///
  /// - Precondition: there is such an item.
  /// - Complexity: O(1) if all cells have one kind, else O(log n).
  func kind(at path: IndexPath) -> UInt16 {
    if let uniform { return uniform }
    let item = path.item ?? 0
    let (chunk, start) = contents.section(at: path.section).items.chunk(containing: item)
    return UInt16(clamping: chunk.cellKinds.value(at: item - start))
  }

  /// The name of the kind of a cell.
  ///
  /// - Precondition: there is such an item.
  /// - Complexity: as `kind(at:)`
  func name(at path: IndexPath) -> String { contents.cellKindNames[Int(kind(at: path))] }

  /// Whether `key` names a cell that exists. A key without a kind needs only the right index path,
  /// which is enough to tell cells apart.
  func contains(_ key: ElementKey) -> Bool {
    guard key.category == .cell, key.indexPath.item != nil, contents.contains(key.indexPath)
    else { return false }
    return key.kind.isEmpty || key.kind == name(at: key.indexPath)
  }
}
