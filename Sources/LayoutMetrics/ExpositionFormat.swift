// SPDX-License-Identifier: Apache-2.0

/// How a page of metrics is written.
public enum ExpositionFormat: Hashable, Sendable {
  /// Prometheus' text format 0.0.4.
  case text
  /// OpenMetrics 1.0.0.
  case openMetrics

  /// The value of Content-Type.
  public var contentType: String {
    switch self {
    case .text: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// The format that a client prefers.
  ///
  /// - Parameter accept: the value of its Accept header; "" = it has none. Unreadable parts are
  ///   skipped.
  public init(accept: String) {
    var (text, openMetrics) = (0.0, 0.0)
    for range in accept.split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.trimmed.lowercased() }
      guard let type = parts.first else { continue }
      let quality = Self.quality(parts.dropFirst())
      switch type {
      case "application/openmetrics-text":
        let versions = parts.dropFirst().filter { $0.hasPrefix("version=") }
        if versions.allSatisfy({ $0 == "version=1.0.0" || $0 == "version=\"1.0.0\"" }) {
          openMetrics = max(openMetrics, quality)
        }
      case "text/plain", "text/*", "*/*": text = max(text, quality)
      default: continue
      }
    }
    self = openMetrics > 0 && openMetrics >= text ? .openMetrics : .text
  }

  private static func quality(_ parameters: ArraySlice<String>) -> Double {
    guard let parameter = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
    return Double(parameter.dropFirst(2)) ?? 0
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let rest = drop { $0 == " " || $0 == "\t" }
    guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return rest[...last]
  }
}
