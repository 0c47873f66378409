// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// The state of a collection that was just read from storage or created, from which a
/// `LiveCollection` is made.
struct LoadedCollection: Sendable {
  var record: CollectionRecord
  var contents: CollectionContents
  var history: VersionedLog<StoredBatch>
  var requests: RequestMemory
  /// The contents of the stored snapshot, if the next snapshot may be written as a difference from
  /// them; nil = the next snapshot has to be written whole.
  var base: ContentsSnapshot?
  /// Batches in the log after the stored snapshot.
  var logCount = 0
  /// Bytes of the payloads of those batches.
  var logBytes = 0

  /// A collection without history or remembered requests.
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

/// Loads a collection: decodes its snapshot and applies the batches of the log that follow it.
package struct CollectionLoader {
  let storage: any CollectionStorage
  let codec: any ContentsCodec
  let limits: StoreLimits
  /// The present time, for the age of request identifiers.
  let now: CollectionTime

  /// Limits for decoding what is stored. They are far above any configurable limit: lowering a
  /// limit must not make a collection unreadable that was accepted under the old one.
  package static let limitsOfStoredContents = ContentsLimits(
    items: 1 << 40,
    sections: 1 << 32,
    operations: 1 << 32,
    outlineSteps: 1 << 62,
    keyBytes: 1 << 32,
    itemDataBytes: 1 << 32
  )

  /// - Parameter byteCount: the contents' size in memory, roughly.
  /// - Throws: `StoreError.corrupt` if what is stored cannot be decoded, has gaps or does not match
  ///   the record; `.storage` for every other fault.
  /// - Complexity: O(items + batches in the log)
  func load(_ id: String, byteCount: Int) async throws(StoreError) -> LoadedCollection {
    do {
      return try await storage.read(id, byteCount: byteCount) { stored in
        try Self.read(stored, codec: codec, limits: limits, now: now)
      }
    } catch let error as StorageFault {
      throw StoreError(error, id: id)
    } catch {
      // Thrown by the codec or the model: the stored bytes do not decode, or the batch does not
      // apply.
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
      loaded.requests.remember(
        request.id,
        version: request.version,
        mark: request.mark,
        now: request.time
      )
    }
    try replay(stored, since: start, codec: codec, limits: limits, into: &loaded)
    let (record, contents) = (loaded.record, loaded.contents)
    guard contents.itemCount == record.itemCount, contents.sectionCount == record.sectionCount
    else {
      throw StorageFault(
        .damaged,
        "\(contents.itemCount) items in \(contents.sectionCount) sections found; its description says "
          + "\(record.itemCount) in \(record.sectionCount)"
      )
    }
    return loaded
  }

  /// Applies the batches after the snapshot, and adds all batches to the history.
  ///
  /// - Throws: `LogGap` if a version is missing; errors of the codec or the model.
  private static func replay(
    _ stored: any StoredContents,
    since start: CollectionTime,
    codec: any ContentsCodec,
    limits: StoreLimits,
    into loaded: inout LoadedCollection
  ) throws {
    let base = stored.snapshotVersion
    // The version of the batch before; nil = there was none.
    var reached: UInt64?
    try stored.forEachBatch { batch in
      if let reached {
        guard batch.version > reached, batch.version - 1 == reached else {
          // Only for the message, but a row could hold the greatest number.
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
        loaded.requests.remember(batch)
      }
      guard batch.version > base else { return }
      let change = try loaded.contents.applying(
        codec.decodeBatch(batch.payload),
        limits: limitsOfStoredContents
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
  /// Estimated size in memory, in bytes.
  var byteCount: Int { 128 + requestID.utf8.count + payload.count }
}

/// A collection's log does not continue from one version to the next, so the collection cannot be
/// loaded.
public struct LogGap: Error, Hashable, CustomStringConvertible {
  /// The version that is missing.
  public var expected: UInt64
  /// The version that the log holds in its place; nil = the log ends there.
  public var found: UInt64?

  /// The missing version and what was found in its place, for operators.
  public var description: String {
    "version \(expected) is missing; \(found.map { "\($0) follows" } ?? "the log ends before it")"
  }
}
