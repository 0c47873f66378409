// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import LayoutTrust
import Synchronization
import Testing
import TrustTesting
import X509

/// Signs tokens each of which ends a minute later than the one before by the server's time, and
/// says that they end at once.
private final class ShortTokens: TokenProvider {
  static let minute = 60.0

  private let signer: TestSigner
  private let begin: Date
  private let count = Mutex(0)
  private let continuation: AsyncStream<Int>.Continuation
  let counts: AsyncStream<Int>

  init(_ signer: TestSigner, from begin: Date) {
    self.signer = signer
    self.begin = begin
    (counts, continuation) = AsyncStream.makeStream()
  }

  /// How often it was asked.
  var asked: Int { count.withLock { $0 } }

  func token() async throws -> AccessToken {
    let number = count.withLock { count in
      count += 1
      return count
    }
    defer { continuation.yield(number) }
    let lasting = Double(number) * Self.minute
    return AccessToken(
      try signer.token(subject: "view", lasting: lasting, from: begin),
      expiry: Date()
    )
  }
}

@Suite("Clients with credentials", .timeLimit(.minutes(2)))
struct ClientCredentialsTests {
  @Test("a viewer asks for tokens before they end, and its stream outlives them")
  func viewer() async throws {
    let time = TestTime(Date())
    try await SecuredServer.with(.init(now: { time.now })) { server in
      try await server.connect { try await $0.create("own") }
      let tokens = ShortTokens(server.signer, from: time.now)
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
          let opened = tokens.asked
          // From here on, only the stream asks for tokens. It has sent two, which the server reads
          // before the scroll; one of them may be refused for being too soon.
          for await count in tokens.counts where count == opened + 3 { break }
          try await Self.scroll(viewer, to: 200)
          // All that the stream was opened with have ended.
          time.pass((Double(opened) + 0.5) * ShortTokens.minute)
          await server.trust.check()
          try await Self.scroll(viewer, to: 500)
          #expect(await viewer.session == session)
        }
      }
    }
  }

  private static func scroll(_ viewer: LayoutViewer, to offset: Double) async throws {
    await viewer.scroll(to: Point(x: 0, y: offset))
    while await viewer.mirror.coverage.minY < offset - 100 {
      let event = try #require(try await viewer.next(), "the stream ended")
      if case .reconnected = event { Issue.record("the stream broke, and was resumed") }
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
    try folder.write("", to: "token")
    do {
      _ = try file.token()
      Issue.record("there was a token")
    } catch { #expect("\(error)" == "the token file \(folder.path("token")) is empty") }
    do {
      _ = try TokenFile(path: "/dev/zero").token()
      Issue.record("there was a token")
    } catch { #expect("\(error)" == "the token file /dev/zero has more than 65536 bytes") }
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
