// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry

/// The prepared layout that a session needs for its next frame.
///
/// It says what the session knows: contents, changes, and what the layout is for. The engine's
/// `PreparationRequest` says what a cache has to know instead: whose contents they are, and who
/// pays. The two modules do not know each other, so there are two types; `LayoutService` makes one
/// of the other.
public struct PreparedLayoutRequest: Sendable {
  /// Identifies the state of the session that the layout is for. Grows whenever another prepared
  /// layout becomes necessary.
  public let id: UInt64
  /// What is to be laid out.
  public let contents: CollectionContents
  /// The data version that the session's contents are based on.
  public let dataVersion: UInt64
  /// The version that the session's contents are based on: the data version, or that of
  /// `SharedContents` where the session shares measured sizes.
  public let version: UInt64
  /// Whether `contents` are exactly those at `version`, so that sessions can share the prepared
  /// layout. False for private contents, and where the session measured for itself or moved items
  /// by hand.
  public let isShareable: Bool
  /// The layout with its options.
  public let configuration: LayoutConfiguration
  /// Those parts of the session's container on which the layout depends.
  public let container: LayoutContainer
  /// A prepared layout to derive the new one from; nil = it has to be prepared from scratch.
  public let derivation: Derivation?
  /// Whether the session can show a draft until the whole is prepared: the layout has drafts, and
  /// so many items that the whole may take longer than a client should wait after an edit.
  public let mayBeDraft: Bool
  /// What the session has shown last, whatever layout that is of; nil = nothing, or nothing that
  /// the changes since are known of.
  let last: LastShown?
  /// What the session wants the layout for.
  let role: Role
  /// How far a provisional first frame must reach, in points: several viewports beyond the visible
  /// rect, because the layout near the cut depends on what is behind it. nil = this is not for a
  /// first frame.
  let visibleEnd: Size?
  /// What a first frame may show, with overscan, in content coordinates; nil = this is not for a
  /// first frame.
  let firstRect: Rect?

  /// What a session wants a prepared layout for.
  enum Role: Sendable {
    /// The session's layout.
    case current
    /// The layout at which a transition ends.
    case target
  }

  /// An older prepared layout of a configuration with the same basis and of the same container,
  /// with the changes of its contents since.
  public struct Derivation: Sendable {
    /// The older prepared layout.
    public let base: any PreparedLayout
    /// The number that it was supplied with; nil = no other session has it.
    public let baseIdentity: UInt64?
    /// The version that `base` is of, if each change leads from one version to the next, up to
    /// `PreparedLayoutRequest.version`. nil = some change is private to the session, such as that
    /// of a cancelled movement: the result is still right, but no layout in between may be shared.
    public let baseVersion: UInt64?
    /// In order: the first one begins at the contents of `base`, and the last one leads to
    /// `contents`.
    public let changes: [ContentsChange]
  }

  /// What is shown in place of a layout.
  public struct StandIn: Sendable {
    /// What `prepared` is a layout of.
    let configuration: Boxed<LayoutConfiguration>
    /// What is shown.
    public let prepared: any PreparedLayout
    /// The number that it was supplied with; nil = no other session has it.
    public let identity: UInt64?

    /// The layout that the request `standInRequest` asked for.
    ///
    /// - Parameter identity: as for `ViewportSession.supply`.
    public init(
      _ prepared: any PreparedLayout,
      of request: PreparedLayoutRequest,
      identity: UInt64?
    ) {
      configuration = Boxed(request.configuration)
      self.prepared = prepared
      self.identity = identity
    }

    init(
      _ prepared: any PreparedLayout,
      of configuration: Boxed<LayoutConfiguration>,
      identity: UInt64? = nil
    ) {
      self.configuration = configuration
      self.prepared = prepared
      self.identity = identity
    }
  }

  /// A prepared layout with what follows from it.
  struct LastShown: Sendable {
    let configuration: Boxed<LayoutConfiguration>
    let container: LayoutContainer
    let derivation: Derivation
  }

  /// Whether the session has something that it can show until the layout is there.
  public var hasStandIn: Bool { last != nil }

  /// Whether the layout is that at which a transition ends.
  public var isForTarget: Bool { role == .target }

  /// What the session has shown last, if that is still right; nil = it has to follow changes, or
  /// nothing was shown.
  public var unchangedStandIn: StandIn? {
    guard let last, last.derivation.changes.isEmpty else { return nil }
    return StandIn(
      last.derivation.base,
      of: last.configuration,
      identity: last.derivation.baseIdentity
    )
  }

  /// The request for what the session has shown last, as it follows the changes since; nil =
  /// nothing was shown.
  public var standInRequest: PreparedLayoutRequest? {
    guard let last else { return nil }
    return PreparedLayoutRequest(
      id: id,
      contents: contents,
      dataVersion: dataVersion,
      version: version,
      isShareable: isShareable,
      configuration: last.configuration.value,
      container: last.container,
      derivation: last.derivation,
      mayBeDraft: false,
      last: nil,
      role: role,
      visibleEnd: nil,
      firstRect: nil
    )
  }

  /// What is shown while a provider's layout cannot be had: an older one that follows the changes
  /// since, or else what the session has shown last; where there is neither, nothing.
  ///
  /// - Parameters:
  ///   - older: a layout of the same configuration, with the changes since; nil = none is known.
  ///   - work: is told of the steps, and says when to stop.
  /// - Throws: why the work had to stop.
  public func standIn(
    _ older: (prepared: any PreparedLayout, changes: [ContentsChange])?,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> StandIn {
    let own = Boxed(configuration)
    var (shown, prepared, changes) = (own, older?.prepared, older?.changes ?? [])
    if prepared == nil, let last {
      shown = last.configuration
      (prepared, changes) = (last.derivation.base, last.derivation.changes)
    }
    guard var prepared else {
      return StandIn(try own.value.layout.prepare(context(of: contents), work: work), of: own)
    }
    for change in changes {
      prepared = try shown.value.layout.update(prepared, by: change, work: work)
    }
    return StandIn(prepared, of: shown)
  }

  /// Prepares the layout on the calling thread, derived from an older one where there is one.
  ///
  /// - Complexity: that of `CollectionLayout.prepare`, or of one `CollectionLayout.update` for each
  ///   change.
  public func prepare() -> any PreparedLayout {
    if let derived = try? derived(work: .unlimited) { return derived }
    return configuration.layout.prepare(context(of: contents))
  }

  /// The same within limits on the work.
  ///
  /// - Parameter work: is told of the steps, and says when to stop.
  /// - Throws: why the work had to stop.
  public func prepare(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
    if let derived = try derived(work: work) { return derived }
    return try configuration.layout.prepare(context(of: contents), work: work)
  }

  /// nil = there is nothing to derive the layout from.
  private func derived(work: LayoutWork) throws(LayoutWork.Stop) -> (any PreparedLayout)? {
    guard let derivation else { return nil }
    var prepared = derivation.base
    // What is behind an edit need not be placed before the last one.
    for change in derivation.changes.dropLast() {
      prepared = try configuration.layout.draft(prepared, by: change, work: work)
    }
    if let last = derivation.changes.last {
      prepared = try configuration.layout.update(prepared, by: last, work: work)
    }
    return configuration.layout.view(of: try prepared.completed(work: work))
  }

  /// What the session can show until the whole is prepared, derived on the calling thread from an
  /// older layout: a draft, or the whole where that takes no longer.
  ///
  /// - Parameter work: is told of the steps, and says when to stop.
  /// - Throws: why the work had to stop.
  public func draft(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
    guard let derivation else { return try prepare(work: work) }
    var prepared = derivation.base
    for change in derivation.changes {
      prepared = try configuration.layout.draft(prepared, by: change, work: work)
    }
    return configuration.layout.view(of: prepared)
  }

  /// Layouts of at most this many items are derived before their drafts would have been shown.
  static let undraftedCount = 32_768

  /// The context for laying out some contents: those of the request, or the beginning of them.
  func context(of contents: CollectionContents) -> LayoutContext {
    LayoutContext(contents: contents, container: container, options: configuration.options)
  }
}
