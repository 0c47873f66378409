// SPDX-License-Identifier: Apache-2.0

/// When entries that nobody needs are removed from a dictionary: whenever there are twice as many
/// as the last time left, so that this costs O(1) for each entry that was added.
struct Sweep: Hashable, Sendable {
  private static let least = 64

  /// At this many entries they are looked at again.
  private var limit = least

  init() {}

  /// Removes the entries that are not needed, if it is time for that.
  ///
  /// - Returns: whether it was.
  /// - Complexity: amortised O(1) for each entry that was added
  @discardableResult
  mutating func sweep<Key, Value>(
    _ entries: inout [Key: Value],
    keeping isNeeded: (Value) -> Bool
  ) -> Bool {
    guard entries.count >= limit else { return false }
    entries = entries.filter { isNeeded($0.value) }
    limit = max(Self.least, 2 * entries.count)
    return true
  }
}
