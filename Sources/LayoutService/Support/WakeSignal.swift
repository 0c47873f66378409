// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A mark that one task waits for and any number of others set. Marks coalesce: several before the
/// task wakes count as one, so nothing queues.
final class WakeSignal: Sendable {
  private struct State {
    var isSet = false
    var isCancelled = false
    var waiter: CheckedContinuation<Void, Never>?
    /// The deadline of the pending alarm.
    var alarm: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  func set() {
    let waiter = state.withLock { state in
      let waiter = state.waiter
      state.waiter = nil
      state.isSet = waiter == nil
      return waiter
    }
    waiter?.resume()
  }

  /// Whether `cancel` was called.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Sets the mark and says that waiting is pointless from now on. Needed beside gRPC's own flag,
  /// which may not be set yet when the call's cancellation handler runs.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    set()
  }

  /// Returns when the mark is set, the deadline has passed or the task is cancelled; sometimes
  /// spuriously. Clears the mark.
  ///
  /// Only one task may wait at a time.
  func wait(until deadline: ContinuousClock.Instant? = nil) async {
    if let deadline { arm(deadline) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isSet = state.withLock { state in
          if state.isSet || Task.isCancelled {
            state.isSet = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if isSet { continuation.resume() }
      }
    } onCancel: {
      set()
    }
  }

  /// Deadlines mostly move later before they pass. So an alarm is never cancelled: when it goes
  /// off, the waiting task checks the clock and waits again, which costs one wake-up per alarm and
  /// nothing per wait.
  private func arm(_ deadline: ContinuousClock.Instant) {
    let isNeeded = state.withLock { state in
      if let alarm = state.alarm, alarm <= deadline { return false }
      state.alarm = deadline
      return true
    }
    guard isNeeded else { return }
    let nanoseconds = ContinuousClock.now.duration(to: deadline).wholeNanoseconds
    MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .nanoseconds(max(0, nanoseconds)))
    { [weak self] in
      self?.ring(deadline)
    }
  }

  private func ring(_ deadline: ContinuousClock.Instant) {
    state.withLock { state in
      if state.alarm == deadline { state.alarm = nil }
    }
    set()
  }
}
