// SPDX-License-Identifier: Apache-2.0

/// Changes that take a collection from one data version to the next: all of them or none.
public struct UpdateBatch: Sendable {
  /// How a change is told.
  public enum Change: Sendable {
    case operations([UpdateOperation])
    /// The wanted state; the operations are worked out by key.
    case snapshot(SnapshotUpdate)
  }

  /// Makes a retry safe; "" = no protection.
  public var requestID: String
  /// The version that it was made against; nil = whatever is current.
  public var expectedDataVersion: UInt64?
  public var change: Change
  /// Whether renderers should animate from the old state to the new.
  public var isAnimated: Bool

  public init(
    requestID: String = "",
    expectedDataVersion: UInt64? = nil,
    change: Change,
    isAnimated: Bool = false
  ) {
    self.requestID = requestID
    self.expectedDataVersion = expectedDataVersion
    self.change = change
    self.isAnimated = isAnimated
  }

  public init(_ operations: [UpdateOperation], isAnimated: Bool = false) {
    self.init(change: .operations(operations), isAnimated: isAnimated)
  }
}

/// One operation of a batch.
///
/// The order of operations carries no meaning. Deletes, reloads, reconfigurations, section metrics
/// and the sources of moves count in the state before the batch; inserts and the targets of moves
/// in the state after it. An operation over no items or sections does nothing.
public enum UpdateOperation: Sendable {
  case insertItems(at: IndexPath, items: [ItemBlock])
  case deleteItems(section: Int, items: Range<Int>)
  case moveItem(from: IndexPath, to: IndexPath)
  /// New content under a new identity. All values are replaced; only the keys stay where the blocks
  /// bring none.
  case reloadItems(section: Int, items: Range<Int>, blocks: [ItemBlock])
  /// New metrics under the same identity: columns that a block leaves empty keep their old values,
  /// keys included. An item that has a key keeps it.
  case reconfigureItems(section: Int, items: Range<Int>, blocks: [ItemBlock])
  case insertSections(at: Int, [SectionContents])
  case deleteSections(Range<Int>)
  case moveSection(from: Int, to: Int)
  /// New contents under a new identity at the same place.
  case reloadSection(Int, SectionContents)
  case setSectionMetrics(Int, SectionMetrics)
}

/// A wanted state in which every section and every item carries a key.
public struct SnapshotUpdate: Sendable {
  /// With cell kind names of its own.
  public var contents: CollectionContents
  /// Items whose content changed although their key did not.
  public var reloadedItemKeys: [String]
  public var reconfiguredItemKeys: [String]

  public init(
    contents: CollectionContents,
    reloadedItemKeys: [String] = [],
    reconfiguredItemKeys: [String] = []
  ) {
    self.contents = contents
    self.reloadedItemKeys = reloadedItemKeys
    self.reconfiguredItemKeys = reconfiguredItemKeys
  }
}
