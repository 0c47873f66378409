// SPDX-License-Identifier: Apache-2.0

/// How often each of some shared memory is held.
///
/// Most accounts of sessions hold one layout, which changes with every commit. That one is kept
/// without a dictionary, so that it changes without allocating.
struct HoldCounts {
  private var first: (key: ObjectIdentifier, count: Int)?
  /// All but `first`.
  private var others: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { first == nil && others.isEmpty }

  /// 0 = it is not held.
  subscript(key: ObjectIdentifier) -> Int {
    if let first, first.key == key { return first.count }
    return others.isEmpty ? 0 : others[key] ?? 0
  }

  /// - Returns: how often it is held now.
  mutating func add(_ key: ObjectIdentifier) -> Int {
    let count = self[key] + 1
    set(key, to: count)
    return count
  }

  /// - Returns: how often it is still held.
  mutating func remove(_ key: ObjectIdentifier) -> Int {
    let count = max(0, self[key] - 1)
    set(key, to: count)
    return count
  }

  private mutating func set(_ key: ObjectIdentifier, to count: Int) {
    if first.map({ $0.key == key }) ?? (others.isEmpty || others[key] == nil) {
      first = count == 0 ? nil : (key, count)
    } else {
      others[key] = count == 0 ? nil : count
    }
  }
}
