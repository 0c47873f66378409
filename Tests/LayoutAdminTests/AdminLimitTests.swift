// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutAdmin
import Testing

@Suite("Limits of the admin port", .timeLimit(.minutes(3)))
struct AdminLimitTests {
  @Test(
    "what is not HTTP, or too much of it, ends the connection",
    arguments: [
      ("\u{0}\u{1}\u{2}\r\n\r\n", "400"),
      ("GET / HTTP/9.9\r\n\r\n", ""),
      ("GET  HTTP/1.1\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nno colon\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 20_000))\r\n\r\n", "431"),
      (
        "GET / HTTP/1.1\r\n"
          + String(repeating: "A: \(String(repeating: "x", count: 900))\r\n", count: 30)
          + "\r\n", "431"
      ),
      ("GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 100) + "\r\n", "431"),
      ("GET /\(String(repeating: "x", count: 3000)) HTTP/1.1\r\n\r\n", "414"),
      (
        "POST /v1/backups HTTP/1.1\r\nContent-Length: 70000\r\n\r\n"
          + String(repeating: "x", count: 70_000), "413"
      ),
      (
        "POST /v1/backups HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
          + String(repeating: "1000\r\n\(String(repeating: "x", count: 0x1000))\r\n", count: 17),
        "413"
      ),
    ]
  )
  func malformed(_ request: String, _ status: String) async throws {
    try await Operated.run { operated in
      let answer = try await RawExchange.answer(of: operated.address, to: request)
      #expect(answer.isEmpty ? status.isEmpty : answer.status.hasPrefix(status))
      let health = try await operated.ask("/healthz")
      #expect(health.status == "200 OK")
    }
  }

  @Test("requests that are sent at once are answered one after the other")
  func pipelining() async throws {
    try await Operated.run { operated in
      let request =
        "GET /healthz HTTP/1.1\r\n\r\nGET /version HTTP/1.1\r\nConnection: close\r\n\r\n"
      let answer = try await RawExchange.answer(of: operated.address, to: request)
      let parts = answer.components(separatedBy: "HTTP/1.1 200 OK")
      #expect(parts.count == 3 && parts[1].hasSuffix("ok\n") && parts[2].contains("layout-server"))
    }
  }

  @Test(
    "who does not finish a request in time is cut off",
    arguments: [
      "", "GET /healthz HTTP/1.1\r\nHo", "PUT /v1/log HTTP/1.1\r\nContent-Length: 9\r\n\r\n{",
    ]
  )
  func slowRequests(_ beginning: String) async throws {
    var configuration = AdminConfiguration()
    configuration.request = .milliseconds(100)
    try await Operated.run(configuration) { operated in
      let answer = try await RawExchange.answer(of: operated.address, to: beginning)
      #expect(answer.isEmpty)
    }
  }

  @Test("a connection that asks for nothing more is closed")
  func idle() async throws {
    var configuration = AdminConfiguration()
    configuration.idle = .milliseconds(100)
    try await Operated.run(configuration) { operated in
      let answer = try await RawExchange.answer(
        of: operated.address,
        to: "GET /healthz HTTP/1.1\r\n\r\n"
      )
      #expect(answer.status == "200 OK")
    }
  }

  @Test("more connections than are allowed are closed at once")
  func connections() async throws {
    var configuration = AdminConfiguration()
    configuration.connections = 2
    try await Operated.run(configuration) { operated in
      let first = try await RawExchange(to: operated.address)
      let second = try await RawExchange(to: operated.address)
      // Answered, so both are counted.
      for exchange in [first, second] { exchange.send("GET /healthz HTTP/1.1\r\n\r\n") }
      let answer = try await RawExchange.answer(of: operated.address, to: "")
      #expect(answer.isEmpty)
      first.close()
      _ = try await first.untilClosed()
      second.close()
      _ = try await second.untilClosed()
    }
  }

  @Test("stopping closes all connections")
  func stopping() async throws {
    try await Operated.run { operated in
      let exchange = try await RawExchange(to: operated.address)
      exchange.send("GET /healthz HTTP/1.1\r\n\r\n")
      await operated.port.stop()
      _ = try await exchange.untilClosed()
      #expect(operated.port.connectionCount == 0)
    }
  }
}
