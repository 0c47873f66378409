// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutProtocol
import LayoutService
import LayoutTrust
import SwiftProtobuf
import Testing
import TrustTesting
import X509

/// A server with identities on loopback, and the files that it trusts.
final class SecuredServer: Sendable {
  typealias Transport = HTTP2ClientTransport.Posix

  let folder: TemporaryFolder
  let authority: TestAuthority
  let signer: TestSigner
  let log: WatchedLog
  let trust: Trust
  let server: LayoutServer
  let port: Int
  private let isEncrypted: Bool

  /// How a server is protected.
  struct Options: Sendable {
    var isEncrypted = true
    var needsCertificates = false
    var policy = SecuredServer.policy
    var identity = IdentityQuotas()
    /// By which tokens end.
    var now: @Sendable () -> Date = { Date() }
  }

  /// Roles on collections that begin with "own": each subject and token is named after its role.
  static let policy = policy(#""view", "edit", "admin""#)

  /// The same for some of the roles.
  static func policy(_ roles: String) -> String {
    let rules = roles.split(separator: ",").map { part in
      let role = part.filter(\.isLetter)
      return """
        {"identities": ["subject:\(role)", "token:\(role)", "certificate:spiffe://x.org/\(role)"], \
        "role": "\(role)", "collections": ["own*"]}
        """
    }
    return """
      {"rules": [\(rules.joined(separator: ",")),
        {"identities": ["token:root"], "role": "admin", "collections": ["*"]}]}
      """
  }

  private init(
    _ folder: TemporaryFolder,
    _ authority: TestAuthority,
    _ signer: TestSigner,
    _ log: WatchedLog,
    _ trust: Trust,
    _ server: LayoutServer,
    port: Int,
    isEncrypted: Bool
  ) {
    self.folder = folder
    self.authority = authority
    self.signer = signer
    self.log = log
    self.trust = trust
    self.server = server
    self.port = port
    self.isEncrypted = isEncrypted
  }

  /// Runs a server for the duration of `body`.
  static func with(
    _ options: Options = .init(),
    _ body: @Sendable @escaping (SecuredServer) async throws -> Void
  ) async throws {
    let (folder, authority, signer) = (
      try TemporaryFolder(), try TestAuthority(), try TestSigner("ES256")
    )
    let log = WatchedLog()
    let logger = log.logger
    let tokens = ["view", "measure", "edit", "admin", "none", "root"].map {
      tokenLine($0, "\($0)-token")
    }
    let keys = String(decoding: try TestSigner.keySet([signer]), as: UTF8.self)
    let trust = try await Trust(
      TrustConfiguration(
        policy: try folder.write(options.policy, to: "policy"),
        tokens: try folder.write(tokens.joined(), to: "tokens"),
        keys: try folder.write(keys, to: "keys"),
        rules: SignedTokenRules(leeway: .zero),
        clientAuthorities: options.needsCertificates
          ? try folder.write(try authority.pem, to: "authorities") : nil,
        interval: .milliseconds(20)
      ),
      logger: logger,
      now: options.now
    )
    let leaf = try authority.issue([.dnsName("localhost")], for: .server)
    let files = TLSFiles(
      certificate: try folder.write(leaf.pem, to: "certificate"),
      key: try folder.write(leaf.key, to: "key"),
      interval: .milliseconds(20)
    )
    var configuration = ServiceConfiguration()
    configuration.timing.open = .seconds(60)
    configuration.identity = options.identity
    let server = LayoutServer(
      configuration: configuration,
      security: try ServerSecurity(
        tls: options.isEncrypted ? files : nil,
        trust: trust,
        logger: logger
      ),
      logger: logger
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      let address = try await server.listeningAddress
      let port = Int(address.split(separator: ":").last ?? "") ?? 0
      let secured = SecuredServer(
        folder,
        authority,
        signer,
        log,
        trust,
        server,
        port: port,
        isEncrypted: options.isEncrypted
      )
      try await body(secured)
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
  }

  /// A connection, for the duration of `body`.
  ///
  /// - Parameters:
  ///   - certificate: the client's; nil = none.
  ///   - authority: of the server, as the client believes; nil = the right one.
  func connect<Result: Sendable>(
    certificate: TestCertificate? = nil,
    authority: TestAuthority? = nil,
    _ body: @Sendable @escaping (SecuredClient) async throws -> Result
  ) async throws -> Result {
    let roots: TLSConfig.TrustRootsSource = .certificates([
      .bytes(Array(try (authority ?? self.authority).pem.utf8), format: .pem)
    ])
    let security: HTTP2ClientTransport.Posix.TransportSecurity
    if !isEncrypted {
      security = .plaintext
    } else if let certificate {
      security = .mTLS(
        certificateChain: [.bytes(Array(certificate.pem.utf8), format: .pem)],
        privateKey: .bytes(Array(certificate.key.utf8), format: .pem)
      ) { $0.trustRoots = roots }
    } else {
      security = .tls { $0.trustRoots = roots }
    }
    let transport = try HTTP2ClientTransport.Posix(
      target: .dns(host: "localhost", port: port),
      transportSecurity: security
    )
    return try await withGRPCClient(transport: transport) { grpc in
      try await body(SecuredClient(grpc: grpc))
    }
  }
}

/// A connection to a server with identities.
struct SecuredClient: Sendable {
  let grpc: GRPCClient<SecuredServer.Transport>

  var collections: CollectionLayout_V1_CollectionService.Client<SecuredServer.Transport> {
    .init(wrapping: grpc)
  }
  var queries: CollectionLayout_V1_LayoutQueryService.Client<SecuredServer.Transport> {
    .init(wrapping: grpc)
  }
  var sessions: CollectionLayout_V1_LayoutSessionService.Client<SecuredServer.Transport> {
    .init(wrapping: grpc)
  }

  /// Creates a collection with the rights of all.
  func create(_ id: String) async throws {
    _ = try await collections.createCollection(
      .with {
        $0.collectionID = id
        $0.collection.defaultLayout.list.rowHeight = 10
        $0.contents.sections = [.with { $0.blocks = [.with { $0.count = 100 }] }]
      },
      metadata: .bearer("root-token")
    )
  }
}

extension Metadata {
  /// The credentials of a token; none for nil.
  static func bearer(_ token: String?) -> Metadata {
    token.map { ["authorization": "Bearer \($0)"] } ?? [:]
  }
}

/// The problem that a call fails with.
func problem(of call: () async throws -> Void) async -> LayoutProblem? {
  do {
    try await call()
    return nil
  } catch let error as RPCError {
    return LayoutProblem(error)
  } catch {
    Issue.record("the call failed with \(error)")
    return nil
  }
}
