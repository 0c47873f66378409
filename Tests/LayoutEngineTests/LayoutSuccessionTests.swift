// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutEngine
import LayoutGeometry
import ResourceAccounting
import Testing

@Suite("Successors of layouts", .timeLimit(.minutes(1)))
struct LayoutSuccessionTests {
  private let engine = LayoutEngine()
  private let account = Account(scope: .server).child(.session)
  private let counter = WorkCounter()
  private var counting: CountingLayout { CountingLayout(counter: counter, byteCount: 1000) }

  private func layout(version: UInt64, width: Double = 100) async throws -> LayoutLease {
    try await engine.preparedLayout(
      for: PreparationRequest(
        contents: CollectionContents(
          sections: [SectionContents(blocks: [ItemBlock(count: 10 + Int(version))])]
        ),
        version: ContentsVersion(identity: ContentsIdentity(7), number: version),
        configuration: LayoutConfiguration(counting),
        container: LayoutContainer(size: Size(width: width, height: 50)),
        account: account
      )
    )
  }

  @Test("the newest layout is found by those who have an older one, and charged to them")
  func newest() async throws {
    let leases = [try await layout(version: 1), try await layout(version: 2)]
    let newest = try await layout(version: 3)
    let viewer = Account(scope: .server).child(.session)
    let hits = engine.statistics.hits
    for lease in leases {
      let found = try #require(
        try engine.successor(of: lease, version: 3, as: counting, for: viewer)
      )
      #expect(found.identity == newest.identity)
      #expect(viewer.used == newest.byteCount)
    }
    #expect(engine.statistics.hits == hits + 2)
    #expect(counter.prepared == 3)
    #expect(viewer.used == 0)
  }

  @Test("no other version is found, nor one of another container")
  func others() async throws {
    let old = try await layout(version: 1)
    let other = try await layout(version: 1, width: 200)
    _ = try await layout(version: 2)
    for version: UInt64 in [0, 1, 3, .max] {
      let found = try engine.successor(of: old, version: version, as: counting, for: account)
      #expect(found == nil)
    }
    #expect(try engine.successor(of: other, version: 2, as: counting, for: account) == nil)
  }

  @Test("a layout of an older version that is made later does not take the place of the newest")
  func late() async throws {
    let first = try await layout(version: 1)
    let third = try await layout(version: 3)
    _ = try await layout(version: 2)
    #expect(try engine.successor(of: first, version: 2, as: counting, for: account) == nil)
    #expect(
      try engine.successor(of: first, version: 3, as: counting, for: account)?.identity
        == third.identity
    )
  }

  @Test("what nobody uses any more is not found")
  func unused() async throws {
    let old = try await layout(version: 1)
    _ = try await layout(version: 2)
    engine.purge(ContentsIdentity(7))
    #expect(try engine.successor(of: old, version: 2, as: counting, for: account) == nil)
  }

  @Test("an account without room for the layout is told so")
  func room() async throws {
    let old = try await layout(version: 1)
    let newest = try await layout(version: 2)
    let small = Account(scope: .server).child(.session, limit: newest.byteCount - 1)
    #expect(throws: LimitExceeded.self) {
      try engine.successor(of: old, version: 2, as: counting, for: small)
    }
  }
}
