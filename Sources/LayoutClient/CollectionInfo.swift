// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutProtocol
internal import SwiftProtobuf

/// What a server says about a collection, without its contents.
public struct CollectionInfo: Hashable, Sendable {
  /// "collections/{collection}"
  public var name: String
  /// For people. May hold any characters: escape it before it goes to a terminal or a page.
  public var displayName: String
  /// For programs.
  public var labels: [String: String]
  /// The layout of viewers that name none; nil = none, or one that this client does not know.
  public var defaultLayout: LayoutConfiguration?
  /// Grows by one with each committed batch.
  public var dataVersion: UInt64
  /// Changes when `dataVersion` may start again.
  public var incarnation: UInt64
  /// Of the contents at `dataVersion`.
  public var sectionCount: Int
  /// All sections together.
  public var itemCount: Int
  /// Since the beginning of 1970, by the server's clock.
  public var createTime: Duration
  /// Since the beginning of 1970, by the server's clock.
  public var updateTime: Duration
  /// Differs whenever anything about the collection does.
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

/// One message of those who watch a collection's updates.
public struct CollectionUpdate: Sendable {
  /// The version that `batch` leads to; without a batch, the current one.
  public var dataVersion: UInt64
  /// To be passed on when watching again after a lost connection.
  public var incarnation: UInt64
  /// nil = nothing new: a sign of life.
  public var batch: UpdateBatch?
}

/// What became of a batch.
public struct AppliedUpdates: Hashable, Sendable {
  /// The version that the batch led to, also where it had been committed before.
  public var dataVersion: UInt64
  /// A batch with the same request identifier had been committed before.
  public var isDuplicate: Bool
}

extension ReadingRules {
  /// A client takes what its server accepted, whatever the limits.
  static let client = ReadingRules(
    limits: ContentsLimits(
      items: 1 << 40,
      sections: 1 << 32,
      operations: 1 << 32,
      keyBytes: 1 << 32
    ),
    registry: LayoutRegistry()
  )
}
