// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CollectionStore
import Foundation
import LayoutService
import LayoutTrust
import Logging
import NIOCore
import NIOPosix
import PostgreSQLStore
import StoreTesting
import Testing
import TrustTesting
import X509

@testable import ServerCommand
@testable import layoutctl

@Suite("Checks of configurations and servers", .timeLimit(.minutes(1)))
struct ConfigurationCheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func findings(
    _ arguments: [String],
    store: String = "store.sqlite",
    adminPort: Int = 0
  ) async throws -> [Finding] {
    let all = ["--port", "0", "--admin-port", "\(adminPort)", "--store-path", folder.path(store)]
    let options = try ServerOptions.read(arguments: all + arguments, environment: [:])
    return await ConfigurationCheck(options: options).findings
  }

  @Test("the default configuration has no errors, and writes nothing")
  func standard() async throws {
    let found = try await findings([])
    #expect(!found.contains { $0.level == .error }, "\(found)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("store.sqlite")))
  }

  @Test("a store that is in use, or none, is told from one that is free")
  func store() async throws {
    let path = folder.path("store.sqlite")
    func finding() async throws -> Finding? {
      try await findings([]).first { $0.text.hasPrefix(path) }
    }
    let before = try await finding()
    #expect(before?.text.hasSuffix("will be created") == true)
    let storage = try SQLiteStorage(path: path)
    let used = try await finding()
    #expect(used?.text.hasSuffix("a server uses it") == true)
    try storage.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let free = try await finding()
    #expect(free?.text.hasSuffix("a store that nobody uses") == true)
    try Data("no database at all".utf8).write(to: URL(fileURLWithPath: path))
    let other = try await finding()
    #expect(other?.level == .error)
  }

  @Test("a folder that is not there, limits that contradict and a port that is taken are found")
  func faults() async throws {
    let missing = try await findings([], store: "nowhere/store.sqlite")
    #expect(missing.contains { $0.level == .error && $0.text.contains("there is no folder") })
    let limits = try await findings(["--max-session-bytes", "2147483648"])
    #expect(limits.contains { $0.text.hasPrefix("--max-session-bytes 2147483648 is above") })
    #expect(PortCheck.state(host: "127.0.0.1", port: 0) == .free)
    #expect(PortCheck.state(host: "203.0.113.1", port: 1) != .free)
  }

  @Test(
    "a database is asked, and one that cannot be reached is an error",
    .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed")
  )
  func database() async throws {
    let instance = try PostgresInstance()
    let found = try await findings(["--store", instance.url])
    #expect(found.contains { $0.level == .ok && $0.text.hasSuffix("the tables will be created") })
    // The instance does not wait for its disk.
    #expect(found.contains { $0.level == .warning && $0.text.contains("fsync is off") })
    try PostgreSQLStorage(.init(url: instance.url)).close()
    let used = try await findings(["--store", instance.url])
    #expect(used.contains { $0.text.hasSuffix("has the tables of this version") })
    let nowhere = try await findings(["--store", "postgresql://a@127.0.0.1:1/b"])
    #expect(nowhere.contains { $0.level == .error && $0.text.contains("cannot be reached") })
  }

  @Test("--insecure says what it gives away")
  func insecure() async throws {
    let found = try await findings(["--host", "0.0.0.0", "--insecure", "true"])
    #expect(found.contains { $0.level == .warning && $0.text.contains("may do everything") })
    let idle = try await findings(["--insecure", "true"])
    #expect(idle.contains { $0.text.contains("it is not needed") })
  }

  @Test("the port for browsers is checked like the others")
  func webPort() async throws {
    let open = try await findings([
      "--web-host", "0.0.0.0", "--web-port", "0", "--insecure", "true",
    ])
    #expect(open.contains { $0.level == .warning && $0.text.contains("0.0.0.0:0") })
    #expect(!open.contains { $0.text.contains("it is not needed") })
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let taken = try await findings(["--web-port", "\(port)"])
    #expect(taken.contains { $0.text == "127.0.0.1:\(port): a program listens there" })
    try await listener.close()
    let same = try await findings(["--web-port", "\(port)"], adminPort: port)
    #expect(same.contains { $0.level == .error && $0.text.contains("--web-port and --admin-port") })
  }

  // MARK: - A running server

  private func examine(_ arguments: [String]) async throws -> [Finding] {
    let settings = try ConnectionOptions.parse(arguments).settings(["HOME": "/nowhere"])
    return await ServerExamination(settings).findings
  }

  @Test("a server without security is found to work")
  func running() async throws {
    let server = LayoutServer()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let found = try await examine(["--server", try await server.listeningAddress])
      #expect(!found.contains { $0.level == .error }, "\(found)")
      #expect(found.contains { $0.text.contains("answers calls") })
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
  }

  @Test("each of several servers is examined")
  func several() async throws {
    let server = LayoutServer()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let address = try await server.listeningAddress
      let found = try await examine(["--server", "127.0.0.1:1,\(address)"])
      let errors = found.filter { $0.level == .error }.map(\.text)
      #expect(errors.count == 1 && errors[0].hasPrefix("no connection to 127.0.0.1:1"), "\(errors)")
      #expect(found.contains { $0.text.hasPrefix("\(address): the server answers calls") })
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
  }

  @Test("a token that is missing is said once, and no call is made without it")
  func noToken() async throws {
    let server = LayoutServer()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let address = try await server.listeningAddress
      let found = try await examine([
        "--server", address, "--token-file", folder.path("none"),
      ])
      let errors = found.filter { $0.level == .error }.map(\.text)
      #expect(errors.count == 1 && errors[0].hasPrefix("--token-file: "), "\(errors)")
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
  }

  @Test("what is wrong with the credentials or the trust is told apart")
  func secured() async throws {
    let authority = try TestAuthority()
    let issued = try authority.issue([.dnsName("localhost")], for: .server, to: 30 * 86_400)
    let ca = try folder.write(try authority.pem, to: "ca.pem")
    let security = try await ServerSecurity(
      tls: TLSFiles(
        certificate: try folder.write(issued.pem, to: "server.pem"),
        key: try folder.write(issued.key, to: "server.key")
      ),
      trust: Trust(
        TrustConfiguration(
          policy: try folder.write(
            #"{"rules": [{"identities": ["token:a"], "role": "view", "collections": ["*"]}]}"#,
            to: "policy.json"
          ),
          tokens: try folder.write(tokenLine("a", "right"), to: "tokens")
        ),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    let server = LayoutServer(security: security)
    let (right, wrong) = (
      try folder.write("right", to: "right.token"), try folder.write("wrong", to: "wrong.token")
    )
    let other = try folder.write(try TestAuthority().pem, to: "other.pem")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let port = try await server.listeningAddress.split(separator: ":").last ?? ""
      let address = ["--server", "localhost:\(port)"]
      func errors(_ arguments: [String]) async throws -> [String] {
        try await examine(address + arguments).filter { $0.level == .error }.map(\.text)
      }
      let none = try await errors(["--tls-ca", ca, "--token-file", right])
      #expect(none.isEmpty, "\(none)")
      let unknown = try await errors(["--tls-ca", ca, "--token-file", wrong])
      #expect(unknown.contains { $0.hasPrefix("the credentials are not accepted") }, "\(unknown)")
      let untrusted = try await errors(["--tls-ca", other, "--token-file", right])
      #expect(untrusted.contains { $0.contains("certificate is not accepted") }, "\(untrusted)")
      let missing = try await errors(["--tls-ca", ca, "--token-file", folder.path("none")])
      #expect(missing.contains { $0.contains("token file") }, "\(missing)")
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
    let gone = try await examine(["--server", "127.0.0.1:1"])
    #expect(gone.contains { $0.level == .error && $0.text.contains("no connection to") })
  }
}
