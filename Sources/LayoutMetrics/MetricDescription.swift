// SPDX-License-Identifier: Apache-2.0

/// What a page of metrics says about one metric besides its values.
public struct MetricDescription: Hashable, Sendable {
  /// The unit of the values. It ends the name on the page.
  public enum Unit: String, Hashable, Sendable {
    /// A number of something.
    case none = ""
    /// Durations. Timers always have this unit.
    case seconds
    /// Sizes.
    case bytes
  }

  /// The name in code, in OpenTelemetry's style: "layout.frames".
  public var label: String
  /// One sentence for the page.
  public var help: String
  /// The unit of the values.
  public var unit: Unit
  /// The upper bounds of a histogram's buckets in its unit, ascending.
  public var buckets: [Double]

  /// A description.
  ///
  /// - Parameters:
  ///   - label: the name in code, in OpenTelemetry's style: "layout.frames".
  ///   - help: one sentence for the page.
  ///   - buckets: the upper bounds of a histogram's buckets in its unit. They are sorted here, and
  ///     those that are not finite are left out. Counters and gauges do not use them.
  public init(
    _ label: String,
    _ help: String,
    unit: Unit = .none,
    buckets: [Double] = MetricDescription.callBuckets
  ) {
    self.label = label
    self.help = help
    self.unit = unit
    self.buckets = Set(buckets.filter(\.isFinite)).sorted()
  }

  /// The buckets that OpenTelemetry asks for in durations of calls: 5 ms to 10 s.
  public static let callBuckets: [Double] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
  ]

  /// For work that usually takes microseconds: 50 µs to 10 s.
  public static let workBuckets: [Double] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1, 2.5, 10,
  ]
}

/// The name of a metric or of a label as Prometheus allows it.
enum MetricName {
  /// Replaces what is not allowed by underscores. "rpc.server.call" is "rpc_server_call".
  static func allowed(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a") ... UInt8(ascii: "z"), UInt8(ascii: "A") ... UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        bytes.append(byte)
      case UInt8(ascii: "0") ... UInt8(ascii: "9"):
        if bytes.isEmpty { bytes.append(UInt8(ascii: "_")) }
        bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "_"))
      }
    }
    return bytes.isEmpty ? "_" : String(decoding: bytes, as: UTF8.self)
  }

  /// The name on the page, without the suffixes that formats add ("_total", "_bucket").
  static func onPage(_ label: String, unit: MetricDescription.Unit) -> String {
    let name = allowed(label)
    guard unit != .none, !name.hasSuffix("_\(unit.rawValue)") else { return name }
    return "\(name)_\(unit.rawValue)"
  }
}

/// The labels of one series, with names as Prometheus allows them, sorted.
struct SeriesLabels: Hashable, Sendable {
  struct Label: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// The most characters of a value.
  private static let longestValue = 256

  private(set) var labels: [Label] = []

  /// The series that stands for all series beyond the limit of a metric.
  static let overflow = SeriesLabels([("otel.metric.overflow", "true")])

  /// If names become the same, their values are joined by a semicolon.
  init(_ dimensions: [(String, String)]) {
    for (name, value) in dimensions {
      var name = MetricName.allowed(name)
      // These names are reserved for the buckets and quantiles of histograms and summaries.
      if name == "le" || name == "quantile" || name.hasPrefix("__") { name = "label_\(name)" }
      let value = String(value.prefix(Self.longestValue))
      if let known = labels.firstIndex(where: { $0.name == name }) {
        labels[known].value += ";\(value)"
      } else {
        labels.append(Label(name: name, value: value))
      }
    }
    labels.sort { $0.name < $1.name }
  }
}
