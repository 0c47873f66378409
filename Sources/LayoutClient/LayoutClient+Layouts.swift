// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
package import LayoutProtocol
internal import SwiftProtobuf

extension LayoutClient {
  /// Creates a named layout of a collection.
  ///
  /// - Parameters:
  ///   - layout: the layout.
  ///   - id: the last part of its name "collections/{collection}/layouts/{layout}"; "" = the server
  ///     chooses one.
  ///   - collection: "collections/{collection}"
  ///   - displayName: a name to show to people.
  /// - Throws: `LayoutProblem`: LAYOUT_EXISTS, FIELD_INVALID, COLLECTION_NOT_FOUND, QUOTA_LAYOUTS.
  public func createLayout(
    _ layout: LayoutConfiguration,
    id: String = "",
    of collection: String,
    displayName: String = ""
  ) async throws -> NamedLayoutInfo {
    try await createLayout(
      try Wire.LayoutSpec(sending: layout),
      id: id,
      of: collection,
      displayName: displayName
    )
  }

  /// The same with a layout that is a message already.
  package func createLayout(
    _ layout: Wire.LayoutSpec,
    id: String,
    of collection: String,
    displayName: String
  ) async throws -> NamedLayoutInfo {
    var request = CollectionLayout_V1_CreateLayoutRequest()
    request.parent = collection
    request.layoutID = id
    request.layout.displayName = displayName
    request.layout.layout = layout
    return try await call { NamedLayoutInfo(try await collections.createLayout(request).layout) }
  }

  /// A named layout.
  ///
  /// - Parameter name: "collections/{collection}/layouts/{layout}"
  /// - Throws: `LayoutProblem`: LAYOUT_NOT_FOUND, COLLECTION_NOT_FOUND.
  public func layout(named name: String) async throws -> NamedLayoutInfo {
    var request = CollectionLayout_V1_GetLayoutRequest()
    request.name = name
    return try await call { NamedLayoutInfo(try await collections.getLayout(request).layout) }
  }

  /// The named layouts of a collection, in order of their names. Makes one call for each page.
  ///
  /// - Parameter collection: "collections/{collection}"
  /// - Throws: `LayoutProblem`: COLLECTION_NOT_FOUND.
  public func listLayouts(of collection: String) async throws -> [NamedLayoutInfo] {
    var all: [NamedLayoutInfo] = []
    var request = CollectionLayout_V1_ListLayoutsRequest()
    request.parent = collection
    request.pageSize = 1000
    var pages = Pages()
    while true {
      request.pageToken = pages.token
      let page = try await call { try await collections.listLayouts(request) }
      all += page.layouts.map(NamedLayoutInfo.init)
      let count = page.layouts.count
      guard try pages.turn(to: page.nextPageToken, entries: count) else { return all }
    }
  }

  /// Changes a named layout, and with it what all viewers see who use it. Fields that are nil stay
  /// as they are.
  ///
  /// - Parameters:
  ///   - name: "collections/{collection}/layouts/{layout}"
  ///   - isAnimated: whether the change is a transition for these viewers.
  ///   - etag: the etag that the layout must have; "" = any.
  /// - Returns: the layout after the change.
  /// - Throws: `LayoutProblem`: LAYOUT_NOT_FOUND, COLLECTION_NOT_FOUND, VERSION_CONFLICT,
  ///   FIELD_INVALID.
  public func updateLayout(
    _ name: String,
    to layout: LayoutConfiguration? = nil,
    displayName: String? = nil,
    isAnimated: Bool = false,
    etag: String = ""
  ) async throws -> NamedLayoutInfo {
    try await updateLayout(
      name,
      to: try layout.map { try Wire.LayoutSpec(sending: $0) },
      displayName: displayName,
      isAnimated: isAnimated,
      etag: etag
    )
  }

  /// The same with a layout that is a message already.
  package func updateLayout(
    _ name: String,
    to layout: Wire.LayoutSpec?,
    displayName: String?,
    isAnimated: Bool,
    etag: String
  ) async throws -> NamedLayoutInfo {
    var request = CollectionLayout_V1_UpdateLayoutRequest()
    request.layout.name = name
    request.layout.etag = etag
    request.animated = isAnimated
    if let displayName {
      request.layout.displayName = displayName
      request.updateMask.paths.append("display_name")
    }
    if let layout {
      request.layout.layout = layout
      request.updateMask.paths.append("layout")
    }
    return try await call { NamedLayoutInfo(try await collections.updateLayout(request).layout) }
  }

  /// Deletes a named layout. Viewers who use it keep what they have.
  ///
  /// - Parameters:
  ///   - name: "collections/{collection}/layouts/{layout}"
  ///   - etag: the etag that the layout must have; "" = any.
  ///   - allowMissing: whether to succeed if the layout does not exist.
  /// - Throws: `LayoutProblem`: LAYOUT_NOT_FOUND, COLLECTION_NOT_FOUND, VERSION_CONFLICT.
  public func deleteLayout(
    _ name: String,
    etag: String = "",
    allowMissing: Bool = false
  ) async throws {
    var request = CollectionLayout_V1_DeleteLayoutRequest()
    request.name = name
    request.etag = etag
    request.allowMissing = allowMissing
    _ = try await call { try await collections.deleteLayout(request) }
  }
}
