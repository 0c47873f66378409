// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// Applies a batch as a whole, and returns the new contents with what changed.
  ///
  /// - Parameter batch: its request identifier and expected version are not checked here.
  /// - Parameter limits: what the contents may grow to, and how large the batch may be.
  /// - Complexity: O(k log n), where k is the number of operations and of the items that they bring
  ///   or touch; O(n) for a snapshot.
  /// - Throws: `Refusal` where any part of the batch is refused. Its paths count from the batch
  ///   on: "operations[3].move_item.to" or "snapshot.contents".
  public func applying(
    _ batch: UpdateBatch,
    limits: ContentsLimits = .standard
  ) throws(Refusal) -> ContentsChange {
    let change: ContentsChange
    switch batch.change {
    case .operations(let operations):
      let plan = try BatchPlan(operations, of: self, limits: limits)
      change = BatchApplication.change(plan, isAnimated: batch.isAnimated)
      try change.checkOutlines(after: plan)
    case .snapshot(let snapshot):
      change = try SnapshotDifference.change(
        from: self,
        to: snapshot,
        limits: limits,
        isAnimated: batch.isAnimated
      )
    case .outline(let edits):
      change = try OutlineEditor.change(
        from: self,
        by: edits,
        limits: limits,
        isAnimated: batch.isAnimated
      )
    }
    // Now, while the batch is applied, so that those who see the contents need not wait for it.
    if wholeContents == nil { _ = change.rows }
    return change
  }
}
