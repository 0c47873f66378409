// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import ResourceAccounting
import TestSupport
import Testing

@testable import LayoutEngine

@Suite("RefusedLayouts", .timeLimit(.minutes(1)))
struct RefusedLayoutsTests {
  private let counter = WorkCounter()

  private func key(
    _ width: Int,
    identity: UInt64 = 1,
    version: UInt64 = 1,
    base: UInt64? = nil
  ) -> RefusedLayouts.Key {
    RefusedLayouts.Key(
      variant: Variant(
        identity: ContentsIdentity(identity),
        configuration: LayoutConfiguration(CountingLayout(counter: counter)),
        container: LayoutContainer(size: Size(width: Double(width), height: 0))
      ),
      version: version,
      base: base
    )
  }

  @Test("the bytes of all keys are limited and charged")
  func bytes() {
    let (size, account) = (key(0).variant.byteCount, Account())
    var refused = RefusedLayouts(byteLimit: 3 * size, account: account)
    for width in 0 ..< 5 { refused.insert(key(width), .tooManySteps(limit: 1)) }
    #expect(refused.count == 3)
    #expect(refused.bytes == 3 * size)
    #expect(account.used == 3 * size)
    refused.removeAll(of: ContentsIdentity(1))
    #expect(account.used == 0)
    var small = RefusedLayouts(byteLimit: size - 1, account: account)
    small.insert(key(0), .tooManySteps(limit: 1))
    #expect(small.count == 0)
  }

  @Test("nothing is kept for which the server has no room")
  func serverLimit() {
    let account = Account(limit: 100).child(.cache, isCache: true)
    var refused = RefusedLayouts(account: account)
    refused.insert(key(0), .tooManySteps(limit: 1))
    #expect(refused.count == 0)
    #expect(account.used == 0)
  }

  @Test("keeps what the rule says, against a list", arguments: 1 ... 40)
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let limit = 1 + number(12)
    var refused = RefusedLayouts(countLimit: limit, account: Account())
    // The least recently used first.
    var naive: [(key: RefusedLayouts.Key, stop: LayoutWork.Stop)] = []
    var versions: [UInt64] = [1, 1, 1]
    for step in 0 ..< 600 {
      let identity = UInt64(number(3))
      let version = versions[Int(identity)]
      let key = key(
        number(4),
        identity: identity,
        version: version,
        base: number(2) == 0 ? nil : version - 1
      )
      switch number(12) {
      case 0: versions[Int(identity)] += 1
      case 1:
        refused.removeAll(of: ContentsIdentity(identity))
        naive.removeAll { $0.key.variant.identity == ContentsIdentity(identity) }
      case 2 ..< 7:
        let stop = LayoutWork.Stop.tooManySteps(limit: step)
        refused.insert(key, stop)
        naive.removeAll {
          $0.key == key
            || $0.key.variant.identity == key.variant.identity && $0.key.version < version
        }
        naive.append((key, stop))
        if naive.count > limit { naive.removeFirst() }
      default:
        let found = naive.firstIndex { $0.key == key }
        let stop = refused.stop(of: key)
        #expect(stop == found.map { naive[$0].stop })
        if let found { naive.append(naive.remove(at: found)) }
      }
      #expect(refused.count == naive.count)
    }
  }
}
