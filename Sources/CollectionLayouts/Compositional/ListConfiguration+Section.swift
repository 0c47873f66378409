// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

// What UIKit was recorded to make of list configurations: its own sections, with these figures.
extension ListConfiguration {
  /// The height of rows without one, in points.
  var rowHeight: Double { estimatedRowHeight ?? (idiom == .mac ? 44 * 0.91 : 44) }

  /// The room above a header that is a supplementary element, in points.
  var paddingAboveHeader: Double { headerMode == .supplementary ? headerTopPadding ?? 0 : 0 }

  /// The insets of a section: the room above a first item that is the header is part of them.
  var sectionInsets: EdgeInsets {
    var insets = contentInsets ?? appearanceInsets
    if headerMode == .firstItemInSection {
      insets.top += headerTopPadding ?? (appearance == .plain ? 22 : 0)
    }
    return insets
  }

  private var appearanceInsets: EdgeInsets {
    let isBare = footerMode == .none
    let sidebarSide = idiom == .mac ? 10 / 0.77 : 10
    let (top, bottom, side): (Double, Double, Double) =
      switch appearance {
      case .plain: (0, 0, 0)
      case .grouped: (headerMode == .none ? 35 : 0, isBare ? 20 : 0, 0)
      case .insetGrouped: (headerMode == .none ? 35 : 0, isBare ? 20 : 0, 16)
      case .sidebar: (0, isBare ? 10 : 0, sidebarSide)
      case .sidebarPlain: (0, 0, sidebarSide)
      }
    return EdgeInsets(top: top, leading: side, bottom: bottom, trailing: side)
  }

  /// The list's own header and footer.
  var boundaryItems: [BoundarySupplementaryItem] {
    let isPinned = appearance == .plain || appearance == .sidebarPlain
    func item(_ kind: String, _ alignment: RectAlignment) -> BoundarySupplementaryItem {
      BoundarySupplementaryItem(
        kind: kind,
        size: LayoutSize(width: .fractionalWidth(1), height: .estimated(isPinned ? 28 : 17.5)),
        alignment: alignment,
        pinToVisibleBounds: isPinned,
        zIndex: 200
      )
    }
    var items: [BoundarySupplementaryItem] = []
    if headerMode == .supplementary { items.append(item(StandardKind.header, .top)) }
    if footerMode == .supplementary { items.append(item(StandardKind.footer, .bottom)) }
    return items
  }

  /// The kinds of the separators that rows may have.
  var separatorKinds: [String] {
    showsSeparators ? [StandardKind.separator, StandardKind.topSeparator] : []
  }

  /// One row of the section's width, as UIKit has it.
  fileprivate var group: LayoutGroup {
    let size = LayoutSize(width: .fractionalWidth(1), height: .estimated(rowHeight))
    return LayoutGroup(axis: .horizontal, size: size, subitems: [.item(LayoutItem(size: size))])
  }
}

extension CompositionalSection {
  /// A list as a section of groups; any other section unchanged.
  var resolved: CompositionalSection {
    guard let list else { return self }
    var section = self
    section.group = list.group
    section.contentInsets = list.sectionInsets
    section.orthogonalScrolling = .none
    section.visibleItemEffects = []
    let own = list.boundaryItems.filter { item in
      !boundarySupplementaryItems.contains { $0.kind == item.kind }
    }
    section.boundarySupplementaryItems = own + boundarySupplementaryItems
    return section
  }
}
