// SPDX-License-Identifier: Apache-2.0

/// Changes that take a collection from one data version to the next: all of them or none.
public struct UpdateBatch: Sendable {
  /// The ways to describe a change.
  public enum Change: Sendable {
    /// Operations on single items and sections, in any order.
    case operations([UpdateOperation])
    /// The new state as a whole. What changed is found by comparing keys.
    case snapshot(SnapshotUpdate)
    /// Edits of outlines by key, made one after another, each in the state that those before it
    /// left.
    case outline([OutlineEdit])
  }

  /// Makes a retry safe: a batch is not applied again if one of the latest batches had the same
  /// identifier. "" = a retry is applied again.
  public var requestID: String
  /// The data version that the contents must have, or the batch is refused; nil = any.
  public var expectedDataVersion: UInt64?
  /// What the batch changes.
  public var change: Change
  /// Whether renderers should animate from the old state to the new.
  public var isAnimated: Bool
  /// Names of cell kinds that are appended to the collection's list before anything else, unless it
  /// has them already.
  public var newCellKinds: [String]
  /// A digest of the request that brought the batch, by which a retry is told from another batch
  /// with the same identifier; nil = there was no request, or it has no identifier.
  public var digest: UInt64?

  /// A batch with the given values.
  public init(
    requestID: String = "",
    expectedDataVersion: UInt64? = nil,
    change: Change,
    isAnimated: Bool = false,
    newCellKinds: [String] = []
  ) {
    self.requestID = requestID
    self.expectedDataVersion = expectedDataVersion
    self.change = change
    self.isAnimated = isAnimated
    self.newCellKinds = newCellKinds
  }

  /// A batch of operations without request identifier, for whatever version is current.
  public init(_ operations: [UpdateOperation], isAnimated: Bool = false) {
    self.init(change: .operations(operations), isAnimated: isAnimated)
  }
}

/// One operation of a batch.
///
/// The order of operations has no meaning. Indices of deletions, reloads, reconfigurations, section
/// metrics and the sources of moves count before the batch; those of insertions and the targets of
/// moves count after it. An operation on an empty range does nothing. A batch in which two
/// operations name the same place is refused.
public enum UpdateOperation: Sendable {
  /// Inserts items, the first of them at `at`, counted after the batch.
  case insertItems(at: IndexPath, items: [ItemBlock])
  /// Deletes items of a section, counted before the batch.
  case deleteItems(section: Int, items: Range<Int>)
  /// Moves an item; `from` counts before the batch and `to` after it.
  case moveItem(from: IndexPath, to: IndexPath)
  /// Replaces all values of items, which get a new identity. They keep their keys if the blocks
  /// have none. The blocks must have as many items as the range.
  case reloadItems(section: Int, items: Range<Int>, blocks: [ItemBlock])
  /// Replaces values of items, which keep their identity. Columns that a block leaves empty keep
  /// their old values. An item without a key may get one; the key of an item cannot change. The
  /// blocks must have as many items as the range.
  case reconfigureItems(section: Int, items: Range<Int>, blocks: [ItemBlock])
  /// Inserts sections, the first of them at `at`, counted after the batch.
  case insertSections(at: Int, [SectionContents])
  /// Deletes sections with their items, counted before the batch.
  case deleteSections(Range<Int>)
  /// Moves a section with its items; `from` counts before the batch and `to` after it.
  case moveSection(from: Int, to: Int)
  /// Replaces a section, counted before the batch, by another with a new identity.
  case reloadSection(Int, SectionContents)
  /// Replaces the metrics of a section, counted before the batch.
  case setSectionMetrics(Int, SectionMetrics)
}

/// The new state of a collection in which every section and every item has a key.
public struct SnapshotUpdate: Sendable {
  /// The new state. It has its own list of cell kind names, which is merged into the collection's.
  public var contents: CollectionContents
  /// Keys of items that get a new identity although their key stays.
  public var reloadedItemKeys: [String]
  /// Keys of items that count as reconfigured even if their values are the same. Items with new
  /// values need not be named.
  public var reconfiguredItemKeys: [String]

  /// A snapshot with the given values, which are not checked.
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
