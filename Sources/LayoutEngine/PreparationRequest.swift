// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import ResourceAccounting

/// What a prepared layout is wanted for.
public struct PreparationRequest: Sendable {
  public var contents: CollectionContents
  public var version: ContentsVersion
  public var configuration: LayoutConfiguration
  public var container: LayoutContainer
  /// The latest changes, in order, each leading to the version after that of the one before, the last
  /// one to `version`. From any older version that they reach back to, the new one is derived rather
  /// than prepared anew. May be empty.
  public var changes: [VersionedChange]
  /// A prepared layout of the same contents, configuration and container that the caller still
  /// holds, for when the cache no longer does.
  public var base: Base?
  /// Who is charged for the layout, and whose turn a large computation takes; nil = nobody, and the
  /// server's own.
  public var account: Account?

  public struct Base: Sendable {
    public var version: UInt64
    public var prepared: any PreparedLayout

    public init(version: UInt64, prepared: any PreparedLayout) {
      self.version = version
      self.prepared = prepared
    }
  }

  public init(
    contents: CollectionContents,
    version: ContentsVersion,
    configuration: LayoutConfiguration,
    container: LayoutContainer,
    changes: [VersionedChange] = [],
    base: Base? = nil,
    account: Account? = nil
  ) {
    self.contents = contents
    self.version = version
    self.configuration = configuration
    self.container = container
    self.changes = changes
    self.base = base
    self.account = account
  }

  var variant: Variant {
    Variant(
      identity: version.identity,
      configuration: configuration,
      container: configuration.layout.significantParts(of: container)
    )
  }

  /// Whether the changes lead from an older version to the wanted one, without a gap.
  ///
  /// - Complexity: O(changes)
  func leadsOn(from number: UInt64) -> Bool {
    guard number < version.number, version.number - number <= UInt64(changes.count) else {
      return false
    }
    var next = number
    for change in changes(since: number) {
      next += 1
      guard change.newVersion == next else { return false }
    }
    return true
  }

  /// - Precondition: the changes lead on from there.
  func changes(since number: UInt64) -> ArraySlice<VersionedChange> {
    changes.suffix(Int(version.number - number))
  }
}
