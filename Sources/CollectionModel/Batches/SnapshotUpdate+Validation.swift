// SPDX-License-Identifier: Apache-2.0

extension SnapshotUpdate {
  /// Reports limits that a snapshot exceeds, and whatever prevents comparing it by key: items or
  /// sections without a key, duplicate keys, and named items that do not exist.
  ///
  /// - Complexity: O(items)
  func check(limits: ContentsLimits, into violations: inout Violations) {
    if contents.sectionCount > limits.sections {
      violations.add(
        .quotaSections,
        "snapshot.contents.sections",
        "\(contents.sectionCount) sections; at most \(limits.sections)"
      )
    }
    if contents.itemCount > limits.items {
      violations.add(
        .quotaItems,
        "snapshot.contents.sections",
        "\(contents.itemCount) items; at most \(limits.items)"
      )
    }
    guard violations.isEmpty else { return }
    checkSections(limits: limits, into: &violations)
    contents.checkItemKeys(path: "snapshot.contents.sections", into: &violations)
    guard violations.isEmpty else { return }
    checkNamed(reloadedItemKeys, "snapshot.reloaded_item_keys", into: &violations)
    checkNamed(reconfiguredItemKeys, "snapshot.reconfigured_item_keys", into: &violations)
    let reloaded = Set(reloadedItemKeys.map { ExactText($0) })
    for (i, key) in reconfiguredItemKeys.enumerated() where reloaded.contains(ExactText(key)) {
      violations.add(
        .batchInconsistent,
        "snapshot.reconfigured_item_keys[\(i)]",
        "\"\(key)\" is also reloaded; only one of both"
      )
    }
  }

  /// Reports sections with an invalid or duplicate key, invalid metrics, items without a key, or
  /// unknown cell kinds.
  private func checkSections(limits: ContentsLimits, into violations: inout Violations) {
    var keys: Set<ExactText> = []
    contents.forEachSection(in: 0 ..< contents.sectionCount) { index, section in
      let path = "snapshot.contents.sections[\(index)]"
      checkSectionKey(section.key, limits: limits, path: "\(path).key", into: &violations)
      section.metrics.check(path: "\(path).metrics", into: &violations)
      if section.key.isEmpty {
        violations.add(
          .fieldInvalid,
          "\(path).key",
          "empty; every section of a snapshot carries a key"
        )
      } else if !keys.insert(ExactText(section.key)).inserted {
        violations.add(
          .fieldInvalid,
          "\(path).key",
          "\"\(section.key)\" comes twice; keys must be unique"
        )
      }
      let summary = section.items.summary
      if let keyless = section.items.describedKeylessItems {
        violations.add(
          .fieldInvalid,
          "\(path).blocks",
          "\(keyless); every item of a snapshot carries one"
        )
      }
      if summary.highestCellKind >= contents.cellKindNames.count && summary.count > 0 {
        violations.add(
          .fieldInvalid,
          "\(path).blocks",
          "cell kind \(summary.highestCellKind); there are \(contents.cellKindNames.count)"
        )
      }
      return !violations.isFull
    }
  }

  /// Reports keys that no item of the snapshot has.
  ///
  /// - Parameter path: the path of the list of keys.
  private func checkNamed(_ keys: [String], _ path: String, into violations: inout Violations) {
    for (i, key) in keys.enumerated() where contents.indexPath(ofItemKey: key) == nil {
      violations.add(
        .batchInconsistent,
        "\(path)[\(i)]",
        "\"\(key)\" is no item of the snapshot's contents"
      )
      if violations.isFull { return }
    }
  }
}
