// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Shared measurements", .timeLimit(.minutes(2)))
struct SharedMeasurementTests {
  private let list = ListLayout(rowHeight: 40, isSelfSizing: true)

  private func high(_ height: Double) -> Size { Size(width: 320, height: height) }

  @Test("what one viewer measured serves all, who have what a single viewer would have")
  func sameAsAlone() {
    for layout: any CollectionLayout in [
      list, FlowLayout(estimatedItemSize: Size(width: 60, height: 30)),
      TableLayout(columns: [TableColumn("a")], isSelfSizing: true),
    ] {
      var alone = Scene(.keyed(50), layout: layout, options: .init(anchorMode: .firstVisible))
      var viewers = SharedScenes(5, of: .keyed(50), layout: layout)
      #expect(viewers.scenes.allSatisfy { $0.client.checksum == alone.client.checksum })
      viewers.measure([("a0", high(90)), ("a3", high(25))], by: 1)
      viewers.followAll()
      alone.measure([(0, high(90)), (3, high(25))])
      for scene in viewers.scenes {
        #expect(scene.client.checksum == alone.client.checksum)
        #expect(scene.client.contentSize == alone.client.contentSize)
        #expect(scene.session.wantedLayout == nil)
        scene.checkMirror()
      }
    }
  }

  @Test("layouts stay shareable, at versions that all viewers count alike")
  func shareable() throws {
    var viewers = SharedScenes(2, of: .keyed(50), layout: list)
    viewers.measure([("a0", high(90))], by: 0)
    try viewers.commit([.delete(1 ..< 2)])
    for step in try #require(viewers.shared.changes(since: viewers.scenes[1].session.sharedVersion))
    { _ = viewers.scenes[1].session.sharedChanged(step) }
    let request = try #require(viewers.scenes[1].session.wantedLayout)
    #expect(request.isShareable)
    #expect(request.version == viewers.shared.version)
    #expect(request.derivation?.baseVersion == 1)
    #expect(viewers.scenes[1].session.dataVersion == 1)
    #expect(!viewers.scenes[1].session.keepsMeasurements)
    #expect(viewers.scenes[1].session.contents.byteCount == 0)
  }

  @Test("a size that is there already makes no version and no frame")
  func equalSizes() {
    var viewers = SharedScenes(3, of: .keyed(50), layout: list)
    viewers.measure([("a0", high(90))], by: 0)
    viewers.followAll()
    let version = viewers.shared.version
    viewers.measure([("a0", high(90 + 1.0 / 128))], by: 1)
    #expect(viewers.outcome?.equal == 1)
    #expect(viewers.shared.version == version)
    #expect(viewers.scenes[1].frames.isEmpty)
    #expect(viewers.scenes[1].results.count == 1)
    #expect(viewers.sizes["a0"] == high(90))
    viewers.measure([("a0", high(90 + 1.0 / 32))], by: 1)
    #expect(viewers.outcome?.accepted == 1)
  }

  @Test("a question that a resuming client asks again is answered once")
  func repeatedQuestion() throws {
    var viewers = SharedScenes(1, of: .keyed(50), layout: list)
    viewers.measure([("a0", high(90))], by: 0, commits: false)
    let reported = viewers.scenes[0].session.lastEvent
    viewers.scenes[0].post(.layout(LayoutChange(layout: LayoutConfiguration(FlowLayout()))))
    viewers.scenes[0].post(.scrollTarget(.item(key: "a9", at: .nearest)))
    #expect(viewers.scenes[0].session.waitingScrolls.count == 1)
    _ = try viewers.scenes[0].session.resume(
      SessionResume(
        lastFrame: viewers.scenes[0].client.lastApplied,
        liveCount: viewers.scenes[0].client.slots.count,
        capabilities: viewers.scenes[0].session.capabilities
      ),
      at: .zero
    )
    // The client sends everything after this again.
    #expect(viewers.scenes[0].session.lastEvent == reported - 1)
    #expect(viewers.scenes[0].session.waitingScrolls.isEmpty)
  }

  @Test("sizes that the data gives matter to the mean alone")
  func sizesOfTheData() {
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [
        ItemBlock(count: 1, widths: [320], heights: [70], keys: ["a"]),
        ItemBlock(count: 2, keys: ["b", "c"]),
      ])
    ])
    var rows = SharedScenes(1, of: contents, layout: list)
    rows.measure([("a", high(70))], by: 0)
    #expect(rows.outcome?.equal == 1)
    let flow = FlowLayout(estimatedItemSize: Size(width: 320, height: 10), minimumLineSpacing: 0)
    var cells = SharedScenes(1, of: contents, layout: flow)
    cells.measure([("a", high(70))], by: 0)
    #expect(cells.outcome?.accepted == 1)
    #expect(cells.scenes[0].client.frame(itemKey: "c")?.y == 140)
  }

  @Test("who may only read keeps other sizes to itself, and goes on to read")
  func readers() {
    var viewers = SharedScenes(2, of: .keyed(50), layout: list)
    viewers.measure([("a0", high(90))], by: 0)
    viewers.measure([("a0", high(90)), ("a1", high(70))], by: 1, mayContribute: false)
    #expect(viewers.outcome?.refused == [.item(IndexPath(section: 0, item: 1)): .role])
    #expect(viewers.scenes[1].results.map(\.problem) == [nil])
    #expect(viewers.scenes[1].client.frame(itemKey: "a1")?.height == 70)
    #expect(viewers.sizes == ["a0": high(90)])
    viewers.measure([("a1", high(33)), ("a2", high(55))], by: 0)
    viewers.followAll()
    // Its own size covers the shared one; those that it did not measure it takes.
    #expect(viewers.scenes[1].client.frame(itemKey: "a1")?.height == 70)
    #expect(viewers.scenes[1].client.frame(itemKey: "a2")?.height == 55)
    #expect(viewers.scenes[0].client.frame(itemKey: "a1")?.height == 33)
    viewers.scenes[1].checkMirror()
    // What it measures anew is its own too, even if it is what the others have.
    viewers.measure([("a1", high(33))], by: 1, mayContribute: false)
    #expect(viewers.scenes[1].client.frame(itemKey: "a1")?.height == 33)
  }

  @Test("a reader without measured sizes keeps sizes that nobody has")
  func readersAlone() {
    let flow = FlowLayout(estimatedItemSize: Size(width: 320, height: 10), minimumLineSpacing: 0)
    var viewers = SharedScenes(2, of: .keyed(9), layout: flow)
    viewers.measure([("a0", high(40))], by: 1, mayContribute: false)
    #expect(viewers.scenes[1].client.frame(itemKey: "a2")?.y == 80)
    viewers.measure([("a1", high(20))], by: 0)
    viewers.followAll()
    #expect(viewers.scenes[0].client.contentSize.height == 180)
    #expect(viewers.scenes[1].client.frame(itemKey: "a2")?.y == 60)
    #expect(viewers.scenes[1].client.contentSize.height == 270)
    viewers.scenes[1].checkMirror()
  }

  @Test("an element changes four times at most, until its item is reloaded")
  func disputes() throws {
    var viewers = SharedScenes(2, of: .keyed(9), layout: list)
    for round in 0 ..< 10 {
      viewers.measure([("a0", high(round % 2 == 0 ? 50 : 60))], by: round % 2)
      #expect(viewers.outcome?.accepted == (round < 5 ? 1 : 0))
    }
    viewers.followAll()
    #expect(viewers.sizes["a0"] == high(50))
    #expect(viewers.scenes[0].client.frame(itemKey: "a0")?.height == 50)
    #expect(viewers.scenes[1].client.frame(itemKey: "a0")?.height == 60)
    let version = viewers.shared.version
    for _ in 0 ..< 5 { viewers.measure([("a0", high(60))], by: 1) }
    #expect(viewers.shared.version == version)
    try viewers.commit([
      .reloadItems(section: 0, items: 0 ..< 1, blocks: [ItemBlock(count: 1, keys: ["a0"])])
    ])
    viewers.followAll()
    viewers.measure([("a0", high(77))], by: 0)
    #expect(viewers.outcome?.accepted == 1)
    #expect(viewers.sizes["a0"] == high(77))
  }

  @Test("new sizes are refused when there is no room, changes of known ones are not")
  func room() {
    var viewers = SharedScenes(2, of: .keyed(9), layout: list)
    viewers.room = 64
    viewers.measure([("a0", high(50)), ("a1", high(60))], by: 0)
    #expect(viewers.outcome?.accepted == 1)
    #expect(viewers.outcome?.refused.values.map { $0 } == [.full])
    #expect(viewers.scenes[0].client.frame(itemKey: "a1")?.height == 60)
    viewers.room = 0
    viewers.measure([("a0", high(55))], by: 1)
    #expect(viewers.sizes == ["a0": high(55)])
  }

  @Test("a report is answered with the change that brings its sizes")
  func results() {
    var viewers = SharedScenes(2, of: .keyed(9), layout: list)
    viewers.measure([("a0", high(50))], by: 0, commits: false)
    #expect(viewers.scenes[0].results.isEmpty)
    viewers.scenes[0].send(.sync)
    let early = viewers.scenes[0].session.settledSyncs(at: .zero)
    #expect(early.isEmpty)
    #expect(viewers.scenes[0].session.appliedEvent < viewers.scenes[0].session.lastEvent)
    viewers.measure([("a1", high(50))], by: 1, commits: false)
    viewers.shared.commit()
    let version = viewers.shared.version
    viewers.followAll()
    #expect(viewers.scenes.allSatisfy { $0.results.count == 1 })
    #expect(viewers.scenes.allSatisfy { $0.session.sharedVersion == version })
    let settled = viewers.scenes[0].session.settledSyncs(at: .zero)
    #expect(settled.count == 1)
  }

  @Test("another width leads to other sizes, and the view stays where it is")
  func otherWidth() {
    var viewers = SharedScenes(1, of: .keyed(200), layout: list)
    viewers.measure([("a0", high(90)), ("a1", high(90))], by: 0)
    var narrow = SharedContents(viewers.contents, dataVersion: 0, isAveraged: false)
    let first = (0 ..< 2).map { MeasuredPlace.item(IndexPath(section: 0, item: $0)) }
    let sizes = Dictionary(uniqueKeysWithValues: first.map { ($0, high(140)) })
    _ = narrow.offer(sizes, at: 1, mayContribute: true, room: 1000)
    narrow.commit()
    var scene = viewers.scenes[0]
    scene.scroll(to: 1000)
    let before = scene.session.measuringVersion
    let row = scene.client.frame(itemKey: "a30")
    scene.post(.viewport(ViewportChange(size: Size(width: 200, height: 480))))
    #expect(scene.session.measuringVersion != before)
    let narrowed = scene.session.share(narrow)
    #expect(narrowed?.isEmpty == true)
    scene.settle()
    #expect(scene.frames.allSatisfy { !$0.isKeyframe })
    #expect(scene.client.frame(itemKey: "a30")?.y == row.map { $0.y + 100 })
    #expect(scene.client.offset.y == 1100)
    scene.checkMirror()
    // Back, and to none at all.
    let widened = scene.session.share(viewers.shared)
    #expect(widened?.isEmpty == true)
    scene.settle()
    #expect(scene.client.offset.y == 1000)
    let wrong = scene.session.endSharing(contents: viewers.contents, version: 1)
    #expect(wrong?.count == nil)
    let ended = scene.session.endSharing(contents: viewers.contents, version: 0)
    #expect(ended?.isEmpty == true)
    scene.settle()
    #expect(scene.client.frame(itemKey: "a30")?.y == 1200)
    #expect(scene.client.offset.y == 900)
    scene.checkMirror()
  }

  @Test("contents at another version, or with other items, are not taken over")
  func otherContents() {
    var scene = Scene(.keyed(9), layout: list, isShared: true)
    for (count, version) in [(9, UInt64(1)), (8, 0)] {
      let others = SharedContents(.keyed(count), dataVersion: version, isAveraged: false)
      let results = scene.session.share(others)
      #expect(results?.count == nil)
    }
    #expect(!scene.session.isSharing)
    _ = scene.session.sharedReset(
      to: SharedContents(.keyed(8), dataVersion: 3, isAveraged: false)
    )
    scene.settle()
    #expect(scene.session.isSharing)
    #expect(scene.client.slots.count == 8)
    scene.checkMirror()
  }

  @Test("headers, footers and badges are shared like rows")
  func otherElements() {
    let section = CompositionalSection(
      group: LayoutGroup(
        axis: .horizontal,
        size: LayoutSize(width: .fractionalWidth(1), height: .estimated(40)),
        subitems: [
          .item(
            LayoutItem(
              size: LayoutSize(width: .fractionalWidth(1), height: .estimated(40)),
              supplementaryItems: [
                AnchoredSupplementaryItem(
                  kind: "count",
                  size: LayoutSize(width: .estimated(9), height: .estimated(9)),
                  containerAnchor: LayoutAnchor(top: true, trailing: true)
                )
              ]
            )
          )
        ]
      ),
      boundarySupplementaryItems: [
        BoundarySupplementaryItem(
          kind: "title",
          size: LayoutSize(width: .fractionalWidth(1), height: .estimated(15)),
          alignment: .top
        )
      ]
    )
    let layout = CompositionalLayout(sections: [section])
    var viewers = SharedScenes(2, of: .keyed(5), layout: layout)
    let wanted = viewers.scenes[0].client.slots.filter { ["count", "title"].contains($1.key.kind) }
    #expect(wanted.count == 6)
    viewers.scenes[0].messages = []
    viewers.scenes[0].post(
      .measurements(
        MeasurementReport(
          observedFrame: viewers.scenes[0].client.lastApplied,
          slots: Array(wanted.keys),
          sizes: wanted.keys.map { _ in Size(width: 20, height: 30) }
        )
      )
    )
    guard case .share(let offer)? = viewers.scenes[0].messages.first else {
      Issue.record("nothing was offered")
      return
    }
    #expect(offer.sizes.count == 6)
    var shared = viewers.shared
    let outcome = shared.offer(offer.sizes, at: 1, mayContribute: true, room: 1 << 20)
    #expect(outcome.accepted == 6)
    shared.commit()
    for index in viewers.scenes.indices {
      for step in shared.changes(since: 1) ?? [] {
        _ = viewers.scenes[index].session.sharedChanged(step)
      }
      viewers.scenes[index].settle()
      let elements = viewers.scenes[index].client.slots.values
      #expect(elements.filter { $0.key.kind == "title" }.map(\.attributes.frame.height) == [30])
      #expect(
        elements.filter { $0.key.kind == "count" }.allSatisfy {
          $0.attributes.frame.size == Size(width: 20, height: 30)
        }
      )
      viewers.scenes[index].checkMirror()
    }
    let again = shared.offer(offer.sizes, at: 2, mayContribute: true, room: 1 << 20)
    #expect(again.equal == 6)
  }

  @Test("what is held and moved by hand is measured for all where it belongs")
  func movement() {
    var viewers = SharedScenes(2, of: .keyed(9), layout: list)
    viewers.scenes[0].send(.movement(.begin(IndexPath(section: 0, item: 0))))
    viewers.scenes[0].send(.movement(.position(Point(x: 10, y: 130))))
    viewers.measure([("a0", high(60)), ("a5", high(70))], by: 0)
    #expect(viewers.sizes == ["a0": high(60), "a5": high(70)])
    viewers.scenes[0].send(.movement(.cancel))
    viewers.followAll()
    #expect(!viewers.scenes[0].session.keepsMeasurements)
    #expect(viewers.scenes[0].client.checksum == viewers.scenes[1].client.checksum)
    #expect(viewers.scenes[0].session.wantedLayout == nil)
  }
}
