// SPDX-License-Identifier: Apache-2.0

public import Tracing

/// What identifies a span to the spans that continue its trace, according to W3C Trace Context.
public struct TraceContext: Hashable, Sendable {
  /// The trace.
  public var trace: TraceIdentifier
  /// The span.
  public var span: SpanIdentifier
  /// Bit 0: the trace is sampled. Bit 1: the identifier of the trace is random.
  public var flags: UInt8
  /// What other systems say about the trace.
  public var state: TraceState
  /// Whether the span belongs to another process.
  public var isRemote: Bool

  /// Whether the trace is recorded.
  public var isSampled: Bool { flags & Self.sampled != 0 }

  static let sampled: UInt8 = 1
  /// The flags that are passed on; the others have no meaning yet.
  private static let known: UInt8 = 0b11
}

// MARK: - traceparent

extension TraceContext {
  /// Reads the header `traceparent`: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".
  ///
  /// - Returns: nil if it is malformed; the caller then starts a new trace. Of versions that are
  ///   newer than 00 the fields of version 00 are read.
  init?(traceParent: String) {
    let bytes = Array(traceParent.utf8)
    guard bytes.count >= Self.length, bytes[2] == Self.dash, bytes[35] == Self.dash,
      bytes[52] == Self.dash, let version = Self.number(bytes[0 ..< 2]), version != 0xff,
      bytes.count == Self.length || version > 0 && bytes[Self.length] == Self.dash,
      let high = Self.number(bytes[3 ..< 19]), let low = Self.number(bytes[19 ..< 35]),
      let trace = TraceIdentifier(high: high, low: low),
      let span = Self.number(bytes[36 ..< 52]).flatMap({ SpanIdentifier($0) }),
      let flags = Self.number(bytes[53 ..< 55])
    else { return nil }
    self.trace = trace
    self.span = span
    self.flags = UInt8(truncatingIfNeeded: flags) & Self.known
    state = TraceState()
    isRemote = true
  }

  /// The header `traceparent`.
  var traceParent: String { "00-\(trace)-\(span)-0\(flags & Self.known)" }

  /// Bytes of version 00.
  private static let length = 55
  private static let dash = UInt8(ascii: "-")

  /// The value of lower-case hexadecimal digits; nil = there are other characters.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0") ... UInt8(ascii: "9"):
        value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a") ... UInt8(ascii: "f"):
        value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return value
  }
}

// MARK: - Where it is kept

extension InstrumentationContext {
  /// The span that work in this context is a part of; nil = none.
  public internal(set) var trace: TraceContext? {
    get { self[TraceContextKey.self] }
    set { self[TraceContextKey.self] = newValue }
  }
}

private enum TraceContextKey: InstrumentationContextKey {
  typealias Value = TraceContext
}
