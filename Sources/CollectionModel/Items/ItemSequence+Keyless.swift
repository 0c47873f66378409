// SPDX-License-Identifier: Apache-2.0

extension ItemSequence {
  /// The first item that has no key; nil = all have one.
  ///
  /// - Complexity: O(log n)
  var firstKeylessItem: Int? {
    // The items of a chunk all have a key, or none has.
    chunks.firstPosition { $0.items.keyedCount < $0.items.count }?.prefix.items.count
  }

  /// How many items have no key, and which is the first one, in words; nil = all have one.
  var describedKeylessItems: String? {
    guard let first = firstKeylessItem else { return nil }
    let count = summary.count - summary.keyedCount
    return count == 1
      ? "item \(first) without a key" : "\(count) items without a key, the first is item \(first)"
  }
}
