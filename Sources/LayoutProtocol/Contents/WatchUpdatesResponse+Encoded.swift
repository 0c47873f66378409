// SPDX-License-Identifier: Apache-2.0

extension CollectionLayout_V1_WatchUpdatesResponse {
  /// The tag of `batch` in the wire format: field 2, with a length before it.
  private static let batchTag: UInt8 = 2 << 3 | 2

  /// A response with a batch that is encoded already.
  ///
  /// - Parameters:
  ///   - batch: an encoded `UpdateBatch`.
  ///   - response: the encoded response without it.
  package static func appendingBatch(encoded batch: [UInt8], to response: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(response.count + 11 + batch.count)
    bytes += response
    bytes.append(batchTag)
    var length = UInt64(batch.count)
    while length >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    bytes.append(UInt8(length))
    bytes += batch
    return bytes
  }
}
