// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Holds up what prepares a layout until a test lets it go on.
final class PreparationGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let passes = Mutex(0)

  /// How often it was passed.
  var passCount: Int { passes.withLock { $0 } }

  /// Waits until the gate is open.
  func pass() {
    semaphore.wait()
    passes.withLock { $0 += 1 }
  }

  /// Lets so many pass, one after another.
  func open(_ count: Int = 1) { for _ in 0 ..< count { semaphore.signal() } }
}
