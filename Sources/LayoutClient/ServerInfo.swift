// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import SwiftProtobuf

/// What a server supports and allows. Limits that it does not tell are 0.
public struct ServerInfo: Hashable, Sendable {
  /// "1.2.3"
  public var version: String
  /// Field names of LayoutSpec.kind, and registered layouts as "custom:NAME".
  public var layoutKinds: [String]
  /// Streams of layouts that are open at the same time.
  public var maxSessions: Int
  /// All sections together.
  public var maxItemsPerCollection: Int
  /// Of one collection.
  public var maxSectionsPerCollection: Int
  /// Of one update batch.
  public var maxOperationsPerBatch: Int
  /// In one frame of a stream.
  public var maxElementsPerFrame: Int
  /// In the rect of one query, all pages together.
  public var maxElementsPerQuery: Int
  /// Of one request, and of one answer of a call.
  public var maxMessageBytes: Int
  /// Of the default layout of a collection.
  public var maxDefaultLayoutBytes: Int
  /// Calls of one connection at the same time, streams of layouts aside.
  public var maxCallsPerConnection: Int
  /// Imports of one connection at the same time.
  public var maxImportsPerConnection: Int
  /// How long the session of a lost stream can be resumed.
  public var resumeGrace: Duration
  /// How long the server waits for the next message of an import.
  public var messageTimeout: Duration
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
      maxElementsPerFrame: Int(limits.maxElementsPerFrame),
      maxElementsPerQuery: Int(clamping: limits.maxElementsPerQuery),
      maxMessageBytes: Int(limits.maxMessageBytes),
      maxDefaultLayoutBytes: Int(limits.maxDefaultLayoutBytes),
      maxCallsPerConnection: Int(limits.maxCallsPerConnection),
      maxImportsPerConnection: Int(limits.maxImportsPerConnection),
      resumeGrace: .seconds(limits.resumeGrace.seconds)
        + .nanoseconds(Int64(limits.resumeGrace.nanos)),
      messageTimeout: .seconds(limits.messageTimeout.seconds)
        + .nanoseconds(Int64(limits.messageTimeout.nanos))
    )
  }
}
