// SPDX-License-Identifier: Apache-2.0

/// The request identifiers of the latest applied batches, with the data version that each led to.
struct RecentRequests: Sendable {
  private var versions: [String: UInt64] = [:]
  /// The identifiers, the oldest first.
  private var order: [String] = []

  /// Roughly the memory in use, in bytes.
  private(set) var byteCount = 0

  /// How many identifiers are remembered.
  private static let capacity = 256

  /// The version that a batch led to; nil = it was not applied, or long ago.
  func version(of requestID: String) -> UInt64? { versions[requestID] }

  /// Remembers a batch, unless its identifier is "" or known already, and forgets the oldest one where
  /// there are too many.
  mutating func record(_ requestID: String, version: UInt64) {
    guard !requestID.isEmpty, versions.updateValue(version, forKey: requestID) == nil else {
      return
    }
    order.append(requestID)
    byteCount += Self.byteCount(of: requestID)
    guard order.count > Self.capacity else { return }
    let oldest = order.removeFirst()
    versions[oldest] = nil
    byteCount -= Self.byteCount(of: oldest)
  }

  /// The bytes of the text, which list and dictionary share, and of its entries in both.
  private static func byteCount(of requestID: String) -> Int {
    requestID.utf8.count + 80
  }
}
