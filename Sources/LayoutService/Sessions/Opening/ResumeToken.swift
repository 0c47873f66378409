// SPDX-License-Identifier: Apache-2.0

/// What a client sends back to resume its session. It identifies the session and grants no rights.
struct ResumeToken: Hashable, Sendable {
  /// "sessions/{session}"
  var session: String
  /// The identifier of the shared collection; "" = private contents.
  var collection: String
  /// The collection's incarnation.
  var incarnation: UInt64
  /// Seconds since 1970.
  var expiry: Int64

  /// An upper bound for the size of every token, with its signature.
  static let byteLimit = 512
  private static let version: UInt8 = 1

  init(session: String, collection: String, incarnation: UInt64, expiry: Int64 = 0) {
    self.session = session
    self.collection = collection
    self.incarnation = incarnation
    self.expiry = expiry
  }

  /// - Returns: nil = the bytes are not those of a token.
  init?(bytes: some Collection<UInt8>) {
    var bytes = bytes[...]
    guard bytes.popFirst() == Self.version, let incarnation = bytes.popWord(),
      let expiry = bytes.popWord(), let session = bytes.popText(),
      let collection = bytes.popText(), bytes.isEmpty
    else { return nil }
    self.init(
      session: session,
      collection: collection,
      incarnation: incarnation,
      expiry: Int64(bitPattern: expiry)
    )
  }

  var bytes: [UInt8] {
    var bytes = [Self.version]
    for word in [incarnation, UInt64(bitPattern: expiry)] {
      bytes += (0 ..< 8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    for text in [session, collection] {
      // Both texts are names of this server, shorter than a hundred bytes.
      let utf8 = text.utf8.prefix(200)
      bytes.append(UInt8(utf8.count))
      bytes += utf8
    }
    return bytes
  }
}

extension Collection<UInt8> where SubSequence == Self {
  /// Reads eight bytes, little-endian.
  fileprivate mutating func popWord() -> UInt64? {
    var word: UInt64 = 0
    for shift in 0 ..< 8 {
      guard let byte = popFirst() else { return nil }
      word |= UInt64(byte) << UInt64(shift * 8)
    }
    return word
  }

  /// Reads UTF-8 after its byte count.
  fileprivate mutating func popText() -> String? {
    guard let count = popFirst() else { return nil }
    var utf8: [UInt8] = []
    for _ in 0 ..< count {
      guard let byte = popFirst() else { return nil }
      utf8.append(byte)
    }
    return String(validating: utf8, as: UTF8.self)
  }
}
