// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Time as sessions count it: that of the machine without the time during which this process did not
/// get to run its tasks.
///
/// A server that was stopped, or had no processor, has read nothing in that time. Whatever it waits for
/// from its clients gets the time that it missed. A tick every second, by a task like those of the
/// sessions, tells that the process runs; where it is overdue, time stands still until it comes.
final class SessionClock: AlarmTarget {
  typealias Instant = ContinuousClock.Instant

  private let source: @Sendable () -> Instant
  private let scheduler: any AlarmScheduler
  /// What the times below are counted from, in nanoseconds.
  private let origin: Instant
  /// For how long the process did not run, all in all.
  private let missed = Atomic<Int64>(0)
  /// As far as time goes before the next tick.
  private let limit = Atomic<Int64>(.max)

  /// Between ticks.
  private static let interval = Duration.seconds(1)
  /// Before alarms go off while time stands still.
  private static let standstillDelay = Duration.milliseconds(100)
  /// How late a tick may be before time stands still: a loaded machine is no stopped one.
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

  /// Never goes back, but for the moment of a tick that was overdue.
  var now: Instant {
    // The limit first: it moves on last.
    let limit = limit.load(ordering: .acquiring)
    return origin + .nanoseconds(min(running, limit))
  }

  /// Rings `target` once a moment has come, unless it is gone by then.
  func arm(_ deadline: Instant, for target: any AlarmTarget) {
    let delay = now.duration(to: deadline)
    // Alarms that go off while time stands still find that they are early, and are set again.
    let least = running > limit.load(ordering: .relaxed) ? Self.standstillDelay : .zero
    scheduler.schedule(Alarm(deadline, for: target), after: max(delay, least))
  }

  // MARK: - Ticks

  /// Begins to tick, for as long as the clock is there.
  func start() {
    tick()
    arm(now + Self.interval, for: self)
  }

  func ring(_ deadline: Instant) {
    Task { [weak self] in self?.start() }
  }

  /// The process runs.
  func tick() {
    let (running, limit) = (running, limit.load(ordering: .relaxed))
    if running > limit { missed.wrappingAdd(running - limit, ordering: .relaxed) }
    let allowance = Self.interval + Self.tolerance
    self.limit.store(min(running, limit) + allowance.wholeNanoseconds, ordering: .releasing)
  }

  /// Nanoseconds since the origin during which the process ran, as far as is known.
  private var running: Int64 {
    origin.duration(to: source()).wholeNanoseconds - missed.load(ordering: .relaxed)
  }
}
