// SPDX-License-Identifier: Apache-2.0

extension CollectionContents {
  /// The contents after a batch, with what changed: all operations, or none.
  ///
  /// - Complexity: O(k log n) for k operations and the items they bring; O(n) for a snapshot.
  /// - Throws: `UpdateError` with the paths of what is wrong, from the batch's own message on; the
  ///   contents stay as they were.
  public func applying(
    _ batch: UpdateBatch,
    limits: ContentsLimits = .standard
  ) throws(UpdateError) -> ContentsChange {
    throw UpdateError(.batchInconsistent, field: "operations", "not yet")
  }
}
