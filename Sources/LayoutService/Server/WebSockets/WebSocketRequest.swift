// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRPCCore
package import NIOHTTP1

/// The HTTP request that opens a WebSocket, and so begins a call.
package struct WebSocketRequest: Sendable {
  /// Why a request is refused: an HTTP status and a sentence.
  package struct Refusal: Error, Hashable {
    package var status: HTTPResponseStatus
    package var reason: String
  }

  /// The subprotocol, which names the messages; a client has to offer it.
  static let subprotocol = "collection-layout.v1"
  /// The prefix of a token among the subprotocols, since pages cannot set headers.
  private static let tokenPrefix = "bearer."
  private static let package = "collection_layout.v1."
  /// The length of `Sec-WebSocket-Key` (RFC 6455 §4.1).
  private static let keyBytes = 16
  /// Headers that become metadata of the call.
  private static let metadataHeaders = ["authorization", "user-agent", "traceparent", "tracestate"]

  /// Without its type.
  let method: MethodDescriptor
  let metadata: Metadata

  /// - Parameters:
  ///   - head: a request for "/v1/SERVICE/METHOD", with the collection as `?collection=` if proxies
  ///     route by it.
  ///   - origins: as in `WebSocketOptions`.
  /// - Throws: why the request is refused.
  init(_ head: HTTPRequestHead, origins: Set<String>) throws(Refusal) {
    // Comparing other texts can take long.
    guard head.uri.isASCIIText,
      head.headers.allSatisfy({ $0.name.isASCIIText && $0.value.isASCIIText })
    else {
      throw Refusal(status: .badRequest, reason: "the path and the headers are ASCII")
    }
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
    guard path.count == 4, path[0].isEmpty, path[1] == "v1", !path[2].isEmpty, !path[3].isEmpty
    else {
      throw Refusal(
        status: .notFound,
        reason: "there is nothing at this path; calls are at /v1/SERVICE/METHOD"
      )
    }
    let service = path[2].contains(".") ? String(path[2]) : Self.package + path[2]
    method = MethodDescriptor(fullyQualifiedService: service, method: String(path[3]))
    guard head.method == .GET, head.version == .http1_1,
      head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
      head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }),
      head.headers["sec-websocket-version"] == ["13"], head.headers["sec-websocket-key"].count == 1
    else {
      throw Refusal(status: .upgradeRequired, reason: "calls are WebSockets of version 13")
    }
    guard Data(base64Encoded: head.headers["sec-websocket-key"][0])?.count == Self.keyBytes else {
      throw Refusal(
        status: .badRequest,
        reason: "Sec-WebSocket-Key is not \(Self.keyBytes) bytes in Base64"
      )
    }
    // What follows it belongs to the WebSocket.
    guard head.headers["content-length"].allSatisfy({ $0 == "0" }),
      head.headers["transfer-encoding"].isEmpty
    else {
      throw Refusal(status: .badRequest, reason: "a request for a WebSocket has no body")
    }
    try Self.checkOrigin(head.headers, origins: origins)
    let offered = head.headers[canonicalForm: "sec-websocket-protocol"]
    guard offered.contains(where: { $0 == Self.subprotocol }) else {
      throw Refusal(
        status: .badRequest,
        reason: "Sec-WebSocket-Protocol does not offer \(Self.subprotocol)"
      )
    }
    metadata = Self.metadata(
      of: head.headers,
      offered: offered,
      query: parts.count > 1 ? parts[1] : ""
    )
  }

  private static func metadata(
    of headers: HTTPHeaders,
    offered: [Substring],
    query: Substring
  ) -> Metadata {
    var metadata = Metadata()
    for name in metadataHeaders {
      for value in headers[name] { metadata.addString(value, forKey: name) }
    }
    for token in offered where token.hasPrefix(tokenPrefix) {
      metadata.addString("Bearer \(token.dropFirst(tokenPrefix.count))", forKey: "authorization")
    }
    for item in query.split(separator: "&") where item.hasPrefix("collection=") {
      let value = item.dropFirst("collection=".count)
      let name = value.removingPercentEncoding.flatMap { $0.isASCIIText ? $0 : nil }
      metadata.addString(name ?? String(value), forKey: SessionOpener.routingKey)
    }
    return metadata
  }

  /// Browsers let any page open WebSockets to any server, and send the page's origin.
  private static func checkOrigin(_ headers: HTTPHeaders, origins: Set<String>) throws(Refusal) {
    let named = headers["origin"]
    guard let origin = named.first, !origins.contains("*") else { return }
    if named.count == 1, origins.contains(origin) { return }
    // A page of this port. A name could be an attacker's that resolves to this machine (DNS
    // rebinding); an address could not.
    let hosts = headers["host"]
    if named.count == 1, hosts.count == 1, let host = hosts.first, HostHeader.isAddress(host),
      origin == "http://\(host)" || origin == "https://\(host)"
    {
      return
    }
    throw Refusal(
      status: .forbidden,
      reason:
        "pages of this origin may not connect; for the web port --web-origins lists those that may"
    )
  }
}
