// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

/// Tells the contents of one collection, or of one session, from all others in this process.
public struct ContentsIdentity: Hashable, Sendable {
  private let rawValue: UInt64

  /// - Parameter rawValue: a collection's incarnation, or any number drawn at random.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// One state of some contents.
public struct ContentsVersion: Hashable, Sendable {
  public var identity: ContentsIdentity
  /// Grows by one with each change.
  public var number: UInt64

  public init(identity: ContentsIdentity, number: UInt64) {
    self.identity = identity
    self.number = number
  }
}

/// A change together with the version that it leads to, from the version before.
public struct VersionedChange: Sendable {
  public var newVersion: UInt64
  public var change: ContentsChange

  public init(newVersion: UInt64, change: ContentsChange) {
    self.newVersion = newVersion
    self.change = change
  }
}
