// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import SwiftProtobuf

/// The position of the next page, with a fingerprint that binds it to the query.
struct PageToken: Hashable {
  var fingerprint: UInt64
  /// Where the previous page ended, in a form that depends on the query.
  var position: [UInt64]
  var text: String = ""

  private static let version = "1"

  /// - Throws: PAGE_TOKEN_INVALID if the token is malformed or belongs to another query.
  init(parsing token: String, fingerprint: UInt64, positions: Int) throws(LayoutProblem) {
    let parts = token.split(
      separator: ".",
      maxSplits: positions + 2,
      omittingEmptySubsequences: false
    )
    guard token.utf8.count <= 256, parts.count == positions + 3, parts[0] == Self.version,
      let found = UInt64(parts[1], radix: 36)
    else { throw .pageTokenInvalid("it is not a token of this server") }
    guard found == fingerprint else {
      throw .pageTokenInvalid("it belongs to a request with other fields")
    }
    var position: [UInt64] = []
    for part in parts[2 ..< (positions + 2)] {
      guard let word = UInt64(part, radix: 36) else {
        throw .pageTokenInvalid("it is not a token of this server")
      }
      position.append(word)
    }
    self.init(fingerprint: fingerprint, position: position, text: String(parts[positions + 2]))
  }

  init(fingerprint: UInt64, position: [UInt64] = [], text: String = "") {
    self.fingerprint = fingerprint
    self.position = position
    self.text = text
  }

  var token: String {
    let words = [fingerprint] + position
    return Self.version + "." + words.map { String($0, radix: 36) }.joined(separator: ".") + "."
      + text
  }

  /// Hashes that tell requests for different things apart.
  struct Hashes: Hashable {
    /// For tokens: the same in all servers. Clients can make requests that have the same.
    var fingerprint: UInt64
    /// For what a process keeps: nobody outside knows its seed.
    var seeded: Int
  }

  /// A hash that tells requests for different things apart (collisions are possible but unlikely,
  /// unless somebody looks for them).
  ///
  /// - Parameter request: the request, without the fields that may change from page to page.
  static func fingerprint(of request: some Message) -> UInt64 { hashes(of: request).fingerprint }

  /// - Parameter request: the request, without the fields that may change from page to page.
  static func hashes(of request: some Message) -> Hashes {
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    // Encoding cannot fail: the request was decoded from bytes.
    let bytes: [UInt8] = (try? request.serializedBytes(options: options)) ?? []
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Hashes(fingerprint: hash, seeded: bytes.hashValue)
  }
}
