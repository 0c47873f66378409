// SPDX-License-Identifier: Apache-2.0

extension BatchPlan {
  /// Reports keys of the batch that would not be unique.
  ///
  /// - Complexity: O(keys of the batch · log n)
  mutating func checkKeys() {
    checkSectionKeys()
    var added: Set<ExactText> = []
    for (i, operation) in operations.enumerated() where !violations.isFull {
      switch operation {
      case .insertItems(_, let blocks) where blocks.contains { !$0.keys.isEmpty }:
        check(blocks, "operations[\(i)].insert_items.blocks", &added)
      case .reloadItems(let section, _, let blocks):
        guard case .stays = target(ofOld: section) else { continue }
        check(blocks, "operations[\(i)].reload_items.blocks", &added)
      case .reconfigureItems(let section, let range, let blocks):
        guard case .stays = target(ofOld: section) else { continue }
        checkKept(section, range.lowerBound, blocks, "operations[\(i)].reconfigure_items.blocks")
        check(blocks, "operations[\(i)].reconfigure_items.blocks", &added)
      case .insertSections(_, let new):
        for (j, section) in new.enumerated() {
          check(section.items, "operations[\(i)].insert_sections.sections[\(j)]", &added)
        }
      case .reloadSection(_, let section):
        check(section.items, "operations[\(i)].reload_section.contents", &added)
      case .insertItems, .deleteItems, .moveItem, .deleteSections, .moveSection,
        .setSectionMetrics:
        break
      }
    }
  }

  /// Checks the keys of new or changed items.
  ///
  /// - Parameter path: the path of the list of blocks.
  /// - Parameter added: the keys that the batch has brought so far.
  private mutating func check(_ blocks: [ItemBlock], _ path: String, _ added: inout Set<ExactText>)
  {
    for (i, block) in blocks.enumerated() {
      for (j, key) in block.keys.enumerated() where !violations.isFull {
        check(key, "\(path)[\(i)].keys[\(j)]", &added)
      }
    }
  }

  /// Checks the keys of the items of a new section.
  ///
  /// - Parameter path: the path of the section.
  private mutating func check(_ items: ItemSequence, _ path: String, _ added: inout Set<ExactText>)
  {
    guard items.summary.hasKeys else { return }
    for entry in items.chunks {
      guard case .packed(let keys) = entry.chunk.keys else { continue }
      for i in 0 ..< keys.count where !violations.isFull {
        check(keys[i], "\(path).blocks", &added)
      }
    }
  }

  /// Reports a key that the batch brings twice, or that an item has which keeps it.
  private mutating func check(_ key: String, _ field: String, _ added: inout Set<ExactText>) {
    if !added.insert(ExactText(key)).inserted {
      violations.add(
        .batchInconsistent,
        field,
        "\"\(key)\" comes twice in this batch; keys must be unique"
      )
    } else if let path = contents.indexPath(ofItemKey: key), !releasesKey(ofOld: path) {
      violations.add(
        .batchInconsistent,
        field,
        "\"\(key)\" is the key of item \(path); keys must be unique"
      )
    }
  }

  /// Whether the batch frees the key of an old item: it deletes the item, or gives it a new key.
  ///
  /// - Complexity: O(log operations + log blocks), and O(blocks) the first time for each operation.
  private mutating func releasesKey(ofOld path: IndexPath) -> Bool {
    guard let item = path.item else { return false }
    switch target(ofOld: path.section) {
    case .reloaded: return true
    case .deleted:
      return rescued[path.section].flatMap { Self.claim(on: item, in: $0) } == nil
    case .stays:
      guard let plan = items[path.section] else { return false }
      if let claim = Self.claim(on: item, in: plan.removals) {
        if case .delete = claim.use { return true }
        return false
      }
      guard let claim = Self.claim(on: item, in: plan.replacements) else { return false }
      return bringsKey(for: item, claim)
    }
  }

  /// The claim on an old item; nil = there is none.
  ///
  /// - Parameter claims: sorted and disjoint.
  private static func claim(on place: Int, in claims: [PlaceClaim]) -> PlaceClaim? {
    let next = claims.indices.partitioningIndex { claims[$0].range.lowerBound > place }
    guard next > 0, claims[next - 1].range.contains(place) else { return nil }
    return claims[next - 1]
  }

  /// Whether a reload or reconfiguration brings a key for an old item.
  private mutating func bringsKey(for item: Int, _ claim: PlaceClaim) -> Bool {
    switch operations[claim.operation] {
    case .reloadItems(_, let range, let blocks), .reconfigureItems(_, let range, let blocks):
      let values = newValues[claim.operation] ?? BlockOffsets(blocks)
      newValues[claim.operation] = values
      return values.block(of: item - range.lowerBound).map { !$0.keys.isEmpty } ?? false
    default: return false
    }
  }

  /// Reports reconfigured items with another key than before: an item keeps its identity, so it may
  /// get a first key but not another one.
  ///
  /// - Parameter first: the index of the first reconfigured item.
  private mutating func checkKept(
    _ section: Int,
    _ first: Int,
    _ blocks: [ItemBlock],
    _ path: String
  ) {
    guard contents.hasItemKeys else { return }
    var start = first
    for (i, block) in blocks.enumerated() {
      for (j, key) in block.keys.enumerated() where !violations.isFull {
        let item = IndexPath(section: section, item: start + j)
        guard let old = contents.key(at: item), !old.hasSameBytes(as: key) else { continue }
        violations.add(
          .batchInconsistent,
          "\(path)[\(i)].keys[\(j)]",
          "\"\(key)\" for item \(item) with the key \"\(old)\"; a reconfigured item keeps its key, a "
            + "reloaded one may change it"
        )
      }
      start += block.count
    }
  }

  // MARK: - Sections

  /// Reports keys of sections that would not be unique, and sections without a key among others
  /// with one.
  private mutating func checkSectionKeys() {
    var added: Set<ExactText> = []
    var keyed: [String] = []
    var keyless: [String] = []
    for (i, operation) in operations.enumerated() {
      switch operation {
      case .insertSections(_, let new):
        for (j, section) in new.enumerated() {
          let field = "operations[\(i)].insert_sections.sections[\(j)].key"
          if section.key.isEmpty { keyless.append(field) } else { keyed.append(field) }
          checkSectionKey(section.key, field, &added)
        }
      case .reloadSection(_, let section):
        let field = "operations[\(i)].reload_section.contents.key"
        if section.key.isEmpty { keyless.append(field) } else { keyed.append(field) }
        checkSectionKey(section.key, field, &added)
      default: break
      }
    }
    var keyedAfter = contents.sections.summary.keyedSectionCount + keyed.count
    if contents.hasSectionKeys {
      for claim in sections.removals + sections.replacements {
        if case .moveOut = claim.use { continue }
        keyedAfter -=
          contents.sections.summary(ofFirst: claim.range.upperBound).keyedSectionCount
          - contents.sections.summary(ofFirst: claim.range.lowerBound).keyedSectionCount
      }
    }
    let count = sectionCountAfter
    if keyedAfter != 0 && keyedAfter != count {
      let field = (contents.hasSectionKeys ? keyless.first : keyed.first) ?? keyless.first
      violations.add(
        .fieldInvalid,
        field ?? "operations",
        "\(keyedAfter) of \(count) sections would have a key; either all do or none"
      )
    }
  }

  /// Reports a key that the batch brings twice, or that a section has which stays.
  private mutating func checkSectionKey(
    _ key: String,
    _ field: String,
    _ added: inout Set<ExactText>
  ) {
    if key.isEmpty { return }
    if !added.insert(ExactText(key)).inserted {
      violations.add(
        .batchInconsistent,
        field,
        "\"\(key)\" comes twice in this batch; keys must be unique"
      )
    } else if let section = contents.sectionIndex(ofKey: key),
      case .stays = target(ofOld: section)
    {
      violations.add(
        .batchInconsistent,
        field,
        "\"\(key)\" is the key of section \(section); must be unique"
      )
    }
  }
}
