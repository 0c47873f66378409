// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("Who makes the next frame of sessions in one state", .timeLimit(.minutes(1)))
struct FrameClaimTests {
  private final class Session: Sendable {
    let wakes = Atomic(0)
    var id: ObjectIdentifier { ObjectIdentifier(self) }
    func wake() { wakes.add(1, ordering: .relaxed) }
  }

  private let begin = ContinuousClock.Instant.now

  private func ask(
    _ claim: inout FrameClaim,
    _ session: Session,
    after milliseconds: Int = 0,
    hasTurn: Bool = false
  ) -> FrameClaim.Answer {
    claim.ask(
      for: session.id,
      at: begin + .milliseconds(milliseconds),
      hasTurn: hasTurn,
      wake: session.wake
    )
  }

  @Test("the first one does, and goes on; the others wait for it, each once")
  func first() {
    var claim = FrameClaim()
    let (maker, other) = (Session(), Session())
    #expect(ask(&claim, maker) == .makes)
    for time in [0, 20, 40] {
      // One alarm is set for all.
      let end: ContinuousClock.Instant? = time == 0 ? begin + .milliseconds(50) : nil
      #expect(ask(&claim, other, after: time) == .waits(alarm: end))
      #expect(ask(&claim, maker, after: time) == .makes)
    }
    let wakes = claim.made()
    #expect(wakes.count == 1)
    for wake in wakes { wake() }
    #expect(other.wakes.load(ordering: .relaxed) == 1)
    #expect(claim.made().isEmpty)
    #expect(ask(&claim, other, after: 45) == .makes)
  }

  @Test("one that has waited too long takes its place, and the others wait for that one")
  func late() {
    var claim = FrameClaim()
    let sessions = (0 ..< 4).map { _ in Session() }
    #expect(ask(&claim, sessions[0]) == .makes)
    for session in sessions[1...] { _ = ask(&claim, session, after: 10) }
    #expect(ask(&claim, sessions[1], after: 50) == .makes)
    #expect(ask(&claim, sessions[0], after: 60) == .waits(alarm: nil))
    #expect(claim.made().count == 3)
  }

  @Test("one that has its turn takes its place, whoever has it")
  func turns() {
    var claim = FrameClaim()
    let sessions = (0 ..< 3).map { _ in Session() }
    #expect(ask(&claim, sessions[0]) == .makes)
    // The first one waits for its turn for so long that others take its place.
    #expect(ask(&claim, sessions[1], after: 50) == .makes)
    #expect(ask(&claim, sessions[0], after: 70) == .waits(alarm: begin + .milliseconds(100)))
    #expect(ask(&claim, sessions[0], after: 80, hasTurn: true) == .makes)
    #expect(ask(&claim, sessions[1], after: 90) == .waits(alarm: nil))
    #expect(ask(&claim, sessions[2], after: 90) == .waits(alarm: nil))
    #expect(claim.made().count == 2)
  }

  @Test("an alarm wakes one that has waited too long, and goes on if it came too early")
  func alarms() {
    var claim = FrameClaim()
    let sessions = (0 ..< 4).map { _ in Session() }
    let ends = [50, 100].map { begin + .milliseconds($0) }
    #expect(ask(&claim, sessions[0]) == .makes)
    #expect(ask(&claim, sessions[1]) == .waits(alarm: ends[0]))
    #expect(ask(&claim, sessions[1], after: 50) == .makes)
    #expect(ask(&claim, sessions[2], after: 55) == .waits(alarm: nil))
    #expect(ask(&claim, sessions[3], after: 55) == .waits(alarm: nil))
    let early = claim.ring(ends[0], now: begin + .milliseconds(56))
    #expect(early.wake == nil && early.alarm == ends[1])
    let late = claim.ring(ends[1], now: ends[1])
    #expect(late.alarm == begin + .milliseconds(150))
    late.wake?()
    // The other one still waits, for whoever makes it now.
    let woken = sessions[2].wakes.load(ordering: .relaxed) == 1 ? 2 : 3
    #expect(sessions[woken].wakes.load(ordering: .relaxed) == 1)
    #expect(ask(&claim, sessions[woken], after: 100) == .makes)
    // Once nobody waits any more, the alarm does nothing.
    #expect(claim.made().count == 1)
    let idle = claim.ring(begin + .milliseconds(150), now: begin + .milliseconds(150))
    #expect(idle.wake == nil && idle.alarm == nil)
  }

  @Test("one that leaves wakes the others if it was to make the frame, and waits no longer if not")
  func leaving() {
    var claim = FrameClaim()
    let sessions = (0 ..< 3).map { _ in Session() }
    for session in sessions { _ = ask(&claim, session) }
    #expect(claim.leave(sessions[1].id).isEmpty)
    #expect(claim.leave(sessions[0].id).count == 1)
    #expect(ask(&claim, sessions[2]) == .makes)
  }

  @Test("once frames are of no use to others, each makes its own")
  func givenUp() {
    var claim = FrameClaim()
    let (maker, other) = (Session(), Session())
    _ = ask(&claim, maker)
    _ = ask(&claim, other)
    #expect(claim.giveUp().count == 1)
    #expect(ask(&claim, other) == .alone && ask(&claim, maker) == .alone)
  }
}
