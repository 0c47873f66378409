// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// The open sessions of a server, for those who ask about one of them.
final class SessionRegistry: Sendable {
  private struct State {
    var sessions: [String: LiveSession] = [:]
    /// Streams, those included that have not said yet what they want.
    var streamCount = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  var count: Int { state.withLock { $0.sessions.count } }
  var streamCount: Int { state.withLock { $0.streamCount } }

  /// Counts a stream as long as `body` runs.
  func withStream<Result>(_ body: () async throws -> Result) async throws -> Result {
    let limit = limit
    let isAllowed = state.withLock { state in
      guard state.streamCount < limit else { return false }
      state.streamCount += 1
      return true
    }
    guard isAllowed else {
      throw LayoutProblem.quotaExceeded(
        .sessions,
        limit: UInt64(limit),
        retryDelay: .seconds(1)
      )
    }
    defer { state.withLock { $0.streamCount -= 1 } }
    return try await body()
  }

  func session(named name: String) -> LiveSession? { state.withLock { $0.sessions[name] } }

  func add(_ session: LiveSession) { state.withLock { $0.sessions[session.name] = session } }

  func remove(_ session: LiveSession) {
    state.withLock { _ = $0.sessions.removeValue(forKey: session.name) }
    session.end()
  }
}

/// An open session as others see it.
final class LiveSession: Sendable {
  private struct State {
    var query: SessionQuery?
    var isEnded = false
    var nextObserver = 0
    var observers: [Int: @Sendable () -> Void] = [:]
  }

  /// "sessions/{session}"
  let name: String
  private let state = Mutex(State())

  init(name: String) { self.name = name }

  /// What questions are asked of; nil = nothing is prepared yet.
  var query: SessionQuery? { state.withLock { $0.query } }
  var isEnded: Bool { state.withLock { $0.isEnded } }

  func publish(_ query: SessionQuery?) {
    let observers = state.withLock { state in
      state.query = query
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  func end() {
    let observers = state.withLock { state in
      state.query = nil
      state.isEnded = true
      return Array(state.observers.values)
    }
    for observer in observers { observer() }
  }

  /// Calls `notify` with every change. It must return at once.
  func observe(_ notify: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = notify
      return state.nextObserver
    }
  }

  func remove(_ observer: Int) {
    state.withLock { _ = $0.observers.removeValue(forKey: observer) }
  }
}
