// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
import Synchronization
import Testing
import TrustTesting

@testable import LayoutTrust

/// A trust whose files and clock a test changes.
final class TrustFixture: Sendable {
  let folder: TemporaryFolder
  let signer: TestSigner
  let time: TestTime
  let log = InMemoryLogHandler()
  let trust: Trust
  private let denials = Mutex<[AccessDenial]>([])

  init(failedChecksPerSecond: Int = 20) async throws {
    let (folder, signer, time) = (try TemporaryFolder(), try TestSigner("ES256"), TestTime())
    (self.folder, self.signer, self.time) = (folder, signer, time)
    let keys = String(decoding: try TestSigner.keySet([signer]), as: UTF8.self)
    let log = log
    var logger = Logger(label: "test") { _ in log }
    logger.logLevel = .debug
    trust = try await Trust(
      TrustConfiguration(
        policy: try folder.write(Self.policy("view"), to: "policy"),
        tokens: try folder.write(tokenLine("t", "secret"), to: "tokens"),
        keys: try folder.write(keys, to: "keys"),
        rules: SignedTokenRules(leeway: .zero),
        failedChecksPerSecond: failedChecksPerSecond
      ),
      logger: logger,
      now: { time.now }
    )
  }

  static func policy(_ role: String, of identities: String = #""subject:eve", "token:t""#) -> String
  {
    #"{"rules": [{"identities": [\#(identities)], "role": "\#(role)", "collections": ["a*"]}]}"#
  }

  func access(
    _ authorization: [String],
    from address: String = "p"
  ) async throws(AuthenticationFailure) -> Access {
    let access = try await trust.access(
      for: Credentials(authorization: authorization),
      method: "m",
      peer: "\(address):1",
      address: address
    )
    access.onDenial { [weak self] denial in self?.denials.withLock { $0.append(denial) } }
    return access
  }

  func signed(_ subject: String = "eve", lasting: TimeInterval = 60) throws -> String {
    try signer.token(subject: subject, lasting: lasting, from: time.now)
  }

  var told: [AccessDenial] { denials.withLock { $0 } }
  var lines: [String] { log.entries.map { "\($0.level) \($0.message)" } }
}

@Suite("Trust", .timeLimit(.minutes(1)))
struct TrustTests {
  @Test("a caller is known by a token, whichever kind it is of")
  func tokens() async throws {
    let fixture = try await TrustFixture()
    let access = try await fixture.access(["Bearer secret"])
    #expect(access.owner == "token:t" && access.hasRights)
    #expect(access.allows(.view, on: "a1") && !access.allows(.edit, on: "a1"))
    #expect(!access.allows(.view, on: "b"))
    #expect(try await fixture.access(["bearer \(try fixture.signed())"]).owner == "subject:eve")
    #expect(try await !fixture.access(["Bearer \(try fixture.signed("adam"))"]).hasRights)
  }

  @Test("who shows nothing, or nothing of use, is not let in")
  func unauthenticated() async throws {
    let fixture = try await TrustFixture()
    await #expect(throws: AuthenticationFailure.missing) { try await fixture.access([]) }
    for values in [
      ["secret"], ["Bearer"], ["Bearer "], ["Basic secret"], ["Bearer secret", "Bearer secret"],
    ] {
      await #expect(throws: AuthenticationFailure.invalid) { try await fixture.access(values) }
    }
    await #expect(throws: AuthenticationFailure.invalidToken(.form)) {
      try await fixture.access(["Bearer wrong"])
    }
    // The caller does not learn what is wrong with a token, and the operator does.
    #expect(
      AuthenticationFailure.invalidToken(.form).description
        == AuthenticationFailure.invalid.description
    )
    #expect("\(fixture.log.entries)".contains(TokenFault.form.description))
    #expect(fixture.lines.contains("notice audit: not authenticated"))
    #expect(!"\(fixture.log.entries)".contains("wrong"))
  }

  @Test("the end of a token ends a call that lasts, unless it was renewed before")
  func expiry() async throws {
    let fixture = try await TrustFixture()
    let access = try await fixture.access(["Bearer \(try fixture.signed())"])
    let renewed = try await fixture.access(["Bearer \(try fixture.signed())"])
    fixture.time.pass(50)
    try await renewed.renew(token: try fixture.signed())
    await fixture.trust.check()
    #expect(fixture.told.isEmpty && access.hasRights)
    fixture.time.pass(10)
    await fixture.trust.check()
    #expect(fixture.told == [.unauthenticated(.expired)])
    #expect(access.denial == .unauthenticated(.expired) && !access.allows(.view, on: "a"))
    #expect(renewed.denial == nil && renewed.allows(.view, on: "a"))
    fixture.time.pass(50)
    await fixture.trust.check()
    #expect(renewed.denial == .unauthenticated(.expired))
  }

  @Test("a stream is not renewed with bad credentials, or with those of others")
  func renewal() async throws {
    let fixture = try await TrustFixture()
    let access = try await fixture.access(["Bearer \(try fixture.signed())"])
    let stranger = try fixture.signed("adam")
    await #expect(throws: AuthenticationFailure.otherIdentity) {
      try await access.renew(token: stranger)
    }
    await #expect(throws: AuthenticationFailure.otherIdentity) {
      try await access.renew(token: "secret")
    }
    await #expect(throws: AuthenticationFailure.invalidToken(.form)) {
      try await access.renew(token: "x")
    }
    #expect(access.denial == nil && access.allows(.view, on: "a"))
  }

  @Test("a new policy takes effect in calls under way")
  func policy() async throws {
    let fixture = try await TrustFixture()
    let (held, other) = (
      try await fixture.access(["Bearer secret"]), try await fixture.access(["Bearer secret"])
    )
    #expect(held.hold(.view, on: "a") && !held.hold(.edit, on: "a"))
    try fixture.folder.write(TrustFixture.policy("edit"), to: "policy")
    await fixture.trust.check()
    #expect(fixture.told.isEmpty && held.hold(.edit, on: "a"))
    try fixture.folder.write(TrustFixture.policy("view"), to: "policy")
    await fixture.trust.check()
    // Only what the call needed counts.
    #expect(fixture.told == [.forbidden])
    #expect(held.denial == .forbidden && other.denial == nil)
    try fixture.folder.write(TrustFixture.policy("view", of: #""subject:eve""#), to: "policy")
    await fixture.trust.check()
    #expect(other.denial == .forbidden)
    #expect(try await !fixture.access(["Bearer secret"]).hasRights)
  }

  @Test("a token or key that is taken back ends calls under way")
  func revocation() async throws {
    let fixture = try await TrustFixture()
    let (token, signed) = (
      try await fixture.access(["Bearer secret"]),
      try await fixture.access(["Bearer \(try fixture.signed())"])
    )
    try fixture.folder.write(tokenLine("u", "other"), to: "tokens")
    await fixture.trust.check()
    #expect(token.denial == .unauthenticated(.invalidToken(.form)) && signed.denial == nil)
    let keys = try TestSigner.keySet([TestSigner("ES256")])
    try fixture.folder.write(String(decoding: keys, as: UTF8.self), to: "keys")
    await fixture.trust.check()
    #expect(signed.denial == .unauthenticated(.invalidToken(.signature)))
  }

  @Test("a bad file leaves in force what was read before, and is logged once")
  func badFile() async throws {
    let fixture = try await TrustFixture()
    let access = try await fixture.access(["Bearer secret"])
    try fixture.folder.write("{", to: "policy")
    for _ in 0 ..< 3 { await fixture.trust.check() }
    try fixture.folder.remove("tokens")
    for _ in 0 ..< 3 { await fixture.trust.check() }
    #expect(access.denial == nil && access.allows(.view, on: "a"))
    #expect(try await fixture.access(["Bearer secret"]).allows(.view, on: "a"))
    #expect(fixture.lines.filter { $0.hasPrefix("error ") }.count == 2)
    try fixture.folder.write(TrustFixture.policy("admin"), to: "policy")
    await fixture.trust.check()
    #expect(access.allows(.admin, on: "a"))
  }

  @Test("a reload reads files that have not changed, and logs what became of each")
  func reload() async throws {
    let fixture = try await TrustFixture()
    await fixture.trust.reload()
    #expect(fixture.lines == Array(repeating: "info reloaded a file", count: 3))
    try fixture.folder.write("{", to: "policy")
    for _ in 0 ..< 2 { await fixture.trust.reload() }
    // A fault is said each time.
    #expect(fixture.lines.count == 9)
    #expect(fixture.lines.filter { $0.hasPrefix("error a file is bad") }.count == 2)
  }

  @Test("a file that is too large for what it should be is not read")
  func largeFile() async throws {
    let fixture = try await TrustFixture()
    let (large, path) = (fixture.folder.path("large"), fixture.folder.path("policy"))
    try fixture.folder.write("", to: "large")
    let file = try #require(FileHandle(forWritingAtPath: large))
    // Nothing of it is on the disk.
    try file.truncate(atOffset: 1 << 40)
    try file.close()
    try fixture.folder.remove("policy")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: large)
    await fixture.trust.check()
    #expect(fixture.lines == ["error a file is bad; what was read before stays in force"])
    #expect(try await fixture.access(["Bearer secret"]).allows(.view, on: "a"))
  }

  @Test("what was found out by older files does not count")
  func generations() async throws {
    let fixture = try await TrustFixture()
    let credentials = Credentials(authorization: ["Bearer secret"])
    let before = try await fixture.trust.evaluate(credentials, from: nil)
    let generation = fixture.trust.generation
    try fixture.folder.write(TrustFixture.policy("admin"), to: "policy")
    await fixture.trust.check()
    let access = try await fixture.access(["Bearer secret"])
    access.takeOver(.success(before), of: credentials, generation: generation)
    #expect(access.allows(.admin, on: "a"))
    access.takeOver(.failure(.invalid), of: credentials, generation: generation)
    #expect(access.denial == nil)
    let now = fixture.trust.generation
    access.takeOver(.success(before), of: credentials, generation: now)
    #expect(access.allows(.view, on: "a") && !access.allows(.admin, on: "a"))
  }

  @Test("the first reading has to succeed")
  func firstReading() async throws {
    let folder = try TemporaryFolder()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    do throws(TrustError) {
      _ = try await Trust(TrustConfiguration(policy: folder.path("policy")), logger: logger)
      Issue.record("a missing file was accepted")
    } catch { #expect(error.description == "\(folder.path("policy")): there is no such file") }
  }

  @Test("calls that have ended leave nothing behind")
  func ended() async throws {
    let fixture = try await TrustFixture()
    do {
      let access = try await fixture.access(["Bearer secret"])
      #expect(fixture.trust.callCount == 1)
      withExtendedLifetime(access) {}
    }
    #expect(fixture.trust.callCount == 0)
  }

  @Test("the audit names who did what to which collection, and nothing else")
  func audit() async throws {
    let fixture = try await TrustFixture()
    let access = try await fixture.access(["Bearer \(try fixture.signed("e v\\n\\\"e"))"])
    access.audit(.edit, on: "a", version: 7)
    access.auditRefusal(.admin, on: "b\u{1b}[2J")
    let entry = try #require(fixture.log.entries.first { $0.message == "audit" })
    #expect(
      entry.metadata == [
        "identity": "subject:e?v??e", "call": "m", "collection": "a", "version": "7",
      ]
    )
    let refusal = try #require(fixture.log.entries.last)
    #expect(refusal.metadata["collection"] == "b?[2J" && refusal.metadata["needed"] == "admin")
  }

  @Test("nobody fills the log by being refused")
  func floods() async throws {
    let fixture = try await TrustFixture()
    for _ in 0 ..< 1000 { _ = try? await fixture.access(["Bearer wrong"]) }
    #expect(fixture.log.entries.count <= 200)
  }
}
