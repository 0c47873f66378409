// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import StoreTesting
import TestSupport
import Testing

@testable import CollectionStore

@Suite("Sorted identifiers", .timeLimit(.minutes(2)))
struct SortedIDsTests {
  private func found(from id: String, limit: Int, in ids: SortedIDs) -> [String] {
    var found: [String] = []
    ids.forEach(from: id) {
      found.append($0)
      return found.count < limit
    }
    return found
  }

  @Test("they are those of a sorted set, whatever is added and removed", arguments: 0 ..< 20)
  func model(seed: Int) {
    var generator = SplitMix64(seed: UInt64(seed))
    func id() -> String { String(Int.random(in: 0 ..< 500, using: &generator), radix: 36) }
    var model = Set((0 ..< seed * 20).map { _ in id() })
    var ids = SortedIDs(model)
    #expect(ids.brokenInvariant == nil)
    for _ in 0 ..< 1000 {
      let id = id()
      if Bool.random(using: &generator) {
        model.insert(id)
        ids.insert(id)
      } else {
        model.remove(id)
        ids.remove(id)
      }
      #expect(ids.count == model.count)
    }
    #expect(ids.brokenInvariant == nil)
    let sorted = model.sorted()
    #expect(ids.all == sorted)
    for start in ["", "1", "8z", "d", "dd", "zz"] {
      let rest = sorted.filter { $0 >= start }.prefix(7)
      #expect(found(from: start, limit: 7, in: ids) == Array(rest))
    }
  }

  @Test("none are found among none")
  func empty() {
    var ids = SortedIDs()
    ids.remove("a")
    #expect(ids.count == 0 && ids.all == [])
    #expect(found(from: "", limit: 1, in: ids) == [])
  }

  @Test("a page begins after its token or with the prefix, whichever is later")
  func pages() async throws {
    let registry = CollectionRegistry(storage: MemoryStorage(), codec: TestCodec())
    for id in ["b2", "a", "c", "b1", "b", "b3"] {
      _ = try await registry.create(CollectionRecord(id: id), contents: .empty)
    }
    func page(after id: String, _ beginning: String, limit: Int = 9) -> [String] {
      registry.records(after: id, beginningWith: beginning, limit: limit).map(\.id)
    }
    #expect(page(after: "", "") == ["a", "b", "b1", "b2", "b3", "c"])
    #expect(page(after: "", "b") == ["b", "b1", "b2", "b3"])
    #expect(page(after: "b", "b", limit: 2) == ["b1", "b2"])
    #expect(page(after: "b2", "b") == ["b3"])
    #expect(page(after: "b2x", "b") == ["b3"])
    #expect(page(after: "c", "b") == [])
    #expect(page(after: "a", "", limit: 0) == [])
  }

  @Test("a server that starts lists all collections in order, however they are stored")
  func loading() async throws {
    let storage = MemoryStorage(keepsContents: true)
    let ids = (0 ..< 1000).map { "c\($0 * 7919 % 1000)" }
    for id in ids { try await storage.create(CollectionRecord(id: id), snapshot: nil) }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    #expect(registry.count == 1000)
    #expect(registry.records(after: "", limit: 2000).map(\.id) == ids.sorted())
  }
}
