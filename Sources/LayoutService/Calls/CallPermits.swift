// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import Synchronization

/// Limits how many calls run at once. The others wait: clients take turns, and so do the
/// connections of a client. One client never holds all permits, unless there is only one.
final class CallPermits: Sendable {
  private struct Waiter {
    var number: UInt64
    var continuation: CheckedContinuation<Void, any Error>
  }

  /// The running and waiting calls of one client.
  private struct Holding {
    var running = 0
    /// Waiting calls by connection.
    var waiters = RoundRobin<String, Waiter>()
  }

  private struct State {
    var free: Int
    var nextNumber: UInt64 = 0
    /// Clients with running or waiting calls.
    var holdings: [String: Holding] = [:]
    /// Clients with waiting calls, the next one first.
    var order: [String] = []
  }

  /// The most calls of one client that run at once.
  private let limit: Int
  /// The most calls of one client that wait.
  private let waitingLimit: Int
  /// What waits, for the message of a refusal.
  private let subject: String
  private let state: Mutex<State>

  /// - Parameters:
  ///   - count: the number of permits; less than 1 counts as 1.
  ///   - waitingLimit: the most calls of one client that wait.
  ///   - subject: what the calls are for, in the plural, for the message of a refusal.
  init(_ count: Int, waitingLimit: Int = 256, subject: String) {
    let count = max(1, count)
    limit = max(1, count - 1)
    self.waitingLimit = waitingLimit
    self.subject = subject
    state = Mutex(State(free: count))
  }

  /// Runs `work` with a permit.
  ///
  /// - Parameters:
  ///   - client: the client that asked for the work.
  ///   - connection: the client's connection that asked for it.
  /// - Throws: what `work` throws; `CancellationError` if the task is cancelled before `work`
  ///   begins; QUOTA_COMPUTATIONS if too many calls of the client wait.
  func perform<Result: Sendable>(
    for client: String,
    over connection: String = "",
    _ work: () async throws -> Result
  ) async throws -> Result {
    try await take(client, connection)
    defer { giveBack(client) }
    return try await work()
  }

  private enum Entry {
    case permitted
    case waits
    case refused
    case cancelled
  }

  private func take(_ client: String, _ connection: String) async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let waiter = Waiter(number: number, continuation: continuation)
        switch state.withLock({ enter(waiter, client, connection, &$0) }) {
        case .permitted: continuation.resume()
        case .waits: break
        case .refused: continuation.resume(throwing: refusal)
        case .cancelled: continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      let waiter = state.withLock { Self.remove(number, of: client, connection, &$0) }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func enter(
    _ waiter: Waiter,
    _ client: String,
    _ connection: String,
    _ state: inout State
  ) -> Entry {
    // The cancellation handler may have run before there was a waiter.
    if Task.isCancelled { return .cancelled }
    let (running, waiting) =
      state.holdings[client].map { ($0.running, $0.waiters.count) } ?? (0, 0)
    if state.free > 0, running < limit {
      state.free -= 1
      state.holdings[client, default: Holding()].running += 1
      return .permitted
    }
    guard waiting < waitingLimit else { return .refused }
    if waiting == 0 { state.order.append(client) }
    state.holdings[client, default: Holding()].waiters.append(waiter, of: connection)
    return .waits
  }

  private static func remove(
    _ number: UInt64,
    of client: String,
    _ connection: String,
    _ state: inout State
  ) -> Waiter? {
    let waiter = state.holdings[client]?.waiters.remove(of: connection) { $0.number == number }
    guard let waiter else { return nil }
    if state.holdings[client]?.waiters.isEmpty == true {
      state.order.removeAll { $0 == client }
      if state.holdings[client]?.running == 0 { state.holdings[client] = nil }
    }
    return waiter
  }

  private func giveBack(_ client: String) {
    let next: Waiter? = state.withLock { state in
      state.free += 1
      state.holdings[client]?.running -= 1
      if state.holdings[client]?.running == 0, state.holdings[client]?.waiters.isEmpty == true {
        state.holdings[client] = nil
      }
      return takeNext(&state)
    }
    next?.continuation.resume()
  }

  /// Gives the free permit to the next client that may have one.
  private func takeNext(_ state: inout State) -> Waiter? {
    let found = state.order.firstIndex { (state.holdings[$0]?.running ?? 0) < limit }
    guard state.free > 0, let found else { return nil }
    let client = state.order.remove(at: found)
    guard let waiter = state.holdings[client]?.waiters.popFirst() else { return nil }
    state.free -= 1
    state.holdings[client]?.running += 1
    if state.holdings[client]?.waiters.isEmpty == false { state.order.append(client) }
    return waiter
  }

  private var refusal: LayoutProblem {
    LayoutProblem(
      code: .resourceExhausted,
      reason: .quota(.computations),
      message:
        "\(waitingLimit) \(subject) wait for this client already, which is the limit.",
      metadata: ["scope": "peer", "limit": String(waitingLimit)],
      retryDelay: .seconds(1)
    )
  }
}
