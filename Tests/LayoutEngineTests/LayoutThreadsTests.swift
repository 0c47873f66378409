// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ResourceAccounting
import Synchronization
import Testing

@testable import LayoutEngine

/// What happened, in order, from whatever thread; and an event that a test waits for.
private final class Record: Sendable {
  private let events = Mutex<[String]>([])
  private let (ends, end) = AsyncStream.makeStream(of: Void.self)

  func note(_ event: String) { events.withLock { $0.append(event) } }
  var all: [String] { events.withLock { $0 } }

  func finish() { end.yield() }

  /// Waits until `finish` was called so often.
  func wait(for count: Int = 1) async {
    var left = count
    for await _ in ends {
      left -= 1
      if left == 0 { return }
    }
  }
}

@Suite("LayoutThreads", .timeLimit(.minutes(1)))
struct LayoutThreadsTests {
  private let server = Account()
  private let record = Record()
  /// Holds up the first job until all others are there.
  private let gate = DispatchSemaphore(value: 0)

  private func threads(
    _ count: Int = 1,
    turn: Duration = .zero,
    waiting: Int = 1000
  )
    -> LayoutThreads
  {
    LayoutThreads(
      limits: .init(
        threadCount: count,
        turn: turn,
        waitingPerPeer: 1_000_000,
        waitingPerConnection: waiting,
        waitingPerAsker: 1000
      )
    )
  }

  private func session(_ connection: Account) -> Account { connection.child(.session) }

  @Test("a newcomer's job runs before the many that another connection asked for earlier")
  func newcomer() async throws {
    let threads = threads()
    let greedy = server.child(.peer).child(.connection)
    let modest = server.child(.peer).child(.connection)
    for index in 0 ..< 120 {
      try threads.submit(for: session(greedy)) { [gate, record] _ in
        if index == 0 { gate.wait() }
        record.note("greedy \(index)")
      } drop: {
      }
    }
    try threads.submit(for: session(modest)) { [record] _ in
      record.note("modest")
      record.finish()
    } drop: {
    }
    #expect(threads.waitingCount == 120)
    gate.signal()
    await record.wait()
    #expect(record.all.prefix(3).contains("modest"))
  }

  @Test("a job whose turn is over lets others go first, as often as it asks")
  func turns() async throws {
    let threads = threads()
    for name in ["a", "b"] {
      try threads.submit(for: server.child(.peer)) { [gate, record] ticket in
        if name == "a" { gate.wait() }
        for step in 1 ... 3 {
          record.note("\(name)\(step)")
          #expect(ticket.mayContinue())
        }
        record.finish()
      } drop: {
      }
    }
    gate.signal()
    await record.wait(for: 2)
    #expect(record.all == ["a1", "b1", "a2", "b2", "a3", "b3"])
  }

  @Test("a job whose turn is not over runs on")
  func longTurns() async throws {
    let threads = threads(turn: .seconds(3600))
    for name in ["a", "b"] {
      try threads.submit(for: server.child(.peer)) { [gate, record] ticket in
        if name == "a" { gate.wait() }
        for step in 1 ... 3 {
          record.note("\(name)\(step)")
          #expect(ticket.mayContinue())
        }
        record.finish()
      } drop: {
      }
    }
    gate.signal()
    await record.wait(for: 2)
    #expect(record.all == ["a1", "a2", "a3", "b1", "b2", "b3"])
  }

  @Test("no more jobs run at once than there are threads, however many are paused")
  func concurrency() async throws {
    let threads = threads(2)
    let running = Mutex((now: 0, most: 0))
    let connections = (0 ..< 4).map { _ in server.child(.peer).child(.connection) }
    for index in 0 ..< 40 {
      try threads.submit(for: session(connections[index % 4])) { [record] ticket in
        for _ in 0 ..< 20 {
          running.withLock { running in
            running.now += 1
            running.most = max(running.most, running.now)
          }
          var sum: UInt64 = 0
          for number in 0 ..< UInt64(2000) { sum = sum &* 31 &+ number }
          if sum == 1 { record.note("never") }
          running.withLock { $0.now -= 1 }
          #expect(ticket.mayContinue())
        }
        record.finish()
      } drop: {
      }
    }
    await record.wait(for: 40)
    #expect(running.withLock { $0.most } <= 2)
    #expect(threads.waitingCount == 0)
  }

  @Test("a job that is cancelled before it began is dropped; one that runs is told")
  func cancellation() async throws {
    let threads = threads()
    let first = try threads.submit(for: nil) { [gate, record] ticket in
      gate.wait()
      record.note(ticket.mayContinue() ? "runs on" : "told")
      record.finish()
    } drop: {
    }
    let second = try threads.submit(for: nil) { [record] _ in
      record.note("runs")
    } drop: { [record] in
      record.note("dropped")
    }
    second.cancel()
    second.cancel()
    first.cancel()
    gate.signal()
    await record.wait()
    #expect(record.all == ["dropped", "told"])
    #expect(threads.waitingCount == 0)
  }

  @Test("what a connection may not have waiting is refused, and concerns nobody else")
  func waitingLimit() async throws {
    let threads = threads(waiting: 3)
    let greedy = server.child(.peer).child(.connection)
    let modest = server.child(.peer).child(.connection)
    try threads.submit(for: greedy) { [gate] _ in
      gate.wait()
    } drop: {
    }
    for _ in 0 ..< 3 {
      try threads.submit(for: session(greedy)) { _ in
      } drop: {
      }
    }
    #expect(throws: WaitingLimitReached(scope: .connection, limit: 3)) {
      try threads.submit(for: session(greedy)) { _ in
      } drop: {
      }
    }
    try threads.submit(for: session(modest)) { [record] _ in
      record.finish()
    } drop: {
    }
    gate.signal()
    await record.wait()
  }
}
