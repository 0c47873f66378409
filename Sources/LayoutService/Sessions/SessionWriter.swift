// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import Synchronization

/// Writes to one stream and knows since when it has been waiting for the client to read.
final class SessionWriter: Sendable {
  private let writer: RPCWriter<EncodedResponse>
  private let writingSince = Mutex<ContinuousClock.Instant?>(nil)

  init(_ writer: RPCWriter<EncodedResponse>) { self.writer = writer }

  func write(_ responses: [EncodedResponse]) async throws {
    writingSince.withLock { $0 = .now }
    defer { writingSince.withLock { $0 = nil } }
    try await writer.write(contentsOf: responses)
  }

  /// Returns once a write has been waiting for `limit`, or the task is cancelled.
  func waitForStall(of limit: Duration) async {
    let wake = WakeSignal()
    while !Task.isCancelled {
      let since = writingSince.withLock { $0 }
      let now = ContinuousClock.now
      if let since, now - since >= limit { return }
      await wake.wait(until: (since ?? now) + limit)
    }
  }
}
