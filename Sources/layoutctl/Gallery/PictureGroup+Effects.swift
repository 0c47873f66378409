// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry

extension PictureGroup {
  static let effects = PictureGroup(
    title: "Effects by scrolling",
    pictures: [
      Picture(
        name: "effects-edges",
        title: "Flow: items fade, shrink and turn at the edges",
        layout: """
          {"flow":{"itemSize":{"width":110,"height":90}},"scrollEffects":[{
          "leading":{"values":{"alpha":0.2,"scale":0.5,"rotation":-0.4}},
          "trailing":{"values":{"alpha":0.2,"scale":0.5,"rotation":0.4}}}]}
          """,
        contents: .plain([60]),
        viewport: Size(width: 480, height: 400),
        offset: Point(x: 0, y: 455),
        showsViewport: true
      ),
      Picture(
        name: "effects-centered",
        title: "Flow: the nearer to the middle, the larger, and in front",
        layout: """
          {"flow":{"scrollDirection":"SCROLL_DIRECTION_HORIZONTAL","minimumLineSpacing":0,
          "itemSize":{"width":120,"height":160},"sectionInset":{"top":70,"bottom":70}},
          "scrollEffects":[{"identity":{"scale":1.4,"zIndex":100},
          "leading":{"values":{"alpha":0.5,"scale":0.6},"identity":{"centered":1}},
          "trailing":{"values":{"alpha":0.5,"scale":0.6},"identity":{"centered":1}}}]}
          """,
        contents: .plain([20]),
        viewport: Size(width: 720, height: 300),
        offset: Point(x: 400, y: 0),
        showsViewport: true
      ),
    ]
  )
}
