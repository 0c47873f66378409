// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import CollectionStore
import Dispatch
import LayoutEngine
import LayoutGeometry
import LayoutSession
import Synchronization
import Testing

@testable import LayoutService

@Suite("Groups of sessions that measure", .timeLimit(.minutes(1)))
struct MeasurementGroupTests {
  private let time = ManualTime()

  /// Counts how often somebody was woken.
  private final class Wakes: Sendable {
    private let state = Mutex((count: 0, waiters: [CheckedContinuation<Void, Never>]()))

    var count: Int { state.withLock { $0.count } }

    func add() {
      let waiters = state.withLock { state in
        state.count += 1
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }

    func wait(for count: Int) async {
      while self.count < count {
        await withCheckedContinuation { continuation in
          let isThere = state.withLock { state in
            if state.count < count { state.waiters.append(continuation) }
            return state.count >= count
          }
          if isThere { continuation.resume() }
        }
      }
    }
  }

  private func collection(
    _ services: SessionServices,
    count: Int = 100
  ) async throws -> LiveCollection {
    try await services.registry.create(
      CollectionRecord(id: "a", sharesMeasurements: true),
      contents: CollectionContents(sections: [SectionContents(blocks: [ItemBlock(count: count)])])
    )
  }

  private func key(_ renderer: String = "app") -> MeasurementGroupKey {
    let session = ViewportSession(
      open: SessionParameters(
        contents: .empty,
        layout: LayoutConfiguration(ListLayout(isSelfSizing: true))
      )
    )
    return MeasurementGroupKey(renderer: renderer, measured: session.measurementKey)
  }

  private func sizes(_ items: Range<Int>, _ height: Double) -> [MeasuredPlace: Size] {
    Dictionary(
      uniqueKeysWithValues: items.map {
        (.item(IndexPath(section: 0, item: $0)), Size(width: 10, height: height))
      }
    )
  }

  @Test("what comes within 50 ms after a commit is committed together, and wakes all once")
  func batching() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    let wakes = (0 ..< 3).map { _ in Wakes() }
    let measurements = CollectionMeasurements.of(collection, services: services)
    let joined = wakes.compactMap { wakes in
      measurements.join(key(), of: collection, services: services) { wakes.add() }
    }
    let group = try #require(joined.first?.group)
    #expect(joined.count == 3 && joined.allSatisfy { $0.group === group })
    func offer(_ items: Range<Int>, by viewer: Int) -> SharedOutcome {
      group.offer(
        sizes(items, 50),
        at: group.version,
        mayContribute: true,
        room: 1 << 20,
        by: joined[viewer].viewer
      )
    }
    // The first one at once; its session knows.
    #expect(offer(0 ..< 3, by: 0).version == 2)
    #expect(group.version == 2)
    #expect(wakes.map(\.count) == [0, 1, 1])
    for item in 3 ..< 30 { #expect(offer(item ..< item + 1, by: item % 3).version == 3) }
    #expect(offer(0 ..< 3, by: 1).version == nil)
    #expect(group.version == 2)
    #expect(time.alarmCount == 1)
    time.advance(by: MeasurementGroup.interval)
    for (wakes, count) in zip(wakes, [1, 2, 2]) { await wakes.wait(for: count) }
    #expect(wakes.map(\.count) == [1, 2, 2])
    #expect(group.version == 3)
    let shared = try group.current(of: collection)
    #expect(shared.measuredItemCount == 30)
    time.advance(by: MeasurementGroup.interval)
    #expect(offer(30 ..< 31, by: 2).version == 4)
    #expect(group.version == 4)
    withExtendedLifetime(joined) {}
  }

  @Test("sizes take room of the collection's, and go when it is needed and nobody looks")
  func room() async throws {
    var configuration = ServiceConfiguration()
    configuration.limits.sharedMeasurementBytes = 1 << 20
    let services = SessionServices.manual(time, .init(), configuration)
    let collection = try await collection(services)
    let measurements = CollectionMeasurements.of(collection, services: services)
    let before = services.metrics.measurements.bytes.load(ordering: .relaxed)
    for number in 0 ..< 3 {
      let joined = try #require(
        measurements.join(key("r\(number)"), of: collection, services: services) {}
      )
      let outcome = joined.group.offer(
        sizes(0 ..< 50, 30),
        at: 1,
        mayContribute: true,
        room: measurements.room(for: 50 * 64),
        by: joined.viewer
      )
      #expect(outcome.accepted == 50)
      measurements.leave(joined.group, joined.viewer)
    }
    #expect(measurements.groupCount == 3)
    let used = measurements.byteCount
    #expect(used > 3 * 4096)
    #expect(services.metrics.measurements.bytes.load(ordering: .relaxed) == before + used)
    #expect(used < 1 << 20)
    #expect(measurements.room(for: (1 << 20) - used) == (1 << 20) - used)
    #expect(measurements.groupCount == 3)
    // More than is free: all that nobody looks at may have to go.
    #expect(measurements.room(for: 1 << 20) == 1 << 20)
    #expect(measurements.groupCount == 0)
    #expect(measurements.byteCount == 0)
    #expect(services.metrics.measurements.bytes.load(ordering: .relaxed) == before)
    #expect(services.metrics.measurements.groups.load(ordering: .relaxed) == 0)
    // What nobody measured goes with its last viewer.
    let empty = try #require(measurements.join(key(), of: collection, services: services) {})
    #expect(measurements.groupCount == 1)
    measurements.leave(empty.group, empty.viewer)
    #expect(measurements.groupCount == 0)
  }

  @Test("who only views leaves room for groups of those who measure, and joins them")
  func viewersOnly() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    let measurements = CollectionMeasurements.of(collection, services: services)
    let join = { [self] (name: String, mayContribute: Bool) in
      measurements.join(
        key(name),
        of: collection,
        mayContribute: mayContribute,
        services: services
      ) {}
    }
    let viewers = (0 ..< CollectionMeasurements.groupLimit).compactMap { join("v\($0)", false) }
    #expect(viewers.count == CollectionMeasurements.viewerGroupLimit)
    let measurer = try #require(join("app", true))
    let viewer = try #require(join("app", false))
    #expect(viewer.group === measurer.group)
    // A group that is measured for is none of viewers only any more.
    #expect(join("v0", true) != nil && join("other", false) != nil)
    #expect(join("another", false) == nil)
  }

  @Test("many sizes wait for the collection's turn, a few do not")
  func manySizes() async throws {
    let services = SessionServices.manual(time)
    let count = 4 * MeasurementGroup.fewSizes
    let collection = try await collection(services, count: count)
    let measurements = CollectionMeasurements.of(collection, services: services)
    let (many, few) = (Wakes(), Wakes())
    let large = try #require(
      measurements.join(key("a"), of: collection, services: services, wake: many.add)
    )
    let small = try #require(
      measurements.join(key("b"), of: collection, services: services, wake: few.add)
    )
    func offer(_ items: Range<Int>, to joined: (group: MeasurementGroup, viewer: UInt64)) {
      let outcome = joined.group.offer(
        sizes(items, 30),
        at: joined.group.version,
        mayContribute: true,
        room: 1 << 20,
        by: joined.viewer
      )
      #expect(outcome.accepted == items.count)
    }
    for joined in [large, small] { offer(0 ..< 1, to: joined) }
    let version = large.group.version
    offer(1 ..< count, to: large)
    offer(1 ..< 9, to: small)
    // Sessions wait for their turn instead of the lock.
    #expect(large.group.takesLong && measurements.takesLong)
    #expect(!small.group.takesLong)
    let (begun, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let busy = Task {
      try await services.engine.performUninterrupted {
        begun.signal()
        released.wait()
      }
    }
    await Task.detached { begun.waitUntilSignaled() }.value
    time.advance(by: MeasurementGroup.interval)
    await few.wait(for: 1)
    #expect(large.group.version == version)
    released.signal()
    try await busy.value
    await many.wait(for: 1)
    #expect(large.group.version == version + 1)
    #expect(!measurements.takesLong)
  }

  @Test("nothing new is taken beyond the limit, however much was taken before it was known")
  func limit() async throws {
    var configuration = ServiceConfiguration()
    configuration.limits.sharedMeasurementBytes = 9000
    let services = SessionServices.manual(time, .init(), configuration)
    let collection = try await collection(services)
    let measurements = CollectionMeasurements.of(collection, services: services)
    let joined = try #require(measurements.join(key(), of: collection, services: services) {})
    func offer(_ items: Range<Int>) -> SharedOutcome {
      joined.group.offer(
        sizes(items, 30),
        at: joined.group.version,
        mayContribute: true,
        room: measurements.room(for: items.count * 64),
        by: joined.viewer
      )
    }
    #expect(offer(0 ..< 5).accepted == 5)
    // Copies of the contents took more than the sizes themselves.
    #expect(measurements.byteCount > 9000)
    #expect(offer(5 ..< 10).refused.count == 5)
    #expect(offer(0 ..< 5).equal == 5)
    #expect(measurements.groupCount == 1)
  }

  @Test("a group follows the collection when it is asked, also beyond what is known of it")
  func following() async throws {
    let services = SessionServices.manual(time)
    let collection = try await collection(services)
    let measurements = CollectionMeasurements.of(collection, services: services)
    let joined = try #require(measurements.join(key(), of: collection, services: services) {})
    let group = joined.group
    _ = group.offer(
      sizes(5 ..< 6, 30),
      at: 1,
      mayContribute: true,
      room: 1 << 20,
      by: joined.viewer
    )
    let batch = UpdateBatch([.deleteItems(section: 0, items: 0 ..< 5)])
    _ = try await collection.commit(batch) { [] }
    #expect(group.version == 2)
    guard case .changes(let changes) = try group.catchUp(from: 1, with: collection) else {
      Issue.record("the changes are kept")
      return
    }
    #expect(changes.map(\.isMeasurement) == [true, false])
    #expect(changes.map(\.version) == [2, 3])
    #expect(changes.map(\.dataVersion) == [0, 1])
    let item = changes.last?.change.new.item(at: IndexPath(section: 0, item: 0))
    #expect(item?.height == 30)
    guard case .reset(let shared) = try group.catchUp(from: 9, with: collection) else {
      Issue.record("a version that is none begins anew")
      return
    }
    #expect(shared.version == 3 && shared.dataVersion == 1)
  }
}
