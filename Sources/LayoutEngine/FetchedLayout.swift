// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
public import ResourceAccounting

/// A layout whose elements come from another program, which takes longer than computing: the engine
/// fetches them before it computes. The engine never derives such a layout from an older one by
/// itself.
///
/// `prepare` and `update` make only what is shown until the elements have arrived.
public protocol FetchedLayout: CollectionLayout {
  /// Fetches what is needed to lay out some contents.
  ///
  /// - Parameters:
  ///   - identity: the identity of the contents; nil = they are private.
  ///   - base: what was prepared of this layout for an older version in the same container; nil =
  ///     nothing is known.
  ///   - account: charged for what is fetched; nil = nobody is charged.
  ///   - byteLimit: the most bytes that the result may take.
  ///   - engine: runs long computations of the fetch on its own threads (`perform(cost:for:_:)`).
  /// - Returns: a layout that is computed from the fetched data without waiting.
  /// - Throws: `CancellationError` if nobody waits any more; otherwise the error that all waiters
  ///   are told.
  func fetched(
    _ context: LayoutContext,
    of identity: ContentsIdentity?,
    since base: FetchedBase?,
    for account: Account?,
    byteLimit: Int,
    on engine: LayoutEngine
  ) async throws -> FetchedSource
}

/// A layout that was prepared before.
public struct FetchedBase: Sendable {
  /// What was prepared.
  public var prepared: any PreparedLayout
  /// The changes of the contents since then, in order.
  public var changes: [ContentsChange]

  /// A layout, and the changes since then.
  public init(_ prepared: any PreparedLayout, changes: [ContentsChange]) {
    self.prepared = prepared
    self.changes = changes
  }
}

/// The data that was fetched for a layout.
public struct FetchedSource: Sendable {
  /// Lays out the fetched data.
  public var layout: any CollectionLayout
  /// The charge for the data, until it is laid out; nil = there is none.
  public var lease: Lease?

  /// A layout, and the charge for its data.
  public init(_ layout: any CollectionLayout, lease: Lease? = nil) {
    self.layout = layout
    self.lease = lease
  }
}

extension LayoutEngine {
  /// Prepares a layout that is not shared, after fetching its data.
  ///
  /// - Parameter account: the account whose turn the computation takes; nil = the server's.
  /// - Throws: as the layout's `fetched`, and as `perform(cost:for:_:)`.
  public func prepareAlone(
    _ layout: any CollectionLayout,
    _ context: LayoutContext,
    for account: Account?
  ) async throws -> any PreparedLayout {
    var source = FetchedSource(layout)
    if let layout = layout as? any FetchedLayout {
      source = try await layout.fetched(
        context,
        of: nil,
        since: nil,
        for: account,
        byteLimit: layoutByteLimit,
        on: self
      )
    }
    let lease = source.lease
    let prepared = try await perform(cost: context.contents.itemCount, for: account) {
      [layout = source.layout] work in
      try layout.prepare(context, work: work)
    }
    withExtendedLifetime(lease) {}
    return prepared
  }
}
