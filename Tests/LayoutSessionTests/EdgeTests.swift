// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// What the anchors for changes of the size and for short content do, apart from the anchor mode.
/// Rows of 20, 40 apart, in a viewport of 400 with insets of 50 and 30.
@Suite("Edges of the content", .timeLimit(.minutes(2)))
struct EdgeTests {
  private func scene(
    rows: Int = 50,
    at start: SessionStart? = nil,
    offset: Double? = nil,
    _ options: SessionOptions
  ) -> Scene {
    Scene(
      .keyed(rows),
      layout: ListLayout(rowHeight: 20, rowSpacing: 20),
      size: Size(width: 300, height: 400),
      offset: offset.map { Point(x: 0, y: $0) },
      insets: EdgeInsets(top: 50, leading: 0, bottom: 30, trailing: 0),
      options: options,
      start: start
    )
  }

  // MARK: - Staying

  @Test(
    "a viewport at the end follows what comes there, whatever the anchor mode",
    arguments: AnchorMode.allCases
  )
  func follow(mode: AnchorMode) {
    var scene = scene(at: .edge(.end), SessionOptions(anchorMode: mode, sizeChangeAnchor: .end))
    scene.update([.insert("x", at: 50)])
    #expect(scene.adjustment == Point(x: 0, y: 40))
    scene.update([.insert("y", "z", at: 20)])
    #expect(scene.adjustment == Point(x: 0, y: 80))
    scene.update([.delete(10 ..< 20)])
    #expect(scene.adjustment == Point(x: 0, y: -400))
    scene.checkMirror()
  }

  @Test("less than a pixel from the end is at the end, and more is not")
  func tolerance() {
    var near = scene(offset: 1609.25, SessionOptions(sizeChangeAnchor: .end))
    near.update([.insert("x", at: 50)])
    #expect(near.client.offset.y == 1650)
    var away = scene(offset: 1608.5, SessionOptions(sizeChangeAnchor: .end))
    away.update([.insert("x", at: 50)])
    #expect(away.adjustment == .zero)
    // Once it is back, it follows again.
    away.scroll(to: 1650)
    away.update([.insert("y", at: 51)])
    #expect(away.client.offset.y == 1690)
  }

  @Test("at the other edge the anchor decides")
  func otherEdge() {
    var end = scene(at: .edge(.start), SessionOptions(sizeChangeAnchor: .end))
    end.update([.insert("x", at: 0)])
    #expect(end.adjustment == Point(x: 0, y: 40))
    var start = scene(
      at: .edge(.start),
      SessionOptions(anchorMode: .lastVisible, sizeChangeAnchor: .start)
    )
    start.update([.insert("x", at: 0)])
    #expect(start.adjustment == .zero)
    start.scroll(to: 1610)
    start.update([.insert("y", at: 51)])
    #expect(start.adjustment == .zero)
  }

  @Test("a viewport at the end stays there when its size or its insets change")
  func viewportSize() {
    var scene = scene(offset: 1610, SessionOptions(sizeChangeAnchor: .end))
    scene.update([.insert("x", at: 50)])
    scene.send(.viewport(ViewportChange(size: Size(width: 300, height: 200))))
    #expect(scene.client.offset.y == 2020 + 30 - 200)
    scene.send(
      .viewport(
        ViewportChange(insets: EdgeInsets(top: 50, leading: 0, bottom: 130, trailing: 0))
      )
    )
    #expect(scene.client.offset.y == 2020 + 130 - 200)
  }

  @Test("the options can be changed, and survive a resume")
  func options() throws {
    var scene = scene(at: .edge(.end), SessionOptions())
    scene.send(.options(SessionOptions(sizeChangeAnchor: .end)))
    _ = try scene.session.resume(
      SessionResume(
        lastFrame: scene.client.lastApplied,
        liveCount: scene.client.slots.count,
        capabilities: scene.session.capabilities
      ),
      at: .zero
    )
    scene.update([.insert("x", at: 50)])
    #expect(scene.adjustment == Point(x: 0, y: 40))
  }

  // MARK: - Short content

  @Test(
    "short content is where its alignment says, from the first frame on",
    arguments: [
      (nil, 0, -50), (.start, -50, -50), (.center, -160, -140), (.end, -270, -230),
    ] as [(ContentAlignment?, Double, Double)]
  )
  func alignment(alignment: ContentAlignment?, first: Double, second: Double) {
    var scene = scene(rows: 3, SessionOptions(alignment: alignment))
    #expect(scene.client.offset == Point(x: 0, y: first))
    if alignment == nil { scene.scroll(to: -50) }
    scene.update([.insert("x", at: 1)])
    #expect(scene.client.offset.y == second)
    scene.checkMirror()
  }

  @Test("content that outgrows the viewport begins at the edge at which it stays")
  func outgrow() {
    func grown(_ edge: ContentEdge?) -> Scene {
      var short = scene(rows: 3, SessionOptions(sizeChangeAnchor: edge, alignment: .end))
      short.update([
        .insertItems(
          at: IndexPath(section: 0, item: 3),
          items: [ItemBlock(count: 20, keys: (0 ..< 20).map { "n\($0)" })]
        )
      ])
      return short
    }
    #expect(grown(nil).client.offset.y == -50)
    #expect(grown(.start).client.offset.y == -50)
    var chat = grown(.end)
    #expect(chat.client.offset.y == 900 + 30 - 400)
    chat.update([.delete(1 ..< 22)])
    #expect(chat.client.offset.y == 60 + 30 - 400)
  }

  @Test("another alignment moves short content, whatever else comes with it")
  func otherAlignment() {
    var scene = scene(rows: 3, SessionOptions(alignment: .end))
    scene.send(.options(SessionOptions(alignment: .center)))
    #expect(scene.client.offset.y == -160)
    scene.post(.options(SessionOptions(alignment: .end)))
    scene.send(
      .viewport(
        ViewportChange(observedFrame: scene.client.lastApplied, offset: scene.client.offset)
      )
    )
    #expect(scene.client.offset.y == -270)
  }

  @Test("scroll targets respect the alignment")
  func targets() {
    var scene = scene(rows: 3, SessionOptions(alignment: .end))
    scene.send(.scrollTarget(.item(key: "a0", at: .start)))
    let targets = scene.messages.compactMap { message -> Point? in
      if case .scrollTarget(_, let target) = message { target.offset } else { nil }
    }
    #expect(targets == [Point(x: 0, y: -270)])
  }

  @Test("only the axis along which content scrolls is aligned, in reading direction")
  func horizontal() {
    func offset(_ alignment: ContentAlignment?) -> Point {
      Scene(
        .keyed(2),
        layout: FlowLayout(scrollDirection: .horizontal, itemSize: Size(width: 40, height: 40)),
        size: Size(width: 300, height: 100),
        traits: .init(isRightToLeft: true),
        options: SessionOptions(alignment: alignment)
      ).client.offset
    }
    #expect(offset(nil) == .zero)
    #expect(offset(.end) == .zero)
    let start = offset(.start)
    #expect(start.x < -200 && start.y == 0)
    #expect(offset(.center) == Point(x: start.x / 2, y: 0))
  }
}
