// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A token, and until when it holds.
public struct AccessToken: Hashable, Sendable {
  /// Without "Bearer ".
  public var value: String
  /// nil = not known; the provider is asked again for the next call.
  public var expiry: Date?

  /// A token.
  ///
  /// - Parameter expiry: nil = as the token itself says, if it is a signed one (JWT).
  public init(_ value: String, expiry: Date? = nil) {
    self.value = value
    self.expiry = expiry ?? Self.expiry(of: value)
  }

  /// The claim `exp` of a signed token; nil = there is none. It is not verified.
  private static func expiry(of token: String) -> Date? {
    struct Claims: Decodable { var exp: Double }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var base64 = parts[1].replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base64),
      let claims = try? JSONDecoder().decode(Claims.self, from: data), claims.exp.isFinite
    else { return nil }
    return Date(timeIntervalSince1970: claims.exp)
  }
}

/// Where a client gets its tokens from. It is asked again before a token ends.
public protocol TokenProvider: Sendable {
  /// A token that holds.
  func token() async throws -> AccessToken
}

/// The same token always.
public struct FixedToken: TokenProvider {
  private let value: AccessToken

  /// A provider of one token.
  public init(_ value: String) { self.value = AccessToken(value) }

  /// The token.
  public func token() -> AccessToken { value }
}

/// The token in a file, which is read each time that it is asked for: something else renews it.
public struct TokenFile: TokenProvider {
  private let path: String

  /// A provider that reads a file with nothing but the token in it.
  public init(path: String) { self.path = path }

  /// The token that is in the file now.
  ///
  /// - Throws: an error that names the file, if it cannot be read or is empty.
  public func token() throws -> AccessToken {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw TokenFileFault(path: path, reason: "cannot be read")
    }
    let text = String(decoding: data, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { throw TokenFileFault(path: path, reason: "is empty") }
    return AccessToken(text)
  }
}

/// What is wrong with a token file.
private struct TokenFileFault: Error, CustomStringConvertible {
  var path: String
  var reason: String

  var description: String { "the token file \(path) \(reason)" }
}
