// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// One viewer's live view of a collection: a pure state machine from events to frames.
///
/// Without I/O, clocks and tasks; time is an argument, as the duration since some fixed moment.
/// The owner passes events in, supplies the prepared layouts that the session asks for and sends
/// the frames that it builds:
///
///     var session = ViewportSession(open: parameters, at: now)
///     let answers = try session.receive(event, seq: 2, at: now)
///     if let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
///     if let frame = session.nextFrame(at: now) { send(frame) }
///     try session.acknowledge(FrameAck(sequence: 1), at: now)
///
/// State is merged, never queued: what happens while the client cannot take a frame goes into the
/// next one. Memory is bounded by the live elements.
public struct ViewportSession: Sendable {
  // MARK: What the client asked for

  public internal(set) var capabilities: ClientCapabilities
  /// As granted.
  public internal(set) var options: SessionOptions
  public let isShared: Bool
  let contentsLimits: ContentsLimits
  let maxElements: Int
  let patience: ClientPatience

  // MARK: Data and layout

  var contents: SessionContents
  var boxedConfiguration: Boxed<LayoutConfiguration>
  /// The significant parts of what the client shows the content in.
  var container: LayoutContainer
  /// Grows with everything that makes another prepared layout necessary.
  var geometry: UInt64 = 1
  /// Grows whenever `forEachPinnedLayout` may tell other layouts than before.
  public internal(set) var pinnedLayoutsVersion: UInt64 = 0
  /// Grows when geometry may differ for the same data.
  public internal(set) var layoutVersion: UInt64 = 1
  var prepared: PreparedState?
  /// The layout that the user drags towards.
  var target: TransitionTarget?
  var movement: MovementState?

  // MARK: What the client sees

  var viewport: Viewport
  var displayScale: Double
  /// nil = never told.
  var velocity: Point?
  var lastScroll = Point.zero
  /// The viewport in the terms of the content that the client has, while newer content waits.
  var anchorViewport: Viewport
  var hasOffset: Bool

  // MARK: What the client has

  var live = LiveSet()
  var kinds = KindTable()
  /// For the kinds of what is presented; nil = made with the next frame.
  var kindMap: KindMap?
  var sent: SentState?
  var window = FrameWindow()
  var adjustments = AdjustmentHistory()
  /// The last frame that the client applied before it rejected one: the keyframe that mends it owes
  /// it the adjustments since.
  var lastBeforeRejection: UInt64?
  /// Whether that keyframe is on its way.
  var isMendSent = false
  /// Lent for the making of a frame; without storage else.
  var scratch = SessionScratch()

  // MARK: What waits for the next frame

  var needsKeyframe = true
  var isViewportDirty = true
  var isInvalidated = false
  var isAnimationWanted = false
  var isLayoutChanged = false
  /// Whether the next geometry leaves the offset alone.
  var isAnchoringSuspended = false
  var eventsSinceFrame = 0
  var waitingScrolls: [(seq: UInt64, request: ScrollRequest)] = []

  // MARK: Events and time

  public internal(set) var lastEvent: UInt64
  /// Updates whose fate the owner has not told yet.
  var unsettled: [UInt64] = []
  var requests = RecentRequests()
  var lastFrameAt: Duration?
  var lastIncoming: Duration
  var lastOutgoing: Duration
  public internal(set) var isClosed = false
  /// Whether the client gave up what a resume would need.
  public internal(set) var isDiscarded = false

  public init(open parameters: SessionParameters, at now: Duration = .zero) {
    capabilities = parameters.capabilities
    options = parameters.options.granted
    isShared = parameters.isShared
    contentsLimits = parameters.contentsLimits
    maxElements = parameters.maxElements
    patience = parameters.patience
    contents = SessionContents(
      parameters.contents,
      version: parameters.dataVersion,
      isShared: parameters.isShared
    )
    boxedConfiguration = Boxed(parameters.layout)
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
    velocity = change.velocity
    hasOffset = change.offset != nil
    container = parameters.layout.layout.significantParts(
      of: LayoutContainer(
        size: viewport.size,
        insets: viewport.insets,
        displayScale: displayScale,
        isRightToLeft: viewport.isRightToLeft
      )
    )
    lastEvent = parameters.eventSequence
    lastIncoming = now
    lastOutgoing = now
    openSectionOffsets(change.sectionOffsets)
    anchorViewport = viewport
    if capabilities.checksums { keepChecksum() }
  }
}

extension ViewportSession {
  // MARK: - Queries

  public var dataVersion: UInt64 { contents.version }

  /// The newest frame that was built; 0 = none.
  public var lastFrame: UInt64 { window.lastSent }

  /// The newest event such that it and all before it have taken effect.
  public var appliedEvent: UInt64 {
    guard let oldest = unsettled.min() else { return lastEvent }
    return oldest - 1
  }

  /// How many elements the client holds once it has applied the newest frame.
  public var liveCount: Int { live.count }

  /// The checksum of what the client holds once it has applied the newest frame.
  ///
  /// - Complexity: O(live elements) where the client has shown no interest in checksums.
  public var stateChecksum: UInt32 { live.checksum ?? live.checksum(hash) }

  /// Keeps the checksum with each frame from now on.
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

  /// What the session keeps in memory that nobody else does: `byteCount`, and the prepared layout
  /// where it is of private contents.
  public var privateByteCount: Int {
    guard !isShared || contents.isDerived else { return byteCount }
    return byteCount + (prepared?.held.pinned.byteCount ?? 0)
  }

  /// What questions about the session are asked of: its prepared layout, viewport and data version
  /// at this moment, or as they last were while a newer layout is being prepared. nil = none yet.
  public var query: SessionQuery? {
    guard prepared?.isProvisional != true,
      let presented = presented ?? prepared?.layout ?? sent?.prepared
    else { return nil }
    return SessionQuery(
      prepared: presented,
      options: configuration.options,
      viewport: viewport,
      dataVersion: isPrepared ? contents.version : prepared?.dataVersion ?? contents.version
    )
  }
}

/// What questions about a session are asked of.
public struct SessionQuery: Sendable {
  public let prepared: any PreparedLayout
  public let options: LayoutOptions
  public let viewport: Viewport
  public let dataVersion: UInt64
}

/// What the client was told with the newest frame.
struct SentState: Sendable {
  var held: HeldLayout
  /// Up to where the contents' changes were followed.
  var epoch: Int
  var geometry: UInt64
  var dataVersion: UInt64
  var layoutVersion: UInt64
  var contentSize: Size
  var coverage: Rect
  /// The viewport for which the elements were last looked at.
  var viewport: Viewport

  var prepared: any PreparedLayout { held.value }
}
