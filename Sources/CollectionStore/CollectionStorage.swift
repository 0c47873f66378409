// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Where collections outlive the process, or do not.
///
/// Calls for one collection come one after the other. The store writes bytes that it does not look
/// into: `ContentsCodec` makes them.
public protocol CollectionStorage: Sendable {
  /// Whether anything outlives the process. Where not, no snapshots are made.
  var isDurable: Bool { get }

  /// All collections.
  func records() async throws -> [CollectionRecord]

  /// The contents at one version, from which the log leads on; nil = empty at version 0.
  func snapshot(of id: String) async throws -> StoredSnapshot?

  /// The batches after a version, in order, at most `limit` of them.
  func batches(of id: String, after version: UInt64, limit: Int) async throws -> [StoredBatch]

  func create(_ record: CollectionRecord, snapshot: StoredSnapshot?) async throws

  /// Replaces what describes a collection.
  func update(_ record: CollectionRecord) async throws

  /// Appends a batch and replaces the record in one step.
  func append(_ batch: StoredBatch, record: CollectionRecord) async throws

  /// Stores the contents at `snapshot.version` and drops the log up to there, in one step with the
  /// record.
  func store(_ snapshot: StoredSnapshot, record: CollectionRecord) async throws

  func delete(_ id: String) async throws
}

/// One committed batch as it is stored.
public struct StoredBatch: Hashable, Sendable {
  /// The version that it led to.
  public var version: UInt64
  /// Empty = none.
  public var requestID: String
  public var payload: [UInt8]
  public var time: CollectionTime

  public init(version: UInt64, requestID: String, payload: [UInt8], time: CollectionTime) {
    self.version = version
    self.requestID = requestID
    self.payload = payload
    self.time = time
  }
}

/// The contents at one version, in parts of moderate size.
public struct StoredSnapshot: Hashable, Sendable {
  public var version: UInt64
  public var parts: [[UInt8]]

  public init(version: UInt64, parts: [[UInt8]]) {
    self.version = version
    self.parts = parts
  }
}

/// Turns contents and batches into bytes and back.
public protocol ContentsCodec: Sendable {
  func encode(_ contents: CollectionContents) throws -> [[UInt8]]
  func decodeContents(_ parts: [[UInt8]]) throws -> CollectionContents
  func decodeBatch(_ payload: [UInt8]) throws -> UpdateBatch
}
