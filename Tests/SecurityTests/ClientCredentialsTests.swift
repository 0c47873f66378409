// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import Synchronization
import Testing
import TrustTesting
import X509

/// Signs short tokens, and tells how many.
private final class ShortTokens: TokenProvider {
  private let signer: TestSigner
  private let count = Mutex(0)
  private let continuation: AsyncStream<Int>.Continuation
  let counts: AsyncStream<Int>

  init(_ signer: TestSigner) {
    self.signer = signer
    (counts, continuation) = AsyncStream.makeStream()
  }

  func token() async throws -> AccessToken {
    let number = count.withLock { count in
      count += 1
      return count
    }
    defer { continuation.yield(number) }
    return AccessToken(try signer.token(subject: "view", lasting: 8))
  }
}

@Suite("Clients with credentials", .timeLimit(.minutes(2)))
struct ClientCredentialsTests {
  @Test("a viewer asks for tokens before they end, and its stream outlives them")
  func viewer() async throws {
    try await SecuredServer.with { server in
      try await server.connect { try await $0.create("own") }
      let tokens = ShortTokens(server.signer)
      let security = ClientSecurity(
        encryption: .tls(authorities: try server.folder.write(try server.authority.pem, to: "ca")),
        tokens: tokens
      )
      let address = ServerAddress(host: "localhost", port: server.port)
      try await LayoutClient.connect(to: address, security: security) { client in
        let configuration = ViewerConfiguration(
          source: .collection("collections/own"),
          viewport: ViewportChange(size: Size(width: 100, height: 100))
        )
        try await client.view(configuration) { viewer in
          let session = await viewer.session
          // The third one is asked for after the first one has ended.
          for await count in tokens.counts where count == 3 { break }
          await viewer.scroll(to: Point(x: 0, y: 500))
          while await viewer.mirror.coverage.minY < 200 {
            guard try await viewer.next() != nil else {
              Issue.record("the stream ended")
              return
            }
          }
          #expect(await viewer.session == session)
        }
      }
    }
  }

  @Test("a client certificate of files is sent")
  func certificate() async throws {
    try await SecuredServer.with(.init(needsCertificates: true)) { server in
      let issued = try server.authority.issue([
        .uniformResourceIdentifier("spiffe://x.org/admin")
      ])
      let security = ClientSecurity(
        encryption: .tls(authorities: try server.folder.write(try server.authority.pem, to: "ca")),
        certificate: .init(
          certificate: try server.folder.write(issued.pem, to: "client"),
          key: try server.folder.write(issued.key, to: "client-key")
        )
      )
      let address = ServerAddress(host: "localhost", port: server.port)
      try await LayoutClient.connect(to: address, security: security) { client in
        let collection = try await client.createCollection("own")
        #expect(collection.name == "collections/own")
      }
    }
  }

  @Test("a token file is read again, and one that is missing is named")
  func tokenFile() throws {
    let folder = try TemporaryFolder()
    let file = TokenFile(path: try folder.write(" a \n", to: "token"))
    #expect(try file.token() == AccessToken("a"))
    try folder.write("b", to: "token")
    #expect(try file.token().value == "b")
    try folder.remove("token")
    do {
      _ = try file.token()
      Issue.record("there was a token")
    } catch { #expect("\(error)" == "the token file \(folder.path("token")) cannot be read") }
  }

  @Test("the end of a signed token is known, and of others it is not")
  func expiry() throws {
    let signer = try TestSigner("HS256")
    let end = Date(timeIntervalSince1970: 1_800_000_060)
    #expect(AccessToken(try signer.token(#"{"exp":1800000060}"#)).expiry == end)
    for token in ["", "a.b.c", try signer.token("{}"), try signer.token(#"{"exp":"x"}"#)] {
      #expect(AccessToken(token).expiry == nil)
    }
  }
}
