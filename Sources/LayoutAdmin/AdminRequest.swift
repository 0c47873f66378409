// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import NIOHTTP1

/// One request as the routes take it.
struct AdminRequest: Sendable {
  var method: HTTPMethod
  /// Without the query: "/metrics".
  var path: String
  var query: [String: String]
  var accept: String
  var contentType: String
  var body: [UInt8]

  /// - Throws: `AdminRefusal` if the target is not a path.
  init(_ head: HTTPRequestHead, body: [UInt8]) throws(AdminRefusal) {
    guard head.uri.hasPrefix("/") else {
      throw AdminRefusal(
        .badRequest,
        "the target of the request: \(head.uri.quotedAsFound) found; a path is allowed"
      )
    }
    method = head.method
    accept = head.headers["accept"].joined(separator: ",")
    contentType = head.headers.first(name: "content-type") ?? ""
    self.body = body
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = parts.first.map(String.init) ?? "/"
    query = [:]
    for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let pair = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(pair[0])
      query[name] = try pair.count == 2 ? Self.decoded(pair[1]) : ""
    }
  }

  /// Decodes percent escapes such as "%2F".
  private static func decoded(_ text: Substring) throws(AdminRefusal) -> String {
    guard let decoded = text.removingPercentEncoding else {
      throw AdminRefusal(
        .badRequest,
        "the query: \(String(text).quotedAsFound) found; UTF-8 is allowed, with \"%\" before two "
          + "hexadecimal digits"
      )
    }
    return decoded
  }
}

extension Substring {
  /// nil = it is not encoded correctly, or not UTF-8.
  fileprivate var removingPercentEncoding: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalDigit,
        let low = rest.popFirst()?.hexadecimalDigit
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0") ... UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a") ... UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A") ... UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// The answer to a request.
struct AdminResponse: Sendable {
  var status: HTTPResponseStatus = .ok
  var contentType = "text/plain; charset=utf-8"
  var body: [UInt8]
  /// In addition to the headers of every response.
  var headers: HTTPHeaders = [:]
  /// The methods of the path, if the request had another.
  var allow: [String] = []

  /// A line of text.
  init(_ text: String) { self.init(.ok, text) }

  /// A line of text.
  init(_ status: HTTPResponseStatus, _ text: String) {
    self.status = status
    body = Array("\(text)\n".utf8)
  }

  init(_ body: String, contentType: String) {
    self.init(Array(body.utf8), contentType: contentType)
  }

  init(_ body: [UInt8], contentType: String) {
    self.contentType = contentType
    self.body = body
  }

  init(_ refusal: AdminRefusal) {
    self.init(refusal.status, refusal.message)
    allow = refusal.allow
  }
}

/// Why a request is refused.
struct AdminRefusal: Error {
  var status: HTTPResponseStatus
  var message: String
  var allow: [String] = []

  init(_ status: HTTPResponseStatus, _ message: String, allow: [String] = []) {
    self.status = status
    self.message = message
    self.allow = allow
  }
}
