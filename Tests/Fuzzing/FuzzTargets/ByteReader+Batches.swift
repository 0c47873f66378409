// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// Batches from bytes, for contents that a model describes.
extension ByteReader {
  private mutating func path(in model: ReferenceModel) -> IndexPath {
    if chance(3) { return IndexPath(section: place(1 << 20), item: place(1 << 20)) }
    let section = place(max(0, model.sections.count - 1))
    let count =
      model.sections.indices.contains(section) ? model.sections[section].items.count : 3
    if chance(3) { return IndexPath(section: section) }
    return IndexPath(section: section, item: place(count))
  }

  /// At most 8.
  private static func count(of range: Range<Int>) -> Int {
    let (count, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    return overflows ? 8 : min(count, 8)
  }

  /// Few different names, so that they meet again.
  private mutating func key() -> String {
    switch byte() {
    case 255: ""
    case 254: String(repeating: "x", count: 15 + below(4))
    default: "k\(below(300))"
    }
  }

  private mutating func blocks(_ count: Int, hasKeys: Bool) -> [ItemBlock] {
    let keys: ((inout ByteReader) -> String)? = hasKeys ? { $0.key() } : nil
    let first = below(count + 1)
    return [first, count - first].filter { $0 > 0 || chance(2) }
      .map { block($0, kinds: 2, keys: keys) }
  }

  package mutating func section(hasKeys: Bool) -> SectionContents {
    let keys: ((inout ByteReader) -> String)? = hasKeys ? { $0.key() } : nil
    return SectionContents(
      key: hasKeys && chance(95) ? "s\(below(40))" : "",
      metrics: chance(90) ? validMetrics() : metrics(),
      blocks: list(upTo: 2) { $0.validBlock(1 + $0.below(20), kinds: 2, keys: keys) }
    )
  }

  package mutating func operation(on model: ReferenceModel, hasKeys: Bool) -> UpdateOperation {
    let sections = model.sections.count
    let section = index(max(0, sections - 1))
    let count =
      model.sections.indices.contains(section) ? model.sections[section].items.count : 3
    switch byte() % 16 {
    case 0 ..< 4:
      return .insertItems(at: path(in: model), items: blocks(1 + below(6), hasKeys: hasKeys))
    case 4 ..< 6: return .deleteItems(section: section, items: range(count))
    case 6 ..< 8: return .moveItem(from: path(in: model), to: path(in: model))
    case 8, 9:
      let range = range(count)
      return .reloadItems(
        section: section,
        items: range,
        blocks: blocks(Self.count(of: range), hasKeys: hasKeys)
      )
    case 10, 11:
      let range = range(count)
      return .reconfigureItems(
        section: section,
        items: range,
        blocks: blocks(Self.count(of: range), hasKeys: false)
      )
    case 12:
      return .insertSections(at: index(sections), list(upTo: 2) { $0.section(hasKeys: hasKeys) })
    case 13: return .deleteSections(range(sections))
    case 14:
      return flag()
        ? .moveSection(from: section, to: index(sections))
        : .setSectionMetrics(section, metrics())
    default: return .reloadSection(section, self.section(hasKeys: hasKeys))
    }
  }
}

extension UpdateOperation {
  /// Whether the operation is right by itself; whether it fits the contents is for the model to
  /// say.
  var isWellFormed: Bool {
    func areValid(_ blocks: [ItemBlock]) -> Bool {
      blocks.allSatisfy { FuzzRules.isValid($0, kinds: 2) }
    }
    switch self {
    case .insertItems(let at, let blocks): return at.item != nil && areValid(blocks)
    case .reloadItems(_, _, let blocks), .reconfigureItems(_, _, let blocks):
      return areValid(blocks)
    case .moveItem(let from, let to): return from.item != nil && to.item != nil
    case .insertSections(_, let sections):
      return sections.allSatisfy { FuzzRules.isValid($0.metrics) }
    case .reloadSection(_, let section): return FuzzRules.isValid(section.metrics)
    case .setSectionMetrics(_, let metrics): return FuzzRules.isValid(metrics)
    case .deleteItems, .deleteSections, .moveSection: return true
    }
  }

  /// Whether it concerns no item and no section: then it may be refused for its place alone.
  var isEmpty: Bool {
    func isEmpty(_ blocks: [ItemBlock]) -> Bool { blocks.allSatisfy { $0.count == 0 } }
    switch self {
    case .insertItems(_, let blocks): return isEmpty(blocks)
    case .deleteItems(_, let range), .reloadItems(_, let range, _),
      .reconfigureItems(_, let range, _), .deleteSections(let range):
      return range.isEmpty
    case .insertSections(_, let sections): return sections.isEmpty
    case .moveItem, .moveSection, .reloadSection, .setSectionMetrics: return false
    }
  }

  /// Whether the model can look at it: places are not so large that counting through them would not
  /// end.
  var isWithinReach: Bool {
    func isSmall(_ range: Range<Int>) -> Bool {
      range.lowerBound >= 0 && range.upperBound < 100_000
    }
    switch self {
    case .deleteItems(_, let range), .reloadItems(_, let range, _),
      .reconfigureItems(_, let range, _), .deleteSections(let range):
      return isSmall(range)
    case .insertSections(let at, _): return at >= 0 && at < 100_000
    case .moveSection(_, let to): return to >= 0 && to < 100_000
    case .insertItems(let at, _): return at.section < 100_000 && (at.item ?? 0) < 100_000
    default: return true
    }
  }
}
