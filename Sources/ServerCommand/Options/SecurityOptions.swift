// SPDX-License-Identifier: Apache-2.0

import LayoutService
import LayoutTrust
import Logging

/// The options for encryption, identities and rights. An empty text counts as not set.
struct SecurityOptions: Sendable {
  var certificate = ""
  var key = ""
  var clientAuthorities = ""
  var policy = ""
  var tokens = ""
  var keys = ""
  var issuer = ""
  var audience = ""
  var leeway = Duration.seconds(30)
  var failedChecksPerSecond = 20
  /// "true" or "false".
  var insecure = "false"

  static let texts:
    [(key: String, help: String, path: any WritableKeyPath<SecurityOptions, String> & Sendable)] = [
      (
        "tlsCertificate",
        "PEM file with the server's certificate and those that lead to its authority", \.certificate
      ),
      ("tlsKey", "PEM file with the private key of that certificate", \.key),
      (
        "tlsClientCa", "PEM file with authorities; clients then need a certificate of one of them",
        \.clientAuthorities
      ),
      (
        "authPolicy", "JSON file that says which identities may do what; needed with the following",
        \.policy
      ),
      ("authTokens", "file of tokens that are accepted, by their SHA-256 digests", \.tokens),
      (
        "authKeys", "JSON Web Key Set that verifies signed tokens (HS256, RS256, ES256, EdDSA)",
        \.keys
      ),
      ("authIssuer", "claim iss that signed tokens need", \.issuer),
      ("authAudience", "claim aud that signed tokens need", \.audience),
      ("insecure", "true = listen for other machines even without TLS and identities", \.insecure),
    ]

  /// Whether there are files that may change.
  var hasFiles: Bool { !certificate.isEmpty || needsIdentities }

  private var needsIdentities: Bool {
    !tokens.isEmpty || !keys.isEmpty || !clientAuthorities.isEmpty
  }

  /// Checks that the options are consistent with each other and with the address.
  ///
  /// - Throws: `UsageError` that names the missing option.
  func check(host: String) throws(UsageError) {
    guard ["true", "false"].contains(insecure) else {
      throw UsageError("--insecure: \"\(insecure)\" found; true and false are allowed")
    }
    guard certificate.isEmpty == key.isEmpty else {
      throw UsageError("--tls-certificate and --tls-key need each other")
    }
    if !clientAuthorities.isEmpty, certificate.isEmpty {
      throw UsageError("--tls-client-ca needs --tls-certificate and --tls-key")
    }
    if needsIdentities, policy.isEmpty {
      throw UsageError("--auth-policy is needed, which says what identities may do")
    }
    if !policy.isEmpty, !needsIdentities {
      throw UsageError("--auth-policy needs --auth-tokens, --auth-keys or --tls-client-ca")
    }
    if keys.isEmpty, !issuer.isEmpty || !audience.isEmpty {
      throw UsageError("--auth-issuer and --auth-audience need --auth-keys")
    }
    guard insecure == "false", !Self.isLoopback(host) else { return }
    guard certificate.isEmpty || !needsIdentities else { return }
    let missing =
      certificate.isEmpty
      ? needsIdentities ? "without TLS" : "without TLS and identities" : "without identities"
    throw UsageError(
      "listening on \(host) \(missing) would give other machines access that nobody checks; set "
        + "--tls-certificate, --tls-key, --auth-policy and one of --auth-tokens, --auth-keys and "
        + "--tls-client-ca, or allow it with --insecure true"
    )
  }

  /// Whether an address can be reached from this machine only.
  static func isLoopback(_ host: String) -> Bool { LoopbackAddress.contains(host) }

  /// Where identities and rights come from; nil = there are none.
  var trust: TrustConfiguration? {
    guard needsIdentities else { return nil }
    return TrustConfiguration(
      policy: policy,
      tokens: tokens.isEmpty ? nil : tokens,
      keys: keys.isEmpty ? nil : keys,
      rules: SignedTokenRules(
        issuer: issuer.isEmpty ? nil : issuer,
        audience: audience.isEmpty ? nil : audience,
        leeway: leeway
      ),
      clientAuthorities: clientAuthorities.isEmpty ? nil : clientAuthorities,
      failedChecksPerSecond: failedChecksPerSecond
    )
  }

  /// Reads the files.
  ///
  /// - Throws: `TrustError` that names the file at fault.
  func security(logger: Logger) async throws(TrustError) -> ServerSecurity {
    var trust: Trust?
    if let configuration = self.trust {
      trust = try await Trust(configuration, logger: logger)
    }
    let files = certificate.isEmpty ? nil : TLSFiles(certificate: certificate, key: key)
    guard files != nil || trust != nil else { return .none }
    return try ServerSecurity(tls: files, trust: trust, logger: logger)
  }
}
