// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionStore
import LayoutProtocol
import ResourceAccounting
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutService

@Suite("Layouts that are stored with collections", .timeLimit(.minutes(1)))
struct StoredLayoutsTests {
  private static func encoded(_ fill: (inout Wire.LayoutSpec) -> Void) throws -> [UInt8] {
    var spec = Wire.LayoutSpec()
    fill(&spec)
    return try spec.serializedBytes()
  }

  private static func record(_ id: String, rowHeight: Double) throws -> CollectionRecord {
    CollectionRecord(
      id: id,
      defaultLayout: try encoded { $0.list.rowHeight = rowHeight }
    )
  }

  @Test("one that is in use is read once, whatever else is read meanwhile")
  func shared() throws {
    let layouts = StoredLayouts(rules: ReadingRules())
    let record = try Self.record("a", rowHeight: 10)
    let source = try layouts.defaultSource(of: record, field: "layout")
    let first = try layouts.read(source)
    for number in 0 ..< 100 {
      let other = try Self.record("b\(number)", rowHeight: 20)
      _ = try layouts.read(layouts.defaultSource(of: other, field: "layout"))
    }
    #expect(try layouts.read(source) === first)
    // The same bytes in another record of the collection, as after another change of it.
    var changed = record
    changed.revision += 1
    #expect(try layouts.read(layouts.defaultSource(of: changed, field: "layout")) === first)
  }

  @Test("one that was changed is read anew, and so is that of a collection that was created again")
  func changed() throws {
    let layouts = StoredLayouts(rules: ReadingRules())
    var record = try Self.record("a", rowHeight: 10)
    let first = try layouts.read(layouts.defaultSource(of: record, field: "layout"))
    record.defaultLayout = try Self.encoded { $0.list.rowHeight = 11 }
    let second = try layouts.read(layouts.defaultSource(of: record, field: "layout"))
    #expect(second !== first && second.configuration != first.configuration)
    let again = try Self.record("a", rowHeight: 10)
    #expect(try layouts.read(layouts.defaultSource(of: again, field: "layout")) !== first)
  }

  @Test("of those that nobody uses the last few are kept")
  func kept() throws {
    let layouts = StoredLayouts(rules: ReadingRules())
    weak var first: StoredLayout?
    weak var last: StoredLayout?
    let record = try Self.record("a", rowHeight: 10)
    first = try layouts.read(layouts.defaultSource(of: record, field: "layout"))
    #expect(first != nil)
    for number in 0 ..< 20 {
      let other = try Self.record("b\(number)", rowHeight: 20)
      last = try layouts.read(layouts.defaultSource(of: other, field: "layout"))
    }
    #expect(first == nil)
    #expect(last != nil)
  }

  @Test("those that are kept are charged, and without room none are kept")
  func charged() throws {
    let server = Account(limit: 1 << 20)
    let account = server.child(.cache, isCache: true)
    let layouts = StoredLayouts(rules: ReadingRules(), account: account)
    let one = try layouts.read(
      layouts.defaultSource(of: Self.record("a", rowHeight: 10), field: "layout")
    ).bytes.count
    #expect(one > 0 && server.used == one)
    for number in 0 ..< 20 {
      let other = try Self.record("b\(number)", rowHeight: 20)
      _ = try layouts.read(layouts.defaultSource(of: other, field: "layout"))
    }
    #expect(server.used == 16 * one)

    let full = StoredLayouts(rules: ReadingRules(), account: Account(limit: one - 1))
    weak let dropped = try full.read(
      full.defaultSource(of: Self.record("a", rowHeight: 10), field: "layout")
    )
    #expect(dropped == nil)
  }

  @Test("custom layouts that are withdrawn are refused, although they were read before")
  func withdrawn() throws {
    let source = Withdrawable()
    var registry = LayoutRegistry()
    registry.add(source)
    let layouts = StoredLayouts(rules: ReadingRules(registry: registry))
    let record = CollectionRecord(
      id: "a",
      defaultLayout: try Self.encoded { $0.custom.name = "spiral" }
    )
    let found = try layouts.read(layouts.defaultSource(of: record, field: "layout"))
    source.isThere.withLock { $0 = false }
    #expect(throws: LayoutProblem.self) {
      _ = try layouts.read(layouts.defaultSource(of: record, field: "layout"))
    }
    source.isThere.withLock { $0 = true }
    #expect(try layouts.read(layouts.defaultSource(of: record, field: "layout")) === found)
  }

  @Test("a collection without a default layout has none to read")
  func none() {
    let layouts = StoredLayouts(rules: ReadingRules())
    let problem = #expect(throws: LayoutProblem.self) {
      _ = try layouts.defaultSource(of: CollectionRecord(id: "a"), field: "target.layout")
    }
    #expect(problem?.reason == .layoutKindUnknown)
  }
}

private final class Withdrawable: LayoutSource {
  let isThere = Mutex(true)

  var names: [String] { isThere.withLock { $0 } ? ["spiral"] : [] }

  func factory(named name: String) -> LayoutRegistry.Factory? {
    guard names.contains(name) else { return nil }
    return { _, _ in ListLayout() }
  }
}
