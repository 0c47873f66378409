// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
package import LayoutProtocol
internal import SwiftProtobuf

/// A layout that is stored with a collection under a name.
public struct NamedLayoutInfo: Hashable, Sendable {
  /// "collections/{collection}/layouts/{layout}"
  public var name: String
  /// A name to show to people. It may contain any characters, so escape it before you write it to a
  /// terminal or a web page.
  public var displayName: String
  /// The layout; nil if this client does not know its kind.
  public var layout: LayoutConfiguration?
  /// The layout as a message.
  package var layoutMessage: Wire.LayoutSpec
  /// When it was created: the time since 1970-01-01 00:00 UTC by the server's clock.
  public var createTime: Duration
  /// When it was last updated: the time since 1970-01-01 00:00 UTC by the server's clock.
  public var updateTime: Duration
  /// An opaque value that changes whenever the layout changes.
  public var etag: String
}

extension NamedLayoutInfo {
  init(_ message: CollectionLayout_V1_NamedLayout) {
    self.init(
      name: message.name,
      displayName: message.displayName,
      layout: try? message.layout.decoded(by: .client, prefix: "layout"),
      layoutMessage: message.layout,
      createTime: .seconds(message.createTime.seconds)
        + .nanoseconds(Int64(message.createTime.nanos)),
      updateTime: .seconds(message.updateTime.seconds)
        + .nanoseconds(Int64(message.updateTime.nanos)),
      etag: message.etag
    )
  }
}
