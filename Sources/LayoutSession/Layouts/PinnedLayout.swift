// SPDX-License-Identifier: Apache-2.0

/// A prepared layout that a session keeps alive, for the owner's memory accounts.
public struct PinnedLayout: Hashable, Sendable {
  /// The number that the owner passed to `supply`: the same for all sessions that share the layout.
  /// nil = the owner passed none, so no other session keeps the layout.
  public var identity: UInt64?
  /// Roughly the memory that the layout uses beyond its contents, in bytes:
  /// `PreparedLayout.byteCount` at the time when it was supplied.
  public var byteCount: Int

  /// A layout with the given identity and size.
  public init(identity: UInt64?, byteCount: Int) {
    self.identity = identity
    self.byteCount = byteCount
  }
}
