// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry

extension PictureGroup {
  static let neighbors = PictureGroup(
    title: "Neighbours",
    pictures: [
      Picture(
        name: "neighbors-waterfall",
        title: "Neighbours: where the arrow keys lead from two items of a waterfall",
        layout: """
          {"waterfall":{"columnCount":4,"columnSpacing":14,"itemSpacing":14,
          "sectionInset":{"top":14,"leading":14,"bottom":14,"trailing":14}}}
          """,
        contents: .cards([15]),
        viewport: Size(width: 640, height: 560),
        focusedItems: [IndexPath(section: 0, item: 4), IndexPath(section: 0, item: 9)]
      ),
      Picture(
        name: "neighbors-sections",
        title: "Neighbours: into a section that scrolls by itself, along it, and out of it",
        layout: """
          {"compositional":{"interSectionSpacing":16,"sections":[
          {"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"fractionalWidth":1},
          "height":{"absolute":70}},"count":4,"interitemSpacing":{"fixed":12},"subitems":[{"item":{
          "size":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1}}}}]},
          "contentInsets":{"top":12,"leading":12,"bottom":0,"trailing":12},"interGroupSpacing":12},
          {"group":{"axis":"AXIS_HORIZONTAL","size":{"width":{"absolute":170},"height":{"absolute":110}},
          "subitems":[{"item":{"size":{"width":{"fractionalWidth":1},"height":{"fractionalHeight":1}}}}]},
          "contentInsets":{"top":0,"leading":12,"bottom":0,"trailing":12},"interGroupSpacing":12,
          "orthogonalScrolling":"ORTHOGONAL_SCROLLING_GROUP_PAGING"}]}}
          """,
        contents: .plain([8, 7, 4]),
        viewport: Size(width: 560, height: 400),
        focusedItems: [
          IndexPath(section: 0, item: 2), IndexPath(section: 1, item: 1),
          IndexPath(section: 2, item: 2),
        ]
      ),
    ]
  )
}
