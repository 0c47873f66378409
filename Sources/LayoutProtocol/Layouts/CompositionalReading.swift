// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry

// Fields that are not set become `unspecified` values; the layout's own validation says which it
// needs.

extension FieldReader {
  mutating func compositional(_ message: Wire.CompositionalLayout) -> CompositionalLayout {
    CompositionalLayout(
      scrollAxis: scrollAxis(message.scrollDirection, "scroll_direction") ?? .vertical,
      interSectionSpacing: number(message.interSectionSpacing, "inter_section_spacing"),
      sections: each(message.sections, "sections") { $1.compositionalSection($0) },
      boundarySupplementaryItems: each(
        message.boundarySupplementaryItems,
        "boundary_supplementary_items"
      ) { $1.boundaryItem($0) },
      contentInsetsReference: insetsReference(
        message.contentInsetsReference,
        "content_insets_reference"
      )
    )
  }

  mutating func compositionalSection(
    _ message: Wire.CompositionalSection
  ) -> CompositionalSection {
    var section = CompositionalSection(
      name: text(message.name, "name", maxBytes: FieldReader.maxNameBytes),
      group: within("group") { $0.group(message.group) },
      contentInsets: message.hasContentInsets
        ? insets(message.contentInsets, "content_insets") : .zero,
      contentInsetsReference: insetsReference(
        message.contentInsetsReference,
        "content_insets_reference"
      ),
      interGroupSpacing: number(message.interGroupSpacing, "inter_group_spacing"),
      orthogonalScrolling: orthogonalScrolling(message.orthogonalScrolling),
      boundarySupplementaryItems: each(
        message.boundarySupplementaryItems,
        "boundary_supplementary_items"
      ) { $1.boundaryItem($0) },
      backgrounds: each(message.backgrounds, "backgrounds") { $1.background($0) },
      supplementariesFollowContentInsets: message.hasSupplementariesFollowContentInsets
        ? message.supplementariesFollowContentInsets : true,
      supplementaryContentInsetsReference: insetsReference(
        message.supplementaryContentInsetsReference,
        "supplementary_content_insets_reference"
      ),
      visibleItemEffects: each(message.visibleItemEffects, "visible_item_effects") {
        $1.effect($0)
      }
    )
    if message.hasList { section.list = within("list") { $0.listConfiguration(message.list) } }
    return section
  }

  private mutating func orthogonalScrolling(
    _ message: Wire.OrthogonalScrolling
  ) -> OrthogonalScrolling {
    choice(message, "orthogonal_scrolling") { scrolling -> OrthogonalScrolling? in
      switch scrolling {
      case .unspecified, .none: OrthogonalScrolling.none
      case .continuous: .continuous
      case .continuousGroupLeadingBoundary: .continuousGroupLeadingBoundary
      case .paging: .paging
      case .groupPaging: .groupPaging
      case .groupPagingCentered: .groupPagingCentered
      case .UNRECOGNIZED: nil
      }
    } ?? .none
  }

  private mutating func effect(_ message: Wire.VisibleItemEffect) -> VisibleItemEffect {
    let attribute =
      choice(message.attribute, "attribute") { attribute -> VisibleItemEffect.Attribute?? in
        switch attribute {
        case .unspecified: .some(nil)
        case .scale: .scale
        case .alpha: .alpha
        case .translationX: .translationX
        case .translationY: .translationY
        case .rotation: .rotation
        case .UNRECOGNIZED: nil
        }
      } ?? nil
    return VisibleItemEffect(
      attribute: attribute,
      activeDistance: number(message.activeDistance, "active_distance"),
      atCenter: number(message.atCenter, "at_center"),
      atDistance: number(message.atDistance, "at_distance")
    )
  }

  private mutating func boundaryItem(
    _ message: Wire.BoundarySupplementaryItem
  ) -> BoundarySupplementaryItem {
    let alignment =
      choice(message.alignment, "alignment") { alignment -> RectAlignment?? in
        switch alignment {
        case .unspecified: .some(nil)
        case .UNRECOGNIZED: nil
        // The raw values of `RectAlignment` are the numbers of the enumeration; others become nil,
        // which the layout refuses.
        default: .some(RectAlignment(rawValue: UInt8(clamping: alignment.rawValue)))
        }
      } ?? nil
    return BoundarySupplementaryItem(
      kind: text(message.kind, "kind", maxBytes: FieldReader.maxNameBytes),
      size: layoutSize(message.size, "size"),
      alignment: alignment,
      absoluteOffset: message.hasAbsoluteOffset
        ? point(message.absoluteOffset, "absolute_offset") : .zero,
      extendsBoundary: message.hasExtendsBoundary ? message.extendsBoundary : true,
      pinToVisibleBounds: message.pinToVisibleBounds,
      zIndex: message.hasZIndex ? Int(message.zIndex) : nil
    )
  }
}

// MARK: - Groups and items

extension FieldReader {
  private mutating func group(_ message: Wire.LayoutGroup) -> LayoutGroup {
    let axis =
      choice(message.axis, "axis") { axis -> LayoutGroup.Axis?? in
        switch axis {
        case .unspecified: .some(nil)
        case .horizontal: .horizontal
        case .vertical: .vertical
        case .UNRECOGNIZED: nil
        }
      } ?? nil
    return LayoutGroup(
      axis: axis,
      size: layoutSize(message.size, "size"),
      subitems: each(message.subitems, "subitems") { $1.subitem($0) },
      count: Int(message.count),
      interitemSpacing: message.hasInteritemSpacing
        ? spacing(message.interitemSpacing, "interitem_spacing") : .zero,
      contentInsets: message.hasContentInsets
        ? insets(message.contentInsets, "content_insets") : .zero,
      edgeSpacing: message.hasEdgeSpacing ? edgeSpacing(message.edgeSpacing) : .zero,
      supplementaryItems: each(message.supplementaryItems, "supplementary_items") {
        $1.anchoredItem($0)
      },
      customFrames: each(message.customFrames, "custom_frames") { $1.rect($0) }
    )
  }

  private mutating func subitem(_ message: Wire.LayoutSubitem) -> LayoutSubitem {
    switch message.subitem {
    case .item(let item): .item(within("item") { $0.layoutItem(item) })
    case .group(let group): .group(within("group") { $0.group(group) })
    case nil: .unspecified
    }
  }

  private mutating func layoutItem(_ message: Wire.LayoutItem) -> LayoutItem {
    LayoutItem(
      size: layoutSize(message.size, "size"),
      contentInsets: message.hasContentInsets
        ? insets(message.contentInsets, "content_insets") : .zero,
      edgeSpacing: message.hasEdgeSpacing ? edgeSpacing(message.edgeSpacing) : .zero,
      supplementaryItems: each(message.supplementaryItems, "supplementary_items") {
        $1.anchoredItem($0)
      }
    )
  }

  private mutating func anchoredItem(
    _ message: Wire.AnchoredSupplementaryItem
  ) -> AnchoredSupplementaryItem {
    AnchoredSupplementaryItem(
      kind: text(message.kind, "kind", maxBytes: FieldReader.maxNameBytes),
      size: layoutSize(message.size, "size"),
      containerAnchor: within("container_anchor") { $0.anchor(message.containerAnchor) },
      itemAnchor: message.hasItemAnchor
        ? within("item_anchor") { $0.anchor(message.itemAnchor) } : nil,
      zIndex: message.hasZIndex ? Int(message.zIndex) : 1
    )
  }

  private mutating func anchor(_ message: Wire.LayoutAnchor) -> LayoutAnchor {
    let offset: LayoutAnchor.Offset =
      switch message.offset {
      case .absoluteOffset(let offset): .absolute(point(offset, "absolute_offset"))
      case .fractionalOffset(let offset): .fractional(point(offset, "fractional_offset"))
      case nil: .absolute(.zero)
      }
    return LayoutAnchor(
      top: message.top,
      leading: message.leading,
      bottom: message.bottom,
      trailing: message.trailing,
      offset: offset
    )
  }

  private mutating func layoutSize(
    _ message: Wire.LayoutSize,
    _ name: StaticString
  ) -> LayoutSize {
    within(name) { reader in
      LayoutSize(
        width: reader.dimension(message.width, "width"),
        height: reader.dimension(message.height, "height")
      )
    }
  }

  private mutating func dimension(
    _ message: Wire.LayoutDimension,
    _ name: StaticString
  ) -> LayoutDimension {
    within(name) { reader in
      switch message.dimension {
      case .fractionalWidth(let value):
        .fractionalWidth(reader.number(value, "fractional_width"))
      case .fractionalHeight(let value):
        .fractionalHeight(reader.number(value, "fractional_height"))
      case .absolute(let value): .absolute(reader.number(value, "absolute"))
      case .estimated(let value): .estimated(reader.number(value, "estimated"))
      case .uniformAcrossSiblings(let value):
        .uniformAcrossSiblings(reader.number(value, "uniform_across_siblings"))
      case nil: .unspecified
      }
    }
  }

  private mutating func spacing(
    _ message: Wire.LayoutSpacing,
    _ name: StaticString
  ) -> LayoutSpacing {
    within(name) { reader in
      switch message.spacing {
      case .fixed(let value): .fixed(reader.number(value, "fixed"))
      case .flexible(let value): .flexible(reader.number(value, "flexible"))
      case nil: .zero
      }
    }
  }

  private mutating func edgeSpacing(_ message: Wire.EdgeSpacing) -> EdgeSpacing {
    within("edge_spacing") { reader in
      EdgeSpacing(
        top: reader.spacing(message.top, "top"),
        leading: reader.spacing(message.leading, "leading"),
        bottom: reader.spacing(message.bottom, "bottom"),
        trailing: reader.spacing(message.trailing, "trailing")
      )
    }
  }
}
