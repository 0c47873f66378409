// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutTrust
import SwiftASN1
import Testing
import TrustTesting
import X509

@Suite("Reviews", .timeLimit(.minutes(1)))
struct ReviewTests {
  private let folder: TemporaryFolder
  private let authority: TestAuthority

  init() throws {
    folder = try TemporaryFolder()
    authority = try TestAuthority()
  }

  private func write(_ text: String, _ name: String) throws -> String {
    let path = try folder.write(text, to: name)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }

  private func findings(
    _ issued: TestCertificate,
    key: String? = nil,
    host: String = "0.0.0.0"
  ) throws -> [Finding] {
    CertificateReview(
      certificate: try write(issued.pem, "server.pem"),
      key: try write(key ?? issued.key, "server.key"),
      host: host
    ).findings
  }

  private static let names: [GeneralName] = [.dnsName("layouts.example.org")]
  private static let month: TimeInterval = 30 * 86_400

  @Test("a good pair has no warnings")
  func good() throws {
    let issued = try authority.issue(Self.names, for: .server, to: Self.month)
    let found = try findings(issued)
    #expect(found.allSatisfy { $0.level == .ok }, "\(found)")
    #expect(found.contains { $0.text.contains("for layouts.example.org") })
  }

  @Test("what clients would refuse is an error")
  func errors() throws {
    func errors(_ found: [Finding]) -> [String] {
      found.filter { $0.level == .error }.map(\.description)
    }
    let ended = try authority.issue(Self.names, for: .server, to: -60)
    #expect(errors(try findings(ended)).contains { $0.contains("ended on") })
    let early = try authority.issue(Self.names, for: .server, from: 60, to: Self.month)
    #expect(errors(try findings(early)).contains { $0.contains("not valid before") })
    let nameless = try authority.issue([], for: .server, to: Self.month)
    #expect(errors(try findings(nameless)).contains { $0.contains("no alternative name") })
    let client = try authority.issue(Self.names, for: .client, to: Self.month)
    #expect(errors(try findings(client)).contains { $0.contains("not for servers") })
    let good = try authority.issue(Self.names, for: .server, to: Self.month)
    #expect(errors(try findings(good, key: ended.key)).contains { $0.contains("not the key of") })
    #expect(errors(try findings(good, key: "no key")).contains { $0.contains("cannot be read") })
    let missing = CertificateReview(certificate: "/nowhere/c", key: "/nowhere/k", host: "::")
    #expect(errors(missing.findings).contains { $0.contains("there is no such file") })
  }

  @Test("what works but soon will not, or not for all, is a warning")
  func warnings() throws {
    let soon = try authority.issue(Self.names, for: .server, to: 86_400)
    #expect(try findings(soon).contains { $0.level == .warning && $0.text.contains("ends on") })
    let good = try authority.issue(Self.names, for: .server, to: Self.month)
    let other = try findings(good, host: "10.0.0.1")
    #expect(other.contains { $0.level == .warning && $0.text.contains("not for 10.0.0.1") })
    let path = try write(good.key, "server.key")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let open = CertificateReview(certificate: folder.path("server.pem"), key: path, host: "::")
    #expect(open.findings.contains { $0.remedy.hasPrefix("chmod 600") })
  }

  @Test("a remote certificate has to be for the name by which its server is called")
  func remote() throws {
    let issued = try authority.issue([.dnsName("*.example.org")], for: .server, to: Self.month)
    let der = try issued.certificate.serializeAsPEM().derBytes
    func level(_ host: String) -> [Finding.Level] {
      CertificateReview.findings(ofRemote: der, host: host).map(\.level)
    }
    #expect(level("a.example.org").allSatisfy { $0 == .ok })
    #expect(level("A.EXAMPLE.org").allSatisfy { $0 == .ok })
    for host in ["a.b.example.org", "example.org", "127.0.0.1", "a.example.com"] {
      #expect(level(host).contains(.warning), "\(host)")
    }
  }

  // MARK: - Identities and rights

  private func review(
    policy: String,
    tokens: String? = nil,
    keys: String? = nil
  ) async throws -> [String] {
    let configuration = TrustConfiguration(
      policy: try write(policy, "policy.json"),
      tokens: try tokens.map { try write($0, "tokens") },
      keys: try keys.map { try write($0, "keys.json") }
    )
    let prefix = folder.path("")
    return await TrustReview(configuration).findings.map {
      $0.description.replacingOccurrences(of: prefix, with: "").replacingOccurrences(
        of: "/",
        with: ""
      )
    }
  }

  @Test("says what the policy gives to whom")
  func grants() async throws {
    let found = try await review(
      policy:
        #"{"rules": [{"identities": ["token:a*"], "role": "edit", "collections": ["art-*", "b"]}]}"#,
      tokens: tokenLine("anna", "1")
    )
    #expect(found.contains("ok       policy.json: token:a* may edit art-*, b"))
    #expect(found.contains("ok       tokens: 1 tokens"))
    #expect(found.allSatisfy { $0.hasPrefix("ok") }, "\(found)")
  }

  @Test("tokens without rights, rules for nobody and tokens that ended are warnings")
  func idle() async throws {
    let found = try await review(
      policy: #"""
        {"rules": [
          {"identities": ["token:bert", "subject:eve", "certificate:x"], "role": "view", "collections": ["*"]}
        ]}
        """#,
      tokens: tokenLine("anna", "1") + tokenLine("old", "2", until: "2001-01-01T00:00:00Z")
    )
    for text in [
      "the token anna may do nothing", "token:bert is nobody: no token has that name",
      "subject:eve is nobody: there is no --auth-keys",
      "certificate:x is nobody: there is no --tls-client-ca", "ended: old",
    ] {
      #expect(found.contains { $0.hasPrefix("warning") && $0.contains(text) }, "\(text)")
    }
  }

  @Test("files that cannot be used are errors that say where")
  func bad() async throws {
    let found = try await review(
      policy: #"{"rules": [{"identities": ["anyone"], "role": "god", "collections": ["*"]}]}"#,
      tokens: "anna 1234\n",
      keys: #"{"keys": [{"kty": "oct", "k": "c2hvcnQ"}]}"#
    )
    let errors = found.filter { $0.hasPrefix("error") }
    #expect(
      errors.contains { $0.contains("rules[0].role: \"god\" found; view, measure, edit, admin") }
    )
    #expect(errors.contains { $0.contains("tokens: line 1: a name, the SHA-256 digest") })
    #expect(errors.contains { $0.contains("keys[0]: k: the key has 5 bytes") })
    #expect(errors.count == 3)
  }
}
