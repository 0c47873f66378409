// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Sessions in the same state", .timeLimit(.minutes(1)))
struct CommonStateTests {
  private static let layouts: [any CollectionLayout] = [
    ListLayout(rowHeight: 30), FlowLayout(itemSize: Size(width: 90, height: 70)),
    WaterfallLayout(columns: .count(3)),
  ]

  private func scene(
    _ contents: CollectionContents,
    _ layout: any CollectionLayout,
    anchorMode: AnchorMode = .none,
    offset: Point? = nil
  ) -> Scene {
    Scene(
      contents,
      layout: layout,
      offset: offset,
      options: SessionOptions(anchorMode: anchorMode),
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
    var common = try #require(CommonState(after: maker.session))
    var link = twin.session.link
    var version: UInt64 = 0
    var nextKey = 0
    for _ in 0 ..< random.int(1 ... 8) {
      let change = try commit(to: &contents, &version, &nextKey, &random)
      follow(change, version, &maker)
      twin.now += .milliseconds(random.below(100))
      #expect(common.canFollow(link, at: twin.now))
      common = try #require(CommonState(after: maker.session))
      common.follow(&link, isKeyframe: maker.frames[0].isKeyframe, at: twin.now)
      #expect(link.unacknowledgedFrames == 1)
      try #require(maker.frames.count == 1)
      twin.client.apply(maker.frames[0])
      let ack = FrameAck(
        sequence: link.lastFrame,
        stateChecksum: twin.client.checksum
      )
      #expect(try common.acknowledge(ack, &link, at: twin.now) == nil)
      twin.session = common.session(link)
      follow(change, version, &alone)
      compare(twin, alone)
      #expect(CommonState(after: twin.session) != nil)
    }
    // From here on each goes its own way.
    for _ in 0 ..< 12 {
      try step(&twin, &alone, &contents, &version, &nextKey, &random)
      compare(twin, alone)
      twin.checkMirror()
      #expect(twin.frames.map(\.sequence) == alone.frames.map(\.sequence))
      #expect(twin.frames.map(\.upserts.count) == alone.frames.map(\.upserts.count))
      #expect(twin.frames.map(\.removedSlots) == alone.frames.map(\.removedSlots))
    }
    // What the others do is nothing to the session that made the frames.
    maker.checkMirror()
  }

  @Test(
    "a session that joins later goes on as one that has made its frames itself",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func later(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var contents = CollectionContents.keyed(40, 60)
    let layout = Self.layouts[Int(seed % 3)]
    let anchorMode: AnchorMode = seed % 2 == 0 ? .none : .firstVisible
    var maker = scene(contents, layout, anchorMode: anchorMode)
    var (version, nextKey) = (UInt64(0), 0)
    for _ in 0 ..< random.int(1 ... 8) {
      follow(try commit(to: &contents, &version, &nextKey, &random), version, &maker)
    }
    let common = try #require(CommonState(after: maker.session))
    // As the maker would be if it were opened now; its first frame is its own.
    var (late, alone) = (
      scene(contents, layout, anchorMode: anchorMode),
      scene(contents, layout, anchorMode: anchorMode)
    )
    let adjusted = maker.session.adjustments.adjustment(since: maker.session.lastFrame - 1)
    guard maker.session.viewport == alone.session.viewport, adjusted == .zero else { return }
    var scratch = SessionScratch()
    let keyframe = try #require(common.keyframe(scratch: &scratch))
    late.client = MirrorClient(offset: .zero)
    late.client.apply(keyframe)
    var link = SessionLink(at: late.now)
    common.follow(&link, isKeyframe: true, at: late.now)
    let ack = FrameAck(sequence: 1, stateChecksum: late.client.checksum)
    #expect(try common.acknowledge(ack, &link, at: late.now) == nil)
    late.session = common.session(link)
    #expect(late.session.lastFrame == 1 && late.session.live.elements.allSatisfy { $0.since <= 1 })
    compareContent(late, alone)
    // As if it had been opened with the newest data version.
    alone.session.contents = late.session.contents
    alone.session.sent?.dataVersion = version
    for _ in 0 ..< 12 {
      try step(&late, &alone, &contents, &version, &nextKey, &random)
      compareContent(late, alone)
      late.checkMirror()
      #expect(late.frames.map(\.sequence) == alone.frames.map(\.sequence))
      #expect(late.frames.map(\.upserts.count) == alone.frames.map(\.upserts.count))
    }
    maker.checkMirror()
  }

  @Test(
    "what happened before a younger session began is not lost to older ones when it makes a frame",
    arguments: 1 ... 60 as ClosedRange<UInt64>
  )
  func younger(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var contents = CollectionContents.keyed(40, 60)
    let layout = Self.layouts[Int(seed % 3)]
    var old = scene(contents, layout, anchorMode: .firstVisible, offset: Point(x: 0, y: 400))
    var (version, nextKey) = (UInt64(0), 0)
    for _ in 0 ..< random.int(1 ... 8) {
      follow(try commit(to: &contents, &version, &nextKey, &random), version, &old)
    }
    let common = try #require(CommonState(after: old.session))
    var young = old
    var scratch = SessionScratch()
    young.client = MirrorClient(offset: old.client.offset)
    young.client.apply(try #require(common.keyframe(scratch: &scratch)))
    var link = SessionLink(at: young.now)
    common.follow(&link, isKeyframe: true, at: young.now)
    #expect(try common.acknowledge(FrameAck(sequence: 1), &link, at: young.now) == nil)
    young.session = common.session(link)
    for _ in 0 ..< random.int(1 ... 3) {
      let change = try commit(to: &contents, &version, &nextKey, &random)
      follow(change, version, &young)
      follow(change, version, &old)
    }
    let found = try #require(CommonState(after: young.session)).session(old.session.link)
    #expect(found.lastFrame == old.session.lastFrame)
    #expect(found.live.elements.map(\.slot) == old.session.live.elements.map(\.slot))
    #expect(found.live.elements.map(\.since) == old.session.live.elements.map(\.since))
    for frame in 0 ... found.lastFrame {
      let adjustment = found.adjustments.adjustment(since: frame)
      #expect(adjustment == old.session.adjustments.adjustment(since: frame))
    }
  }

  @Test("nobody joins a state whose newest frame has moved the offset")
  func adjusted() throws {
    var contents = CollectionContents.keyed(40, 60)
    let offset = Point(x: 0, y: 400)
    func opened() -> Scene {
      scene(contents, ListLayout(rowHeight: 30), anchorMode: .firstVisible, offset: offset)
    }
    var old = opened()
    for operation in [.insert("new", at: 0), .delete(0 ..< 1)] as [UpdateOperation] {
      let change = try contents.applying(UpdateBatch([operation]))
      contents = change.new
      follow(change, contents.section(at: 0).items.count == 41 ? 1 : 2, &old)
    }
    #expect(old.session.viewport.offset == offset)
    #expect(old.session.adjustments.adjustment(since: 2) != .zero)
    var fresh = opened().session
    fresh.link = SessionLink(at: .zero)
    #expect(fresh.viewport == old.session.viewport)
    let common = try #require(CommonState(after: old.session))
    #expect(!common.mayBegin(like: fresh))
    // The next frame has not.
    let change = try contents.applying(UpdateBatch([.insert("last", at: 40)]))
    contents = change.new
    follow(change, 3, &old)
    #expect(old.session.adjustments.adjustment(since: 3) == .zero)
    #expect(try #require(CommonState(after: old.session)).mayBegin(like: fresh))
  }

  @Test(
    "sessions that are found to be in one state make the same frames from then on",
    arguments: 1 ... 80 as ClosedRange<UInt64>
  )
  func equal(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var contents = CollectionContents.keyed(40, 60)
    let layout = Self.layouts[Int(seed % 3)]
    // What is inserted above the viewport moves it.
    let isAnchored = random.chance(50)
    func opened() -> Scene {
      scene(
        contents,
        layout,
        anchorMode: isAnchored ? .firstVisible : .none,
        offset: isAnchored ? Point(x: 0, y: 400) : nil
      )
    }
    var (one, other) = (opened(), opened())
    var (version, nextKey) = (UInt64(0), 0)
    for _ in 0 ..< random.int(1 ... 6) {
      // The other one misses some steps, and has fewer frames.
      var missed: [(ContentsChange, UInt64)] = []
      for _ in 0 ..< random.int(1 ... 2) {
        let change = try commit(
          to: &contents,
          &version,
          &nextKey,
          &random,
          from: random.chance(50) ? 30 : 0
        )
        follow(change, version, &one)
        missed.append((change, version))
      }
      for (change, version) in missed {
        other.session.collectionChanged(change, toVersion: version)
      }
      other.settle()
    }
    let common = try #require(CommonState(after: one.session))
    guard common.clientHasSame(as: other.session, isAlone: true) else { return }
    var twin = other
    twin.session = common.session(other.session.link)
    for _ in 0 ..< 12 {
      if random.chance(50) {
        let last = other.session.lastFrame
        let change = ViewportChange(
          observedFrame: last - min(last, UInt64(random.below(4))),
          offset: Point(x: 0, y: random.double(0 ... 3000))
        )
        twin.send(.viewport(change))
        other.send(.viewport(change))
        #expect(twin.session.viewport == other.session.viewport)
      } else {
        let change = try commit(to: &contents, &version, &nextKey, &random)
        follow(change, version, &twin)
        follow(change, version, &other)
      }
      compare(twin, other)
      twin.checkMirror()
      #expect(twin.frames.map(\.sequence) == other.frames.map(\.sequence))
      #expect(twin.frames.map(\.removedSlots) == other.frames.map(\.removedSlots))
      for (mine, its) in zip(twin.session.live.elements, other.session.live.elements) {
        #expect(max(1, mine.since) == its.since || !other.session.canMeasure(its))
      }
    }
  }

  @Test(
    "a session in a common state answers as one that has all for itself",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func answers(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var contents = CollectionContents.keyed(40)
    let options = SessionOptions(
      maxInFlightFrames: random.int(1 ... 3),
      minFrameInterval: .milliseconds(random.below(3) * 20),
      heartbeatInterval: .seconds(random.int(1 ... 20))
    )
    var maker = Scene(contents, layout: ListLayout(), options: options, isShared: true)
    var common = try #require(CommonState(after: maker.session))
    var alone = maker.session
    var link = alone.link
    var (version, nextKey, now) = (UInt64(0), 0, maker.now)
    for _ in 0 ..< 60 {
      now += .milliseconds(random.below(random.chance(20) ? 12_000 : 60))
      // A look leaves the link as it is.
      var (looked, other) = (link, alone)
      let isForced = random.chance(30)
      let due = common.due(&looked, at: now, isForced: isForced)
      #expect(due.heartbeat == other.heartbeat(at: now, isForced: isForced))
      #expect(due.health == other.health(at: now))
      #expect(due.next == other.nextDeadline(after: now))
      #expect(common.isWindowFull(link) == alone.isWindowFull)
      #expect(common.canFollow(link, at: now) == alone.canSend(at: now))
      #expect(common.dataVersion == alone.dataVersion && common.liveCount == alone.liveCount)
      #expect(common.byteCount == alone.byteCount)
      switch random.below(3) {
      case 0 where alone.canSend(at: now):
        maker.now += .seconds(1)
        follow(try commit(to: &contents, &version, &nextKey, &random), version, &maker)
        common = try #require(CommonState(after: maker.session))
        common.follow(&link, isKeyframe: false, at: now)
        alone = common.session(link)
      case 1:
        _ = common.due(&link, at: now, isForced: isForced)
        _ = alone.heartbeat(at: now, isForced: isForced)
      default:
        let newest = link.lastFrame
        let ack = FrameAck(
          sequence: newest - min(newest, UInt64(random.below(3))),
          stateChecksum: random.chance(20) ? 1 : nil,
          isRejected: random.chance(20)
        )
        let followUp = try common.acknowledge(ack, &link, at: now)
        if let followUp {
          // It goes its own way from here on.
          var session = common.session(link)
          try session.settle(followUp, at: now)
          #expect(try alone.acknowledge(ack, at: now))
          #expect(session.nextDeadline(after: now) == alone.nextDeadline(after: now))
          #expect(session.isFrameDue(at: now) == alone.isFrameDue(at: now))
          #expect(session.stateChecksum == alone.stateChecksum)
          alone = common.session(link)
        } else {
          #expect(try alone.acknowledge(ack, at: now) == false)
        }
      }
    }
  }

  @Test("an acknowledgement of a frame that was never sent is told in a common state as well")
  func unsent() throws {
    let maker = Scene(.keyed(40), layout: ListLayout(), isShared: true)
    let common = try #require(CommonState(after: maker.session))
    var link = maker.session.link
    #expect(throws: ProtocolViolation.self) {
      try common.acknowledge(FrameAck(sequence: 9), &link, at: maker.now)
    }
  }

  @Test("what is of the client's own making is no state that others are in")
  func own() throws {
    let contents = CollectionContents.keyed(40)
    var scrolled = Scene(contents, layout: ListLayout(), isShared: true)
    scrolled.send(.viewport(ViewportChange(observedFrame: 1, velocity: Point(x: 0, y: 10))))
    #expect(CommonState(after: scrolled.session) == nil)
    #expect(CommonState(after: Scene(contents, layout: ListLayout()).session) == nil)
    var options = SessionOptions(anchorMode: .none)
    options.prefetch.maxItems = 2
    let prefetching = Scene(contents, layout: ListLayout(), options: options, isShared: true)
    #expect(CommonState(after: prefetching.session) == nil)
    var waiting = Scene(contents, layout: ListLayout(), isShared: true)
    #expect(CommonState(after: waiting.session) != nil)
    _ = try waiting.session.receive(
      .layout(LayoutChange(layout: LayoutConfiguration(CircleLayout()))),
      seq: 9,
      at: .zero
    )
    #expect(CommonState(after: waiting.session) == nil)
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

  /// Both scroll, or follow the same commit.
  private func step(
    _ one: inout Scene,
    _ other: inout Scene,
    _ contents: inout CollectionContents,
    _ version: inout UInt64,
    _ nextKey: inout Int,
    _ random: inout SplitMix64
  ) throws {
    if random.chance(50) {
      let y = random.double(0 ... 3000)
      one.scroll(to: y)
      other.scroll(to: y)
    } else {
      let change = try commit(to: &contents, &version, &nextKey, &random)
      follow(change, version, &one)
      follow(change, version, &other)
    }
  }

  private func follow(_ change: ContentsChange, _ version: UInt64, _ scene: inout Scene) {
    scene.session.collectionChanged(change, toVersion: version)
    scene.settle()
  }

  private func commit(
    to contents: inout CollectionContents,
    _ version: inout UInt64,
    _ nextKey: inout Int,
    _ random: inout SplitMix64,
    from first: Int = 0
  ) throws -> ContentsChange {
    let count = contents.section(at: 0).items.count
    nextKey += 1
    let at = min(first, count) + random.below(count + 1 - min(first, count))
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
    compareContent(twin, alone)
  }

  private func compareContent(_ twin: Scene, _ alone: Scene) {
    #expect(twin.client.checksum == alone.client.checksum)
    #expect(twin.client.contentSize == alone.client.contentSize)
    #expect(twin.client.offset == alone.client.offset)
    #expect(twin.session.liveCount == alone.session.liveCount)
  }
}
