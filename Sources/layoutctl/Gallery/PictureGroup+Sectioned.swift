// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

extension PictureGroup {
  private static let inset = #""sectionInset":{"top":10,"leading":16,"bottom":10,"trailing":16}"#

  static let flow = PictureGroup(
    title: "Flow",
    pictures: [
      Picture(
        name: "flow",
        title: "Flow: lines of items, justified",
        layout: """
          {"flow":{\(inset),"headerReferenceSize":{"height":32},"footerReferenceSize":{"height":20}}}
          """,
        contents: .pictures([14, 5, 11])
      ),
      Picture(
        name: "flow-equal-sizes",
        title: "Flow: the last line keeps the gaps of equal items",
        layout: "{\"flow\":{\"itemSize\":{\"width\":110,\"height\":80},\(inset)}}",
        contents: .plain([13, 8])
      ),
      Picture(
        name: "flow-leading",
        title: "Flow: from the leading edge, lines aligned at their start",
        layout: """
          {"flow":{"alignment":"FLOW_ALIGNMENT_LEADING","crossAlignment":"CROSS_ALIGNMENT_START",
          \(inset)}}
          """,
        contents: .cards([20])
      ),
      Picture(
        name: "flow-center",
        title: "Flow: centred lines",
        layout: "{\"flow\":{\"alignment\":\"FLOW_ALIGNMENT_CENTER\",\(inset)}}",
        contents: .cards([20])
      ),
      Picture(
        name: "flow-trailing",
        title: "Flow: to the trailing edge, lines aligned at their end",
        layout: """
          {"flow":{"alignment":"FLOW_ALIGNMENT_TRAILING","crossAlignment":"CROSS_ALIGNMENT_END",
          \(inset)}}
          """,
        contents: .cards([20])
      ),
      Picture(
        name: "flow-layout-margins",
        title: "Flow: section insets from layout margins of 40; the header keeps the full width",
        layout: """
          {"flow":{"itemSize":{"width":110,"height":80},\(inset),
          "headerReferenceSize":{"height":32},
          "sectionInsetReference":"INSETS_REFERENCE_LAYOUT_MARGINS"}}
          """,
        contents: .plain([11]),
        layoutMargins: EdgeInsets(top: 0, leading: 40, bottom: 0, trailing: 40)
      ),
      Picture(
        name: "flow-pinned",
        title: "Flow: a pinned header over section backgrounds, scrolled",
        layout: """
          {"flow":{\(inset),"headerReferenceSize":{"height":36},
          "sectionHeadersPinToVisibleBounds":true},
          "sectionBackgrounds":[{"kind":"background","insets":{"top":4,"leading":6,"bottom":4,
          "trailing":6}}]}
          """,
        contents: .pictures([22, 9, 13]),
        viewport: Size(width: 640, height: 400),
        offset: Point(x: 0, y: 170)
      ),
      Picture(
        name: "flow-horizontal",
        title: "Flow: scrolling horizontally",
        layout: """
          {"flow":{"scrollDirection":"SCROLL_DIRECTION_HORIZONTAL",\(inset),
          "headerReferenceSize":{"width":40}}}
          """,
        contents: .cards([16, 9]),
        viewport: Size(width: 480, height: 360)
      ),
      Picture(
        name: "flow-right-to-left",
        title: "Flow: right to left",
        layout: "{\"flow\":{\(inset),\"headerReferenceSize\":{\"height\":32}}}",
        contents: .pictures([12, 7]),
        isRightToLeft: true
      ),
    ]
  )

  static let list = PictureGroup(
    title: "List",
    pictures: [
      Picture(
        name: "list",
        title: "List: rows, separators, headers and footers",
        layout: """
          {"list":{"headerHeight":34,"footerHeight":22,"separatorThickness":2,
          "separatorInsets":{"leading":24},"sectionInset":{"top":4,"bottom":8}}}
          """,
        contents: .plain([4, 3]),
        viewport: Size(width: 480, height: 360)
      ),
      Picture(
        name: "list-pinned",
        title: "List: pinned headers and footers, scrolled",
        layout: """
          {"list":{"headerHeight":34,"footerHeight":26,"rowSpacing":4,
          "headersPinToVisibleBounds":true,"footersPinToVisibleBounds":true}}
          """,
        contents: .plain([9, 6]),
        viewport: Size(width: 480, height: 300),
        offset: Point(x: 0, y: 120)
      ),
      Picture(
        name: "list-inset-grouped",
        title: "List configuration: inset grouped, the first item of a section is its header",
        layout: """
          {"compositional":{"sections":[{"list":{"appearance":"APPEARANCE_INSET_GROUPED",
          "headerMode":"HEADER_MODE_FIRST_ITEM_IN_SECTION",
          "footerMode":"FOOTER_MODE_SUPPLEMENTARY","separatorThickness":2,
          "separator":{"bottomInsets":{"leading":40}}}}]}}
          """,
        contents: .plain([4, 3]),
        viewport: Size(width: 480, height: 380)
      ),
      Picture(
        name: "list-sidebar",
        title: "List configuration: a sidebar; rows of one kind have a line above, not below",
        layout: """
          {"compositional":{"sections":[{"list":{"appearance":"APPEARANCE_SIDEBAR",
          "headerMode":"HEADER_MODE_SUPPLEMENTARY","idiom":"IDIOM_MAC","separatorThickness":2,
          "separator":{"bottomInsets":{"leading":16,"trailing":8}},
          "rowSeparators":[{"cellKind":"text","separator":{
          "topVisibility":"VISIBILITY_VISIBLE","bottomVisibility":"VISIBILITY_HIDDEN"}}]}}]},
          "pixelAligned":true}
          """,
        contents: .kinds([7, 3]),
        viewport: Size(width: 300, height: 480)
      ),
      Picture(
        name: "list-right-to-left",
        title: "List: right to left, separators inset at the leading edge",
        layout: """
          {"list":{"headerHeight":30,"separatorThickness":2,"separatorInsets":{"leading":60},
          "sectionInset":{"leading":30}}}
          """,
        contents: .plain([5]),
        viewport: Size(width: 480, height: 300),
        isRightToLeft: true
      ),
    ]
  )

  static let grid = PictureGroup(
    title: "Grid",
    pictures: [
      Picture(
        name: "grid",
        title: "Grid: a row for each section, scrolling both ways",
        layout: """
          {"grid":{"itemSize":{"width":70,"height":50},"interitemSpacing":8,"lineSpacing":8}}
          """,
        contents: .plain([12, 7, 9, 12, 4, 10]),
        viewport: Size(width: 480, height: 300),
        offset: Point(x: 120, y: 40)
      ),
      Picture(
        name: "grid-right-to-left",
        title: "Grid: right to left",
        layout: """
          {"grid":{"itemSize":{"width":70,"height":50},"interitemSpacing":8,"lineSpacing":8}}
          """,
        contents: .plain([8, 5, 7]),
        viewport: Size(width: 480, height: 200),
        isRightToLeft: true
      ),
    ]
  )

  static let waterfall = PictureGroup(
    title: "Waterfall",
    pictures: [
      waterfall("shortest-first", "the shortest column first", #""columnCount":4"#),
      waterfall(
        "leading-to-trailing",
        "columns in turn",
        #""columnCount":4,"order":"WATERFALL_ORDER_LEADING_TO_TRAILING""#
      ),
      waterfall(
        "trailing-to-leading",
        "columns in turn, from the trailing edge",
        #""columnCount":4,"order":"WATERFALL_ORDER_TRAILING_TO_LEADING""#
      ),
      waterfall(
        "minimum-width",
        "as many columns of at least 90 points as fit",
        #""minimumColumnWidth":90"#
      ),
      Picture(
        name: "waterfall-horizontal",
        title: "Waterfall: scrolling horizontally",
        layout: """
          {"waterfall":{"scrollDirection":"SCROLL_DIRECTION_HORIZONTAL","columnCount":3,
          "columnSpacing":8,"itemSpacing":8,"headerHeight":36}}
          """,
        contents: .cards([18, 9]),
        viewport: Size(width: 480, height: 360)
      ),
      waterfall("right-to-left", "right to left", #""columnCount":4"#, isRightToLeft: true),
    ]
  )

  static let gridLanes = PictureGroup(
    title: "Grid lanes",
    pictures: [
      gridLanes("unequal", "a fixed lane between lanes that share the rest", unequal),
      gridLanes(
        "spans",
        "every fifth item across two lanes",
        #"\#(filled),"placements":[{"cellKind":"text","span":2}]"#
      ),
      gridLanes(
        "dense",
        "every fifth item across two lanes, and room given away",
        #"\#(filled),"dense":true,"placements":[{"cellKind":"text","span":2}]"#
      ),
      gridLanes(
        "given-lane",
        "every fifth item in the last of three lanes",
        #"\#(unequal),"placements":[{"cellKind":"text","lane":3}]"#
      ),
      gridLanes("tolerance", "lanes in turn, however long", #"\#(filled),"flowTolerance":10000"#),
      gridLanes(
        "reverse",
        "from the end and the trailing edge on",
        #"\#(filled),"fillReverse":true,"trackReverse":true"#
      ),
      gridLanes("right-to-left", "right to left", unequal, isRightToLeft: true),
    ]
  )

  private static let unequal =
    #""lanes":[{"fraction":1},{"length":90},{"fraction":2}],"flowTolerance":0"#
  private static let filled = #""lanes":[{"fraction":1,"minimum":90,"autoFill":true}]"#

  private static func gridLanes(
    _ name: String,
    _ title: String,
    _ fields: String,
    isRightToLeft: Bool = false
  ) -> Picture {
    Picture(
      name: "grid-lanes-\(name)",
      title: "Grid lanes: \(title)",
      layout: """
        {"gridLanes":{\(fields),"laneSpacing":8,"itemSpacing":8,"headerHeight":30,\(inset)}}
        """,
      contents: .mixedCards([17, 9]),
      viewport: Size(width: 560, height: 480),
      isRightToLeft: isRightToLeft
    )
  }

  private static func waterfall(
    _ name: String,
    _ title: String,
    _ fields: String,
    isRightToLeft: Bool = false
  ) -> Picture {
    Picture(
      name: "waterfall-\(name)",
      title: "Waterfall: \(title)",
      layout: """
        {"waterfall":{\(fields),"columnSpacing":8,"itemSpacing":8,"headerHeight":30,\(inset)}}
        """,
      contents: .cards([17, 9]),
      viewport: Size(width: 560, height: 480),
      isRightToLeft: isRightToLeft
    )
  }
}
