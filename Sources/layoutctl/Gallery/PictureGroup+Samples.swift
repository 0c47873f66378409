// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

extension PictureGroup {
  static let line = PictureGroup(
    title: "Line",
    pictures: [
      Picture(
        name: "line",
        title: "Line: items near the centre are magnified",
        layout: """
          {"line":{"itemSize":{"width":120,"height":120},"lineSpacing":30,
          "sectionInset":{"top":60,"leading":20,"bottom":60,"trailing":20}}}
          """,
        contents: .plain([9]),
        viewport: Size(width: 720, height: 300),
        offset: Point(x: 210, y: 0)
      ),
      Picture(
        name: "line-vertical",
        title: "Line: vertical",
        layout: """
          {"line":{"scrollDirection":"SCROLL_DIRECTION_VERTICAL","itemSize":{"width":120,"height":80},
          "lineSpacing":24,"activeDistance":150,"zoomFactor":0.5,
          "sectionInset":{"top":20,"leading":60,"bottom":20,"trailing":60}}}
          """,
        contents: .plain([8]),
        viewport: Size(width: 320, height: 480),
        offset: Point(x: 0, y: 120)
      ),
    ]
  )

  static let circle = PictureGroup(
    title: "Circle",
    pictures: [
      Picture(
        name: "circle",
        title: "Circle: all items about the centre",
        layout: #"{"circle":{}}"#,
        contents: .kinds([14]),
        viewport: Size(width: 480, height: 480)
      )
    ]
  )

  static let carousel = PictureGroup(
    title: "Carousel",
    pictures: [
      carousel("linear", "STYLE_LINEAR", spacing: 1.1),
      carousel("cover-flow", "STYLE_COVER_FLOW", spacing: 0.5),
      carousel("rotary", "STYLE_ROTARY", count: 12),
      carousel("inverted-rotary", "STYLE_INVERTED_ROTARY", count: 12),
      carousel("cylinder", "STYLE_CYLINDER", count: 12),
      carousel("wheel", "STYLE_WHEEL", count: 12),
      carousel("time-machine", "STYLE_TIME_MACHINE"),
      Picture(
        name: "carousel-cover-flow-vertical",
        title: "Carousel: cover flow, vertical",
        layout: """
          {"carousel":{"style":"STYLE_COVER_FLOW","scrollDirection":"SCROLL_DIRECTION_VERTICAL",
          "itemSize":{"width":160,"height":160},"spacing":0.5}}
          """,
        contents: .plain([11]),
        viewport: Size(width: 360, height: 520),
        offset: Point(x: 0, y: 320),
        showsViewport: true
      ),
      carousel(
        "cover-flow-right-to-left",
        "STYLE_COVER_FLOW",
        spacing: 0.5,
        offset: 560,
        isRightToLeft: true
      ),
    ]
  )

  private static func carousel(
    _ name: String,
    _ style: String,
    spacing: Double = 1,
    count: Int = 11,
    offset: Double? = nil,
    isRightToLeft: Bool = false
  ) -> Picture {
    Picture(
      name: "carousel-\(name)",
      title: "Carousel: \(name.split(separator: "-").joined(separator: " "))",
      layout: """
        {"carousel":{"style":"\(style)","itemSize":{"width":160,"height":160},
        "spacing":\(spacing)}}
        """,
      contents: .plain([count]),
      viewport: Size(width: 720, height: 320),
      // Slightly beyond the fourth item, so that it is not exactly centred.
      offset: Point(x: offset ?? (160 * spacing * 4.15).rounded(), y: 0),
      isRightToLeft: isRightToLeft,
      showsViewport: true
    )
  }

  static let stack = PictureGroup(
    title: "Stack",
    pictures: [
      Picture(
        name: "stack",
        title: "Stack: a pile of cards, the top one sliding off",
        layout: #"{"stack":{"visibleDepth":4,"depthOffset":{"x":0,"y":18},"depthScale":0.92}}"#,
        contents: .plain([8]),
        viewport: Size(width: 420, height: 420),
        offset: Point(x: 0, y: 270),
        showsViewport: true
      ),
      Picture(
        name: "stack-horizontal",
        title: "Stack: horizontal",
        layout: """
          {"stack":{"scrollDirection":"SCROLL_DIRECTION_HORIZONTAL","visibleDepth":3,
          "depthOffset":{"x":22,"y":0},"depthScale":0.9}}
          """,
        contents: .plain([8]),
        viewport: Size(width: 480, height: 320),
        offset: Point(x: 460, y: 0),
        showsViewport: true
      ),
    ]
  )

  static let spatial = PictureGroup(
    title: "Spatial",
    pictures: [
      Picture(
        name: "spatial",
        title: "Spatial: items where the data says, in points",
        layout: """
          {"spatial":{"itemSize":{"width":16,"height":16},"contentInset":{"bottom":20,"trailing":20}}}
          """,
        contents: .points(220),
        viewport: Size(width: 480, height: 360),
        offset: Point(x: 200, y: 120)
      ),
      Picture(
        name: "spatial-web-mercator",
        title: "Spatial: large cities by longitude and latitude, Web Mercator",
        layout: """
          {"spatial":{"projection":"PROJECTION_WEB_MERCATOR","zoom":2,
          "itemSize":{"width":18,"height":18}}}
          """,
        contents: .cities,
        viewport: Size(width: 480, height: 360),
        offset: Point(x: 330, y: 240)
      ),
      Picture(
        name: "spatial-equirectangular",
        title: "Spatial: the same, equirectangular, standing on their positions",
        layout: """
          {"spatial":{"projection":"PROJECTION_EQUIRECTANGULAR","zoom":2,
          "itemSize":{"width":18,"height":18},"anchor":{"x":0.5,"y":1}}}
          """,
        contents: .cities,
        viewport: Size(width: 480, height: 360),
        offset: Point(x: 330, y: 60)
      ),
      Picture(
        name: "spatial-clusters",
        title: "Spatial: points near each other are clusters, which grow with their number",
        layout: """
          {"spatial":{"itemSize":{"width":16,"height":16},"clusters":{"cellSize":128,"minimumCount":4,
          "growth":20}}}
          """,
        contents: .points(220),
        viewport: Size(width: 480, height: 360),
        offset: Point(x: 200, y: 120)
      ),
      Picture(
        name: "spatial-density",
        title: "Spatial: the same as densities",
        layout: """
          {"spatial":{"clusters":{"cellSize":32,"minimumCount":1,"fillsCells":true}}}
          """,
        contents: .points(220),
        viewport: Size(width: 480, height: 360),
        offset: Point(x: 200, y: 120)
      ),
    ]
  )
}
