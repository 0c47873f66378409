// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Inspector", .timeLimit(.minutes(3)))
struct InspectorTests {
  @Test("browsers are led to the page, and others get the list of paths")
  func start() async throws {
    try await Operated.run { operated in
      let browser = try await operated.ask("/", headers: ["Accept: text/html,*/*;q=0.8"])
      #expect(browser.status == "302 Found" && browser.contains("Location: /inspector/\r\n"))
      let unfinished = try await operated.ask("/inspector")
      #expect(unfinished.contains("Location: /inspector/\r\n"))
      let other = try await operated.ask("/", headers: ["Accept: */*"])
      #expect(other.status == "200 OK" && other.body.contains("/inspector/\n"))
    }
  }

  @Test("the page and what it loads come from the program, and may load nothing else")
  func files() async throws {
    try await Operated.run { operated in
      let files = [
        ("/inspector/", "text/html"), ("/inspector/main.js", "text/javascript"),
        ("/inspector/inspector.css", "text/css"), ("/inspector/icon.svg", "image/svg+xml"),
        ("/web/src/client.js", "text/javascript"),
      ]
      for (path, type) in files {
        let answer = try await operated.ask(path)
        #expect(answer.status == "200 OK", "\(path)")
        #expect(answer.contains("Content-Type: \(type)"), "\(path)")
        #expect(answer.contains("Content-Security-Policy: default-src 'none'; script-src 'self';"))
        #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"))
      }
      for path in [
        "/inspector/other.js", "/inspector/../web/src/client.js", "/web/", "/inspector/..",
      ] {
        let answer = try await operated.ask(path)
        #expect(answer.status == "404 Not Found", "\(path)")
      }
      let changed = try await operated.sendJSON("POST", "/inspector/", "{}")
      #expect(changed.status == "405 Method Not Allowed")
    }
  }

  /// What a request for a WebSocket is answered with.
  private static func upgrade(
    _ operated: Operated,
    path: String = "/v1/LayoutSessionService/StreamLayout",
    host: String? = nil,
    headers: [String] = []
  ) async throws -> String {
    let exchange = try await RawExchange(to: operated.address)
    let lines =
      [
        "GET \(path) HTTP/1.1", "Host: \(host ?? operated.address)", "Connection: Upgrade",
        "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: collection-layout.v1",
      ] + headers
    exchange.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    // A frame that is not masked, which ends what has become a WebSocket.
    exchange.send("\u{1}\u{1}A")
    return try await exchange.untilClosed()
  }

  @Test("its own pages and programs open WebSockets")
  func accepts() async throws {
    try await Operated.run { operated in
      for headers in [[], ["Origin: http://\(operated.address)"]] {
        let answer = try await Self.upgrade(operated, headers: headers)
        #expect(answer.status == "101 Switching Protocols")
        #expect(answer.contains("Sec-WebSocket-Protocol: collection-layout.v1\r\n"))
      }
    }
  }

  @Test("pages of other sites, names of other machines and unknown paths are refused")
  func refuses() async throws {
    try await Operated.run { operated in
      let foreign = try await Self.upgrade(operated, headers: ["Origin: http://example.com"])
      #expect(foreign.status == "403 Forbidden")
      let rebound = try await Self.upgrade(
        operated,
        host: "example.com",
        headers: ["Origin: http://example.com"]
      )
      #expect(rebound.status == "403 Forbidden")
      let unknown = try await Self.upgrade(operated, path: "/metrics")
      #expect(unknown.status == "404 Not Found")
      let health = try await operated.ask("/healthz")
      #expect(health.body == "ok\n")
    }
  }
}
