// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

extension PictureGroup {
  private static let rules = """
    {"responsive":{"animated":true,"variants":[
    {"condition":{"belowWidth":400},"layout":{"list":{"rowHeight":64,"separatorThickness":1,
    "separatorInsets":{"leading":16}}}},
    {"condition":{"belowWidth":800},"layout":{"waterfall":{"columnCount":3,"columnSpacing":8,
    "itemSpacing":8,"sectionInset":{"top":8,"leading":8,"bottom":8,"trailing":8}}}}],
    "otherwise":{"flow":{"minimumLineSpacing":12,"minimumInteritemSpacing":12,
    "sectionInset":{"top":16,"leading":16,"bottom":16,"trailing":16}}}}}
    """

  /// One layout at three widths.
  static let responsive = PictureGroup(
    title: "Responsive",
    pictures: [
      responsive("narrow", "below 400, a list", width: 320),
      responsive("medium", "below 800, columns", width: 640),
      responsive("wide", "otherwise lines", width: 960),
    ]
  )

  private static func responsive(_ name: String, _ rule: String, width: Double) -> Picture {
    Picture(
      name: "responsive-\(name)",
      title: "Responsive: \(rule)",
      layout: rules,
      contents: .cards([12]),
      viewport: Size(width: width, height: 420)
    )
  }
}
