// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import ResourceAccounting
import TestSupport
import Testing

@testable import LayoutEngine

@Suite("PreparedLayoutCache", .timeLimit(.minutes(1)))
struct PreparedLayoutCacheTests {
  private let account = Account().child(.cache, isCache: true)
  private let counter = WorkCounter()

  private func variant(_ width: Int, identity: UInt64 = 1) -> Variant {
    Variant(
      identity: ContentsIdentity(identity),
      configuration: LayoutConfiguration(CountingLayout(counter: counter)),
      container: LayoutContainer(size: Size(width: Double(width), height: 0))
    )
  }

  private func layout(_ variant: Variant, version: UInt64, bytes: Int = 1000) -> SharedLayout {
    SharedLayout(
      id: 0,
      variant: variant,
      version: version,
      prepared: CountingLayout.Prepared(
        context: LayoutContext(contents: .empty, container: variant.container),
        byteCount: bytes
      )
    )
  }

  private func cache(bytes: Int = .max) -> PreparedLayoutCache {
    PreparedLayoutCache(byteLimit: bytes, usefulVersions: 16, account: account)
  }

  @Test("20,000 versions of one variant leave one entry, and no eviction")
  func manyVersions() {
    var cache = cache()
    let variant = variant(1)
    for version in 1 ... UInt64(20_000) {
      let left = cache.insert(layout(variant, version: version), contents: 500)
      #expect(left.count == (version == 1 ? 0 : 1))
    }
    #expect(cache.count == 1)
    #expect(cache.evictions == 0)
    #expect(cache.newest(of: variant)?.version == 20_000)
    #expect(account.used == cache.bytes)
  }

  @Test("an entry is charged with its layout, its key and, once for a version, its contents")
  func charges() throws {
    var cache = cache()
    let (first, second) = (variant(1), variant(2))
    _ = cache.insert(layout(first, version: 7, bytes: 1000), contents: 92_000_000)
    let own = 1000 + first.byteCount
    #expect(cache.bytes == own + 92_000_000)
    _ = cache.insert(layout(second, version: 7, bytes: 3000), contents: 92_000_000)
    #expect(cache.bytes == own + 3000 + second.byteCount + 92_000_000)
    #expect(account.used == cache.bytes)
    _ = cache.removeAll(of: ContentsIdentity(1))
    #expect(cache.bytes == 0)
    #expect(account.used == 0)
  }

  @Test("a large configuration is charged as a key")
  func largeKeys() {
    let text = String(repeating: "x", count: 3_000_000)
    let options = LayoutOptions(sectionBackgrounds: [
      SectionBackground(kind: "b", custom: ["a": .string(text)])
    ])
    let variant = Variant(
      identity: ContentsIdentity(1),
      configuration: LayoutConfiguration(CountingLayout(counter: counter), options: options),
      container: LayoutContainer(size: .zero)
    )
    var cache = cache()
    _ = cache.insert(layout(variant, version: 1), contents: 0)
    #expect(cache.bytes > 3_000_000)
  }

  @Test("a re-import releases the contents before")
  func reimports() {
    var cache = cache()
    for version in 1 ... UInt64(50) {
      _ = cache.insert(layout(variant(1), version: version), contents: 92_000_000)
      #expect(cache.bytes < 93_000_000)
    }
  }

  @Test("a variant that nobody asks for leaves once no changes lead on from it")
  func uselessVariants() {
    var cache = cache()
    for width in 1 ... 100 { _ = cache.insert(layout(variant(width), version: 1), contents: 10) }
    #expect(cache.count == 100)
    for version in UInt64(2) ... 17 {
      _ = cache.insert(layout(variant(1), version: version), contents: 10)
    }
    #expect(cache.count == 100)
    _ = cache.insert(layout(variant(1), version: 18), contents: 10)
    #expect(cache.count == 1)
    #expect(cache.evictions == 0)
  }

  @Test("a layout that the cache let go of is found while somebody uses it, and then no longer")
  func weakLayouts() throws {
    var cache = cache(bytes: 5000)
    let variants = (0 ..< 300).map { variant($0) }
    var held: SharedLayout? = layout(variants[0], version: 1)
    _ = cache.insert(try #require(held), contents: 0)
    for other in variants.dropFirst() { _ = cache.insert(layout(other, version: 1), contents: 0) }
    #expect(cache.newest(of: variants[0]) == nil)
    #expect(cache.layout(of: variants[0], version: 1) === held)
    #expect(cache.layout(of: variants[0], version: 2) == nil)
    // Superseded versions too, for those who still show them.
    let newer = layout(variants[0], version: 2)
    _ = cache.insert(newer, contents: 0)
    #expect(cache.layout(of: variants[0], version: 1) === held)
    held = nil
    #expect(cache.layout(of: variants[0], version: 1) == nil)
    #expect(cache.layout(of: variants[0], version: 2) === newer)
  }

  @Test("what comes too late does not take the place of what is newer")
  func lateVersions() {
    var cache = cache()
    let variant = variant(1)
    let newer = layout(variant, version: 5)
    _ = cache.insert(newer, contents: 10)
    let older = layout(variant, version: 4)
    _ = cache.insert(older, contents: 10)
    #expect(cache.newest(of: variant) === newer)
    #expect(cache.layout(of: variant, version: 4) === older)
    #expect(cache.count == 1)
  }

  @Test("contents above the limit stay while they are what was asked for last")
  func largeContents() {
    var cache = cache(bytes: 10_000)
    _ = cache.insert(layout(variant(1), version: 1), contents: 1_000_000)
    #expect(cache.count == 1)
    _ = cache.insert(layout(variant(2, identity: 2), version: 1), contents: 1_000_000)
    #expect(cache.count == 1)
    #expect(cache.evictions == 1)
    // A layout that is itself too large does not.
    _ = cache.insert(layout(variant(3), version: 1, bytes: 20_000), contents: 0)
    #expect(cache.newest(of: variant(3)) == nil)
  }

  @Test("nothing is kept for which the server has no room")
  func serverLimit() throws {
    let server = Account(limit: 10_000)
    let lease = try server.child(.session).charge(6000)
    var cache = PreparedLayoutCache(
      byteLimit: .max,
      usefulVersions: 16,
      account: server.child(.cache, isCache: true)
    )
    _ = cache.insert(layout(variant(1), version: 1, bytes: 1000), contents: 500)
    #expect(cache.count == 1)
    _ = cache.insert(layout(variant(2), version: 1, bytes: 1000), contents: 500)
    #expect(cache.count == 1)
    #expect(server.used == cache.bytes + 6000)
    withExtendedLifetime(lease) {}
  }

  @Test("the same variants and versions over and over take no more room")
  func thrashing() {
    var cache = cache(bytes: 12_000)
    for round in 0 ..< 2000 {
      _ = cache.insert(layout(variant(round % 20), version: 1), contents: 0)
      _ = cache.layout(of: variant(0), version: 1)
    }
    #expect(cache.bytes <= 12_000)
    #expect(cache.bookkeepingCount < 300)
  }
}
