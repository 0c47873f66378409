// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol

/// "collections/{collection}".
struct CollectionName: Hashable, CustomStringConvertible {
  var id: String

  init(_ id: String) { self.id = id }

  /// - Parameter field: the path of the name in the request.
  init(parsing name: String, field: String) throws(LayoutProblem) {
    let prefix = "collections/"
    guard name.hasPrefix(prefix), Self.isValid(String(name.dropFirst(prefix.count))) else {
      throw .fieldInvalid(
        field,
        "\(name.quotedAsFound) found; \"collections/\" and \(Self.rule) are needed"
      )
    }
    id = String(name.dropFirst(prefix.count))
  }

  var description: String { "collections/\(id)" }

  static let rule =
    "1 to 63 of the characters a-z, 0-9, \".\", \"_\" and \"-\", the first a letter or a digit"

  /// Whether it matches [a-z0-9][a-z0-9._-]{0,62}.
  static func isValid(_ id: String) -> Bool {
    let bytes = id.utf8
    guard (1 ... 63).contains(bytes.count), let first = bytes.first, isAlphanumeric(first) else {
      return false
    }
    return bytes.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a") ... UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0") ... UInt8(ascii: "9")).contains(byte)
  }
}

/// "collections/{collection}/layouts/{layout}".
struct LayoutName: Hashable, CustomStringConvertible {
  var collection: CollectionName
  var id: String

  init(_ id: String, of collection: CollectionName) {
    self.id = id
    self.collection = collection
  }

  /// - Parameter field: the path of the name in the request.
  init(parsing name: String, field: String) throws(LayoutProblem) {
    let parts = name.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "collections", parts[2] == "layouts",
      CollectionName.isValid(String(parts[1])), CollectionName.isValid(String(parts[3]))
    else {
      throw .fieldInvalid(
        field,
        "\(name.quotedAsFound) found; \"collections/{collection}/layouts/{layout}\" is needed, each of "
          + "the two with \(CollectionName.rule)"
      )
    }
    self.init(String(parts[3]), of: CollectionName(String(parts[1])))
  }

  var description: String { "\(collection)/layouts/\(id)" }
}

/// "sessions/{session}".
enum SessionName {
  static let prefix = "sessions/"

  static func make() -> String {
    let id =
      String(UInt64.random(in: .min ... .max), radix: 36)
      + String(UInt64.random(in: .min ... .max), radix: 36)
    return prefix + id
  }
}
