// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension StoredBatch {
  /// The checksum of the row.
  ///
  /// - Parameter collection: the key of the collection's rows.
  package func checksum(in collection: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(collection)
    checksum.add(version)
    checksum.add(request.text)
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
    checksum.add(request.text)
    checksum.add(time.seconds)
    checksum.add(Int64(time.nanoseconds))
    return checksum.value
  }
}

extension StoredBatch {
  /// The request identifier as it is stored.
  package var request: RequestBytes { RequestBytes(id: requestID, mark: mark) }
}

extension StoredRequest {
  /// The identifier as it is stored.
  package var request: RequestBytes { RequestBytes(id: id, mark: mark) }
}
