// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession
internal import Synchronization

/// Storage for the making of frames, as much of it as frames are made at once.
final class ScratchPool: Sendable {
  private let free = Mutex<[SessionScratch]>([])

  func withScratch<Result>(_ body: (inout SessionScratch) -> Result) -> Result {
    var scratch = free.withLock { $0.popLast() } ?? SessionScratch()
    let result = body(&scratch)
    if !scratch.isOversized {
      free.withLock { $0.append(scratch) }
    }
    return result
  }
}
