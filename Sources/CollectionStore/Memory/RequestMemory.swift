// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The request identifiers of recent batches, by which retries are recognised. Limited by age, count and
/// bytes; the oldest are forgotten first.
struct RequestMemory: Sendable {
  private let countLimit: Int
  private let byteLimit: Int
  private let seconds: Int64
  private var versions: [String: UInt64] = [:]
  private var order: Deque<(id: String, time: CollectionTime)> = []
  /// Estimated size of the identifiers in memory, in bytes.
  private(set) var byteCount = 0

  /// - Parameter seconds: the age up to which identifiers are remembered.
  init(countLimit: Int, byteLimit: Int, seconds: Int64) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
    self.seconds = seconds
  }

  /// The version that the batch with this identifier led to; nil = there was none, or it is forgotten.
  mutating func version(of id: String, now: CollectionTime) -> UInt64? {
    guard !id.isEmpty else { return nil }
    forget(before: now)
    return versions[id]
  }

  /// Remembers an identifier; "" = the batch has none. If it is known already, its version is replaced
  /// and its age stays.
  mutating func remember(_ id: String, version: UInt64, now: CollectionTime) {
    guard !id.isEmpty, versions.updateValue(version, forKey: id) == nil else { return }
    order.append((id, now))
    byteCount += Self.bytes(of: id)
    forget(before: now)
  }

  /// Forgets the oldest identifiers until all limits are kept.
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

  /// Estimated bytes of one identifier: 112 for its entries in dictionary and queue with their spare
  /// capacity, and its characters.
  private static func bytes(of id: String) -> Int { 112 + id.utf8.count }
}
