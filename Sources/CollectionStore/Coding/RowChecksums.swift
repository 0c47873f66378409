// SPDX-License-Identifier: Apache-2.0

extension StoredBatch {
  /// The checksum of the row.
  ///
  /// - Parameter collection: the key of the collection's rows.
  package func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(version)
    checksum.add(requestID)
    checksum.add(time.seconds)
    checksum.add(Int64(time.nanoseconds))
    checksum.add(payload)
    return checksum.value
  }
}

extension StoredRequest {
  /// The checksum of the row.
  ///
  /// - Parameter collection: the key of the collection's rows.
  package func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(version)
    checksum.add(id)
    checksum.add(time.seconds)
    checksum.add(Int64(time.nanoseconds))
    return checksum.value
  }
}
