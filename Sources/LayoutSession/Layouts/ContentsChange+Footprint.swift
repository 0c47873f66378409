// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension ContentsChange {
  /// Roughly the memory that only the old contents use, in bytes: estimated from the number of items and
  /// sections that were replaced.
  ///
  /// - Complexity: O(splices + replaced sections · log sections)
  var replacedByteCount: Int {
    let fixed = 256 + (sectionSplices.count + changedSections.count) * Self.splitBytes
    guard old.itemCount > 0 else { return fixed }
    var items = 0
    var splices = 0
    for splice in sectionSplices {
      if splice.old.count == old.sectionCount { return fixed + old.approximateByteCount }
      for section in splice.old { items += old.section(at: section).items.count }
    }
    for section in changedSections {
      splices += section.itemSplices.count
      for splice in section.itemSplices { items += splice.old.count }
    }
    let share = Double(min(items, old.itemCount)) / Double(old.itemCount)
    return fixed + splices * Self.splitBytes + Int(share * Double(old.approximateByteCount))
  }

  /// Roughly the bytes of the chunks at both ends of a splice and of the nodes above them.
  private static var splitBytes: Int { 2048 }
}
