// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Who a caller is, as one kind of credentials proves it.
public struct Identity: Hashable, Sendable {
  /// What proves it.
  public enum Source: Hashable, Sendable {
    /// A token of the token file.
    case token(name: String)
    /// A signed token, by its claim `sub`.
    case signedToken(subject: String)
    /// A client certificate, by its alternative names: URIs and DNS names.
    case certificate(names: [String])
  }

  /// What proves it.
  public var source: Source
  /// The claims of a signed token that are texts, numbers, booleans, or lists of these.
  public var claims: [String: [String]]
  /// When it expires; nil = its file decides.
  public var expiry: Date?

  /// An identity.
  public init(_ source: Source, claims: [String: [String]] = [:], expiry: Date? = nil) {
    self.source = source
    self.claims = claims
    self.expiry = expiry
  }

  /// Whether it names anybody: a certificate without an alternative name does not.
  var isSomebody: Bool { if case .certificate(let names) = source { !names.isEmpty } else { true } }

  /// Tells this identity from all others: "certificate:spiffe://example.org/viewer".
  public var key: String {
    switch source {
    case .token(let name): "token:\(name)"
    case .signedToken(let subject): "subject:\(subject)"
    case .certificate(let names): "certificate:\(names.first ?? "")"
    }
  }
}

/// Everything that callers proved about themselves.
struct Principal: Hashable, Sendable {
  /// At least one. A token comes before a certificate, which may be that of a program for many
  /// users.
  var identities: [Identity]

  /// The identity that owns the caller's sessions.
  var owner: String { identities.first?.key ?? "" }

  /// For the log: all identities, without characters that would confuse a log.
  var description: String {
    identities.filter(\.isSomebody).map { LogText.clean($0.key) }.joined(separator: "+")
  }

  /// When the first of them expires.
  var expiry: Date? { identities.compactMap(\.expiry).min() }
}

/// Texts from outside in log lines.
enum LogText {
  /// Printable ASCII without spaces and quotes, at most 120 characters.
  static func clean(_ text: String) -> String {
    String(
      text.unicodeScalars.prefix(120).map { scalar in
        ("!" ... "~").contains(scalar) && scalar != "\"" ? Character(scalar) : "?"
      }
    )
  }
}
