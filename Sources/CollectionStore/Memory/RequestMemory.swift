// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The identifiers of recent batches and the versions that they led to, limited by age, count and
/// bytes.
struct RequestMemory: Sendable {
  private let countLimit: Int
  private let byteLimit: Int
  private let seconds: Int64
  private var versions: [String: UInt64] = [:]
  private var order: Deque<(id: String, time: CollectionTime)> = []
  /// What the identifiers take in memory, roughly.
  private(set) var byteCount = 0

  init(countLimit: Int, byteLimit: Int, seconds: Int64) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
    self.seconds = seconds
  }

  /// The version that a batch led to when it was committed before; nil = it was not, or is forgotten.
  mutating func version(of id: String, now: CollectionTime) -> UInt64? {
    guard !id.isEmpty else { return nil }
    forget(before: now)
    return versions[id]
  }

  /// Remembers an identifier. One that is known keeps its version; "" is none.
  mutating func remember(_ id: String, version: UInt64, now: CollectionTime) {
    guard !id.isEmpty, versions.updateValue(version, forKey: id) == nil else { return }
    order.append((id, now))
    byteCount += Self.bytes(of: id)
    forget(before: now)
  }

  private mutating func forget(before now: CollectionTime) {
    while let oldest = order.first,
      order.count > countLimit || byteCount > byteLimit
        || now.seconds(since: oldest.time) > seconds
    {
      order.removeFirst()
      byteCount -= Self.bytes(of: oldest.id)
      versions[oldest.id] = nil
    }
  }

  /// Its place in dictionary and queue with their slack, and its characters.
  private static func bytes(of id: String) -> Int { 112 + id.utf8.count }
}
