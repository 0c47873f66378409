// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// Applies a batch as a whole, and returns the new contents with what changed.
  ///
  /// - Parameter batch: its request identifier and expected version are not checked here.
  /// - Parameter limits: what the contents may grow to, and how large the batch may be.
  /// - Complexity: O(k log n), where k is the number of operations and of the items that they bring
  ///   or touch; O(n) for a snapshot.
  /// - Throws: `Refusal` if any part of the batch is refused. Its paths count from the batch
  ///   on: "operations[3].move_item.to" or "snapshot.contents".
  public func applying(
    _ batch: UpdateBatch,
    limits: ContentsLimits = .standard
  ) throws(Refusal) -> ContentsChange {
    let change: ContentsChange
    if batch.newCellKinds.isEmpty {
      change = try self.change(by: batch, limits: limits)
    } else {
      let named = try addingKinds(batch.newCellKinds, limits: limits)
      let found = try named.change(by: batch, limits: limits)
      change = found.between(self, and: found.new)
    }
    // Computed while the batch is applied, so that those who see the contents need not wait for it.
    if wholeContents == nil { _ = change.rows }
    return change
  }

  /// Gives items and sections other sizes, for one viewer. Items are found by key as in these
  /// contents.
  ///
  /// - Parameter operations: reconfigure items, and set the metrics of sections; nothing else.
  /// - Complexity: O(k log n) for k operations
  /// - Throws: `Refusal` if a place does not exist, or is named twice.
  public func settingSizes(
    _ operations: [UpdateOperation],
    limits: ContentsLimits
  ) throws(Refusal) -> ContentsChange {
    var plain = self
    plain.keyIndex = KeyIndexCache(source: keyIndex.source ?? self)
    let plan = try BatchPlan(operations, of: plain, limits: limits)
    let change = BatchApplication.change(plan, isAnimated: false)
    var new = change.new
    new.keyIndex = plain.keyIndex
    return change.between(self, and: new)
  }

  /// What a batch does once its cell kinds are known.
  private func change(
    by batch: UpdateBatch,
    limits: ContentsLimits
  ) throws(Refusal) -> ContentsChange {
    switch batch.change {
    case .operations(let operations):
      let plan = try BatchPlan(operations, of: self, limits: limits)
      let change = BatchApplication.change(plan, isAnimated: batch.isAnimated)
      try change.checkOutlines(after: plan)
      return change
    case .snapshot(let snapshot):
      return try SnapshotDifference.change(
        from: self,
        to: snapshot,
        limits: limits,
        isAnimated: batch.isAnimated
      )
    case .outline(let edits):
      return try OutlineEditor.change(
        from: self,
        by: edits,
        limits: limits,
        isAnimated: batch.isAnimated
      )
    }
  }

  /// Moves rows of what a viewer sees, each without its descendants; the levels need not be those
  /// of an outline. The result can be shown, but not edited.
  ///
  /// - Parameter moves: the rows before all moves, and after all moves.
  /// - Complexity: O(k log n) for k moves
  /// - Throws: INDEX_OUT_OF_RANGE or BATCH_INCONSISTENT as for `UpdateOperation.moveItem`.
  public func rearranging(
    _ moves: [(from: IndexPath, to: IndexPath)]
  ) throws(Refusal) -> ContentsChange {
    try changingRows(moves.map { .moveItem(from: $0.from, to: $0.to) })
  }
}
