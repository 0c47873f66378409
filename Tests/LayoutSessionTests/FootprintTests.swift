// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("What a session keeps", .timeLimit(.minutes(1)))
struct FootprintTests {
  private func pinned(_ session: ViewportSession) -> [PinnedLayout] {
    var found: [PinnedLayout] = []
    session.forEachPinnedLayout { found.append($0) }
    return found
  }

  @Test("private contents count, and so do elements, kinds and section offsets")
  func counts() {
    let heights = (0 ..< 100_000).map { Double($0 % 7 + 20) + 0.123 }
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: heights.count, heights: heights)])
    ])
    let shared = Scene(contents, layout: ListLayout(), isShared: true)
    let own = Scene(contents, layout: ListLayout())
    #expect(shared.session.byteCount < 64 << 10)
    #expect(own.session.byteCount - shared.session.byteCount == contents.approximateByteCount)
    let tall = Scene(
      contents,
      layout: ListLayout(),
      size: Size(width: 320, height: 48_000),
      isShared: true
    )
    #expect(tall.session.liveCount > 1000)
    #expect(
      tall.session.byteCount - shared.session.byteCount
        >= (tall.session.liveCount - shared.session.liveCount) * MemoryLayout<LiveElement>.stride
    )
  }

  @Test(
    "a layout of rows that a viewer has expanded counts as what it does not share with others",
    arguments: [true, false]
  )
  func expanded(sharesParts: Bool) throws {
    let count = 100_000
    let heights = (0 ... count).map { Double($0 % 7 + 20) + 0.123 }
    func contents(children: Int) -> CollectionContents {
      let block = ItemBlock(
        count: heights.count,
        heights: heights,
        keys: heights.indices.map { "k\($0)" },
        outline: OutlineColumns(
          levels: [0] + Array(repeating: 1, count: children)
            + Array(repeating: 0, count: count - children)
        )
      )
      return CollectionContents(sections: [SectionContents(outline: .perViewer, blocks: [block])])
    }
    let layout: any CollectionLayout =
      sharesParts ? ListLayout() : WaterfallLayout(columns: .count(4))
    for children in [10, count] {
      var scene = Scene(contents(children: children), layout: layout, isShared: true)
      scene.settle()
      scene.send(.outline(OutlineEvent(change: ExpansionChange(expanded: ["k0"]))))
      scene.settle()
      let bytes = try #require(pinned(scene.session).last).byteCount
      let all = try #require(scene.session.prepared).layout.byteCount
      if sharesParts, children == 10 {
        #expect(bytes < all / 4)
      } else {
        #expect(bytes > all * 9 / 10)
      }
    }
  }

  @Test("sizes that others share count for a viewer with rows of its own")
  func sharedSizes() throws {
    func contents(_ height: (Int) -> Double) -> CollectionContents {
      let block = ItemBlock(
        count: 50_000,
        heights: (0 ..< 50_000).map(height),
        keys: (0 ..< 50_000).map { "a key of some length \($0)" },
        outline: OutlineColumns(levels: [0, 1] + Array(repeating: 0, count: 49_998))
      )
      return CollectionContents(sections: [SectionContents(outline: .perViewer, blocks: [block])])
    }
    let old = contents { Double($0 % 7 + 20) }
    let new = contents { $0 % 500 == 499 ? 99 : Double($0 % 7 + 20) }
    let change = try #require(ContentsChange.resizing(from: old, to: new))
    var own = SessionContents(old, version: 1, isShared: true)
    _ = own.expand([ItemExpansion(IndexPath(section: 0, item: 0), isExpanded: true)])
    own.forgetChanges()
    let before = own.byteCount
    _ = own.follow([:], change)
    own.forgetChanges()
    // Each chunk is the viewer's own now.
    let all = old.rows.approximateByteCount
    #expect(before < all / 4 && own.byteCount > all * 9 / 10)
    var others = SessionContents(old, version: 1, isShared: true)
    _ = others.follow([:], change)
    #expect(others.byteCount == 0)
  }

  @Test("replaced contents are no longer kept once a frame has told of it")
  func replacedContents() {
    func contents(_ seed: Int) -> [SectionContents] {
      let heights = (0 ..< 200_000).map { Double(($0 + seed) % 11 + 20) + 0.123 }
      return [SectionContents(blocks: [ItemBlock(count: heights.count, heights: heights)])]
    }
    var scene = Scene(CollectionContents(sections: contents(0)), layout: ListLayout())
    let atRest = scene.session.byteCount
    // The client acknowledges nothing meanwhile, and each batch replaces everything.
    for seed in 1 ... 20 {
      scene.post(.update(UpdateBatch([.reloadSection(0, contents(seed)[0])])))
      #expect(scene.problem == nil)
      #expect(scene.session.byteCount < atRest * 5 / 2)
    }
    scene.settle()
    scene.checkMirror()
    #expect(scene.session.byteCount < atRest + (64 << 10))
  }

  @Test("kinds of layouts long gone are forgotten, with a keyframe")
  func forgottenKinds() {
    var scene = Scene(.keyed(100), layout: ListLayout())
    var keyframes = 0
    for step in 0 ..< 200 {
      let backgrounds = (0 ..< 30).map { SectionBackground(kind: "card \(step) \($0)") }
      let options = LayoutOptions(sectionBackgrounds: backgrounds)
      scene.client = MirrorClient(resuming: scene.client)
      scene.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout(), options: options))))
      keyframes += scene.frames.count { $0.isKeyframe }
      #expect(scene.session.byteCount < 1 << 20)
      scene.checkMirror()
    }
    #expect((1 ... 4).contains(keyframes))
  }

  @Test("the layouts of now, of the newest frame and of a transition are told, each once")
  func pinnedLayouts() {
    var scene = Scene(.keyed(100), layout: ListLayout(rowHeight: 20))
    #expect(pinned(scene.session).count == 1)
    let version = scene.session.pinnedLayoutsVersion
    scene.scroll(to: 100)
    scene.scroll(to: 700)
    #expect(scene.session.pinnedLayoutsVersion == version)

    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.prepare()
    #expect(pinned(scene.session).count == 2)
    #expect(scene.session.pinnedLayoutsVersion != version)
    scene.settle()
    #expect(pinned(scene.session).count == 1)

    scene.send(.transition(.begin(LayoutConfiguration(ListLayout(rowHeight: 60)))))
    scene.send(.transition(.progress(0.5)))
    #expect(pinned(scene.session).count == 2)
    scene.post(.update(UpdateBatch([.insert("y", at: 0)])))
    scene.prepare()
    #expect(pinned(scene.session).count == 4)
    scene.settle()
    scene.send(.transition(.finish))
    #expect(pinned(scene.session).count == 1)
  }

  @Test("what the owner gave with a layout comes back with it")
  func identity() {
    var session = ViewportSession(
      open: SessionParameters(contents: .keyed(10), layout: LayoutConfiguration(ListLayout()))
    )
    guard let request = session.wantedLayout else {
      Issue.record("no layout is wanted")
      return
    }
    let layout = request.prepare()
    session.supply(layout, for: request, identity: 7)
    #expect(pinned(session) == [PinnedLayout(identity: 7, byteCount: layout.byteCount)])
  }
}
