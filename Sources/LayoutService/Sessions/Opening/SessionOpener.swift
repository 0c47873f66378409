// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust

/// A session that was opened, with what `SessionCore` needs to run it.
///
/// A class because it is large: a suspended task would reserve room for each copy.
final class OpenedSession: Sendable {
  let session: ViewportSession
  let encoder: FrameEncoder
  let live: LiveSession
  /// nil = private contents.
  let collection: LiveCollection?
  let opening: SessionOpening
  /// The token that is signed for the client from time to time.
  let token: ResumeToken
  /// The origin of the session's time.
  let start: ContinuousClock.Instant
  let answers: AnswerLog
  let charges: SessionCharges
  /// The named layout that it follows; nil = none.
  let followed: FollowedLayout?
  /// What the client measures with; nil = the client shares no sizes.
  let renderer: String?
  /// The shared sizes that it has joined already; nil = none.
  let share: MeasurementShare?
  /// Messages that the session has produced already.
  let messages: [SessionMessage]
  /// The key of sessions that are opened alike; nil = the session has a state of its own.
  let alike: AlikeOpening?

  init(
    session: ViewportSession,
    encoder: FrameEncoder,
    live: LiveSession,
    collection: LiveCollection?,
    opening: SessionOpening,
    token: ResumeToken,
    start: ContinuousClock.Instant,
    answers: AnswerLog,
    charges: SessionCharges,
    followed: FollowedLayout?,
    renderer: String? = nil,
    share: MeasurementShare? = nil,
    messages: [SessionMessage] = [],
    alike: AlikeOpening? = nil
  ) {
    self.alike = alike
    self.session = session
    self.encoder = encoder
    self.live = live
    self.collection = collection
    self.opening = opening
    self.token = token
    self.start = start
    self.answers = answers
    self.charges = charges
    self.followed = followed
    self.renderer = renderer
    self.share = share
    self.messages = messages
  }
}

/// Makes sessions from opening requests, and registers them.
struct SessionOpener: Sendable {
  let services: SessionServices
  /// The address of the client.
  let peer: String
  /// Makes the registry's entry for a session of a name.
  let live: @Sendable (String) -> LiveSession

  static let routingKey = "x-layout-collection"

  func open(
    _ request: Wire.StreamLayoutRequest,
    context: CallContext,
    isLarge: Bool
  ) async throws -> OpenedSession {
    guard case .open(let message) = request.event else {
      throw LayoutProblem.protocolViolation(
        "The first request of a stream must open a session."
      )
    }
    if case .resume = message.source {
    } else {
      // The name is checked first, since proxies may have routed by it.
      var collectionName = ""
      if case .collection(let name) = message.source { collectionName = name }
      try checkRoutingKey(context, collection: collectionName)
    }
    let rules = services.rules
    let open = try await services.engine.read(
      isLarge: isLarge,
      for: services.accounts.call(from: peer)
    ) {
      try message.decoded(by: rules)
    }
    switch open.source {
    case .collection(let collectionName):
      let id = try CollectionName(parsing: collectionName, field: "collection").id
      return try await openShared(
        try await collection(id, by: context.access),
        open,
        by: context.access,
        eventSequence: request.eventSeq,
        // Encoding a large request again, to digest it, takes milliseconds.
        message: isLarge ? nil : message
      )
    case .contents(let contents):
      try await showRows(of: contents, open)
      let opener = self
      return try await services.engine.read(
        isLarge: open.expansions.namesItems && contents.itemCount > SessionLimits.eventItems,
        for: services.accounts.call(from: peer)
      ) {
        try opener.openPrivate(
          contents,
          open,
          by: context.access,
          eventSequence: request.eventSeq
        )
      }
    case .resume(let request):
      do {
        return try await resume(request, open, message, context: context)
      } catch {
        services.metrics.opening(.notResumed)
        throw error
      }
    }
  }

  /// Makes the rows that the session needs of large outlines before it is opened.
  private func showRows(
    of contents: CollectionContents,
    _ open: OpenRequest
  ) async throws(LayoutProblem) {
    // A session starts with the rows of the data's own base, whatever its viewer has expanded.
    for base in Set([.contents, open.expansions.base]) {
      do {
        try await services.engine.showRows(
          of: contents,
          startingFrom: base,
          for: services.accounts.call(from: peer)
        )
      } catch { throw LayoutProblem(of: error) }
    }
  }

  func collection(
    _ id: String,
    by access: CallAccess
  ) async throws(LayoutProblem) -> LiveCollection {
    try access.require(.view, on: id)
    do throws(StoreError) {
      return try await services.loads.collection(id, for: peer)
    } catch { throw LayoutProblem(error) }
  }

  @inline(never)
  private func openPrivate(
    _ contents: CollectionContents,
    _ open: OpenRequest,
    by access: CallAccess,
    eventSequence: UInt64
  ) throws(LayoutProblem) -> OpenedSession {
    guard let layout = open.layout else {
      throw .layoutKindUnknown(
        field: "layout",
        found: "no layout found, and inline contents have no default",
        supported: services.rules.registry.supportedKinds
      )
    }
    return try opened(
      open,
      contents: contents,
      layout: layout,
      by: access,
      eventSequence: eventSequence
    )
  }

  /// - Parameter message: the request, whose digest finds sessions that were opened alike; nil =
  ///   the session has a state of its own.
  @inline(never)
  func openShared(
    _ collection: LiveCollection,
    _ open: OpenRequest,
    by access: CallAccess,
    eventSequence: UInt64,
    outcome: Wire.SessionOpened.Outcome = .created,
    message: Wire.OpenSession? = nil
  ) async throws(LayoutProblem) -> OpenedSession {
    // From this snapshot on, the session follows the batches of others before it shows anything.
    let snapshot = collection.snapshot
    try await showRows(of: snapshot.contents, open)
    let namesItem = if case .item = open.start { true } else { false }
    if namesItem || open.expansions.namesItems {
      do {
        try await services.engine.indexKeys(
          of: snapshot.contents,
          for: services.accounts.call(from: peer)
        )
      } catch { throw LayoutProblem(of: error) }
    }
    var source = try namedLayout(of: open, in: collection)
    if source == nil, open.layout == nil {
      source = try services.layouts.defaultSource(of: snapshot.record, field: "layout")
    }
    let stored = try await read(source)
    guard let layout = stored?.configuration ?? open.layout else {
      throw .internalFault()
    }
    let followed = source?.followed
    let alike = message.flatMap {
      AlikeOpening(
        $0,
        eventSequence: eventSequence,
        collection: collection.contentsIdentity,
        layout: stored?.number
      )
    }
    return try await whenItsTurn(takesLong: open.takesLongToStart(in: snapshot.contents)) {
      () throws(LayoutProblem) in
      try opened(
        open,
        contents: snapshot.contents,
        dataVersion: snapshot.record.dataVersion,
        layout: layout,
        by: access,
        eventSequence: eventSequence,
        collection: collection,
        stored: stored,
        followed: followed,
        outcome: outcome,
        alike: alike
      )
    }
  }

  /// Makes a session: at once, or when it is the client's turn on the thread for what cannot be
  /// paused.
  func whenItsTurn(
    takesLong: Bool,
    _ make: @escaping @Sendable () throws(LayoutProblem) -> OpenedSession
  ) async throws(LayoutProblem) -> OpenedSession {
    guard takesLong else { return try make() }
    let account = services.accounts.call(from: peer)
    do {
      return try await services.engine.performUninterrupted(for: account, isLimited: false) {
        try make()
      }
    } catch { throw LayoutProblem(of: error) }
  }

  /// The named layout that a request names; nil = none.
  func namedLayout(
    of open: OpenRequest,
    in collection: LiveCollection
  ) throws(LayoutProblem) -> StoredLayoutSource? {
    guard let name = open.layoutName else { return nil }
    return try services.layouts.source(named: name, of: collection, field: "layout_name")
  }

  /// Reads a stored layout, on the engine's threads if that may take long.
  func read(_ source: StoredLayoutSource?) async throws(LayoutProblem) -> StoredLayout? {
    guard let source else { return nil }
    let account = services.accounts.call(from: peer)
    do { return try await services.layouts.read(source, on: services.engine, for: account) } catch {
      throw LayoutProblem(of: error)
    }
  }

  /// A new session.
  ///
  /// - Parameters:
  ///   - collection: the collection whose contents are shown; nil = private contents.
  ///   - stored: the layout, if it is stored with the collection.
  private func opened(
    _ open: OpenRequest,
    contents: CollectionContents,
    dataVersion: UInt64 = 0,
    layout: LayoutConfiguration,
    by access: CallAccess,
    eventSequence: UInt64,
    collection: LiveCollection? = nil,
    stored: StoredLayout? = nil,
    followed: FollowedLayout? = nil,
    outcome: Wire.SessionOpened.Outcome = .created,
    alike: AlikeOpening? = nil
  ) throws(LayoutProblem) -> OpenedSession {
    var session = ViewportSession(
      open: SessionParameters(
        contents: contents,
        dataVersion: dataVersion,
        isShared: collection != nil,
        layout: layout,
        ownsLayout: stored == nil,
        viewport: open.viewport,
        options: open.options,
        capabilities: open.capabilities,
        contentsLimits: services.rules.limits,
        expansions: open.expansions,
        table: open.table,
        maxExpansionExceptions: services.configuration.limits.expansionExceptions,
        maxElements: services.configuration.limits.elementsPerFrame,
        patience: services.configuration.timing.patience,
        eventSequence: eventSequence
      )
    )
    if let start = open.start {
      do throws(Refusal) { try session.begin(at: start) } catch { throw LayoutProblem(error) }
    }
    let live = live(SessionName.make())
    try services.sessions.add(live, limit: services.identities.quotas(of: access).sessions)
    var charges = SessionCharges(
      services.accounts.session(named: live.name, from: peer),
      identity: services.identities.layoutAccount(of: access)
    )
    charges.use(stored)
    return opened(
      session,
      encoder: FrameEncoder(
        capabilities: session.capabilities,
        maxMessageBytes: open.maxMessageBytes
      ),
      live: live,
      token: ResumeToken(
        session: live.name,
        collection: collection?.id ?? "",
        incarnation: collection?.incarnation ?? 0
      ),
      collection: collection,
      outcome: outcome,
      start: services.clock.now,
      answers: AnswerLog(),
      charges: charges,
      followed: followed,
      renderer: open.renderer,
      alike: alike
    )
  }

  func opened(
    _ session: ViewportSession,
    encoder: FrameEncoder,
    live: LiveSession,
    token: ResumeToken,
    collection: LiveCollection?,
    outcome: Wire.SessionOpened.Outcome,
    start: ContinuousClock.Instant,
    answers: AnswerLog,
    charges: SessionCharges,
    followed: FollowedLayout?,
    renderer: String?,
    share: MeasurementShare? = nil,
    messages: [SessionMessage] = [],
    alike: AlikeOpening? = nil
  ) -> OpenedSession {
    services.metrics.opening(SessionOpeningOutcome(outcome))
    let opening = SessionOpening(
      session: live.name,
      collection: collection.map { CollectionName($0.id).description } ?? "",
      incarnation: collection?.incarnation ?? 0,
      outcome: outcome,
      lastEvent: session.lastEvent,
      dataVersion: session.dataVersion,
      capabilities: session.capabilities,
      options: session.options,
      resumeToken: services.tokens.sign(token),
      resumeGrace: services.configuration.resume.grace(isPrivate: collection == nil)
    )
    return OpenedSession(
      session: session,
      encoder: encoder,
      live: live,
      collection: collection,
      opening: opening,
      token: token,
      start: start,
      answers: answers,
      charges: charges,
      followed: followed,
      renderer: renderer,
      share: share,
      messages: messages,
      alike: alike
    )
  }

  func checkRoutingKey(
    _ context: CallContext,
    collection: String
  ) throws(LayoutProblem) {
    for value in context.metadata[stringValues: Self.routingKey]
    where value != collection && "collections/\(value)" != collection {
      throw .routingKeyMismatch(metadata: value, message: collection)
    }
  }
}

extension OpenRequest {
  /// Whether a session begins at an element while what its viewer has expanded takes long to show.
  fileprivate func takesLongToStart(in contents: CollectionContents) -> Bool {
    guard let start, expansions.namesItems, contents.itemCount > SessionLimits.eventItems else {
      return false
    }
    switch start {
    case .edge, .fraction: return false
    case .element, .item: break
    }
    if expansions.expanded.count + expansions.collapsed.count > SessionLimits.eventKeys {
      return true
    }
    let rows = contents.whole.rows(startingFrom: expansions.base)
    return rows.takesLong(
      toExpand: contents.whole.changes(to: expansions),
      most: SessionLimits.eventRuns
    )
  }
}
