// SPDX-License-Identifier: Apache-2.0

import LayoutService

/// Time limits.
extension ServerOptions {
  /// Streams, calls and shutdowns.
  static let timing: [Number] = [
    Number(
      "layoutProviderTimeoutMs",
      "for an answer of a layout's provider",
      1 ... 3_600_000,
      \.providers.timeout
    ),
    Number(
      "openTimeoutMs",
      "for the first request of a stream",
      1 ... 3_600_000,
      \.service.timing.open
    ),
    Number(
      "writeTimeoutMs",
      "for one write to a client that does not read; then its stream ends",
      1 ... 3_600_000,
      \.service.timing.write
    ),
    Number(
      "slowNoticeMs",
      "without an acknowledgement until the client is told that it is slow",
      1 ... 3_600_000,
      \.service.timing.slowNotice
    ),
    Number(
      "slowTimeoutMs",
      "without an acknowledgement until the stream ends",
      1 ... 3_600_000,
      \.service.timing.slowEnd
    ),
    Number(
      "waitTimeoutMs",
      "that a query waits for the data version that it asks for",
      1 ... 3_600_000,
      \.service.timing.longestWait
    ),
    Number(
      "watchIntervalMs",
      "between messages of WatchUpdates while nothing changes",
      1 ... 3_600_000,
      \.service.timing.watchInterval
    ),
    Number(
      "reconnectSpreadMs",
      "over which clients are told to spread their reconnects after a shutdown",
      0 ... 3_600_000,
      \.service.timing.reconnectSpread
    ),
    Number(
      "drainMs",
      "that a shutdown goes on serving, while viewers are told to go to another server",
      0 ... 3_600_000,
      \.service.timing.drain
    ),
    Number(
      "shutdownTimeoutMs",
      "from the beginning of a shutdown, or the end of its drain, until open connections are closed",
      1 ... 3_600_000,
      \.service.timing.shutdown
    ),
  ]
}
