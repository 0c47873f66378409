// SPDX-License-Identifier: Apache-2.0

/// How much of a collection's log is kept when it is trimmed. Batches after the stored snapshot are
/// kept in any case.
public struct LogRetention: Hashable, Sendable {
  /// The most batches to keep, those after the snapshot included.
  public var batchCount: Int
  /// The most bytes of payloads to keep, those after the snapshot included.
  public var batchBytes: Int
  /// The most request identifiers to keep of batches that are trimmed.
  public var requestCount: Int
  /// Request identifiers of batches committed before this moment are dropped.
  public var requestsSince: CollectionTime

  /// A retention with these limits.
  public init(
    batchCount: Int,
    batchBytes: Int,
    requestCount: Int,
    requestsSince: CollectionTime
  ) {
    self.batchCount = batchCount
    self.batchBytes = batchBytes
    self.requestCount = requestCount
    self.requestsSince = requestsSince
  }
}
