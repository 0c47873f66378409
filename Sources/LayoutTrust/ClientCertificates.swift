// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization
public import X509

/// The authorities whose client certificates are accepted, as their file was read at one moment.
public final class ClientCertificates: Sendable {
  /// The most certificates that a client may send: its own and four others. They are tried in every
  /// order in which they could sign each other.
  private static let longestChain = 5
  /// How many certificates are remembered as verified.
  private static let remembered = 16_384

  private let roots: [Certificate]
  private let known = Mutex<[Certificate: [Certificate]]>([:])

  /// Reads certificates of authorities.
  ///
  /// - Parameters:
  ///   - pem: one or several certificates.
  ///   - former: what they replace. Chains that lead to authorities of both are not verified again.
  /// - Throws: `TrustError`
  public init(pem: String, after former: ClientCertificates? = nil) throws(TrustError) {
    do {
      roots = try CertificateFile.certificates(pem: pem)
    } catch { throw TrustError("a certificate in PEM form is needed") }
    guard !roots.isEmpty else { throw TrustError("there is no certificate in it") }
    guard roots.contains(where: Self.isAuthority) else {
      throw TrustError(
        "no certificate in it is one of an authority; basicConstraints CA:TRUE is needed"
      )
    }
    guard let former else { return }
    let authorities = Set(roots)
    let chains = former.known.withLock { $0 }
    known.withLock { known in
      known = chains.filter { $0.value.last.map(authorities.contains) ?? false }
    }
  }

  /// Verifies what a client sent.
  ///
  /// - Parameter certificates: the client's own first, then others that lead to an authority.
  /// - Returns: the chain from the client's certificate to the authority; nil = it is not accepted.
  public func chain(_ certificates: [Certificate]) async -> [Certificate]? {
    await chain(certificates, most: Self.longestChain)
  }

  private func chain(_ certificates: [Certificate], most: Int) async -> [Certificate]? {
    guard let leaf = certificates.first, certificates.count <= most,
      Self.isForClients(leaf), Self.areDistinct(certificates)
    else { return nil }
    if let chain = known.withLock({ $0[leaf] }) { return chain }
    var verifier = Verifier(rootCertificates: CertificateStore(roots)) { RFC5280Policy() }
    let result = await verifier.validate(
      leaf: leaf,
      intermediates: CertificateStore(certificates.dropFirst())
    )
    guard case .validCertificate(let chain) = result else { return nil }
    let certificates = Array(chain)
    known.withLock { known in
      if known.count >= Self.remembered { known.removeAll() }
      known[leaf] = certificates
    }
    return certificates
  }

  /// Whether a certificate may be that of an authority. Those of version 1 cannot say what they
  /// are.
  private static func isAuthority(_ certificate: Certificate) -> Bool {
    if certificate.version == .v1 { return true }
    guard case .isCertificateAuthority = try? certificate.extensions.basicConstraints else {
      return false
    }
    return true
  }

  /// Whether a certificate is for clients, or does not say what it is for.
  private static func isForClients(_ leaf: Certificate) -> Bool {
    do {
      guard let usage = try leaf.extensions.extendedKeyUsage else { return true }
      return usage.contains(.clientAuth) || usage.contains(.any)
    } catch { return false }
  }

  /// Whether no two have the same name or the same key: a chain needs no such pairs, and they
  /// multiply the signatures to verify.
  private static func areDistinct(_ certificates: [Certificate]) -> Bool {
    Set(certificates.map(\.subject)).count == certificates.count
      && Set(certificates.map(\.publicKey)).count == certificates.count
  }

  /// Whether a chain that was accepted has not expired since.
  static func holds(_ chain: [Certificate], at now: Date) -> Bool {
    chain.allSatisfy { now < $0.notValidAfter }
  }

  /// The identity of a chain. Without an alternative name it identifies nobody: only rules for
  /// anyone apply to it.
  ///
  /// - Throws: `.expired`, `.invalid`
  func identity(
    of certificates: [Certificate],
    at now: Date
  ) async throws(AuthenticationFailure) -> Identity {
    // A verified connection has the chain with its authority.
    guard let chain = await chain(certificates, most: Self.longestChain + 1),
      let leaf = chain.first
    else {
      guard let end = certificates.first?.notValidAfter, now > end else { throw .invalid }
      throw .expired
    }
    // The chain is valid as long as each of its certificates.
    let expiry = chain.map(\.notValidAfter).min() ?? leaf.notValidAfter
    guard now < expiry else { throw .expired }
    return Identity(.certificate(names: Self.names(of: leaf)), expiry: expiry)
  }

  /// The alternative names of a certificate: URIs, then DNS names.
  private static func names(of leaf: Certificate) -> [String] {
    guard let names = try? leaf.extensions.subjectAlternativeNames else { return [] }
    let uris = names.compactMap { name -> String? in
      if case .uniformResourceIdentifier(let uri) = name { uri } else { nil }
    }
    let hosts = names.compactMap { name -> String? in
      if case .dnsName(let host) = name { host } else { nil }
    }
    return uris + hosts
  }
}
