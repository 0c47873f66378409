// SPDX-License-Identifier: Apache-2.0

/// The results of a load test.
struct LoadReport: Sendable {
  struct Setting: Equatable, Sendable {
    var server: String
    var collection: String
    /// Whether the collection was created for the test and deleted after it.
    var isTemporary: Bool
    var items: Int
    var mix: String
    var streams: Int
    var connections: Int
    var seed: UInt64
  }

  var setting: Setting
  /// The duration of the measurement in seconds.
  var seconds: Double
  var isInterrupted = false
  var statistics: LoadStatistics

  func perSecond(_ count: Int) -> Double { seconds > 0 ? Double(count) / seconds : 0 }

  var framesPerSecond: Double { perSecond(statistics.counters.frames) }

  /// The number of errors and wrong checks.
  var errorCount: Int { statistics.errorCount + statistics.wrongChecks }

  /// If events are sent later than this, the measured latencies include a relevant delay of this
  /// tool.
  static let worryingLateness = Duration.milliseconds(5)

  var isToolLate: Bool { statistics.lateness.percentile(99) > Self.worryingLateness }
}

/// The thresholds that a load test must reach to succeed.
struct LoadThresholds: Equatable, Sendable {
  var maxP99: Duration?
  var maxErrors: Int?
  /// Frames per second.
  var minRate: Double?

  /// One line for each missed threshold. Wrong elements always count as a miss, and so does a test
  /// in which no stream was opened, or all broke.
  func misses(of report: LoadReport) -> [String] {
    var misses: [String] = []
    let statistics = report.statistics
    if statistics.openedStreams == 0 {
      misses.append("no stream was opened")
    } else if statistics.brokenStreams >= statistics.openedStreams {
      misses.append("all streams broke")
    }
    let wrong =
      statistics.errors.filter { $0.key.hasPrefix("FRAME_WRONG") }.values.reduce(0, +)
      + statistics.wrongChecks
    if wrong > 0 { misses.append("elements were wrong, \(wrong.counted("time"))") }
    if let maxP99 {
      let latency = statistics.eventToFrame
      if latency.count == 0 {
        misses.append("no event was answered by a frame, so there is no p99")
      } else if latency.percentile(99) > maxP99 {
        misses.append(
          "p99 was \(latency.percentile(99).milliseconds), above \(maxP99.milliseconds)"
        )
      }
    }
    if let maxErrors, report.errorCount > maxErrors {
      misses.append("\(report.errorCount.counted("error")), more than \(maxErrors.grouped)")
    }
    if let minRate, report.framesPerSecond < minRate {
      misses.append(
        "\(report.framesPerSecond.text(places: 1)) frames/s, fewer than \(minRate.text(places: 1))"
      )
    }
    return misses
  }
}

extension Duration {
  var inMilliseconds: Double { self / .milliseconds(1) }

  /// The duration in milliseconds with about three digits: "1.23 ms".
  var milliseconds: String {
    let value = inMilliseconds
    return "\(value.text(places: value < 10 ? 2 : value < 100 ? 1 : 0)) ms"
  }
}
