// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import DequeModule

/// The request identifiers of recent batches, by which retries are recognised. Limited by age,
/// count and bytes; the oldest are forgotten first.
struct RequestMemory: Sendable {
  private let countLimit: Int
  private let byteLimit: Int
  private let seconds: Int64
  private var batches: [ExactText: Known] = [:]
  private var order: Deque<(id: String, time: CollectionTime)> = []
  /// Estimated size of the identifiers in memory, in bytes.
  private(set) var byteCount = 0

  /// A batch with a request identifier.
  struct Known: Hashable, Sendable {
    /// The version that it led to.
    var version: UInt64
    /// Tells it from others with the same identifier; nil = an earlier release stored it.
    var mark: RequestMark?
  }

  /// - Parameter seconds: how long identifiers are remembered.
  init(countLimit: Int, byteLimit: Int, seconds: Int64) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
    self.seconds = seconds
  }

  /// The batch with this identifier; nil = there was none, or it is forgotten.
  mutating func batch(of id: String, now: CollectionTime) -> Known? {
    guard !id.isEmpty else { return nil }
    forget(before: now)
    return batches[ExactText(id)]
  }

  /// Remembers the identifier of a batch, if it has one.
  mutating func remember(_ batch: StoredBatch) {
    remember(
      batch.requestID,
      version: batch.version,
      mark: batch.mark,
      now: batch.time
    )
  }

  /// Remembers an identifier; "" = the batch has none. If it is known already, its batch is
  /// replaced and its age stays.
  mutating func remember(
    _ id: String,
    version: UInt64,
    mark: RequestMark? = nil,
    now: CollectionTime
  ) {
    let known = Known(version: version, mark: mark)
    guard !id.isEmpty, batches.updateValue(known, forKey: ExactText(id)) == nil else { return }
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
      batches[ExactText(oldest.id)] = nil
    }
  }

  /// Estimated bytes of one identifier: 144 for its entries in dictionary and queue with their
  /// spare capacity, and its characters.
  private static func bytes(of id: String) -> Int { 144 + id.utf8.count }
}
