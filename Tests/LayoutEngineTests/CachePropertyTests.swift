// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import ResourceAccounting
import TestSupport
import Testing

@testable import LayoutEngine

/// The rules of the cache written down plainly: a list, looked through for everything.
private struct NaiveCache {
  struct Entry: Equatable {
    var width: Int
    var identity: UInt64
    var version: UInt64
    var bytes: Int
  }

  let byteLimit: Int
  let contentsBytes: (UInt64, UInt64) -> Int
  /// The least recently used first.
  var entries: [Entry] = []
  var evictions: UInt64 = 0

  var bytes: Int {
    let versions = Set(entries.map { [$0.identity, $0.version] })
    return entries.reduce(0) { $0 + $1.bytes }
      + versions.reduce(0) { $0 + contentsBytes($1[0], $1[1]) }
  }

  mutating func use(_ width: Int, _ identity: UInt64, _ version: UInt64) -> Bool {
    let found = entries.firstIndex {
      $0.width == width && $0.identity == identity && $0.version == version
    }
    guard let found else { return false }
    entries.append(entries.remove(at: found))
    return true
  }

  mutating func insert(_ entry: Entry) {
    entries.removeAll { $0.identity == entry.identity && $0.width == entry.width }
    entries.removeAll { $0.identity == entry.identity && $0.version + 16 < entry.version }
    guard entry.bytes <= byteLimit else { return }
    entries.append(entry)
    while bytes > byteLimit, entries.count > 1 {
      entries.removeFirst()
      evictions += 1
    }
  }
}

@Suite("PreparedLayoutCache, against a list", .timeLimit(.minutes(2)))
struct CachePropertyTests {
  @Test("keeps what the rule says, charges what it keeps", arguments: 1 ... 60)
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    func contentsBytes(_ identity: UInt64, _ version: UInt64) -> Int {
      Int((identity &* 7919 &+ version &* 104_729) % 6000)
    }
    let counter = WorkCounter()
    func variant(_ width: Int, _ identity: UInt64) -> Variant {
      Variant(
        identity: ContentsIdentity(identity),
        configuration: LayoutConfiguration(CountingLayout(counter: counter)),
        container: LayoutContainer(size: Size(width: Double(width), height: 0))
      )
    }
    let keyBytes = variant(0, 0).byteCount
    let limit = 3 * keyBytes + number(60_000)
    let account = Account().child(.cache, isCache: true)
    var cache = PreparedLayoutCache(byteLimit: limit, usefulVersions: 16, account: account)
    var naive = NaiveCache(byteLimit: limit, contentsBytes: contentsBytes)
    var versions: [UInt64] = [1, 1, 1]
    var held: [SharedLayout] = []
    for _ in 0 ..< 500 {
      let identity = UInt64(number(3))
      let width = number(8)
      switch number(10) {
      case 0 ..< 3: versions[Int(identity)] += UInt64(1 + number(3))
      case 9:
        if number(10) == 0 {
          _ = cache.removeAll(of: ContentsIdentity(identity))
          naive.entries.removeAll { $0.identity == identity }
        }
        if !held.isEmpty { held.remove(at: number(held.count)) }
      default:
        let version = versions[Int(identity)]
        let variant = variant(width, identity)
        let isKept = naive.use(width, identity, version)
        let found = cache.layout(of: variant, version: version)
        let holder = held.first { $0.variant == variant && $0.version == version }
        #expect((found != nil) == (isKept || holder != nil))
        guard found == nil else { continue }
        let bytes = number(20) == 0 ? limit + 1 : number(8000)
        let layout = SharedLayout(
          id: 0,
          variant: variant,
          version: version,
          prepared: CountingLayout.Prepared(
            context: LayoutContext(contents: .empty, container: variant.container),
            byteCount: bytes
          )
        )
        _ = cache.insert(layout, contents: contentsBytes(identity, version))
        naive.insert(
          .init(width: width, identity: identity, version: version, bytes: bytes + keyBytes)
        )
        if number(3) == 0 { held.append(layout) }
      }
      #expect(cache.count == naive.entries.count)
      #expect(cache.bytes == naive.bytes)
      #expect(cache.evictions == naive.evictions)
      #expect(account.used == cache.bytes)
      for entry in naive.entries {
        #expect(cache.newest(of: variant(entry.width, entry.identity))?.version == entry.version)
      }
    }
  }
}
