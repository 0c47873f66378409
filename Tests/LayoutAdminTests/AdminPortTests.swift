// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionStore
import Foundation
import LayoutAdmin
import LayoutClient
import LayoutMetrics
import LayoutProtocol
import LayoutService
import Logging
import SwiftProtobuf
import Synchronization
import Testing

/// A server with its admin port.
struct Operated: Sendable {
  let server: LayoutServer
  let port: AdminPort
  /// Of the admin port.
  let address: String
  let level: Level

  /// The log level that operators set.
  final class Level: Sendable {
    private let value = Mutex(Logger.Level.info)
    var current: Logger.Level {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
  }

  static func run(
    _ configuration: AdminConfiguration = .init(),
    storage: any CollectionStorage = MemoryStorage(),
    _ body: @Sendable (Operated) async throws -> Void
  ) async throws {
    let metrics = PrometheusMetrics(descriptions: AdminPort.descriptions)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let providers = LayoutProviders()
    var layouts = LayoutRegistry()
    providers.register(in: &layouts)
    let server = LayoutServer(
      layouts: layouts,
      storage: storage,
      logger: logger,
      metrics: metrics
    )
    let level = Level()
    let port = AdminPort(
      configuration: configuration,
      server: server,
      metrics: metrics,
      controls: AdminControls(logLevel: { level.current }, setLogLevel: { level.current = $0 }),
      providers: providers,
      logger: logger
    )
    let address = try await port.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      _ = try await server.listeningAddress
      try await body(Operated(server: server, port: port, address: address, level: level))
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
    await port.stop()
  }

  /// The answer to one request, with its head.
  func ask(
    _ method: String,
    _ path: String,
    headers: [String] = [],
    body: String = ""
  ) async throws -> String {
    let all = ["Host: \(address)", "Connection: close", "Content-Length: \(body.utf8.count)"]
    let head = (all + headers).joined(separator: "\r\n")
    let request = "\(method) \(path) HTTP/1.1\r\n\(head)\r\n\r\n\(body)"
    return try await RawExchange.answer(of: address, to: request)
  }

  /// The answer to a GET.
  func ask(_ path: String, headers: [String] = []) async throws -> String {
    try await ask("GET", path, headers: headers)
  }

  func sendJSON(_ method: String, _ path: String, _ body: String) async throws -> String {
    try await ask(method, path, headers: ["Content-Type: application/json"], body: body)
  }
}

extension String {
  /// "200 OK" of an answer.
  var status: String { String(split(separator: "\r\n").first?.dropFirst(9) ?? "") }
  /// What follows the head of an answer.
  var body: String { components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n") }
}

@Suite("Admin port", .timeLimit(.minutes(3)))
struct AdminPortTests {
  @Test("health, version and metrics are answered")
  func pages() async throws {
    try await Operated.run { operated in
      let health = try await operated.ask("/healthz")
      #expect(health.body == "ok\n")
      let readiness = try await operated.ask("/readyz")
      #expect(readiness.body == "ready\n")
      let version = operated.server.version
      let named = try await operated.ask("/version")
      #expect(named.body == "layout-server \(version)\n")
      let index = try await operated.ask("/")
      #expect(index.body.contains("/metrics"))
      let page = try await operated.ask("/metrics")
      #expect(page.status == "200 OK")
      #expect(page.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
      #expect(page.body.contains("\nlayout_sessions 0.0\n"))
      #expect(page.body.contains("\nstore_up 1.0\n"))
      let accept = "Accept: application/openmetrics-text; version=1.0.0"
      let other = try await operated.ask("/metrics", headers: [accept])
      #expect(other.contains("Content-Type: application/openmetrics-text; version=1.0.0"))
      #expect(other.body.hasSuffix("\n# EOF\n"))
    }
  }

  @Test("a HEAD has the headers of a GET, and nothing more")
  func head() async throws {
    try await Operated.run { operated in
      let answer = try await operated.ask("HEAD", "/healthz")
      #expect(answer.status == "200 OK" && answer.contains("Content-Length: 3\r\n"))
      #expect(answer.body.isEmpty)
    }
  }

  @Test("calls are counted by method and status, and what the store does by operation")
  func calls() async throws {
    try await Operated.run { operated in
      let address = try #require(ServerAddress(try await operated.server.listeningAddress))
      try await LayoutClient.connect(to: address) { client in
        _ = try await client.collections.listCollections(.init())
        _ = try? await client.collections.deleteCollection(.with { $0.name = "collections/none" })
        _ = try await client.collections.createCollection(.with { $0.collectionID = "a" })
      }
      let page = try await operated.ask("/metrics").body
      let service = "collection_layout.v1.CollectionService"
      let labels = { (method: String, status: String) in
        "rpc_method=\"\(service)/\(method)\",rpc_response_status_code=\"\(status)\""
      }
      let count = "rpc_server_call_duration_seconds_count{"
      let list = labels("ListCollections", "OK")
      #expect(page.contains("\n\(count)\(list),rpc_system_name=\"grpc\"} 1\n"))
      let delete = labels("DeleteCollection", "NOT_FOUND")
      #expect(
        page.contains("\n\(count)error_type=\"NOT_FOUND\",\(delete),rpc_system_name=\"grpc\"} 1\n")
      )
      let refusal = "layout_refusals_total{of=\"call\",reason=\"COLLECTION_NOT_FOUND\"} 1"
      #expect(page.contains("\n\(refusal)\n"))
      #expect(page.contains("\nstore_operation_duration_seconds_count{operation=\"create\"} 1\n"))
      #expect(page.contains("\nlayout_collections 1.0\n"))
    }
  }

  @Test(
    "what is not asked right is refused in plain text",
    arguments: [
      ("GET /none", [], "", "404 Not Found"),
      ("GET /metrics/", [], "", "404 Not Found"),
      ("DELETE /metrics", [], "", "405 Method Not Allowed"),
      ("OPTIONS /v1/log", [], "", "405 Method Not Allowed"),
      ("GET /v1/backups", [], "", "405 Method Not Allowed"),
      ("GET /v1/sessions/a:end", [], "", "405 Method Not Allowed"),
      ("PUT /v1/log", [], "{}", "415 Unsupported Media Type"),
      ("PUT /v1/log", ["Content-Type: text/plain"], "{}", "415 Unsupported Media Type"),
      ("PUT /v1/log", ["Content-Type: application/json"], "{", "400 Bad Request"),
      ("PUT /v1/log", ["Content-Type: application/json"], "[]", "400 Bad Request"),
      (
        "PUT /v1/log", ["Content-Type: application/json"], "{\"level\":\"loud\"}", "400 Bad Request"
      ),
      (
        "POST /v1/sessions/none:end", ["Content-Type: application/json"], "{}", "404 Not Found"
      ),
      ("POST /v1/sessions/a/b:end", ["Content-Type: application/json"], "", "404 Not Found"),
      (
        "POST /v1/backups", ["Content-Type: application/json"], "{}", "412 Precondition Failed"
      ),
      ("GET /v1/sessions?page_size=0", [], "", "400 Bad Request"),
      ("GET /v1/sessions?page_size=x", [], "", "400 Bad Request"),
      ("GET /v1/collections?what=1", [], "", "400 Bad Request"),
      ("GET /v1/collections?page_token=%ff", [], "", "400 Bad Request"),
      ("GET /v1/collections?page_token=%2", [], "", "400 Bad Request"),
      ("GET /metrics", ["Host: example.com"], "", "400 Bad Request"),
      ("GET /metrics", ["Expect: 100-continue"], "", "417 Expectation Failed"),
      ("GET /metrics", ["Upgrade: h2c"], "", "417 Expectation Failed"),
      ("GET /metrics", ["Upgrade: websocket"], "", "404 Not Found"),
      ("GET /v1/sessions/x", ["Upgrade: websocket"], "", "426 Upgrade Required"),
      ("GET http://localhost/metrics", [], "", "400 Bad Request"),
    ]
  )
  func refusals(_ line: String, _ headers: [String], _ body: String, _ status: String) async throws
  {
    try await Operated.run { operated in
      let parts = line.split(separator: " ").map(String.init)
      let answer = try await operated.ask(parts[0], parts[1], headers: headers, body: body)
      // A second Host is against the rules in itself.
      let isHost = headers.contains { $0.hasPrefix("Host") }
      #expect(answer.status == status || isHost && answer.status == "403 Forbidden")
      #expect(answer.contains("Content-Type: text/plain"))
      #expect(!answer.body.isEmpty && answer.body.last == "\n")
    }
  }

  @Test("every path and method that is refused says which are allowed")
  func allowed() async throws {
    try await Operated.run { operated in
      let log = try await operated.ask("PATCH", "/v1/log")
      #expect(log.contains("Allow: GET, PUT, HEAD\r\n"))
      let backups = try await operated.ask("PUT", "/v1/backups")
      #expect(backups.contains("Allow: POST\r\n"))
    }
  }

  @Test(
    "only addresses and localhost are taken as hosts, which no foreign page has",
    arguments: [
      ("localhost:9464", true), ("127.0.0.1", true), ("[::1]:9464", true), ("10.1.2.3:80", true),
      ("", true), ("evil.example:9464", false), ("localhost.evil.example", false),
      ("[::1", false), ("127.0.0.1.evil.example", false), ("[::1].evil.example", false),
      ("localhost:evil.example", false),
    ]
  )
  func hosts(_ host: String, _ isAllowed: Bool) async throws {
    try await Operated.run { operated in
      let request = "GET /healthz HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
      let answer = try await RawExchange.answer(of: operated.address, to: request)
      #expect(answer.status == (isAllowed ? "200 OK" : "403 Forbidden"))
    }
  }

  @Test("the log level is read and set")
  func logLevel() async throws {
    try await Operated.run { operated in
      let before = try await operated.ask("/v1/log")
      #expect(before.body == "{\"level\":\"info\"}\n")
      let answer = try await operated.sendJSON("PUT", "/v1/log", "{\"level\": \"debug\"}")
      #expect(answer.body == "{\"level\":\"debug\"}\n")
      #expect(operated.level.current == .debug)
    }
  }

  @Test("a server that is going away is alive but not ready")
  func draining() async throws {
    try await Operated.run { operated in
      operated.server.beginGracefulShutdown()
      let answer = try await operated.ask("/readyz")
      #expect(answer.status == "503 Service Unavailable" && answer.body == "shutting down\n")
      let health = try await operated.ask("/healthz")
      #expect(health.status == "200 OK")
      let metrics = try await operated.ask("/metrics")
      #expect(metrics.body.contains("\nlayout_server_draining 1.0\n"))
    }
  }

  @Test("collections are listed in pages, with what is in memory of them")
  func collections() async throws {
    try await Operated.run { operated in
      let address = try #require(ServerAddress(try await operated.server.listeningAddress))
      try await LayoutClient.connect(to: address) { client in
        for id in ["a", "b", "c"] {
          _ = try await client.collections.createCollection(.with { $0.collectionID = id })
        }
      }
      let first = try await operated.ask("/v1/collections?page_size=2").body
      let page = try Wire.ListCollectionStatusesResponse(jsonString: first)
      #expect(page.collections.map(\.name) == ["collections/a", "collections/b"])
      #expect(page.collections.allSatisfy(\.resident) && page.totalSize == 3)
      let path = "/v1/collections?page_size=2&page_token=\(page.nextPageToken)"
      let rest = try Wire.ListCollectionStatusesResponse(
        jsonString: try await operated.ask(path).body
      )
      #expect(rest.collections.map(\.name) == ["collections/c"] && rest.nextPageToken.isEmpty)
      // A store in memory has nothing on the disk.
      let stored = try await operated.ask("/v1/collections?stored=true")
      #expect(stored.status == "200 OK" && !stored.body.contains("stored"))
      let unknown = try await operated.ask("/v1/collections?stored=maybe")
      #expect(
        unknown.status == "400 Bad Request"
          && unknown.body.contains(#"stored: "maybe" found; true and false are allowed"#)
      )
      let elsewhere = try await operated.ask("/v1/sessions?stored=true")
      #expect(
        elsewhere.status == "400 Bad Request"
          && elsewhere.body.contains(#""stored" found; page_size, page_token are allowed"#)
      )
    }
  }

  @Test("answers have a date, by which clocks are compared")
  func date() async throws {
    try await Operated.run { operated in
      let answer = try await operated.ask("/healthz")
      let pattern = /Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/
      #expect(answer.contains(pattern))
    }
  }

  @Test("a backup is written to its folder, under names of files alone")
  func backups() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("admin-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let storage = try SQLiteStorage(path: "\(folder)/store.sqlite")
    defer { try? storage.close() }
    var configuration = AdminConfiguration()
    configuration.backupFolder = folder
    try await Operated.run(configuration, storage: storage) { operated in
      let names = [
        "", "../x", ".x", "a/b", "a b", "é", String(repeating: "a", count: 129),
        // Those of files that a store has beside its own.
        "store.sqlite-journal", "store.sqlite-wal", "store.sqlite-SHM", "a.lock", "a.reserve",
      ]
      for name in names {
        let body = "{\"file_name\": \"\(name)\"}"
        let answer = try await operated.sendJSON("POST", "/v1/backups", body)
        #expect(answer.status == "400 Bad Request", "\(name)")
      }
      let body = "{\"file_name\": \"copy-1.sqlite\"}"
      let answer = try await operated.sendJSON("POST", "/v1/backups", body)
      let backup = try Wire.Backup(jsonString: answer.body)
      #expect(backup.path == "\(folder)/copy-1.sqlite" && backup.bytes > 0)
      #expect(FileManager.default.fileExists(atPath: backup.path))
      let again = try await operated.sendJSON("POST", "/v1/backups", body)
      #expect(again.status == "409 Conflict")
    }
  }

  @Test("a layout's provider is registered, listed and withdrawn")
  func layoutProviders() async throws {
    try await Operated.run { operated in
      let path = "/v1/layout-providers/spiral"
      let none = try await operated.ask("/v1/layout-providers")
      #expect(none.body == "{}\n")
      let added = try await operated.sendJSON("PUT", path, #"{"address": "127.0.0.1:9"}"#)
      #expect(added.status == "200 OK")
      let all = try await operated.ask("/v1/layout-providers")
      #expect(all.body.contains(#""layout":"spiral","address":"127.0.0.1:9","registered":true"#))
      #expect(try await operated.ask(path).body.contains("spiral"))
      let page = try await operated.ask("/metrics").body
      #expect(page.contains("\nlayout_provider_up{layout=\"spiral\"} 0.0\n"))
      let gone = try await operated.sendJSON("DELETE", path, "{}")
      #expect(gone.status == "200 OK")
      #expect(try await operated.sendJSON("DELETE", path, "{}").status == "404 Not Found")
      #expect(try await operated.ask(path).status == "404 Not Found")
    }
  }

  @Test(
    "a provider that cannot be registered is refused with field and what is allowed",
    arguments: [
      ("spi ral", "{}", "the layout: "), ("a", "{}", "address: "),
      ("a", #"{"address": "::1:80"}"#, "address: "),
      ("a", #"{"address": "x.org:80", "token_file": "t"}"#, "token_file: "),
      ("a", #"{"address": "x.org:80", "authorities_file": "/none"}"#, "authorities_file: "),
      (
        "a", #"{"address": "x.org:80", "authorities_file": "/dev/null"}"#,
        "authorities_file: cannot be used: /dev/null: a folder, pipe, socket or device found; a file is needed"
      ),
      ("a", #"{"address": 3}"#, "collection_layout.v1.LayoutProviderAddress cannot be read"),
    ]
  )
  func refusedProviders(_ name: String, _ body: String, _ reason: String) async throws {
    try await Operated.run { operated in
      let path = "/v1/layout-providers/\(name.replacing(" ", with: "%20"))"
      let answer = try await operated.sendJSON("PUT", path, body)
      #expect(answer.status == "400 Bad Request")
      #expect(answer.body.hasPrefix(reason), "\(answer.body)")
    }
  }
}
