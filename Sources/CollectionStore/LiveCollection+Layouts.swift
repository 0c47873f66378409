// SPDX-License-Identifier: Apache-2.0

extension LiveCollection {
  /// Adds a named layout. Revision and times are set here.
  ///
  /// - Returns: the record with the layout.
  /// - Throws: `StoreError.notFound`, `.layoutExists`, `.tooManyLayouts`, `.limitExceeded`,
  ///   `.cancelled`, `.storage`
  public func createLayout(_ layout: NamedLayout) async throws(StoreError) -> CollectionRecord {
    try await editLayouts { record throws(StoreError) in
      let index = record.place(ofLayout: layout.id)
      guard record.layout(layout.id) == nil else { throw .layoutExists(id: layout.id) }
      guard record.layouts.count < self.limits.layoutCount else {
        throw .tooManyLayouts(limit: self.limits.layoutCount)
      }
      var layout = layout
      layout.revision = record.revision
      layout.createTime = record.updateTime
      layout.updateTime = record.updateTime
      record.layouts.insert(layout, at: index)
    }
  }

  /// Changes a named layout, which viewers who use it then follow. Revision and update time are set
  /// here.
  ///
  /// - Parameters:
  ///   - etag: the etag that the layout must have; "" = any.
  ///   - change: changes display name, layout, and whether the change is animated.
  /// - Returns: the record with the layout.
  /// - Throws: `StoreError.notFound`, `.layoutNotFound`, `.etagConflict`, `.limitExceeded`,
  ///   `.cancelled`, `.storage`
  public func updateLayout(
    _ id: String,
    etag: String = "",
    _ change: @Sendable (inout NamedLayout) -> Void
  ) async throws(StoreError) -> CollectionRecord {
    try await editLayouts { record throws(StoreError) in
      let index = try Self.index(of: id, etag: etag, in: record)
      change(&record.layouts[index])
      record.layouts[index].id = id
      record.layouts[index].revision = record.revision
      record.layouts[index].updateTime = record.updateTime
    }
  }

  /// Deletes a named layout.
  ///
  /// - Parameter etag: the etag that the layout must have; "" = any.
  /// - Throws: `StoreError.notFound`, `.layoutNotFound`, `.etagConflict`, `.cancelled`, `.storage`
  public func deleteLayout(_ id: String, etag: String = "") async throws(StoreError) {
    _ = try await editLayouts { record throws(StoreError) in
      let index = try Self.index(of: id, etag: etag, in: record)
      record.layouts.remove(at: index)
    }
  }

  /// Changes the list of layouts, and notifies all subscribers.
  private func editLayouts(
    _ change: @Sendable (inout CollectionRecord) throws(StoreError) -> Void
  ) async throws(StoreError) -> CollectionRecord {
    let record = try await editRecord(change).record
    signal(.layoutsChanged)
    return record
  }

  /// - Returns: an index of the record's layouts.
  private static func index(
    of id: String,
    etag: String,
    in record: CollectionRecord
  ) throws(StoreError) -> Int {
    guard let layout = record.layout(id) else { throw .layoutNotFound(id: id) }
    let current = record.etag(of: layout)
    guard etag.isEmpty || etag == current else {
      throw .etagConflict(expected: etag, current: current)
    }
    return record.place(ofLayout: id)
  }
}
