// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import Foundation

/// Tokens that the operator chose, by their SHA-256 digests. The file has a line for each:
///
///     # comment
///     import 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
///     guest  2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae 2027-01-01T00:00:00Z
///
/// A name, the digest of the token in hexadecimal, and optionally until when the token holds.
public struct StaticTokens: Sendable {
  private struct Entry: Sendable {
    var name: String
    var expiry: Date?
  }

  /// By the digest of the token.
  private let entries: [[UInt8]: Entry]

  /// Reads a token file.
  ///
  /// - Throws: `TrustError` that names the line.
  public init(text: String) throws(TrustError) {
    var entries: [[UInt8]: Entry] = [:]
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard let first = fields.first, !first.hasPrefix("#") else { continue }
      guard (2 ... 3).contains(fields.count), let digest = Self.bytes(fields[1]) else {
        throw TrustError(
          "line \(index + 1): a name, the SHA-256 digest of the token in 64 hexadecimal digits and, "
            + "optionally, a time such as 2027-01-01T00:00:00Z are needed"
        )
      }
      var expiry: Date?
      if fields.count == 3 {
        guard let date = try? Date(String(fields[2]), strategy: .iso8601) else {
          throw TrustError("line \(index + 1): a time such as 2027-01-01T00:00:00Z is needed")
        }
        expiry = date
      }
      entries[digest] = Entry(name: String(first), expiry: expiry)
    }
    self.entries = entries
  }

  /// The names of the tokens, sorted.
  var names: [String] { entries.values.map(\.name).sorted() }

  /// The names of the expired tokens.
  func ended(by now: Date) -> [String] {
    entries.values.filter { $0.expiry.map { $0 <= now } ?? false }.map(\.name).sorted()
  }

  private static func bytes(_ digits: Substring) -> [UInt8]? {
    let values = digits.compactMap(\.hexDigitValue)
    guard digits.utf8.count == 64, values.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
  }

  /// The identity of a token; nil = it is unknown. The time that this takes reveals nothing about
  /// the tokens: only digests are compared, which nobody can choose.
  func identity(of token: String) -> Identity? {
    guard let entry = entries[Array(SHA256.hash(data: Array(token.utf8)))] else { return nil }
    return Identity(.token(name: entry.name), expiry: entry.expiry)
  }
}
