// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOEmbedded
import Testing

@testable import LayoutAdmin

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

  @Test("a newcomer takes the place of the connection that has waited longest for its client")
  func connections() async throws {
    var configuration = AdminConfiguration()
    configuration.connections = 2
    try await Operated.run(configuration) { operated in
      let first = try await RawExchange(to: operated.address)
      let second = try await RawExchange(to: operated.address)
      // Silent, in the middle of a request, and asking for nothing more: whoever does not finish.
      first.send("PUT /v1/log HTTP/1.1\r\nContent-Length: 9\r\n\r\n{")
      let health = try await operated.ask("/healthz")
      #expect(health.status == "200 OK")
      let outcome = try await first.untilClosed()
      #expect(outcome.isEmpty)
      for _ in 0 ..< 5 {
        let health = try await operated.ask("/healthz")
        #expect(health.status == "200 OK")
      }
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

@Suite("Connections of the admin port", .timeLimit(.minutes(1)))
struct AdminConnectionsTests {
  @Test("those that are being answered keep their places, of the others the newest do")
  func places() throws {
    let channels = (0 ..< 6).map { _ in EmbeddedChannel() }
    func id(_ index: Int) -> ObjectIdentifier { ObjectIdentifier(channels[index]) }
    var connections = AdminConnections(limit: 3)
    func add(_ index: Int) -> EmbeddedChannel? {
      connections.add(channels[index]).dropped as? EmbeddedChannel
    }
    for index in 0 ..< 3 { #expect(add(index) == nil) }
    connections.note(id(1), isAnswering: true)
    // The first one was used after the third.
    connections.note(id(0), isAnswering: true)
    connections.note(id(0), isAnswering: false)
    #expect(add(3) === channels[2])
    #expect(add(4) === channels[0])
    connections.note(id(3), isAnswering: true)
    connections.note(id(4), isAnswering: true)
    let refused = connections.add(channels[5])
    #expect(!refused.isAdded && refused.dropped == nil && connections.count == 3)
    connections.note(id(3), isAnswering: false)
    // What has gone already changes nothing.
    connections.note(id(0), isAnswering: true)
    #expect(add(5) === channels[3])
    connections.remove(id(5))
    #expect(connections.count == 2)
  }
}
