// SPDX-License-Identifier: Apache-2.0

/// Why a token proves nothing. This is for the operator's log alone: a caller who guesses must not
/// learn how far a guess got.
public enum TokenFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is none of those that the operator listed, if any, and tokens with signatures are not
  /// accepted.
  case unlisted
  /// It is none of those that the operator listed, if any, and no JSON Web Token in compact form.
  case form
  /// It has more bytes than any token may have.
  case tooLong
  /// Its header cannot be read, or asks for an extension.
  case header
  /// No key has the `kid` and the algorithm that it names.
  case noKey
  /// The keys that it may be signed with do not verify it, or its claims cannot be read.
  case signature
  /// It has no `sub`.
  case noSubject
  /// It has no `exp`.
  case noExpiry
  /// Its `iss` is another one.
  case issuer
  /// Its `aud` does not contain the expected one.
  case audience
  /// Its `nbf` is still to come.
  case notYetValid

  /// A sentence for the log.
  public var description: String {
    switch self {
    case .unlisted: "The token is not one of --auth-tokens."
    case .form: "The token is neither one of --auth-tokens nor a JSON Web Token in compact form."
    case .tooLong: "The token has more than \(Trust.longestToken) bytes."
    case .header: "The token's header cannot be read, or asks for an extension with crit."
    case .noKey: "No key has the kid and the alg that the token's header names."
    case .signature:
      "The keys do not verify the token, or its claims cannot be read, such as its exp or nbf."
    case .noSubject: "The token has no sub."
    case .noExpiry: "The token has no exp."
    case .issuer: "The token's iss is not the expected issuer."
    case .audience: "The token's aud does not contain the expected audience."
    case .notYetValid: "The token's nbf is in the future."
    }
  }
}
