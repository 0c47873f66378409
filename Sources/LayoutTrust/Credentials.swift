// SPDX-License-Identifier: Apache-2.0

public import X509

/// What a caller presents.
public struct Credentials: Hashable, Sendable {
  /// The values of the metadata `authorization`: "Bearer …".
  public var authorization: [String]
  /// The certificates of the connection, the caller's own first; empty = the caller has none. They
  /// need not be verified.
  public var certificates: [Certificate]

  /// Credentials.
  public init(authorization: [String] = [], certificates: [Certificate] = []) {
    self.authorization = authorization
    self.certificates = certificates
  }
}

/// Why credentials prove nothing. Callers learn no more than the description.
public enum AuthenticationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// There are none.
  case missing
  /// They are wrong, or not of a kind that is accepted.
  case invalid
  /// There is a token, and it is wrong. What is wrong with it is not in the description.
  case invalidToken(TokenFault)
  /// They have expired.
  case expired
  /// There is only a certificate, and it has no name that counts.
  case nameless
  /// They are of another identity than the stream was opened with.
  case otherIdentity
  /// Too many wrong ones came from the same address lately, so these were not checked. `limit` is
  /// the number of wrong ones that are checked in a second.
  case tooManyFailures(limit: Int, retryAfter: Duration)

  /// A sentence for the caller.
  public var description: String {
    switch self {
    case .missing: "Credentials are needed."
    case .invalid, .invalidToken: "The credentials are not valid."
    case .expired: "The credentials have expired."
    case .nameless:
      "The client certificate says nothing of who calls: it has no alternative name that is a URI or a DNS "
        + "name, and the common name does not count. A token is needed besides, or such a name."
    case .otherIdentity:
      "The credentials are of another identity than those that opened the stream."
    case .tooManyFailures(let limit, _):
      "This address has sent too many wrong credentials; \(limit) in a second are looked at."
    }
  }

  /// A sentence for the operator's log.
  var reason: String {
    if case .invalidToken(let fault) = self { fault.description } else { description }
  }
}
