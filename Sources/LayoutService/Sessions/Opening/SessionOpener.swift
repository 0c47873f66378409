// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust

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
        isLarge: open.expansions.namesItems && contents.itemCount > SessionCosts.eventItems,
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
      showing: ShownContents(contents: contents, layout: layout),
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
    var shown = ShownContents(contents: snapshot.contents, layout: layout)
    shown.dataVersion = snapshot.record.dataVersion
    shown.collection = collection
    shown.stored = stored
    shown.followed = source?.followed
    shown.alike = message.flatMap {
      AlikeOpening(
        $0,
        eventSequence: eventSequence,
        collection: collection.contentsIdentity,
        layout: stored?.number
      )
    }
    return try await whenItsTurn(takesLong: open.takesLongToStart(in: snapshot.contents)) {
      [shown] () throws(LayoutProblem) in
      try opened(
        open,
        showing: shown,
        by: access,
        eventSequence: eventSequence,
        outcome: outcome
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

  /// What a new session shows.
  private struct ShownContents {
    var contents: CollectionContents
    var dataVersion: UInt64 = 0
    /// nil = private contents.
    var collection: LiveCollection?
    var layout: LayoutConfiguration
    /// The layout, if it is stored with the collection.
    var stored: StoredLayout?
    /// The named layout that it follows; nil = none.
    var followed: FollowedLayout?
    /// The key of sessions that are opened alike; nil = the session has a state of its own.
    var alike: AlikeOpening?

    init(contents: CollectionContents, layout: LayoutConfiguration) {
      self.contents = contents
      self.layout = layout
    }
  }

  /// Makes and registers a new session.
  private func opened(
    _ open: OpenRequest,
    showing shown: ShownContents,
    by access: CallAccess,
    eventSequence: UInt64,
    outcome: Wire.SessionOpened.Outcome = .created
  ) throws(LayoutProblem) -> OpenedSession {
    var session = ViewportSession(
      open: SessionParameters(
        contents: shown.contents,
        dataVersion: shown.dataVersion,
        isShared: shown.collection != nil,
        layout: shown.layout,
        ownsLayout: shown.stored == nil,
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
    charges.use(shown.stored)
    let state = DetachedSession(
      session: session,
      encoder: FrameEncoder(
        capabilities: session.capabilities,
        maxMessageBytes: open.maxMessageBytes
      ),
      collection: shown.collection,
      start: services.clock.now,
      answers: AnswerLog(),
      followed: shown.followed,
      renderer: open.renderer
    )
    let token = ResumeToken(
      session: live.name,
      collection: shown.collection?.id ?? "",
      incarnation: shown.collection?.incarnation ?? 0
    )
    return OpenedSession(
      state,
      live: live,
      charges: charges,
      opening: opening(of: state, live, token, outcome),
      token: token,
      alike: shown.alike
    )
  }

  /// Counts a session that was opened, and says what the client is told of it.
  func opening(
    of state: DetachedSession,
    _ live: LiveSession,
    _ token: ResumeToken,
    _ outcome: Wire.SessionOpened.Outcome
  ) -> SessionOpening {
    services.metrics.opening(SessionOpeningOutcome(outcome))
    let collection = state.collection
    return SessionOpening(
      session: live.name,
      collection: collection.map { CollectionName($0.id).description } ?? "",
      incarnation: collection?.incarnation ?? 0,
      outcome: outcome,
      lastEvent: state.session.lastEvent,
      dataVersion: state.session.dataVersion,
      capabilities: state.session.capabilities,
      options: state.session.options,
      resumeToken: services.tokens.sign(token),
      resumeGrace: services.configuration.resume.grace(isPrivate: collection == nil)
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
    guard let start, expansions.namesItems, contents.itemCount > SessionCosts.eventItems else {
      return false
    }
    switch start {
    case .edge, .fraction: return false
    case .element, .item: break
    }
    if expansions.expanded.count + expansions.collapsed.count > SessionCosts.eventKeys {
      return true
    }
    let rows = contents.whole.rows(startingFrom: expansions.base)
    return rows.takesLong(
      toExpand: contents.whole.changes(to: expansions),
      most: SessionCosts.eventRuns
    )
  }
}
