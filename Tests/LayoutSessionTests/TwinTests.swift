// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Sessions in the same state", .timeLimit(.minutes(1)))
struct TwinTests {
  private static let layouts: [any CollectionLayout] = [
    ListLayout(rowHeight: 30), FlowLayout(itemSize: Size(width: 90, height: 70)),
    WaterfallLayout(columns: .count(3)),
  ]

  private func scene(_ contents: CollectionContents, _ layout: any CollectionLayout) -> Scene {
    Scene(
      contents,
      layout: layout,
      capabilities: ClientCapabilities(animations: true, checksums: true, itemKeys: true),
      isShared: true
    )
  }

  @Test(
    "a session that takes its frames from another goes on as one that made them itself",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func reference(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var contents = CollectionContents.keyed(40, 60)
    let layout = Self.layouts[Int(seed % 3)]
    var (maker, twin, alone) = (
      scene(contents, layout), scene(contents, layout), scene(contents, layout)
    )
    #expect(twin.session.followsFromOpening)
    var version: UInt64 = 0
    var nextKey = 0
    for _ in 0 ..< random.int(1 ... 8) {
      let change = try commit(to: &contents, &version, &nextKey, &random)
      follow(change, version, &maker)
      twin.now += .milliseconds(random.below(100))
      #expect(twin.session.canFollowTwin(at: twin.now))
      twin.session.follow(twin: maker.session, at: twin.now)
      #expect(twin.session.unacknowledgedFrames == 1)
      try #require(maker.frames.count == 1)
      twin.client.apply(maker.frames[0])
      let ack = FrameAck(
        sequence: twin.session.lastFrame,
        stateChecksum: twin.client.checksum
      )
      #expect(try twin.session.acknowledge(ack, at: twin.now) == false)
      follow(change, version, &alone)
      compare(twin, alone)
      #expect(maker.session.followsFromOpening && twin.session.followsFromOpening)
    }
    // From here on each goes its own way.
    for _ in 0 ..< 12 {
      if random.chance(50) {
        let y = random.double(0 ... 3000)
        twin.scroll(to: y)
        alone.scroll(to: y)
      } else {
        let change = try commit(to: &contents, &version, &nextKey, &random)
        follow(change, version, &twin)
        follow(change, version, &alone)
      }
      compare(twin, alone)
      twin.checkMirror()
      #expect(twin.frames.map(\.sequence) == alone.frames.map(\.sequence))
      #expect(twin.frames.map(\.upserts.count) == alone.frames.map(\.upserts.count))
      #expect(twin.frames.map(\.removedSlots) == alone.frames.map(\.removedSlots))
    }
    // What the others do is nothing to the session that made the frames.
    maker.checkMirror()
  }

  @Test("what is of the client's own making is no state that others are in")
  func own() throws {
    let contents = CollectionContents.keyed(40)
    var scrolled = Scene(contents, layout: ListLayout(), isShared: true)
    scrolled.send(.viewport(ViewportChange(observedFrame: 1, velocity: Point(x: 0, y: 10))))
    #expect(!scrolled.session.followsFromOpening)
    #expect(!Scene(contents, layout: ListLayout()).session.followsFromOpening)
    var options = SessionOptions(anchorMode: .none)
    options.prefetch.maxItems = 2
    let prefetching = Scene(contents, layout: ListLayout(), options: options, isShared: true)
    #expect(!prefetching.session.followsFromOpening)
  }

  @Test("an acknowledgement says whether something follows from it")
  func acknowledgements() throws {
    var session = ViewportSession(
      open: SessionParameters(
        contents: .keyed(40),
        isShared: true,
        layout: LayoutConfiguration(ListLayout()),
        viewport: ViewportChange(size: Size(width: 320, height: 480))
      )
    )
    let request = try #require(session.wantedLayout)
    _ = session.supply(request.prepare(), for: request)
    #expect(session.nextFrame(at: .zero)?.sequence == 1)
    #expect(try session.acknowledge(FrameAck(sequence: 1), at: .zero) == false)
    let checksum = session.stateChecksum
    let asking = FrameAck(sequence: 1, stateChecksum: checksum)
    #expect(try session.acknowledge(asking, at: .zero))
    #expect(try session.acknowledge(asking, at: .zero) == false)
    let wrong = FrameAck(sequence: 1, stateChecksum: checksum &+ 1)
    #expect(try session.acknowledge(wrong, at: .zero))
    #expect(try session.acknowledge(FrameAck(sequence: 1, isRejected: true), at: .zero))
  }

  private func follow(_ change: ContentsChange, _ version: UInt64, _ scene: inout Scene) {
    scene.session.collectionChanged(change, toVersion: version)
    scene.settle()
  }

  private func commit(
    to contents: inout CollectionContents,
    _ version: inout UInt64,
    _ nextKey: inout Int,
    _ random: inout SplitMix64
  ) throws -> ContentsChange {
    let count = contents.section(at: 0).items.count
    nextKey += 1
    let at = random.below(count + 1)
    let operation: UpdateOperation =
      switch random.below(count > 3 ? 3 : 1) {
      case 0: .insert("new\(nextKey)", at: at)
      case 1: .delete(at == count ? 0 ..< 1 : at ..< min(count, at + 3))
      default: .move(random.below(count), to: random.below(count))
      }
    let change = try contents.applying(UpdateBatch([operation], isAnimated: random.chance(50)))
    contents = change.new
    version += 1
    return change
  }

  private func compare(_ twin: Scene, _ alone: Scene) {
    #expect(twin.client.slots == alone.client.slots)
    #expect(twin.client.checksum == alone.client.checksum)
    #expect(twin.client.contentSize == alone.client.contentSize)
    #expect(twin.client.offset == alone.client.offset)
    #expect(twin.session.liveCount == alone.session.liveCount)
  }
}
