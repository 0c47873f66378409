// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Dispatch
import LayoutEngine
import LayoutGeometry
import ResourceAccounting
import Synchronization
import Testing

@Suite("LayoutEngine", .timeLimit(.minutes(2)))
struct LayoutEngineTests {
  private let counter = WorkCounter()
  private let identity = ContentsIdentity(7)

  private func contents(_ count: Int) -> CollectionContents {
    CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: count)])])
  }

  private func request(
    version: UInt64 = 1,
    width: Double = 100,
    height: Double = 50,
    items: Int = 10,
    bytes: Int = 1000,
    identity: ContentsIdentity? = nil,
    changes: [VersionedChange] = []
  ) -> PreparationRequest {
    PreparationRequest(
      contents: contents(items),
      version: ContentsVersion(identity: identity ?? self.identity, number: version),
      configuration: LayoutConfiguration(CountingLayout(counter: counter, byteCount: bytes)),
      container: LayoutContainer(size: Size(width: width, height: height)),
      changes: changes
    )
  }

  private func change(to version: UInt64) -> VersionedChange {
    VersionedChange(
      newVersion: version,
      change: .replacement(of: contents(1), with: contents(2))
    )
  }

  @Test("prepares once for all who ask for the same at the same time", arguments: [10, 100_000])
  func sharing(items: Int) async throws {
    let engine = LayoutEngine(configuration: .init(largeItemCount: 1000))
    let request = request(items: items)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0 ..< 200 { group.addTask { _ = try await engine.preparedLayout(for: request) } }
      try await group.waitForAll()
    }
    let statistics = engine.statistics
    #expect(counter.prepared == 1)
    #expect(statistics.misses == 1)
    #expect(statistics.hits == 199)
    #expect(statistics.entries == 1)
  }

  @Test("shares between zooms of one map, and what was derived after an edit as well")
  func zooms() async throws {
    let engine = LayoutEngine()
    let block = ItemBlock(count: 3, xs: [10, 30, -60], ys: [50, 51, 0])
    let old = CollectionContents(sections: [SectionContents(blocks: [block])])
    let new = CollectionContents(sections: [SectionContents(blocks: [block, block])])
    let edit = VersionedChange(newVersion: 2, change: .replacement(of: old, with: new))
    func layout(_ zoom: Double) -> SpatialLayout {
      SpatialLayout(projection: .webMercator, zoom: zoom, clusters: .init())
    }
    func lease(_ zoom: Double, version: UInt64) async throws -> LayoutLease {
      try await engine.preparedLayout(
        for: PreparationRequest(
          contents: version == 1 ? old : new,
          version: ContentsVersion(identity: identity, number: version),
          configuration: LayoutConfiguration(layout(zoom)),
          container: LayoutContainer(size: Size(width: 100, height: 50)),
          changes: version == 1 ? [] : [edit]
        )
      )
    }
    let first = try await lease(0, version: 1)
    for zoom in [5, 2.5, 9, 0] {
      let next = try await lease(zoom, version: 1)
      #expect(next.identity == first.identity)
      #expect(next.prepared.contentSize.width == 256 * Double.power(2, zoom))
    }
    #expect(engine.statistics.misses == 1 && engine.statistics.entries == 1)

    let edited = try await lease(7, version: 2)
    #expect(edited.prepared.contentSize.width == 256 * 128)
    #expect(engine.statistics.misses == 2 && engine.statistics.incrementalUpdates == 1)
    let account = Account(scope: .server).child(.session)
    let successor = try #require(
      try engine.successor(of: first, version: 2, as: layout(3), for: account)
    )
    #expect(successor.prepared.contentSize.width == 256 * 8)
    #expect(successor.prepared.context.contents.itemCount == 6)
  }

  @Test("shares between containers that differ only in what the layout does not look at")
  func significantParts() async throws {
    let engine = LayoutEngine()
    _ = try await engine.preparedLayout(for: request(height: 50))
    _ = try await engine.preparedLayout(for: request(height: 90))
    #expect(counter.prepared == 1)
    _ = try await engine.preparedLayout(for: request(width: 101))
    #expect(counter.prepared == 2)
  }

  @Test("keeps apart what viewers see of one version who began with different bases")
  func bases() async throws {
    let block = ItemBlock(
      count: 3,
      keys: ["a", "b", "c"],
      outline: OutlineColumns(levels: [0, 1, 0], expanded: [true, false, false])
    )
    let outline = CollectionContents(
      sections: [SectionContents(key: "s", outline: .perViewer, blocks: [block])]
    )
    let engine = LayoutEngine()
    for _ in 0 ..< 2 {
      for (base, rows) in [(ExpansionBase.contents, 3), (.collapsed, 2), (.expanded, 3)] {
        var request = request()
        request.contents = outline.rows(startingFrom: base)
        let layout = try await engine.preparedLayout(for: request)
        #expect(layout.prepared.context.contents.itemCount == rows)
        #expect(layout.prepared.context.contents.expansionBase == base)
      }
    }
    #expect(counter.prepared == 3)
    engine.purge(identity)
    #expect(engine.statistics.entries == 0 && engine.statistics.bytes == 0)
  }

  @Test("derives a newer version from the newest older one that the changes lead from")
  func derivation() async throws {
    let engine = LayoutEngine()
    _ = try await engine.preparedLayout(for: request(version: 1))
    let changes = [change(to: 2), change(to: 3), change(to: 4)]
    _ = try await engine.preparedLayout(for: request(version: 4, changes: changes))
    #expect(counter.prepared == 1)
    #expect(counter.updated == 3)
    _ = try await engine.preparedLayout(for: request(version: 5, changes: [change(to: 5)]))
    #expect(counter.updated == 4)
    #expect(engine.statistics.incrementalUpdates == 2)
  }

  @Test("prepares anew where the changes do not reach back far enough")
  func gap() async throws {
    let engine = LayoutEngine()
    _ = try await engine.preparedLayout(for: request(version: 1))
    _ = try await engine.preparedLayout(for: request(version: 3, changes: [change(to: 3)]))
    #expect(counter.prepared == 2)
    #expect(counter.updated == 0)
  }

  @Test("derives once however many viewers ask, also while the base is still being made")
  func derivationOnce() async throws {
    let engine = LayoutEngine(configuration: .init(largeItemCount: 1000))
    let first = request(version: 1, items: 5000)
    let second = request(version: 2, items: 5000, changes: [change(to: 2)])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0 ..< 50 { group.addTask { _ = try await engine.preparedLayout(for: first) } }
      try await group.waitForAll()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0 ..< 200 { group.addTask { _ = try await engine.preparedLayout(for: second) } }
      try await group.waitForAll()
    }
    #expect(counter.prepared == 1)
    #expect(counter.updated == 1)
  }

  @Test("as many versions as are asked for derive one after another, without a deep stack")
  func chain() async throws {
    let release = DispatchSemaphore(value: 0)
    let counter = WorkCounter { _ in release.wait() }
    let engine = LayoutEngine(configuration: .init(threadCount: 1, largeItemCount: 1000))
    let count: UInt64 = 5000
    func request(_ version: UInt64) -> PreparationRequest {
      PreparationRequest(
        contents: contents(version == 1 ? 5000 : 10),
        version: ContentsVersion(identity: identity, number: version),
        configuration: LayoutConfiguration(CountingLayout(counter: counter)),
        container: LayoutContainer(size: Size(width: 100, height: 50)),
        changes: version == 1 ? [] : [change(to: version)]
      )
    }
    // Each has asked before the next one asks.
    let askers = (1 ... count).map { version in
      Task.immediate { _ = try await engine.preparedLayout(for: request(version)) }
    }
    for _ in 0 ..< count { release.signal() }
    for asker in askers { try await asker.value }
    #expect(counter.prepared == 1)
    #expect(counter.updated == Int(count) - 1)
  }

  @Test("derives from a base that the caller holds when the cache has lost it")
  func ownBase() async throws {
    let engine = LayoutEngine()
    let base = try await engine.preparedLayout(for: request(version: 1)).prepared
    engine.purge(identity)
    var next = request(version: 2, changes: [change(to: 2)])
    next.base = .init(version: 1, prepared: base)
    _ = try await engine.preparedLayout(for: next)
    #expect(counter.prepared == 1)
    #expect(counter.updated == 1)
  }

  @Test("stays within its bytes and drops what was used longest ago")
  func eviction() async throws {
    // Three entries of 1,000 bytes each, their keys and their common contents, and not four.
    let engine = LayoutEngine(configuration: .init(byteLimit: 8000))
    for width in [1.0, 2, 3] {
      _ = try await engine.preparedLayout(for: request(width: width))
    }
    _ = try await engine.preparedLayout(for: request(width: 1))
    _ = try await engine.preparedLayout(for: request(width: 4))
    var statistics = engine.statistics
    #expect(statistics.bytes <= 8000)
    #expect(statistics.entries == 3)
    #expect(statistics.evictions == 1)
    #expect(counter.prepared == 4)
    _ = try await engine.preparedLayout(for: request(width: 1))
    #expect(counter.prepared == 4)
    _ = try await engine.preparedLayout(for: request(width: 2))
    #expect(counter.prepared == 5)
    // Larger than everything together: served and not kept.
    _ = try await engine.preparedLayout(for: request(width: 9, bytes: 1 << 40))
    statistics = engine.statistics
    #expect(statistics.bytes <= 8000)
  }

  @Test("keeps one entry for a variant, however many edits its only viewer follows")
  func manyEdits() async throws {
    let engine = LayoutEngine()
    var lease = try await engine.preparedLayout(for: request(version: 1))
    for version in UInt64(2) ... 2000 {
      lease = try await engine.preparedLayout(
        for: request(version: version, changes: [change(to: version)])
      )
    }
    withExtendedLifetime(lease) {}
    let statistics = engine.statistics
    #expect(statistics.entries == 1)
    #expect(statistics.evictions == 0)
    #expect(statistics.incrementalUpdates == 1999)
    #expect(counter.prepared == 1)
  }

  @Test("never applies a change to a version that it does not lead on from")
  func explicitVersions() async throws {
    let engine = LayoutEngine()
    _ = try await engine.preparedLayout(for: request(version: 3))
    // Three changes that claim to lead to version 6, of which one has no version of its own.
    let changes = [change(to: 4), change(to: 4), change(to: 6)]
    _ = try await engine.preparedLayout(for: request(version: 6, changes: changes))
    #expect(counter.updated == 0)
    #expect(counter.prepared == 2)
    // What does not lead to the wanted version.
    _ = try await engine.preparedLayout(for: request(version: 7, changes: [change(to: 8)]))
    #expect(counter.updated == 0)
    // A base beyond the wanted version.
    var old = request(version: 2, changes: [change(to: 2)])
    let newer = try await engine.preparedLayout(for: request(version: 7))
    old.base = .init(version: 9, prepared: newer.prepared)
    _ = try await engine.preparedLayout(for: old)
    #expect(counter.updated == 0)
    #expect(counter.prepared == 4)
  }

  @Test("finds what a viewer holds although the cache had no room for it")
  func heldLayouts() async throws {
    let engine = LayoutEngine(configuration: .init(byteLimit: 0))
    var lease: LayoutLease? = try await engine.preparedLayout(for: request())
    let other = try await engine.preparedLayout(for: request())
    #expect(counter.prepared == 1)
    #expect(lease?.identity == other.identity)
    #expect(engine.statistics.entries == 0)
    lease = nil
    _ = try await engine.preparedLayout(for: request())
    #expect(counter.prepared == 1)
    withExtendedLifetime(other) {}
  }

  @Test("charges a layout to each account that holds it, and once above them")
  func leases() async throws {
    let server = Account(limit: .max)
    let engine = LayoutEngine(configuration: .init(byteLimit: 0), server: server)
    let connection = server.child(.connection, limit: 100_000)
    let sessions = (0 ..< 100).map { _ in connection.child(.session, limit: 10_000) }
    var leases: [LayoutLease] = []
    for session in sessions {
      var request = request(bytes: 5000)
      request.account = session
      leases.append(try await engine.preparedLayout(for: request))
    }
    let bytes = leases[0].byteCount
    #expect(bytes > 5000)
    #expect(sessions.allSatisfy { $0.used == bytes })
    #expect([connection.used, server.used] == [bytes, bytes])
    leases.removeAll()
    #expect([connection.used, server.used] == [0, 0])
  }

  @Test("distinct widths are refused at the session's and the connection's limit, others served")
  func distinctWidths() async throws {
    let server = Account(limit: .max)
    let engine = LayoutEngine(configuration: .init(byteLimit: 50_000), server: server)
    let connection = server.child(.connection, named: "c", limit: 60_000)
    let greedy = connection.child(.session, named: "s", limit: 30_000)
    var leases: [LayoutLease] = []
    func ask(_ width: Int, for account: Account) async throws {
      var request = request(width: Double(width), bytes: 10_000)
      request.account = account
      leases.append(try await engine.preparedLayout(for: request))
    }
    for width in 1 ... 2 { try await ask(width, for: greedy) }
    var error = await #expect(throws: LimitExceeded.self) { try await ask(3, for: greedy) }
    #expect(error?.scope == .session)
    #expect(error?.limit == 30_000)
    let second = connection.child(.session, limit: 300_000)
    for width in 4 ... 6 { try await ask(width, for: second) }
    error = await #expect(throws: LimitExceeded.self) { try await ask(7, for: second) }
    #expect(error?.scope == .connection)
    // What the connection holds already is free for its sessions, and others have their own room.
    try await ask(4, for: connection.child(.session))
    try await ask(8, for: server.child(.connection, limit: 60_000).child(.session))
    #expect(leases.count == 7)
  }

  @Test("makes room in the cache before anything is refused at the server's limit")
  func reclaiming() async throws {
    let server = Account(limit: 40_000)
    let engine = LayoutEngine(server: server)
    for width in 1 ... 10 {
      _ = try await engine.preparedLayout(for: request(width: Double(width)))
    }
    #expect(engine.statistics.entries == 10)
    let lease = try server.child(.session).charge(30_000)
    #expect(engine.statistics.entries < 5)
    #expect(server.used <= 40_000)
    withExtendedLifetime(lease) {}
  }

  @Test("a request for which the cache cannot make room leaves the cache alone")
  func reclaimingTooLittle() async throws {
    let server = Account(limit: 40_000)
    let engine = LayoutEngine(server: server)
    for width in 1 ... 10 {
      _ = try await engine.preparedLayout(for: request(width: Double(width)))
    }
    let session = server.child(.session)
    let charged = try session.charge(10_000)
    let entries = engine.statistics.entries
    #expect(throws: LimitExceeded.self) { try session.charge(30_001) }
    #expect(engine.statistics.entries == entries && engine.statistics.evictions == 0)
    withExtendedLifetime(charged) {}
  }

  @Test("layouts in use stay in the cache when it makes room, because they would free nothing")
  func reclaimingUsed() async throws {
    let server = Account(limit: 40_000)
    let engine = LayoutEngine(server: server)
    let session = server.child(.session)
    // The first ones are the least recently used.
    var leases: [LayoutLease] = []
    for width in 1 ... 3 {
      var request = request(width: Double(width))
      request.account = session
      leases.append(try await engine.preparedLayout(for: request))
    }
    for width in 4 ... 10 {
      _ = try await engine.preparedLayout(for: request(width: Double(width)))
    }
    let free = 40_000 - server.used
    let charged = try session.charge(free + 1)
    #expect(engine.statistics.evictions == 1)
    let prepared = counter.prepared
    leases = []
    for width in 1 ... 3 {
      _ = try await engine.preparedLayout(for: request(width: Double(width)))
    }
    #expect(counter.prepared == prepared)
    withExtendedLifetime(charged) {}
  }

  @Test("forgets the contents that are no more, and only those")
  func purge() async throws {
    let engine = LayoutEngine()
    let other = ContentsIdentity(8)
    _ = try await engine.preparedLayout(for: request())
    _ = try await engine.preparedLayout(for: request(width: 5))
    _ = try await engine.preparedLayout(for: request(identity: other))
    engine.purge(identity)
    let statistics = engine.statistics
    #expect(statistics.entries == 1)
    _ = try await engine.preparedLayout(for: request(identity: other))
    #expect(counter.prepared == 3)
  }

  @Test("a cancelled caller fails and leaves the others alone")
  func cancellation() async throws {
    let engine = LayoutEngine(configuration: .init(largeItemCount: 1000))
    let request = request(items: 5000)
    await withTaskGroup(of: Bool.self) { group in
      for index in 0 ..< 100 {
        group.addTask {
          await withTaskGroup(of: Bool.self) { inner in
            inner.addTask { (try? await engine.preparedLayout(for: request)) != nil }
            if index.isMultiple(of: 2) { inner.cancelAll() }
            return await inner.next() ?? false
          } || index.isMultiple(of: 2)
        }
      }
      for await isServed in group { #expect(isServed) }
    }
    _ = try await engine.preparedLayout(for: request)
    #expect(counter.prepared <= 2)
    #expect(engine.statistics.entries == 1)
  }

  /// Nothing but a cancellation ends a large computation.
  private var endless: LayoutEngine.Configuration {
    var configuration = LayoutEngine.Configuration(largeItemCount: 1000)
    configuration.stepLimit = .max
    return configuration
  }

  @Test("gives up a computation that nobody waits for any more", arguments: [false, true])
  func abandonment(joined: Bool) async throws {
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: LayoutWork.Stop?.self)
    let counter = WorkCounter { work in
      start.yield()
      // Until it is stopped.
      while work.proceed(20_000) {}
      end.yield(work.stop)
    }
    let engine = LayoutEngine(configuration: endless)
    var request = request(items: 5000)
    request.configuration = LayoutConfiguration(CountingLayout(counter: counter))
    let (asked, counted) = (request, joined ? 2 : 1)
    let tasks = (0 ..< counted).map { _ in
      Task { try await engine.preparedLayout(for: asked) }
    }
    for await _ in starts { break }
    for task in tasks { task.cancel() }
    for task in tasks {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    for await stop in ends {
      #expect(stop == .cancelled)
      break
    }
  }

  @Test("ends a computation at its limit, and says so", arguments: [10, 5000])
  func stepLimit(items: Int) async throws {
    let counter = WorkCounter { work in while work.proceed(1000) {} }
    var configuration = LayoutEngine.Configuration(largeItemCount: 1000)
    configuration.stepLimit = 1_000_000
    let engine = LayoutEngine(configuration: configuration)
    var request = request(items: items)
    request.configuration = LayoutConfiguration(CountingLayout(counter: counter))
    await #expect(throws: LayoutWork.Stop.tooManySteps(limit: 1_000_000)) {
      try await engine.preparedLayout(for: request)
    }
    #expect(engine.statistics.entries == 0)
  }

  @Test(
    "a request beyond the limit costs its steps once, until the contents change",
    arguments: [10, 5000]
  )
  func remembersRefusals(items: Int) async throws {
    let counter = WorkCounter { work in while work.proceed(1000) {} }
    var configuration = LayoutEngine.Configuration(largeItemCount: 1000)
    configuration.stepLimit = 1_000_000
    let engine = LayoutEngine(configuration: configuration)
    func ask(version: UInt64) async {
      var request = request(version: version, items: items)
      request.configuration = LayoutConfiguration(CountingLayout(counter: counter))
      await #expect(throws: LayoutWork.Stop.tooManySteps(limit: 1_000_000)) {
        try await engine.preparedLayout(for: request)
      }
    }
    await ask(version: 1)
    let once = counter.prepared
    for _ in 0 ..< 20 { await ask(version: 1) }
    #expect(counter.prepared == once)
    await ask(version: 2)
    #expect(counter.prepared == 2 * once)
    engine.purge(identity)
    await ask(version: 2)
    #expect(counter.prepared == 3 * once)
  }

  @Test("small work that takes long for its steps begins again on a thread of the engine")
  func dearSteps() async throws {
    let engine = LayoutEngine(configuration: .init(largeItemCount: 1000))
    let begun = Atomic<Int>(0)
    let steps = try await engine.perform(cost: 10) { work in
      begun.wrappingAdd(1, ordering: .relaxed)
      // Fewer steps than small work may take.
      for _ in 0 ..< 15 {
        let start = ProcessorTime.ofThread
        while ProcessorTime.ofThread - start < 0.001 {}
        work.proceed(4096)
        try work.throwIfStopped()
      }
      return work.steps
    }
    #expect(steps == 15 * 4096)
    #expect(begun.load(ordering: .relaxed) == 2)
  }

  @Test("does other work at once where it is small, else on its threads, and says what it throws")
  func otherWork() async throws {
    let engine = LayoutEngine(configuration: endless)
    #expect(try await engine.perform(cost: 10) { _ in 5 } == 5)
    #expect(try await engine.perform(cost: 10_000) { _ in 6 } == 6)
    for cost in [10, 10_000] {
      await #expect(throws: WaitingLimitReached.self) {
        try await engine.perform(cost: cost) { _ in
          throw WaitingLimitReached(scope: .peer, limit: 1)
        }
      }
    }
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await engine.perform(cost: 10_000) { work in
        start.yield()
        while work.proceed(20_000) {}
        try work.throwIfStopped()
      }
    }
    for await _ in starts { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
