// SPDX-License-Identifier: Apache-2.0

extension BatchPlan {
  // MARK: - Fields

  /// Reports operations that are invalid by themselves: with invalid values, or with more items
  /// than a collection may have.
  mutating func checkFields() {
    for (i, operation) in operations.enumerated() where !violations.isFull {
      switch operation {
      case .insertItems(_, let blocks):
        if !areValid(blocks) { checkBlocks(blocks, "operations[\(i)].insert_items.blocks") }
      case .reloadItems(_, let range, let blocks):
        checkReplacement(range, blocks, "operations[\(i)].reload_items")
      case .reconfigureItems(_, let range, let blocks):
        checkReplacement(range, blocks, "operations[\(i)].reconfigure_items")
      case .insertSections(_, let new):
        for (j, section) in new.enumerated() where !violations.isFull {
          checkSection(section, "operations[\(i)].insert_sections.sections[\(j)]")
        }
      case .reloadSection(_, let section):
        checkSection(section, "operations[\(i)].reload_section.contents")
      case .setSectionMetrics(_, let metrics):
        metrics.check(path: "operations[\(i)].set_section_metrics.metrics", into: &violations)
      case .deleteItems, .moveItem, .deleteSections, .moveSection:
        break
      }
    }
  }

  /// Whether `checkBlocks` would report nothing. Faster, since it builds no paths.
  private func areValid(_ blocks: [ItemBlock]) -> Bool {
    let kindCount = contents.cellKindNames.count
    var room = limits.items
    for block in blocks {
      guard block.isValid(kindCount: kindCount, limits: limits), block.count <= room else {
        return false
      }
      room -= block.count
    }
    return true
  }

  /// Reports blocks with invalid values, or with more items than a collection may have.
  private mutating func checkBlocks(_ blocks: [ItemBlock], _ path: String) {
    checkItemCount(blocks, limits: limits, path: path, into: &violations)
    for (i, block) in blocks.enumerated() where !violations.isFull {
      block.check(
        kindCount: contents.cellKindNames.count,
        limits: limits,
        path: "\(path)[\(i)]",
        into: &violations
      )
    }
  }

  /// Reports the blocks of a reload or reconfiguration that are invalid or do not fit its range.
  private mutating func checkReplacement(
    _ range: Range<Int>,
    _ blocks: [ItemBlock],
    _ path: String
  ) {
    checkBlocks(blocks, "\(path).blocks")
    guard violations.isEmpty else { return }
    // Does not overflow: `checkBlocks` has found no more items than the limit.
    let count = blocks.reduce(0) { $0 + $1.count }
    if count != range.size {
      violations.add(
        .batchInconsistent,
        "\(path).blocks",
        "\(count) items for a range of \(range.size); must be as many"
      )
    }
  }

  /// Reports an invalid key, invalid metrics and unknown cell kinds of a new section.
  private mutating func checkSection(_ section: SectionContents, _ path: String) {
    checkSectionKey(section.key, limits: limits, path: "\(path).key", into: &violations)
    section.metrics.check(path: "\(path).metrics", into: &violations)
    section.checkOutline(path: path, into: &violations)
    let highest = section.items.summary.highestCellKind
    if highest >= contents.cellKindNames.count && !section.items.isEmpty {
      violations.add(
        .fieldInvalid,
        "\(path).blocks",
        "cell kind \(highest); there are \(contents.cellKindNames.count), counted from 0"
      )
    }
  }

  // MARK: - Quotas

  /// Reports contents that would be larger than allowed.
  ///
  /// - Precondition: all indices of the operations have been checked.
  mutating func checkQuotas() {
    if sectionCountAfter > limits.sections {
      violations.add(
        .quotaSections,
        "operations",
        "\(sectionCountAfter) sections after it; at most \(limits.sections)"
      )
    }
    // The sums do not overflow. Insertions are within the limit each, and there are at most
    // `limits.operations`. The items of new sections come in one message, which has room for fewer
    // than 2³⁰ blocks, each with a count of 32 bits.
    var itemCount = contents.itemCount
    for plan in items.values { itemCount += plan.growth }
    for claim in sections.removals {
      guard case .delete = claim.use else { continue }
      let range = claim.range
      itemCount -=
        contents.itemCount(before: range.upperBound) - contents.itemCount(before: range.lowerBound)
    }
    for operation in operations {
      switch operation {
      case .insertSections(_, let new): itemCount += new.reduce(0) { $0 + $1.items.count }
      case .reloadSection(let section, let new):
        itemCount += new.items.count - contents.sections[section].summary.itemCount
      default: break
      }
    }
    if itemCount > limits.items {
      violations.add(
        .quotaItems,
        "operations",
        "\(itemCount) items after it; at most \(limits.items)"
      )
    }
  }
}
