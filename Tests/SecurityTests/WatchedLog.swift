// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// A log that tests read and wait for.
final class WatchedLog: Sendable {
  struct Line: Sendable {
    var level: Logger.Level
    var message: String
    var metadata: Logger.Metadata
  }

  private struct State {
    var lines: [Line] = []
    var waiters: [(message: String, AsyncStream<Never>.Continuation)] = []
  }

  private let state = Mutex(State())

  var lines: [Line] { state.withLock { $0.lines } }

  var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(log: self) }
    logger.logLevel = .debug
    return logger
  }

  /// Returns once there is a line with a message.
  func wait(for message: String) async {
    let (lines, continuation) = AsyncStream.makeStream(of: Never.self)
    let isThere = state.withLock { state in
      guard !state.lines.contains(where: { $0.message == message }) else { return true }
      state.waiters.append((message, continuation))
      return false
    }
    if isThere { return }
    for await _ in lines {}
  }

  fileprivate func append(_ line: Line) {
    let told = state.withLock { state in
      state.lines.append(line)
      defer { state.waiters.removeAll { $0.message == line.message } }
      return state.waiters.filter { $0.message == line.message }
    }
    for (_, waiter) in told { waiter.finish() }
  }

  private struct Handler: LogHandler {
    let log: WatchedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.append(
        Line(level: event.level, message: "\(event.message)", metadata: event.metadata ?? [:])
      )
    }
  }
}
