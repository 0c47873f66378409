// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension CompositionalLayout {
  /// Whether the element is a cell in a section with estimated items, or a boundary element with an
  /// estimated length whose kind is "header" or "footer".
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    entry(named: section.layoutName, at: key.indexPath.section)?.acceptsMeasurement(of: key)
      ?? false
  }

  /// A boundary element, of a section or of the whole layout, or a badge, if it has an estimated
  /// length.
  public func measuredElement(
    for key: ElementKey,
    in contents: CollectionContents
  ) -> MeasuredElement? {
    guard key.category == .supplementary else { return nil }
    let path = key.indexPath
    if path == IndexPath(section: 0), boundarySupplementaryItems.measures(key.kind) {
      return .layout(kind: key.kind)
    }
    guard path.section < contents.sectionCount else { return nil }
    let name = contents.section(at: path.section).layoutName
    return entry(named: name, at: path.section)?.measuredElement(for: key)
  }

  /// The plan with the measured sizes of the layout's own boundary elements; nil = these are those
  /// that it has already.
  public func plan(
    _ plan: CompositionalPlan,
    measuring sizes: [String: Size]
  ) -> CompositionalPlan? {
    boundarySupplementaryItems.isEmpty ? nil : plan.measuring(sizes)
  }

  /// Whether pinned elements of the whole layout take the same room at the edges of the visible
  /// bounds.
  public func sectionsHold(
    under plan: CompositionalPlan,
    insteadOf old: CompositionalPlan
  ) -> Bool {
    plan.global.pinnedHead == old.global.pinnedHead
      && plan.global.pinnedTail == old.global.pinnedTail
  }
}

extension CompositionalSection {
  /// Whether the element is a cell of an estimated length, or a header or footer of one.
  func acceptsMeasurement(of key: ElementKey) -> Bool {
    let section = resolved
    switch key.category {
    case .cell:
      let axes = section.group.estimatedItemAxes()
      return axes.width || axes.height
    case .supplementary:
      return (key.kind == StandardKind.header || key.kind == StandardKind.footer)
        && key.indexPath.item == nil
        && section.boundarySupplementaryItems.measures(key.kind)
    case .decoration: return false
    }
  }

  /// A boundary element other than a header or footer, or a badge, if it has an estimated length.
  ///
  /// - Parameter key: of a supplementary element.
  func measuredElement(for key: ElementKey) -> MeasuredElement? {
    let path = key.indexPath
    let section = resolved
    guard let item = path.item else {
      guard key.kind != StandardKind.header, key.kind != StandardKind.footer,
        section.boundarySupplementaryItems.measures(key.kind)
      else { return nil }
      return .section(path.section, kind: key.kind)
    }
    var result: MeasuredElement?
    section.group.forEachBadge { badge, isOfGroup in
      guard badge.kind == key.kind, badge.size.isEstimated else { return }
      result =
        isOfGroup
        ? .group(section: path.section, ordinal: item, kind: key.kind)
        : .item(path, kind: key.kind)
    }
    return result
  }
}

extension [BoundarySupplementaryItem] {
  /// Whether there is one of a kind with an estimated length.
  fileprivate func measures(_ kind: String) -> Bool {
    contains { $0.kind == kind && $0.size.isEstimated }
  }
}
