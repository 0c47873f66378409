// SPDX-License-Identifier: Apache-2.0

extension SectionContents {
  /// Reports an outline whose items have no keys, or whose levels are not those of a tree; in other
  /// sections, reports items with places in an outline.
  ///
  /// - Parameter path: the path of the section; "" = paths count from the section.
  /// - Complexity: O(items) for an outline, else O(1)
  func checkOutline(path: String, into violations: inout Violations) {
    let field = path.isEmpty ? "blocks" : "\(path).blocks"
    guard outline != nil else {
      if items.summary.outline.hasValues {
        violations.add(
          .fieldInvalid,
          field,
          "columns of an outline in a section that is none; set the section's `outline`"
        )
      }
      return
    }
    if let keyless = items.describedKeylessItems {
      violations.add(.fieldInvalid, field, "\(keyless); every item of an outline has one")
    }
    let summary = items.summary
    if summary.outline.hasValues, let item = items.firstLevelFault(in: 0 ..< items.count) {
      violations.add(.fieldInvalid, field, items.describedLevelFault(at: item))
    }
  }
}

extension ItemSequence {
  /// What is wrong with the level of an item, in words.
  func describedLevelFault(at item: Int) -> String {
    let level = outlineItem(at: item).level
    guard item > 0 else {
      return "item \(item) at level \(level); the first item of a section is at level 0"
    }
    let before = outlineItem(at: item - 1).level
    return "item \(item) at level \(level) behind one at level \(before); allowed are levels up to "
      + "\(before + 1)"
  }
}

extension ContentsChange {
  /// Reports outlines in which operations leave items without a key, or with levels that are not
  /// those of a tree, and other sections with places in an outline.
  ///
  /// - Complexity: O(log n + items in splices)
  /// - Throws: BATCH_INCONSISTENT naming an operation that brought the item, if one did.
  func checkOutlines(after plan: BatchPlan) throws(Refusal) {
    guard new.hasOutlines || old.hasOutlines || plan.bringsPlaces else { return }
    for map in map.itemMaps {
      let section = new.section(at: map.newSection)
      let summary = section.items.summary
      func refusal(_ item: Int, _ description: String) -> Refusal {
        let operation = plan.operation(at: item, ofOldSection: map.oldSection)
        let field = operation.map { plan.field($0, isOldSide: false) } ?? "operations"
        return Refusal(
          .batchInconsistent,
          field: field,
          "section \(map.newSection): \(description)"
        )
      }
      guard section.outline != nil else {
        if summary.outline.hasValues {
          throw refusal(-1, "would have places in an outline, but is none")
        }
        continue
      }
      if let item = section.items.firstKeylessItem,
        let keyless = section.items.describedKeylessItems
      {
        throw refusal(item, "would have \(keyless); every item of an outline has one")
      }
      for splice in map.items.splices {
        let range = splice.new.lowerBound ..< min(splice.new.upperBound + 1, summary.count)
        if let item = section.items.firstLevelFault(in: range) {
          throw refusal(item, section.items.describedLevelFault(at: item))
        }
      }
    }
  }
}

extension BatchPlan {
  /// Whether some operation brings places in an outline.
  fileprivate var bringsPlaces: Bool {
    operations.contains {
      switch $0 {
      case .insertItems(_, let blocks), .reloadItems(_, _, let blocks),
        .reconfigureItems(_, _, let blocks):
        blocks.contains { !$0.outline.isEmpty }
      default: false
      }
    }
  }

  /// The operation that brought an item, or the one before it; nil = none did.
  ///
  /// - Parameter item: counted after the batch.
  fileprivate func operation(at item: Int, ofOldSection section: Int) -> Int? {
    guard let plan = items[section] else { return nil }
    let claim = plan.insertions.first { $0.range.contains(item) }
    let before = plan.insertions.first { $0.range.contains(item - 1) }
    return (claim ?? before ?? plan.insertions.first ?? plan.replacements.first)?.operation
  }
}
