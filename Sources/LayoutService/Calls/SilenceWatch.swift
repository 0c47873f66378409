// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Notices clients that are to send a message and do not.
///
/// One timer for all calls, which runs only while some call waits for a message. A client is taken
/// for silent after the limit, at most a quarter of it late.
final class SilenceWatch: Sendable {
  private struct Listener {
    var since: ContinuousClock.Instant
    var onSilence: @Sendable () -> Void
  }

  private struct State {
    var listeners: [Int: Listener] = [:]
    var nextID = 0
    var isArmed = false
  }

  let limit: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Calls `look()` after a while.
  private let arm: @Sendable (Duration, SilenceWatch) -> Void
  private let state = Mutex(State())

  init(
    limit: Duration,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    arm: @escaping @Sendable (Duration, SilenceWatch) -> Void = SilenceWatch.armTimer
  ) {
    self.limit = max(limit, .milliseconds(1))
    self.now = now
    self.arm = arm
  }

  /// Begins to wait for a message.
  ///
  /// - Parameter onSilence: called once where `rest` is not called in time. It must return at once.
  func listen(_ onSilence: @escaping @Sendable () -> Void) -> Int {
    let time = now()
    let (id, isNeeded) = state.withLock { state in
      state.nextID += 1
      state.listeners[state.nextID] = Listener(since: time, onSilence: onSilence)
      defer { state.isArmed = true }
      return (state.nextID, !state.isArmed)
    }
    if isNeeded { arm(limit / 4, self) }
    return id
  }

  /// The message came, or nobody waits for it any more.
  func rest(_ id: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: id) } }

  /// Tells those whose clients have been silent for too long.
  func look() {
    let time = now()
    let (silent, isNeeded) = state.withLock { state in
      let silent = state.listeners.filter { time - $0.value.since >= limit }
      for id in silent.keys { state.listeners[id] = nil }
      state.isArmed = !state.listeners.isEmpty
      return (silent.values.map(\.onSilence), state.isArmed)
    }
    if isNeeded { arm(limit / 4, self) }
    for onSilence in silent { onSilence() }
  }

  static func armTimer(_ delay: Duration, _ watch: SilenceWatch) {
    let time = TimeAmount.nanoseconds(delay.wholeNanoseconds)
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) { [weak watch] in
      watch?.look()
    }
  }
}
