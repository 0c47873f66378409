// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import Testing

@testable import ServerCommand
@testable import layoutctl

@Suite("Options about security", .timeLimit(.minutes(1)))
struct SecurityOptionTests {
  private static let tls = ["--tls-certificate", "c", "--tls-key", "k"]
  private static let tokens = ["--auth-policy", "p", "--auth-tokens", "t"]

  private func refusal(_ arguments: [String]) -> String? {
    do {
      _ = try ServerOptions.read(arguments: arguments, environment: [:])
      return nil
    } catch { return "\(error)" }
  }

  @Test(
    "on loopback, with all protection, or where it is allowed, a server listens",
    arguments: [
      [], ["--host", "127.0.0.2"], ["--host", "::1"], tls, tokens, tls + tokens,
      tls + ["--tls-client-ca", "a", "--auth-policy", "p"],
      ["--host", "0.0.0.0", "--insecure", "true"], ["--host", "0.0.0.0"] + tls + tokens,
    ]
  )
  func allowed(arguments: [String]) {
    #expect(refusal(arguments) == nil)
  }

  @Test(
    "without protection a server does not listen for other machines, and says how to allow it",
    arguments: [
      (["--host", "0.0.0.0"], "without TLS and identities"),
      (["--host", "::"], "without TLS and identities"),
      (["--host", "10.0.0.1"] + tls, "without identities"),
      (["--host", "10.0.0.1"] + tokens, "without TLS"),
    ]
  )
  func refused(arguments: [String], missing: String) throws {
    let found = try #require(refusal(arguments))
    #expect(found.hasPrefix("listening on \(arguments[1]) \(missing) would give"))
    #expect(found.contains("--insecure true"))
  }

  @Test(
    "options that miss others are refused",
    arguments: [
      (["--tls-key", "k"], "--tls-certificate and --tls-key need each other"),
      (["--tls-client-ca", "a", "--auth-policy", "p"], "--tls-client-ca needs --tls-certificate"),
      (["--auth-tokens", "t"], "--auth-policy is needed"),
      (["--auth-policy", "p"], "--auth-policy needs --auth-tokens"),
      (tokens + ["--auth-issuer", "i"], "--auth-issuer and --auth-audience need --auth-keys"),
      (["--insecure", "yes"], "--insecure: \"yes\" found; true and false are allowed"),
    ]
  )
  func missing(arguments: [String], message: String) throws {
    let found = try #require(refusal(arguments))
    #expect(found.hasPrefix(message))
  }

  @Test(
    "a file for TLS that cannot be read is named with what names it",
    arguments: [
      (["--tls-ca", "/nowhere/ca"], [:], "--tls-ca: /nowhere/ca: "),
      (
        ["--tls", "--tls-certificate", "/dev/null", "--tls-key", "/nowhere/key"], [:],
        "--tls-key: /nowhere/key: "
      ),
      ([], ["LAYOUTCTL_TLS_CA": "/nowhere/ca"], "LAYOUTCTL_TLS_CA: /nowhere/ca: "),
    ]
  )
  func files(arguments: [String], variables: [String: String], message: String) throws {
    let settings = try ConnectionOptions.parse(arguments).settings(variables)
    let fault = #expect(throws: CommandFault.self) { try settings.checkFiles() }
    #expect(fault?.message.hasPrefix(message) == true)
    #expect(fault?.status == .usage)
  }

  @Test("a file that is not in PEM form is named")
  func noCertificates() async throws {
    let options = try ConnectionOptions.parse(["--tls-ca", "/dev/null", "--server", "127.0.0.1:1"])
    let fault = await #expect(throws: CommandFault.self) { try await options.connect { _ in } }
    #expect(fault?.message.contains("--tls-ca /dev/null") == true)
  }

  @Test("layoutctl takes security from options, then from variables")
  func client() throws {
    var options = try ConnectionOptions.parse([])
    #expect(try options.settings([:]).security.tokens == nil)
    let variables = ["LAYOUTCTL_TLS_CA": "ca", "LAYOUTCTL_TOKEN": "t"]
    let security = try options.settings(variables).security
    guard case .tls(let authorities) = security.encryption else {
      Issue.record("no TLS")
      return
    }
    #expect(authorities == "ca" && security.tokens is FixedToken)
    options = try ConnectionOptions.parse([
      "--tls", "--tls-certificate", "c", "--tls-key", "k", "--token-file", "f",
    ])
    let given = try options.settings(["LAYOUTCTL_TOKEN": "t"]).security
    #expect(given.tokens is TokenFile && given.certificate == .init(certificate: "c", key: "k"))
    let incomplete = try ConnectionOptions.parse(["--tls-certificate", "c"])
    #expect(throws: (any Error).self) { try incomplete.settings([:]) }
    #expect(throws: (any Error).self) { try incomplete.settings(["LAYOUTCTL_TLS_KEY": "k"]) }
  }
}
