// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Notices clients that are to send or to read a message and do not.
///
/// One timer for all calls, which runs only while some call waits: a task that sleeps beside each message would
/// stay in memory until its time is over. A client is taken for stalled after the limit, or a little later.
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
  /// How much later than the limit at most.
  private let lateness: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Calls `look()` after a while.
  private let arm: @Sendable (Duration, StallWatch) -> Void
  private let state = Mutex(State())

  /// - Parameter lateness: nil = a quarter of the limit.
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
  /// - Parameter onStall: called once where `end` is not called in time. It must return at once.
  /// - Returns: the wait, for `end`.
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

  /// The client has done what it was to do, or nobody waits for it any more.
  ///
  /// - Returns: whether it was in time.
  @discardableResult
  func end(_ id: Int) -> Bool { state.withLock { $0.waits.removeValue(forKey: id) != nil } }

  /// Clients that are waited for.
  var count: Int { state.withLock { $0.waits.count } }

  /// Tells those whose clients have kept them waiting for too long.
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
