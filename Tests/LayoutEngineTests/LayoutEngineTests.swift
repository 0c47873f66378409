// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutEngine
import LayoutGeometry
import Testing

@Suite("LayoutEngine")
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
    let statistics = await engine.statistics
    #expect(counter.prepared == 1)
    #expect(statistics.misses == 1)
    #expect(statistics.hits == 199)
    #expect(statistics.entries == 1)
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
    #expect(await engine.statistics.incrementalUpdates == 2)
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

  @Test("derives from a base that the caller holds when the cache has lost it")
  func ownBase() async throws {
    let engine = LayoutEngine()
    let base = try await engine.preparedLayout(for: request(version: 1))
    await engine.purge(identity)
    var next = request(version: 2, changes: [change(to: 2)])
    next.base = .init(version: 1, prepared: base)
    _ = try await engine.preparedLayout(for: next)
    #expect(counter.prepared == 1)
    #expect(counter.updated == 1)
  }

  @Test("stays within its bytes and drops what was used longest ago")
  func eviction() async throws {
    let engine = LayoutEngine(configuration: .init(byteLimit: 5000))
    for width in [1.0, 2, 3] {
      _ = try await engine.preparedLayout(for: request(width: width))
    }
    _ = try await engine.preparedLayout(for: request(width: 1))
    _ = try await engine.preparedLayout(for: request(width: 4))
    var statistics = await engine.statistics
    #expect(statistics.bytes <= 5000)
    #expect(statistics.entries == 3)
    #expect(statistics.evictions == 1)
    #expect(counter.prepared == 4)
    _ = try await engine.preparedLayout(for: request(width: 1))
    #expect(counter.prepared == 4)
    _ = try await engine.preparedLayout(for: request(width: 2))
    #expect(counter.prepared == 5)
    // Larger than everything together: served and not kept.
    _ = try await engine.preparedLayout(for: request(width: 9, bytes: 1 << 40))
    statistics = await engine.statistics
    #expect(statistics.bytes <= 5000)
  }

  @Test("drops versions that newer ones replaced before others")
  func supersededFirst() async throws {
    let engine = LayoutEngine(configuration: .init(byteLimit: 5000))
    _ = try await engine.preparedLayout(for: request(width: 1))
    _ = try await engine.preparedLayout(for: request(version: 1, width: 2))
    _ = try await engine.preparedLayout(
      for: request(version: 2, width: 2, changes: [change(to: 2)])
    )
    _ = try await engine.preparedLayout(
      for: request(version: 3, width: 2, changes: [change(to: 3)])
    )
    #expect(counter.prepared == 2)
    _ = try await engine.preparedLayout(for: request(width: 1))
    #expect(counter.prepared == 2)
  }

  @Test("forgets the contents that are no more, and only those")
  func purge() async throws {
    let engine = LayoutEngine()
    let other = ContentsIdentity(8)
    _ = try await engine.preparedLayout(for: request())
    _ = try await engine.preparedLayout(for: request(width: 5))
    _ = try await engine.preparedLayout(for: request(identity: other))
    await engine.purge(identity)
    let statistics = await engine.statistics
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
    #expect(await engine.statistics.entries == 1)
  }
}
