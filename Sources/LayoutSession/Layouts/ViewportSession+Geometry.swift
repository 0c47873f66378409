// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// The prepared layout that the owner has to supply before the next frame; nil = none is missing.
  public var wantedLayout: PreparedLayoutRequest? {
    guard !isClosed, !isBeginningDue else { return nil }
    if !isPrepared { return request(configuration, container, base: prepared, role: .current) }
    if let target, target.prepared?.geometry != geometry {
      return request(
        target.configuration,
        target.container,
        base: target.prepared,
        role: .target
      )
    }
    return nil
  }

  /// Takes the prepared layout that `wantedLayout` asked for. A layout that the session no longer
  /// needs is ignored.
  ///
  /// - Parameter layout: the result of the request.
  /// - Parameter request: what `wantedLayout` was.
  /// - Parameter identity: the same number for the same prepared layout in all sessions, which
  ///   comes back in `PinnedLayout`; nil = no other session has this layout.
  /// - Returns: answers to questions that waited for the layout.
  @discardableResult
  public mutating func supply(
    _ layout: any PreparedLayout,
    for request: PreparedLayoutRequest,
    identity: UInt64? = nil
  ) -> [SessionMessage] {
    supply(layout, of: nil, for: request, identity: identity)
  }

  /// Takes what is shown in place of the layout that `wantedLayout` asked for, and asks for nothing
  /// until something changes or `wantLayoutAnew()` is called.
  ///
  /// - Parameter standIn: from the request's `standIn`.
  /// - Parameter request: what `wantedLayout` was.
  /// - Returns: answers to questions that waited for a layout.
  public mutating func supply(
    standIn: PreparedLayoutRequest.StandIn,
    for request: PreparedLayoutRequest
  ) -> [SessionMessage] {
    supply(
      standIn.prepared,
      of: standIn.configuration,
      for: request,
      identity: standIn.identity
    )
  }

  /// - Parameter other: what it is a layout of; nil = what the request asked for.
  private mutating func supply(
    _ layout: any PreparedLayout,
    of other: Boxed<LayoutConfiguration>?,
    for request: PreparedLayoutRequest,
    identity: UInt64?
  ) -> [SessionMessage] {
    guard request.id == geometry else { return [] }
    if request.role == .current, prepared?.isProvisional == true {
      // The client has frames of the provisional layout, which is another geometry.
      layoutVersion += 1
      geometry += 1
    }
    let state = state(of: layout, other, for: request, identity: identity)
    switch request.role {
    case .current:
      prepared = state
      applyPendingExpansions()
    case .target: target?.prepared = state
    }
    presentedLayoutChanged()
    placeHeldItems()
    return isPresentable ? answerWaitingScrolls() : []
  }

  /// Takes a layout of the beginning of the contents, for a provisional first frame. Ignored where
  /// it is not needed. After that frame `wantedLayout` asks for the whole again.
  ///
  /// - Parameter layout: the result of `PreparedLayoutRequest.prepareBeginning`.
  /// - Parameter request: what `wantedLayout` was.
  public mutating func supply(
    beginning layout: any PreparedLayout,
    for request: PreparedLayoutRequest
  ) {
    guard request.id == geometry, sent == nil, prepared == nil, target == nil else { return }
    prepared = state(of: layout, nil, for: request, identity: nil)
    prepared?.isProvisional = true
    presentedLayoutChanged()
  }

  /// A supplied layout, with the state of the session that it was prepared for.
  private func state(
    of layout: any PreparedLayout,
    _ other: Boxed<LayoutConfiguration>?,
    for request: PreparedLayoutRequest,
    identity: UInt64?
  ) -> PreparedState {
    let arranged = arranged(layout, last: prepared?.layout)
    let shown = other?.value ?? request.configuration
    return PreparedState(
      box: LayoutBox(
        arranged,
        supplied: layout,
        effects: shown.scrollEffects,
        identity: identity,
        byteCount: contents.ownBytes(of: arranged, by: shown.layout)
      ),
      standIn: other,
      geometry: geometry,
      epoch: contents.epoch,
      dataVersion: contents.version,
      versionSpace: contents.versionSpace,
      sharedVersion: contents.sharedVersion,
      isShareable: isShareable,
      boxedConfiguration: request.role == .current
        ? boxedConfiguration : Boxed(request.configuration),
      container: request.container
    )
  }

  /// Whether the current contents are exactly those of the collection at its data version, or those
  /// with shared sizes at theirs.
  var isShareable: Bool { isShared && !contents.isDerived }

  /// Notes that the next frames are made of other prepared layouts than before.
  mutating func presentedLayoutChanged() {
    isKindMapStale = true
    pinnedLayoutsVersion &+= 1
    guard let next = target?.prepared, let prepared, isPresentable else { return }
    target?.kinds = Boxed(InterpolatedKinds(from: prepared.layout, to: next.layout))
  }

  /// Whether `prepared` is for the current contents, layout and container.
  var isPrepared: Bool {
    // Part by part: the whole state is a large copy.
    prepared?.geometry == geometry && prepared?.isProvisional == false
  }

  /// Whether the next frame shows the beginning of the contents while the whole is being prepared.
  private var isBeginningDue: Bool {
    prepared?.isProvisional == true && prepared?.geometry == geometry && sent == nil
      && target == nil
  }

  /// Whether all layouts that the next frame needs have been supplied.
  var isPresentable: Bool {
    isPrepared && (target.map { $0.prepared?.geometry == geometry } ?? true)
  }

  /// The layout that the next frame shows, with what the owner is told of it; nil = a layout has
  /// still to be supplied.
  var presentedBox: LayoutBox? {
    guard isPresentable || isBeginningDue, let box = prepared?.box else { return nil }
    guard let target, let next = target.prepared, let kinds = target.kinds else { return box }
    return LayoutBox(
      from: box,
      to: next.box,
      kinds: kinds.value,
      progress: target.shownProgress
    )
  }

  /// A layout as this client wants it: with scroll effects, unless its renderer applies them.
  func seen(_ box: LayoutBox) -> any PreparedLayout {
    rendererApplies(box) ? box.value : box.shown
  }

  /// Whether the renderer applies the effects of a layout.
  func rendererApplies(_ box: LayoutBox) -> Bool {
    capabilities.scrollEffects && !box.effects.isEmpty
  }

  /// The session's layout with its options.
  var configuration: LayoutConfiguration {
    get { boxedConfiguration.value }
    set { boxedConfiguration = Boxed(newValue) }
  }

  /// See `PreparedLayoutRequest.visibleEnd`.
  private var visibleEnd: Size {
    let screens = 3 + (options.overscanAhead ?? 1)
    return Size(
      width: viewport.offset.x + viewport.size.width * screens,
      height: viewport.offset.y + viewport.size.height * screens
    )
  }

  /// See `PreparedLayoutRequest.firstRect`.
  private var firstRect: Rect {
    let screens = max(1, options.overscanAhead ?? 1, options.overscanBehind ?? 1)
    let (width, height) = (viewport.size.width, viewport.size.height)
    return Rect(
      x: viewport.offset.x - width * screens,
      y: viewport.offset.y - height * screens,
      width: width * (1 + 2 * screens),
      height: height * (1 + 2 * screens)
    )
  }

  /// The client's viewport as a container for layouts.
  var wholeContainer: LayoutContainer {
    LayoutContainer(
      size: viewport.size,
      insets: viewport.insets,
      displayScale: displayScale,
      isRightToLeft: viewport.isRightToLeft,
      references: margins?.value.references(inWidth: viewport.size.width) ?? .none
    )
  }

  /// Notes that the layout has changed.
  mutating func containerChanged() {
    layoutVersion += 1
    updateContainers()
  }

  /// Notes that the size, insets, margins or traits may have changed. Margins that no layout uses
  /// change nothing.
  ///
  /// - Parameter old: the container before.
  mutating func containerChanged(from old: LayoutContainer) {
    var new = wholeContainer
    guard new != old else { return }
    let isSignificant = updateContainers()
    new.references = old.references
    if isSignificant || new != old { layoutVersion += 1 }
  }

  /// Takes the parts of the client's container on which the session's layouts depend.
  ///
  /// - Returns: whether some of them differ, so that other prepared layouts become necessary.
  @discardableResult
  private mutating func updateContainers() -> Bool {
    let before = geometry
    let whole = wholeContainer
    let significant = configuration.layout.significantParts(of: whole)
    if significant != container {
      container = significant
      geometry += 1
    }
    if let target {
      let targetContainer = target.configuration.layout.significantParts(of: whole)
      if targetContainer != target.container {
        self.target?.container = targetContainer
        geometry += 1
      }
    }
    return geometry != before
  }

  /// The version of a base layout among those who share the contents; nil = some change since is
  /// not one from a version of these to the next, but a preview of a movement for example.
  private func commonVersion(of base: PreparedState, changes count: Int) -> UInt64? {
    let isCommitted =
      isShareable && base.isShareable && base.versionSpace == contents.versionSpace
      && base.sharedVersion <= contents.sharedVersion
      && contents.sharedVersion - base.sharedVersion == UInt64(count)
    return isCommitted ? base.sharedVersion : nil
  }

  /// The request for a layout.
  ///
  /// - Parameter base: the layout that was prepared last for the same role; nil = there is none.
  private func request(
    _ configuration: LayoutConfiguration,
    _ container: LayoutContainer,
    base: PreparedState?,
    role: PreparedLayoutRequest.Role
  ) -> PreparedLayoutRequest {
    var derivation: PreparedLayoutRequest.Derivation?
    // A map at another zoom is another view of what is shown.
    if let base = base ?? prepared, !base.isProvisional, base.standIn == nil,
      base.container == container,
      base.boxedConfiguration === boxedConfiguration && role == .current
        || base.configuration.settled == configuration.settled,
      let changes = contents.changes(since: base.epoch)
    {
      derivation = self.derivation(from: base, changes)
    }
    return PreparedLayoutRequest(
      id: geometry,
      contents: contents.effective,
      dataVersion: contents.version,
      version: contents.sharedVersion,
      isShareable: isShareable,
      configuration: configuration,
      container: container,
      derivation: derivation,
      mayBeDraft: derivation != nil && role == .current && target == nil
        && configuration.layout.hasDrafts
        && contents.effective.itemCount > PreparedLayoutRequest.undraftedCount,
      last: lastShown(base ?? prepared),
      role: role,
      visibleEnd: isBeginningWanted ? visibleEnd : nil,
      firstRect: isBeginningWanted ? firstRect : nil
    )
  }

  private func derivation(
    from base: PreparedState,
    _ changes: [ContentsChange]
  ) -> PreparedLayoutRequest.Derivation {
    .init(
      base: base.box.supplied,
      baseIdentity: base.box.pinned.identity,
      baseVersion: commonVersion(of: base, changes: changes.count),
      changes: changes
    )
  }

  private func lastShown(_ state: PreparedState?) -> PreparedLayoutRequest.LastShown? {
    guard let state, !state.isProvisional, let changes = contents.changes(since: state.epoch) else {
      return nil
    }
    return .init(
      configuration: state.shownConfiguration,
      container: state.box.supplied.context.container,
      derivation: derivation(from: state, changes)
    )
  }

  /// Asks for the current layout once more, after what was supplied was a stand-in for it.
  ///
  /// - Returns: the `id` of the next request, which is one above that of the last.
  public mutating func wantLayoutAnew() -> UInt64 {
    layoutVersion += 1
    geometry += 1
    return geometry
  }

  /// The `id` of the request for a layout that the session made last, or makes next.
  public var layoutRequestID: UInt64 { geometry }

  /// Whether the session shows a stand-in for a layout, or for the one at which a transition ends.
  public var showsStandIn: Bool { prepared?.standIn != nil || target?.prepared?.standIn != nil }

  /// Whether a transition is in progress.
  public var isInTransition: Bool { target != nil }

  /// Whether the session shows a draft, in place of which it wants the whole.
  public var isDraft: Bool { prepared?.layout.isDraft ?? false }

  /// Settles the draft that the session shows, so that there is no seam in a rect.
  ///
  /// - Returns: false = that takes too long, or there is no draft.
  mutating func settleDraft(in rect: Rect) -> Bool {
    guard let draft = prepared?.box.supplied, draft.isDraft,
      let settled = try? draft.settled(
        in: rect,
        work: LayoutWork(stepLimit: SessionLimits.settlingSteps)
      )
    else { return false }
    let own = max(0, settled.byteCount - draft.byteCount)
    let box = LayoutBox(
      settled,
      effects: prepared?.shownConfiguration.value.scrollEffects ?? [],
      identity: nil,
      byteCount: min(settled.byteCount, own)
    )
    prepared?.box = box
    layoutVersion += 1
    geometry += 1
    prepared?.geometry = geometry
    presentedLayoutChanged()
    return true
  }

  /// Whether a first frame may show the beginning of the contents while the whole is being
  /// prepared: not where the session begins elsewhere than at the start, for only the whole says
  /// where that is.
  private var isBeginningWanted: Bool {
    prepared == nil && sent == nil && target == nil && pendingExpansions == nil
      && tablePreferences == nil
      && start?.value.isVeryStart ?? true
  }
}
