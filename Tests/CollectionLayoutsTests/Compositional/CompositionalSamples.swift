// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts

/// Rows of a height over the whole width.
func rows(
  _ height: LayoutDimension = .absolute(50),
  width: LayoutDimension = .fractionalWidth(1)
) -> LayoutGroup {
  LayoutGroup(
    axis: .horizontal,
    size: LayoutSize(width: width, height: height),
    subitems: [
      .item(
        LayoutItem(
          size: LayoutSize(
            width: .fractionalWidth(1),
            height: height.isEstimated ? height : .fractionalHeight(1)
          )
        )
      )
    ]
  )
}

func header(
  _ kind: String = "header",
  height: Double = 30,
  alignment: RectAlignment = .top,
  isPinned: Bool = false
) -> BoundarySupplementaryItem {
  BoundarySupplementaryItem(
    kind: kind,
    size: LayoutSize(width: .fractionalWidth(1), height: .absolute(height)),
    alignment: alignment,
    pinToVisibleBounds: isPinned
  )
}
