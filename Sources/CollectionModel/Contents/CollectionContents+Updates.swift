// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// The contents after a batch, with what changed: all operations, or none.
  ///
  /// - Complexity: O(k log n) for k operations and the items that they bring or touch, whatever the
  ///   size of the contents; O(n) for a snapshot.
  /// - Throws: `Refusal` with the paths of what is wrong: "operations[3].move_item.to" or
  ///   "snapshot.contents". The contents stay as they were.
  public func applying(
    _ batch: UpdateBatch,
    limits: ContentsLimits = .standard
  ) throws(Refusal) -> ContentsChange {
    switch batch.change {
    case .operations(let operations):
      let plan = try BatchPlan(operations, of: self, limits: limits)
      return BatchApplication.change(plan, isAnimated: batch.isAnimated)
    case .snapshot(let snapshot):
      return try SnapshotDifference.change(
        from: self,
        to: snapshot,
        limits: limits,
        isAnimated: batch.isAnimated
      )
    }
  }
}
