// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol

/// The collection that contents go into.
struct TargetCollection {
  /// "collections/{collection}"
  var name: String
  /// nil = as it is; of a new one, none.
  var displayName: String?
  /// nil = as it is; of a new one, `newLayout`.
  var layout: Wire.LayoutSpec?
  var newLayout = LayoutArgument("flow")

  /// Makes the collection, or sets what is asked for of one that exists.
  func prepare(client: LayoutClient) async throws {
    var described = Wire.Collection()
    if let displayName { described.displayName = displayName }
    if let layout { described.defaultLayout = layout }
    do {
      var request = Wire.CreateCollectionRequest()
      request.collectionID = CollectionArgument.identifier(of: name)
      request.collection = described
      if layout == nil { request.collection.defaultLayout = try newLayout.spec() }
      _ = try await client.collections.createCollection(request)
    } catch let error as RPCError where error.code == .alreadyExists {
      guard layout != nil || displayName != nil else { return }
      var request = Wire.UpdateCollectionRequest()
      request.collection = described
      request.collection.name = name
      _ = try await client.collections.updateCollection(request)
    }
  }
}

extension Wire.Collection {
  /// What was put into it, in a line.
  func summary(since start: ContinuousClock.Instant, invalidRows: Int = 0) -> String {
    let seconds = start.duration(to: .now) / .seconds(1)
    let skipped = invalidRows > 0 ? ", \(invalidRows.grouped) invalid rows left out" : ""
    return "\(name): \(Int(clamping: itemCount).grouped) items in "
      + "\(Int(sectionCount).grouped) sections, version \(dataVersion)\(skipped) "
      + "(\(seconds.text()) s)"
  }
}
