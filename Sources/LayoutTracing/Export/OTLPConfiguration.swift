// SPDX-License-Identifier: Apache-2.0

/// Where spans are sent, and how.
public struct OTLPConfiguration: Sendable {
  /// The collector.
  public var endpoint: OTLPEndpoint
  /// A PEM file with authorities for an encrypted endpoint; nil = those that the system trusts.
  public var authorities: String?
  /// Describes the process: `service.name` and the like.
  public var resource: [(key: String, value: String)] = []
  /// Spans of one request. 512 by default.
  public var batchCount = 512
  /// The time between requests, unless the queue fills faster. 5 s by default.
  public var interval: Duration = .seconds(5)
  /// The timeout of one request. 10 s by default.
  public var timeout: Duration = .seconds(10)
  /// The time for the last spans when the exporter is stopped. 500 ms by default.
  public var lastTimeout: Duration = .milliseconds(500)
  /// When requests that failed are sent again.
  public var retries = ExportRetries()

  /// The defaults for a collector.
  public init(endpoint: OTLPEndpoint) { self.endpoint = endpoint }
}

/// When a failed request is sent again: after a delay that doubles, reduced by a random part of up
/// to a half, so that many servers do not return at once.
public struct ExportRetries: Hashable, Sendable {
  /// The delay before the second attempt. 1 s by default.
  public var first: Duration = .seconds(1)
  /// The longest delay, also if a collector asks for a longer one. 30 s by default.
  public var longest: Duration = .seconds(30)
  /// Attempts for one request. 5 by default.
  public var attempts = 5

  /// The defaults.
  public init() {}

  /// - Parameters:
  ///   - attempts: that failed so far.
  ///   - wanted: the delay that the collector asks for; nil = none.
  ///   - random: 0 to 1.
  /// - Returns: until the next attempt; nil = there is none.
  func delay(after attempts: Int, wanted: Duration?, random: Double) -> Duration? {
    guard attempts < self.attempts else { return nil }
    if let wanted { return min(max(wanted, .zero), longest) }
    // Shifts by more than that would be beyond the longest delay for any first one of a second.
    let doubled = first * (1 << min(max(attempts - 1, 0), 20))
    return min(doubled, longest) * (1 - random / 2)
  }
}
