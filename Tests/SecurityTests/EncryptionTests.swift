// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import Testing
import TrustTesting
import X509

@Suite("Encryption", .timeLimit(.minutes(2)))
struct EncryptionTests {
  private static let viewer = GeneralName.uniformResourceIdentifier("spiffe://x.org/view")

  /// Whether a caller may ask for the server's limits.
  private func isLetIn(_ client: SecuredClient, token: String? = nil) async -> RPCError.Code? {
    await problem {
      _ = try await client.queries.getServerInfo(.init(), metadata: .bearer(token))
    }?.code
  }

  @Test("calls go over TLS, and not to a server of another authority")
  func tls() async throws {
    try await SecuredServer.with { server in
      try await server.connect { client in
        #expect(await isLetIn(client, token: "view-token") == nil)
      }
      let stranger = try TestAuthority()
      try await server.connect(authority: stranger) { client in
        #expect(await isLetIn(client, token: "view-token") == .unavailable)
      }
    }
  }

  @Test("a certificate of the client is needed where authorities are given, and is an identity")
  func mTLS() async throws {
    try await SecuredServer.with(.init(needsCertificates: true)) { server in
      try await server.connect { client in
        #expect(await isLetIn(client, token: "view-token") == .unavailable)
      }
      let stranger = try TestAuthority().issue([Self.viewer])
      try await server.connect(certificate: stranger) { client in
        #expect(await isLetIn(client, token: "view-token") == .unavailable)
      }
      let known = try server.authority.issue([Self.viewer])
      try await server.connect(certificate: known) { client in
        #expect(await isLetIn(client) == nil)
        // Wrong credentials beside right ones are still wrong.
        #expect(await isLetIn(client, token: "wrong") == .unauthenticated)
        #expect(await isLetIn(client, token: "edit-token") == nil)
      }
      let unknown = try server.authority.issue([.dnsName("unknown.x.org")])
      try await server.connect(certificate: unknown) { client in
        #expect(await isLetIn(client) == .permissionDenied)
      }
    }
  }

  @Test("a new certificate is taken, a bad one is not, and open connections notice neither")
  func certificateRotation() async throws {
    try await SecuredServer.with { server in
      try await server.connect { client in
        #expect(await isLetIn(client, token: "view-token") == nil)
        try server.folder.write("bad", to: "certificate")
        await server.log.wait(for: "the certificate or its key is bad; the former ones stay in use")
        try await server.connect { client in
          #expect(await isLetIn(client, token: "view-token") == nil)
        }
        let authority = try TestAuthority("other")
        let leaf = try authority.issue([.dnsName("localhost")], for: .server)
        try server.folder.write(leaf.key, to: "key")
        try server.folder.write(leaf.pem, to: "certificate")
        await server.log.wait(for: "reloaded a file")
        try await server.connect(authority: authority) { client in
          #expect(await isLetIn(client, token: "view-token") == nil)
        }
        #expect(await isLetIn(client, token: "view-token") == nil)
      }
    }
  }

  @Test("other authorities for clients hold for new connections and for those that are open")
  func authorityRotation() async throws {
    try await SecuredServer.with(.init(needsCertificates: true)) { server in
      let old = try server.authority.issue([Self.viewer])
      let authority = try TestAuthority("other")
      let new = try authority.issue([Self.viewer])
      try await server.connect(certificate: old) { client in
        #expect(await isLetIn(client) == nil)
        let both = try server.authority.pem + "\n" + authority.pem
        try server.folder.write(both, to: "authorities")
        await server.log.wait(for: "reloaded a file")
        try await server.connect(certificate: new) { client in
          #expect(await isLetIn(client) == nil)
        }
        #expect(await isLetIn(client) == nil)
        try server.folder.write(try authority.pem, to: "authorities")
        while await isLetIn(client) == nil {}
        #expect(await isLetIn(client) == .unauthenticated)
        try await server.connect(certificate: old) { client in
          #expect(await isLetIn(client) == .unavailable)
        }
      }
    }
  }
}
