// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession
internal import Synchronization

/// Scratch storage for building frames: one piece for each frame that is built at the same time.
final class ScratchPool: Sendable {
  private let free = Mutex<[SessionScratch]>([])

  func withScratch<Result, Failure: Error>(
    _ body: (inout SessionScratch) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var scratch = free.withLock { $0.popLast() } ?? SessionScratch()
    let result = try body(&scratch)
    if !scratch.isOversized {
      free.withLock { $0.append(scratch) }
    }
    return result
  }
}
