// SPDX-License-Identifier: Apache-2.0

/// A name in which `*` stands for any characters, or none: "art-*".
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as it was written.
  public let description: String

  /// Makes a pattern; every text is one.
  public init(_ pattern: String) { description = pattern }

  /// The beginning that all matching names share.
  public var beginning: Substring { description.prefix { $0 != "*" } }

  /// Whether the pattern matches every name.
  public var isEverything: Bool { !description.isEmpty && description.allSatisfy { $0 == "*" } }

  /// Whether the pattern matches a whole name.
  ///
  /// - Complexity: O(pattern × name) bytes at worst, O(pattern + name) with one `*`
  public func matches(_ name: String) -> Bool {
    let (pattern, name) = (Array(description.utf8), Array(name.utf8))
    let wildcard = UInt8(ascii: "*")
    var (p, n) = (0, 0)
    // Where to go on if what follows the last wildcard does not match here.
    var retry: (pattern: Int, name: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == wildcard {
        retry = (p + 1, n)
        p += 1
      } else if p < pattern.count, pattern[p] == name[n] {
        p += 1
        n += 1
      } else if let last = retry {
        (p, n) = (last.pattern, last.name + 1)
        retry = (last.pattern, n)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == wildcard }
  }
}
