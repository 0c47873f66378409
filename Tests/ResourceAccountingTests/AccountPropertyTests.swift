// SPDX-License-Identifier: Apache-2.0

import ResourceAccounting
import TestSupport
import Testing

/// The rule, written down plainly: all that is charged and held, summed up anew for each question.
private struct NaiveAccounts {
  /// The account above each; the first has none.
  var parents: [Int?]
  var limits: [Int]
  var charges: [Int: (account: Int, bytes: Int)] = [:]
  var holds: [Int: (account: Int, shared: Int)] = [:]
  let sharedBytes: [Int]

  func isWithin(_ account: Int, _ top: Int) -> Bool {
    account == top || parents[account].map { isWithin($0, top) } ?? false
  }

  func used(_ account: Int) -> Int {
    let own = charges.values.filter { isWithin($0.account, account) }.reduce(0) { $0 + $1.bytes }
    let shared = Set(holds.values.filter { isWithin($0.account, account) }.map(\.shared))
    return own + shared.reduce(0) { $0 + sharedBytes[$1] }
  }

  /// The lowest account that is above its limit.
  func excess(from account: Int) -> Int? {
    used(account) > limits[account]
      ? account : parents[account].flatMap { excess(from: $0) }
  }
}

@Suite("Accounts, against sums", .timeLimit(.minutes(2)))
struct AccountPropertyTests {
  @Test("agree with what is summed up anew after each step", arguments: 1 ... 60)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    var accounts = [Account(limit: 1500)]
    let shared = (0 ..< 5).map { _ in SharedBytes(number(300)) }
    var naive = NaiveAccounts(parents: [nil], limits: [1500], sharedBytes: shared.map(\.count))
    for _ in 0 ..< 9 {
      let parent = number(accounts.count)
      let limit = 200 + number(1000)
      accounts.append(accounts[parent].child(.session, named: "\(accounts.count)", limit: limit))
      naive.parents.append(parent)
      naive.limits.append(limit)
    }
    var leases: [Int: Lease] = [:]
    var holds: [Int: Hold] = [:]
    for step in 0 ..< 200 {
      var account = number(accounts.count)
      var (before, next) = (naive, naive)
      var error: LimitExceeded?
      switch number(8) {
      case 0, 1:
        let bytes = number(250)
        next.charges[step] = (account, bytes)
        do throws(LimitExceeded) { leases[step] = try accounts[account].charge(bytes) } catch let e
        {
          error = e
        }
      case 2, 3:
        let index = number(shared.count)
        next.holds[step] = (account, index)
        do throws(LimitExceeded) {
          holds[step] = try accounts[account].hold(shared[index])
        } catch let e { error = e }
      case 4:
        guard let key = leases.keys.sorted().first else { continue }
        let bytes = number(300)
        next.charges[key]?.bytes = bytes
        do throws(LimitExceeded) { try leases[key]?.adjust(to: bytes) } catch let e { error = e }
      case 5:
        guard let key = leases.keys.sorted().first else { continue }
        next.charges[key]?.account = account
        do throws(LimitExceeded) {
          if let lease = leases[key] { leases[key] = try lease.move(to: accounts[account]) }
        } catch let e { error = e }
      case 6:
        guard let key = holds.keys.sorted().first, let old = naive.holds[key] else { continue }
        let index = number(shared.count)
        account = old.account
        next.holds[key] = (account, index)
        // Nothing has to have room for both.
        before.holds[key] = nil
        do throws(LimitExceeded) { try holds[key]?.exchange(for: shared[index]) } catch let e {
          error = e
        }
        #expect(holds[key]?.shared === shared[error == nil ? index : old.shared])
      default:
        if let key = leases.keys.sorted().first, number(2) == 0 {
          leases[key] = nil
          next.charges[key] = nil
        } else if let key = holds.keys.sorted().first {
          holds[key] = nil
          next.holds[key] = nil
        }
      }
      if let error {
        let excess = try #require(next.excess(from: accountAtFault(naive, next) ?? account))
        #expect(error.name == accounts[excess].name)
        #expect(error.limit == naive.limits[excess])
        #expect(error.used == before.used(excess))
      } else {
        #expect(accounts.indices.allSatisfy { next.used($0) <= next.limits[$0] })
        naive = next
      }
      #expect(accounts.map(\.used) == accounts.indices.map { naive.used($0) })
    }
    leases.removeAll()
    holds.removeAll()
    #expect(accounts.allSatisfy { $0.used == 0 })
  }

  /// The account whose lease was to change.
  private func accountAtFault(_ old: NaiveAccounts, _ new: NaiveAccounts) -> Int? {
    new.charges.first { charge in
      old.charges[charge.key].map { $0 != charge.value } ?? true
    }?.value.account
  }
}
