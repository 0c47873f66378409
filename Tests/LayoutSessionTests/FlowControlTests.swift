// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Flow control", .timeLimit(.minutes(2)))
struct FlowControlTests {
  // MARK: - Windows

  @Test("builds nothing while the window is full, then one frame with everything since")
  func window() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 5000))))
    let second = try scene.take()
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 10_000))))
    let third = try scene.take()
    for step in 1 ... 5 {
      scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 10_000 + Double(step) * 2000))))
      #expect(scene.session.nextFrame(at: .zero) == nil)
    }
    scene.client.apply(second)
    scene.client.apply(third)
    try scene.session.acknowledge(FrameAck(sequence: 2), at: .zero)
    let fourth = try scene.take()
    #expect(fourth.baseSequence == 3)
    #expect(fourth.mergedEvents == 4)
    #expect(fourth.appliedEvent == scene.session.lastEvent)
    scene.client.apply(fourth)
    scene.checkMirror()
  }

  @Test("keeps the interval that the client asked for")
  func interval() throws {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(),
      options: SessionOptions(minFrameInterval: .milliseconds(33))
    )
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 5000))))
    #expect(scene.session.nextFrame(at: .milliseconds(32)) == nil)
    #expect(scene.session.nextDeadline(after: .milliseconds(5)) == .milliseconds(33))
    #expect(scene.session.nextFrame(at: .milliseconds(33)) != nil)
  }

  @Test("grants between one and eight frames, two by default")
  func grants() {
    #expect(SessionOptions().granted.maxInFlightFrames == 2)
    #expect(SessionOptions(maxInFlightFrames: 100).granted.maxInFlightFrames == 8)
    #expect(SessionOptions(maxInFlightFrames: 1).granted.maxInFlightFrames == 1)
    #expect(SessionOptions().granted.heartbeatInterval == .seconds(15))
    #expect(SessionOptions(overscanAhead: .infinity).granted.overscanAhead == 0)
  }

  @Test("an acknowledged frame that was never sent ends the stream")
  func acknowledgedTooMuch() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    #expect(throws: ProtocolViolation.self) {
      try scene.session.acknowledge(FrameAck(sequence: 2), at: .zero)
    }
  }

  @Test("events that run backwards end the stream")
  func backwards() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.scroll(to: 5000)
    #expect(throws: ProtocolViolation.self) {
      try scene.session.receive(.resync, seq: scene.session.lastEvent, at: .zero)
    }
  }

  // MARK: - Repair

  @Test("a keyframe follows a resync, a rejected frame and a wrong checksum")
  func repair() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    let slots = scene.client.slots
    scene.send(.resync)
    #expect(scene.frames.map(\.isKeyframe) == [true])
    #expect(scene.client.slots == slots)

    try scene.session.acknowledge(FrameAck(sequence: 2, isRejected: true), at: .zero)
    scene.settle()
    #expect(scene.frames.map(\.isKeyframe) == [true])

    try scene.session.acknowledge(FrameAck(sequence: 3, stateChecksum: 1), at: .zero)
    scene.settle()
    #expect(scene.frames.map(\.isKeyframe) == [true])
    #expect(scene.client.slots == slots)

    scene.settle()
    #expect(scene.frames.isEmpty)
  }

  @Test("what was rejected before the newest keyframe is mended by it")
  func rejectedTwice() throws {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(),
      options: SessionOptions(maxInFlightFrames: 4)
    )
    for y in [5000.0, 9000] {
      scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: y))))
      let frame = try scene.take()
      scene.client.skip(frame)
    }
    try scene.session.acknowledge(FrameAck(sequence: 2, isRejected: true), at: .zero)
    let keyframe = try scene.take()
    #expect(keyframe.isKeyframe)
    try scene.session.acknowledge(FrameAck(sequence: 3, isRejected: true), at: .zero)
    #expect(scene.session.nextFrame(at: .zero) == nil)
    scene.client.apply(keyframe)
    scene.checkMirror()
  }

  // MARK: - Time

  @Test("a heartbeat comes when nothing else was sent for an interval")
  func heartbeats() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    #expect(scene.session.nextDeadline(after: .zero) == .seconds(15))
    #expect(scene.session.heartbeat(at: .seconds(14)) == nil)
    let beat = scene.session.heartbeat(at: .seconds(15))
    let heartbeat = try #require(beat)
    #expect(heartbeat.lastFrame == 1)
    #expect(heartbeat.liveCount == 22)
    #expect(heartbeat.stateChecksum == scene.client.checksum)
    #expect(scene.session.heartbeat(at: .seconds(16)) == nil)
    #expect(scene.session.nextDeadline(after: .seconds(16)) == .seconds(30))
  }

  @Test(
    "a client that does not acknowledge is slow, then too slow; one that says nothing is silent"
  )
  func health() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 5000))))
    _ = scene.session.nextFrame(at: .zero)
    #expect(scene.session.health(at: .seconds(9)) == .good)
    #expect(scene.session.health(at: .seconds(10)) == .slow)
    #expect(scene.session.health(at: .seconds(30)) == .tooSlow)
    try scene.session.acknowledge(FrameAck(sequence: 2), at: .seconds(31))
    #expect(scene.session.health(at: .seconds(60)) == .good)
    #expect(scene.session.health(at: .seconds(76)) == .silent)
  }

  @Test("how long is slow is the owner's choice, and each moment of it is announced")
  func patience() {
    var parameters = SessionParameters(
      contents: .keyed(1000),
      layout: LayoutConfiguration(ListLayout()),
      viewport: ViewportChange(size: Size(width: 320, height: 480))
    )
    parameters.patience = ClientPatience(notice: .seconds(1), end: .seconds(3))
    var session = ViewportSession(open: parameters)
    if let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
    #expect(session.nextFrame(at: .zero) != nil)
    #expect(session.nextDeadline(after: .zero) == .seconds(1))
    #expect(session.health(at: .milliseconds(999)) == .good)
    #expect(session.health(at: .seconds(1)) == .slow)
    #expect(session.nextDeadline(after: .seconds(1)) == .seconds(3))
    #expect(session.health(at: .seconds(3)) == .tooSlow)
  }
}
