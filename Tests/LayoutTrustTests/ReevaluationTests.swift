// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrustTesting

@testable import LayoutTrust

/// What 10,000 streams cost when a file changes. Each has a token of its own.
@Suite("Re-evaluation", .timeLimit(.minutes(3)))
struct ReevaluationTests {
  private static let count = 10_000

  private func accesses(_ fixture: TrustFixture, count: Int = count) async throws -> [Access] {
    var accesses: [Access] = []
    for number in 0 ..< count {
      let token = try fixture.signer.token(
        subject: number.isMultiple(of: 2) ? "eve" : "adam",
        lasting: 600,
        from: fixture.time.now,
        #","jti":"\#(number)""#
      )
      accesses.append(try await fixture.access(["Bearer \(token)"]))
    }
    return accesses
  }

  @Test("neither a new policy nor a further key has a signature verified again")
  func signatures() async throws {
    let fixture = try await TrustFixture()
    let both = #""subject:eve", "subject:adam""#
    try fixture.folder.write(TrustFixture.policy("view", of: both), to: "policy")
    await fixture.trust.check()
    let accesses = try await accesses(fixture)
    #expect(accesses.allSatisfy { $0.hold(.view, on: "a") })
    #expect(fixture.trust.signatureCheckCount == Self.count)

    let keys = try TestSigner.keySet([fixture.signer, TestSigner("ES256", id: "next")])
    try fixture.folder.write(String(decoding: keys, as: UTF8.self), to: "keys")
    await fixture.trust.check()
    #expect(fixture.trust.signatureCheckCount == 0 && fixture.told.isEmpty)

    try fixture.folder.write(TrustFixture.policy("view", of: #""subject:eve""#), to: "policy")
    await fixture.trust.check()
    #expect(fixture.trust.signatureCheckCount == 0)
    #expect(fixture.told == Array(repeating: .forbidden, count: Self.count / 2))
    #expect(accesses.filter { $0.denial == nil }.allSatisfy { $0.owner == "subject:eve" })

    let next = try TestSigner.keySet([TestSigner("ES256", id: "next")])
    try fixture.folder.write(String(decoding: next, as: UTF8.self), to: "keys")
    await fixture.trust.check()
    #expect(fixture.trust.signatureCheckCount == 0)
    #expect(accesses.allSatisfy { $0.denial != nil } && fixture.told.count == Self.count)
  }

  @Test("calls with the same token cost one signature, however many they are")
  func groups() async throws {
    let fixture = try await TrustFixture()
    let token = try fixture.signed()
    var accesses: [Access] = []
    for _ in 0 ..< 1000 { accesses.append(try await fixture.access(["Bearer \(token)"])) }
    #expect(fixture.trust.signatureCheckCount == 1)
    // Another key of the same name: each token that names it is verified.
    let keys = try TestSigner.keySet([TestSigner("ES256")])
    try fixture.folder.write(String(decoding: keys, as: UTF8.self), to: "keys")
    await fixture.trust.check()
    #expect(fixture.trust.signatureCheckCount == 1 && fixture.told.count == 1000)
  }

  @Test("a caller who may go on does, whatever others of his address have sent")
  func neighbours() async throws {
    let fixture = try await TrustFixture(failedChecksPerSecond: 1)
    let held = try await fixture.access(["Bearer \(try fixture.signed())"])
    let other = try TestSigner("ES256")
    for number in 0 ..< 10 {
      let wrong = try other.token(subject: "\(number)", from: fixture.time.now)
      await #expect(throws: AuthenticationFailure.invalidToken(.signature)) {
        try await fixture.access(["Bearer \(wrong)"])
      }
    }
    let unknown = try fixture.signed("unknown")
    await #expect(
      throws: AuthenticationFailure.tooManyFailures(limit: 1, retryAfter: .seconds(1))
    ) { try await fixture.access(["Bearer \(unknown)"]) }
    await #expect(
      throws: AuthenticationFailure.tooManyFailures(limit: 1, retryAfter: .seconds(1))
    ) { try await held.renew(token: try fixture.signed(lasting: 90)) }
    _ = try await fixture.access(["Bearer \(unknown)"], from: "elsewhere")
    _ = try await fixture.access(["Bearer secret"])
    await fixture.trust.reload()
    #expect(held.denial == nil && fixture.told.isEmpty)
    fixture.time.pass(1)
    try await held.renew(token: try fixture.signed(lasting: 90))
  }
}
