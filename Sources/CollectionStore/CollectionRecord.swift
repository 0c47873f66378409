// SPDX-License-Identifier: Apache-2.0

/// What the store knows of a collection beside its contents.
public struct CollectionRecord: Hashable, Sendable {
  /// Without the "collections/" of its name.
  public var id: String
  public var displayName: String
  public var labels: [String: String]
  /// Opaque to the store; nil = none.
  public var defaultLayout: [UInt8]?
  /// Grows by one with each committed batch.
  public var dataVersion: UInt64
  /// Changes when `dataVersion` may start again.
  public var incarnation: UInt64
  /// Grows with every change, of the data or of what describes it.
  public var revision: UInt64
  /// Of the contents, so that they need not be read to be counted.
  public var sectionCount: Int
  public var itemCount: Int
  public var createTime: CollectionTime
  public var updateTime: CollectionTime

  public init(
    id: String,
    displayName: String = "",
    labels: [String: String] = [:],
    defaultLayout: [UInt8]? = nil,
    dataVersion: UInt64 = 0,
    incarnation: UInt64 = .random(in: 1 ... .max),
    revision: UInt64 = 1,
    sectionCount: Int = 0,
    itemCount: Int = 0,
    createTime: CollectionTime = .now,
    updateTime: CollectionTime? = nil
  ) {
    self.id = id
    self.displayName = displayName
    self.labels = labels
    self.defaultLayout = defaultLayout
    self.dataVersion = dataVersion
    self.incarnation = incarnation
    self.revision = revision
    self.sectionCount = sectionCount
    self.itemCount = itemCount
    self.createTime = createTime
    self.updateTime = updateTime ?? createTime
  }

  /// Differs whenever anything about the collection does.
  public var etag: String {
    "\(String(incarnation, radix: 36))-\(revision)"
  }
}
