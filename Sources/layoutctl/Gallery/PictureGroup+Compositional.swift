// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

extension PictureGroup {
  private static let whole = #"{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1}}"#
  private static let gap = #""contentInsets":{"top":4,"leading":4,"bottom":4,"trailing":4}"#
  private static let margins = #""contentInsets":{"top":8,"leading":12,"bottom":8,"trailing":12}"#

  private static let header = """
    "boundarySupplementaryItems":[{"kind":"header","alignment":"RECT_ALIGNMENT_TOP",
    "size":{"width":{"fractionalWidth":1},"height":{"absolute":32}}}]
    """

  /// Three columns whose widths are fractions of the container's.
  private static let columns = """
    {"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"fractionalWidth":1},
    "height":{"absolute":90}},"subitems":[{"item":{"size":{"width":{"fractionalWidth":0.3333333333},
    "height":{"fractionalHeight":1}},\(gap)}}]},\(margins),\(header)}
    """

  /// A large item beside two small ones, then the mirror image.
  private static let mosaic = """
    {"group":{"axis":"AXIS_VERTICAL","size":{"width":{"fractionalWidth":1},
    "height":{"absolute":320}},"subitems":[
    {"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"fractionalWidth":1},
    "height":{"fractionalHeight":0.6}},"subitems":[
    {"item":{"size":{"width":{"fractionalWidth":0.6},"height":{"fractionalHeight":1}},\(gap)}},
    {"group":{"axis":"AXIS_VERTICAL","size":{"width":{"fractionalWidth":0.4},
    "height":{"fractionalHeight":1}},"count":2,"subitems":[{"item":{"size":\(whole),\(gap)}}]}}]}},
    {"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"fractionalWidth":1},
    "height":{"fractionalHeight":0.4}},"count":3,"subitems":[{"item":{"size":\(whole),\(gap)}}]}}
    ]},\(margins),"interGroupSpacing":6}
    """

  private static let orthogonal = """
    {"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"absolute":190},"height":{"absolute":120}},
    "subitems":[{"item":{"size":\(whole)}}]},"interGroupSpacing":10,\(margins),\(header),
    "orthogonalScrolling":"ORTHOGONAL_SCROLLING_GROUP_PAGING"}
    """

  /// Self-sizing items, three in a group.
  private static func selfSizing(group: String, item: String) -> String {
    """
    {"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"fractionalWidth":1},"height":{\(group):50}},
    "interitemSpacing":{"fixed":8},"subitems":[{"item":{"size":{"width":{"fractionalWidth":0.3333333333},
    "height":{\(item):50}}}}]},"interGroupSpacing":8,\(margins),"backgrounds":[{"kind":"plate",
    "insets":{"top":2,"leading":4,"bottom":2,"trailing":4}}]}
    """
  }

  static let compositional = PictureGroup(
    title: "Compositional",
    pictures: [
      picture("columns", "three columns, headers", "\"sections\":[\(columns)]", [8, 5]),
      picture("nested-groups", "nested groups", "\"sections\":[\(mosaic)]", [17]),
      picture(
        "badges",
        "badges on items, outside and inside their corners",
        """
        "sections":[{"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"fractionalWidth":1},
        "height":{"absolute":110}},"count":4,"interitemSpacing":{"fixed":18},"subitems":[{"item":{
        "size":\(whole),"supplementaryItems":[
        {"kind":"badge","size":{"width":{"absolute":26},"height":{"absolute":26}},
        "containerAnchor":{"top":true,"trailing":true,"fractionalOffset":{"x":0.3,"y":-0.3}}},
        {"kind":"tag","size":{"width":{"absolute":44},"height":{"absolute":18}},
        "containerAnchor":{"bottom":true,"leading":true,"absoluteOffset":{"x":6,"y":-6}}}]}}]},
        "contentInsets":{"top":20,"leading":20,"bottom":20,"trailing":20},"interGroupSpacing":18}]
        """,
        [10]
      ),
      picture(
        "orthogonal",
        "a section that scrolls by itself between others",
        "\"interSectionSpacing\":8,\"sections\":[\(columns),\(orthogonal)]",
        [6, 9, 3]
      ),
      picture(
        "custom-frames",
        "a group of frames of its own",
        """
        "sections":[{"group":{"size":{"width":{"absolute":360},"height":{"absolute":190}},
        "customFrames":[{"width":120,"height":90},{"x":130,"width":110,"height":60},
        {"x":130,"y":70,"width":110,"height":110},{"y":100,"width":120,"height":80},
        {"x":250,"y":20,"width":100,"height":140}]},"interGroupSpacing":12,\(margins)}]
        """,
        [15]
      ),
      picture(
        "flexible-spacing",
        "flexible spacing and edges",
        """
        "sections":[{"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"fractionalWidth":1},
        "height":{"absolute":80}},"interitemSpacing":{"flexible":10},"subitems":[
        {"item":{"size":{"width":{"absolute":150},"height":{"fractionalHeight":1}}}},
        {"item":{"size":{"width":{"absolute":90},"height":{"fractionalHeight":0.6}},
        "edgeSpacing":{"top":{"flexible":0},"bottom":{"fixed":6}}}}]},"interGroupSpacing":10,
        \(margins)}]
        """,
        [11]
      ),
      picture(
        "backgrounds",
        "section backgrounds and a header for the whole layout",
        """
        "interSectionSpacing":14,"boundarySupplementaryItems":[{"kind":"title",
        "alignment":"RECT_ALIGNMENT_TOP","size":{"width":{"fractionalWidth":1},
        "height":{"absolute":44}}}],"sections":[{"group":{"axis":"AXIS_HORIZONTAL",
        "size":{"width":{"fractionalWidth":1},"height":{"absolute":70}},"count":5,
        "interitemSpacing":{"fixed":8},"subitems":[{"item":{"size":\(whole)}}]},
        "interGroupSpacing":8,"contentInsets":{"top":14,"leading":24,"bottom":14,"trailing":24},
        "backgrounds":[{"kind":"panel","insets":{"top":4,"leading":10,"bottom":4,"trailing":10}}]}]
        """,
        [9, 7]
      ),
      Picture(
        name: "compositional-uniform",
        title: "Compositional: estimated items, items as high as the highest of their group, and "
          + "groups as high as the highest of the section",
        layout: """
          {"compositional":{"interSectionSpacing":12,"sections":[
          \(selfSizing(group: #""estimated""#, item: #""estimated""#)),
          \(selfSizing(group: #""estimated""#, item: #""uniformAcrossSiblings""#)),
          \(selfSizing(group: #""uniformAcrossSiblings""#, item: #""uniformAcrossSiblings""#))]}}
          """,
        contents: .cards([6, 6, 6]),
        viewport: Size(width: 560, height: 1000)
      ),
      Picture(
        name: "compositional-safe-area",
        title: "Compositional: columns in the safe area of a phone on its side, a row beyond it",
        layout: """
          {"compositional":{"sections":[\(columns),{"group":{"axis":"AXIS_HORIZONTAL",
          "size":{"width":{"fractionalWidth":1},"height":{"absolute":60}},"count":4,
          "subitems":[{"item":{"size":\(whole),\(gap)}}]},
          "contentInsetsReference":"INSETS_REFERENCE_NONE"}]}}
          """,
        contents: .plain([5, 4]),
        viewport: Size(width: 640, height: 320),
        safeArea: EdgeInsets(top: 0, leading: 59, bottom: 21, trailing: 59)
      ),
      picture(
        "horizontal",
        "scrolling horizontally",
        """
        "scrollDirection":"SCROLL_DIRECTION_HORIZONTAL","sections":[{"group":{
        "axis":"AXIS_VERTICAL","size":{"width":{"absolute":130},"height":{"fractionalHeight":1}},
        "count":3,"interitemSpacing":{"fixed":8},"subitems":[{"item":{"size":\(whole)}}]},
        "interGroupSpacing":8,\(margins)}]
        """,
        [13, 7]
      ),
      picture(
        "right-to-left",
        "nested groups, right to left",
        "\"sections\":[\(mosaic)]",
        [11],
        isRightToLeft: true
      ),
    ]
  )

  private static func picture(
    _ name: String,
    _ title: String,
    _ fields: String,
    _ counts: [Int],
    isRightToLeft: Bool = false
  ) -> Picture {
    Picture(
      name: "compositional-\(name)",
      title: "Compositional: \(title)",
      layout: "{\"compositional\":{\(fields)}}",
      contents: .plain(counts),
      viewport: Size(width: 560, height: 420),
      isRightToLeft: isRightToLeft
    )
  }
}
