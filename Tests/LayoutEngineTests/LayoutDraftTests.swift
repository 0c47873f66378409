// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import ResourceAccounting
import Synchronization
import Testing

@testable import LayoutEngine

/// A layout that places all items again after an edit, or drafts it; it counts which.
private struct DraftingLayout: CollectionLayout {
  final class Counter: Sendable {
    private let counts = Mutex((prepared: 0, updated: 0, drafted: 0, completed: 0))
    /// Called before a version is placed as a whole.
    let onUpdate: @Sendable (LayoutWork) -> Void

    init(onUpdate: @escaping @Sendable (LayoutWork) -> Void = { _ in }) { self.onUpdate = onUpdate }

    var all: [Int] {
      counts.withLock { [$0.prepared, $0.updated, $0.drafted, $0.completed] }
    }

    func prepared() { counts.withLock { $0.prepared += 1 } }
    func updated() { counts.withLock { $0.updated += 1 } }
    func drafted() { counts.withLock { $0.drafted += 1 } }
    func completed() { counts.withLock { $0.completed += 1 } }
  }

  let counter: Counter

  var kindName: String { "custom:drafting" }
  var hasDrafts: Bool { true }

  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    counter.prepared()
    return Prepared(context: context, counter: counter, draftCount: 0)
  }

  func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  )
    throws(LayoutWork.Stop) -> any PreparedLayout
  {
    counter.updated()
    counter.onUpdate(work)
    try work.throwIfStopped()
    return derived(prepared, by: change, draftCount: 0)
  }

  func draft(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    work: LayoutWork
  )
    throws(LayoutWork.Stop) -> any PreparedLayout
  {
    counter.drafted()
    return derived(
      prepared,
      by: change,
      draftCount: ((prepared as? Prepared)?.draftCount ?? 0) + 1
    )
  }

  private func derived(
    _ prepared: any PreparedLayout,
    by change: ContentsChange,
    draftCount: Int
  )
    -> any PreparedLayout
  {
    var context = prepared.context
    context.contents = change.new
    return Prepared(context: context, counter: counter, draftCount: draftCount)
  }

  static func == (a: Self, b: Self) -> Bool { a.counter === b.counter }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(counter)) }

  struct Prepared: PreparedLayout {
    var context: LayoutContext
    let counter: Counter
    /// How many drafts follow each other from a whole layout up to this one.
    var draftCount: Int
    var isDraft: Bool { draftCount > 0 }
    var byteCount: Int { 1000 }
    var contentSize: Size { .zero }
    var kindNames: [String] { [""] }
    var scrollAxis: ScrollAxis? { .vertical }

    func completed(work: LayoutWork) throws(LayoutWork.Stop) -> any PreparedLayout {
      guard isDraft else { return self }
      counter.completed()
      counter.onUpdate(work)
      try work.throwIfStopped()
      var whole = self
      whole.draftCount = 0
      return whole
    }

    func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {}
    func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? { nil }
  }
}

@Suite("Drafts in the engine", .timeLimit(.minutes(1)))
struct LayoutDraftTests {
  private let engine = LayoutEngine()
  private let counter = DraftingLayout.Counter()

  /// Contents of different numbers of items at versions 1, 2, …
  private static func contents(_ version: UInt64) -> CollectionContents {
    CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 10_000 + Int(version))])]
    )
  }

  private static func request(
    _ version: UInt64,
    _ counter: DraftingLayout.Counter,
    isDraft: Bool,
    since oldest: UInt64 = 1,
    base: PreparationRequest.Base? = nil
  ) -> PreparationRequest {
    var request = PreparationRequest(
      contents: contents(version),
      version: ContentsVersion(identity: ContentsIdentity(3), number: version),
      configuration: LayoutConfiguration(DraftingLayout(counter: counter)),
      container: LayoutContainer(size: Size(width: 10, height: 10)),
      changes: version > oldest
        ? (oldest + 1 ... version).map {
          VersionedChange(
            newVersion: $0,
            change: .replacement(of: contents($0 - 1), with: contents($0))
          )
        } : [],
      base: base
    )
    request.mayBeDraft = isDraft
    return request
  }

  private func layout(
    _ version: UInt64,
    isDraft: Bool,
    since oldest: UInt64 = 1,
    base: PreparationRequest.Base? = nil
  ) async throws -> LayoutLease {
    try await engine.preparedLayout(
      for: Self.request(version, counter, isDraft: isDraft, since: oldest, base: base)
    )
  }

  private func draftCount(_ lease: LayoutLease) -> Int? {
    (lease.prepared as? DraftingLayout.Prepared)?.draftCount
  }

  @Test("one draft is shared by all who ask, until the whole is there")
  func sharing() async throws {
    let first = try await layout(1, isDraft: true)
    #expect(!first.prepared.isDraft)
    let drafts = [try await layout(2, isDraft: true), try await layout(2, isDraft: true)]
    #expect(drafts[0].prepared.isDraft)
    #expect(drafts[0].identity == drafts[1].identity)
    #expect(counter.all == [1, 0, 1, 0])
    let whole = try await layout(2, isDraft: false)
    #expect(!whole.prepared.isDraft && whole.identity != drafts[0].identity)
    #expect(counter.all == [1, 1, 1, 0])
    let after = try await layout(2, isDraft: true)
    #expect(after.identity == whole.identity)
    #expect(engine.statistics.entries == 1)
  }

  @Test("drafts follow each other, and start anew from a whole layout that is made meanwhile")
  func wholeVersion() async throws {
    var leases = [try await layout(1, isDraft: true)]
    for version: UInt64 in 2 ... 5 {
      leases.append(try await layout(version, isDraft: true))
      #expect(draftCount(leases[Int(version) - 1]) == Int(version) - 1)
    }
    #expect(counter.all == [1, 0, 4, 0])
    // A version before the newest one is made as a whole, from its draft's changes.
    leases.append(try await layout(4, isDraft: false))
    leases.append(try await layout(5, isDraft: true))
    #expect(leases.last.flatMap(draftCount) == 1)
    #expect(leases.last?.identity != leases[4].identity)
    leases.append(try await layout(6, isDraft: true))
    #expect(leases.last.flatMap(draftCount) == 2)
  }

  @Test("the whole of several changes places all items once")
  func severalChanges() async throws {
    let first = try await layout(1, isDraft: false)
    let whole = try await layout(6, isDraft: false)
    #expect(!whole.prepared.isDraft)
    #expect(counter.all == [1, 1, 4, 0])
    withExtendedLifetime(first) {}
  }

  @Test("a draft of the caller's own completes, where nothing else is known")
  func own() async throws {
    let prepared = DraftingLayout.Prepared(
      context: LayoutContext(
        contents: Self.contents(9),
        container: LayoutContainer(size: Size(width: 10, height: 10))
      ),
      counter: counter,
      draftCount: 3
    )
    let base = PreparationRequest.Base(version: 9, prepared: prepared)
    let whole = try await layout(9, isDraft: false, since: 9, base: base)
    #expect(!whole.prepared.isDraft)
    #expect(counter.all == [0, 0, 0, 1])
  }

  @Test("the whole of a newer version does not wait for that of an older one, which is abandoned")
  func abandoning() async throws {
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Bool.self)
    let isFirst = Mutex(true)
    let counter = DraftingLayout.Counter { work in
      guard
        isFirst.withLock({ first in
          defer { first = false }
          return first
        })
      else { return }
      begin.yield()
      // Until it is cancelled.
      while work.proceed(1) {}
      end.yield(work.stop == .cancelled)
    }
    let engine = engine
    let first = try await engine.preparedLayout(for: Self.request(1, counter, isDraft: false))
    let second = Task {
      try await engine.preparedLayout(for: Self.request(2, counter, isDraft: false))
    }
    for await _ in began { break }
    // It runs, and is not waited for.
    let third = try await engine.preparedLayout(for: Self.request(3, counter, isDraft: false))
    #expect(!third.prepared.isDraft)
    second.cancel()
    for await isCancelled in ended {
      #expect(isCancelled)
      break
    }
    await #expect(throws: CancellationError.self) { try await second.value }
    withExtendedLifetime(first) {}
  }

  @Test("drafts that nobody uses are forgotten")
  func forgetting() async throws {
    let identity = ContentsIdentity(1)
    var table = LayoutDraftTable()
    var newest: SharedLayout?
    for number in 0 ..< 1000 {
      let variant = Variant(
        identity: identity,
        configuration: LayoutConfiguration(ListLayout(rowHeight: Double(number + 1))),
        container: LayoutContainer(size: .zero)
      )
      let layout = SharedLayout(
        id: UInt64(number),
        variant: variant,
        version: 1,
        prepared: ListLayout().prepare(
          LayoutContext(contents: .empty, container: LayoutContainer(size: .zero))
        )
      )
      table.insert(layout, wholeVersion: 1)
      newest = layout
    }
    #expect(table.count < 200)
    let variant = try #require(newest).variant
    #expect(table.newest(of: variant)?.layout === newest)
    table.removeAll(of: identity)
    #expect(table.newest(of: variant) == nil)
  }
}
