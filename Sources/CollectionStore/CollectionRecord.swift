// SPDX-License-Identifier: Apache-2.0

/// What the store knows of a collection beside its contents.
public struct CollectionRecord: Hashable, Sendable {
  /// Without the "collections/" of its name.
  public var id: String
  public var displayName: String
  public var labels: [String: String]
  /// Opaque to the store; nil = none.
  public var defaultLayout: [UInt8]?
  /// Grows by one with each committed batch. 0 = as created.
  public var dataVersion: UInt64
  /// Another number whenever `dataVersion` may start again: where the collection is deleted and
  /// created anew, or its storage is restored from a backup. Never 0.
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

  /// What it takes in memory, roughly, and the measure of `StoreLimits.recordBytes`: its strings, its
  /// default layout, and 200 bytes beside them.
  /// - Complexity: O(labels)
  public var byteCount: Int {
    let labelBytes = labels.reduce(0) { $0 + 48 + $1.key.utf8.count + $1.value.utf8.count }
    return 200 + id.utf8.count + displayName.utf8.count + labelBytes + (defaultLayout?.count ?? 0)
  }

  /// Differs whenever anything about the collection does.
  public var etag: String {
    "\(String(incarnation, radix: 36))-\(revision)"
  }
}
