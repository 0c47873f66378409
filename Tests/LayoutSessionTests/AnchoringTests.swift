// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import TestSupport
import Testing

/// Rows of 20, 40 apart; viewport 500..900, insets 50 and 30: row 14 (560) is the first in sight
/// and row 21 (840) the last.
@Suite("Anchoring", .timeLimit(.minutes(2)))
struct AnchoringTests {
  private func scene(
    _ mode: AnchorMode = .firstVisible,
    offset: Double = 500,
    isSelfSizing: Bool = false,
    encoding: ElementEncoding = .messages
  ) -> Scene {
    Scene(
      .keyed(50),
      layout: ListLayout(rowHeight: 20, isSelfSizing: isSelfSizing, rowSpacing: 20),
      size: Size(width: 300, height: 400),
      offset: Point(x: 0, y: offset),
      insets: EdgeInsets(top: 50, leading: 0, bottom: 30, trailing: 0),
      options: SessionOptions(anchorMode: mode),
      capabilities: ClientCapabilities(encoding: encoding, checksums: true, itemKeys: true)
    )
  }

  @Test(
    "what is inserted above moves the offset along",
    arguments: [AnchorMode.firstVisible, .lastVisible]
  )
  func insertAbove(mode: AnchorMode) {
    var scene = scene(mode)
    scene.update([.insert("x", "y", at: 0)])
    #expect(scene.adjustment == Point(x: 0, y: 80))
    #expect(scene.client.frame(itemKey: "a14")?.y == 640)
    scene.checkMirror()
    scene.update([.insert("z", at: 0)])
    #expect(scene.adjustment == Point(x: 0, y: 40))
    scene.update([.delete(0 ..< 4)])
    #expect(scene.adjustment == Point(x: 0, y: -160))
    scene.checkMirror()
  }

  @Test("without an anchor the offset stays")
  func none() {
    var scene = scene(.none)
    scene.update([.insert("x", "y", at: 0)])
    #expect(scene.adjustment == .zero)
  }

  @Test("what changes below the anchor does not move it")
  func below() {
    var scene = scene()
    scene.update([.insert("x", at: 40)])
    #expect(scene.adjustment == .zero)
    scene.update([.insert("y", at: 17)])
    #expect(scene.adjustment == .zero)
    #expect(scene.client.frame(itemKey: "y")?.y == 680)

    var last = self.scene(.lastVisible)
    last.update([.insert("y", at: 17)])
    #expect(last.adjustment == Point(x: 0, y: 40))
  }

  @Test("an item that grows above moves the offset along")
  func grow() {
    var scene = scene()
    scene.update([
      .reconfigureItems(section: 0, items: 3 ..< 4, blocks: [ItemBlock(count: 1, heights: [50])])
    ])
    #expect(scene.adjustment == Point(x: 0, y: 30))
  }

  @Test("the next that survives takes the place of a deleted anchor")
  func deletedAnchor() {
    var scene = scene()
    // Row 17 was at 680 and comes to 560.
    scene.update([.delete(14 ..< 17)])
    #expect(scene.adjustment == Point(x: 0, y: -120))
    #expect(scene.client.frame(itemKey: "a17")?.y == 560)

    var last = self.scene(.lastVisible)
    // Row 20 stays where it is.
    last.update([.delete(21 ..< 30)])
    #expect(last.adjustment == .zero)
    last.update([.delete(0 ..< 1)])
    #expect(last.adjustment == Point(x: 0, y: -40))
  }

  @Test("what lies beyond the visible rect is the anchor where nothing in it survives")
  func allInSightDeleted() {
    var scene = scene()
    scene.update([.delete(14 ..< 22)])
    // Row 22 was at 880 and comes to 560.
    #expect(scene.adjustment == Point(x: 0, y: -320))
  }

  /// Rows of 40; viewport 100..500: row 2 (80) is the first in sight and row 12 (480) the last.
  private func rows(_ mode: AnchorMode = .firstVisible, heights: [Double] = [40]) -> Scene {
    Scene(
      CollectionContents(sections: [
        SectionContents(
          blocks: [
            ItemBlock(count: 1000, heights: heights, keys: (0 ..< 1000).map { "a\($0)" })
          ])
      ]),
      layout: ListLayout(),
      size: Size(width: 300, height: 400),
      offset: Point(x: 0, y: 100),
      options: SessionOptions(anchorMode: mode),
      capabilities: ClientCapabilities(checksums: true, itemKeys: true)
    )
  }

  @Test(
    "an item that somebody moves away is not followed while others are in sight",
    arguments: [(AnchorMode.firstVisible, 2, 900), (.lastVisible, 12, 900), (.lastVisible, 12, 0)]
  )
  func movedAway(mode: AnchorMode, item: Int, to: Int) {
    var scene = rows(mode)
    let stays = scene.client.frame(itemKey: "a7")?.y ?? .nan
    scene.update([.move(item, to: to)])
    #expect((scene.client.frame(itemKey: "a7")?.y ?? .nan) - scene.adjustment.y == stays)
    #expect(abs(scene.adjustment.y) <= 40)
    scene.checkMirror()
  }

  @Test("what is moved while the client has not scrolled there yet is not followed either")
  func movedAwayBeforeFrame() {
    var scene = rows()
    scene.post(.update(UpdateBatch([.move(250, to: 0)])))
    scene.client.scroll(to: Point(x: 0, y: 10_000))
    scene.post(.viewport(ViewportChange(observedFrame: 1, offset: Point(x: 0, y: 10_000))))
    scene.settle()
    // Row 251 was at 10040 and still is.
    #expect(scene.adjustment == .zero)
    scene.checkMirror()
  }

  @Test("where all that is in sight is moved together, it stays in sight")
  func allMoved() {
    var scene = Scene(
      .keyed(100, 100, 100),
      layout: ListLayout(rowHeight: 40),
      size: Size(width: 300, height: 400),
      offset: Point(x: 0, y: 5000),
      options: SessionOptions()
    )
    scene.update([.moveSection(from: 1, to: 0)])
    #expect(scene.adjustment == Point(x: 0, y: -4000))
    scene.checkMirror()
  }

  @Test("a section that is moved away is not followed while items of another are in sight")
  func movedSection() {
    var scene = Scene(
      .keyed(100, 100),
      layout: ListLayout(rowHeight: 40),
      size: Size(width: 300, height: 400),
      offset: Point(x: 0, y: 3900),
      options: SessionOptions()
    )
    scene.update([.moveSection(from: 0, to: 1)])
    #expect(scene.adjustment == Point(x: 0, y: -3900))
    #expect(scene.client.frame(itemKey: "b3")?.y == 120)
    scene.checkMirror()
  }

  @Test("what remains in sight keeps still where the anchor shrinks out of it")
  func shrinksOutOfSight() {
    var scene = rows(heights: [100] + Array(repeating: 40.0, count: 999))
    // Row 0 is 0..100 and out of sight; row 1 is 100..140.
    scene.scroll(to: 60)
    scene.update([
      .reconfigureItems(section: 0, items: 0 ..< 1, blocks: [ItemBlock(count: 1, heights: [30])])
    ])
    #expect(scene.adjustment == Point(x: 0, y: -60))
    scene.checkMirror()
  }

  @Test("an anchor that shrinks and stays in sight keeps its edge")
  func shrinksInSight() {
    var scene = rows(heights: [100] + Array(repeating: 40.0, count: 999))
    scene.scroll(to: 60)
    scene.update([
      .reconfigureItems(section: 0, items: 0 ..< 1, blocks: [ItemBlock(count: 1, heights: [80])])
    ])
    #expect(scene.adjustment == .zero)
    scene.checkMirror()
  }

  @Test("at the very start the start stays in view, at the very end the end")
  func edges() {
    var start = scene(.firstVisible, offset: -50)
    start.update([.insert("x", at: 0)])
    #expect(start.adjustment == .zero)

    // Content 1980, the last offset 1980 + 30 - 400.
    var end = scene(.lastVisible, offset: 1610)
    end.update([.insert("x", at: 50)])
    #expect(end.adjustment == Point(x: 0, y: 40))

    var first = scene(.firstVisible, offset: 1610)
    first.update([.insert("x", at: 50)])
    #expect(first.adjustment == .zero)
    first.update([.insert("y", at: 0)])
    #expect(first.adjustment == Point(x: 0, y: 40))

    var last = scene(.lastVisible, offset: -50)
    last.update([.insert("x", at: 2)])
    #expect(last.adjustment == Point(x: 0, y: 40))
  }

  @Test("the end stays in view while content grows from nothing")
  func chat() {
    var scene = Scene(
      .keyed(0),
      layout: ListLayout(rowHeight: 100),
      size: Size(width: 300, height: 250),
      options: SessionOptions(anchorMode: .lastVisible)
    )
    for index in 0 ..< 6 { scene.update([.insert("m\(index)", at: index)]) }
    #expect(scene.client.offset.y == 350)
    // The keyboard comes up.
    scene.send(.viewport(ViewportChange(size: Size(width: 300, height: 150))))
    #expect(scene.client.offset.y == 450)
  }

  @Test(
    "offsets stay within content that shrinks, whatever the mode",
    arguments: AnchorMode.allCases
  )
  func shrinking(mode: AnchorMode) {
    var scene = scene(mode, offset: 1610)
    scene.update([.delete(40 ..< 50)])
    #expect(scene.client.offset.y == 1580 + 30 - 400)
    scene.checkMirror()
  }

  @Test("scrolling beyond the edge goes on by as much")
  func overscroll() {
    var scene = scene(.firstVisible, offset: 1650)
    scene.update([.insert("x", at: 0)])
    #expect(scene.adjustment == Point(x: 0, y: 40))
    var top = self.scene(.firstVisible, offset: -90)
    top.update([.insert("x", at: 0)])
    #expect(top.adjustment == .zero)
  }

  @Test("measured sizes above move the offset along")
  func measuring() {
    var scene = scene(isSelfSizing: true)
    scene.measure([(9, Size(width: 300, height: 50)), (10, Size(width: 300, height: 10))])
    #expect(scene.adjustment == Point(x: 0, y: 20))
    scene.measure([(16, Size(width: 300, height: 60))])
    #expect(scene.adjustment == .zero)
    scene.checkMirror()
  }

  @Test("a line inserted before lines of a flow counts as a line")
  func flow() {
    var scene = Scene(
      .keyed(60),
      layout: FlowLayout(itemSize: Size(width: 100, height: 50)),
      size: Size(width: 320, height: 240),
      offset: Point(x: 0, y: 600),
      options: SessionOptions()
    )
    scene.update([.insert("x", "y", "z", at: 0)])
    #expect(scene.adjustment == Point(x: 0, y: 60))
    // One more moves the anchor within its line, and nothing sideways.
    scene.update([.insert("w", at: 0)])
    #expect(scene.adjustment == .zero)
  }

  @Test("a jump while a batch waits anchors what would be in sight there")
  func jumpBeforeFrame() throws {
    var scene = scene()
    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.client.scroll(to: Point(x: 0, y: 1500))
    scene.post(.viewport(ViewportChange(observedFrame: 1, offset: Point(x: 0, y: 1500))))
    scene.settle()
    #expect(scene.adjustment == Point(x: 0, y: 40))
    #expect(scene.client.offset.y == 1540)
    scene.checkMirror()
  }

  @Test("adjustments of rejected frames are made up for")
  func rejected() throws {
    var scene = scene()
    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.prepare()
    let lost = try scene.take()
    scene.client.skip(lost)
    try scene.session.acknowledge(FrameAck(sequence: 2, isRejected: true), at: .zero)
    scene.settle()
    #expect(scene.frames.map(\.isKeyframe) == [true])
    #expect(scene.client.offset.y == 540)
    scene.scroll(to: 560)
    #expect(scene.session.query?.viewport.offset.y == 560)
  }

  @Test("adjustments of a frame that is rejected behind a keyframe follow with the next frame")
  func rejectedBehindKeyframe() throws {
    var scene = scene()
    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.prepare()
    let lost = try scene.take()
    // Before the server hears that it was lost, a keyframe leaves, with an adjustment of its own.
    scene.post(.resync)
    scene.post(.update(UpdateBatch([.insert("y", "z", at: 0)])))
    scene.prepare()
    let keyframe = try scene.take()
    #expect(keyframe.isKeyframe)
    scene.client.skip(lost)
    try scene.session.acknowledge(FrameAck(sequence: 2, isRejected: true), at: .zero)
    scene.client.apply(keyframe)
    #expect(scene.client.offset.y == 580)
    // An offset that is read before the next frame arrives lacks it too.
    scene.client.scroll(to: Point(x: 0, y: 600))
    scene.post(.viewport(ViewportChange(observedFrame: 3, offset: Point(x: 0, y: 600))))
    scene.settle()
    #expect(scene.client.offset.y == 640)
    #expect(scene.session.query?.viewport.offset.y == 640)
    scene.checkMirror()
    // Told once.
    scene.update([.insert("w", at: 0)])
    #expect(scene.adjustment == Point(x: 0, y: 40))
  }

  @Test("a keyframe that makes up for a rejected frame makes up for all under way behind it")
  func rejectedTwice() throws {
    var scene = scene()
    var lost: [SessionFrame] = []
    scene.send(.options(SessionOptions(maxInFlightFrames: 4, anchorMode: .firstVisible)))
    for key in ["x", "y"] {
      scene.post(.update(UpdateBatch([.insert(key, at: 0)])))
      scene.prepare()
      lost.append(try scene.take())
    }
    for frame in lost { scene.client.skip(frame) }
    let first = lost[0].sequence
    try scene.session.acknowledge(FrameAck(sequence: first, isRejected: true), at: .zero)
    let keyframe = try scene.take()
    try scene.session.acknowledge(FrameAck(sequence: first + 1, isRejected: true), at: .zero)
    scene.client.apply(keyframe)
    scene.settle()
    #expect(scene.client.offset.y == 580)
    #expect(scene.session.query?.viewport.offset.y == 580)
    scene.checkMirror()
  }

  @Test("packed elements are anchored as they are quantised")
  func quantised() {
    var scene = Scene(
      CollectionContents(sections: [
        SectionContents(blocks: [ItemBlock(count: 300, heights: [10.0 / 3])])
      ]),
      layout: ListLayout(),
      size: Size(width: 100, height: 100),
      offset: Point(x: 0, y: 500),
      options: SessionOptions(),
      capabilities: ClientCapabilities(encoding: .packed)
    )
    func screenPosition(_ item: Int) -> Double? {
      scene.client.element(.cell(0, item)).map {
        StateChecksum.quantized($0.attributes.frame.minY, 64)
      }.map { Double($0) / 64 - scene.client.offset.y }
    }
    let before = screenPosition(150)
    scene.update([
      .insertItems(
        at: IndexPath(section: 0, item: 0),
        items: [ItemBlock(count: 1, heights: [7.7])]
      )
    ])
    #expect(before != nil)
    #expect(screenPosition(151) == before)
  }

  @Test(
    "whatever is edited elsewhere, the first cell in sight stays",
    arguments: 0 ..< 20 as Range<UInt64>
  )
  func property(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var scene = Scene(
      CollectionContents(sections: [
        SectionContents(
          blocks: [
            ItemBlock(
              count: 200,
              heights: (0 ..< 200).map { _ in Double.random(in: 1 ... 90, using: &random) },
              keys: (0 ..< 200).map { "k\($0)" }
            )
          ])
      ]),
      layout: ListLayout(rowSpacing: 3),
      size: Size(width: 300, height: 400),
      offset: Point(x: 0, y: 3000),
      options: SessionOptions()
    )
    var next = 0
    for _ in 0 ..< 30 {
      let sight = Rect(origin: scene.client.offset, size: Size(width: 300, height: 400))
      let cells = scene.client.slots.values.filter { $0.attributes.frame.meets(sight) }
      guard let anchor = cells.min(by: { $0.key.indexPath < $1.key.indexPath }),
        let item = anchor.key.indexPath.item
      else { break }
      let count = scene.session.query?.prepared.context.contents.itemCount ?? 0
      var operations: [UpdateOperation] = []
      if Bool.random(using: &random) {
        next += 1
        operations.append(
          .insertItems(
            at: IndexPath(section: 0, item: Int.random(in: 0 ... item, using: &random)),
            items: [
              ItemBlock(
                count: 1,
                heights: [Double.random(in: 1 ... 90, using: &random)],
                keys: ["n\(next)"]
              )
            ]
          )
        )
      }
      if Bool.random(using: &random), item > 0 {
        let start = Int.random(in: 0 ..< item, using: &random)
        operations.append(.delete(start ..< min(item, start + 3)))
      }
      if Bool.random(using: &random), item + 30 < count {
        operations.append(.delete(item + 20 ..< item + 25))
      }
      scene.update(operations)
      let after = scene.client.slots.values.first { $0.itemKey == anchor.itemKey }
      let legal = scene.session.query?.viewport.legalOffsets(contentSize: scene.client.contentSize)
      // At an edge of the content the edge wins.
      guard let legal, scene.client.offset.y > legal.min.y, scene.client.offset.y < legal.max.y
      else { continue }
      #expect(
        abs(
          (after?.attributes.frame.y ?? .nan) - scene.client.offset.y
            - (anchor.attributes.frame.y - sight.y)
        ) < 1e-6
      )
      scene.checkMirror()
      scene.scroll(to: scene.client.offset.y + Double.random(in: -200 ... 200, using: &random))
    }
  }
}
