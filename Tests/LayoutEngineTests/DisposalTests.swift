// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import LayoutEngine

@Suite("Large values that nobody needs", .timeLimit(.minutes(1)))
struct DisposalTests {
  /// Says on which thread it goes, after it was allowed to.
  private final class Value: Sendable {
    let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }

  @Test("go on a thread of their own")
  func apart() async {
    let disposal = Disposal()
    let gate = DispatchSemaphore(value: 0)
    await withCheckedContinuation { continuation in
      // The caller goes on although the value cannot go yet.
      disposal.letGo(
        of: Value {
          gate.wait()
          continuation.resume()
        }
      )
      gate.signal()
    }
  }

  @Test("go at once where too many wait")
  func bounded() {
    let disposal = Disposal()
    let gate = DispatchSemaphore(value: 0)
    for _ in 0 ..< 16 { disposal.letGo(of: Value { gate.wait() }) }
    #expect(disposal.pending == 16)
    let isGone = Mutex(false)
    disposal.letGo(of: Value { isGone.withLock { $0 = true } })
    #expect(isGone.withLock { $0 } && disposal.pending == 16)
    for _ in 0 ..< 16 { gate.signal() }
  }
}
