// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Acknowledgements", .timeLimit(.minutes(1)))
struct AcknowledgementTests {
  private func resume(_ client: MirrorClient, lastFrame: UInt64, liveCount: Int) -> SessionResume {
    SessionResume(
      lastFrame: lastFrame,
      liveCount: liveCount,
      capabilities: ClientCapabilities(animations: true, checksums: true, itemKeys: true),
      viewport: ViewportChange(offset: client.offset)
    )
  }

  @Test("one of frame 0 says nothing, whatever else it says", arguments: [nil, 7 as UInt32])
  func frameZero(checksum: UInt32?) throws {
    var scene = Scene(.keyed(100), layout: ListLayout())
    let ack = FrameAck(sequence: 0, stateChecksum: checksum, isRejected: true)
    try scene.session.acknowledge(ack, at: .zero)
    #expect(scene.session.nextFrame(at: .zero) == nil)
    // Before the first frame as well.
    var session = ViewportSession(
      open: SessionParameters(contents: .keyed(10), layout: LayoutConfiguration(ListLayout()))
    )
    try session.acknowledge(ack, at: .zero)
  }

  @Test("one of an older frame changes nothing, not even where it rejects")
  func older() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.scroll(to: 5000)
    scene.scroll(to: 9000)
    for isRejected in [false, true] {
      try scene.session.acknowledge(
        FrameAck(sequence: 1, stateChecksum: 1, isRejected: isRejected),
        at: .zero
      )
      #expect(scene.session.nextFrame(at: .zero) == nil)
    }
    scene.update([.insert("x", at: 0)])
    scene.checkMirror()
  }

  @Test("keyframes that help nobody are sent ever more rarely", arguments: [false, true])
  func uselessKeyframes(isRejected: Bool) throws {
    var scene = Scene(.keyed(100), layout: ListLayout())
    var now = Duration.zero
    var waits: [Duration] = []
    scene.update([.insert("x", at: 0)])
    scene.post(.resync)
    for _ in 0 ..< 14 {
      let start = now
      while true {
        if let frame = scene.session.nextFrame(at: now) {
          #expect(frame.isKeyframe)
          waits.append(now - start)
          let ack =
            isRejected
            ? FrameAck(sequence: frame.sequence, isRejected: true)
            : FrameAck(sequence: frame.sequence, stateChecksum: 0)
          try scene.session.acknowledge(ack, at: now)
          // Repeated ones change nothing, whatever they say.
          try scene.session.acknowledge(ack, at: now)
          try scene.session.acknowledge(FrameAck(sequence: frame.sequence), at: now)
          break
        }
        // The owner is told when to ask again.
        let next = try #require(scene.session.nextDeadline(after: now))
        #expect(next > now)
        now = next
      }
    }
    #expect(
      waits.map { Int($0 / .milliseconds(1)) } == [
        0, 0, 0, 0, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000,
      ]
    )
    // One that fits ends that.
    now += .seconds(1)
    let accepted = scene.session.nextFrame(at: now)
    let sequence = try #require(accepted).sequence
    try scene.session.acknowledge(FrameAck(sequence: sequence), at: now)
    scene.post(.resync)
    #expect(scene.session.nextFrame(at: now)?.isKeyframe == true)
  }

  @Test("events sent again after a resume may acknowledge what was applied then")
  func sentAgain() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.scroll(to: 3000)
    let applied = scene.client.lastApplied
    let liveCount = scene.client.slots.count
    // Two frames are lost with the stream.
    for y in [5000.0, 7000] {
      scene.client.scroll(to: Point(x: 0, y: y))
      scene.post(.viewport(ViewportChange(observedFrame: applied, offset: Point(x: 0, y: y))))
      scene.client.skip(try scene.take())
    }
    let outcome = try scene.session.resume(
      resume(scene.client, lastFrame: applied, liveCount: liveCount),
      at: .zero
    )
    #expect(outcome == .resumedWithKeyframe)
    for sequence in [applied, applied - 1] {
      try scene.session.acknowledge(FrameAck(sequence: sequence), at: .zero)
      scene.post(.viewport(ViewportChange(observedFrame: sequence, offset: Point(x: 0, y: 6000))))
    }
    #expect(scene.problem == nil)
    scene.client.scroll(to: Point(x: 0, y: 6000))
    scene.settle()
    #expect(scene.frames.map(\.isKeyframe) == [true])
    scene.checkMirror()
  }

  @Test("a frame that was never sent cannot be acknowledged, nor rejected")
  func neverSent() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    for isRejected in [false, true] {
      #expect(throws: ProtocolViolation.self) {
        try scene.session.acknowledge(
          FrameAck(sequence: .max, isRejected: isRejected),
          at: .zero
        )
      }
    }
  }
}
