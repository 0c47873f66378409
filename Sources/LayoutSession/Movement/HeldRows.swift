// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The rows of held items in order, from which follows where all other rows lie while these are
/// shown together elsewhere. Each is found without going through the items, for a report may ask
/// for thousands.
struct HeldRows: Sendable {
  /// Sorted by row.
  private let entries: [Entry]

  private struct Entry: Sendable {
    let row: IndexPath
    /// Of the item.
    let index: Int
  }

  /// - Complexity: O(k log k) for k items
  init(_ items: [HeldItem]) {
    entries = items.enumerated().map { Entry(row: $1.row, index: $0) }.sorted { $0.row < $1.row }
  }

  /// The index of the item that a row shows; nil = it is not held.
  func index(of row: IndexPath) -> Int? {
    let place = entries.partitioningIndex { $0.row >= row }
    return place < entries.count && entries[place].row == row ? entries[place].index : nil
  }

  /// How many of them lie before a row in its section.
  func count(before row: IndexPath) -> Int {
    entries.partitioningIndex { $0.row >= row } - start(ofSection: row.section)
  }

  /// How many of them are in a section.
  func count(inSection section: Int) -> Int {
    entries.partitioningIndex { $0.row.section > section } - start(ofSection: section)
  }

  /// The row with `others` unheld rows before it in its section.
  func row(behind others: Int, ofSection section: Int) -> IndexPath {
    let start = start(ofSection: section)
    // The k-th held row has (its index − k) unheld rows before it.
    let held = (0 ..< count(inSection: section)).partitioningIndex { k in
      (entries[start + k].row.item ?? 0) - k > others
    }
    return IndexPath(section: section, item: others + held)
  }

  private func start(ofSection section: Int) -> Int {
    entries.partitioningIndex { $0.row.section >= section }
  }

  /// Roughly the memory in use, in bytes.
  var byteCount: Int { entries.count * MemoryLayout<Entry>.stride }
}

extension MovementState {
  /// The row of the collection that a row of the preview shows, where the items are the
  /// collection's.
  ///
  /// - Complexity: O(log items)
  func unmoved(_ shown: IndexPath) -> IndexPath {
    guard let item = shown.item else { return shown }
    guard shown.section == path.section, let first = path.item, item >= first else {
      return rows.row(behind: item, ofSection: shown.section)
    }
    let index = item - first
    if index < items.count { return items[index].row }
    return rows.row(behind: item - items.count, ofSection: shown.section)
  }

  /// The row of the preview that shows a row of the collection, where the items are the
  /// collection's.
  ///
  /// - Complexity: O(log items)
  func moved(_ row: IndexPath) -> IndexPath {
    guard row.item != nil else { return row }
    if let index = rows.index(of: row) { return path(at: index) }
    let rest = row.advanced(by: -rows.count(before: row))
    return rest.section == path.section && rest >= path ? rest.advanced(by: items.count) : rest
  }
}
