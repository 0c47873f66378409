// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import StoreTesting
import Synchronization
import Testing

@testable import CollectionStore
@testable import PostgreSQLStore

@Suite("Appends that wait for a connection", .timeLimit(.minutes(1)))
struct AppendQueueTests {
  private typealias Outcome = ConnectionDriver.Outcome

  /// A connection that answers when the test tells it to, and refuses at once while it is broken.
  private final class FakeConnection: ExchangeTaking {
    private struct State {
      var availability = ConnectionAvailability.ready
      var unanswered: [@Sendable (Outcome) -> Void] = []
      var pendingCount = 0
      var sizes: [Int] = []
    }

    private let state = Mutex(State())

    init(_ availability: ConnectionAvailability = .ready, pendingCount: Int = 0) {
      state.withLock { ($0.availability, $0.pendingCount) = (availability, pendingCount) }
    }

    var availability: ConnectionAvailability {
      get { state.withLock { $0.availability } }
      set { state.withLock { $0.availability = newValue } }
    }
    var pendingCount: Int { state.withLock { $0.pendingCount } }
    /// How many statements each exchange had that it did not refuse.
    var sizes: [Int] { state.withLock { $0.sizes } }

    func submit(
      _ exchange: Exchange,
      completion: @escaping @Sendable (Outcome) -> Void
    ) {
      let isRefused = state.withLock { state in
        if state.availability == .broken { return true }
        state.unanswered.append(completion)
        state.sizes.append(exchange.statements.count)
        return false
      }
      if isRefused { completion(AppendQueueTests.refusal) }
    }

    /// Answers the oldest exchange.
    func answer(_ outcome: Outcome = .success([])) {
      let completion = state.withLock { state in
        state.unanswered.isEmpty ? nil : state.unanswered.removeFirst()
      }
      completion?(outcome)
    }
  }

  private static let refusal = Outcome.failure(StorageFault(.unreachable, "no connection"))

  /// Adds an append of one batch.
  ///
  /// - Returns: its outcome: "stored", or the kind of the fault; nil = there is none yet.
  private func add(to queue: AppendQueue<FakeConnection>) -> @Sendable () -> String? {
    let outcome = Recorded()
    let record = CollectionRecord(id: "a")
    let batch = StoredBatch(version: 1, requestID: "", payload: [], time: record.updateTime)
    queue.add(
      .init(entries: [LogEntry(batch, record: record, after: record)]) { result in
        switch result {
        case .success: outcome.value.withLock { $0.append("stored") }
        case .failure(let fault as StorageFault):
          outcome.value.withLock { $0.append("\(fault.kind)") }
        case .failure: outcome.value.withLock { $0.append("refused") }
        }
      }
    )
    return {
      outcome.value.withLock { outcomes in
        #expect(outcomes.count < 2)
        return outcomes.first
      }
    }
  }

  private final class Recorded: Sendable {
    let value = Mutex<[String]>([])
  }

  @Test("appends take a connection that works, wherever the broken ones are", arguments: 0 ..< 3)
  func broken(working: Int) {
    let connections = (0 ..< 3).map { FakeConnection($0 == working ? .ready : .broken) }
    let queue = AppendQueue(connections)
    for _ in 0 ..< 5 {
      let outcome = add(to: queue)
      connections[working].answer()
      #expect(outcome() == "stored")
    }
    #expect(connections[working].sizes == [1, 1, 1, 1, 1])
  }

  @Test("the append that another server was faster with fails alone, and the others are stored")
  func oneRefused() {
    let connection = FakeConnection()
    let queue = AppendQueue([connection])
    let first = add(to: queue)
    let others = (0 ..< 5).map { _ in add(to: queue) }
    connection.answer()
    #expect(first() == "stored")
    var error = StatementError(state: StatementError.notNull, message: "", place: "")
    error.index = 2
    connection.answer(.failure(error))
    connection.answer()
    #expect(others.map { $0() }.filter { $0 == "refused" }.count == 1)
    #expect(others.map { $0() }.filter { $0 == "stored" }.count == 4)
    #expect(connection.sizes == [1, 5, 4])
  }

  @Test("if the transaction is refused as a whole, each append is sent by itself")
  func wholeRefused() {
    let connection = FakeConnection()
    let queue = AppendQueue([connection])
    let outcomes = (0 ..< 4).map { _ in add(to: queue) }
    connection.answer()
    var error = StatementError(state: "57014", message: "", place: "")
    error.index = 3
    connection.answer(.failure(error))
    for _ in 0 ..< 3 { connection.answer() }
    #expect(connection.sizes == [1, 3, 1, 1, 1])
    #expect(outcomes.allSatisfy { $0() == "stored" })
  }

  @Test("after a few refusals in a row each append is sent by itself")
  func manyRefused() {
    let connection = FakeConnection()
    let queue = AppendQueue([connection])
    let outcomes = (0 ..< 8).map { _ in add(to: queue) }
    connection.answer()
    let error = StatementError(state: StatementError.notNull, message: "", place: "")
    for _ in 0 ..< 4 { connection.answer(.failure(error)) }
    for _ in 0 ..< 3 { connection.answer() }
    #expect(connection.sizes == [1, 7, 6, 5, 4, 1, 1, 1])
    #expect(outcomes.map { $0() }.filter { $0 == "refused" }.count == 4)
    #expect(outcomes.map { $0() }.filter { $0 == "stored" }.count == 4)
  }

  @Test("what a connection refuses that has just broken is stored by another one")
  func refused() {
    let (first, second) = (FakeConnection(), FakeConnection())
    let queue = AppendQueue([first, second])
    // It is accepted, and found to be unsent when the connection is lost.
    let one = add(to: queue)
    second.availability = .broken
    second.answer(Self.refusal)
    #expect(one() == nil)
    first.answer()
    #expect(one() == "stored")
    #expect((first.sizes, second.sizes) == ([1], [1]))
  }

  @Test("while the connection that works is busy, a broken one leaves the queue to it")
  func waiting() {
    let (broken, busy) = (FakeConnection(), FakeConnection())
    let queue = AppendQueue([broken, busy])
    let one = add(to: queue)
    let two = add(to: queue)
    let rest = (0 ..< 3).map { _ in add(to: queue) }
    broken.availability = .broken
    broken.answer(Self.refusal)
    #expect(rest.allSatisfy { $0() == nil })
    busy.answer()
    busy.answer()
    #expect((one(), two()) == ("stored", "stored"))
    #expect(rest.allSatisfy { $0() == "stored" })
    // What was refused is first, together with what waited behind it.
    #expect(busy.sizes == [1, 4])
  }

  @Test("appends of a group that are retried one by one move to another connection, too")
  func singly() {
    let (other, connection) = (FakeConnection(), FakeConnection())
    let queue = AppendQueue([other, connection])
    let held = (add(to: queue), add(to: queue))
    let group = (0 ..< 7).map { _ in add(to: queue) }
    connection.answer()
    #expect(connection.sizes == [1, 7])
    let conflict = StatementError(state: StatementError.notNull, message: "", place: "")
    for _ in 0 ..< 4 { connection.answer(.failure(conflict)) }
    connection.answer()
    connection.availability = .broken
    connection.answer(Self.refusal)
    #expect(group.filter { $0() == "refused" }.count == 4)
    #expect(group.filter { $0() == "stored" }.count == 1)
    #expect(group.filter { $0() == nil }.count == 2)
    other.answer()
    other.answer()
    #expect((held.0(), held.1()) == ("stored", "stored"))
    #expect(group.filter { $0() == "stored" }.count == 3)
  }

  @Test("if no connection works, appends fail at once, and work again when one does")
  func allBroken() {
    let connections = [FakeConnection(.broken), FakeConnection(.broken)]
    let queue = AppendQueue(connections)
    #expect(add(to: queue)() == "unreachable")
    #expect(add(to: queue)() == "unreachable")
    connections[0].availability = .connecting
    let outcome = add(to: queue)
    #expect(outcome() == nil)
    connections[0].answer()
    #expect(outcome() == "stored")
  }

  @Test("what was sent when the connection was lost is not sent again")
  func unclear() {
    let (first, second) = (FakeConnection(), FakeConnection())
    let queue = AppendQueue([first, second])
    let outcome = add(to: queue)
    second.availability = .broken
    second.answer(.failure(StorageFault(.unclear, "lost")))
    #expect(outcome() == "unclear")
    #expect(first.sizes == [])
  }

  @Test("the least busy connection is one that works; among equals it is the last")
  func leastBusy() {
    let connections = [
      FakeConnection(.ready, pendingCount: 3), FakeConnection(.ready, pendingCount: 2),
      FakeConnection(.ready, pendingCount: 2), FakeConnection(.connecting, pendingCount: 0),
      FakeConnection(.broken, pendingCount: 0),
    ]
    #expect(connections.leastBusy === connections[2])
    #expect(connections[3...].leastBusy === connections[3])
    #expect(connections[4...].leastBusy === connections[4])
    #expect(connections[5...].leastBusy == nil)
  }
}
