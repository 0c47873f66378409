// SPDX-License-Identifier: Apache-2.0

/// Limits of an `ElementMirror`. Frames beyond these are refused, so that a server cannot make its
/// client use any amount of memory.
public struct MirrorLimits: Hashable, Sendable {
  /// Elements that may be live, that all parts of one frame may add and change together, and that
  /// they may remove. 1,048,576 by default, more than any server sends.
  public var elements: Int
  /// Bytes of memory that the live elements may take, and that one frame may bring: an estimate. 1
  /// GiB by default.
  public var bytes: Int

  /// Limits; those that are left out have their defaults.
  public init(elements: Int = 1 << 20, bytes: Int = 1 << 30) {
    self.elements = elements
    self.bytes = bytes
  }
}
