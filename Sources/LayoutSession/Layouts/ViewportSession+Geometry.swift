// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// A prepared layout and what it is for.
struct PreparedState: Sendable {
  let held: HeldLayout
  /// Whether it is the beginning only: good for a first frame and nothing else.
  var isProvisional = false
  var geometry: UInt64
  var epoch: Int
  var dataVersion: UInt64
  /// Whether it was made of the collection's own contents at `dataVersion`.
  var isShareable: Bool
  let boxedConfiguration: Boxed<LayoutConfiguration>
  var container: LayoutContainer

  var layout: any PreparedLayout { held.value }
  var configuration: LayoutConfiguration { boxedConfiguration.value }
}

extension ViewportSession {
  /// The prepared layout that the next frame needs and the session lacks; nil = none.
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

  /// Hands over what `wantedLayout` asked for. A layout that is no longer the wanted one is
  /// passed over.
  ///
  /// - Parameter identity: the same number for the same prepared layout in all sessions; it comes
  ///   back in `PinnedLayout`. nil = the layout is this session's alone.
  /// - Returns: answers that had to wait for it.
  @discardableResult
  public mutating func supply(
    _ layout: any PreparedLayout,
    for request: PreparedLayoutRequest,
    identity: UInt64? = nil
  ) -> [SessionMessage] {
    guard request.id == geometry else { return [] }
    if request.role == .current, prepared?.isProvisional == true {
      // What the client was told of was another geometry.
      layoutVersion += 1
      geometry += 1
    }
    let state = state(of: layout, for: request, identity: identity)
    switch request.role {
    case .current: prepared = state
    case .target: target?.prepared = state
    }
    presentedLayoutChanged()
    placeHeldItem()
    return isPresentable ? answerWaitingScrolls() : []
  }

  /// Hands over the beginning of what `wantedLayout` asked for, for a first frame. What was asked for
  /// is still wanted.
  public mutating func supply(
    beginning layout: any PreparedLayout,
    for request: PreparedLayoutRequest
  ) {
    guard request.id == geometry, sent == nil, prepared == nil, target == nil else { return }
    prepared = state(of: layout, for: request, identity: nil)
    prepared?.isProvisional = true
    presentedLayoutChanged()
  }

  private func state(
    of layout: any PreparedLayout,
    for request: PreparedLayoutRequest,
    identity: UInt64?
  ) -> PreparedState {
    PreparedState(
      held: HeldLayout(layout, identity: identity),
      geometry: geometry,
      epoch: contents.epoch,
      dataVersion: contents.version,
      isShareable: isShareable,
      boxedConfiguration: Boxed(request.configuration),
      container: request.container
    )
  }

  /// Whether the contents of this moment are the collection's own at its data version.
  var isShareable: Bool { isShared && !contents.isDerived }

  /// Notes that frames are made of other prepared layouts than before.
  mutating func presentedLayoutChanged() {
    kindMap = nil
    pinnedLayoutsVersion &+= 1
    guard let next = target?.prepared, let prepared, isPresentable else { return }
    target?.kinds = Boxed(InterpolatedKinds(from: prepared.layout, to: next.layout))
  }

  /// Whether `prepared` is for the data, layout and container of this moment.
  var isPrepared: Bool {
    guard let prepared else { return false }
    return prepared.geometry == geometry && !prepared.isProvisional
  }

  /// Whether the next frame shows the beginning of what is being prepared.
  private var isBeginningDue: Bool {
    guard let prepared, prepared.isProvisional else { return false }
    return prepared.geometry == geometry && sent == nil && target == nil
  }

  var isPresentable: Bool {
    isPrepared && (target.map { $0.prepared?.geometry == geometry } ?? true)
  }

  /// What frames are made of; nil while a layout is missing.
  var presented: (any PreparedLayout)? { heldPresented?.value }

  var heldPresented: HeldLayout? {
    guard isPresentable || isBeginningDue, let prepared else { return nil }
    guard let target, let next = target.prepared, let kinds = target.kinds else {
      return prepared.held
    }
    return HeldLayout(
      from: prepared.held,
      to: next.held,
      kinds: kinds.value,
      progress: target.progress
    )
  }

  var configuration: LayoutConfiguration {
    get { boxedConfiguration.value }
    set { boxedConfiguration = Boxed(newValue) }
  }

  private var visibleEnd: Size {
    let screens = 3 + (options.overscanAhead ?? 1)
    return Size(
      width: viewport.offset.x + viewport.size.width * screens,
      height: viewport.offset.y + viewport.size.height * screens
    )
  }

  /// What the client shows the content in.
  var wholeContainer: LayoutContainer {
    LayoutContainer(
      size: viewport.size,
      insets: viewport.insets,
      displayScale: displayScale,
      isRightToLeft: viewport.isRightToLeft
    )
  }

  /// Notes that size, insets, traits or layout changed.
  mutating func containerChanged() {
    layoutVersion += 1
    let significant = configuration.layout.significantParts(of: wholeContainer)
    if significant != container {
      container = significant
      geometry += 1
    }
    guard let target else { return }
    let targetContainer = target.configuration.layout.significantParts(of: wholeContainer)
    if targetContainer != target.container {
      self.target?.container = targetContainer
      geometry += 1
    }
  }

  /// The data version of a base, where each of the changes since leads from one version of the
  /// collection to the next; nil where previews of a movement are among them.
  private func commonVersion(of base: PreparedState, changes count: Int) -> UInt64? {
    let isCommitted =
      isShareable && base.isShareable && base.dataVersion <= contents.version
      && contents.version - base.dataVersion == UInt64(count)
    return isCommitted ? base.dataVersion : nil
  }

  private func request(
    _ configuration: LayoutConfiguration,
    _ container: LayoutContainer,
    base: PreparedState?,
    role: PreparedLayoutRequest.Role
  ) -> PreparedLayoutRequest {
    var derivation: PreparedLayoutRequest.Derivation?
    if let base, !base.isProvisional, base.container == container,
      base.configuration == configuration,
      let changes = contents.changes(since: base.epoch)
    {
      derivation = .init(
        base: base.layout,
        baseVersion: commonVersion(of: base, changes: changes.count),
        changes: changes
      )
    }
    return PreparedLayoutRequest(
      id: geometry,
      contents: contents.effective,
      dataVersion: contents.version,
      isShareable: isShareable,
      configuration: configuration,
      container: container,
      derivation: derivation,
      role: role,
      visibleEnd: prepared == nil && sent == nil && target == nil ? visibleEnd : nil
    )
  }
}
