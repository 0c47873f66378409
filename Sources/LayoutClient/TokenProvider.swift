// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A token, and when it expires.
public struct AccessToken: Hashable, Sendable {
  /// The token without "Bearer ".
  public var value: String
  /// nil = unknown; the provider is asked again for the next call.
  public var expiry: Date?

  /// Creates a token.
  ///
  /// - Parameter expiry: nil = read from the token itself, if it is a signed one (JWT).
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

/// Provides the tokens of a client. It is asked again before a token expires.
public protocol TokenProvider: Sendable {
  /// A valid token.
  func token() async throws -> AccessToken
}

/// Provides the same token always.
public struct FixedToken: TokenProvider {
  private let value: AccessToken

  /// Creates a provider of one token.
  public init(_ value: String) { self.value = AccessToken(value) }

  /// The token.
  public func token() -> AccessToken { value }
}

/// Provides the token in a file, which is read for each request, because another program renews it.
public struct TokenFile: TokenProvider {
  private let path: String

  /// More than servers accept in a header. What is larger is another file, or a device.
  private static let mostBytes = 64 << 10

  /// Creates a provider for a file that contains nothing but the token.
  public init(path: String) { self.path = path }

  /// The token in the file now.
  ///
  /// - Throws: an error that names the file, if it cannot be read or is empty.
  public func token() throws -> AccessToken {
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      data = try file.read(upToCount: Self.mostBytes + 1) ?? Data()
    } catch { throw TokenFileFault(path: path, reason: "cannot be read") }
    guard data.count <= Self.mostBytes else {
      throw TokenFileFault(path: path, reason: "has more than \(Self.mostBytes) bytes")
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
