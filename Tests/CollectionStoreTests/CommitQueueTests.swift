// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import CollectionStore

@Suite("CommitGroups", .timeLimit(.minutes(1)))
struct CommitGroupsTests {
  @Test("what is added comes out once, in order, in groups within the limits", arguments: 0 ..< 20)
  func order(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var groups = CommitGroups<(index: Int, bytes: Int)>(countLimit: 4, byteLimit: 100)
    var next = 0
    var taken: [Int] = []
    var isWriting = false
    for _ in 0 ..< 500 {
      if generator.chance(60) {
        let bytes = generator.chance(10) ? 1000 : generator.below(50)
        let admission = groups.add((next, bytes), bytes: bytes)
        #expect(admission == (isWriting ? .waits : .startsWriter))
        isWriting = true
        next += 1
      } else if isWriting {
        let group = groups.takeGroup()
        if group.isEmpty {
          #expect(taken.count == next)
          isWriting = false
        }
        #expect(group.count <= 4)
        #expect(group.count <= 1 || group.reduce(0) { $0 + $1.bytes } <= 100)
        taken += group.map(\.index)
      }
      #expect(groups.isWriting == isWriting)
      #expect(groups.waitingCount == next - taken.count)
    }
    taken += groups.stop().map(\.index)
    #expect(taken == Array(0 ..< next))
    #expect(groups.add((0, 0), bytes: 0) == .refused)
    #expect(groups.takeGroup().isEmpty)
  }
}

@Suite("CommitQueue", .timeLimit(.minutes(1)))
struct CommitQueueTests {
  private struct Refused: Error {}

  /// A database that holds what was committed, and whose writing thread is run by hand.
  private final class FakeDatabase: Sendable {
    struct State {
      var rows: [String] = []
      var committed: [[String]] = []
      var writers: [@Sendable (FakeDatabase) -> Void] = []
      /// Transactions that fail when they are committed.
      var failing = 0
    }
    let state = Mutex(State())

    func write(_ row: String) throws {
      if row == "bad" { throw Refused() }
      state.withLock { $0.rows.append(row) }
    }

    func transaction(_ body: () throws -> Void) throws {
      state.withLock { $0.rows = [] }
      try body()
      try state.withLock { state in
        if state.failing > 0 {
          state.failing -= 1
          throw Refused()
        }
        state.committed.append(state.rows)
      }
    }

    /// - Returns: whether there was a writer to run.
    @discardableResult
    func runWriter() -> Bool {
      let writer = state.withLock { $0.writers.isEmpty ? nil : $0.writers.removeFirst() }
      writer?(self)
      return writer != nil
    }

    var committed: [[String]] { state.withLock { $0.committed } }
    var writerCount: Int { state.withLock { $0.writers.count } }
  }

  private final class Results: Sendable {
    private let found = Mutex<[String]>([])
    var all: [String] { found.withLock { $0 } }
    func note(_ name: String) -> CommitQueue<FakeDatabase>.Completion {
      { [self] result in
        let isWritten = (try? result.get()) != nil
        found.withLock { $0.append(isWritten ? name : "not \(name)") }
      }
    }

    /// Submits a job that writes a row, and notes its result.
    func submit(_ name: String, to queue: CommitQueue<FakeDatabase>) {
      queue.submit {
        try $0.write(name)
      } completion: { [self] in
        note(name)($0)
      }
    }
  }

  private func makeQueue() -> (FakeDatabase, CommitQueue<FakeDatabase>, Results) {
    let database = FakeDatabase()
    let queue = CommitQueue<FakeDatabase>(
      schedule: { writer in database.state.withLock { $0.writers.append(writer) } },
      transaction: { try $0.transaction($1) }
    )
    return (database, queue, Results())
  }

  @Test("what waits together is committed together, in order, by one writer")
  func grouping() {
    let (database, queue, results) = makeQueue()
    for name in ["a", "b", "c"] { results.submit(name, to: queue) }
    #expect(database.writerCount == 1)
    database.runWriter()
    #expect(database.committed == [["a", "b", "c"]])
    #expect(results.all == ["a", "b", "c"])
    #expect(!database.runWriter())
  }

  @Test("what comes while a writer works is in its next transaction")
  func following() {
    let (database, queue, results) = makeQueue()
    queue.submit { [queue] database in
      try database.write("a")
      results.submit("b", to: queue)
    } completion: {
      results.note("a")($0)
    }
    database.runWriter()
    #expect(database.committed == [["a"], ["b"]])
    #expect(results.all == ["a", "b"])
    results.submit("c", to: queue)
    #expect(database.runWriter())
    #expect(results.all == ["a", "b", "c"])
  }

  @Test("the fault of one is not the others'")
  func faults() {
    let (database, queue, results) = makeQueue()
    for name in ["a", "bad", "c"] { results.submit(name, to: queue) }
    database.runWriter()
    #expect(database.committed == [["a"], ["c"]])
    #expect(results.all == ["a", "not bad", "c"])
  }

  @Test("a transaction that cannot be committed is tried again piece by piece")
  func failingCommit() {
    let (database, queue, results) = makeQueue()
    database.state.withLock { $0.failing = 2 }
    for name in ["a", "b"] { results.submit(name, to: queue) }
    database.runWriter()
    #expect(database.committed == [["b"]])
    #expect(results.all == ["not a", "b"])
  }

  @Test(
    "after the end everything is refused, what waits too, and what is being written is finished"
  )
  func stopping() {
    let (database, queue, results) = makeQueue()
    queue.submit { [queue] database in
      try database.write("a")
      results.submit("b", to: queue)
      queue.stop()
    } completion: {
      results.note("a")($0)
    }
    database.runWriter()
    results.submit("c", to: queue)
    #expect(database.committed == [["a"]])
    #expect(results.all == ["not b", "a", "not c"])
    #expect(!database.runWriter())
  }
}
