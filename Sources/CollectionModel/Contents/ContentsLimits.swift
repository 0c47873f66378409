// SPDX-License-Identifier: Apache-2.0

/// How much a collection and a batch may hold.
public struct ContentsLimits: Hashable, Sendable {
  public var items: Int
  public var sections: Int
  /// In one batch.
  public var operations: Int
  /// UTF-8 bytes of one key, of an item or a section.
  public var keyBytes: Int
  /// Names of cell kinds, those that earlier versions brought included: 1 to 32,768.
  public var cellKinds: Int

  public init(
    items: Int = 10_000_000,
    sections: Int = 100_000,
    operations: Int = 10_000,
    keyBytes: Int = 128,
    cellKinds: Int = 32_768
  ) {
    self.items = items
    self.sections = sections
    self.operations = operations
    self.keyBytes = keyBytes
    // An element has 16 bits for its kind, and layouts bring kinds of their own.
    self.cellKinds = min(max(cellKinds, 1), 32_768)
  }

  public static let standard = ContentsLimits()
}
