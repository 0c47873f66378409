// SPDX-License-Identifier: Apache-2.0

import LayoutSession
import Testing

@testable import LayoutService

@Suite("The machine of a session", .timeLimit(.minutes(3)))
struct SessionMachineTests {
  typealias Input = SessionWorld.Input

  /// Where all sequences of so many inputs are tried from.
  struct Beginning: Sendable {
    var inputs: [Input]
    var depth: Int
  }

  static let beginnings = [
    Beginning(inputs: [], depth: 6),
    Beginning(inputs: [.open, .opened, .rest, .waitForEnd], depth: 5),
    Beginning(inputs: [.open, .opened, .write, .event, .viewport], depth: 5),
    Beginning(inputs: [.open, .opened, .rest, .event, .commit, .waitForEnd], depth: 5),
  ]

  @Test("one owner, nothing lost, one end, whatever comes in whatever order", arguments: beginnings)
  func interleavings(_ beginning: Beginning) {
    var world = SessionWorld()
    for input in beginning.inputs { world.take(input) }
    #expect(world.faults == [])
    var tried = 0
    var found: [(path: [Input], faults: [String])] = []
    explore(world, beginning.inputs, depth: beginning.depth, &tried, &found)
    for (path, faults) in found.prefix(5) { Issue.record("\(path): \(faults)") }
    #expect(tried > 50_000)
  }

  private func explore(
    _ world: SessionWorld,
    _ path: [Input],
    depth: Int,
    _ tried: inout Int,
    _ found: inout [(path: [Input], faults: [String])]
  ) {
    guard found.count < 5 else { return }
    tried += 1
    var closed = world
    closed.close()
    guard closed.faults.isEmpty else {
      found.append((path, closed.faults))
      return
    }
    guard depth > 0 else { return }
    for input in Input.allCases where world.allows(input) {
      var next = world
      next.take(input)
      explore(next, path + [input], depth: depth - 1, &tried, &found)
    }
  }

  // MARK: - Phase by phase

  @Test("a request where the session rests is worked on by who brings it")
  func fastPath() {
    var machine = resting()
    let action = machine.receive(input(1))
    guard case .work(1, nil) = action.next else { return fail("not handed over") }
    let written = machine.wait(1, for: .write(deadline: now + .seconds(30), restingUntil: now))
    guard case .wait = written.next else { return fail("does not write") }
    guard case .nothing = machine.resume().next else { return fail("does not rest") }
  }

  @Test("a session is taken away from a stream that waits for its client or a layout, at once")
  func supersededWhileWaiting() {
    for wait in [
      SessionWait.engine, .write(deadline: now + .seconds(30), restingUntil: nil), .start,
    ] {
      var machine = resting()
      _ = machine.receive(input(1))
      _ = machine.wait(1, for: wait)
      _ = machine.waitForEnd(1)
      let action = machine.end(.superseded)
      #expect(action.end?.waiter == 1)
      #expect(action.cancelsWait)
      #expect(machine.takeCore() == 1)
      guard case .stop = machine.resume().next else { return fail("\(wait) goes on") }
    }
  }

  @Test("a batch that is being committed is settled before the session goes to another stream")
  func supersededWhileCommitting() {
    var machine = resting()
    _ = machine.waitForEnd(1)
    _ = machine.receive(input(1))
    _ = machine.wait(1, for: .commit)
    let action = machine.end(.superseded)
    #expect(action.end == nil)
    #expect(!action.cancelsWait)
    #expect(machine.takeCore() == nil)
    guard case .settle(1) = machine.resume().next else { return fail("not settled") }
    let settled = machine.end(1, .closed)
    guard case .superseded? = settled.end?.reason else { return fail("another reason") }
    #expect(machine.takeCore() == 1)
  }

  @Test("an unread write is given up at its deadline, not before")
  func unread() {
    var machine = resting()
    _ = machine.waitForEnd(1)
    _ = machine.receive(input(1))
    let deadline = now + .seconds(30)
    let write = machine.wait(1, for: .write(deadline: deadline, restingUntil: nil))
    // The alarm of the rest is earlier.
    #expect(write.alarm == nil)
    let early = machine.ring(now + .seconds(15), now: now + .seconds(15))
    #expect(early.alarm == deadline)
    #expect(early.end == nil)
    let late = machine.ring(deadline, now: deadline)
    guard case .unread? = late.end?.reason else { return fail("not given up") }
    #expect(machine.takeCore() == 1)
  }

  @Test("while the server goes away nobody waits longer than it allows")
  func drainWhileWaiting() {
    var machine = resting()
    _ = machine.waitForEnd(1)
    _ = machine.receive(input(1))
    _ = machine.wait(1, for: .engine)
    let deadline = now + .seconds(2)
    #expect(machine.drain(until: deadline).alarm == deadline)
    let action = machine.ring(deadline, now: deadline)
    guard case .serverDraining? = action.end?.reason else { return fail("still waits") }
    // What is written to say so has no longer either.
    var other = resting()
    guard case .start = other.drain(until: deadline).next else { return fail("asleep") }
    guard case .work(1, let mail?) = other.resume().next else { return fail("no work") }
    #expect(mail.marks == .draining)
    _ = other.wait(1, for: .write(deadline: now + .seconds(30), restingUntil: nil))
    _ = other.ring(deadline, now: deadline)
    #expect(other.isEnded)
  }

  @Test("commits do not wake a session that could not show them, and come with its next request")
  func deferredCommits() {
    var machine = resting()
    let far = now + .seconds(15)
    _ = machine.receive(input(1))
    // Also one that is made meanwhile.
    _ = machine.note(.collectionChanged)
    guard case .nothing = machine.rest(1, until: far, defersCommits: true).next else {
      return fail("looks at a commit")
    }
    guard case .nothing = machine.note(.collectionChanged).next else { return fail("is woken") }
    guard case .work(1, let mail?) = machine.receive(input(2)).next else { return fail("no mail") }
    #expect(mail.marks == .collectionChanged)
    #expect(mail.inputs.isEmpty)
    // Once it can show them, they wake it.
    _ = machine.rest(1, until: far)
    guard case .start = machine.note(.collectionChanged).next else { return fail("asleep") }
    _ = machine.resume()
    _ = machine.rest(1, until: far, defersCommits: true)
    // Everything else does in any case.
    guard case .start = machine.note(.collectionDeleted).next else { return fail("asleep") }
    _ = machine.resume()
    _ = machine.note(.collectionChanged)
    _ = machine.rest(1, until: far, defersCommits: true)
    guard case .start = machine.note(.versionAwaited).next else { return fail("asleep") }
  }

  @Test("an acknowledgement that comes before the session is open is not lost, however full it is")
  func acknowledgementsBeforeOpening() {
    var machine = SessionMachine<Int, Int, Int>(
      openDeadline: now,
      mailbox: SessionMailbox(countLimit: 1, byteLimit: 1 << 20)
    )
    let isOpening = machine.open()
    #expect(isOpening)
    #expect(machine.receive(input(2)).isFull)
    let ack = SessionInput(ack: FrameAck(sequence: 9), event: .event(.resync, seq: 3))
    #expect(machine.receive(ack).isFull)
    #expect(machine.waitForRoom(5).room == nil)
    let opened = machine.opened(1)
    guard case .work(1, let mail?) = opened.next else { return fail("no work") }
    #expect(mail.inputs.count == 2)
    #expect(mail.inputs.last?.ack.sequence == 9)
    #expect(opened.room == nil)
    #expect(machine.rest(1, until: now + .seconds(1)).room == 5)
  }

  private let now = ContinuousClock.now

  private func fail(_ text: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record(text, sourceLocation: sourceLocation)
  }

  private func input(_ seq: UInt64) -> SessionInput {
    SessionInput(event: .event(.resync, seq: seq))
  }

  /// A session at rest whose core is 1.
  private func resting() -> SessionMachine<Int, Int, Int> {
    var machine = SessionMachine<Int, Int, Int>(
      openDeadline: now + .seconds(5),
      mailbox: SessionMailbox(countLimit: 4, byteLimit: 1 << 20)
    )
    _ = machine.open()
    _ = machine.opened(1)
    _ = machine.rest(1, until: now + .seconds(15))
    return machine
  }
}
