// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A collection as it comes out of the storage, or new.
struct LoadedCollection: Sendable {
  var record: CollectionRecord
  var contents: CollectionContents
  var history: VersionedLog<StoredBatch>
  var requests: RequestMemory
  /// Batches since the snapshot, and their bytes.
  var logCount = 0
  var logBytes = 0

  init(record: CollectionRecord, contents: CollectionContents, limits: StoreLimits) {
    self.record = record
    self.contents = contents
    history = VersionedLog(
      after: record.dataVersion,
      countLimit: limits.historyCount,
      byteLimit: limits.historyBytes
    )
    requests = RequestMemory(countLimit: limits.requestCount, seconds: limits.requestSeconds)
  }
}

/// Reads the contents of a collection: the newest snapshot, and the batches that led on from it.
struct CollectionLoader {
  let storage: any CollectionStorage
  let codec: any ContentsCodec
  let limits: StoreLimits
  let now: CollectionTime

  /// What was accepted once is read whatever the limits are today.
  private static let acceptedOnce = ContentsLimits(
    items: 1 << 40,
    sections: 1 << 32,
    operations: 1 << 32,
    keyBytes: 1 << 32
  )

  func load(_ id: String) async throws(StoreError) -> LoadedCollection {
    do {
      return try await storage.read(id) { stored in
        try Self.read(stored, codec: codec, limits: limits, now: now)
      }
    } catch let error as StorageFault {
      throw StoreError(error, id: id)
    } catch {
      // The codec's or the model's: what is stored makes no sense.
      throw .corrupt(id: id, error)
    }
  }

  private static func read(
    _ stored: any StoredContents,
    codec: any ContentsCodec,
    limits: StoreLimits,
    now: CollectionTime
  ) throws -> LoadedCollection {
    var decoder = try codec.makeDecoder()
    var isEmpty = true
    try stored.forEachPart {
      isEmpty = false
      try decoder.add($0)
    }
    var loaded = LoadedCollection(
      record: stored.record,
      contents: isEmpty ? .empty : try decoder.finish(),
      limits: limits
    )
    try replay(stored, codec: codec, limits: limits, into: &loaded)
    let (record, contents) = (loaded.record, loaded.contents)
    guard contents.itemCount == record.itemCount, contents.sectionCount == record.sectionCount
    else {
      throw StorageFault(
        .damaged,
        "\(contents.itemCount) items in \(contents.sectionCount) sections found; "
          + "\(record.itemCount) in \(record.sectionCount) were stored"
      )
    }
    let start = CollectionTime(seconds: now.seconds - limits.requestSeconds)
    try stored.forEachRequest(since: start) { request in
      loaded.requests.remember(request.id, version: request.version, now: request.time)
    }
    return loaded
  }

  private static func replay(
    _ stored: any StoredContents,
    codec: any ContentsCodec,
    limits: StoreLimits,
    into loaded: inout LoadedCollection
  ) throws {
    let retention = LogRetention(
      batchCount: limits.historyCount,
      batchBytes: limits.historyBytes,
      requestCount: 0,
      requestsSince: CollectionTime(seconds: 0)
    )
    let base = stored.snapshotVersion
    var version = try stored.firstVersion(kept: retention) - 1
    var contents = loaded.contents
    var history = VersionedLog<StoredBatch>(
      after: version,
      countLimit: limits.historyCount,
      byteLimit: limits.historyBytes
    )
    var (count, bytes) = (0, 0)
    try stored.forEachBatch(after: version) { batch in
      guard batch.version == version + 1 else {
        throw LogGap(expected: version + 1, found: batch.version)
      }
      version = batch.version
      history.append(batch, bytes: StoredBatch.overhead + batch.payload.count)
      guard version > base else { return }
      contents = try contents.applying(codec.decodeBatch(batch.payload), limits: acceptedOnce).new
      count += 1
      bytes += batch.payload.count
    }
    guard version == loaded.record.dataVersion else {
      throw LogGap(expected: version + 1, found: nil)
    }
    loaded.contents = contents
    loaded.history = history
    loaded.logCount = count
    loaded.logBytes = bytes
  }
}

extension StoredBatch {
  /// What a batch takes beside its payload, roughly.
  static var overhead: Int { 128 }
}

/// A stored log that lacks a version.
public struct LogGap: Error, Hashable, CustomStringConvertible {
  public var expected: UInt64
  /// nil = nothing more.
  public var found: UInt64?

  public var description: String {
    "version \(expected) is missing; \(found.map { "\($0) follows" } ?? "the log ends before it")"
  }
}
