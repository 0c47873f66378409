// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import LayoutSession

extension PictureGroup {
  /// What only a session shows.
  static let sessions = PictureGroup(
    title: "In a session",
    pictures: [
      Picture(
        name: "session-attention",
        title: "Grid: which items are to be got ready, in which order, and which have been seen",
        layout: """
          {"flow":{"itemSize":{"width":130,"height":90},"minimumLineSpacing":14,
          "minimumInteritemSpacing":14,
          "sectionInset":{"top":14,"leading":14,"bottom":14,"trailing":14}}}
          """,
        contents: .plain([40]),
        viewport: Size(width: 600, height: 340),
        session: PictureSession(
          options: SessionOptions(
            overscanAhead: 1.2,
            prefetch: PrefetchOptions(maxItems: 8, distanceAhead: 1, distanceBehind: 0.5),
            visibility: VisibilityOptions(rules: [VisibilityRule(threshold: 0.8)])
          ),
          events: [
            .viewport(ViewportChange(offset: Point(x: 0, y: 180), velocity: Point(x: 0, y: 600)))
          ]
        )
      ),
      Picture(
        name: "session-reordering",
        title: "Grid: three items are held and dragged over another place, which makes room",
        layout: """
          {"flow":{"itemSize":{"width":110,"height":80},"minimumLineSpacing":14,
          "minimumInteritemSpacing":14,
          "sectionInset":{"top":14,"leading":14,"bottom":14,"trailing":14}}}
          """,
        contents: .keyed([18]),
        viewport: Size(width: 640, height: 480),
        session: PictureSession(
          events: [
            .movement(.beginItems(.keys(["0-1", "0-3", "0-7"]))),
            .movement(.position(Point(x: 330, y: 262))),
          ],
          heldKeys: ["0-1", "0-3", "0-7"]
        )
      ),
    ]
  )
}
