// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust
internal import ResourceAccounting
internal import SwiftProtobuf
internal import Synchronization
internal import Tracing

/// Preparing layouts for the session.
extension SessionShell {
  // MARK: - Layouts

  @inline(never)
  func prepare(_ preparation: Preparation) async -> SessionStep {
    do {
      let layout = try await trace.run("prepare", preparation.traced) {
        do { return try await self.layout(for: preparation) } catch {
          return try await self.standIn(for: preparation, after: error)
        }
      }
      if preparation.takesLongToSupply {
        // None of this can be paused, so it must not delay computations.
        return try await services.engine.performUninterrupted(
          for: preparation.account,
          isLimited: false
        ) { [self] in
          resume(in: .uninterrupted) { $0.supply(layout, for: preparation.request) }
        }
      }
      guard layout.hasManyKinds else {
        return resume { $0.supply(layout, for: preparation.request) }
      }
      return try await services.engine.performTurn(for: preparation.account) { [self] work in
        resume(in: .building(work)) { $0.supply(layout, for: preparation.request) }
      }
    } catch {
      end(.failed(error.asProblem))
      return .done
    }
  }

  /// The layout that the session wants, or first its beginning if it takes long.
  private func layout(for preparation: Preparation) async throws -> SuppliedLayout {
    if let begun = preparation.begun { return .whole(try await begun.value()) }
    if let awaited = preparation.awaited, awaited.isRefused, preparation.request.hasStandIn {
      return try await self.awaited(preparation, within: .zero)
    }
    if preparation.request.configuration.layout is any FetchedLayout {
      return try await fetched(preparation)
    }
    if preparation.request.mayBeDraft { return try await drafted(preparation) }
    guard preparation.hasBeginning else {
      guard preparation.mayStandIn else { return .whole(try await services.whole(preparation)) }
      return try await awaited(preparation, within: services.configuration.timing.standIn)
    }
    let whole = WholeLayout(id: preparation.id) { try await self.services.whole(preparation) }
    // A layout that others have prepared already is available at once.
    let timing = services.configuration.timing
    let patience =
      preparation.request.isPreviewUrgent
      ? min(timing.beginning, .milliseconds(1)) : timing.beginning
    guard !(await whole.isMade(within: patience, by: clock)),
      let beginning = await beginning(preparation)
    else { return .whole(try await whole.value()) }
    return .beginning(beginning, rest: whole)
  }

  /// The layout after an edit, or first a draft if it takes long.
  ///
  /// A newer edit abandons the whole layout of an older version, but not for ever: while edits
  /// arrive faster than whole layouts are computed, one of an older version is finished now and
  /// then, and later drafts derive from it.
  private func drafted(_ preparation: Preparation) async throws -> SuppliedLayout {
    let made = try await services.draft(preparation)
    guard made.prepared.isDraft else { return .whole(made) }
    let last = preparation.awaited.flatMap { $0.isPending ? $0 : nil }
    let patience = services.configuration.timing.drafting
    if let last, last.since + patience < clock.now { return .draft(made, last) }
    last?.cancel()
    return .draft(made, awaitedLayout(preparation, since: last?.since))
  }

  /// - Returns: nil = it would take too long, or too many computations of the session are pending.
  private func beginning(_ preparation: Preparation) async -> (any PreparedLayout)? {
    // With an account of its own, so that it takes turns with the whole layout instead of waiting
    // for it.
    let account = preparation.account.child(.call)
    return try? await services.engine.perform(cost: .max, for: account) { work in
      preparation.request.prepareBeginning(within: work)
    }
  }

  // MARK: - Turns

  /// Continues the session on the engine's threads, when it is its turn.
  @inline(never)
  func takeTurn(_ kind: SessionTurn.Kind, for account: Account) async -> SessionStep {
    do {
      switch kind {
      case .uninterrupted:
        return try await services.engine.performUninterrupted(for: account, isLimited: false) {
          [self] in
          resume(in: .uninterrupted)
        }
      case .building:
        return try await services.engine.performTurn(for: account) { [self] work in
          resume(in: .building(work))
        }
      }
    } catch {
      end(.failed(error.asProblem))
      return .done
    }
  }

  // MARK: - Opening

  /// Opens the session that the first request asks for.
  ///
  /// - Parameter read: decodes the request. A large one comes with a lease, which is held until the
  ///   session is open.
  func open(
    context: CallContext,
    _ read:
      @escaping @Sendable () async throws -> (
        request: Wire.StreamLayoutRequest, lease: Lease?
      )
  ) {
    guard state.withLock({ $0.machine.open() }) else { return }
    startTask { await self.open(context, read) }
  }

  private func open(
    _ context: CallContext,
    _ read: @Sendable () async throws -> (request: Wire.StreamLayoutRequest, lease: Lease?)
  ) async {
    do {
      var (request, lease) = try await read()
      let opened: OpenedSession
      do {
        defer { lease?.end() }
        let opener = SessionOpener(services: services, peer: context.peer) { self.live($0) }
        let isLarge = lease != nil
        opened = try await trace.run("open", [:]) { [request] in
          try await opener.open(request, context: context, isLarge: isLarge)
        }
      }
      trace?.opened(session: opened.live.name, collection: opened.state.collection?.id)
      access.audit(
        .view,
        on: opened.state.collection?.id ?? "",
        version: opened.state.session.dataVersion,
        lasts: true
      )
      // From here on the session's own charges cover what it keeps.
      lease = nil
      request = .init()
      // In another task, so that what opening took is free while layouts are prepared.
      startWork(on: await beginInTurn(opened))
    } catch {
      ignore(step { $0.openingFailed(error) })
    }
  }

  /// Begins on this thread, or when it is the session's turn: a resumed session that measures from
  /// now on may have much that follows the sizes.
  private func beginInTurn(_ opened: OpenedSession) async -> SessionStep {
    guard opened.state.renderer != nil, opened.state.session.takesLongToFollow else {
      return begin(opened)
    }
    return await services.engine.performRegardless(for: opened.charges.account) {
      self.begin(opened)
    }
  }

  @inline(never)
  private func begin(_ opened: OpenedSession) -> SessionStep {
    state.withLock { $0.collection = opened.state.collection }
    let core = SessionCore(
      opened,
      subscription: opened.state.collection.map { subscribe(to: $0) },
      trace: trace,
      services: services,
      measurements: opened.state.renderer.map { renderer in
        SessionMeasurements(renderer: renderer, access: access) { [reference] in
          reference.value?.noteAmongOthers(.collectionChanged)
        }
      },
      wake: { [reference] in reference.value?.noteAmongOthers(.collectionChanged) }
    )
    switch step(handing: SessionOwner(core: core), { $0.opened($1) }) {
    case .work(let owner, let mail): return work(owner, on: mail)
    default: return .done
    }
  }

  /// The registry's entry for the session.
  private func live(_ name: String) -> LiveSession {
    LiveSession(
      name: name,
      owner: access.owner,
      query: { [reference] in reference.value?.query },
      supersede: { [reference] in reference.value?.end(.superseded) },
      hurry: { [reference] in reference.value?.note(.versionAwaited) },
      operated: reference
    )
  }

  private func subscribe(to collection: LiveCollection) -> Subscription {
    collection.subscribe { [reference] signal in
      guard let shell = reference.value else { return }
      switch signal {
      case .changed: shell.noteAmongOthers(.collectionChanged)
      case .layoutsChanged: shell.noteAmongOthers(.layoutsChanged)
      case .deleted: shell.noteAmongOthers(.collectionDeleted)
      case .rewound: shell.noteAmongOthers(.collectionRewound)
      }
    }
  }
}

extension SuppliedLayout {
  /// Whether taking it over takes long: columns are arranged as the viewer wants them, and
  /// numbered.
  fileprivate var hasManyKinds: Bool { prepared.kindNames.count > SessionLimits.fewKinds }
}

extension SessionServices {
  /// The layout after an edit: a draft, or the whole layout if that takes no longer.
  func draft(_ preparation: Preparation) async throws -> MadeLayout {
    if let request = preparation.shared {
      let lease = try await engine.preparedLayout(for: request)
      return MadeLayout(prepared: lease.prepared, lease: lease)
    }
    let request = preparation.request
    let prepared = try await engine.perform(cost: 0, for: preparation.account) { work in
      try request.draft(work: work)
    }
    return MadeLayout(prepared: prepared)
  }

  /// The layout of all contents.
  func whole(_ preparation: Preparation) async throws -> MadeLayout {
    if var request = preparation.shared {
      request.mayBeDraft = false
      let lease = try await engine.preparedLayout(for: request)
      return MadeLayout(prepared: lease.prepared, lease: lease)
    }
    let request = preparation.request
    if request.configuration.layout is any FetchedLayout {
      let context = LayoutContext(
        contents: request.contents,
        container: request.container,
        options: request.configuration.options
      )
      let layout = request.configuration.layout
      return MadeLayout(
        prepared: try await engine.prepareAlone(layout, context, for: preparation.account)
      )
    }
    let prepared = try await engine.perform(
      cost: preparation.itemCount,
      for: preparation.account
    ) { work in
      try request.prepare(work: work)
    }
    return MadeLayout(prepared: prepared)
  }
}

extension Preparation {
  /// The attributes of its span in a trace.
  fileprivate var traced: SpanAttributes {
    [
      "layout.kind": .string(request.configuration.layout.kindName),
      "layout.items": .int64(Int64(itemCount)),
      "layout.data_version": .int64(Int64(clamping: request.dataVersion)),
    ]
  }
}
