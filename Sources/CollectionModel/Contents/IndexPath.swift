// SPDX-License-Identifier: Apache-2.0

/// The position of an item in a collection, or of a whole section.
///
/// Sorted by section, then item; the section itself comes before its items. One comparison of
/// 64-bit integers, and a trivial type, so that arrays of it copy like bytes.
@frozen
public struct IndexPath: Hashable, Comparable, Sendable {
  /// Section in the high half, item + 1 in the low half; 0 there = the section itself.
  public let rawValue: UInt64

  /// The position that `rawValue` of another one names.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// - Precondition: both within 0 …< 2³² − 1; data from outside is checked against the
  ///   collection's limits before it gets here.
  @inlinable
  public init(section: Int, item: Int) {
    rawValue = UInt64(truncatingIfNeeded: section) << 32 | UInt64(truncatingIfNeeded: item &+ 1)
  }

  @inlinable
  public init(section: Int) { rawValue = UInt64(truncatingIfNeeded: section) << 32 }

  @inlinable public var section: Int { Int(rawValue >> 32) }

  @inlinable public var item: Int? {
    let raw = rawValue & 0xFFFF_FFFF
    return raw == 0 ? nil : Int(raw) - 1
  }

  @inlinable
  public static func < (a: IndexPath, b: IndexPath) -> Bool { a.rawValue < b.rawValue }
}

extension IndexPath: CustomStringConvertible {
  public var description: String {
    item.map { "(\(section), \($0))" } ?? "(\(section))"
  }
}
