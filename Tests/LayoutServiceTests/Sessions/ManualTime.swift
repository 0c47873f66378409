// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import LayoutService

/// Time that passes when a test says so, and rings what is due then.
final class ManualTime: AlarmScheduler {
  private struct State {
    var now = ContinuousClock.now
    var alarms: [(due: ContinuousClock.Instant, alarm: Alarm)] = []
    /// Whoever waits for so many alarms to be set.
    var waiters: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  private let ringsAtOnce: Bool

  /// - Parameter ringsAtOnce: whether alarms that are due when they are set ring then, and not with
  ///   the next step.
  init(ringsAtOnce: Bool = false) { self.ringsAtOnce = ringsAtOnce }

  var now: ContinuousClock.Instant { state.withLock { $0.now } }
  var alarmCount: Int { state.withLock { $0.alarms.count } }

  /// A clock that goes by this time. It does not tick by itself, and so never stands still before
  /// it is made to tick.
  func clock() -> SessionClock { SessionClock(source: { self.now }, scheduler: self) }

  func schedule(_ alarm: Alarm, after delay: Duration) {
    let waiters = state.withLock { state in
      state.alarms.append((state.now + max(.zero, delay), alarm))
      let count = state.alarms.count
      defer { state.waiters.removeAll { $0.count <= count } }
      return state.waiters.filter { $0.count <= count }
    }
    for waiter in waiters { waiter.waiter.resume() }
    if ringsAtOnce, delay <= .zero { while let alarm = popDue(until: now) { alarm.ring() } }
  }

  /// Returns once an alarm is set, or so many are at the same time.
  func waitForAlarm(count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isSet = state.withLock { state in
        let isSet = state.alarms.count >= count
        if !isSet { state.waiters.append((count, continuation)) }
        return isSet
      }
      if isSet { continuation.resume() }
    }
  }

  /// Rings in order what falls due on the way.
  func advance(by duration: Duration) {
    let end = now + duration
    while let alarm = popDue(until: end) { alarm.ring() }
    state.withLock { $0.now = end }
  }

  private func popDue(until end: ContinuousClock.Instant) -> Alarm? {
    state.withLock { state in
      guard
        let index = state.alarms.indices.min(by: { state.alarms[$0].due < state.alarms[$1].due }),
        state.alarms[index].due <= end
      else { return nil }
      let (due, alarm) = state.alarms.remove(at: index)
      state.now = max(state.now, due)
      return alarm
    }
  }
}
