// SPDX-License-Identifier: Apache-2.0

internal import GRPCNIOTransportHTTP2Posix
public import LayoutTrust
public import Logging
internal import NIOCertificateReloading
internal import NIOCore
internal import NIOSSL
internal import SwiftASN1
internal import X509

/// How a server protects its data: encryption, authentication and rights.
public struct ServerSecurity: Sendable {
  /// No encryption and no identities: everybody who reaches the port may do everything. For
  /// loopback.
  public static let none = ServerSecurity()

  let trust: Trust?
  let transport: HTTP2ServerTransport.Posix.TransportSecurity
  /// The encryption of WebSockets; nil = they are not encrypted.
  let webSockets: WebSocketSecurity?
  private let reloading: CertificateReloading?

  private init() {
    trust = nil
    transport = .plaintext
    webSockets = nil
    reloading = nil
  }

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - tls: the server's certificate; nil = connections are not encrypted.
  ///   - trust: identities and rights; nil = everybody may do everything.
  ///   - logger: logs changes of the files.
  /// - Throws: `TrustError`, which names the file at fault.
  public init(tls: TLSFiles? = nil, trust: Trust? = nil, logger: Logger) throws(TrustError) {
    self.trust = trust
    guard let tls else {
      transport = .plaintext
      webSockets = nil
      reloading = nil
      return
    }
    let reloading = try CertificateReloading(tls, logger: logger)
    self.reloading = reloading
    do {
      transport = try .tls(certificateReloader: reloading.reloader) { configuration in
        configuration.requireALPN = true
        guard let trust, trust.acceptsCertificates else { return }
        configuration.clientCertificateVerification = .noHostnameVerification
        // The roots could not be replaced later, so the callback verifies instead.
        configuration.trustRoots = .certificates([])
        configuration.customVerificationCallback = { certificates, promise in
          promise.completeWithTask { await trust.verify(certificates) }
        }
      }
      webSockets = try WebSocketSecurity(reloading, trust: trust)
    } catch { throw TrustError("\(tls.certificate): \(error)") }
  }

  /// Whether there are files to watch.
  var needsWatching: Bool { trust != nil || reloading != nil }

  /// Reads all files now, and logs the results. A bad file leaves the last good version in force.
  /// Calls that may no longer go on have been told when this returns.
  public func reload() async {
    reloading?.check(isForced: true)
    await trust?.reload()
  }

  /// Watches files and expiry times until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      // A revocation must take effect within a second, however busy the server is.
      if let trust { group.addTask(priority: .high) { await trust.run() } }
      if let reloading { group.addTask { await reloading.run() } }
    }
  }
}

/// Encrypts WebSockets with the same certificate, and the same rules for clients.
struct WebSocketSecurity: Sendable {
  private let context: NIOSSLContext
  /// nil = clients need no certificates.
  private let trust: Trust?

  init(_ reloading: CertificateReloading, trust: Trust?) throws {
    var configuration = try TLSConfiguration.makeServerConfiguration(
      certificateReloader: reloading.reloader
    )
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    self.trust = trust?.acceptsCertificates == true ? trust : nil
    if self.trust != nil {
      configuration.certificateVerification = .noHostnameVerification
      configuration.trustRoots = .certificates([])
    }
    context = try NIOSSLContext(configuration: configuration)
  }

  /// Makes the handler of one connection.
  func handler() -> NIOSSLServerHandler {
    guard let trust else { return NIOSSLServerHandler(context: context) }
    return NIOSSLServerHandler(
      context: context,
      customVerificationCallbackWithMetadata: { certificates, promise in
        promise.completeWithTask { await trust.verify(certificates) }
      }
    )
  }
}

extension Trust {
  /// Verifies the certificates of a client that connects.
  fileprivate func verify(
    _ certificates: [NIOSSLCertificate]
  ) async -> NIOSSLVerificationResultWithMetadata {
    do {
      let parsed = try certificates.map { try Certificate(derEncoded: try $0.toDERBytes()) }
      guard let chain = await chain(parsed) else { return .failed }
      let verified = try chain.map {
        try NIOSSLCertificate(bytes: try $0.serializeAsPEM().derBytes, format: .der)
      }
      return .certificateVerified(VerificationMetadata(ValidatedCertificateChain(verified)))
    } catch { return .failed }
  }
}
