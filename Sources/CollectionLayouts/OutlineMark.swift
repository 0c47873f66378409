// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// A row's place in its outline, in one byte.
@frozen
public struct OutlineMark: Hashable, Sendable {
  /// Three times the level, and 1 for collapsed or 2 for expanded.
  public let rawValue: UInt8

  /// The place of roots that cannot be expanded, and of what is in no outline.
  public static let none = OutlineMark(rawValue: 0)

  /// The place with a given raw value.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// - Parameter level: 0 to 63; deeper ones count as 63.
  /// - Parameter isExpanded: nil = the item cannot be expanded.
  public init(level: Int, isExpanded: Bool?) {
    let state: UInt8 = isExpanded.map { $0 ? 2 : 1 } ?? 0
    rawValue = UInt8(clamping: min(max(level, 0), OutlineItem.highestLevel)) * 3 + state
  }

  /// A row's place.
  public init(_ position: OutlinePosition) {
    self.init(level: position.level, isExpanded: position.isExpanded)
  }

  /// How many ancestors the item has.
  public var level: Int { Int(rawValue / 3) }
  /// Whether the item is expanded; nil = it cannot be.
  public var isExpanded: Bool? { rawValue % 3 == 0 ? nil : rawValue % 3 == 2 }
}
