// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the contents of all collections by the owner who created them, whether or not they are in
/// memory.
///
/// Sizes are those in memory. The size of a collection that has not been used since the start is
/// estimated from its counts; it is exact from the first use on.
final class OwnedContents: Sendable {
  private let limit: @Sendable (_ owner: String) -> Int?
  private let bytes = Mutex<[String: Int]>([:])

  /// - Parameter limit: returns the most bytes of an owner's contents; nil = unlimited.
  init(limit: @escaping @Sendable (_ owner: String) -> Int?) { self.limit = limit }

  /// Bytes of an owner's contents.
  func byteCount(of owner: String) -> Int { bytes.withLock { $0[owner] ?? 0 } }

  /// Claims the bytes by which contents are about to grow.
  ///
  /// - Parameter owner: "" = nobody, for whom no limit applies.
  /// - Throws: `StoreError.limitExceeded(.identityBytes, …)`
  func claim(_ growth: Int, of owner: String) throws(StoreError) {
    guard !owner.isEmpty, growth > 0 else { return }
    let limit = limit(owner) ?? .max
    let wanted = bytes.withLock { bytes in
      let (wanted, overflow) = bytes[owner, default: 0].addingReportingOverflow(growth)
      guard !overflow, wanted <= limit else { return Int?(wanted) }
      bytes[owner] = wanted
      return nil
    }
    if let wanted { throw .limitExceeded(.identityBytes, found: wanted, limit: limit) }
  }

  /// Counts a change of size regardless of the limit.
  func change(by growth: Int, of owner: String) {
    guard !owner.isEmpty, growth != 0 else { return }
    bytes.withLock { bytes in
      let rest = bytes[owner, default: 0] + growth
      bytes[owner] = rest > 0 ? rest : nil
    }
  }
}

extension CollectionRecord {
  /// An estimate of the contents' size in memory, assuming a size for each item.
  var estimatedContentBytes: Int { estimatedByteCount(perItem: 10) }

  /// An estimate of the contents' size in memory, in bytes, including the overhead of sections.
  func estimatedByteCount(perItem bytes: Int) -> Int {
    let (items, overflow) = itemCount.multipliedReportingOverflow(by: bytes)
    return overflow ? .max / 4 : min(items, .max / 4) + min(sectionCount, 1 << 32) * 512
  }
}
