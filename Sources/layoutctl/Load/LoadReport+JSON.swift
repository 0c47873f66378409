// SPDX-License-Identifier: Apache-2.0

extension LoadReport {
  /// The report as JSON. Durations are in milliseconds, sizes in bytes.
  func json(misses: [String]) -> String {
    let counters = statistics.counters
    let bytes = statistics.frameBytes
    let value = JSONText.object([
      ("server", .string(setting.server)),
      ("collection", .string(setting.collection)),
      ("temporaryCollection", .bool(setting.isTemporary)),
      ("items", .number(Double(setting.items))),
      ("mix", .string(setting.mix)),
      ("streams", .number(Double(setting.streams))),
      ("connections", .number(Double(setting.connections))),
      // A string, because many JSON parsers read numbers as Double and lose digits.
      ("seed", .string(String(setting.seed))),
      ("seconds", .number(seconds)),
      ("interrupted", .bool(isInterrupted)),
      ("openedStreams", .number(Double(statistics.openedStreams))),
      ("events", .number(Double(counters.events))),
      ("edits", .number(Double(counters.edits))),
      ("frames", .number(Double(counters.frames))),
      ("keyframes", .number(Double(counters.keyframes))),
      ("elements", .number(Double(counters.elements))),
      ("mergedEvents", .number(Double(counters.mergedEvents))),
      ("eventsPerSecond", .number(perSecond(counters.events))),
      ("framesPerSecond", .number(framesPerSecond)),
      ("bytesReceived", .number(Double(counters.bytesIn))),
      ("bytesSent", .number(Double(counters.bytesOut))),
      (
        "frameBytes",
        .object([
          ("p50", .number(Double(bytes.percentile(50)))),
          ("p99", .number(Double(bytes.percentile(99)))),
          ("max", .number(Double(bytes.max))),
        ])
      ),
      ("eventToFrame", .latency(statistics.eventToFrame)),
      (
        "eventToFrameByCause",
        .object(
          LoadLatency.allCases.map {
            ($0.rawValue, .latency(statistics.latencies[$0] ?? LatencyHistogram()))
          }
        )
      ),
      ("openingToFirstFrame", .latency(statistics.opening)),
      ("lateness", .latency(statistics.lateness)),
      ("unanswered", .number(Double(statistics.unanswered))),
      (
        "verification",
        .object([
          ("checks", .number(Double(statistics.checks))),
          ("overtaken", .number(Double(statistics.overtakenChecks))),
          ("wrong", .number(Double(statistics.wrongChecks))),
          ("differences", .array(statistics.differences.map { .string($0) })),
        ])
      ),
      ("errors", .number(Double(errorCount))),
      ("errorsByReason", .counts(statistics.errors)),
      ("notices", .counts(statistics.notices)),
      ("missedThresholds", .array(misses.map { .string($0) })),
    ])
    return value.text + "\n"
  }
}

extension JSONText {
  fileprivate static func counts(_ counts: [String: Int]) -> JSONText {
    .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .number(Double($0.value))) })
  }

  fileprivate static func latency(_ histogram: LatencyHistogram) -> JSONText {
    .object([
      ("count", .number(Double(histogram.count))),
      ("mean", .number(histogram.mean.inMilliseconds)),
      ("p50", .number(histogram.percentile(50).inMilliseconds)),
      ("p90", .number(histogram.percentile(90).inMilliseconds)),
      ("p99", .number(histogram.percentile(99).inMilliseconds)),
      ("p99_9", .number(histogram.percentile(99.9).inMilliseconds)),
      ("max", .number(histogram.max.inMilliseconds)),
    ])
  }
}

/// A JSON value to write. Members of objects keep their order.
indirect enum JSONText {
  case string(String)
  /// A number; written as null if it is not finite.
  case number(Double)
  case bool(Bool)
  case array([JSONText])
  case object([(String, JSONText)])

  var text: String { text(indent: "") }

  private func text(indent: String) -> String {
    let inner = indent + "  "
    switch self {
    case .string(let string): return Self.quoted(string)
    case .number(let number): return number.isFinite ? number.text(places: 6) : "null"
    case .bool(let bool): return bool ? "true" : "false"
    case .array(let values):
      if values.isEmpty { return "[]" }
      return "[\n" + values.map { inner + $0.text(indent: inner) }.joined(separator: ",\n")
        + "\n\(indent)]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      return "{\n"
        + members.map { "\(inner)\(Self.quoted($0)): \($1.text(indent: inner))" }
        .joined(separator: ",\n") + "\n\(indent)}"
    }
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
