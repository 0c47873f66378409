// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the contents of all collections take that an owner has created, whether or not they are in memory.
///
/// Sizes are those in memory. Of a collection that has not been used since the start its size is estimated by its
/// counts; it is right from the first use on.
final class OwnedContents: Sendable {
  private let limit: @Sendable (_ owner: String) -> Int?
  private let bytes = Mutex<[String: Int]>([:])

  /// - Parameter limit: of an owner, in bytes; nil = he has none.
  init(limit: @escaping @Sendable (_ owner: String) -> Int?) { self.limit = limit }

  /// Bytes of an owner's contents.
  func byteCount(of owner: String) -> Int { bytes.withLock { $0[owner] ?? 0 } }

  /// Counts bytes in advance by which contents are about to grow.
  ///
  /// - Parameter owner: "" = nobody, who has no limit.
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

  /// Counts contents that have changed their size, whatever the limit is.
  func change(by growth: Int, of owner: String) {
    guard !owner.isEmpty, growth != 0 else { return }
    bytes.withLock { bytes in
      let rest = bytes[owner, default: 0] + growth
      bytes[owner] = rest > 0 ? rest : nil
    }
  }
}

extension CollectionRecord {
  /// About what contents take in memory whose items have a size each.
  var estimatedContentBytes: Int { estimatedByteCount(perItem: 10) }

  /// About what the contents take in memory, in bytes, with what a section takes besides its items.
  func estimatedByteCount(perItem bytes: Int) -> Int {
    let (items, overflow) = itemCount.multipliedReportingOverflow(by: bytes)
    return overflow ? .max / 4 : min(items, .max / 4) + min(sectionCount, 1 << 32) * 512
  }
}
