// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The request identifiers of the latest applied batches, with the data version that each led to.
struct RecentRequests: Sendable {
  struct Known: Sendable {
    /// The data version that the batch led to.
    var version: UInt64
    /// See `UpdateBatch.digest`.
    var digest: UInt64?
  }

  private var batches: [ExactText: Known] = [:]
  /// The identifiers, the oldest first.
  private var order: [String] = []

  /// Roughly the memory in use, in bytes.
  private(set) var byteCount = 0

  /// How many identifiers are remembered.
  private static let capacity = 256

  /// The batch with this identifier; nil = none was applied, or its identifier was forgotten.
  func batch(of requestID: String) -> Known? { batches[ExactText(requestID)] }

  /// Remembers a batch, unless its identifier is "", and forgets the oldest one if there are too
  /// many. A known identifier keeps its age and gets the new version.
  ///
  /// - Complexity: O(remembered batches), which are few
  mutating func record(_ batch: UpdateBatch, version: UInt64) {
    let requestID = batch.requestID
    let known = Known(version: version, digest: batch.digest)
    guard !requestID.isEmpty, batches.updateValue(known, forKey: ExactText(requestID)) == nil
    else { return }
    order.append(requestID)
    byteCount += Self.byteCount(of: requestID)
    guard order.count > Self.capacity else { return }
    let oldest = order.removeFirst()
    batches[ExactText(oldest)] = nil
    byteCount -= Self.byteCount(of: oldest)
  }

  /// The bytes of the text, which list and dictionary share, and of its entries in both.
  private static func byteCount(of requestID: String) -> Int {
    requestID.utf8.count + 96
  }
}
