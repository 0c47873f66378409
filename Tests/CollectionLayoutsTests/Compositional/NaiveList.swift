// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

/// Lists by their rules: as sections of groups, and row by row.
enum NaiveList {
  /// The section that UIKit makes of a list, with groups of one row.
  static func groups(
    _ list: ListConfiguration,
    spacing: Double,
    _ backgrounds: [SectionBackground]
  ) -> CompositionalSection {
    let row = LayoutSize(
      width: .fractionalWidth(1),
      height: .estimated(list.estimatedRowHeight ?? (list.idiom == .mac ? 40.04 : 44))
    )
    let isPlain = list.appearance == .plain || list.appearance == .sidebarPlain
    var insets = list.contentInsets ?? appearanceInsets(list)
    if list.appearance == .plain, list.headerMode == .firstItemInSection { insets.top += 22 }
    var items: [BoundarySupplementaryItem] = []
    for (kind, alignment, exists) in [
      ("header", RectAlignment.top, list.headerMode == .supplementary),
      ("footer", .bottom, list.footerMode == .supplementary),
    ] where exists {
      items.append(
        BoundarySupplementaryItem(
          kind: kind,
          size: LayoutSize(width: .fractionalWidth(1), height: .estimated(isPlain ? 28 : 17.5)),
          alignment: alignment,
          pinToVisibleBounds: isPlain,
          zIndex: 200
        )
      )
    }
    return CompositionalSection(
      group: LayoutGroup(axis: .horizontal, size: row, subitems: [.item(LayoutItem(size: row))]),
      contentInsets: insets,
      contentInsetsReference: .none,
      interGroupSpacing: spacing,
      boundarySupplementaryItems: items,
      backgrounds: backgrounds
    )
  }

  private static func appearanceInsets(_ list: ListConfiguration) -> EdgeInsets {
    var insets = EdgeInsets.zero
    let isGrouped = list.appearance == .grouped || list.appearance == .insetGrouped
    if isGrouped, list.headerMode == .none { insets.top = 35 }
    if list.footerMode == .none {
      if isGrouped { insets.bottom = 20 }
      if list.appearance == .sidebar { insets.bottom = 10 }
    }
    switch list.appearance {
    case .plain, .grouped: break
    case .insetGrouped: insets.leading = 16
    case .sidebar, .sidebarPlain: insets.leading = list.idiom == .mac ? 12.987012987012987 : 10
    }
    insets.trailing = insets.leading
    return insets
  }

  /// The separators of all rows, in the order of answers.
  ///
  /// - Parameter prepared: says where the rows are.
  static func separators(
    _ section: CompositionalSection,
    _ prepared: any PreparedLayout,
    _ viewport: Viewport
  ) -> [(key: ElementKey, frame: Rect)] {
    guard let list = section.list, list.showsSeparators else { return [] }
    let thickness = list.separatorThickness ?? 1 / prepared.context.container.displayScale
    guard thickness > 0 else { return [] }
    var found: [(key: ElementKey, frame: Rect)] = []
    for key in prepared.cellKeys {
      guard let row = prepared.attributes(of: key, viewport: viewport)?.frame,
        let item = key.indexPath.item
      else { continue }
      let count = prepared.context.contents.section(at: key.indexPath.section).items.count
      let own = list.rowSeparators.first { $0.cellKind == key.kind }
      let separator = own?.separator ?? list.separator
      func add(_ kind: String, _ y: Double, _ insets: EdgeInsets) {
        let strip = Rect(x: row.x, y: y, width: row.width, height: thickness)
        found.append(
          (
            ElementKey(category: .decoration, kind: kind, indexPath: key.indexPath),
            strip.inset(by: insets, rightToLeft: viewport.isRightToLeft)
          )
        )
      }
      let isLast = item == count - 1
      if separator.bottomVisibility == .visible
        || separator.bottomVisibility == .automatic && !isLast
      {
        add("separator", row.maxY, separator.bottomInsets)
      }
      if separator.topVisibility == .visible {
        add("top-separator", row.minY, separator.topInsets)
      }
    }
    return found
  }
}

extension SplitMix64 {
  mutating func listConfiguration() -> ListConfiguration {
    ListConfiguration(
      appearance: ListConfiguration.Appearance.allCases[int(0 ... 4)],
      headerMode: ListConfiguration.HeaderMode.allCases[int(0 ... 2)],
      footerMode: ListConfiguration.FooterMode.allCases[int(0 ... 1)],
      idiom: chance(50) ? .phone : .mac,
      headerTopPadding: chance(70) ? nil : length(0 ... 40),
      estimatedRowHeight: chance(60) ? nil : length(1 ... 90),
      contentInsets: chance(70) ? nil : insets(0 ... 30),
      separatorThickness: chance(50) ? nil : length(0 ... 3),
      separator: listSeparator(),
      rowSeparators: chance(50)
        ? []
        : ["photo", "none"].map {
          ListConfiguration.RowSeparator(cellKind: $0, separator: listSeparator())
        }
    )
  }

  mutating func listSeparator() -> ListSeparator {
    let visibilities = ListSeparator.Visibility.allCases
    return ListSeparator(
      topVisibility: visibilities[int(0 ... 2)],
      bottomVisibility: visibilities[int(0 ... 2)],
      topInsets: EdgeInsets(top: 0, leading: length(0 ... 20), bottom: 0, trailing: 0),
      bottomInsets: EdgeInsets(top: 0, leading: 0, bottom: 0, trailing: length(0 ... 20))
    )
  }
}
