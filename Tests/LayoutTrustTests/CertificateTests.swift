// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import SwiftASN1
import Testing
import TrustTesting
import X509

@testable import LayoutTrust

@Suite("Client certificates", .timeLimit(.minutes(1)))
struct CertificateTests {
  private let uri = GeneralName.uniformResourceIdentifier("spiffe://x.org/viewer")

  private func verdict(
    _ certificates: [Certificate],
    of authority: TestAuthority,
    at now: Date = Date()
  ) async throws -> Result<Identity, AuthenticationFailure> {
    let accepted = try ClientCertificates(pem: try authority.pem)
    do throws(AuthenticationFailure) {
      return .success(try await accepted.identity(of: certificates, at: now))
    } catch { return .failure(error) }
  }

  @Test("a certificate of the authority is known by its alternative names")
  func names() async throws {
    let authority = try TestAuthority()
    let issued = try authority.issue([.dnsName("v.x.org"), uri, .rfc822Name("v@x.org")])
    let identity = try await verdict([issued.certificate], of: authority).get()
    #expect(identity.source == .certificate(names: ["spiffe://x.org/viewer", "v.x.org"]))
    #expect(identity.key == "certificate:spiffe://x.org/viewer")
    #expect(identity.expiry == issued.certificate.notValidAfter)
  }

  @Test(
    "a certificate that is not for clients, is of others or out of time is refused"
  )
  func refused() async throws {
    let authority = try TestAuthority()
    let stranger = try TestAuthority()
    _ = try await verdict([try authority.issue([uri], for: .unstated).certificate], of: authority)
      .get()
    for issued in [
      try authority.issue([uri], for: .server), try stranger.issue([uri]),
      try authority.issue([uri], from: 600, to: 1200),
    ] {
      #expect(try await verdict([issued.certificate], of: authority) == .failure(.invalid))
    }
    let old = try authority.issue([uri], from: -7200, to: -3600)
    #expect(try await verdict([old.certificate], of: authority) == .failure(.expired))
    #expect(try await verdict([], of: authority) == .failure(.invalid))
  }

  @Test("a file without the certificate of any authority is refused, since nobody could connect")
  func noAuthority() throws {
    let authority = try TestAuthority()
    let leaf = try authority.issue([uri]).certificate
    let pem = try leaf.serializeAsPEM().pemString
    let error = #expect(throws: TrustError.self) { try ClientCertificates(pem: pem) }
    #expect(error?.description.contains("CA:TRUE") == true)
    _ = try ClientCertificates(pem: try pem + "\n" + authority.pem)
  }

  @Test("an authority whose certificate is of version 1 is one, though it cannot say so")
  func firstVersion() async throws {
    let authority = try TestAuthority(version: .v1)
    let leaf = try authority.issue([uri]).certificate
    _ = try await verdict([leaf], of: authority).get()
  }

  @Test("at most six certificates are looked at, of which no two have a name or a key in common")
  func manyCertificates() async throws {
    let authority = try TestAuthority()
    let own = try authority.issue([uri]).certificate
    let others = try (1 ... 6).map { try TestAuthority("authority \($0)").certificate }
    _ = try await verdict([own] + others.prefix(5), of: authority).get()
    #expect(try await verdict([own] + others, of: authority) == .failure(.invalid))
    let namesake = try TestAuthority("authority 1").certificate
    #expect(try await verdict([own, others[0], namesake], of: authority) == .failure(.invalid))
    #expect(try await verdict([own, others[0], others[0]], of: authority) == .failure(.invalid))
  }

  @Test("a certificate that was found good is not good after its end")
  func remembered() async throws {
    let authority = try TestAuthority()
    let issued = try authority.issue([uri])
    let accepted = try ClientCertificates(pem: try authority.pem)
    _ = try await accepted.identity(of: [issued.certificate], at: Date())
    await #expect(throws: AuthenticationFailure.expired) {
      try await accepted.identity(of: [issued.certificate], at: Date(timeIntervalSinceNow: 3700))
    }
  }

  @Test("a file without certificates is refused")
  func badFiles() throws {
    for pem in ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
      #expect(throws: TrustError.self) { try ClientCertificates(pem: pem) }
    }
  }

  /// A trust that accepts certificates of an authority and the token "secret" of "t".
  private func trust(
    _ authority: TestAuthority,
    now: @escaping @Sendable () -> Date
  ) async throws
    -> (Trust, TemporaryFolder)
  {
    let folder = try TemporaryFolder()
    let policy =
      #"{"rules": [{"identities": ["anyone"], "role": "view", "collections": ["*"]}]}"#
    let trust = try await Trust(
      TrustConfiguration(
        policy: try folder.write(policy, to: "policy"),
        tokens: try folder.write(tokenLine("t", "secret"), to: "tokens"),
        clientAuthorities: try folder.write(try authority.pem, to: "authorities")
      ),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      now: now
    )
    return (trust, folder)
  }

  @Test(
    "a certificate without a name that counts is nobody's: a token beside it counts, and ends with it"
  )
  func nameless() async throws {
    let authority = try TestAuthority()
    let time = TestTime(Date())
    let (trust, folder) = try await trust(authority) { time.now }
    defer { withExtendedLifetime(folder) {} }
    for names in [[], [GeneralName.rfc822Name("v@x.org")]] {
      let issued = try authority.issue(names)
      func access(_ authorization: [String]) async throws(AuthenticationFailure) -> Access {
        try await trust.access(
          for: Credentials(authorization: authorization, certificates: [issued.certificate]),
          method: "m",
          peer: "p:1",
          address: "p"
        )
      }
      await #expect(throws: AuthenticationFailure.nameless) { try await access([]) }
      await #expect(throws: AuthenticationFailure.invalidToken(.unlisted)) {
        try await access(["Bearer x"])
      }
      let access = try await access(["Bearer secret"])
      #expect(access.owner == "token:t" && access.identity == "token:t")
      #expect(access.allows(.view, on: "a"))
    }
    #expect(AuthenticationFailure.nameless.description.contains("URI or a DNS name"))
    let issued = try authority.issue([])
    let credentials = Credentials(
      authorization: ["Bearer secret"],
      certificates: [issued.certificate]
    )
    let lasting = try await trust.access(for: credentials, method: "m", peer: "p:1", address: "p")
    time.pass(3700)
    await trust.check()
    #expect(lasting.denial == .unauthenticated(.expired))
  }

  @Test("a certificate that was found good makes no connection after its end")
  func handshakes() async throws {
    let authority = try TestAuthority()
    let time = TestTime(Date())
    let (trust, folder) = try await trust(authority) { time.now }
    defer { withExtendedLifetime(folder) {} }
    let issued = try authority.issue([uri])
    #expect(await trust.chain([issued.certificate]) != nil)
    time.pass(3500)
    #expect(await trust.chain([issued.certificate]) != nil)
    time.pass(200)
    #expect(await trust.chain([issued.certificate]) == nil)
  }
}
