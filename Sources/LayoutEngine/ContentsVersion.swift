// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Identifies the contents of one collection or session among all in this process.
public struct ContentsIdentity: Hashable, Sendable {
  private let rawValue: UInt64

  /// - Parameter rawValue: a collection's incarnation, or any number drawn at random.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// One version of some contents.
public struct ContentsVersion: Hashable, Sendable {
  /// Which contents they are.
  public var identity: ContentsIdentity
  /// Grows by one with each change.
  public var number: UInt64

  /// Version `number` of the contents `identity`.
  public init(identity: ContentsIdentity, number: UInt64) {
    self.identity = identity
    self.number = number
  }
}

/// A change from one version of some contents to the next.
public struct VersionedChange: Sendable {
  /// The version that the change leads to; it starts from the version before, so this is at
  /// least 1.
  public var newVersion: UInt64
  /// What changed.
  public var change: ContentsChange

  /// A change that leads to `newVersion`.
  public init(newVersion: UInt64, change: ContentsChange) {
    self.newVersion = newVersion
    self.change = change
  }
}
