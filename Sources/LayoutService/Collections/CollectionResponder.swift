// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutTrust
internal import SwiftProtobuf
internal import Tracing

/// Answers the unary calls of CollectionService.
struct CollectionResponder: Sendable {
  let registry: CollectionRegistry
  let engine: LayoutEngine
  let rules: ReadingRules
  let limits: CallLimits
  /// The most bytes of one message.
  let messageBytes: Int

  private static let defaultPage = 50
  private static let largestPage = 1000

  /// The number of entries in a page, given the wanted number.
  static func pageSize(_ wanted: UInt32) -> Int {
    wanted == 0 ? defaultPage : min(Int(wanted), largestPage)
  }

  func create(
    _ request: Wire.CreateCollectionRequest,
    call: OpenCall
  ) async throws -> Wire.CreateCollectionResponse {
    let id = request.collectionID.isEmpty ? Self.makeID("c") : request.collectionID
    guard CollectionName.isValid(id) else {
      throw LayoutProblem.fieldInvalid(
        "collection_id",
        "\(id.quotedAsFound) found; \(CollectionName.rule) are needed"
      )
    }
    try call.access.requireCreation(of: id)
    let described = try await described(request.collection, call: call)
    let rules = rules
    let contents = try await engine.read(
      isLarge: call.isLarge || request.contents.isLarge,
      for: call.account
    ) {
      var reader = FieldReader()
      let contents = reader.contents(request.contents, "contents", limits: rules.limits)
      try reader.finish()
      return contents
    }
    let record = CollectionRecord(
      id: id,
      displayName: described.displayName,
      labels: described.labels,
      defaultLayout: described.defaultLayout,
      sharesMeasurements: described.sharesMeasurements,
      owner: call.access.owner ?? ""
    )
    try call.access.throwIfDenied()
    let collection: LiveCollection
    do throws(StoreError) {
      collection = try await registry.create(record, contents: contents)
    } catch { throw LayoutProblem(error) }
    call.access.audit(.admin, on: id, version: 0)
    var response = Wire.CreateCollectionResponse()
    response.collection = Wire.Collection(collection.snapshot.record)
    return response
  }

  func get(
    _ request: Wire.GetCollectionRequest,
    by access: CallAccess
  ) async throws(LayoutProblem) -> Wire.GetCollectionResponse {
    var response = Wire.GetCollectionResponse()
    let name = try CollectionName(parsing: request.name, field: "name")
    try access.require(.view, on: name.id)
    do throws(StoreError) {
      response.collection = Wire.Collection(try await registry.currentRecord(name.id))
    } catch { throw LayoutProblem(error) }
    return response
  }

  /// Pages of up to this many entries take well below a millisecond. Larger ones are made on the
  /// engine's threads.
  static let smallPage = 32

  /// Whether an answer is encoded on the engine's threads.
  static func isLarge(_ response: Wire.ListCollectionsResponse) -> Bool {
    response.collections.count > smallPage
  }

  /// The most records that are read from the registry under its lock before others get it.
  private static let recordsAtOnce = 128

  func list(
    _ request: Wire.ListCollectionsRequest,
    call: OpenCall
  ) async throws -> Wire.ListCollectionsResponse {
    let isLarge = Self.pageSize(request.pageSize) > Self.smallPage
    return try await engine.read(isLarge: isLarge, for: call.account) {
      try list(request, by: call.access)
    }
  }

  private func list(
    _ request: Wire.ListCollectionsRequest,
    by access: CallAccess
  ) throws(LayoutProblem) -> Wire.ListCollectionsResponse {
    let size = Self.pageSize(request.pageSize)
    // The token does not depend on the request: page size and view may differ from page to page.
    let fingerprint = PageToken.fingerprint(of: Wire.ListCollectionsRequest())
    let start =
      request.pageToken.isEmpty
      ? ""
      : try PageToken(parsing: request.pageToken, fingerprint: fingerprint, positions: 0).text
    let view = try Self.view(of: request)
    let found = records(after: start, limit: size + 1, visibleTo: access)
    var response = Wire.ListCollectionsResponse()
    var room = AnswerRoom(bytes: limits.pageBytes)
    for record in found.prefix(size) {
      let collection = Wire.Collection(record, isFull: view != .basic)
      // A page holds at least one collection, even if that exceeds the byte limit.
      guard room.take(collection) || response.collections.isEmpty else { break }
      response.collections.append(collection)
    }
    let count = response.collections.count
    if count > 0, count < found.count {
      response.nextPageToken =
        PageToken(fingerprint: fingerprint, text: found[count - 1].id).token
    }
    return response
  }

  /// The first records after an identifier that a caller may see.
  ///
  /// Only identifiers with the prefixes on which the caller has rights are visited. So timing tells
  /// nothing about collections that the caller may not see.
  ///
  /// - Complexity: O(limit + collections with such prefixes that the caller may not see)
  private func records(
    after start: String,
    limit: Int,
    visibleTo access: CallAccess
  ) -> [CollectionRecord] {
    var found: [CollectionRecord] = []
    for beginning in access.beginnings(.view) {
      var start = start
      while found.count < limit {
        let most = min(limit, Self.recordsAtOnce)
        let some = registry.records(after: start, beginningWith: beginning, limit: most)
        found += some.filter { access.allows(.view, on: $0.id) }
        guard some.count == most, let last = some.last else { break }
        start = last.id
      }
    }
    return Array(found.prefix(limit))
  }

  private static func view(
    of request: Wire.ListCollectionsRequest
  ) throws(LayoutProblem) -> Wire.CollectionView {
    var reader = FieldReader()
    let view = reader.choice(request.view, "view") { view -> Wire.CollectionView? in
      if case .UNRECOGNIZED = view { nil } else { view }
    }
    try reader.finish()
    return view ?? .unspecified
  }

  func update(
    _ request: Wire.UpdateCollectionRequest,
    call: OpenCall
  ) async throws -> Wire.UpdateCollectionResponse {
    let collection = try await collection(
      named: request.collection.name,
      field: "collection.name",
      for: .edit,
      by: call
    )
    let described = try await described(request.collection, call: call)
    let fields = try Field.named(by: request)
    let snapshot: CollectionSnapshot
    do throws(StoreError) {
      snapshot = try await collection.updateRecord(etag: request.collection.etag) { record in
        if fields.contains(.displayName) { record.displayName = described.displayName }
        if fields.contains(.labels) { record.labels = described.labels }
        if fields.contains(.defaultLayout) { record.defaultLayout = described.defaultLayout }
        if fields.contains(.sharedMeasurements) {
          record.sharesMeasurements = described.sharesMeasurements
        }
      }
    } catch { throw LayoutProblem(error).within("collection") }
    call.charge(record: snapshot.record)
    call.access.audit(.edit, on: collection.id, version: snapshot.record.dataVersion)
    var response = Wire.UpdateCollectionResponse()
    response.collection = Wire.Collection(snapshot.record)
    return response
  }

  /// Validates what a client says of a collection, on the engine's threads if the request is large:
  /// it may have a default layout of megabytes.
  private func described(
    _ message: Wire.Collection,
    call: OpenCall
  ) async throws -> CollectionDescription {
    let (rules, layoutBytes) = (rules, limits.defaultLayoutBytes)
    return try await engine.read(isLarge: call.isLarge, for: call.account) {
      try CollectionDescription(message, by: rules, layoutBytes: layoutBytes, prefix: "collection")
    }
  }

  func delete(
    _ request: Wire.DeleteCollectionRequest,
    by access: CallAccess
  ) async throws(LayoutProblem) -> Wire.DeleteCollectionResponse {
    let name = try CollectionName(parsing: request.name, field: "name")
    do throws(LayoutProblem) { try access.require(.admin, on: name.id) } catch {
      if error.reason == .collectionNotFound, request.allowMissing {
        return Wire.DeleteCollectionResponse()
      }
      throw error
    }
    do throws(StoreError) {
      let identity = registry.contentsIdentity(of: name.id)
      let deleted = try await registry.delete(name.id, etag: request.etag)
      engine.purge(ContentsIdentity(identity ?? deleted.incarnation))
      access.audit(.admin, on: name.id, version: deleted.dataVersion)
    } catch {
      if case .notFound = error, request.allowMissing { return Wire.DeleteCollectionResponse() }
      throw LayoutProblem(error)
    }
    return Wire.DeleteCollectionResponse()
  }

  func apply(
    _ request: Wire.ApplyUpdatesRequest,
    call: OpenCall
  ) async throws -> Wire.ApplyUpdatesResponse {
    let collection = try await collection(named: request.name, for: .edit, by: call)
    let rules = rules
    let batch = try await engine.read(
      isLarge: call.isLarge || request.batch.isLarge,
      for: call.account
    ) {
      try request.batch.decoded(limits: rules.limits, prefix: "batch")
    }
    try call.access.throwIfDenied()
    let commit: Commit
    do throws(StoreError) {
      commit = try await Spans.run("commit", ["layout.collection": .string(collection.id)]) {
        () async throws(StoreError) in
        let commit = try await collection.commit(
          batch,
          applier: engine.applier(isLarge: call.isLarge, for: call.account) {
            call.charge(seconds: $0)
          }
        ) {
          try request.batch.storedBytes()
        }
        Spans.annotate { $0["layout.data_version"] = Int64(clamping: commit.dataVersion) }
        return commit
      }
    } catch { throw LayoutProblem(error, batchField: "batch") }
    call.access.audit(.edit, on: collection.id, version: commit.dataVersion)
    var response = Wire.ApplyUpdatesResponse()
    response.dataVersion = commit.dataVersion
    response.duplicate = commit.isDuplicate
    return response
  }

  /// The collection that a client names.
  ///
  /// - Parameters:
  ///   - field: the path of the name in the request.
  ///   - role: the right that the client needs.
  ///   - call: the client's call.
  func collection(
    named name: String,
    field: String = "name",
    for role: Role,
    by call: OpenCall
  ) async throws(LayoutProblem) -> LiveCollection {
    let name = try CollectionName(parsing: name, field: field)
    try call.access.require(role, on: name.id)
    return try await call.collection(name.id)
  }

  /// A new identifier that begins with a letter.
  static func makeID(_ letter: String) -> String {
    letter + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// A field that `update` can change.
  private enum Field: String, CaseIterable {
    case displayName = "display_name"
    case labels
    case defaultLayout = "default_layout"
    case sharedMeasurements = "shared_measurements"

    /// The fields that the mask names; without a mask, the fields that are set in the collection.
    static func named(by request: Wire.UpdateCollectionRequest) throws(LayoutProblem) -> Set<Field>
    {
      let paths = request.updateMask.paths
      if paths.isEmpty {
        var fields: Set<Field> = []
        if !request.collection.displayName.isEmpty { fields.insert(.displayName) }
        if !request.collection.labels.isEmpty { fields.insert(.labels) }
        if request.collection.hasDefaultLayout { fields.insert(.defaultLayout) }
        if request.collection.sharedMeasurements != .unspecified {
          fields.insert(.sharedMeasurements)
        }
        return fields
      }
      return try request.updateMask.fields("update_mask")
    }
  }
}

extension Google_Protobuf_FieldMask {
  /// The fields that the mask names, where "*" alone stands for all of them.
  ///
  /// - Parameter name: the field of the mask in its request.
  func fields<Field: RawRepresentable<String> & CaseIterable & Hashable>(
    _ name: String
  ) throws(LayoutProblem) -> Set<Field> {
    if paths == ["*"] { return Set(Field.allCases) }
    var fields: Set<Field> = []
    for (index, path) in paths.enumerated() {
      guard let field = Field(rawValue: path) else {
        let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
        throw .fieldInvalid(
          "\(name).paths[\(index)]",
          "\(path.quotedAsFound) found; \(known) and, alone, * are allowed"
        )
      }
      fields.insert(field)
    }
    return fields
  }
}
