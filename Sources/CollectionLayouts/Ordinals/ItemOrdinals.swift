// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The items of all sections counted through, for layouts that make nothing of sections.
///
/// Eight bytes a section.
struct ItemOrdinals: Sendable {
  /// The ordinal of each section's first item; at the end the number of all items.
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

  /// Roughly what they keep in memory, in bytes.
  var byteCount: Int { 32 + starts.count * MemoryLayout<Int>.stride }

  /// - Complexity: O(1); nil where there is no such item.
  func ordinal(of path: IndexPath) -> Int? {
    let section = path.section
    guard let item = path.item, section < starts.count - 1 else { return nil }
    let ordinal = starts[section] + item
    return ordinal < starts[section + 1] ? ordinal : nil
  }

  /// - Precondition: `ordinal` within `0..<count`.
  /// - Complexity: O(log sections).
  func indexPath(at ordinal: Int) -> IndexPath {
    let section = section(containing: ordinal)
    return IndexPath(section: section, item: ordinal - starts[section])
  }

  /// Calls `body` with the index paths of consecutive items, until it returns false.
  ///
  /// - Precondition: `range` within `0..<count`.
  func forEach(in range: Range<Int>, _ body: (_ ordinal: Int, _ path: IndexPath) -> Bool) {
    guard !range.isEmpty else { return }
    var section = section(containing: range.lowerBound)
    for ordinal in range {
      while ordinal >= starts[section + 1] { section += 1 }
      let path = IndexPath(section: section, item: ordinal - starts[section])
      guard body(ordinal, path) else { return }
    }
  }

  /// The last section that starts at or before the ordinal, which is the one that holds it: empty
  /// ones in front of it start there too, and come before it.
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
