// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutTrust
internal import SwiftProtobuf

/// Answers the calls of CollectionService about named layouts.
struct LayoutResponder: Sendable {
  let collections: CollectionResponder
  let rules: ReadingRules
  let limits: CallLimits

  /// Whether an answer is encoded on the engine's threads.
  static func isLarge(_ response: Wire.ListLayoutsResponse) -> Bool {
    response.layouts.count > CollectionResponder.smallPage
  }

  func create(
    _ request: Wire.CreateLayoutRequest,
    call: OpenCall
  ) async throws -> Wire.CreateLayoutResponse {
    let parent = try CollectionName(parsing: request.parent, field: "parent")
    let id = request.layoutID.isEmpty ? CollectionResponder.makeID("l") : request.layoutID
    guard CollectionName.isValid(id) else {
      throw LayoutProblem.fieldInvalid(
        "layout_id",
        "\(id.quotedAsFound) found; \(CollectionName.rule) are needed"
      )
    }
    try CollectionDescription.check(
      displayName: request.layout.displayName,
      "layout.display_name"
    )
    let layout = NamedLayout(
      id: id,
      displayName: request.layout.displayName,
      layout: try await encoded(request.layout, call: call)
    )
    let name = LayoutName(id, of: parent)
    let collection = try await collections.collection(
      named: request.parent,
      field: "parent",
      for: .edit,
      by: call
    )
    let record: CollectionRecord
    do throws(StoreError) { record = try await collection.createLayout(layout) } catch {
      throw LayoutProblem(error, of: name)
    }
    call.charge(record: record)
    call.access.audit(.edit, on: parent.id, version: record.dataVersion)
    var response = Wire.CreateLayoutResponse()
    response.layout = try Self.message(name, in: record)
    return response
  }

  func get(
    _ request: Wire.GetLayoutRequest,
    by access: CallAccess
  ) async throws(LayoutProblem) -> Wire.GetLayoutResponse {
    let name = try LayoutName(parsing: request.name, field: "name")
    var response = Wire.GetLayoutResponse()
    response.layout = try Self.message(name, in: try await record(name.collection, for: access))
    return response
  }

  func list(
    _ request: Wire.ListLayoutsRequest,
    call: OpenCall
  ) async throws -> Wire.ListLayoutsResponse {
    let isLarge =
      CollectionResponder.pageSize(request.pageSize) > CollectionResponder.smallPage
    let parent = try CollectionName(parsing: request.parent, field: "parent")
    var fixed = Wire.ListLayoutsRequest()
    fixed.parent = request.parent
    let fingerprint = PageToken.fingerprint(of: fixed)
    let start =
      request.pageToken.isEmpty
      ? ""
      : try PageToken(parsing: request.pageToken, fingerprint: fingerprint, positions: 0).text
    let record = try await record(parent, for: call.access)
    return try await collections.engine.read(isLarge: isLarge, for: call.account) {
      page(request, after: start, of: record, fingerprint)
    }
  }

  private func page(
    _ request: Wire.ListLayoutsRequest,
    after start: String,
    of record: CollectionRecord,
    _ fingerprint: UInt64
  ) -> Wire.ListLayoutsResponse {
    let size = CollectionResponder.pageSize(request.pageSize)
    let following = record.layouts.drop { $0.id <= start }
    var response = Wire.ListLayoutsResponse()
    var room = AnswerRoom(bytes: limits.pageBytes)
    for layout in following.prefix(size) {
      let message = Wire.NamedLayout(layout, of: record)
      // A page holds at least one layout, even if that exceeds the byte limit.
      guard room.take(message) || response.layouts.isEmpty else { break }
      response.layouts.append(message)
    }
    let count = response.layouts.count
    if count > 0, count < following.count {
      let last = following[following.startIndex + count - 1].id
      response.nextPageToken = PageToken(fingerprint: fingerprint, text: last).token
    }
    return response
  }

  func update(
    _ request: Wire.UpdateLayoutRequest,
    call: OpenCall
  ) async throws -> Wire.UpdateLayoutResponse {
    let name = try LayoutName(parsing: request.layout.name, field: "layout.name")
    let fields = try Field.named(by: request)
    try CollectionDescription.check(
      displayName: request.layout.displayName,
      "layout.display_name"
    )
    var encoded: [UInt8]?
    if request.layout.hasLayout || fields.contains(.layout) {
      encoded = try await self.encoded(request.layout, call: call)
    }
    let layout = fields.contains(.layout) ? encoded : nil
    let displayName = fields.contains(.displayName) ? request.layout.displayName : nil
    let isAnimated = request.animated
    let collection = try await collections.collection(
      named: name.collection.description,
      field: "layout.name",
      for: .edit,
      by: call
    )
    let record: CollectionRecord
    do throws(StoreError) {
      record = try await collection.updateLayout(name.id, etag: request.layout.etag) { stored in
        if let displayName { stored.displayName = displayName }
        if let layout {
          stored.layout = layout
          stored.isAnimated = isAnimated
        }
      }
    } catch { throw LayoutProblem(error, of: name).within("layout") }
    call.charge(record: record)
    call.access.audit(.edit, on: collection.id, version: record.dataVersion)
    var response = Wire.UpdateLayoutResponse()
    response.layout = try Self.message(name, in: record)
    return response
  }

  func delete(
    _ request: Wire.DeleteLayoutRequest,
    call: OpenCall
  ) async throws(LayoutProblem) -> Wire.DeleteLayoutResponse {
    let name = try LayoutName(parsing: request.name, field: "name")
    let collection = try await collections.collection(
      named: name.collection.description,
      field: "name",
      for: .edit,
      by: call
    )
    do throws(StoreError) { try await collection.deleteLayout(name.id, etag: request.etag) } catch {
      if case .layoutNotFound = error, request.allowMissing { return Wire.DeleteLayoutResponse() }
      throw LayoutProblem(error, of: name)
    }
    call.charge(record: collection.snapshot.record)
    call.access.audit(.edit, on: collection.id, version: collection.dataVersion)
    return Wire.DeleteLayoutResponse()
  }

  // MARK: - Parts

  private func record(
    _ name: CollectionName,
    for access: CallAccess
  ) async throws(LayoutProblem) -> CollectionRecord {
    try access.require(.view, on: name.id)
    do throws(StoreError) { return try await collections.registry.currentRecord(name.id) } catch {
      throw LayoutProblem(error)
    }
  }

  /// Validates the layout of a message, on the engine's threads if the request is large.
  private func encoded(_ message: Wire.NamedLayout, call: OpenCall) async throws -> [UInt8] {
    let (rules, limit) = (rules, limits.defaultLayoutBytes)
    return try await collections.engine.read(isLarge: call.isLarge, for: call.account) {
      try CollectionDescription.encoded(message.layout, "layout.layout", by: rules, atMost: limit)
    }
  }

  private static func message(
    _ name: LayoutName,
    in record: CollectionRecord
  ) throws(LayoutProblem) -> Wire.NamedLayout {
    guard let layout = record.layout(name.id) else { throw .layoutNotFound(name.description) }
    return Wire.NamedLayout(layout, of: record)
  }

  /// A field that `update` can change.
  private enum Field: String, CaseIterable {
    case displayName = "display_name"
    case layout

    /// The fields that the mask names; without a mask, the fields that are set in the layout.
    static func named(by request: Wire.UpdateLayoutRequest) throws(LayoutProblem) -> Set<Field> {
      let paths = request.updateMask.paths
      if paths.isEmpty {
        var fields: Set<Field> = []
        if !request.layout.displayName.isEmpty { fields.insert(.displayName) }
        if request.layout.hasLayout { fields.insert(.layout) }
        return fields
      }
      return try request.updateMask.fields("update_mask")
    }
  }
}

extension Wire.NamedLayout {
  /// The message of a named layout.
  init(_ layout: NamedLayout, of record: CollectionRecord) {
    self.init()
    name = LayoutName(layout.id, of: CollectionName(record.id)).description
    displayName = layout.displayName
    // The server encoded these bytes itself, so decoding them does not fail unless they are
    // damaged.
    if let spec = try? Wire.LayoutSpec(serializedBytes: layout.layout) { self.layout = spec }
    createTime = Google_Protobuf_Timestamp(layout.createTime)
    updateTime = Google_Protobuf_Timestamp(layout.updateTime)
    etag = record.etag(of: layout)
  }
}

extension LayoutProblem {
  /// The store's refusal of a call about a layout.
  init(_ error: StoreError, of name: LayoutName) {
    switch error {
    case .layoutNotFound: self = .layoutNotFound(name.description)
    case .layoutExists: self = .layoutExists(name.description)
    default: self.init(error)
    }
  }
}
