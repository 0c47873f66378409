// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A layout that is stored with a collection under a name.
public struct NamedLayout: Hashable, Sendable {
  /// The last part of its name, unique in the collection.
  public var id: String
  /// A name for people; "" = none.
  public var displayName: String
  /// The encoded layout, which the store does not interpret.
  public var layout: [UInt8]
  /// Whether viewers animate the change to this revision.
  public var isAnimated: Bool
  /// `CollectionRecord.revision` after the layout's last change; the store sets it.
  public var revision: UInt64
  /// When it was created; the store sets it.
  public var createTime: CollectionTime
  /// When it last changed; the store sets it.
  public var updateTime: CollectionTime

  /// Creates a layout; the store sets its revision and times.
  public init(
    id: String,
    displayName: String = "",
    layout: [UInt8],
    isAnimated: Bool = false,
    revision: UInt64 = 0,
    createTime: CollectionTime = .now,
    updateTime: CollectionTime? = nil
  ) {
    self.id = id
    self.displayName = displayName
    self.layout = layout
    self.isAnimated = isAnimated
    self.revision = revision
    self.createTime = createTime
    self.updateTime = updateTime ?? createTime
  }

  /// Estimated size in memory, in bytes: 200 bytes, the strings and the layout.
  public var byteCount: Int { 200 + id.utf8.count + displayName.utf8.count + layout.count }
}

extension CollectionRecord {
  /// The named layout with this identifier; nil = there is none.
  ///
  /// - Complexity: O(log layouts)
  public func layout(_ id: String) -> NamedLayout? {
    let index = place(ofLayout: id)
    guard index < layouts.count, layouts[index].id == id else { return nil }
    return layouts[index]
  }

  /// A tag that changes with every change of a layout, for conditional updates.
  public func etag(of layout: NamedLayout) -> String {
    "\(String(incarnation, radix: 36))-\(layout.revision)"
  }

  /// The index of the first layout whose identifier is not less.
  func place(ofLayout id: String) -> Int {
    layouts.partitioningIndex { $0.id >= id }
  }

  /// Estimated size of the named layouts in memory, in bytes, which `StoreLimits.layoutBytes`
  /// limits.
  ///
  /// - Complexity: O(layouts)
  public var layoutByteCount: Int { layouts.reduce(0) { $0 + $1.byteCount } }
}
