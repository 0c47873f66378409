// SPDX-License-Identifier: Apache-2.0

internal import NIOHPACK

/// How long a client waits for the end of a call, in gRPC's format: one to eight digits and a unit
/// (gRPC over HTTP2, "Timeout").
enum CallTimeout {
  /// The header with which a client sends it.
  static let header = "grpc-timeout"
  /// The header under which handlers find it, which the gRPC library does not know. For the
  /// client's header it starts a sleeping task, which Dispatch keeps until the time is over,
  /// however early the call ends.
  static let keptHeader = "layout-call-timeout"

  /// - Returns: nil = the text is not a timeout.
  static func duration(_ text: Substring) -> Duration? {
    guard isTimeout(text), let unit = text.utf8.last, let value = Int64(text.dropLast()) else {
      return nil
    }
    switch unit {
    case UInt8(ascii: "H"): return .seconds(value * 3600)
    case UInt8(ascii: "M"): return .seconds(value * 60)
    case UInt8(ascii: "S"): return .seconds(value)
    case UInt8(ascii: "m"): return .milliseconds(value)
    case UInt8(ascii: "u"): return .microseconds(value)
    default: return .nanoseconds(value)
    }
  }

  /// Whether a text is a timeout. The library also accepts a sign, and then traps.
  static func isTimeout(_ text: Substring) -> Bool {
    let bytes = text.utf8
    guard let unit = bytes.last, (2 ... 9).contains(bytes.count) else { return false }
    return "HMSmun".utf8.contains(unit)
      && bytes.dropLast().allSatisfy { (UInt8(ascii: "0") ... UInt8(ascii: "9")).contains($0) }
  }

  /// Moves the timeout to the header that only handlers read.
  ///
  /// - Returns: the timeout; nil = there is none.
  static func take(from headers: inout HPACKHeaders) -> Duration? {
    // Removing copies the headers, even if there is nothing to remove.
    if headers.contains(name: keptHeader) { headers.remove(name: keptHeader) }
    guard let text = headers.first(name: header) else { return nil }
    headers.remove(name: header)
    guard let timeout = duration(text[...]) else { return nil }
    headers.add(name: keptHeader, value: text)
    return timeout
  }
}
