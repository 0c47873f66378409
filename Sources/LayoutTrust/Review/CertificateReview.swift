// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import SwiftASN1
internal import X509

/// Checks a server's certificate before the server uses it.
public struct CertificateReview: Sendable {
  /// A PEM file with the certificate, then the chain to its authority.
  public var certificate: String
  /// A PEM file with its private key.
  public var key: String
  /// The address that the server listens on.
  public var host: String
  /// The moment that dates are compared with.
  public var now: Date

  /// A certificate that expires within this time causes a warning.
  private static let notice: TimeInterval = 14 * 86_400

  /// A review of two files.
  public init(certificate: String, key: String, host: String, now: Date = Date()) {
    self.certificate = certificate
    self.key = key
    self.host = host
    self.now = now
  }

  /// The findings about a certificate that a server presents.
  ///
  /// - Parameter certificate: in DER form.
  /// - Parameter host: the name by which the client calls the server.
  public static func findings(
    ofRemote certificate: [UInt8],
    host: String,
    now: Date = Date()
  ) -> [Finding] {
    guard let leaf = try? Certificate(derEncoded: certificate) else {
      return [.error("the server's certificate cannot be read", "issue another one")]
    }
    let review = Self(certificate: "the server's certificate", key: "", host: host, now: now)
    let chain = Chain(leaf: leaf, all: [leaf])
    return [review.date(of: chain), review.names(of: chain), review.usage(of: chain)]
      .compactMap { $0 }
  }

  /// What was found.
  public var findings: [Finding] {
    do throws(TrustError) {
      let chain = try readChain()
      return [
        date(of: chain), names(of: chain), usage(of: chain), order(of: chain), fit(of: chain),
      ]
      .compactMap { $0 } + FileReview.privacy(of: key, what: "the key")
    } catch { return [.error(error.description, "--tls-certificate needs a PEM file")] }
  }

  /// Why no client will accept the certificate, whatever the name by which it calls the server;
  /// empty = nothing speaks against it, or the file cannot be read.
  public var refusedByClients: [Finding] {
    guard let chain = try? readChain() else { return [] }
    return [date(of: chain), usage(of: chain)].compactMap { $0 }.filter { $0.level == .error }
  }

  private func readChain() throws(TrustError) -> Chain {
    let text = try FileReview.text(of: certificate)
    let all: [Certificate]
    do { all = try CertificateFile.certificates(pem: text) } catch {
      throw TrustError("\(certificate): the certificate cannot be read: \(error)")
    }
    guard let leaf = all.first else {
      throw TrustError("\(certificate): there is no certificate in it")
    }
    return Chain(leaf: leaf, all: all)
  }

  private struct Chain {
    var leaf: Certificate
    var all: [Certificate]
  }

  // MARK: - What is looked at

  private func date(of chain: Chain) -> Finding {
    // The chain is valid as long as each of its certificates.
    let begin = chain.all.map(\.notValidBefore).max() ?? chain.leaf.notValidBefore
    let end = chain.all.map(\.notValidAfter).min() ?? chain.leaf.notValidAfter
    if now < begin {
      return .error(
        "\(certificate): not valid before \(begin.text)",
        "check the clock of this machine, or wait"
      )
    }
    if now > end { return .error("\(certificate): ended on \(end.text)", "renew it") }
    if now.addingTimeInterval(Self.notice) > end {
      return .warning("\(certificate): ends on \(end.text)", "renew it")
    }
    return .ok("\(certificate): valid until \(end.text)")
  }

  private func names(of chain: Chain) -> Finding {
    let names = (try? chain.leaf.extensions.subjectAlternativeNames).map { Array($0) } ?? []
    let hosts = names.compactMap { name -> String? in
      if case .dnsName(let host) = name { host } else { nil }
    }
    let addresses = names.compactMap { name -> [UInt8]? in
      if case .ipAddress(let address) = name { Array(address.bytes) } else { nil }
    }
    guard !hosts.isEmpty || !addresses.isEmpty else {
      return .error(
        "\(certificate): no alternative name is a host",
        "issue one with subjectAltName; clients do not look at the common name"
      )
    }
    let list = (hosts + addresses.map { IPAddress.text(of: $0) }).joined(separator: ", ")
    let isNamed: Bool
    if let own = IPAddress.bytes(of: host) {
      // A server that listens on all addresses may be called by any of them.
      isNamed = addresses.contains(own) || own.allSatisfy { $0 == 0 }
    } else {
      isNamed = hosts.contains { Self.matches($0, host) }
    }
    guard isNamed else {
      return .warning(
        "\(certificate): for \(list), not for \(host)",
        "clients have to call the server by one of these names"
      )
    }
    return .ok("\(certificate): for \(list)")
  }

  /// Whether a name of a certificate, whose first part may be "*", matches a host.
  private static func matches(_ name: String, _ host: String) -> Bool {
    let (name, host) = (name.lowercased(), host.lowercased())
    guard name.hasPrefix("*."), let dot = host.firstIndex(of: ".") else { return name == host }
    return name.dropFirst() == host[dot...]
  }

  private func usage(of chain: Chain) -> Finding? {
    if let usage = try? chain.leaf.extensions.keyUsage, !usage.digitalSignature {
      return .error(
        "\(certificate): the certificate is not for signatures",
        "issue one with keyUsage digitalSignature"
      )
    }
    guard let usage = try? chain.leaf.extensions.extendedKeyUsage, !usage.contains(.serverAuth),
      !usage.contains(.any)
    else { return nil }
    return .error(
      "\(certificate): the certificate is not for servers",
      "issue one with extendedKeyUsage serverAuth"
    )
  }

  private func order(of chain: Chain) -> Finding? {
    let isOrdered = zip(chain.all, chain.all.dropFirst()).allSatisfy { $0.issuer == $1.subject }
    guard !isOrdered else { return nil }
    return .warning(
      "\(certificate): a certificate is not followed by that of its issuer",
      "put the server's first, then those that lead to its authority"
    )
  }

  private func fit(of chain: Chain) -> Finding {
    let text: String
    do throws(TrustError) { text = try FileReview.text(of: key) } catch {
      return .error(error.description, "--tls-key needs the private key in PEM form")
    }
    guard let found = try? Certificate.PrivateKey(pemEncoded: text) else {
      return .error(
        "\(key): the key cannot be read",
        "an unencrypted private key in PEM form is needed"
      )
    }
    guard found.publicKey == chain.leaf.publicKey else {
      return .error("\(key): not the key of \(certificate)", "use the pair that belongs together")
    }
    return .ok("\(key): the key of \(certificate)")
  }
}

extension Date {
  /// "2027-01-31".
  var text: String { String(formatted(.iso8601).prefix(10)) }
}
