// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A collection as it comes out of the storage, or new.
struct LoadedCollection: Sendable {
  var record: CollectionRecord
  var contents: CollectionContents
  var history: VersionedLog<StoredBatch>
  var requests: RequestMemory
  /// The contents that are stored, where the next snapshot may write only what differs from them.
  var base: ContentsSnapshot?
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
    requests = RequestMemory(
      countLimit: limits.requestCount,
      byteLimit: limits.requestBytes,
      seconds: limits.requestSeconds
    )
  }
}

/// Reads the contents of a collection: the newest snapshot, and the batches that led on from it.
struct CollectionLoader {
  let storage: any CollectionStorage
  let codec: any ContentsCodec
  let limits: StoreLimits
  let now: CollectionTime

  /// What was accepted once is read, whatever the limits are today.
  static let acceptedOnce = ContentsLimits(
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
      // Thrown by the codec or the model: what is stored makes no sense.
      throw .corrupt(id: id, error)
    }
  }

  private static func read(
    _ stored: any StoredContents,
    codec: any ContentsCodec,
    limits: StoreLimits,
    now: CollectionTime
  ) throws -> LoadedCollection {
    var loaded = LoadedCollection(
      record: stored.record,
      contents: try stored.contents(codec),
      limits: limits
    )
    if stored.isDivided {
      loaded.base = ContentsSnapshot(
        version: stored.snapshotVersion,
        contents: loaded.contents,
        codec: codec
      )
    }
    let start = now.earlier(by: limits.requestSeconds)
    try stored.forEachRequest { request in
      guard request.time >= start else { return }
      loaded.requests.remember(request.id, version: request.version, now: request.time)
    }
    try replay(stored, since: start, codec: codec, limits: limits, into: &loaded)
    let (record, contents) = (loaded.record, loaded.contents)
    guard contents.itemCount == record.itemCount, contents.sectionCount == record.sectionCount
    else {
      throw StorageFault(
        .damaged,
        "\(contents.itemCount) items in \(contents.sectionCount) sections found; "
          + "\(record.itemCount) in \(record.sectionCount) were stored"
      )
    }
    return loaded
  }

  private static func replay(
    _ stored: any StoredContents,
    since start: CollectionTime,
    codec: any ContentsCodec,
    limits: StoreLimits,
    into loaded: inout LoadedCollection
  ) throws {
    let base = stored.snapshotVersion
    var reached: UInt64?
    try stored.forEachBatch { batch in
      if let reached {
        guard batch.version > reached, batch.version - 1 == reached else {
          throw LogGap(expected: reached &+ 1, found: batch.version)
        }
      } else {
        guard batch.version > 0, batch.version - 1 <= base else {
          throw LogGap(expected: base &+ 1, found: batch.version)
        }
        loaded.history.restart(after: batch.version - 1)
      }
      reached = batch.version
      loaded.history.append(batch, bytes: batch.byteCount)
      if batch.time >= start {
        loaded.requests.remember(batch.requestID, version: batch.version, now: batch.time)
      }
      guard batch.version > base else { return }
      let change = try loaded.contents.applying(
        codec.decodeBatch(batch.payload),
        limits: acceptedOnce
      )
      loaded.contents = change.new
      loaded.logCount += 1
      loaded.logBytes += batch.payload.count
    }
    guard reached ?? base == loaded.record.dataVersion else {
      throw LogGap(expected: (reached ?? base) &+ 1, found: nil)
    }
  }
}

extension StoredBatch {
  /// What it takes in memory, roughly.
  var byteCount: Int { 128 + requestID.utf8.count + payload.count }
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
