// SPDX-License-Identifier: Apache-2.0

/// Where a collector receives spans by OTLP over gRPC.
public struct OTLPEndpoint: Hashable, Sendable {
  /// A name or an address, IPv6 without brackets.
  public let host: String
  /// 4317 by default.
  public let port: Int
  /// Whether the connection is encrypted.
  public let isEncrypted: Bool

  /// Reads "http://127.0.0.1:4317", or "https://collector.example.org" for an encrypted connection.
  ///
  /// - Returns: nil if it is something else.
  public init?(_ text: String) {
    guard let colon = text.range(of: "://") else { return nil }
    switch text[..<colon.lowerBound] {
    case "http": isEncrypted = false
    case "https": isEncrypted = true
    default: return nil
    }
    var rest = text[colon.upperBound...]
    if rest.hasSuffix("/") { rest.removeLast() }
    let hasBrackets = rest.hasPrefix("[")
    let host: Substring
    if hasBrackets {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = rest[..<end].dropFirst()
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest[host.endIndex...]
    }
    let isHost = host.utf8.allSatisfy { Self.isHostByte($0, inBrackets: hasBrackets) }
    guard !host.isEmpty, isHost else { return nil }
    if rest.isEmpty {
      port = 4317
    } else {
      guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()),
        (1 ... 65_535).contains(port), rest.dropFirst().utf8.allSatisfy({ $0 != UInt8(ascii: "+") })
      else { return nil }
      self.port = port
    }
    self.host = String(host)
  }

  private static func isHostByte(_ byte: UInt8, inBrackets: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a") ... UInt8(ascii: "z"), UInt8(ascii: "A") ... UInt8(ascii: "Z"),
      UInt8(ascii: "0") ... UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    case UInt8(ascii: ":"): inBrackets
    default: false
    }
  }
}

extension String {
  /// The first place of a text.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start ..< index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
