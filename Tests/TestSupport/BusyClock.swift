// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A clock that goes as slowly as the machine is busy: it counts how often a timer got its turn. So a bound on time
/// means what it says where others keep the processors busy.
public final class BusyClock: Sendable {
  private static let step = 10

  private let ticks = Ticks()
  private let timer: any DispatchSourceTimer

  /// Counts until the clock is released.
  public init() {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "busy clock"))
    // A timer that is late fires once for all that it missed.
    timer.schedule(deadline: .now(), repeating: .milliseconds(Self.step), leeway: .zero)
    timer.setEventHandler { [ticks] in ticks.count.add(1, ordering: .relaxed) }
    timer.resume()
    self.timer = timer
  }

  deinit { timer.cancel() }

  /// A number for `elapsed`.
  public var now: Int { ticks.count.load(ordering: .relaxed) }

  /// How long it is since `now` was read, less the time in which the timer did not get its turn.
  public func elapsed(since start: Int) -> Duration { .milliseconds(Self.step * (now - start)) }

  private final class Ticks: Sendable {
    let count = Atomic(0)
  }
}
