// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutSession

extension PictureGroup {
  static let table = PictureGroup(
    title: "Table",
    pictures: [
      table("start", "at the start", columns),
      table(
        "scrolled",
        "scrolled: headers and frozen columns stay",
        columns,
        offset: Point(x: 170, y: 210)
      ),
      table("shares", "columns that share the room", shares),
      table("spans", "every fifth row has a cell across three columns", spans),
      table(
        "right-to-left",
        "right to left",
        columns,
        offset: Point(x: 170, y: 0),
        isRightToLeft: true
      ),
      Picture(
        name: "table-arranged",
        title: "Table: as a viewer has arranged it",
        layout: layout(columns),
        contents: .mixedRows(40),
        viewport: size,
        showsViewport: true,
        session: PictureSession(events: [
          .table(
            TableChange(
              columns: [
                "artist": TableColumnPreference(width: 60),
                "year": TableColumnPreference(place: .leading),
                "sum": TableColumnPreference(isHidden: true),
              ],
              order: ["size"]
            )
          )
        ])
      ),
    ]
  )

  private static let size = Size(width: 560, height: 400)
  private static let columns = #"""
    "columns":[{"id":"name","width":110,"frozen":"TABLE_EDGE_LEADING"},{"id":"maker","columns":[
    {"id":"artist","width":140},{"id":"country","width":90}]},{"id":"year","width":70},
    {"id":"size","width":130},{"id":"place","width":120},
    {"id":"sum","width":70,"frozen":"TABLE_EDGE_TRAILING"}]
    """#
  private static let shares = #"""
    "columns":[{"id":"name","share":2},{"id":"artist","share":1,"minimum":150},
    {"id":"year","width":70},{"id":"place","share":1}]
    """#
  private static let spans =
    #"\#(columns),"rowKinds":[{"cellKind":"text","spans":[{"column":"artist","count":3}]}]"#

  private static func layout(_ fields: String) -> String {
    #"{"table":{\#(fields),"headerHeight":24,"separatorThickness":1}}"#
  }

  private static func table(
    _ name: String,
    _ title: String,
    _ fields: String,
    offset: Point = .zero,
    isRightToLeft: Bool = false
  ) -> Picture {
    Picture(
      name: "table-\(name)",
      title: "Table: \(title)",
      layout: layout(fields),
      contents: .mixedRows(40),
      viewport: size,
      offset: offset,
      isRightToLeft: isRightToLeft,
      showsViewport: true
    )
  }
}
