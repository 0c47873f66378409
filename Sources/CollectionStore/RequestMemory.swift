// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The identifiers of recent batches and the versions that they led to, bounded by age and count.
struct RequestMemory: Sendable {
  private let countLimit: Int
  private let seconds: Int64
  private var versions: [String: UInt64] = [:]
  private var order: Deque<(id: String, time: CollectionTime)> = []

  init(countLimit: Int, seconds: Int64) {
    self.countLimit = countLimit
    self.seconds = seconds
  }

  /// The version that a batch led to when it came before.
  mutating func version(of id: String, now: CollectionTime) -> UInt64? {
    guard !id.isEmpty else { return nil }
    forget(before: now)
    return versions[id]
  }

  mutating func remember(_ id: String, version: UInt64, now: CollectionTime) {
    guard !id.isEmpty, versions.updateValue(version, forKey: id) == nil else { return }
    order.append((id, now))
    forget(before: now)
  }

  private mutating func forget(before now: CollectionTime) {
    while let oldest = order.first,
      order.count > countLimit || now.seconds - oldest.time.seconds > seconds
    {
      order.removeFirst()
      versions[oldest.id] = nil
    }
  }
}
