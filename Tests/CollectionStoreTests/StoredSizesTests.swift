// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import StoreTesting
import Testing

@testable import CollectionStore

@Suite("Sizes on the disk", .timeLimit(.minutes(1)))
struct StoredSizesTests {
  @Test("a collection takes what its snapshot and its log have, and others do not count")
  func sizes() async throws {
    let store = try TemporaryStore()
    try await store.open { registry in
      let contents = TestCodec.contents([(0 ..< 5000).map { Double($0 % 7) }])
      let large = try await registry.create(CollectionRecord(id: "large"), contents: contents)
      _ = try await registry.create(CollectionRecord(id: "empty"), contents: .empty)
      _ = try await large.commit(TestOperation(.insertItems, section: 0, count: 3, seed: 4))
      _ = try await large.commit(TestOperation(.insertItems, section: 0, count: 2, seed: 5))
      let sizes = try await registry.storedSizes(of: ["large", "empty", "none"])
      let found = try #require(sizes["large"])
      #expect(found.snapshotBytes > 5000)
      #expect(found.logBatches == 2)
      #expect(found.logBytes > 0)
      #expect(sizes["empty"] == StoredSizes(snapshotBytes: 0, logBatches: 0, logBytes: 0))
      #expect(sizes["none"] == nil)
    }
  }
}
