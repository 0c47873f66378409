// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust
internal import ResourceAccounting
internal import SwiftProtobuf
internal import Tracing

/// Finds the subject of a query: an open session, a collection, or inline contents.
struct QuerySubjects: Sendable {
  let sessions: SessionRegistry
  let engine: LayoutEngine
  let rules: ReadingRules
  let timing: ServiceTiming
  let drain: DrainSignal
  let layouts: StoredLayouts

  /// The largest number of versions between a cached layout and the one that is derived from it.
  static let derivationChanges: UInt64 = 16

  func subject(
    of target: Wire.LayoutTarget,
    call: OpenCall
  ) async throws -> QuerySubject {
    var reader = FieldReader()
    let viewport = reader.within("target") { reader in
      reader.within("viewport") { $0.viewport(target.viewport) }
    }
    let expansions = reader.within("target") { reader in
      reader.within("expansions") {
        $0.expansions(target.expansions, limit: rules.expansionExceptions)
      }
    }
    try reader.finish()
    let minVersion = target.hasMinDataVersion ? target.minDataVersion : 0
    let account = call.account
    switch target.source {
    case .session(let name):
      return try await session(name, minVersion: minVersion, call: call, account: account)
    case .collection(let name):
      let subject = try await collection(
        name,
        target,
        viewport: viewport,
        base: expansions.base,
        minVersion: minVersion,
        call: call,
        account: account
      )
      return try await showing(expansions, in: subject, call: call)
    case .inlineContents(let message):
      guard target.layoutName.isEmpty else {
        throw LayoutProblem.fieldInvalid(
          "target.layout_name",
          "found with inline contents, which have no named layouts"
        )
      }
      return try await inline(
        message,
        spec: target.hasLayout ? target.layout : nil,
        viewport: viewport,
        expansions: expansions,
        call: call,
        account: account
      )
    case nil:
      throw LayoutProblem.fieldInvalid(
        "target.source",
        "nothing found; session, collection or inline_contents is needed"
      )
    }
  }

  // MARK: - Sources

  private func session(
    _ name: String,
    minVersion: UInt64,
    call: OpenCall,
    account: Account
  ) async throws -> QuerySubject {
    // A name alone gives no rights: nobody learns whether sessions of others exist.
    guard let session = sessions.session(named: name), session.owner == call.access.owner else {
      throw LayoutProblem.sessionExpired(name)
    }
    try Self.require(session, call)
    let wake = WakeSignal()
    let observer = session.observe(awaiting: minVersion) { wake.set() }
    defer { session.remove(observer) }
    let deadline = deadline(of: call)
    var isHurried = false
    return try await withRPCWake(wake) {
      while true {
        if session.isEnded { throw LayoutProblem.sessionExpired(name) }
        let query = session.query
        if let query, query.dataVersion >= minVersion {
          // Its collection may not have been known before.
          try Self.require(session, call)
          return QuerySubject(query, charges: SubjectCharges(account: account))
        }
        try check(deadline, wake, wanted: minVersion, current: query?.dataVersion ?? 0)
        if !isHurried {
          isHurried = true
          // It may be resting and have deferred the commit.
          session.hurry()
        }
        await wake.wait(until: deadline)
      }
    }
  }

  /// Checks that a call may see what a session shows: one owner may have tokens of which not all
  /// give a right to the session's collection.
  ///
  /// - Throws: SESSION_EXPIRED, as if there were no such session; UNAUTHENTICATED
  private static func require(_ session: LiveSession, _ call: OpenCall) throws(LayoutProblem) {
    guard let id = session.collection, !id.isEmpty else { return }
    do throws(LayoutProblem) { try call.access.require(.view, on: id) } catch {
      throw error.reason == .collectionNotFound ? .sessionExpired(session.name) : error
    }
  }

  private func collection(
    _ name: String,
    _ target: Wire.LayoutTarget,
    viewport: ViewportChange,
    base: ExpansionBase,
    minVersion: UInt64,
    call: OpenCall,
    account: Account
  ) async throws -> QuerySubject {
    let name = try CollectionName(parsing: name, field: "target.collection")
    try call.access.require(.view, on: name.id)
    let collection = try await call.collection(name.id)
    let requested = try await layout(of: target, in: collection, call: call)
    try await waitForVersion(minVersion, of: collection, name: name, call: call)
    let latest = collection.latest(changes: Self.derivationChanges)
    let snapshot = latest.snapshot
    try await engine.showRows(of: snapshot.contents, startingFrom: base, for: account)
    let (given, stored) = try await configuration(
      of: requested
        ?? .stored(layouts.defaultSource(of: snapshot.record, field: "target.layout")),
      call: call,
      account: account
    )
    let configuration = given.resolved(in: viewport.environment)
    let request = PreparationRequest(
      contents: snapshot.contents.rows(startingFrom: base),
      version: ContentsVersion(
        identity: ContentsIdentity(collection.contentsIdentity),
        number: snapshot.record.dataVersion
      ),
      configuration: configuration,
      container: viewport.container,
      changes: (latest.changes ?? []).inRows(startingFrom: base),
      account: account
    )
    let layout = try await Spans.run(
      "prepare",
      Self.traced(configuration, itemCount: snapshot.record.itemCount)
    ) {
      try await engine.preparedLayout(for: request)
    }
    return QuerySubject(
      layout.prepared,
      shown: layout.prepared.showing(configuration.scrollEffects),
      viewport: viewport.viewport,
      dataVersion: snapshot.record.dataVersion,
      identity: collection.contentsIdentity,
      configuration: configuration,
      charges: SubjectCharges(account: account, layout: layout, stored: stored)
    )
  }

  private func inline(
    _ message: Wire.CollectionContents,
    spec: Wire.LayoutSpec?,
    viewport: ViewportChange,
    expansions: ViewerExpansions,
    call: OpenCall,
    account: Account
  ) async throws -> QuerySubject {
    guard let given = try await configuration(of: spec, call: call) else { throw noLayout }
    let configuration = given.resolved(in: viewport.environment)
    let whole = try await contents(of: message, call: call, account: account)
    let contents = try await engine.read(isLarge: whole.hasLargeOutlines, for: account) {
      whole.rows(showing: expansions)
    }
    call.charge(items: contents.itemCount)
    let layoutContext = LayoutContext(
      contents: contents,
      container: configuration.layout.significantParts(of: viewport.container),
      options: configuration.options
    )
    var own = [try account.charge(contents.indexedByteCount)]
    let prepared = try await Spans.run(
      "prepare",
      Self.traced(configuration, itemCount: contents.itemCount)
    ) {
      try await engine.prepareAlone(configuration.layout, layoutContext, for: account)
    }
    own.append(try account.charge(prepared.byteCount))
    return QuerySubject(
      prepared,
      shown: prepared.showing(configuration.scrollEffects),
      viewport: viewport.viewport,
      dataVersion: 0,
      charges: SubjectCharges(account: account, own: own)
    )
  }

  /// The attributes of a trace span for preparing a layout.
  private static func traced(
    _ configuration: LayoutConfiguration,
    itemCount: Int
  ) -> SpanAttributes {
    [
      "layout.kind": .string(configuration.layout.kindName),
      "layout.items": .int64(Int64(itemCount)),
    ]
  }

  /// The layout that a request asks for.
  private enum RequestedLayout {
    case own(LayoutConfiguration)
    case stored(StoredLayoutSource)
  }

  /// The layout that a request contains or names; nil = neither.
  private func layout(
    of target: Wire.LayoutTarget,
    in collection: LiveCollection,
    call: OpenCall
  ) async throws -> RequestedLayout? {
    let field = "target.layout_name"
    guard !target.layoutName.isEmpty else {
      let spec = target.hasLayout ? target.layout : nil
      return try await configuration(of: spec, call: call).map { .own($0) }
    }
    guard !target.hasLayout else {
      throw LayoutProblem.fieldInvalid(field, "found beside layout; one of them is allowed")
    }
    return .stored(try layouts.source(named: target.layoutName, of: collection, field: field))
  }

  /// The configuration of a layout, and the charge for it if it is stored. The call is charged for
  /// the time of reading it.
  ///
  /// - Throws: QUOTA_MEMORY; what is wrong with a stored layout.
  private func configuration(
    of layout: RequestedLayout,
    call: OpenCall,
    account: Account
  ) async throws -> (LayoutConfiguration, Hold?) {
    switch layout {
    case .own(let configuration): return (configuration, nil)
    case .stored(let source):
      let stored = try await layouts.read(source, on: engine, for: account) {
        call.charge(seconds: $0)
      }
      do throws(LimitExceeded) {
        return (stored.configuration, try account.hold(stored.bytes))
      } catch { throw LayoutProblem(error) }
    }
  }

  /// The layout that a request contains, read on the engine's threads if the request is large; nil
  /// = none.
  private func configuration(
    of spec: Wire.LayoutSpec?,
    call: OpenCall
  ) async throws -> LayoutConfiguration? {
    guard let spec else { return nil }
    let rules = rules
    return try await engine.read(isLarge: call.isLarge, for: call.account) {
      try spec.decoded(by: rules, prefix: "target.layout")
    }
  }

  private var noLayout: LayoutProblem {
    .layoutKindUnknown(
      field: "target.layout",
      found: "no layout found, and inline contents have no default",
      supported: rules.registry.supportedKinds
    )
  }

  /// Validates inline contents, on the engine's threads if the request is large or has many blocks.
  private func contents(
    of message: Wire.CollectionContents,
    call: OpenCall,
    account: Account
  ) async throws -> CollectionContents {
    let rules = rules
    let blockCount = message.sections.reduce(0) { $0 + 1 + $1.blocks.count }
    // One block may have hundreds of thousands of keys.
    let isLarge = call.isLarge || blockCount >= Self.largeBlockCount
    return try await engine.read(isLarge: isLarge, for: account) {
      var reader = FieldReader(prefix: "target")
      let contents = reader.contents(message, "inline_contents", limits: rules.limits)
      try reader.finish()
      return contents
    }
  }

  /// So few that a hundred calls at once, on the shared threads, keep nobody waiting.
  private static let largeBlockCount = 200

  // MARK: - Expansions

  /// What a viewer sees of a subject with these expansions, in a layout that is derived from the
  /// one that all viewers of the same base share.
  private func showing(
    _ expansions: ViewerExpansions,
    in subject: QuerySubject,
    call: OpenCall
  ) async throws -> QuerySubject {
    guard expansions.namesItems, subject.contents.hasOutlines else { return subject }
    let shared = subject.queries.prepared
    guard let configuration = subject.configuration else { return subject }
    let account = subject.charges.account
    let cost = (expansions.expanded.count + expansions.collapsed.count) * 64
    call.charge(items: cost)
    try await engine.indexKeys(of: subject.contents.whole, for: account)
    let (prepared, bytes) = try await engine.perform(cost: cost, for: account) { work in
      let rows = shared.context.contents
      let change = rows.expanding(rows.whole.changes(to: expansions)) {
        work.proceed(Self.stepsOfRun)
      }
      // A change that was cut short is none, and not every layout asks.
      if let stop = work.stop { throw stop }
      let prepared = try configuration.layout.update(shared, by: change, work: work)
      var footprint = ExpansionFootprint()
      footprint.add(expansion: change)
      let bytes = footprint.layoutBytes(prepared.byteCount, of: configuration.layout, change.new)
      return (prepared, bytes + footprint.contentsBytes(of: change.new))
    }
    var charges = subject.charges
    charges.own.append(try account.charge(bytes))
    return QuerySubject(
      prepared,
      shown: prepared.showing(configuration.scrollEffects),
      viewport: subject.queries.viewport,
      dataVersion: subject.dataVersion,
      charges: charges
    )
  }

  /// What a hidden run below an item that is expanded takes, in steps.
  private static let stepsOfRun = 16

  // MARK: - Waiting

  private func waitForVersion(
    _ wanted: UInt64,
    of collection: LiveCollection,
    name: CollectionName,
    call: OpenCall
  ) async throws {
    guard collection.dataVersion < wanted else { return }
    let wake = WakeSignal()
    let subscription = collection.subscribe { _ in wake.set() }
    defer { collection.unsubscribe(subscription) }
    let deadline = deadline(of: call)
    try await withRPCWake(wake) {
      while collection.dataVersion < wanted {
        if collection.isRewound { throw LayoutProblem.storeUnavailable() }
        if collection.isDeleted { throw LayoutProblem.collectionNotFound(name.description) }
        try check(deadline, wake, wanted: wanted, current: collection.dataVersion)
        await wake.wait(until: deadline)
      }
    }
  }

  private func deadline(of call: OpenCall) -> ContinuousClock.Instant {
    let longest = ContinuousClock.now + timing.longestWait
    return min(call.deadline ?? longest, longest)
  }

  private func check(
    _ deadline: ContinuousClock.Instant,
    _ wake: WakeSignal,
    wanted: UInt64,
    current: UInt64
  ) throws {
    try Task.checkCancellation()
    if drain.isDraining { throw LayoutProblem.serverDraining() }
    if ContinuousClock.now >= deadline || wake.isCancelled {
      throw LayoutProblem.dataVersionNotReached(wanted: wanted, current: current)
    }
  }
}
