// SPDX-License-Identifier: Apache-2.0

/// The position of an item in a collection, or of a whole section.
///
/// Paths are ordered by section, then item; a section comes before its items. The type is trivial
/// and compares as one 64-bit integer, so arrays of it are fast to copy and to sort.
@frozen
public struct IndexPath: Hashable, Comparable, Sendable {
  /// The section in the high 32 bits, and item + 1 in the low 32 bits, where 0 stands for the
  /// section itself.
  public let rawValue: UInt64

  /// The position with a given `rawValue`; every value names a position.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The position of an item.
  ///
  /// - Precondition: both are within 0 ..< 2³² − 1, which is not checked: higher bits are cut off.
  ///   Data from outside have been checked against the contents, or against limits that are no
  ///   higher.
  @inlinable
  public init(section: Int, item: Int) {
    rawValue = UInt64(truncatingIfNeeded: section) << 32 | UInt64(truncatingIfNeeded: item &+ 1)
  }

  /// The position of a section.
  ///
  /// - Precondition: `section` is within 0 ..< 2³² − 1, which is not checked: higher bits are cut
  ///   off.
  @inlinable
  public init(section: Int) { rawValue = UInt64(truncatingIfNeeded: section) << 32 }

  /// The index of the section.
  @inlinable public var section: Int { Int(rawValue >> 32) }

  /// The index of the item in its section; nil = the position is that of the section.
  @inlinable public var item: Int? {
    let raw = rawValue & 0xFFFF_FFFF
    return raw == 0 ? nil : Int(raw) - 1
  }

  /// Whether a position comes before another.
  @inlinable
  public static func < (a: IndexPath, b: IndexPath) -> Bool { a.rawValue < b.rawValue }
}

extension IndexPath: CustomStringConvertible {
  /// "(2, 5)" for an item, "(2)" for a section.
  public var description: String {
    item.map { "(\(section), \($0))" } ?? "(\(section))"
  }
}
