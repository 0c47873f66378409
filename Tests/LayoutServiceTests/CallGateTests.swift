// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import Testing

@testable import LayoutService

@Suite("Limits of calls", .timeLimit(.minutes(1)))
struct CallGateTests {
  /// Why another call of a peer is refused; nil = it is not.
  private static func refusal(of gate: CallGate, _ peer: String) -> LayoutProblem.Reason? {
    do {
      _ = try gate.enter(.call, peer: peer)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("a connection and a host have so many calls, and places are free once calls end")
  func places() throws {
    var limits = CallLimits()
    limits.perConnection = 2
    limits.perHost = 3
    let gate = CallGate(limits)
    var tickets = [
      try gate.enter(.call, peer: "ipv4:10.0.0.1:1"),
      try gate.enter(.call, peer: "ipv4:10.0.0.1:1"),
    ]
    #expect(Self.refusal(of: gate, "ipv4:10.0.0.1:1") == .quota(.calls))
    tickets.append(try gate.enter(.call, peer: "ipv4:10.0.0.1:2"))
    #expect(Self.refusal(of: gate, "ipv4:10.0.0.1:3") == .quota(.calls))
    tickets.append(try gate.enter(.call, peer: "ipv4:10.0.0.2:1"))
    tickets.removeFirst()
    tickets.append(try gate.enter(.call, peer: "ipv4:10.0.0.1:3"))
    #expect(tickets.count == 4)
  }

  @Test("work is charged to the connection and its host, and comes back with time")
  func work() throws {
    var limits = CallLimits()
    limits.workPerSecond = 100
    limits.workBurst = 200
    limits.workFactorPerHost = 2
    let clock = ManualClock()
    let gate = CallGate(limits, now: { clock.now })
    let first = try gate.enter(.call, peer: "ipv4:10.0.0.1:1")
    let second = try gate.enter(.call, peer: "ipv4:10.0.0.1:2")
    #expect(first.wait == nil)
    first.charge(300)
    // 100 below nothing: a second and what one unit takes.
    #expect(first.wait == .seconds(1.01))
    #expect(second.wait == nil)
    second.charge(200)
    #expect(second.wait != nil)
    clock.advance(by: .seconds(2))
    #expect(first.wait == nil && second.wait == nil)
    // However much is charged, one burst is owed at most.
    first.charge(1e12)
    #expect(first.wait == .seconds(2.01))
  }

  @Test("parties that are as good as new are forgotten")
  func forgetting() throws {
    let clock = ManualClock()
    let gate = CallGate(CallLimits(), now: { clock.now })
    for port in 0 ..< 5000 { _ = try gate.enter(.call, peer: "ipv4:10.0.0.1:\(port)") }
    #expect(gate.partyCount < 200)
  }

  @Test("what imports keep is counted until they end")
  func bytes() throws {
    var limits = CallLimits()
    limits.importBytes = 100
    let gate = CallGate(limits)
    var ticket: CallTicket? = try gate.enter(.importing, peer: "a")
    try ticket?.keep(80)
    let refused = #expect(throws: LayoutProblem.self) { try ticket?.keep(21) }
    #expect(refused?.reason == .quota(.memory))
    #expect(gate.importByteCount == 80)
    ticket = nil
    #expect(gate.importByteCount == 0)
  }

  @Test(
    "a host is an address without its port, of IPv6 the network of 64 bits",
    arguments: [
      ("ipv4:10.0.0.1:80", "ipv4:10.0.0.1"), ("ipv6:[::1]:80", "ipv6:[::1]"),
      ("unix:socket:1", "unix:socket:1"), ("in-process:7", "in-process:7"), ("", ""),
      ("ipv6:[2001:db8:1:2:3::7]:80", "ipv6:[2001:db8:1:2::]/64"),
      ("ipv6:[fe80::1%eth0]:80", "ipv6:[fe80:0:0:0::]/64"),
      ("ipv6:[::ffff:10.0.0.1]:80", "ipv4:10.0.0.1"), ("ipv6:[nonsense]:1", "ipv6:[nonsense]"),
    ]
  )
  func hosts(peer: String, host: String) { #expect(PeerHost.host(of: peer) == host) }
}
