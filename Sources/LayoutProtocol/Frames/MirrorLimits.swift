// SPDX-License-Identifier: Apache-2.0

/// What an `ElementMirror` keeps at most. A frame beyond that is refused, so that no server can make its
/// client keep any amount.
public struct MirrorLimits: Hashable, Sendable {
  /// Elements that may be live, that all parts of one frame may add and change together, and that they may
  /// remove. 1,048,576 by default, more than any server sends.
  public var elements: Int
  /// Bytes of memory that the live elements may take, and what one frame brings: an estimate. 1 GiB by
  /// default.
  public var bytes: Int

  /// Limits; those that are left out have their defaults.
  public init(elements: Int = 1 << 20, bytes: Int = 1 << 30) {
    self.elements = elements
    self.bytes = bytes
  }
}
