// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrustTesting

@testable import LayoutTrust

@Suite("Quotas of identities", .timeLimit(.minutes(1)))
struct QuotaTests {
  private static let rules = #"""
    "rules": [
      {"identities": ["token:*", "subject:eve"], "role": "view", "collections": ["*"]},
      {"identities": ["token:root", "claim:groups=editors"], "role": "edit", "collections": ["a*"]}
    ]
    """#

  private func policy(_ quotas: String) throws(TrustError) -> Policy {
    try Policy(json: Data("{\(Self.rules), \"quotas\": \(quotas)}".utf8))
  }

  private func quotas(_ policy: Policy, _ identity: Identity) -> IdentityQuotas {
    policy.quotas(of: [identity], policy.rights(of: [identity]))
  }

  @Test("the first entry that has a quota and is about the caller counts")
  func order() throws {
    let policy = try policy(
      #"""
      [
        {"identities": ["token:root"], "sessions": 5},
        {"roles": ["view"], "sessions": 1, "callsPerSecond": 2},
        {"identities": ["anyone"], "sessions": 100, "contentBytes": 7, "layoutBytes": 0}
      ]
      """#
    )
    #expect(
      quotas(policy, Identity(.token(name: "root")))
        == IdentityQuotas(sessions: 5, contentBytes: 7, layoutBytes: 0)
    )
    #expect(
      quotas(policy, Identity(.token(name: "other")))
        == IdentityQuotas(sessions: 1, callsPerSecond: 2, contentBytes: 7, layoutBytes: 0)
    )
    // The highest role that the caller has anywhere; without one, none.
    let eve = Identity(.signedToken(subject: "eve"), claims: ["groups": ["editors"]])
    #expect(quotas(policy, eve).sessions == 100)
    #expect(quotas(policy, Identity(.signedToken(subject: "adam"))).sessions == 100)
    let both = try self.policy(
      #"[{"identities": ["token:*"], "roles": ["edit", "admin"], "sessions": 3}]"#
    )
    #expect(quotas(both, Identity(.token(name: "root"))).sessions == 3)
    #expect(quotas(both, Identity(.token(name: "other"))) == IdentityQuotas())
    #expect(quotas(both, eve) == IdentityQuotas())
  }

  @Test("quotas take every whole number that fits", arguments: [0, 1 << 53 + 1, Int.max])
  func wholeNumbers(number: Int) throws {
    let policy = try policy(#"[{"identities": ["anyone"], "contentBytes": \#(number)}]"#)
    #expect(quotas(policy, Identity(.token(name: "root"))).contentBytes == number)
  }

  @Test("quotas that a caller has not are those of the server")
  func completion() {
    let own = IdentityQuotas(sessions: 1, layoutBytes: 0)
    let others = IdentityQuotas(sessions: 9, callsPerSecond: 9, contentBytes: 9, layoutBytes: 9)
    #expect(
      own.completed(by: others)
        == IdentityQuotas(sessions: 1, callsPerSecond: 9, contentBytes: 9, layoutBytes: 0)
    )
  }

  @Test(
    "a quota that is wrong is named",
    arguments: [
      (#"[{"sessions": 1}]"#, "quotas[0]: identities or roles are needed"),
      (
        #"[{"roles": ["owner"]}]"#,
        "quotas[0].roles[0]: \"owner\" found; view, measure, edit, admin"
      ),
      (#"[{"identities": ["eve"]}]"#, "quotas[0].identities[0]: \"eve\" found"),
      (#"[{"roles": ["view"], "layoutBytes": -1}]"#, "quotas[0].layoutBytes: -1 found; 0 or more"),
      (#"[{"roles": ["view"], "sessionss": 1}]"#, "unknown key \"sessionss\""),
      (#"[{"roles": ["view"], "sessions": "many"}]"#, "quotas[0].sessions"),
      (#"{}"#, "quotas"),
    ]
  )
  func mistakes(quotas: String, message: String) {
    do throws(TrustError) {
      _ = try policy(quotas)
      Issue.record("\(quotas) was accepted")
    } catch { #expect(error.description.contains(message), "\(error)") }
  }

  @Test("a new policy brings its quotas to calls under way, and to owners who do not call")
  func changes() async throws {
    let fixture = try await TrustFixture()
    func write(_ sessions: Int) throws {
      let quotas =
        #""quotas": [{"identities": ["token:t", "subject:eve"], "sessions": \#(sessions)}]"#
      let rules = TrustFixture.policy("view").dropLast()
      try fixture.folder.write("\(rules), \(quotas)}", to: "policy")
    }
    let access = try await fixture.access(["Bearer secret"])
    #expect(access.quotas == IdentityQuotas())
    try write(4)
    await fixture.trust.check()
    #expect(access.quotas.sessions == 4)
    for owner in ["token:t", "subject:eve"] {
      #expect(fixture.trust.quotas(ofOwner: owner).sessions == 4)
    }
    for owner in ["token:u", "subject:t", "", "nobody", "other:t"] {
      #expect(fixture.trust.quotas(ofOwner: owner) == IdentityQuotas())
    }
  }
}
