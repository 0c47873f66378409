// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// By how much the numbers of items in cells differ from the numbers of slots that the layers' indices have
/// there: a persistent table of those cells where they do.
struct ClusterCounts: Sendable {
  private struct Entry: SummarizedElement {
    var cell: UInt64
    var difference: Int

    var summary: Last { Last(cell: cell) }
  }

  /// The last cell of a run of entries, which are in the order of cells.
  private struct Last: TreeSummary {
    var cell: UInt64

    static let zero = Last(cell: 0)

    static func + (a: Last, b: Last) -> Last { Last(cell: max(a.cell, b.cell)) }
  }

  private var entries = SummaryTree<Entry>()

  /// The number of items in a cell less the number of slots.
  ///
  /// - Complexity: O(log cells)
  func difference(in cell: UInt64) -> Int {
    guard let entry = entries.firstPosition(where: { $0.cell >= cell })?.element,
      entry.cell == cell
    else { return 0 }
    return entry.difference
  }

  /// Adds to the differences.
  ///
  /// - Parameter changes: what is added, by cell.
  /// - Complexity: O(k log cells) for k changes.
  mutating func add(_ changes: [UInt64: Int]) {
    var replacements: [SummaryTree<Entry>.Replacement] = []
    for (cell, change) in changes.sorted(by: { $0.key < $1.key }) where change != 0 {
      let found = entries.firstPosition { $0.cell >= cell }
      let index = found?.index ?? entries.count
      var (end, difference) = (index, change)
      if let entry = found?.element, entry.cell == cell {
        (end, difference) = (index + 1, entry.difference + change)
      }
      let new = difference == 0 ? [] : [Entry(cell: cell, difference: difference)]
      // Several cells may come before the same entry.
      if let last = replacements.indices.last, index == end,
        replacements[last].range == index ..< index
      {
        replacements[last].elements += new
      } else {
        replacements.append(SummaryTree<Entry>.Replacement(index ..< end, with: new))
      }
    }
    entries.replaceSubranges(replacements)
  }

  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int { entries.count * MemoryLayout<Entry>.stride * 2 }
}
