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

  // MARK: - Lent threads

  @Test("a free thread is lent, and called back by a start, which does not wait for it")
  func loan() async throws {
    let threads = threads(2)
    let (lent, neighbor) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (over, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try threads.submit(for: server.child(.peer)) { [gate, record] ticket in
      let isLent = ticket.lend { mayContinue in
        record.note(mayContinue() ? "assists" : "late")
        lent.signal()
        // It is at work, and does not look up, while the neighbour starts and runs.
        neighbor.wait()
        record.note(mayContinue() ? "goes on" : "called back")
        ended.signal()
      }
      record.note(isLent ? "lent" : "alone")
      lent.signal()
      gate.wait()
      record.finish()
    } drop: {
    }
    // Both have made their notes.
    lent.wait()
    lent.wait()
    try threads.submit(for: server.child(.peer)) { [record] ticket in
      record.note("neighbour")
      // Both threads have work of their own.
      record.note(ticket.lend { _ in } ? "lent" : "none is free")
      neighbor.signal()
      ended.wait()
      over.signal()
      record.finish()
    } drop: {
    }
    over.wait()
    gate.signal()
    await record.wait(for: 2)
    #expect(Set(record.all.prefix(2)) == ["lent", "assists"])
    #expect(record.all.dropFirst(2) == ["neighbour", "none is free", "called back"])
  }

  @Test("a loan is called back for a start alone, not while a thread is free for that")
  func manyThreads() async throws {
    let threads = threads(3)
    let (lent, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let look = DispatchSemaphore(value: 0)
    try threads.submit(for: server.child(.peer)) { [gate, record] ticket in
      _ = ticket.lend { mayContinue in
        lent.signal()
        for _ in 0 ..< 2 {
          look.wait()
          record.note(mayContinue() ? "goes on" : "called back")
          ended.signal()
        }
      }
      gate.wait()
      record.finish()
    } drop: {
    }
    lent.wait()
    for _ in 0 ..< 2 {
      let started = DispatchSemaphore(value: 0)
      try threads.submit(for: server.child(.peer)) { [gate, record] _ in
        started.signal()
        gate.wait()
        record.finish()
      } drop: {
      }
      started.wait()
      look.signal()
      ended.wait()
    }
    for _ in 0 ..< 3 { gate.signal() }
    await record.wait(for: 3)
    #expect(record.all == ["goes on", "called back"])
  }

  @Test("nothing is lent where one computation may run at a time, and to one that is cancelled")
  func noLoan() async throws {
    for count in [1, 2] {
      let ticket = try threads(count).submit(for: nil) { [gate, record] ticket in
        gate.wait()
        record.note(ticket.lend { _ in } ? "lent" : "alone")
        record.finish()
      } drop: {
      }
      if count == 2 { ticket.cancel() }
      gate.signal()
      await record.wait()
    }
    #expect(record.all == ["alone", "alone"])
  }

  @Test("a thread that was lent and given back is lent again")
  func again() async throws {
    let threads = threads(2)
    try threads.submit(for: nil) { [record] ticket in
      let ended = DispatchSemaphore(value: 0)
      for round in 0 ..< 50 {
        // The loan ends a moment after what was lent for has ended.
        while !ticket.lend({ _ in ended.signal() }) {}
        ended.wait()
        if round == 49 { record.note("lent") }
      }
      record.finish()
    } drop: {
    }
    await record.wait()
    #expect(record.all == ["lent"])
  }
}
