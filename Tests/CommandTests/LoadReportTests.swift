// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import layoutctl

@Suite("Load report", .timeLimit(.minutes(2)))
struct LoadReportTests {
  private func statistics(latencies: [Duration] = [], frames: Int = 0) -> LoadStatistics {
    var statistics = LoadStatistics(start: .seconds(1), end: .seconds(11))
    statistics.take(.opened(after: .milliseconds(3)), at: .seconds(1))
    for latency in latencies {
      statistics.take(.latency(.reveal, latency, since: .seconds(2)), at: .seconds(2) + latency)
    }
    for _ in 0 ..< frames {
      statistics.take(.frame(isKeyframe: false, elements: 5, mergedEvents: 0), at: .seconds(3))
    }
    return statistics
  }

  private func report(_ statistics: LoadStatistics) -> LoadReport {
    LoadReport(
      setting: .init(
        server: "127.0.0.1:1",
        collection: "collections/a",
        isTemporary: false,
        items: 10,
        mix: "reader=1",
        streams: 2,
        connections: 1,
        seed: 1
      ),
      seconds: 10,
      statistics: statistics
    )
  }

  @Test("measures between start and end alone, but counts errors always")
  func measuredTime() {
    var statistics = statistics(latencies: [.milliseconds(4)], frames: 2)
    statistics.take(.latency(.edit, .milliseconds(1), since: .zero), at: .seconds(2))
    statistics.take(.frame(isKeyframe: true, elements: 5, mergedEvents: 0), at: .zero)
    statistics.take(.frame(isKeyframe: true, elements: 5, mergedEvents: 0), at: .seconds(12))
    statistics.take(.error("X"), at: .zero)
    #expect(statistics.eventToFrame.count == 1)
    #expect(statistics.counters.frames == 2)
    #expect(statistics.errorCount == 1)
  }

  @Test("adds up parts as if they had been one")
  func addition() {
    var sum = statistics(latencies: (1 ... 50).map { .milliseconds($0) }, frames: 1)
    sum.add(statistics(latencies: (51 ... 100).map { .milliseconds($0) }, frames: 2))
    let whole = statistics(latencies: (1 ... 100).map { .milliseconds($0) }, frames: 3)
    for percent in [1.0, 50, 99, 100] {
      #expect(sum.eventToFrame.percentile(percent) == whole.eventToFrame.percentile(percent))
    }
    #expect(sum.counters == whole.counters)
    #expect(sum.openStreams == 2)
  }

  @Test("counts what was never answered up to the end")
  func unanswered() {
    var statistics = statistics()
    statistics.ended(waits: [.init(latency: .edit, since: .seconds(2))], at: .seconds(12))
    #expect(statistics.unanswered == 1)
    #expect(abs(statistics.eventToFrame.max.inMilliseconds - 10_000) < 20)
  }

  @Test("keeps three digits of latencies, and bounds them")
  func histogram() {
    var histogram = LatencyHistogram()
    #expect(histogram.percentile(99) == .zero)
    #expect(histogram.max == .zero)
    histogram.record(.milliseconds(-5))
    histogram.record(.milliseconds(123_456))
    histogram.record(.seconds(100_000))
    #expect(abs(histogram.percentile(60).inMilliseconds / 123_456 - 1) < 0.001)
    #expect(abs(histogram.max.inMilliseconds / 3_600_000 - 1) < 0.001)
  }

  @Test("misses thresholds by what was measured")
  func thresholds() {
    let report = report(statistics(latencies: [.milliseconds(10)], frames: 100))
    #expect(LoadThresholds().misses(of: report).isEmpty)
    #expect(
      LoadThresholds(maxP99: .milliseconds(11), maxErrors: 0, minRate: 10).misses(of: report)
        .isEmpty
    )
    let misses = LoadThresholds(maxP99: .milliseconds(9), minRate: 11).misses(of: report)
    #expect(misses == ["p99 was 10 ms, above 9 ms", "10 frames/s, fewer than 11"])
  }

  @Test("misses where nothing was measured, nothing opened, all broke or elements were wrong")
  func certainMisses() {
    #expect(
      LoadThresholds(maxP99: .seconds(1)).misses(of: report(statistics())).count == 1
    )
    let empty = LoadStatistics(start: .zero, end: .seconds(1))
    #expect(LoadThresholds().misses(of: report(empty)) == ["no stream was opened"])
    var broken = statistics()
    broken.streamEnded(error: "UNAVAILABLE", wasOpen: true)
    #expect(LoadThresholds().misses(of: report(broken)) == ["all streams broke"])
    broken.take(.opened(after: .zero), at: .seconds(1))
    broken.streamEnded(error: nil, wasOpen: true)
    #expect(LoadThresholds().misses(of: report(broken)).isEmpty)
    var wrong = statistics()
    wrong.checked(["a", "b"])
    wrong.checked(nil)
    wrong.checked([])
    wrong.take(.error("FRAME_WRONG (wrong checksum)"), at: .zero)
    #expect(LoadThresholds().misses(of: report(wrong)) == ["elements were wrong, 2 times"])
    #expect((wrong.checks, wrong.overtakenChecks) == (2, 1))
  }

  @Test("writes text and JSON that name every error")
  func output() {
    var statistics = statistics(latencies: [.milliseconds(10)], frames: 3)
    statistics.streamEnded(error: "QUOTA_\"SESSIONS\"", wasOpen: false)
    let report = report(statistics)
    #expect(report.text.contains("1 QUOTA_\"SESSIONS\""))
    #expect(report.text.contains("event to frame"))
    let json = report.json(misses: ["a\nb"])
    #expect(json.contains("\"QUOTA_\\\"SESSIONS\\\"\": 1"))
    #expect(json.contains("\"a\\nb\""))
    #expect(json.contains("\"framesPerSecond\": 0.3"))
  }

  @Test("tells rates of the time since the line before")
  func progress() {
    var progress = LoadProgress(isInteractive: false)
    var statistics = LoadStatistics(start: .seconds(1), end: .seconds(11))
    let none = LatencyHistogram()
    let opening = progress.line(statistics, recent: none, at: .milliseconds(500))
    #expect(opening.hasSuffix("opening"))
    for _ in 0 ..< 10 {
      statistics.take(.frame(isKeyframe: false, elements: 1, mergedEvents: 0), at: .seconds(2))
    }
    let line = progress.line(statistics, recent: none, at: .milliseconds(2500))
    #expect(line.contains("5 frames/s"))
    let later = progress.line(statistics, recent: none, at: .seconds(4))
    #expect(later.contains("0 frames/s"))
  }

  @Test("reads times and shares as people write them")
  func arguments() throws {
    #expect(try DurationArgument.parse("20ms") == .milliseconds(20))
    #expect(try DurationArgument.parse("1.5s") == .milliseconds(1500))
    #expect(try DurationArgument.parse("2m") == .seconds(120))
    #expect(try PercentArgument.parse("1%") == 0.01)
    #expect(try PercentArgument.parse("50") == 0.5)
    for text in ["", "5", "-1s", "2h", "s", "infs"] {
      #expect(throws: CommandFault.self) { try DurationArgument.parse(text) }
    }
    for text in ["", "101%", "-1%", "nan"] {
      #expect(throws: CommandFault.self) { try PercentArgument.parse(text) }
    }
  }
}
