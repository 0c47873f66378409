// SPDX-License-Identifier: Apache-2.0

/// How much a collection and a batch may hold.
public struct ContentsLimits: Hashable, Sendable {
  /// The most items in one collection, over all its sections: at most 2³² − 1.
  public var items: Int
  /// The most sections in one collection: at most 2²⁴.
  public var sections: Int
  /// The most operations, or edits of outlines, in one batch. A removal by key counts for each of
  /// its keys.
  public var operations: Int
  /// The most items that the edits of one outline batch may move, expand or collapse together,
  /// descendants included; an item that several edits touch counts for each.
  public var outlineSteps: Int
  /// The most UTF-8 bytes in the key of an item or a section.
  public var keyBytes: Int
  /// The most UTF-8 bytes in the data of an item; 0 = items have none.
  public var itemDataBytes: Int
  /// The most names of cell kinds in one collection, counting names that only earlier versions
  /// used: 1 to 32,768.
  public var cellKinds: Int

  /// Takes the given limits, each lowered or raised to what the model can hold.
  ///
  /// The defaults are those of a server that is not told otherwise.
  public init(
    items: Int = 10_000_000,
    sections: Int = 100_000,
    operations: Int = 10_000,
    outlineSteps: Int = 1 << 20,
    keyBytes: Int = 128,
    itemDataBytes: Int = 1024,
    cellKinds: Int = 32_768
  ) {
    // An index path has 32 bits for an item, of which one value means the section itself.
    self.items = min(items, Int(UInt32.max))
    // Serials and index paths would hold 2³² sections, order labels as many as this at `step`.
    self.sections = min(sections, 1 << 24)
    self.operations = operations
    self.outlineSteps = outlineSteps
    self.keyBytes = keyBytes
    self.itemDataBytes = itemDataBytes
    // An element has 16 bits for its kind, and layouts bring kinds of their own.
    self.cellKinds = min(max(cellKinds, 1), 32_768)
  }

  /// The defaults of `init`.
  public static let standard = ContentsLimits()
}
