// SPDX-License-Identifier: Apache-2.0

extension UpdateBatch {
  /// The greatest cost of applying the batch, in units of changing one value of one item. A few
  /// bytes can affect millions of items, so the size of the batch does not tell. `Int.max` = that
  /// or more.
  ///
  /// - Complexity: O(operations)
  package func cost(in contents: CollectionContents) -> Int {
    let all = contents.itemCount
    // Their names are looked at to number those of the batch.
    let kinds = contents.cellKindNames.count
    switch change {
    case .operations(let operations):
      let first = (contents.hasKeyIndex ? 0 : all) + (newCellKinds.isEmpty ? 0 : kinds)
      return operations.reduce(first) { cost, operation in
        cost.adding(operation.cost(in: contents)).adding(Self.operationCost)
      }
    case .snapshot(let snapshot):
      let new = snapshot.contents
      let sections = Self.sectionCost * (contents.sectionCount + new.sectionCount)
      return all + new.itemCount + sections + kinds + new.cellKindNames.count
    case .outline(let edits):
      // Each may go through all items, also those that others have inserted. Keys may come twice,
      // and need not exist.
      let named = edits.reduce(0) { $0.adding($1.namedItems) }
      return all.adding(named).multiplied(by: max(1, edits.count))
        .adding(newCellKinds.isEmpty ? 0 : kinds)
    }
  }

  /// The cost of an operation besides its items, because it has to find its place.
  private static let operationCost = 4
  /// The cost of comparing a section of a snapshot, besides its items.
  private static let sectionCost = 4
}

extension ItemTransfer {
  /// The greatest cost of making the transfer between some contents, as `UpdateBatch.cost(in:)`.
  package func cost(between contents: [CollectionContents]) -> Int {
    contents.reduce(0) { cost, contents in
      cost.adding(contents.itemCount.multiplied(by: contents.hasOutlines ? max(1, count) : 1))
        .adding(contents.cellKindNames.count)
    }
  }
}

extension UpdateOperation {
  /// The cost of the items and sections that the operation names.
  fileprivate func cost(in contents: CollectionContents) -> Int {
    let all = contents.itemCount
    return switch self {
    case .insertItems(_, let blocks): blocks.itemCount
    case .deleteItems(_, let items), .reloadItems(_, let items, _),
      .reconfigureItems(_, let items, _):
      min(items.count, all)
    case .moveItem, .setSectionMetrics: 1
    case .insertSections(_, let sections):
      sections.reduce(sections.count) { $0.adding($1.items.count) }
    case .deleteSections(let sections): all + min(sections.count, contents.sectionCount)
    case .moveSection, .reloadSection: all
    }
  }
}

extension OutlineEdit {
  /// How many items the edit inserts, or names in a list.
  fileprivate var namedItems: Int {
    switch self {
    case .insert(_, let blocks), .replaceChildren(_, let blocks): blocks.itemCount
    case .remove(let keys): keys.count
    case .expansion(let change): change.expanded.count.adding(change.collapsed.count)
    case .move: 0
    }
  }
}

extension [ItemBlock] {
  fileprivate var itemCount: Int { reduce(0) { $0.adding($1.count) } }
}

extension Int {
  /// The sum of two numbers that are not negative, or `Int.max`.
  fileprivate func adding(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The product of two numbers that are not negative, or `Int.max`.
  fileprivate func multiplied(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
