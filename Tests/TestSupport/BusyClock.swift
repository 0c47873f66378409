// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A clock that goes as slowly as the machine is busy: it counts how often a queue got its turn. So
/// a bound on time means what it says where others keep the processors busy.
public final class BusyClock: Sendable {
  private static let step = 10

  private let ticks = Ticks()

  /// Counts until the clock is released.
  public init() { ticks.tick() }

  deinit { ticks.isOver.store(true, ordering: .relaxed) }

  /// A number for `elapsed`.
  public var now: Int { ticks.count.load(ordering: .relaxed) }

  /// How long it is since `now` was read, less the time in which the queue did not get its turn.
  public func elapsed(since start: Int) -> Duration { .milliseconds(Self.step * (now - start)) }

  private final class Ticks: Sendable {
    let count = Atomic(0)
    let isOver = Atomic(false)
    private let queue = DispatchQueue(label: "busy clock")

    func tick() {
      queue.asyncAfter(deadline: .now() + .milliseconds(BusyClock.step)) { [self] in
        count.add(1, ordering: .relaxed)
        if !isOver.load(ordering: .relaxed) { tick() }
      }
    }
  }
}
