// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// Something that an alarm wakes.
protocol AlarmTarget: AnyObject, Sendable {
  /// Must return at once.
  func ring(_ deadline: ContinuousClock.Instant)
}

/// A pending alarm. It does not keep its target alive.
struct Alarm: Sendable {
  private weak let target: (any AlarmTarget)?
  let deadline: ContinuousClock.Instant

  init(_ deadline: ContinuousClock.Instant, for target: any AlarmTarget) {
    self.target = target
    self.deadline = deadline
  }

  func ring() { target?.ring(deadline) }
}

/// Schedules alarms.
protocol AlarmScheduler: Sendable {
  func schedule(_ alarm: Alarm, after delay: Duration)
}

/// Alarms on the event loops of the process.
struct EventLoopAlarms: AlarmScheduler {
  func schedule(_ alarm: Alarm, after delay: Duration) {
    // Fails only once the event loops are gone, as at the end of the process.
    _ = try? MultiThreadedEventLoopGroup.singleton.any().scheduleCallback(
      in: .nanoseconds(max(0, delay.wholeNanoseconds)),
      handler: Callback(alarm: alarm)
    )
  }

  private struct Callback: NIOScheduledCallbackHandler, Sendable {
    let alarm: Alarm

    func handleScheduledCallback(eventLoop: some EventLoop) { alarm.ring() }
  }
}
