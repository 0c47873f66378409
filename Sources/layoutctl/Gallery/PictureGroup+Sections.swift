// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

extension PictureGroup {
  private static let inset = #""sectionInset":{"top":8,"leading":12,"bottom":8,"trailing":12}"#

  private static let entries = """
    {"name":"featured","compositional":{"group":{"axis":"AXIS_HORIZONTAL",
    "size":{"width":{"absolute":190},"height":{"absolute":100}},"subitems":[{"item":{
    "size":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1}}}}]},
    "interGroupSpacing":10,"orthogonalScrolling":"ORTHOGONAL_SCROLLING_GROUP_PAGING",
    "contentInsets":{"top":12,"leading":12,"bottom":12,"trailing":12}}},
    {"name":"tags","flow":{"alignment":"FLOW_ALIGNMENT_LEADING",\(inset),
    "headerReferenceSize":{"height":28}}},
    {"name":"days","grid":{"itemSize":{"width":66,"height":40},"interitemSpacing":10,
    "lineSpacing":8}},
    {"name":"songs","list":{"headerHeight":28,"separatorThickness":2,
    "separatorInsets":{"leading":24}}},
    {"name":"photos","waterfall":{"columnCount":4,"columnSpacing":8,"itemSpacing":8,
    "headerHeight":28,\(inset)}}
    """

  private static let contents = SampleContents.named([
    ("featured", .plain([6])), ("days", .plain([7])), ("tags", .tags([9])), ("songs", .plain([3])),
    ("photos", .cards([10])), ("tags", .tags([5])),
  ])

  static let sections = PictureGroup(
    title: "Sections",
    pictures: [
      Picture(
        name: "sections",
        title: "Sections: each names its own kind of layout",
        layout: "{\"sections\":{\"layouts\":[\(entries)]}}",
        contents: contents,
        viewport: Size(width: 560, height: 480)
      ),
      Picture(
        name: "sections-right-to-left",
        title: "Sections: right to left",
        layout: "{\"sections\":{\"layouts\":[\(entries)]}}",
        contents: contents,
        viewport: Size(width: 560, height: 480),
        isRightToLeft: true
      ),
      Picture(
        name: "sections-grid",
        title: "Sections: rows of a grid, wider than the list above them",
        layout: """
          {"sections":{"layouts":[{"name":"list","list":{"rowHeight":32,"separatorThickness":2}},
          {"grid":{"itemSize":{"width":70,"height":48},"interitemSpacing":8,"lineSpacing":4}}]}}
          """,
        contents: .named([
          ("list", .plain([3])), ("", .plain([11])), ("list", .plain([2])), ("", .plain([9])),
        ]),
        viewport: Size(width: 480, height: 280)
      ),
      Picture(
        name: "sections-horizontal",
        title: "Sections: scrolling horizontally, flow and waterfall in turn",
        layout: """
          {"sections":{"scrollDirection":"SCROLL_DIRECTION_HORIZONTAL","interSectionSpacing":16,
          "layouts":[{"flow":{"itemSize":{"width":80,"height":80}}},
          {"waterfall":{"columnCount":3,"columnSpacing":8,"itemSpacing":8,"headerHeight":28}}]}}
          """,
        contents: .named([("", .plain([14])), ("", .cards([11])), ("", .plain([7]))]),
        viewport: Size(width: 480, height: 320)
      ),
    ]
  )
}
