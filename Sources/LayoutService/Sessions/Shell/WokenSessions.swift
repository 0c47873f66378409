// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// A session that a commit wakes together with others.
protocol WokenSession: AnyObject, Sendable {
  associatedtype Step: Sendable

  /// Works on the session as far as possible without waiting, and builds its frame.
  func beginWoken() -> Step
  /// Whether what was built only has to be written.
  static func isWrite(_ step: Step) -> Bool
  /// Writes what was built, and continues from there.
  func finishWoken(_ step: Step)
}

/// Works on the sessions that a commit has woken, connection by connection, and the connections in
/// turn.
///
/// A commit wakes all viewers of a collection at once. If each session had its own task, every
/// frame would wake the connection's thread, and a scroll that arrives meanwhile would wait for all
/// frames.
final class WokenSessions<Session: WokenSession>: Sendable {
  typealias Instant = ContinuousClock.Instant

  private struct State {
    /// Woken sessions by connection.
    var waiting = RoundRobin<String, Session>()
    /// The number of turns that run or are about to.
    var workers = 0
  }

  /// The most sessions in one turn.
  private let most: Int
  /// How long a turn lasts before no other session is started.
  private let turn: Duration
  private let workerLimit: Int
  private let now: @Sendable () -> Instant
  private let start: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: the most sessions in one turn, at least 1.
  ///   - turn: how long a turn lasts before no other session is started.
  ///   - workerLimit: how many connections may have their turn at once, at least 1.
  ///   - start: runs a turn soon; each in its own task, so that other tasks run in between.
  init(
    most: Int = 32,
    turn: Duration = .milliseconds(1),
    workerLimit: Int = System.coreCount,
    now: @escaping @Sendable () -> Instant = { .now },
    start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { body in Task { body() }
    }
  ) {
    self.most = max(1, most)
    self.turn = turn
    self.workerLimit = max(1, workerLimit)
    self.now = now
    self.start = start
  }

  /// Adds a session to be worked on. Never waits.
  func add(_ session: Session, of connection: String) {
    let isNeeded = state.withLock { state in
      state.waiting.append(session, of: connection)
      guard state.workers < workerLimit else { return false }
      state.workers += 1
      return true
    }
    if isNeeded { startTurn() }
  }

  private func startTurn() { start { self.takeTurn() } }

  /// Works on sessions of the next connection, then starts another turn while any wait.
  private func takeTurn() {
    guard let (connection, sessions) = next() else { return }
    let begin = now()
    // All frames are built before the first is written, so that the connection's thread is woken
    // once.
    var steps: [(session: Session, step: Session.Step)] = []
    steps.reserveCapacity(sessions.count)
    var count = 0
    for session in sessions {
      let step = session.beginWoken()
      count += 1
      if Session.isWrite(step) {
        steps.append((session, step))
      } else {
        // It derives the layout, which the next ones then find.
        session.finishWoken(step)
      }
      if begin.duration(to: now()) >= turn { break }
    }
    for (session, step) in steps { session.finishWoken(step) }
    if count < sessions.count {
      // Put back in front of those that arrived meanwhile.
      state.withLock { $0.waiting.prepend(sessions.dropFirst(count), of: connection) }
    }
    startTurn()
  }

  /// Sessions of the next connection; nil = none wait, and the worker has ended.
  private func next() -> (connection: String, sessions: [Session])? {
    state.withLock { state in
      guard let (connection, sessions) = state.waiting.popFirst(most) else {
        state.workers -= 1
        return nil
      }
      return (connection, sessions)
    }
  }
}
