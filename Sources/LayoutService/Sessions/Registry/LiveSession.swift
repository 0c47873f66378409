// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession
internal import Synchronization

/// A session with a stream, as the rest of the server sees it.
final class LiveSession: Sendable {
  private struct Observer {
    let notify: @Sendable () -> Void
    /// The data version that the observer waits for; 0 = none.
    let version: UInt64
  }

  private struct State {
    var ask: (@Sendable () -> SessionQuery?)?
    var isEnded = false
    /// nil = it is being opened.
    var facts: SessionFacts?
    var nextObserver = 0
    var observers: [Int: Observer] = [:]
  }

  /// "sessions/{session}"
  let name: String
  /// The session's owner (`Access.owner`); nil = the server has no identities.
  let owner: String?
  private let state: Mutex<State>
  private let onSupersede: @Sendable () -> Void
  private let onAwait: @Sendable () -> Void
  private let operated: (any OperatedSession)?
  private let mayHaveObservers = Atomic(false)

  /// - Parameters:
  ///   - owner: the session's owner; nil = the server has no identities.
  ///   - query: returns what answers queries about the session now; nil = nothing is prepared yet.
  ///   - supersede: ends the stream, because another one resumes the session.
  ///   - hurry: makes the session take over pending commits now, because somebody waits for them.
  ///   - operated: the stream as operators see it; nil = it is hidden from them.
  init(
    name: String,
    owner: String? = nil,
    query: @escaping @Sendable () -> SessionQuery? = { nil },
    supersede: @escaping @Sendable () -> Void = {},
    hurry: @escaping @Sendable () -> Void = {},
    operated: (any OperatedSession)? = nil
  ) {
    self.name = name
    self.operated = operated
    self.owner = owner
    state = Mutex(State(ask: query))
    onSupersede = supersede
    onAwait = hurry
  }

  func supersede() { onSupersede() }

  /// Makes the session check at once whether it has what observers wait for.
  func hurry() { onAwait() }

  /// Whether somebody waits for a newer data version than this one.
  func isAwaited(after version: UInt64) -> Bool {
    guard hasObservers else { return false }
    return state.withLock { $0.observers.values.contains { $0.version > version } }
  }

  /// The stream was opened.
  func begin(_ facts: SessionFacts) { state.withLock { $0.facts = facts } }

  /// The identifier of the session's collection; "" = private contents; nil = the session is being
  /// opened.
  var collection: String? { state.withLock { $0.facts?.collection } }

  /// What operators see; nil = it is being opened.
  var status: SessionStatus? {
    guard let facts = state.withLock({ $0.facts }) else { return nil }
    return SessionStatus(name: name, facts: facts, figures: operated?.figures, isDetached: false)
  }

  /// Ends the session for good.
  ///
  /// - Returns: false = the stream is not there any more.
  func end(byOperatorFor reason: String) -> Bool {
    operated?.end(byOperatorFor: reason) ?? false
  }

  /// What answers queries about the session now; nil = nothing is prepared yet.
  var query: SessionQuery? { state.withLock { $0.ask }?() }
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Whether there are observers: checked with every frame, without the lock.
  ///
  /// Observers that come later ask for `query` first. So where the caller holds the query's lock,
  /// they see what it has changed.
  var hasObservers: Bool { mayHaveObservers.load(ordering: .relaxed) }

  /// Tells observers that `query` may answer differently.
  func noteChange() {
    let observers = state.withLock { state in
      state.observers.isEmpty ? [] : Array(state.observers.values)
    }
    for observer in observers { observer.notify() }
  }

  func end() {
    let observers = state.withLock { state in
      state.ask = nil
      state.isEnded = true
      return Array(state.observers.values)
    }
    for observer in observers { observer.notify() }
  }

  /// Calls `notify` on every change from now on. `notify` must return at once.
  ///
  /// - Parameter version: the data version that the observer waits for; 0 = any.
  /// - Returns: a number for `remove(_:)`.
  func observe(awaiting version: UInt64 = 0, _ notify: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      mayHaveObservers.store(true, ordering: .relaxed)
      state.nextObserver += 1
      state.observers[state.nextObserver] = Observer(notify: notify, version: version)
      return state.nextObserver
    }
  }

  func remove(_ observer: Int) {
    state.withLock { state in
      state.observers[observer] = nil
      mayHaveObservers.store(!state.observers.isEmpty, ordering: .relaxed)
    }
  }
}
