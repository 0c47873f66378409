// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel

/// What a prepared layout is wanted for.
public struct PreparationRequest: Sendable {
  public var contents: CollectionContents
  public var version: ContentsVersion
  public var configuration: LayoutConfiguration
  public var container: LayoutContainer
  /// The latest changes, in order, the last one leading to `version`. From any cached version that
  /// they reach back to, the new one is derived rather than prepared anew. May be empty.
  public var changes: [VersionedChange]
  /// A prepared layout of the same contents, configuration and container that the caller still
  /// holds, for when the cache no longer does.
  public var base: Base?

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
    base: Base? = nil
  ) {
    self.contents = contents
    self.version = version
    self.configuration = configuration
    self.container = container
    self.changes = changes
    self.base = base
  }

  var variant: Variant {
    Variant(
      identity: version.identity,
      configuration: configuration,
      container: configuration.layout.significantParts(of: container)
    )
  }

  /// How many of the last changes lead from `number` to the wanted version; nil where the changes
  /// do not reach back that far.
  func changeCount(since number: UInt64) -> Int? {
    guard number <= version.number, version.number - number <= UInt64(changes.count) else {
      return nil
    }
    return Int(version.number - number)
  }
}

/// What a prepared layout depends on besides the version of the contents.
struct Variant: Hashable, Sendable {
  var identity: ContentsIdentity
  var configuration: LayoutConfiguration
  var container: LayoutContainer
}
