// SPDX-License-Identifier: Apache-2.0

/// Shows the progress of a load test in one line, which is overwritten on a terminal and repeated
/// elsewhere.
struct LoadProgress {
  private var last = LoadStatistics.Counters()
  private var lastTime = Duration.zero
  private let isInteractive: Bool

  static let interval = Duration.seconds(1)

  init(isInteractive: Bool = Terminal.isErrorInteractive) { self.isInteractive = isInteractive }

  mutating func show(_ statistics: LoadStatistics, recent: LatencyHistogram, at now: Duration) {
    let line = line(statistics, recent: recent, at: now)
    Terminal.writeError(isInteractive ? "\r\(line)\u{1B}[K" : line + "\n")
  }

  func clear() {
    if isInteractive { Terminal.writeError("\r\u{1B}[K") }
  }

  mutating func line(
    _ statistics: LoadStatistics,
    recent: LatencyHistogram,
    at now: Duration
  ) -> String {
    let seconds = max(0.001, (now - lastTime) / .seconds(1))
    let change = statistics.counters.since(last)
    (last, lastTime) = (statistics.counters, now)
    func rate(_ count: Int) -> String { Int(Double(count) / seconds).grouped }
    var parts = [
      "\((now / .seconds(1)).text(places: 0)) s",
      statistics.openStreams.counted("stream"),
    ]
    if now < statistics.start {
      parts.append("opening")
    } else {
      parts += [
        "\(rate(change.events)) events/s",
        "\(rate(change.frames)) frames/s",
        "\(Int(Double(change.bytesIn) / seconds).byteText)/s",
      ]
      if recent.count > 0 {
        // Percentiles of the latencies since the last line.
        parts.append(
          "p50 \(recent.percentile(50).milliseconds), p99 \(recent.percentile(99).milliseconds)"
        )
      }
    }
    let errors = statistics.errorCount + statistics.wrongChecks
    if errors > 0 { parts.append(errors.counted("error")) }
    return parts.joined(separator: "  ")
  }
}
