// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Tables in sessions", .timeLimit(.minutes(2)))
struct TableSessionTests {
  private static let layout = TableLayout(
    columns: [
      TableColumn("name", width: .points(100), frozen: .leading),
      TableColumn("city", width: .points(150)), TableColumn("land", width: .points(150)),
      TableColumn("year", width: .points(80)), TableColumn("note", width: .points(400)),
    ],
    rowHeight: 20,
    headerHeight: 10
  )

  private func scene(offset: Point? = nil, mode: AnchorMode = .firstVisible) -> Scene {
    Scene(
      .keyed(60, 0, 25),
      layout: Self.layout,
      offset: offset,
      options: SessionOptions(overscanAhead: 0, overscanBehind: 0, anchorMode: mode)
    )
  }

  private func frames(of kind: String, _ scene: Scene) -> [Rect] {
    scene.client.slots.values.filter { $0.key.kind == kind && $0.key.indexPath.item != nil }
      .map(\.attributes.frame)
  }

  @Test("a client has the headers, rows and cells in view, and no others")
  func elements() {
    let scene = scene()
    // 24 rows of 20 points below a header of 10; 320 points show name, city and a part of land.
    #expect(scene.client.slots.count == 24 * 4 + 3)
    scene.checkMirror()
  }

  @Test("scrolling to the side moves frozen columns, and down only what is new comes")
  func scrolling() {
    var scene = scene()
    scene.scroll(to: 20)
    // Three headers, and a row with three cells.
    #expect(scene.upsertCount == 7)
    scene.scroll(to: 20, x: 160)
    #expect(Set(frames(of: "name", scene).map(\.minX)) == [160])
    scene.checkMirror()
  }

  @Test("a viewer resizes, hides, freezes and reorders columns, and no layout is prepared for it")
  func changes() {
    var scene = scene()
    let prepared = scene.preparedCount
    scene.send(.table(TableChange(columns: ["city": TableColumnPreference(width: 50)])))
    #expect(Set(frames(of: "city", scene).map(\.width)) == [50])
    scene.send(.table(TableChange(columns: ["land": TableColumnPreference(isHidden: true)])))
    #expect(frames(of: "land", scene).isEmpty)
    scene.send(.table(TableChange(columns: ["year": TableColumnPreference(place: .trailing)])))
    #expect(Set(frames(of: "year", scene).map(\.maxX)) == [320])
    scene.send(.table(TableChange(order: ["note", "city"])))
    #expect(Set(frames(of: "note", scene).map(\.minX)) == [100])
    #expect(scene.preparedCount == prepared)
    scene.checkMirror()
    // An empty preference is the layout's again, and the others stay.
    scene.send(.table(TableChange(columns: ["city": TableColumnPreference()], order: [])))
    #expect(Set(frames(of: "city", scene).map(\.width)) == [150])
    #expect(frames(of: "land", scene).isEmpty)
    scene.send(.table(TableChange(isReset: true)))
    #expect(scene.client.slots.count == 24 * 4 + 3)
    #expect(scene.preparedCount == prepared)
    scene.checkMirror()
  }

  @Test("the first column in sight keeps its place on screen while one before it grows")
  func anchoring() {
    var scene = scene(offset: Point(x: 260, y: 100))
    let before = frames(of: "land", scene).map(\.minX).min() ?? 0
    let seen = before - scene.client.offset.x
    scene.send(.table(TableChange(columns: ["city": TableColumnPreference(width: 190)])))
    let after = frames(of: "land", scene).map(\.minX).min() ?? 0
    #expect(after == before + 40)
    #expect(after - scene.client.offset.x == seen)
    #expect(scene.client.offset.y == 100)
  }

  @Test("what a viewer has changed stays through edits, measurements and other layouts")
  func kept() {
    var scene = scene()
    scene.send(.table(TableChange(columns: ["city": TableColumnPreference(width: 50)])))
    scene.send(.update(UpdateBatch([.delete(0 ..< 3, section: 0)])))
    #expect(Set(frames(of: "city", scene).map(\.width)) == [50])
    #expect(scene.derivedCount == 1)
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout()), isAnimated: false)))
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(Self.layout), isAnimated: false)))
    #expect(Set(frames(of: "city", scene).map(\.width)) == [50])
    scene.checkMirror()
  }

  @Test("an animated change tells where columns come from and go to")
  func animation() {
    var scene = scene()
    scene.send(
      .table(
        TableChange(columns: ["city": TableColumnPreference(isHidden: true)], isAnimated: true)
      )
    )
    #expect(scene.disappearing.count == 25)
    // Without the city there is room for the year.
    #expect(scene.appearing.count == 25)
  }

  @Test("a cell keeps its slot while its row moves")
  func identity() {
    var scene = scene()
    func slot(_ item: Int) -> UInt32? {
      scene.client.slots.first {
        $0.value.key.kind == "city" && $0.value.key.indexPath == IndexPath(section: 0, item: item)
      }?.key
    }
    let before = slot(2)
    scene.send(.update(UpdateBatch([.move(2, to: 9, section: 0)])))
    #expect(before != nil)
    #expect(slot(9) == before)
  }

  @Test("more columns than may be changed are refused, and nothing has changed")
  func refused() {
    var scene = scene()
    var change = TableChange()
    for index in 0 ... TablePreferences.maximumCount {
      change.columns["c\(index)"] = TableColumnPreference(width: 1)
    }
    scene.send(.table(change))
    #expect(scene.problem?.reason == .fieldInvalid)
    #expect(scene.frames.isEmpty)
  }

  @Test("a session opens with columns as its viewer had them")
  func opening() {
    let session = ViewportSession(
      open: SessionParameters(
        contents: .keyed(60),
        layout: LayoutConfiguration(Self.layout),
        viewport: ViewportChange(size: Size(width: 320, height: 480)),
        table: TablePreferences(columns: ["city": TableColumnPreference(width: 50)])
      )
    )
    var opened = session
    while let request = opened.wantedLayout { opened.supply(request.prepare(), for: request) }
    #expect(opened.query?.prepared.contentSize.width == 780)
  }
}
