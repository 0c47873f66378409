// SPDX-License-Identifier: Apache-2.0

/// How much a collection and a batch may hold.
public struct ContentsLimits: Hashable, Sendable {
  public var items: Int
  public var sections: Int
  /// In one batch.
  public var operations: Int
  /// UTF-8 bytes of one key, of an item or a section.
  public var keyBytes: Int

  public init(
    items: Int = 10_000_000,
    sections: Int = 100_000,
    operations: Int = 10_000,
    keyBytes: Int = 128
  ) {
    self.items = items
    self.sections = sections
    self.operations = operations
    self.keyBytes = keyBytes
  }

  public static let standard = ContentsLimits()
}
