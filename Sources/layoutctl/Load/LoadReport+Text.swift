// SPDX-License-Identifier: Apache-2.0

extension LoadReport {
  /// The report as text for people.
  var text: String {
    var lines = [""]
    lines += overview
    lines += [""] + latencyTable
    lines += [""] + footing
    return lines.joined(separator: "\n")
  }

  private var overview: [String] {
    let counters = statistics.counters
    let bytes = statistics.frameBytes
    let reflected =
      Double(counters.mergedEvents + counters.frames) / Double(max(1, counters.frames))
    var lines = [
      row(
        "load",
        "\(setting.streams.counted("stream")) (\(setting.mix)) over "
          + "\(setting.connections.counted("connection")) to \(setting.server)"
      ),
      row(
        "collection",
        "\(setting.collection), \(setting.items.counted("item"))"
          + (setting.isTemporary ? "; deleted after the test" : "")
      ),
      row(
        "measured",
        "\(seconds.text(places: 1)) s after all streams were started"
          + (isInterrupted ? ", then interrupted" : "")
      ),
      row("events", "\(rate(counters.events)), of which \(counters.edits.counted("edit"))"),
      row(
        "frames",
        "\(rate(counters.frames)), of which \(counters.keyframes.counted("keyframe")); "
          + "each reflects \(reflected.text(places: 1)) events or edits on average"
      ),
    ]
    if bytes.count > 0 {
      let mean = Double(counters.elements) / Double(max(1, counters.frames))
      lines.append(
        row(
          "a frame",
          "\(bytes.percentile(50).byteText) at the median, \(bytes.percentile(99).byteText) at p99, "
            + "\(bytes.max.byteText) at most; \(mean.text(places: 1)) elements on average"
        )
      )
    }
    lines.append(
      row(
        "traffic",
        "\(Int(perSecond(counters.bytesIn)).byteText)/s received, "
          + "\(Int(perSecond(counters.bytesOut)).byteText)/s sent"
      )
    )
    return lines
  }

  private var latencyTable: [String] {
    var table = TextTable(
      [.init("LATENCY, ms")]
        + ["COUNT", "P50", "P90", "P99", "P99.9", "MAX"].map { .init($0, .right) }
    )
    func append(_ title: String, _ histogram: LatencyHistogram) {
      guard histogram.count > 0 else { return }
      let values = [50, 90, 99, 99.9].map(histogram.percentile) + [histogram.max]
      table.append(
        [title, histogram.count.grouped] + values.map(\.hundredths)
      )
    }
    append("event to frame", statistics.eventToFrame)
    for latency in LoadLatency.allCases {
      if let histogram = statistics.latencies[latency] { append("  \(latency.title)", histogram) }
    }
    append("opening to first frame", statistics.opening)
    append("(this tool's lateness)", statistics.lateness)
    return table.lines
  }

  private var footing: [String] {
    var lines = [
      row(
        "streams",
        "\(statistics.openedStreams.grouped) of \(setting.streams.grouped) opened"
      )
    ]
    if statistics.unanswered > 0 {
      lines.append(
        row(
          "unanswered",
          "\(statistics.unanswered.counted("event")) still without a frame at the end; their latencies "
            + "are counted up to the end"
        )
      )
    }
    if statistics.checks + statistics.overtakenChecks > 0 {
      let overtaken = statistics.overtakenChecks
      lines.append(
        row(
          "verified",
          "\(statistics.checks.counted("state")) of streams against QueryElements, "
            + "\(statistics.wrongChecks.grouped) wrong"
            + (overtaken > 0 ? " (\(overtaken.counted("check")) more overtaken by changes)" : "")
        )
      )
    }
    for (name, count) in statistics.notices.sorted(by: { $0.key < $1.key }) {
      lines.append(row("notice", "\(name), \(count.counted("time"))"))
    }
    lines.append(row("errors", errorCount == 0 ? "none" : errorCount.grouped))
    for (name, count) in statistics.errors.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      lines.append(row("", "\(count.grouped) \(name)"))
    }
    // The first differences, as examples.
    lines += statistics.differences.map { row("", "wrong: \($0)") }
    if isToolLate {
      lines += [
        "",
        "Events were sent up to \(statistics.lateness.max.milliseconds) late: this machine or this tool "
          + "is at its limit,",
        "so the latencies above include delays outside of the server.",
      ]
    }
    return lines
  }

  private func rate(_ count: Int) -> String {
    "\(count.grouped) (\(perSecond(count).text(places: 1))/s)"
  }

  private func row(_ title: String, _ text: String) -> String {
    title + String(repeating: " ", count: max(1, 12 - title.count)) + text
  }
}

extension Duration {
  /// Milliseconds with two decimals, so that columns are aligned.
  fileprivate var hundredths: String {
    let value = Int((inMilliseconds * 100).rounded())
    let fraction = String(value % 100)
    return "\(value / 100)." + (fraction.count < 2 ? "0" : "") + fraction
  }
}

extension Int {
  /// The number and the noun in singular or plural: "1 frame", "2,000 frames".
  func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

  /// The number of bytes with a unit: "312 B", "4.5 KiB".
  var byteText: String {
    let value = Double(self)
    if self < 1024 { return "\(self) B" }
    if self < 1 << 20 { return "\((value / 1024).text(places: 1)) KiB" }
    return "\((value / 1_048_576).text(places: 1)) MiB"
  }
}
