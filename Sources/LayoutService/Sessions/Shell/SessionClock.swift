// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Time as sessions count it: the machine's, without the time during which this process could not
/// run its tasks.
///
/// A server that was stopped, or had no processor, has read nothing meanwhile. So clients get the
/// time that it missed on top of their timeouts. A task ticks every second, as a sign that tasks
/// run; when a tick is overdue, time stands still until it comes.
final class SessionClock: AlarmTarget {
  typealias Instant = ContinuousClock.Instant

  private let source: @Sendable () -> Instant
  private let scheduler: any AlarmScheduler
  /// The origin of the times below, which are in nanoseconds.
  private let origin: Instant
  /// How long the process did not run, in total.
  private let missed = Atomic<Int64>(0)
  /// How far time may go before the next tick.
  private let limit = Atomic<Int64>(.max)

  /// The time between ticks.
  private static let interval = Duration.seconds(1)
  /// The shortest delay of alarms while time stands still.
  private static let standstillDelay = Duration.milliseconds(100)
  /// How late a tick may be before time stands still: a loaded machine is not a stopped one.
  static let tolerance = Duration.seconds(2)

  init(
    source: @escaping @Sendable () -> Instant = { .now },
    scheduler: any AlarmScheduler = EventLoopAlarms()
  ) {
    self.source = source
    self.scheduler = scheduler
    origin = source()
  }

  /// The clock of a server.
  static func ticking() -> SessionClock {
    let clock = SessionClock()
    clock.start()
    return clock
  }

  /// Never goes back, except at the moment of an overdue tick.
  var now: Instant {
    // The limit is read first because `tick` stores it last.
    let limit = limit.load(ordering: .acquiring)
    return origin + .nanoseconds(min(running, limit))
  }

  /// Rings `target` when `deadline` comes, unless `target` is gone by then.
  func arm(_ deadline: Instant, for target: any AlarmTarget) {
    let delay = now.duration(to: deadline)
    // An alarm that goes off while time stands still is early, and is set again.
    let least = running > limit.load(ordering: .relaxed) ? Self.standstillDelay : .zero
    scheduler.schedule(Alarm(deadline, for: target), after: max(delay, least))
  }

  // MARK: - Ticks

  /// Ticks as long as the clock exists.
  func start() {
    tick()
    arm(now + Self.interval, for: self)
  }

  func ring(_ deadline: Instant) {
    Task { [weak self] in self?.start() }
  }

  /// Notes that the process runs.
  func tick() {
    let (running, limit) = (running, limit.load(ordering: .relaxed))
    if running > limit { missed.wrappingAdd(running - limit, ordering: .relaxed) }
    let allowance = Self.interval + Self.tolerance
    self.limit.store(min(running, limit) + allowance.wholeNanoseconds, ordering: .releasing)
  }

  /// How long the process ran since the origin, in nanoseconds, as far as is known.
  private var running: Int64 {
    origin.duration(to: source()).wholeNanoseconds - missed.load(ordering: .relaxed)
  }
}
