// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import GRPCCore
public import LayoutGeometry
public import LayoutProtocol
public import LayoutSession
internal import SwiftProtobuf

/// One open session. It keeps a mirror of the elements, acknowledges frames, answers heartbeats,
/// and reconnects when its stream breaks.
///
/// It reads only while `next()`, `settle()` or `perform(_:)` is awaited, and, after a call that was
/// cancelled, one more message or attempt to reconnect. Until then messages stay in the transport,
/// and the server merges later changes into one frame.
///
/// Several tasks may call it at the same time. Each answer goes to the `perform(_:)` or `settle()`
/// that waits for it. Everything else goes to one of the calls of `next()` and `settle()`. A call
/// whose task is cancelled throws `CancellationError`; the session goes on, and no message is lost.
public actor LayoutViewer {
  /// A message from the server.
  public enum Arrival: Sendable {
    /// A frame was applied to the mirror.
    case frame(MirroredChange)
    /// A frame does not fit the mirror and was rejected; a keyframe follows.
    case frameRejected(sequence: UInt64, fault: MirrorFault)
    /// The server refused the event with this number. The session continues.
    case eventRefused(sequence: UInt64, problem: LayoutProblem)
    /// The server applied the event with this number. `dataVersion` and `isDuplicate` are
    /// meaningful for updates.
    case eventApplied(sequence: UInt64, dataVersion: UInt64, isDuplicate: Bool)
    /// The answer to a scroll target event: the offset at which scrolling should end, and the one
    /// that the section of the wanted element should have; nil = that section does not scroll by
    /// itself.
    case scrollTarget(sequence: UInt64, offset: Point, sectionOffset: Double?)
    /// The answer to the question where a step leads: the item, the offset at which scrolling
    /// should end, and the one that the item's section should have if it scrolls by itself. A step
    /// that leads nowhere is answered by `scrollTarget`, with the offset where the viewport is.
    case neighbor(
      sequence: UInt64,
      element: QueriedElement,
      offset: Point,
      sectionOffset: Double?
    )
    /// Items to prepare, and items that need no longer be ready (`SessionOptions.prefetch`). Each
    /// number is in `items` once, and later in `shown` or `cancelled` once, unless `perform(_:)`
    /// has dropped it; `isReset` is always false, also after reconnects.
    case prefetch(PrefetchChange)
    /// Elements that have been seen for as long as a rule requires, and sightings that have ended
    /// (`SessionOptions.visibility`). Each number is in `began` once, and later in `ended` once,
    /// unless `perform(_:)` has dropped it; `isReset` is always false, also after reconnects.
    case visibility(VisibilityChange)
    /// The server has scrolled a section by itself, as the next frame shows it. It need not be
    /// reported.
    case sectionScrolled(section: Int, offset: Double)
    /// The server sent a heartbeat, which was answered.
    case heartbeat
    /// The server is going away. The viewer reconnects when the stream ends.
    case goingAway
    /// A notice of the server, for people.
    case notice(String)
    /// The stream broke; the text says why. The next call of `next()` connects again, however long
    /// that takes.
    case disconnected(String)
    /// The stream broke and a new one is open. Events that had not been applied were sent again.
    case reconnected(Continuation)
  }

  /// How the session continues after the stream broke.
  public enum Continuation: Hashable, Sendable {
    /// The same session, with differences to the frames that the client has.
    case resumed
    /// The same session; a keyframe follows.
    case resumedWithKeyframe
    /// A new session on the same collection. The mirror is empty until its first frame.
    /// Measurements and interactive movements are lost.
    case reset
  }

  /// The elements after the newest frame that was applied.
  public internal(set) var mirror: ElementMirror
  /// The content offset of the viewport, including the adjustments of all frames so far.
  public internal(set) var offset: Point
  /// The session's name, "sessions/{session}"; "" before it is open.
  public internal(set) var session = ""
  /// How the session takes part in shared measurements, as of the last opening or resume.
  public internal(set) var sharing = MeasurementSharing.unknown
  /// The number of the newest event that was sent.
  public internal(set) var lastEvent: UInt64 = 0

  /// The newest event that the server is known to have applied, along with all events before it.
  public var appliedEvent: UInt64 { pending.appliedEvent }

  /// The request with which a new stream is opened, updated with later changes.
  var opening: Wire.OpenSession
  /// What the last opening left out: a new session has the defaults of these.
  var leavesLayoutOut = false
  var leavesOptionsOut = false
  /// The newest event that the last opening contains.
  var openedAt: UInt64 = 0
  /// Whether the server has refused a token since the last stream that worked for a while. Another
  /// new one would not help.
  var hasRenewed = false
  /// Whether the next stream is opened without waiting.
  var triesAtOnce = false
  /// Where tokens come from; nil = none are sent.
  let tokens: TokenSource?
  /// Where a transition ends; nil = there is none.
  var nextLayout: Wire.LayoutSpec?
  let limits: MirrorLimits
  /// How many attempts to open the session are made if connections break.
  let openingAttempts: Int
  let connect: @Sendable (ViewerLink) -> Void
  var link: ViewerLink
  /// How long the server may be silent.
  var patience: ViewerLink.Patience { didSet { link.expect(patience) } }
  var inbox: Inbox?
  /// Whether events can be sent now; otherwise they stay pending until the new stream is open.
  var isOnline = false
  /// Whether the stream broke and no other is open yet.
  var isBroken = false
  var isClosing = false
  /// Whether the mirror lacks a frame that was rejected, until a keyframe comes.
  var isBehind = false
  /// Frames in a row that did not fit the mirror.
  var rejectedInRow = 0
  /// After so many, a rejected keyframe shows that no other one will fit.
  static let mostRejectedInRow = 3
  var pending = PendingEvents()
  /// What `opening.viewport` and `offset` are made of.
  var viewports: ViewportHistory
  var announcements: Announcements
  /// Arrivals to return from `next()` before the stream is read.
  var arrivals: [Arrival] = []
  /// The events for whose answers calls wait, and those answers.
  var awaited: Set<UInt64> = []
  var answers: [UInt64: Arrival] = [:]
  /// The task that reads for all calls that wait; nil = it has read, or nobody waits.
  var reading: Task<Void, Never>?
  /// The calls that wait, by numbers that count them.
  var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
  var lastReader: UInt64 = 0
  /// How the session has ended; nil = it goes on.
  var end: End?
  var resumeToken: [UInt8] = []
  /// The position to restore in a new session when its first frame arrives.
  var anchor: ScreenAnchor?
  /// The number of the last event that scrolled there.
  var restoredBy: UInt64 = 0
  var backoff: Backoff
  /// The delay that the server requested before the next reconnect; nil = none.
  var reconnectDelay: Duration?

  struct Inbox {
    var iterator: ViewerLink.Responses.AsyncIterator
  }

  /// - Parameters:
  ///   - addresses: how many servers there are.
  ///   - tokens: is asked for another token after the server has refused one.
  ///   - connect: starts a task that runs the call of a link.
  init(
    _ opening: Wire.OpenSession,
    offset: Point,
    unitsPerPoint: Int,
    limits: MirrorLimits = MirrorLimits(),
    addresses: Int = 1,
    tokens: TokenSource? = nil,
    connect: @escaping @Sendable (ViewerLink) -> Void
  ) {
    mirror = ElementMirror(unitsPerPoint: unitsPerPoint, limits: limits)
    self.limits = limits
    self.tokens = tokens
    backoff = Backoff(addresses: addresses)
    openingAttempts = addresses + 3
    self.offset = offset
    self.opening = opening
    self.connect = connect
    viewports = ViewportHistory(opening.viewport, offset: offset)
    announcements = Announcements(maxBytes: limits.bytes)
    patience = ViewerLink.Patience(opening.options)
    link = ViewerLink(patience: patience)
  }

  // MARK: - Sending

  /// Sends an event. Its result arrives later as an `Arrival`.
  ///
  /// - Returns: the event's number; nil if the event cannot be expressed as a message.
  @discardableResult
  public func send(_ event: SessionEvent) -> UInt64? {
    guard let request = Wire.StreamLayoutRequest(eventSequence: lastEvent + 1, event) else {
      return nil
    }
    return send(request)
  }

  @discardableResult
  package func send(_ request: Wire.StreamLayoutRequest) -> UInt64 {
    lastEvent += 1
    var request = request
    request.eventSeq = lastEvent
    note(&request)
    pending.append(request, isSent: isOnline)
    if isOnline { link.send(request) }
    return lastEvent
  }

  /// Notes the viewport for the next stream, and gives updates a request identifier so that they
  /// are applied once even if they are sent twice.
  private func note(_ request: inout Wire.StreamLayoutRequest) {
    switch request.event {
    case .viewport(let change):
      viewports.append(
        change,
        event: request.eventSeq,
        isSent: isOnline,
        joining: pending.joinedViewport
      )
      opening.viewport = opening.viewport.merged(with: change)
      if change.hasContentOffset { offset = Point(change.contentOffset) }
    case .close: isClosing = true
    case .update(let batch) where batch.requestID.isEmpty:
      request.update.requestID =
        String(UInt64.random(in: .min ... .max), radix: 36) + "-"
        + String(UInt64.random(in: .min ... .max), radix: 36)
    default: break
    }
  }

  /// Reports a new content offset.
  ///
  /// - Parameters:
  ///   - offset: in content coordinates.
  ///   - velocity: in points per second; nil = the server estimates the direction from earlier
  ///     offsets.
  /// - Returns: the event's number.
  @discardableResult
  public func scroll(to offset: Point, velocity: Point? = nil) -> UInt64? {
    self.offset = offset
    return send(
      .viewport(
        ViewportChange(observedFrame: mirror.frameSequence, offset: offset, velocity: velocity)
      )
    )
  }

  // MARK: - Elements as they are seen

  /// The viewport as the viewer last reported it, with all adjustments of its offset.
  ///
  /// - Parameter offset: nil = the last offset.
  public func viewport(at offset: Point? = nil) -> Viewport {
    let change = opening.viewport
    return Viewport(
      offset: offset ?? self.offset,
      size: Size(width: change.size.width, height: change.size.height),
      insets: EdgeInsets(
        top: change.contentInsets.top,
        leading: change.contentInsets.leading,
        bottom: change.contentInsets.bottom,
        trailing: change.contentInsets.trailing
      ),
      isRightToLeft: change.traits.rightToLeft,
      sectionOffsets: Dictionary(
        change.sectionOffsets.map { (Int($0.section), $0.offset) },
        uniquingKeysWith: { $1 }
      )
    )
  }

  /// The attributes of all live elements by slot, with the scroll effects, if the viewer applies
  /// these itself (`ClientCapabilities.scrollEffects`).
  ///
  /// - Parameter offset: the offset of the viewport; nil = the last reported one. Elements are
  ///   complete while the viewport at this offset is within `ElementMirror.coverage`.
  /// - Complexity: O(elements)
  public func attributes(at offset: Point? = nil) -> [UInt32: LayoutAttributes] {
    let viewport = viewport(at: offset)
    return mirror.elements.mapValues { mirror.seen($0, in: viewport) }
  }

  // MARK: - Receiving

  /// Waits for the next message and processes it. If the stream breaks, this returns
  /// `.disconnected`, and the call after that reconnects, however long that takes.
  ///
  /// - Returns: nil if the session was closed.
  /// - Throws: `RPCError` if the server ends the session with a status, or sends only frames that
  ///   cannot be applied; later calls throw the same. `CancellationError`, after which the session
  ///   goes on.
  public func next() async throws -> Arrival? {
    while arrivals.isEmpty {
      guard try await advance() else { return nil }
    }
    return arrivals.removeFirst()
  }

  /// Reads until the mirror reflects all events that were sent before.
  ///
  /// The server sends frames only for changes, so the absence of a frame is not a signal. Instead
  /// this sends a sync event, which is answered once everything before it has been applied and
  /// sent. After a frame that was rejected, this also waits for the keyframe that replaces it, and
  /// in a new session until the items in sight are where they were.
  /// - Returns: what arrived until then, without the answer to that event. After an error `next()`
  ///   reports it, of more than 64 arrivals the newest.
  /// - Throws: `RPCError` if the server ends the stream; `LayoutProblem` if it does not know sync
  ///   events; `CancellationError`, after which the session goes on.
  @discardableResult
  public func settle() async throws -> [Arrival] {
    var taken: [Arrival] = []
    do { try await settle(&taken) { _ in } } catch {
      arrivals = taken + arrivals
      forgetOldArrivals()
      throw error
    }
    return taken
  }

  /// Reads as `settle()` does, and tells of each arrival at once.
  ///
  /// - Parameter body: called for each arrival, while the mirror is in the state after that
  ///   arrival, unless another task reads too.
  /// - Returns: what arrived until then, without the answer to that event.
  /// - Throws: as `settle()`; what `body` throws. The arrivals of which `body` was told are not
  ///   told again.
  @discardableResult
  public func settle(
    _ body: @Sendable (Arrival) async throws -> Void
  ) async throws -> [Arrival] {
    var taken: [Arrival] = []
    try await settle(&taken, body)
    return taken
  }

  private func settle(
    _ taken: inout [Arrival],
    _ body: @Sendable (Arrival) async throws -> Void
  ) async throws {
    repeat {
      let sync = send(.with { $0.sync = Wire.SyncRequest() })
      awaited.insert(sync)
      defer { stopAwaiting(sync) }
      while true {
        while !arrivals.isEmpty {
          taken.append(arrivals.removeFirst())
          if let arrival = taken.last { try await body(arrival) }
        }
        if case .eventRefused(_, let problem) = answers[sync] { throw problem }
        if answers[sync] != nil, !lacksFrame {
          // If the viewer itself has scrolled since, that has to be reflected too.
          if restoredBy <= sync { return }
          break
        }
        guard try await advance() else { throw Self.endedEarly }
      }
    } while true
  }

  /// Whether the mirror waits for a frame, or for what the next one says.
  private var lacksFrame: Bool { isBehind || mirror.frameSequence == 0 || anchor != nil }

  private static let endedEarly = RPCError(
    code: .unavailable,
    message: "the stream ended before an event was answered"
  )

  /// Sends an event and waits for its answer. Other messages are applied to the mirror meanwhile;
  /// `next()` reports them later, of more than 64 the newest: where each of them counts, another
  /// task calls `next()` all the time.
  ///
  /// - Returns: the data version after an update.
  /// - Throws: `LayoutProblem` if the event is refused, and at once for a viewport change, which
  ///   the server does not answer: use `send(_:)` or `settle(_:)`. `RPCError` if the session ends;
  ///   `CancellationError`. After these two the event may be applied, unless it was never sent:
  ///   then it will not be.
  @discardableResult
  public func perform(_ event: SessionEvent) async throws -> UInt64 {
    if case .viewport = event {
      throw LayoutProblem.featureUnsupported("viewport changes have no answer to wait for")
    }
    try Task.checkCancellation()
    guard let sequence = send(event) else {
      throw LayoutProblem.featureUnsupported("an event without a message")
    }
    awaited.insert(sequence)
    defer { stopAwaiting(sequence) }
    while true {
      switch answers[sequence] {
      case .eventApplied(_, let version, _): return version
      case .eventRefused(_, let problem): throw problem
      default: break
      }
      do {
        guard try await advance() else { throw Self.endedEarly }
      } catch {
        // An answer that came just before the end counts.
        if answers[sequence] == nil { throw error }
      }
      forgetOldArrivals()
    }
  }
}
