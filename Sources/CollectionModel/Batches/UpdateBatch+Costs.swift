// SPDX-License-Identifier: Apache-2.0

extension UpdateBatch {
  /// What applying the batch costs at most, in items that get other values: more than its bytes lead to expect where few
  /// of them name many items. `Int.max` = that, or more.
  ///
  /// - Complexity: O(operations)
  package func cost(in contents: CollectionContents) -> Int {
    let all = contents.itemCount
    switch change {
    case .operations(let operations):
      return operations.reduce(0) { cost, operation in
        let touched = operation.itemsTouched(ofAll: all)
        return cost.adding(touched).adding(Self.operationCost)
      }
    case .snapshot(let snapshot): return all + snapshot.contents.itemCount
    case .outline(let edits):
      // Each is made in the state that those before it left.
      return all.multiplied(by: max(1, edits.count))
    }
  }

  /// Of an operation besides its items: it finds its place, and notes what follows it.
  private static let operationCost = 4
}

extension ItemTransfer {
  /// What making the transfer between some contents costs at most, as `UpdateBatch.cost(in:)`.
  package func cost(between contents: [CollectionContents]) -> Int {
    contents.reduce(0) { cost, contents in
      cost.adding(contents.itemCount.multiplied(by: contents.hasOutlines ? max(1, count) : 1))
    }
  }
}

extension UpdateOperation {
  /// - Parameter all: the items of the contents.
  fileprivate func itemsTouched(ofAll all: Int) -> Int {
    switch self {
    case .insertItems(_, let blocks): blocks.reduce(0) { $0 + $1.count }
    case .deleteItems(_, let items), .reloadItems(_, let items, _),
      .reconfigureItems(_, let items, _):
      min(items.count, all)
    case .moveItem, .setSectionMetrics: 1
    case .insertSections(_, let sections): sections.reduce(0) { $0 + $1.items.count }
    case .deleteSections, .moveSection, .reloadSection: all
    }
  }
}

extension Int {
  /// The sum of two numbers that are not negative, or the most that there is.
  fileprivate func adding(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The product of two numbers that are not negative, or the most that there is.
  fileprivate func multiplied(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
