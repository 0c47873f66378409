// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import ResourceAccounting

/// A request for a prepared layout that others may share.
///
/// Sessions, which know nothing of caches and accounts, say what they need as
/// `PreparedLayoutRequest`.
public struct PreparationRequest: Sendable {
  /// The contents to lay out. For outlines, the rows shared by all viewers who began with the same
  /// base and have no expansions of their own.
  public var contents: CollectionContents
  /// Identity and version of `contents`.
  public var version: ContentsVersion
  /// The layout and its options.
  public var configuration: LayoutConfiguration
  /// The viewport's size and traits.
  public var container: LayoutContainer
  /// The last changes of the contents, in order and without gaps; the last one leads to `version`.
  /// If the engine has a layout of an older version from which they lead here, it derives the new
  /// layout from that. May be empty.
  public var changes: [VersionedChange]
  /// An older prepared layout that the caller still holds, in case the cache has evicted it.
  public var base: Base?
  /// Whether a draft is acceptable (`CollectionLayout.draft`). The result is a draft only if it is
  /// derived from an older layout, and the whole layout is not known yet.
  public var mayBeDraft = false
  /// The account that is charged for the layout, and whose turn a large computation takes; nil =
  /// nobody is charged, and the computation takes the server's turn.
  public var account: Account?

  /// A prepared layout of an older version of the same contents, with the same configuration and
  /// container.
  public struct Base: Sendable {
    /// The version of the contents that it was prepared for.
    public var version: UInt64
    /// The layout.
    public var prepared: any PreparedLayout

    /// The layout of an older version.
    public init(version: UInt64, prepared: any PreparedLayout) {
      self.version = version
      self.prepared = prepared
    }
  }

  /// A request for the layout of `contents` in `container`.
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

  /// The key of the request in the cache, apart from the version. O(size of the configuration),
  /// which is hashed.
  var variant: Variant {
    Variant(
      identity: version.identity,
      configuration: configuration,
      container: configuration.layout.significantParts(of: container),
      base: contents.expansionBase
    )
  }

  /// Whether `changes` contain every change from an older version to the wanted one.
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

  /// The changes after an older version.
  ///
  /// - Precondition: `number` is below the wanted version by at most the number of changes, as
  ///   `leadsOn` checks; so the difference is positive and fits an `Int`.
  func changes(since number: UInt64) -> ArraySlice<VersionedChange> {
    changes.suffix(Int(version.number - number))
  }
}
