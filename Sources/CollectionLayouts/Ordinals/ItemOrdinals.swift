// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Numbers the items of all sections consecutively, for layouts that do not distinguish sections.
///
/// It takes eight bytes for each section.
struct ItemOrdinals: Sendable {
  /// The ordinal of each section's first item, followed by the number of all items.
  let starts: [Int]

  init(_ contents: CollectionContents) {
    var starts: [Int] = []
    starts.reserveCapacity(contents.sectionCount + 1)
    var next = 0
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      starts.append(next)
      next += section.items.count
      return true
    }
    starts.append(next)
    self.starts = starts
  }

  var count: Int { starts[starts.count - 1] }

  /// The memory that the numbers take, in bytes: an estimate.
  var byteCount: Int { 32 + starts.count * MemoryLayout<Int>.stride }

  /// The ordinal of an item; nil if there is no such item.
  ///
  /// - Complexity: O(1)
  func ordinal(of path: IndexPath) -> Int? {
    let section = path.section
    guard let item = path.item, section < starts.count - 1 else { return nil }
    let ordinal = starts[section] + item
    return ordinal < starts[section + 1] ? ordinal : nil
  }

  /// The index path of an item.
  ///
  /// - Precondition: `ordinal` is in `0..<count`.
  /// - Complexity: O(log sections)
  func indexPath(at ordinal: Int) -> IndexPath {
    let section = section(containing: ordinal)
    return IndexPath(section: section, item: ordinal - starts[section])
  }

  /// Calls `body` with the index paths of consecutive items, until it returns false.
  ///
  /// - Precondition: `range` is within `0..<count`.
  func forEach(in range: Range<Int>, _ body: (_ ordinal: Int, _ path: IndexPath) -> Bool) {
    guard !range.isEmpty else { return }
    var section = section(containing: range.lowerBound)
    for ordinal in range {
      while ordinal >= starts[section + 1] { section += 1 }
      let path = IndexPath(section: section, item: ordinal - starts[section])
      guard body(ordinal, path) else { return }
    }
  }

  /// The section that holds an ordinal: the last that starts at or before it. Empty sections just
  /// in front of it start at the same ordinal and come before it.
  private func section(containing ordinal: Int) -> Int {
    var low = 0
    var high = starts.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= ordinal { low = middle } else { high = middle }
    }
    return low
  }
}
