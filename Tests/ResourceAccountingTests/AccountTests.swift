// SPDX-License-Identifier: Apache-2.0

import ResourceAccounting
import Synchronization
import TestSupport
import Testing

@Suite("Account", .timeLimit(.minutes(2)))
struct AccountTests {
  private let server = Account(limit: 1000)

  @Test("what is charged counts for all above, and comes back with its lease")
  func chargeAndRelease() throws {
    let connection = server.child(.connection, limit: 500)
    let session = connection.child(.session, limit: 300)
    var lease: Lease? = try session.charge(120)
    #expect([session.used, connection.used, server.used] == [120, 120, 120])
    #expect(lease?.bytes == 120)
    lease = nil
    #expect([session.used, connection.used, server.used] == [0, 0, 0])
    #expect([session.peak, connection.peak, server.peak] == [120, 120, 120])
  }

  @Test("a refusal names the account without room, and charges nothing")
  func refusal() throws {
    let connection = server.child(.connection, named: "ipv4:10.0.0.7:1", limit: 500)
    let first = connection.child(.session, limit: 400)
    let second = connection.child(.session, limit: 400)
    let lease = try first.charge(400)
    #expect(throws: LimitExceeded.self) { try first.charge(1) }
    let error = #expect(throws: LimitExceeded.self) { try second.charge(200) }
    #expect(
      error
        == LimitExceeded(
          scope: .connection,
          name: "ipv4:10.0.0.7:1",
          limit: 500,
          used: 400,
          requested: 200
        )
    )
    #expect(
      error?.description
        == "200 more bytes would exceed the memory limit of the connection ipv4:10.0.0.7:1: "
        + "400 of 500 bytes are in use"
    )
    #expect([first.used, second.used, connection.used, server.used] == [400, 0, 400, 400])
    withExtendedLifetime(lease) {}
  }

  @Test("one at its limit leaves its neighbours theirs")
  func neighbours() throws {
    let greedy = server.child(.peer, limit: 600)
    let modest = server.child(.peer, limit: 600)
    let lease = try greedy.charge(600)
    #expect(throws: LimitExceeded.self) { try greedy.charge(1) }
    let other = try modest.charge(400)
    #expect(server.used == 1000)
    withExtendedLifetime((lease, other)) {}
  }

  @Test("a lease grows and shrinks; what cannot grow stays as it is")
  func adjustment() throws {
    let session = server.child(.session, limit: 300)
    let lease = try session.charge(100)
    try lease.adjust(to: 300)
    #expect(session.used == 300)
    let error = #expect(throws: LimitExceeded.self) { try lease.adjust(to: 310) }
    #expect(error?.requested == 10)
    #expect(lease.bytes == 300)
    try lease.adjust(to: -5)
    #expect([session.used, server.used] == [0, 0])
  }

  @Test(
    "a lease that moves is never charged twice above both accounts, and stays where there is no room"
  )
  func moving() throws {
    let peer = server.child(.peer, limit: 300)
    let connection = peer.child(.connection, limit: 300)
    var lease = try connection.child(.session).charge(250)
    lease = try lease.move(to: peer)
    #expect([connection.used, peer.used, server.used] == [0, 250, 250])
    #expect(peer.peak == 250)
    let narrow = server.child(.peer, limit: 100)
    #expect(throws: LimitExceeded.self) { _ = try lease.move(to: narrow) }
    #expect([narrow.used, peer.used, lease.bytes] == [0, 250, 250])
  }

  @Test("amounts at the ends of what a number holds are refused, not trapped on")
  func extremes() throws {
    let all = Account(limit: .max)
    let lease = try all.charge(.max)
    #expect(all.used == .max)
    #expect(throws: LimitExceeded.self) { try all.charge(1) }
    #expect(throws: LimitExceeded.self) { try all.charge(.max) }
    try lease.adjust(to: 0)
    #expect(try all.charge(.min).bytes == 0)
    #expect(all.child(.session, limit: -1).limit == 0)
  }

  @Test("what many hold counts once for each account above them")
  func sharing() throws {
    let connections = (0 ..< 2).map { _ in server.child(.connection, limit: 500) }
    let sessions = connections.flatMap { connection in
      (0 ..< 100).map { _ in connection.child(.session, limit: 500) }
    }
    let shared = SharedBytes(300)
    var holds = try sessions.map { try $0.hold(shared) }
    #expect(sessions.allSatisfy { $0.used == 300 })
    #expect(connections.map(\.used) == [300, 300])
    #expect(server.used == 300)
    // Held twice by the same account.
    holds.append(try sessions[0].hold(shared))
    #expect(sessions[0].used == 300)
    holds.removeFirst(100)
    #expect(connections.map(\.used) == [300, 300])
    holds.removeLast()
    #expect(connections.map(\.used) == [0, 300])
    holds.removeAll()
    #expect(server.used == 0)
  }

  @Test("what is held already is not refused; the same amount of something else is")
  func sharingAtTheLimit() throws {
    let connection = server.child(.connection, limit: 400)
    let first = connection.child(.session)
    let second = connection.child(.session)
    let shared = SharedBytes(400)
    let hold = try first.hold(shared)
    let other = try second.hold(shared)
    #expect(connection.used == 400)
    let error = #expect(throws: LimitExceeded.self) { try second.hold(SharedBytes(1)) }
    #expect(error?.scope == .connection)
    withExtendedLifetime((hold, other)) {}
  }

  @Test("what can be dropped makes room at the server's limit, and only there")
  func reclaiming() throws {
    let cache = server.child(.cache, isCache: true)
    let kept = Mutex<[Lease]>(try (0 ..< 9).map { _ in try cache.charge(100) })
    let calls = Mutex<[Int]>([])
    server.setReclaimer { bytes in
      calls.withLock { $0.append(bytes) }
      // Released outside the lock.
      let dropped = kept.withLock { kept in
        let dropped = Array(kept.suffix((bytes + 99) / 100))
        kept.removeLast(dropped.count)
        return dropped
      }
      withExtendedLifetime(dropped) {}
    }
    let session = server.child(.session, limit: 600)
    #expect(throws: LimitExceeded.self) { try session.charge(601) }
    #expect(calls.withLock { $0 } == [])
    let lease = try session.charge(250)
    #expect(calls.withLock { $0 } == [150])
    #expect(cache.used == 700)
    // A cache makes no room for itself.
    #expect(throws: LimitExceeded.self) { try cache.charge(100) }
    #expect(calls.withLock { $0 } == [150])
    let most = server.child(.session)
    #expect(throws: LimitExceeded.self) { try most.charge(1000) }
    #expect(calls.withLock { $0 } == [150, 950])
    withExtendedLifetime(lease) {}
  }

  @Test("an account lives as long as something is charged to it; its place is then used again")
  func lifetime() throws {
    var ids: Set<UInt64> = []
    for _ in 0 ..< 1000 {
      let lease = try server.child(.session, limit: 10).charge(10)
      #expect(lease.account.used == 10)
      ids.insert(lease.account.id)
    }
    #expect(ids.count == 1000)
    #expect(server.used == 0)
  }

  @Test("charges, holds and releases from many threads end at nothing")
  func concurrency() async {
    let connection = server.child(.connection, limit: 900)
    let shared = (0 ..< 4).map { SharedBytes(50 * ($0 + 1)) }
    await withTaskGroup(of: Void.self) { group in
      for index in 0 ..< 16 {
        group.addTask {
          var random = SplitMix64(seed: UInt64(index))
          let session = connection.child(.session, limit: 400)
          var leases: [Lease] = []
          var holds: [Hold] = []
          for _ in 0 ..< 2000 {
            switch random.next() % 5 {
            case 0:
              if let lease = try? session.charge(Int(random.next() % 90)) { leases.append(lease) }
            case 1:
              if let hold = try? session.hold(shared[Int(random.next() % 4)]) { holds.append(hold) }
            case 2: if !leases.isEmpty { leases.removeFirst() }
            case 3: if !holds.isEmpty { holds.removeFirst() }
            default: try? leases.last?.adjust(to: Int(random.next() % 120))
            }
            #expect(session.used <= 400)
          }
        }
      }
    }
    #expect([connection.used, server.used] == [0, 0])
    #expect(connection.peak <= 900 && connection.peak > 0)
  }
}
