// SPDX-License-Identifier: Apache-2.0

/// The identifiers of the batches that were applied last, with the version that each led to.
struct RecentRequests: Sendable {
  private var versions: [String: UInt64] = [:]
  private var order: [String] = []

  private static let capacity = 256

  func version(of requestID: String) -> UInt64? { versions[requestID] }

  mutating func record(_ requestID: String, version: UInt64) {
    guard !requestID.isEmpty, versions.updateValue(version, forKey: requestID) == nil else {
      return
    }
    order.append(requestID)
    if order.count > Self.capacity { versions[order.removeFirst()] = nil }
  }
}
