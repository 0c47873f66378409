// SPDX-License-Identifier: Apache-2.0

package import CollectionModel
internal import SwiftProtobuf

extension CollectionLayout_V1_TransferItemsRequest {
  /// Reads the transfer. Whether it applies to the current contents is checked later, by the model.
  ///
  /// - Throws: FIELD_INVALID, INDEX_OUT_OF_RANGE or a quota, with paths such as
  ///   "source.paths[3].item".
  package func decoded(limits: ContentsLimits) throws(LayoutProblem) -> ItemTransfer {
    var reader = FieldReader()
    let items = reader.within("source") { $0.transferred(source, limits: limits) }
    let place = reader.within("destination") { $0.transferPlace(destination) }
    let requestID = reader.text(requestID, "request_id", maxBytes: FieldReader.maxNameBytes)
    try reader.finish()
    var transfer = ItemTransfer(
      items,
      // If there is no place, `finish` has thrown.
      to: place ?? .path(IndexPath(section: 0)),
      requestID: requestID,
      expectedSourceVersion: source.hasExpectedDataVersion ? source.expectedDataVersion : nil,
      expectedDestinationVersion: destination.hasExpectedDataVersion
        ? destination.expectedDataVersion : nil,
      isAnimated: animated
    )
    if !requestID.isEmpty { transfer.digest = digest }
    return transfer
  }

  /// The same for a retry, whatever versions it expects.
  private var digest: UInt64? {
    var request = self
    request.source.clearExpectedDataVersion()
    request.destination.clearExpectedDataVersion()
    return (try? request.serializedBytes()).map { Checksum.digest(of: $0) }
  }

  /// The message of a transfer between collections, by their names.
  package init(_ transfer: ItemTransfer, from source: String, to destination: String) {
    self.init()
    self.source.name = source
    switch transfer.items {
    case .keys(let keys): self.source.keys = keys
    case .paths(let paths): self.source.paths = paths.map { Wire.IndexPath($0) }
    }
    if let version = transfer.expectedSourceVersion {
      self.source.expectedDataVersion = version
    }
    self.destination.name = destination
    switch transfer.place {
    case .path(let path): self.destination.at = Wire.IndexPath(path)
    case .relative(let place): self.destination.relativeTo = Wire.OutlinePlace(place)
    }
    if let version = transfer.expectedDestinationVersion {
      self.destination.expectedDataVersion = version
    }
    requestID = transfer.requestID
    animated = transfer.isAnimated
  }
}

extension FieldReader {
  fileprivate mutating func transferred(
    _ message: CollectionLayout_V1_TransferSource,
    limits: ContentsLimits
  ) -> ItemTransfer.Items {
    let count = message.keys.count + message.paths.count
    guard count <= limits.operations else {
      fail(
        .quotaExceeded(
          .operations,
          limit: UInt64(limits.operations),
          found: UInt64(count),
          field: path()
        )
      )
      return .keys([])
    }
    if message.paths.isEmpty { return .keys(message.keys) }
    if !message.keys.isEmpty {
      reject("keys", "\(message.keys.count) keys found besides paths; only one of both")
    }
    return .paths(each(message.paths, "paths") { path, reader in reader.path(ofItem: path) })
  }

  /// - Returns: nil = it was refused.
  fileprivate mutating func transferPlace(
    _ message: CollectionLayout_V1_TransferDestination
  ) -> ItemTransfer.Place? {
    switch message.place {
    case .at(let path): return .path(indexPath(path, "at"))
    case .relativeTo(let place):
      return within("relative_to") { $0.outlinePlace(place, "place") }.map { .relative($0) }
    case nil:
      reject("place", "nothing found; at or relative_to is needed")
      return nil
    }
  }
}
