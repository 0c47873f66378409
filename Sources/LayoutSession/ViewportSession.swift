// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
public import LayoutGeometry

/// One viewer's live view of a collection: a pure state machine from events to frames.
///
/// A session has no I/O, clock or tasks. Time is an argument: the duration since a moment that is
/// the same in all calls. The owner passes events in, supplies the prepared layouts that the
/// session asks for, and sends the frames that it builds:
///
///     var session = ViewportSession(open: parameters, at: now)
///     let answers = try session.receive(event, seq: 2, at: now)
///     if let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
///     if let frame = session.nextFrame(at: now) { send(frame) }
///     try session.acknowledge(FrameAck(sequence: 1), at: now)
///
/// Changes are merged, never queued: what happens while the client cannot take a frame goes into
/// the next one. So the memory of a session is bounded by the elements that its client has, and by
/// what the session keeps besides, each within its own limit: private contents, measured sizes,
/// expansions, offsets of sections, rules, and identifiers of requests.
public struct ViewportSession: Sendable {
  // MARK: What the client asked for

  /// What client and owner agreed on.
  var terms: Boxed<SessionTerms>
  /// Whether other sessions see the same data, so that the owner commits batches.
  public let isShared: Bool
  /// What the viewer has expanded, until it has been applied to a layout that sessions share; nil =
  /// it has been.
  var pendingExpansions: Boxed<ViewerExpansions>?

  // MARK: Data and layout

  var contents: SessionContents
  /// The session's layout, which is not responsive.
  var boxedConfiguration: Boxed<LayoutConfiguration> { didSet { measuringChanged() } }
  /// Roughly the memory of the session's layout, in bytes; 0 = it belongs to the data, or to
  /// `choice`.
  var layoutByteCount: Int
  /// The responsive layout that it is a variant of; nil = none.
  var choice: VariantChoice?
  /// The parts of the client's container on which the layout depends.
  var container: LayoutContainer { didSet { measuringChanged() } }
  /// Grows whenever `measurementKey` may change.
  public private(set) var measuringVersion: UInt64 = 0
  /// Grows whenever another prepared layout becomes necessary.
  var geometry: UInt64 = 1
  /// Changes whenever `forEachPinnedLayout` may report other layouts than before.
  public internal(set) var pinnedLayoutsVersion: UInt64 = 0
  /// Grows whenever geometry may differ for the same data version.
  public internal(set) var layoutVersion: UInt64 = 1
  /// The layout that was supplied last, if it is not for a transition; nil = none was supplied.
  var prepared: PreparedState?
  /// The layout at which a transition ends; empty = no transition is under way.
  private var boxedTarget = OutOfLine<TransitionTarget>()
  /// The items that the user moves by hand; nil = none.
  private var boxedMovement: Boxed<MovementState>?
  /// What the user can move by hand, and where to; nil = everything anywhere.
  var movementRules: Boxed<SessionMovementRules>?

  /// What the viewer has changed of the columns of tables; nil = nothing.
  var tablePreferences: Boxed<SessionTablePreferences>?

  // MARK: What the client sees

  /// The client's viewport; the offset includes all offset adjustments.
  var viewport: Viewport
  /// Pixels per point.
  var displayScale: Double
  /// What the client stated for conditions of responsive layouts; nil = nothing.
  var traits: Boxed<LayoutTraits>? { didSet { measuringChanged() } }
  /// What the client said of safe area and margins; nil = nothing.
  var margins: Boxed<ViewportMargins>?
  /// The scroll velocity, in points per second; nil = the client has never reported it.
  var velocity: Point?
  /// How far the offset moved last, in points.
  var lastScroll = Point.zero
  /// The viewport in coordinates of the content that the client has, while newer content is
  /// pending.
  var anchorViewport: Viewport
  /// Whether the client has ever sent an offset.
  var hasOffset: Bool
  /// Where the session begins, while that is in force; nil = it begins at an offset, or the start
  /// is over.
  var start: Boxed<StartState>?

  // MARK: What the client has

  /// The elements that the client has once it has applied the newest frame.
  var live = LiveSet()
  /// The number of slots used before `live` started over; late reports may refer to them.
  var earlierSlotCount = 0
  /// The numbers of all kinds that the client knows.
  var kinds = KindTable()
  /// Whether the client knows so many kinds that following a layout, a commit or an event takes
  /// long.
  public var hasManyKinds: Bool { kinds.names.count > SessionLimits.fewKinds }
  /// Maps the kinds of the presented layout to `kinds`; nil = the next frame makes it.
  var kindMap: KindMap?
  /// Whether the presented layout is not the one of `kindMap`; it may have the same kinds.
  var isKindMapStale = false
  /// The state that the newest frame led to; nil = no frame was built.
  var sent: SentState?
  /// The frames in flight, and when something was last sent and heard.
  public internal(set) var link: SessionLink
  /// The offset adjustments of past frames.
  var adjustments = AdjustmentHistory()
  /// The last frame that the client applied before it rejected one. The keyframe that follows
  /// repeats the offset adjustments since. nil = the client has not rejected a frame, or has
  /// applied that keyframe.
  var lastBeforeRejection: UInt64?
  /// Whether the keyframe that repairs the rejection was sent.
  var isRepairSent = false
  /// The owner's scratch while a frame is built; otherwise empty and without capacity.
  var scratch = SessionScratch()

  // MARK: What waits for the next frame

  /// Whether the next frame must be a keyframe.
  var needsKeyframe = true
  /// Whether the elements have to be looked at again, since the viewport or the options changed.
  var isViewportDirty = true
  /// Whether they have to be looked at again even if the viewport has not moved.
  var isInvalidated = false
  /// Whether the next frame is to have a transition.
  var isAnimationWanted = false
  /// Whether the client chose another layout since the newest frame.
  var isLayoutChanged = false
  /// Whether the next frame does not anchor the content, so that the offset stays as it is.
  var isAnchoringSuspended = false
  /// The number of events and committed batches since the newest frame.
  var eventsSinceFrame = 0
  /// Whether the newest frame took more than a small effort, or an attempt at the next one did.
  var isCostly = false
  /// Whether something is due that takes more than a small effort. The owner then calls
  /// `nextFrame`, `nextPrefetch` and `nextVisibility` again with another effort, where that delays
  /// nobody. All three set it; only `nextFrame` clears it, at its beginning.
  public internal(set) var needsTurn = false
  /// The items that the client was told to prepare; empty = it never asked for that.
  var prefetching = OutOfLine<PrefetchState>()
  /// The elements that are in sight; empty = the client has no rules for that.
  var sightings = OutOfLine<VisibilityState>()
  /// Questions waiting for a layout.
  var waitingScrolls: [(seq: UInt64, request: ScrollRequest)] = []
  /// Reports of sizes that wait for a version of shared contents which the session has not seen
  /// yet.
  var waitingOffers: [(seq: UInt64, version: UInt64)] = []
  /// The sequence numbers of sync events waiting for their answer.
  var waitingSyncs: [UInt64] = []
  /// What the client was last told about sections that scroll by themselves.
  var toldScrolls: [SectionScrollState] = []
  /// The offsets of sections as the client has them; empty = it does not scroll sections, or all
  /// are at 0.
  var rendererOffsets = OutOfLine<RendererOffsets>()

  // MARK: Events and time

  /// The sequence number of the newest event. The next one must be greater.
  public internal(set) var lastEvent: UInt64
  /// The sequence numbers of updates whose outcome the owner has not reported. All are above 0.
  var unsettled: [UInt64] = []
  /// The latest batches of private contents, by request identifier.
  var requests = RecentRequests()
  /// Whether the client closed the session, which then ignores events and builds no frames until a
  /// resume.
  public internal(set) var isClosed = false
  /// Whether the client said, when it closed the session, that it will not resume.
  public internal(set) var isDiscarded = false

  /// Opens a session.
  ///
  /// - Parameter now: the time since a moment that is the same in all calls.
  /// - Precondition: the numbers in `parameters.viewport` are within the limits of
  ///   `ViewportChange`.
  /// - Complexity: O(scrolled sections · log sections)
  public init(open parameters: SessionParameters, at now: Duration = .zero) {
    terms = Boxed(SessionTerms(parameters))
    isShared = parameters.isShared
    contents = SessionContents(
      parameters.contents,
      version: parameters.dataVersion,
      isShared: parameters.isShared
    )
    let change = parameters.viewport
    let traits = change.traits ?? .init()
    viewport = Viewport(
      offset: change.offset ?? .zero,
      size: change.size ?? .zero,
      insets: change.insets ?? .zero,
      isRightToLeft: traits.isRightToLeft,
      rendererPins: parameters.capabilities.pinning
    )
    anchorViewport = viewport
    displayScale = traits.displayScale
    margins = ViewportMargins().changed(by: change).map { Boxed($0) }
    velocity = change.velocity
    hasOffset = change.offset != nil
    self.traits = traits.boxed
    let whole = LayoutContainer(
      size: viewport.size,
      insets: viewport.insets,
      displayScale: displayScale,
      isRightToLeft: viewport.isRightToLeft,
      references: change.references
    )
    let environment = LayoutEnvironment(whole, traits: traits.stated)
    choice = VariantChoice(parameters.layout, in: environment)
    let layout = choice?.configuration(in: environment) ?? parameters.layout
    boxedConfiguration = Boxed(layout)
    layoutByteCount = choice == nil && parameters.ownsLayout ? layout.byteCount : 0
    container = layout.layout.significantParts(of: whole)
    tablePreferences = SessionTablePreferences(parameters.table, of: layout.layout).map {
      Boxed($0)
    }
    lastEvent = parameters.eventSequence
    link = SessionLink(at: now)
    openSectionOffsets(change.sectionOffsets)
    rendererHas(viewport.sectionOffsets)
    anchorViewport = viewport
    if capabilities.checksums { keepChecksum() }
    prefetchOptionsChanged()
    visibilityOptionsChanged()
    restore(parameters.expansions)
  }
}

extension ViewportSession {
  // MARK: - Queries

  /// The layout at which a transition ends; nil = no transition is under way.
  var target: TransitionTarget? {
    get { boxedTarget.value }
    set { boxedTarget.value = newValue }
    _modify { yield &boxedTarget.value }
  }

  /// The items that the user moves by hand; nil = none.
  var movement: MovementState? {
    get { boxedMovement?.value }
    set { boxedMovement = newValue.map { Boxed($0) } }
  }

  private mutating func measuringChanged() { measuringVersion &+= 1 }

  /// The data version of the session's contents.
  public var dataVersion: UInt64 { contents.version }

  /// The sequence number of the newest frame; 0 = none was built.
  public var lastFrame: UInt64 { link.lastFrame }

  /// The newest event such that it and all events before it have been applied or refused.
  public var appliedEvent: UInt64 {
    guard let oldest = unsettled.min() else { return lastEvent }
    // Above 0: `receive` takes only numbers that are greater than another.
    return oldest - 1
  }

  /// The data version that the newest frame showed; 0 = none was built.
  public var shownDataVersion: UInt64 { sent?.dataVersion ?? 0 }

  /// The number of frames that were sent and are not acknowledged.
  public var unacknowledgedFrames: UInt64 { link.unacknowledgedFrames }

  /// The kind of the session's layout: "flow". For a responsive layout, the kind of its current
  /// variant.
  public var layoutKind: String { boxedConfiguration.value.layout.kindName }

  /// Whether no frame can be sent before the client acknowledges one.
  public var isWindowFull: Bool { link.window.count >= options.maxInFlightFrames }

  /// The size of the client's view, in points.
  public var viewSize: Size { viewport.size }

  /// The number of elements that the client has once it has applied the newest frame.
  public var liveCount: Int { live.count }

  /// The checksum of the elements that the client has once it has applied the newest frame.
  ///
  /// - Complexity: O(1) if a checksum is kept, because the client asked for checksums or sent one;
  ///   else O(live elements)
  public var stateChecksum: UInt32 { live.checksum ?? live.checksum(hash) }

  /// Keeps the checksum up to date with each frame from now on.
  mutating func keepChecksum() {
    let hash = hash
    live.keepChecksum(hash)
  }

  /// An element's part of the checksum.
  var hash: (LayoutElement) -> UInt32 {
    let hashes = kinds.hashes
    let units = capabilities.unitsPerPoint
    return { element in
      StateChecksum.hash(
        of: element,
        kindHash: KindTable.hash(of: element.kind, in: hashes),
        unitsPerPoint: units
      )
    }
  }

  /// Roughly the memory that only this session uses, in bytes: `byteCount`, and the prepared layout
  /// if the contents are private.
  public var privateByteCount: Int {
    guard !isShared || contents.isDerived else { return byteCount }
    return byteCount + (prepared?.box.pinned.byteCount ?? 0)
  }

  /// What queries about the session need: its current layout, viewport and data version, or the
  /// latest ones while a newer layout is being prepared. nil = no layout has been supplied, or only
  /// a provisional one.
  public var query: SessionQuery? {
    guard prepared?.isProvisional != true,
      let box = presentedBox ?? prepared?.box ?? sent?.box
    else { return nil }
    return SessionQuery(
      box: box,
      viewport: aligned(viewport, in: box.value),
      dataVersion: isPrepared ? contents.version : prepared?.dataVersion ?? contents.version
    )
  }
}

/// What queries about a session need.
public struct SessionQuery: Sendable {
  let box: LayoutBox
  /// What the client sees.
  public let viewport: Viewport
  /// The data version of the contents in `prepared`.
  public let dataVersion: UInt64

  /// The layout that the session shows.
  public var prepared: any PreparedLayout { box.value }
  /// The same as it is seen, with scroll effects.
  public var shown: any PreparedLayout { box.shown }
}

/// The state that the newest frame led to.
struct SentState: Sendable {
  /// The layout that the frame shows.
  var box: LayoutBox
  /// The epoch of the session's contents.
  var epoch: Int
  /// The session's `geometry`.
  var geometry: UInt64
  /// The data version of the session's contents.
  var dataVersion: UInt64
  /// The session's `layoutVersion`.
  var layoutVersion: UInt64
  /// The size of the whole content, in points.
  var contentSize: Size
  /// The rect inside which the client has all elements.
  var coverage: Rect
  /// The viewport when the elements were last looked at.
  var viewport: Viewport
  /// The offsets of sections at which their elements were looked up for a renderer that scrolls
  /// sections; nil = it does not, and the offsets are those of `viewport`.
  var lookupOffsets: [Int: Double]?

  /// The viewport for which the elements were looked up.
  var lookedUp: Viewport { viewport.scrollingSections(to: lookupOffsets) }

  var prepared: any PreparedLayout { box.value }
}
