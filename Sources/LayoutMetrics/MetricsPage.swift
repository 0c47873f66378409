// SPDX-License-Identifier: Apache-2.0

/// The values of all metrics at one moment.
public struct MetricsPage: Sendable {
  /// What a metric is.
  enum Kind: String, Sendable {
    case counter
    case gauge
    case histogram
  }

  private struct Series: Sendable {
    var labels: SeriesLabels
    var reading: Reading
  }

  private struct Family: Sendable {
    var kind: Kind
    var description: MetricDescription
    var series: [Series] = []
  }

  /// By their names on the page.
  private var families: [String: Family] = [:]

  init() {}

  /// Adds a gauge.
  ///
  /// - Parameters:
  ///   - description: help text and unit; the label is the name.
  ///   - labels: no two series of one metric may have the same.
  public mutating func gauge(
    _ description: MetricDescription,
    _ value: Double,
    labels: [(String, String)] = []
  ) {
    add(description, .gauge, SeriesLabels(labels), .value(value))
  }

  /// Adds a counter.
  ///
  /// - Parameters:
  ///   - description: help text and unit; the label is the name, without "total".
  ///   - labels: no two series of one metric may have the same.
  public mutating func count(
    _ description: MetricDescription,
    _ value: Int64,
    labels: [(String, String)] = []
  ) {
    add(description, .counter, SeriesLabels(labels), .count(value))
  }

  /// Adds a counter of fractions.
  ///
  /// - Parameters:
  ///   - description: help text and unit; the label is the name, without "total".
  ///   - labels: no two series of one metric may have the same.
  public mutating func count(
    _ description: MetricDescription,
    fraction value: Double,
    labels: [(String, String)] = []
  ) {
    add(description, .counter, SeriesLabels(labels), .value(value))
  }

  /// A second metric with the same name but another kind is left out: a page must not have both.
  mutating func add(
    _ description: MetricDescription,
    _ kind: Kind,
    _ labels: SeriesLabels,
    _ reading: Reading
  ) {
    let name = MetricName.onPage(description.label, unit: description.unit)
    var family = families[name] ?? Family(kind: kind, description: description)
    guard family.kind == kind else { return }
    family.series.append(Series(labels: labels, reading: reading))
    families[name] = family
  }

  /// The page as text.
  func text(_ format: ExpositionFormat) -> String {
    var writer = ExpositionWriter(format: format)
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      writer.begin(name, family.kind, family.description)
      let series = family.series.map { (writer.text(of: $0.labels), $0.reading) }
      for (labels, reading) in series.sorted(by: { $0.0 < $1.0 }) {
        writer.write(name, family.kind, labels: labels, reading)
      }
    }
    writer.end()
    return writer.text
  }
}

/// Writes a page in one of the formats.
private struct ExpositionWriter {
  let format: ExpositionFormat
  private(set) var text = ""

  init(format: ExpositionFormat) { self.format = format }

  mutating func begin(_ name: String, _ kind: MetricsPage.Kind, _ description: MetricDescription) {
    // In the older format a counter's name is that of its samples.
    let name = kind == .counter && format == .text ? "\(name)_total" : name
    if !description.help.isEmpty { text += "# HELP \(name) \(escaped(help: description.help))\n" }
    text += "# TYPE \(name) \(kind.rawValue)\n"
    let unit = description.unit.rawValue
    if format == .openMetrics, !unit.isEmpty { text += "# UNIT \(name) \(unit)\n" }
  }

  mutating func end() { if format == .openMetrics { text += "# EOF\n" } }

  /// - Parameter labels: `text(of:)`.
  mutating func write(_ name: String, _ kind: MetricsPage.Kind, labels: String, _ reading: Reading)
  {
    let name = kind == .counter ? "\(name)_total" : name
    switch reading {
    case .count(let count): line(name, labels, "\(count)")
    case .value(let value): line(name, labels, number(value))
    case .histogram(let histogram):
      var total: Int64 = 0
      for (bound, count) in zip(histogram.bounds + [.infinity], histogram.counts) {
        total &+= count
        let bucket = (labels.isEmpty ? "" : "\(labels),") + "le=\"\(number(bound))\""
        line("\(name)_bucket", bucket, "\(total)")
      }
      line("\(name)_sum", labels, number(histogram.sum))
      line("\(name)_count", labels, "\(total)")
    }
  }

  private mutating func line(_ name: String, _ labels: String, _ value: String) {
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }

  func text(of labels: SeriesLabels) -> String {
    labels.labels.map { "\($0.name)=\"\(escaped(value: $0.value))\"" }.joined(separator: ",")
  }

  private func escaped(value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\"", with: "\\\"")
  }

  private func escaped(help: String) -> String {
    let help = help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    return format == .openMetrics ? help.replacing("\"", with: "\\\"") : help
  }

  private func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return "\(value)"
  }
}
