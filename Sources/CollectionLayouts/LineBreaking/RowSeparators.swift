// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The separators of all rows of a list. The bodies of a layout's sections share it.
final class RowSeparators: Sendable {
  /// Index of the separator below a row into `elementKinds`.
  let kind: Int
  /// Index of the separator above a row into `elementKinds`; nil = there is none.
  let topKind: Int?
  /// In points, above 0.
  let thickness: Double
  /// The separators of rows for which `byCellKind` has none.
  let standard: ListSeparator
  /// The separators of rows of some cell kinds, by their names.
  let byCellKind: [ExactText: ListSeparator]
  /// How far a separator reaches before the edge of its row at which it lies, in points; not
  /// negative.
  let reachBefore: Double
  /// How far separators reach beyond the end of their row, in points.
  let reachBehind: Double

  /// Makes the separators of a list; nil if they have no thickness.
  init?(
    kind: Int,
    topKind: Int? = nil,
    thickness: Double,
    standard: ListSeparator,
    byCellKind: [ExactText: ListSeparator] = [:],
    axis: ScrollAxis
  ) {
    guard thickness > 0 else { return nil }
    self.kind = kind
    self.topKind = topKind
    self.thickness = thickness
    self.standard = standard
    self.byCellKind = byCellKind
    let all = [standard] + byCellKind.values
    let insets = all.flatMap { [$0.topInsets, $0.bottomInsets] }
    // Insets may move a strip and make it thicker.
    reachBefore = insets.reduce(0) { max($0, -axis.mainStart($1)) }
    reachBehind = insets.reduce(thickness) {
      max($0, axis.mainStart($1), thickness - axis.mainEnd($1))
    }
  }

  /// How far they reach out of a section that ends with its rows.
  var overhang: SolvedSection.Overhang {
    SolvedSection.Overhang(start: reachBefore, end: reachBehind)
  }

  /// The memory that they take, in bytes: an estimate.
  var byteCount: Int {
    128
      + byCellKind.reduce(0) {
        $0 + 48 + $1.key.text.utf8.count + MemoryLayout<ListSeparator>.stride
      }
  }
}

/// Finds the separators of rows in one query.
struct RowSeparatorReader {
  let separators: RowSeparators
  private let items: ItemSequence
  private let cellKindNames: [String]
  /// What was found, by cell kind.
  private var known: [Int: ListSeparator] = [:]
  private var chunk: ItemChunk?
  private var range = 0 ..< 0

  /// - Parameter cellKindNames: those of the contents.
  init(_ separators: RowSeparators, items: ItemSequence, cellKindNames: [String]) {
    self.separators = separators
    self.items = items
    self.cellKindNames = cellKindNames
  }

  /// The separators of a row; there must be an item for it.
  ///
  /// - Complexity: O(1) for rows of the same chunk after the first; O(log items) for the first.
  mutating func separator(of row: Int) -> ListSeparator {
    guard !separators.byCellKind.isEmpty else { return separators.standard }
    if !range.contains(row) {
      let found = items.chunk(containing: row)
      chunk = found.chunk
      range = found.start ..< found.start + found.chunk.count
    }
    guard let chunk else { return separators.standard }
    let kind = chunk.cellKinds.value(at: row - range.lowerBound)
    if let known = known[kind] { return known }
    let name = cellKindNames.indices.contains(kind) ? cellKindNames[kind] : ""
    let found = separators.byCellKind[ExactText(name)] ?? separators.standard
    known[kind] = found
    return found
  }
}
