// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A clock that goes as slowly as the machine is busy: it counts how often a thread that sleeps for a moment got its
/// turn. So a bound on time means what it says where others keep the processors busy.
public final class BusyClock: Sendable {
  private static let step = Duration.milliseconds(10)

  private final class Ticks: Sendable {
    let count = Atomic(0)
    let isOver = Atomic(false)
  }

  private let ticks = Ticks()

  public init() {
    let thread = Thread { [ticks] in
      while !ticks.isOver.load(ordering: .relaxed) {
        Thread.sleep(forTimeInterval: 0.01)
        ticks.count.add(1, ordering: .relaxed)
      }
    }
    thread.name = "busy clock"
    thread.start()
  }

  deinit { ticks.isOver.store(true, ordering: .relaxed) }

  /// A number for `elapsed`.
  public var now: Int { ticks.count.load(ordering: .relaxed) }

  /// How long it is since `now` was read, less the time in which the thread did not get its turn.
  public func elapsed(since start: Int) -> Duration { Self.step * (now - start) }
}
