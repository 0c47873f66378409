// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Notices clients that have to send or read a message and do not.
///
/// One timer serves all calls, and runs only while a call waits: a task that sleeps for each
/// message would stay in memory until its time is over. A client counts as stalled after the limit,
/// or a little later.
final class StallWatch: Sendable {
  private struct Wait {
    var since: ContinuousClock.Instant
    var onStall: @Sendable () -> Void
  }

  private struct State {
    var waits: [Int: Wait] = [:]
    var nextID = 0
    var isArmed = false
  }

  let limit: Duration
  /// The most by which a stall is noticed later than the limit.
  private let lateness: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Calls `look()` after a while.
  private let arm: @Sendable (Duration, StallWatch) -> Void
  private let state = Mutex(State())

  /// - Parameter lateness: the most by which a stall is noticed later; nil = a quarter of the
  ///   limit.
  init(
    limit: Duration,
    lateness: Duration? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    arm: @escaping @Sendable (Duration, StallWatch) -> Void = StallWatch.armTimer
  ) {
    self.limit = max(limit, .milliseconds(1))
    let quarter = self.limit / 4
    self.lateness = min(lateness ?? quarter, quarter)
    self.now = now
    self.arm = arm
  }

  /// Begins to wait for a client.
  ///
  /// - Parameter onStall: called once if `end` is not called in time. It must return at once.
  /// - Returns: a number for `end`.
  func begin(_ onStall: @escaping @Sendable () -> Void) -> Int {
    let time = now()
    let (id, isNeeded) = state.withLock { state in
      state.nextID += 1
      state.waits[state.nextID] = Wait(since: time, onStall: onStall)
      defer { state.isArmed = true }
      return (state.nextID, !state.isArmed)
    }
    if isNeeded { arm(lateness, self) }
    return id
  }

  /// Ends a wait: the client has acted, or nobody waits for it any more.
  ///
  /// - Returns: whether that was in time.
  @discardableResult
  func end(_ id: Int) -> Bool { state.withLock { $0.waits.removeValue(forKey: id) != nil } }

  /// The number of clients that are waited for.
  var count: Int { state.withLock { $0.waits.count } }

  /// Calls `onStall` for the waits that are overdue.
  func look() {
    let time = now()
    let (stalled, isNeeded) = state.withLock { state in
      let stalled = state.waits.filter { time - $0.value.since >= limit }
      for id in stalled.keys { state.waits[id] = nil }
      state.isArmed = !state.waits.isEmpty
      return (stalled.values.map(\.onStall), state.isArmed)
    }
    if isNeeded { arm(lateness, self) }
    for onStall in stalled { onStall() }
  }

  static func armTimer(_ delay: Duration, _ watch: StallWatch) {
    let time = TimeAmount.nanoseconds(delay.wholeNanoseconds)
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) { [weak watch] in
      watch?.look()
    }
  }
}
