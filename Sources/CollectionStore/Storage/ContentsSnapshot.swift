// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Contents at one version, together with the codec that encodes them for storage.
public struct ContentsSnapshot: Sendable {
  /// The data version of the contents.
  public let version: UInt64
  /// The contents at that version.
  public let contents: CollectionContents
  /// Encodes the contents.
  public let codec: any ContentsCodec

  /// The contents at `version`. Copying them is O(1).
  public init(version: UInt64, contents: CollectionContents, codec: any ContentsCodec) {
    self.version = version
    self.contents = contents
    self.codec = codec
  }
}
