// SPDX-License-Identifier: Apache-2.0

/// A collection's metadata: everything that the store keeps of it besides contents and log. The
/// records of all collections stay in memory.
public struct CollectionRecord: Hashable, Sendable {
  /// The collection's name without its "collections/" prefix.
  public var id: String
  /// A name for people; "" = none.
  public var displayName: String
  /// Key-value pairs that clients attach; the store does not interpret them.
  public var labels: [String: String]
  /// The encoded default layout, which the store does not look into; nil = none.
  public var defaultLayout: [UInt8]?
  /// Whether viewers share the sizes that they measure.
  public var sharesMeasurements = false
  /// Who created the collection, and is limited in contents by it; "" = nobody, so no limit
  /// applies.
  public internal(set) var owner: String
  /// Layouts under names of their own, sorted by identifier.
  public internal(set) var layouts: [NamedLayout] = []
  /// The version of the contents: 0 when the collection is created, one more with each committed
  /// batch or replacement.
  public var dataVersion: UInt64
  /// Identifies one history of data versions, so that a version of another history is not mistaken
  /// for one of this. A new random number is drawn when a collection is deleted and created again,
  /// and when the store is restored from a backup. Never 0.
  public var incarnation: UInt64
  /// Grows by one with every change of the contents or of this record.
  public var revision: UInt64
  /// Tells the batches that led to `dataVersion` from others that led to the same number
  /// (`lineage(after:)`). Only storages that several servers share keep it; 0 = not known.
  package var lineage: UInt64 = 0
  /// Sections of the contents at `dataVersion`. The counts are kept here so that collections can be
  /// listed without loading their contents.
  public var sectionCount: Int
  /// Items of the contents at `dataVersion`.
  public var itemCount: Int
  /// When the collection was created.
  public var createTime: CollectionTime
  /// When the contents or this record last changed.
  public var updateTime: CollectionTime

  /// A record of an empty collection, unless stated otherwise.
  ///
  /// - Parameters:
  ///   - owner: who creates it; "" = nobody, so no limit applies.
  ///   - incarnation: a random number by default.
  ///   - updateTime: nil = `createTime`.
  public init(
    id: String,
    displayName: String = "",
    labels: [String: String] = [:],
    defaultLayout: [UInt8]? = nil,
    sharesMeasurements: Bool = false,
    owner: String = "",
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
    self.sharesMeasurements = sharesMeasurements
    self.owner = owner
    self.dataVersion = dataVersion
    self.incarnation = incarnation
    self.revision = revision
    self.sectionCount = sectionCount
    self.itemCount = itemCount
    self.createTime = createTime
    self.updateTime = updateTime ?? createTime
  }

  /// Estimated size in memory, in bytes: that of the description and of the named layouts.
  ///
  /// - Complexity: O(labels + layouts)
  public var byteCount: Int { descriptionByteCount + layoutByteCount }

  /// Estimated size in memory without named layouts, in bytes, which `StoreLimits.recordBytes`
  /// limits: 200 bytes, the strings, 48 bytes for each label, and the default layout.
  ///
  /// - Complexity: O(labels)
  public var descriptionByteCount: Int {
    let labelBytes = labels.reduce(0) { $0 + 48 + $1.key.utf8.count + $1.value.utf8.count }
    return 200 + id.utf8.count + owner.utf8.count + displayName.utf8.count + labelBytes
      + (defaultLayout?.count ?? 0)
  }

  /// A tag that changes with every change of the contents or of this record, for conditional
  /// updates.
  public var etag: String {
    "\(String(incarnation, radix: 36))-\(revision)"
  }
}
