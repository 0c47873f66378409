// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension CompositionalLayout {
  /// Rejects lengths that are negative or not finite, dimensions, axes and alignments that are not
  /// given, kinds that clash, and anything beyond the limits. Warns of names that are taken already
  /// and of groups that do not fit across the scroll axis.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectNotNegative(interSectionSpacing, "inter_section_spacing")
    if sections.isEmpty {
      findings.reject("sections", "is empty; at least one section is needed")
    }
    findings.expectCount(sections.count, of: "entries", atMost: Limit.sections, "sections")
    let kindCount = allElementKinds.count
    if kindCount > Limit.elementKinds {
      findings.reject(
        "sections",
        "have \(kindCount) different element kinds; at most \(Limit.elementKinds) are allowed"
      )
    }
    var names: [ExactText: Int] = [:]
    for (index, section) in sections.enumerated() {
      let field = "sections[\(index)]"
      section.validate(
        field,
        axis: scrollAxis,
        viewportSize: viewportSize,
        findings: &findings
      )
      guard !section.name.isEmpty else { continue }
      if let first = names[ExactText(section.name)] {
        findings.warn(
          "\(field).name",
          "is \"\(section.name)\" like that of sections[\(first)], which is taken"
        )
      } else {
        names[ExactText(section.name)] = index
      }
    }
    var kinds: Set<String> = []
    for section in sections {
      kinds.formUnion(section.boundarySupplementaryItems.map(\.kind))
    }
    findings.expectBoundaryItems(
      boundarySupplementaryItems,
      "boundary_supplementary_items"
    )
    for (index, item) in boundarySupplementaryItems.enumerated() where kinds.contains(item.kind) {
      findings.reject(
        "boundary_supplementary_items[\(index)].kind",
        "is \"\(item.kind)\" like that of a section's; the first section could have two of one name"
      )
    }
  }
}

extension CompositionalSection {
  func validate(
    _ field: String,
    axis: ScrollAxis,
    viewportSize: Size?,
    findings: inout LayoutFindings
  ) {
    if let list {
      validateList(list, field, axis: axis, findings: &findings)
    } else {
      group.validate("\(field).group", findings: &findings)
    }
    findings.expectFinite(contentInsets, "\(field).content_insets")
    findings.expectNotNegative(interGroupSpacing, "\(field).inter_group_spacing")
    findings.expectBoundaryItems(
      boundarySupplementaryItems,
      "\(field).boundary_supplementary_items"
    )
    validateKinds(field, findings: &findings)
    findings.expectCount(
      backgrounds.count,
      of: "backgrounds",
      atMost: CompositionalLayout.Limit.backgrounds,
      "\(field).backgrounds"
    )
    findings.expectCount(
      visibleItemEffects.count,
      of: "effects",
      atMost: CompositionalLayout.Limit.effects,
      "\(field).visible_item_effects"
    )
    for (index, background) in backgrounds.enumerated() {
      findings.expectKind(background.kind, "\(field).backgrounds[\(index)].kind")
      findings.expectFinite(background.insets, "\(field).backgrounds[\(index)].insets")
    }
    for (index, effect) in visibleItemEffects.enumerated() {
      let field = "\(field).visible_item_effects[\(index)]"
      if effect.attribute == nil {
        findings.reject("\(field).attribute", "is not given; scale, alpha or another is needed")
      }
      findings.expectPositive(effect.activeDistance, "\(field).active_distance")
      findings.expectFinite(effect.atCenter, "\(field).at_center")
      findings.expectFinite(effect.atDistance, "\(field).at_distance")
    }
    if let viewportSize {
      warnOfOverflow(field, axis: axis, viewportSize: viewportSize, findings: &findings)
    }
  }

  /// Rejects kinds that are used twice, because the elements of one section differ only in kind and
  /// index path.
  private func validateKinds(_ field: String, findings: inout LayoutFindings) {
    var onItems: Set<String> = []
    var onGroups: Set<String> = []
    group.forEachBadge { badge, isOfGroup in
      if isOfGroup { onGroups.insert(badge.kind) } else { onItems.insert(badge.kind) }
    }
    for kind in onItems.intersection(onGroups).sorted() {
      findings.reject(
        "\(field).group",
        "has supplementary items of kind \"\(kind)\" on items and on groups; their index paths clash"
      )
    }
    var backgroundKinds: Set<String> = []
    for (index, background) in backgrounds.enumerated()
    where !backgroundKinds.insert(background.kind).inserted {
      findings.reject(
        "\(field).backgrounds[\(index)].kind",
        "is \"\(background.kind)\" for the second time; kinds must differ"
      )
    }
  }

  /// Warns of groups that do not fit across the scroll axis, as UIKit does.
  private func warnOfOverflow(
    _ field: String,
    axis: ScrollAxis,
    viewportSize: Size,
    findings: inout LayoutFindings
  ) {
    guard orthogonalScrolling == .none, list == nil else { return }
    let insets = DimensionResolver.insets(contentInsets)
    let container = axis.size(
      main: axis.main(viewportSize),
      cross: axis.cross(Rect(origin: .zero, size: viewportSize).inset(by: insets).size)
    )
    let length = axis.cross(DimensionResolver.size(group.size, in: container))
    let available = axis.cross(container)
    if length >= available + 1 {
      let name = axis == .vertical ? "width" : "height"
      findings.warn(
        "\(field).group.size.\(name)",
        "is \(length); the container less the section's insets has \(available)"
      )
    }
  }
}

extension LayoutGroup {
  func validate(_ field: String, depth: Int = 1, findings: inout LayoutFindings) {
    guard depth <= CompositionalLayout.Limit.depth else {
      findings.reject(
        field,
        "is at level \(depth); at most \(CompositionalLayout.Limit.depth) levels are allowed"
      )
      return
    }
    findings.expectDimensions(size, "\(field).size")
    findings.expectFinite(contentInsets, "\(field).content_insets")
    findings.expectEdges(edgeSpacing, "\(field).edge_spacing")
    findings.expectSpacing(interitemSpacing, "\(field).interitem_spacing")
    findings.expectBadges(supplementaryItems, "\(field).supplementary_items")
    validateContent(field, findings: &findings)
    for (index, subitem) in subitems.enumerated() {
      let field = "\(field).subitems[\(index)]"
      switch subitem {
      case .unspecified: findings.reject(field, "is neither an item nor a group")
      case .item(let item): item.validate("\(field).item", findings: &findings)
      case .group(let group):
        group.validate("\(field).group", depth: depth + 1, findings: &findings)
      }
    }
    let limit = CompositionalLayout.Limit.itemsPerGroup
    if customFrames.count > limit {
      findings.reject(
        "\(field).custom_frames",
        "has \(customFrames.count) frames; at most \(limit) are allowed"
      )
    }
    for (index, frame) in customFrames.enumerated() {
      findings.expectFinite(frame.origin, "\(field).custom_frames[\(index)]")
      findings.expectLengths(frame.size, "\(field).custom_frames[\(index)]")
    }
  }

  private func validateContent(_ field: String, findings: inout LayoutFindings) {
    if customFrames.isEmpty {
      if subitems.isEmpty {
        findings.reject(
          "\(field).subitems",
          "is empty; a group needs subitems or custom frames"
        )
      }
      if axis == nil {
        findings.reject("\(field).axis", "is not given; horizontal or vertical is needed")
      }
    } else if !subitems.isEmpty {
      findings.reject(
        "\(field).custom_frames",
        "stand beside subitems; a group has either the one or the other"
      )
    }
    guard count != 0 else { return }
    let limit = CompositionalLayout.Limit.itemsPerGroup
    if count < 0 || count > limit {
      findings.reject("\(field).count", "is \(count); at most \(limit) are allowed")
    }
    if subitems.count > 1 {
      findings.reject(
        "\(field).count",
        "is \(count) with \(subitems.count) subitems; it needs exactly one"
      )
    }
    if !customFrames.isEmpty {
      findings.reject("\(field).count", "is \(count) with custom frames; it needs a subitem")
    }
    validateBadges(field, findings: &findings)
  }

  /// Rejects more badges than a group may have: each of its `count` items has all badges of the
  /// subitem.
  private func validateBadges(_ field: String, findings: inout LayoutFindings) {
    guard case .item(let item)? = subitems.first else { return }
    let limit = CompositionalLayout.Limit.badgesPerGroup
    let (badges, overflows) = count.multipliedReportingOverflow(
      by: item.supplementaryItems.count
    )
    if overflows || badges > limit {
      findings.reject(
        "\(field).count",
        "is \(count) with \(item.supplementaryItems.count) supplementary items on each; a group may "
          + "have \(limit) of them"
      )
    }
  }
}

extension LayoutItem {
  func validate(_ field: String, findings: inout LayoutFindings) {
    findings.expectDimensions(size, "\(field).size")
    findings.expectFinite(contentInsets, "\(field).content_insets")
    findings.expectEdges(edgeSpacing, "\(field).edge_spacing")
    findings.expectBadges(supplementaryItems, "\(field).supplementary_items")
  }
}

extension LayoutFindings {
  fileprivate mutating func expectKind(_ kind: String, _ field: String) {
    if kind.isEmpty { reject(field, "is empty; an element kind is needed") }
  }

  fileprivate mutating func expectDimensions(_ size: LayoutSize, _ field: String) {
    for (name, dimension) in [("width", size.width), ("height", size.height)] {
      guard let value = dimension.value else {
        reject("\(field).\(name)", "is not given; a dimension is needed")
        continue
      }
      expectNotNegative(value, "\(field).\(name)")
    }
  }

  fileprivate mutating func expectSpacing(_ spacing: LayoutSpacing, _ field: String) {
    expectNotNegative(spacing.minimum, field)
  }

  fileprivate mutating func expectEdges(_ spacing: EdgeSpacing, _ field: String) {
    expectSpacing(spacing.top, "\(field).top")
    expectSpacing(spacing.leading, "\(field).leading")
    expectSpacing(spacing.bottom, "\(field).bottom")
    expectSpacing(spacing.trailing, "\(field).trailing")
  }

  fileprivate mutating func expectAnchor(_ anchor: LayoutAnchor, _ field: String) {
    switch anchor.offset {
    case .absolute(let point): expectFinite(point, "\(field).absolute_offset")
    case .fractional(let point): expectFinite(point, "\(field).fractional_offset")
    }
  }

  fileprivate mutating func expectBadges(_ items: [AnchoredSupplementaryItem], _ field: String) {
    expectCount(
      items.count,
      of: "items",
      atMost: CompositionalLayout.Limit.badgesPerHost,
      field
    )
    var kinds: Set<String> = []
    for (index, item) in items.enumerated() {
      let field = "\(field)[\(index)]"
      expectKind(item.kind, "\(field).kind")
      if !kinds.insert(item.kind).inserted {
        reject("\(field).kind", "is \"\(item.kind)\" for the second time; kinds must differ")
      }
      expectDimensions(item.size, "\(field).size")
      expectAnchor(item.containerAnchor, "\(field).container_anchor")
      if let anchor = item.itemAnchor { expectAnchor(anchor, "\(field).item_anchor") }
    }
  }

  fileprivate mutating func expectBoundaryItems(
    _ items: [BoundarySupplementaryItem],
    _ field: String
  ) {
    expectCount(
      items.count,
      of: "items",
      atMost: CompositionalLayout.Limit.boundaryItems,
      field
    )
    var kinds: Set<String> = []
    for (index, item) in items.enumerated() {
      let field = "\(field)[\(index)]"
      expectKind(item.kind, "\(field).kind")
      if !kinds.insert(item.kind).inserted {
        reject("\(field).kind", "is \"\(item.kind)\" for the second time; kinds must differ")
      }
      expectDimensions(item.size, "\(field).size")
      if item.alignment == nil {
        reject("\(field).alignment", "is not given; an edge or a corner is needed")
      }
      expectFinite(item.absoluteOffset, "\(field).absolute_offset")
    }
  }
}
