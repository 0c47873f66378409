// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import SwiftProtobuf

/// A server's version, layout kinds and limits. A limit that the server does not report is 0.
public struct ServerInfo: Hashable, Sendable {
  /// The server's version, such as "1.2.3".
  public var version: String
  /// The supported layout kinds: field names of LayoutSpec.kind, and registered layouts as
  /// "custom:NAME".
  public var layoutKinds: [String]
  /// The largest number of open layout streams.
  public var maxSessions: Int
  /// The largest number of items in a collection, all sections together.
  public var maxItemsPerCollection: Int
  /// The largest number of sections in a collection.
  public var maxSectionsPerCollection: Int
  /// The largest number of operations in an update batch.
  public var maxOperationsPerBatch: Int
  /// The largest number of items that a session may have expanded or collapsed as exceptions from
  /// its base.
  public var maxExpansionExceptionsPerSession: Int
  /// Bytes of measured sizes that viewers of one collection may share; nil = the server shares
  /// none.
  public var maxSharedMeasurementBytesPerCollection: Int?
  /// The largest number of elements other than items, headers and footers of which a session may
  /// keep measured sizes.
  public var maxMeasuredElementsPerSession: Int
  /// The largest number of elements in a frame.
  public var maxElementsPerFrame: Int
  /// The largest number of elements in the rect of a query, all pages together.
  public var maxElementsPerQuery: Int
  /// The largest size of a request, and of an answer other than a frame, in bytes.
  public var maxMessageBytes: Int
  /// The largest size of a collection's encoded default layout, or of a named one, in bytes.
  public var maxDefaultLayoutBytes: Int
  /// The largest number of named layouts of a collection.
  public var maxLayoutsPerCollection: Int
  /// The largest size of the data of one item, in bytes; nil = the server keeps no such data.
  public var maxItemDataBytes: Int?
  /// The largest number of fractions, buckets and sections of one scroll map, all together.
  public var maxScrollMapPlaces: Int
  /// The largest number of calls in flight on one connection, not counting layout streams.
  public var maxCallsPerConnection: Int
  /// The largest number of imports in flight on one connection.
  public var maxImportsPerConnection: Int
  /// How long a session of a shared collection can be resumed after its stream broke.
  public var resumeGrace: Duration
  /// How long the server waits for the next message of an import.
  public var messageTimeout: Duration
  /// The largest number of open layout streams of the caller's identity; nil = unlimited.
  public var maxSessionsPerIdentity: Int?
  /// The largest number of calls of the caller's identity per second; nil = unlimited.
  public var maxCallsPerSecondPerIdentity: Int?
  /// The largest size of the contents of all collections that the caller's identity has created, in
  /// bytes; nil = unlimited.
  public var maxContentBytesPerIdentity: Int?
  /// The largest size of the prepared layouts that sessions of the caller's identity use, in bytes;
  /// nil = unlimited.
  public var maxLayoutBytesPerIdentity: Int?
}

extension ServerInfo {
  init(_ message: CollectionLayout_V1_GetServerInfoResponse) {
    let limits = message.limits
    self.init(
      version: message.version,
      layoutKinds: message.layoutKinds,
      maxSessions: Int(limits.maxSessions),
      maxItemsPerCollection: Int(clamping: limits.maxItemsPerCollection),
      maxSectionsPerCollection: Int(limits.maxSectionsPerCollection),
      maxOperationsPerBatch: Int(limits.maxOperationsPerBatch),
      maxExpansionExceptionsPerSession: Int(limits.maxExpansionExceptionsPerSession),
      maxSharedMeasurementBytesPerCollection: limits.hasMaxSharedMeasurementBytesPerCollection
        ? Int(clamping: limits.maxSharedMeasurementBytesPerCollection) : nil,
      maxMeasuredElementsPerSession: Int(limits.maxMeasuredElementsPerSession),
      maxElementsPerFrame: Int(limits.maxElementsPerFrame),
      maxElementsPerQuery: Int(clamping: limits.maxElementsPerQuery),
      maxMessageBytes: Int(limits.maxMessageBytes),
      maxDefaultLayoutBytes: Int(limits.maxDefaultLayoutBytes),
      maxLayoutsPerCollection: Int(limits.maxLayoutsPerCollection),
      maxItemDataBytes: limits.hasMaxItemDataBytes ? Int(limits.maxItemDataBytes) : nil,
      maxScrollMapPlaces: Int(limits.maxScrollMapPlaces),
      maxCallsPerConnection: Int(limits.maxCallsPerConnection),
      maxImportsPerConnection: Int(limits.maxImportsPerConnection),
      resumeGrace: .seconds(limits.resumeGrace.seconds)
        + .nanoseconds(Int64(limits.resumeGrace.nanos)),
      messageTimeout: .seconds(limits.messageTimeout.seconds)
        + .nanoseconds(Int64(limits.messageTimeout.nanos)),
      maxSessionsPerIdentity: limits.hasMaxSessionsPerIdentity
        ? Int(limits.maxSessionsPerIdentity) : nil,
      maxCallsPerSecondPerIdentity: limits.hasMaxCallsPerSecondPerIdentity
        ? Int(limits.maxCallsPerSecondPerIdentity) : nil,
      maxContentBytesPerIdentity: limits.hasMaxContentBytesPerIdentity
        ? Int(clamping: limits.maxContentBytesPerIdentity) : nil,
      maxLayoutBytesPerIdentity: limits.hasMaxLayoutBytesPerIdentity
        ? Int(clamping: limits.maxLayoutBytesPerIdentity) : nil
    )
  }
}
