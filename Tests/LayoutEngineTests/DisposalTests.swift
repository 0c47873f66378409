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
        },
        bytes: 1
      )
      gate.signal()
    }
  }

  @Test("go at once where too many bytes wait, however many values that are")
  func bounded() {
    let disposal = Disposal(byteLimit: 100 << 20)
    let gate = DispatchSemaphore(value: 0)
    for _ in 0 ..< 20 { disposal.letGo(of: Value { gate.wait() }, bytes: 5 << 20) }
    #expect(disposal.pending == 20)
    let isGone = Mutex(false)
    disposal.letGo(of: Value { isGone.withLock { $0 = true } }, bytes: 1)
    #expect(isGone.withLock { $0 } && disposal.pending == 20)
    for _ in 0 ..< 20 { gate.signal() }
  }

  @Test("do not go at once because they are huge")
  func huge() {
    let disposal = Disposal(byteLimit: 1 << 20)
    let gate = DispatchSemaphore(value: 0)
    disposal.letGo(of: Value { gate.wait() }, bytes: .max)
    #expect(disposal.pending == 1)
    gate.signal()
  }

  @Test("take no room from others until their delay is over")
  func delayed() async {
    let disposal = Disposal(byteLimit: 100 << 20)
    let (gone, leaving) = AsyncStream<Void>.makeStream()
    for _ in 0 ..< 20 {
      let value = Value { leaving.yield() }
      disposal.letGo(of: value, bytes: 5 << 20, after: .milliseconds(100))
    }
    let gate = DispatchSemaphore(value: 0)
    disposal.letGo(of: Value { gate.wait() }, bytes: 100 << 20)
    #expect(disposal.pending == 1)
    gate.signal()
    for await _ in gone.prefix(20) {}
  }

  @Test("wait for no delay where too many bytes do")
  func delayedTooMuch() async {
    let disposal = Disposal(byteLimit: 100 << 20)
    disposal.letGo(of: 0, bytes: 100 << 20, after: .seconds(3600))
    await withCheckedContinuation { continuation in
      disposal.letGo(of: Value { continuation.resume() }, bytes: 1, after: .seconds(3600))
    }
  }
}
