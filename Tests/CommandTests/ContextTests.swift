// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LayoutClient
import Testing
import TrustTesting

@testable import layoutctl

@Suite("Contexts", .timeLimit(.minutes(1)))
struct ContextTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let file = """
    {
      "current": "local",
      "contexts": {
        "local": {"server": "127.0.0.1:1", "admin": "127.0.0.1:2"},
        "production": {
          "server": "layouts.example.org:50051", "tlsCa": "ca.pem", "tokenFile": "/secret/token",
          "tlsCertificate": "own.pem", "tlsKey": "own.key"
        },
        "vault": {"tls": true, "tokenCommand": ["printf", "from-command"]}
      }
    }
    """

  private func variables(_ more: [String: String] = [:]) throws -> [String: String] {
    let path = try folder.write(Self.file, to: "config.json")
    return more.merging(["LAYOUTCTL_CONFIG": path]) { first, _ in first }
  }

  private func settings(
    _ arguments: [String],
    _ more: [String: String] = [:]
  ) throws -> ConnectionSettings {
    try ConnectionOptions.parse(arguments).settings(variables(more))
  }

  @Test("the current context counts unless another is named")
  func chosen() throws {
    #expect(try settings([]).server.description == "127.0.0.1:1")
    #expect(try settings([]).admin.description == "127.0.0.1:2")
    #expect(try settings([]).context == "local")
    let named = try settings([], ["LAYOUTCTL_CONTEXT": "production"])
    #expect(named.server.description == "layouts.example.org:50051")
    let both = try settings(["--context", "vault"], ["LAYOUTCTL_CONTEXT": "production"])
    #expect(both.context == "vault")
    #expect(both.server == .standard)
    #expect(both.admin == ConnectionSettings.adminDefault)
  }

  @Test("several servers are a list, and the first of them is asked about itself")
  func servers() throws {
    let settings = try settings(["--server", "a:1,[::1]:2"])
    #expect(settings.servers.description == "a:1,[::1]:2")
    #expect(settings.server.description == "a:1")
    #expect(ServerList("a:1,") == nil)
    #expect(throws: (any Error).self) { try self.settings([], ["LAYOUTCTL_SERVER": "a:1,b"]) }
  }

  @Test("options of the connection may stand before the command")
  func before() {
    #expect(
      LayoutCtl.connectionLast(["--context", "a", "list", "-q"]) == [
        "list", "-q", "--context", "a",
      ]
    )
    #expect(
      LayoutCtl.connectionLast(["--context=a", "x", "--", "y"]) == ["x", "--context=a", "--", "y"]
    )
    #expect(
      LayoutCtl.connectionLast(["--server", "a:1", "--tls", "--token-file=t", "list"])
        == ["list", "--server", "a:1", "--tls", "--token-file=t"]
    )
    for arguments in [
      [], ["list"], ["list", "--context", "a"], ["--context", "a"], ["--version"],
    ] {
      #expect(LayoutCtl.connectionLast(arguments) == arguments)
    }
  }

  @Test("files are relative to the folder of the file")
  func paths() throws {
    let settings = try settings(["--context", "production"])
    guard case .tls(let authorities?) = settings.security.encryption else {
      Issue.record("no TLS")
      return
    }
    #expect(authorities == folder.path("ca.pem"))
    #expect(settings.security.certificate?.key == folder.path("own.key"))
    #expect(settings.security.tokens is TokenFile)
  }

  @Test("options count before variables, and these before the context")
  func precedence() throws {
    let arguments = ["--context", "production"]
    let variables = ["LAYOUTCTL_SERVER": "b:2", "LAYOUTCTL_TOKEN": "t", "LAYOUTCTL_ADMIN": "c:3"]
    let some = try settings(arguments, variables)
    #expect(some.server.description == "b:2")
    #expect(some.admin.description == "c:3")
    #expect(some.security.tokens is FixedToken)
    #expect(some.security.certificate != nil)
    let all = try settings(arguments + ["--server", "a:1", "--token-file", "f"], variables)
    #expect(all.server.description == "a:1")
    #expect(all.security.tokens is TokenFile)
  }

  @Test("what is secret about one server is not sent to another that is named without a context")
  func otherServer() throws {
    let file = Self.file.replacingOccurrences(
      of: "\"current\": \"local\"",
      with: "\"current\": \"production\""
    )
    let path = try folder.write(file, to: "other.json")
    let variables = ["LAYOUTCTL_CONFIG": path]
    #expect(try ConnectionOptions.parse([]).settings(variables).security.tokens != nil)
    let named = try ConnectionOptions.parse(["--server", "a:1"]).settings(variables)
    #expect(named.security.tokens == nil)
    #expect(named.security.certificate == nil)
    #expect(named.context == nil)
    let variable = try ConnectionOptions.parse([])
      .settings(variables.merging(["LAYOUTCTL_SERVER": "a:1"]) { $1 })
    #expect(variable.security.tokens == nil)
  }

  @Test(
    "faults name the file, the key and what is allowed",
    arguments: [
      ("{", "not JSON"), ("[]", "a list found; an object is allowed"),
      (#"{"context": {}}"#, "context: unknown; allowed are current, contexts"),
      (#"{"current": "x"}"#, "current: there is no context \"x\"; there are none"),
      (#"{"contexts": {"a b": {}}}"#, "\"a b\" found; 1 to 64 letters"),
      (#"{"contexts": {"a": 1}}"#, "contexts.a: null or a number found; an object is allowed"),
      (
        #"{"contexts": {"a": {"token": "s3cret"}}}"#,
        "contexts.a.token: unknown; allowed are server"
      ),
      (
        #"{"contexts": {"a": {"server": "x"}}}"#,
        "contexts.a.server: \"x\" found; HOST:PORT is allowed"
      ),
      (#"{"contexts": {"a": {"tls": "yes"}}}"#, "contexts.a.tls: a string found; true and false"),
      (#"{"contexts": {"a": {"tlsKey": "k"}}}"#, "tlsCertificate and tlsKey need each other"),
      (
        #"{"contexts": {"a": {"tlsKey": "k", "tlsCertificate": "c"}}}"#,
        "contexts.a.tlsCertificate: tlsCa, or tls with the value true, is needed"
      ),
      (
        #"{"contexts": {"a": {"tokenCommand": "x"}}}"#,
        "a string found; a list of strings is allowed"
      ),
      (
        #"{"contexts": {"a": {"tokenCommand": [1]}}}"#,
        "contexts.a.tokenCommand[0]: null or a number"
      ),
      (#"{"contexts": {"a": {"tokenCommand": []}}}"#, "a program is needed"),
      (
        #"{"contexts": {"a": {"tokenCommand": ["x"], "tokenFile": "y"}}}"#,
        "contexts.a.tokenCommand: found beside tokenFile"
      ),
    ]
  )
  func faults(json: String, message: String) throws {
    let fault = #expect(throws: CommandFault.self) {
      try ContextFile(path: "config.json", json: Data(json.utf8))
    }
    #expect(fault?.message.hasPrefix("config.json: ") == true)
    #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "")")
    #expect(fault?.message.contains("s3cret") == false)
    #expect(fault?.status == .usage)
  }

  @Test("a context that is not there is refused with those that are")
  func unknown() throws {
    let fault = #expect(throws: CommandFault.self) { try settings(["--context", "prod"]) }
    let expected = "--context: there is no context \"prod\"; there are local, production, vault in"
    #expect(fault?.message.hasPrefix(expected) == true, "\(fault?.message ?? "")")
    let without = #expect(throws: CommandFault.self) {
      try ConnectionOptions.parse([]).settings(["LAYOUTCTL_CONTEXT": "a", "HOME": "/nowhere"])
    }
    #expect(
      without?.message.hasPrefix("LAYOUTCTL_CONTEXT: there is no context \"a\"; there are none")
        == true
    )
  }

  @Test("without a file there are no contexts, and a file that is named has to be there")
  func noFile() throws {
    let settings = try ConnectionOptions.parse([]).settings(["HOME": "/nowhere"])
    #expect(settings.server == .standard)
    #expect(throws: CommandFault.self) {
      try ConnectionOptions.parse([]).settings(["LAYOUTCTL_CONFIG": "/nowhere/config.json"])
    }
    #expect(
      ContextFile.path(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x/layoutctl/config.json"
    )
    #expect(ContextFile.path(["HOME": "/h"]) == "/h/.config/layoutctl/config.json")
    #expect(ContextFile.path([:]) == nil)
  }

  @Test(
    "using a context changes which one is current, and neither the others nor the file's rights"
  )
  func use() throws {
    let variables = try variables()
    let path = try #require(ContextFile.path(variables))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    var file = try ContextFile.read(variables)
    try file.use("production")
    let again = try ContextFile.read(variables)
    #expect(again.current == "production")
    #expect(again.contexts == file.contexts)
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect((rights as? NSNumber)?.intValue == 0o600)
    #expect(throws: CommandFault.self) { try file.use("nothing") }
  }

  @Test("of files with secrets those are named that others may read")
  func exposed() throws {
    let open = try folder.write("t", to: "open.token")
    let closed = try folder.write("t", to: "closed.token")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: closed)
    #expect(try settings(["--token-file", open]).exposed == [open])
    #expect(try settings(["--token-file", closed]).exposed == [])
  }

  // MARK: - Token commands

  @Test("a program prints the token")
  func command() async throws {
    let settings = try settings(["--context", "vault"])
    let token = try await #require(settings.security.tokens).token()
    #expect(token.value == "from-command")
    #expect(token.expiry != nil)
  }

  @Test(
    "a program that gives no token is named with the reason",
    arguments: [
      (["false"], "failed with status 1"), (["no-such-program-anywhere"], "failed with status 127"),
      (["true"], "printed no token"), (["printf", "two words"], "printed no token"),
      (["sleep", "60"], "was ended: it took more than 0.2 s"),
      (["sh", "-c", "kill -9 $$"], "was ended by signal 9"),
    ]
  )
  func badCommand(command: [String], reason: String) async throws {
    // Only the one that does not end is waited for.
    let patience: Duration = command[0] == "sleep" ? .milliseconds(200) : .seconds(30)
    let provider = CommandToken(command, patience: patience)
    let fault = await #expect(throws: CommandFault.self) { try await provider.token() }
    #expect(fault?.message.hasPrefix("the token command \(command[0]) \(reason)") == true)
  }
}
