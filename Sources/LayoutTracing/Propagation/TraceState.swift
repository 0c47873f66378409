// SPDX-License-Identifier: Apache-2.0

/// What the systems that a trace passed through say about it: the header `tracestate` of W3C Trace
/// Context, which is passed on unchanged.
public struct TraceState: Hashable, Sendable, CustomStringConvertible {
  /// "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"; "" = nothing is said.
  public let description: String

  /// An empty state.
  public init() { description = "" }

  /// Reads the header.
  ///
  /// - Returns: nil if it is malformed; then the whole header has to be ignored, but not the trace.
  init?(_ header: String) {
    var members: [Substring] = []
    var keys: Set<Substring> = []
    for part in header.split(separator: ",", omittingEmptySubsequences: false) {
      let member = part.trimmed
      if member.isEmpty { continue }
      guard let equals = member.firstIndex(of: "=") else { return nil }
      let key = member[..<equals]
      guard Self.isKey(key), Self.isValue(member[member.index(after: equals)...]),
        keys.insert(key).inserted, keys.count <= Self.memberLimit
      else { return nil }
      members.append(member)
    }
    description = Self.shortened(members).joined(separator: ",")
  }

  private static let memberLimit = 32
  /// The bytes that everybody has to pass on.
  private static let byteLimit = 512
  /// Larger members, in bytes, are dropped first.
  private static let largeMember = 128

  /// Drops whole members if the header is too long: large ones first, then from the end.
  private static func shortened(_ members: [Substring]) -> [Substring] {
    var members = members
    var bytes = members.reduce(-1) { $0 + $1.utf8.count + 1 }
    while bytes > byteLimit {
      let large = members.lastIndex { $0.utf8.count > largeMember }
      bytes -= members.remove(at: large ?? members.count - 1).utf8.count + 1
    }
    return members
  }

  /// Lower case letters, digits and _ - * / @, of which the first is a letter or a digit.
  private static func isKey(_ key: Substring) -> Bool {
    guard key.utf8.count <= 256, let first = key.utf8.first, isWordByte(first) else {
      return false
    }
    return key.utf8.allSatisfy { isWordByte($0) || "_-*/@".utf8.contains($0) }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a") ... UInt8(ascii: "z"), UInt8(ascii: "0") ... UInt8(ascii: "9"): true
    default: false
    }
  }

  /// Printable ASCII without a comma or an equals sign. Spaces at its ends were cut off before.
  private static func isValue(_ value: Substring) -> Bool {
    (1 ... 256).contains(value.utf8.count)
      && value.utf8.allSatisfy {
        (0x20 ... 0x7e).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
      }
  }
}

extension StringProtocol {
  /// Without spaces and tabs at its ends.
  var trimmed: SubSequence {
    guard let first = firstIndex(where: { !$0.isBlank }),
      let last = lastIndex(where: { !$0.isBlank })
    else { return self[endIndex...] }
    return self[first ... last]
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
