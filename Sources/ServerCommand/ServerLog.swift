// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Synchronization

/// The server's log: its output, format and level, shared by all loggers, so that operators can
/// change the level.
final class ServerLog: Sendable {
  /// How lines are written.
  enum Format: String, CaseIterable, Sendable {
    case text
    /// One JSON object for each line.
    case json
  }

  private let format: Format
  /// An index of `Logger.Level.allCases`.
  private let rank: Atomic<Int>
  private let write: @Sendable ([UInt8]) -> Void

  /// - Parameter write: writes one line at a time, with its end; by default to standard error.
  init(
    format: Format,
    level: Logger.Level,
    write: @escaping @Sendable ([UInt8]) -> Void = { ServerLog.writeToStandardError($0) }
  ) {
    self.format = format
    self.write = write
    rank = Atomic(Self.rank(of: level))
  }

  /// The least severe level that is logged.
  var level: Logger.Level {
    get { Logger.Level.allCases[rank.load(ordering: .relaxed)] }
    set { rank.store(Self.rank(of: newValue), ordering: .relaxed) }
  }

  private static func rank(of level: Logger.Level) -> Int {
    Logger.Level.allCases.firstIndex(of: level) ?? 0
  }

  /// A logger that writes to this log.
  func logger(_ label: String) -> Logger {
    Logger(label: label) { ServerLogHandler(label: $0, log: self) }
  }

  fileprivate func write(_ event: LogEvent, label: String, _ metadata: Logger.Metadata) {
    let line =
      switch format {
      case .text: LogLine.text(event, label: label, metadata, at: Date())
      case .json: LogLine.json(event, label: label, metadata, at: Date())
      }
    write(Array("\(line)\n".utf8))
  }

  private static let standardError = LogOutput(file: STDERR_FILENO)

  private static func writeToStandardError(_ line: [UInt8]) { standardError.write(line) }
}

/// Passes events to the shared log.
private struct ServerLogHandler: LogHandler {
  let label: String
  let log: ServerLog
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  /// The level of the shared log.
  var logLevel: Logger.Level {
    get { log.level }
    set { log.level = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    all.merge(metadataProvider?.get() ?? [:]) { $1 }
    all.merge(event.metadata ?? [:]) { $1 }
    if let error = event.error { all["error"] = "\(error)" }
    log.write(event, label: label, all)
  }
}

/// The line of one event.
enum LogLine {
  /// "2026-11-22T10:00:00.123Z info layout-server: session=sessions/1 [LayoutService] session
  /// ended"
  static func text(
    _ event: LogEvent,
    label: String,
    _ metadata: Logger.Metadata,
    at time: Date
  ) -> String {
    let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    return "\(stamp(time)) \(event.level) \(label):\(pairs) [\(event.source)] \(event.message)"
  }

  /// An object with "time", "level", "label", "source" and "message", and "metadata" if there are
  /// any.
  static func json(
    _ event: LogEvent,
    label: String,
    _ metadata: Logger.Metadata,
    at time: Date
  ) -> String {
    var fields = [
      "\"time\":\(quoted(stamp(time)))", "\"level\":\(quoted(event.level.rawValue))",
      "\"label\":\(quoted(label))", "\"source\":\(quoted(event.source))",
      "\"message\":\(quoted("\(event.message)"))",
    ]
    if !metadata.isEmpty { fields.append("\"metadata\":\(json(metadata))") }
    return "{\(fields.joined(separator: ","))}"
  }

  private static func json(_ metadata: Logger.Metadata) -> String {
    let fields = metadata.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(json($0.value))" }
    return "{\(fields.joined(separator: ","))}"
  }

  private static func json(_ value: Logger.MetadataValue) -> String {
    switch value {
    case .string(let text): quoted(text)
    case .stringConvertible(let value): quoted("\(value)")
    case .array(let values): "[\(values.map { json($0) }.joined(separator: ","))]"
    case .dictionary(let metadata): json(metadata)
    }
  }

  /// A time in UTC, with milliseconds.
  private static func stamp(_ time: Date) -> String {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(time)
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
