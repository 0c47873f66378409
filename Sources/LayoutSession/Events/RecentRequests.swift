// SPDX-License-Identifier: Apache-2.0

/// The identifiers of the batches that were applied last, with the version that each led to.
struct RecentRequests: Sendable {
  private var versions: [String: UInt64] = [:]
  private var order: [String] = []

  /// What it keeps in memory, in bytes.
  private(set) var byteCount = 0

  private static let capacity = 256

  func version(of requestID: String) -> UInt64? { versions[requestID] }

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

  /// The text, shared by the list and the dictionary, and its place in both.
  private static func byteCount(of requestID: String) -> Int {
    requestID.utf8.count + 80
  }
}
