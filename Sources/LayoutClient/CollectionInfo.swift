// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutProtocol
internal import SwiftProtobuf

/// The description of a collection, without its contents.
public struct CollectionInfo: Hashable, Sendable {
  /// "collections/{collection}"
  public var name: String
  /// A name to show to people. It may contain any characters, so escape it before you write it to a
  /// terminal or a web page.
  public var displayName: String
  /// Keys and values for programs.
  public var labels: [String: String]
  /// The layout for viewers that do not name one. nil if the collection has none, if it was not
  /// requested, or if this client does not know its kind.
  public var defaultLayout: LayoutConfiguration?
  /// Whether viewers share the sizes that they measure.
  public var sharesMeasurements: Bool
  /// Grows by one with each committed batch.
  public var dataVersion: UInt64
  /// Identifies the sequence of data versions. It changes when the collection is recreated or
  /// restored from a backup, after which `dataVersion` may be lower.
  public var incarnation: UInt64
  /// The number of sections at `dataVersion`.
  public var sectionCount: Int
  /// The number of items in all sections at `dataVersion`.
  public var itemCount: Int
  /// When the collection was created: the time since 1970-01-01 00:00 UTC by the server's clock.
  public var createTime: Duration
  /// When the contents or the description last changed: the time since 1970-01-01 00:00 UTC by the
  /// server's clock.
  public var updateTime: Duration
  /// An opaque value that changes whenever the collection changes.
  public var etag: String
}

extension CollectionInfo {
  init(_ message: Wire.Collection) {
    let layout: LayoutConfiguration? =
      message.hasDefaultLayout
      ? try? message.defaultLayout.decoded(by: .client, prefix: "default_layout") : nil
    self.init(
      name: message.name,
      displayName: message.displayName,
      labels: message.labels,
      defaultLayout: layout,
      sharesMeasurements: message.sharedMeasurements == .shared,
      dataVersion: message.dataVersion,
      incarnation: message.incarnation,
      sectionCount: Int(message.sectionCount),
      itemCount: Int(clamping: message.itemCount),
      createTime: .seconds(message.createTime.seconds)
        + .nanoseconds(Int64(message.createTime.nanos)),
      updateTime: .seconds(message.updateTime.seconds)
        + .nanoseconds(Int64(message.updateTime.nanos)),
      etag: message.etag
    )
  }
}

/// One message of `LayoutClient.watchUpdates`.
public struct CollectionUpdate: Sendable {
  /// The data version after `batch`; without a batch, the current data version.
  public var dataVersion: UInt64
  /// The collection's incarnation. Pass it to `watchUpdates` when you watch again after a lost
  /// connection.
  public var incarnation: UInt64
  /// The batch that was committed; nil if nothing has changed and the message only shows that the
  /// call is alive.
  public var batch: UpdateBatch?
}

/// The result of a committed batch.
public struct AppliedUpdates: Hashable, Sendable {
  /// The data version that the batch led to. If the batch is a duplicate, this is the version of
  /// the first commit.
  public var dataVersion: UInt64
  /// Whether a batch with the same request identifier was committed before. This call changed
  /// nothing then.
  public var isDuplicate: Bool
}

/// The result of a committed transfer.
public struct AppliedTransfer: Hashable, Sendable {
  /// The data version of the source after the transfer. If the transfer is a duplicate, this is the
  /// version of the first commit.
  public var sourceVersion: UInt64
  /// The same for the destination.
  public var destinationVersion: UInt64
  /// Whether the same transfer was committed before. This call changed nothing then.
  public var isDuplicate: Bool
}

extension ReadingRules {
  /// Rules without limits: a client accepts everything that its server accepted.
  static let client = ReadingRules(
    limits: ContentsLimits(
      items: 1 << 40,
      sections: 1 << 32,
      operations: 1 << 32,
      keyBytes: 1 << 32,
      itemDataBytes: 1 << 32
    ),
    registry: LayoutRegistry()
  )
}
