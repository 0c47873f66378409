// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutProtocol
import LayoutSession
import Synchronization
import TestSupport
import Testing

@testable import LayoutService

extension DetachedSession {
  /// A session of private contents.
  static func sample(items: Int = 0, at now: ContinuousClock.Instant) -> DetachedSession {
    let blocks = items > 0 ? [ItemBlock(count: items, heights: (0 ..< items).map(Double.init))] : []
    return DetachedSession(
      session: ViewportSession(
        open: SessionParameters(
          contents: CollectionContents(sections: [SectionContents(blocks: blocks)]),
          layout: LayoutConfiguration(ListLayout(rowHeight: 10))
        )
      ),
      encoder: FrameEncoder(capabilities: ClientCapabilities()),
      collection: nil,
      start: now,
      answers: AnswerLog()
    )
  }
}

@Suite("Sessions without a stream", .timeLimit(.minutes(1)))
struct DetachedSessionsTests {
  private let now = ContinuousClock.now
  private let attacker = SessionPeer("ipv4:10.0.0.1:4000")

  private func limits(sessions: Int, bytes: Int = 1 << 30) -> ResumeLimits {
    var limits = ResumeLimits()
    limits.sessions = sessions
    limits.bytes = bytes
    return limits
  }

  @Test("one client cannot drive out the sessions of others")
  func shares() {
    var sessions = DetachedSessions(limits: limits(sessions: 100))
    for index in 0 ..< 40 {
      let peer = SessionPeer("ipv4:10.0.1.\(index):5000")
      #expect(sessions.insert(.sample(at: now), named: "other\(index)", of: peer, at: now).isEmpty)
    }
    for index in 0 ..< 1000 {
      // New connections do not help.
      let peer = SessionPeer("ipv4:10.0.0.1:\(index)")
      _ = sessions.insert(.sample(at: now), named: "attack\(index)", of: peer, at: now)
      #expect(sessions.count <= 100)
    }
    for index in 0 ..< 40 { #expect(sessions.take("other\(index)", at: now) != nil) }
    // Of its own the oldest went.
    #expect(sessions.take("attack0", at: now) == nil)
    #expect(sessions.take("attack999", at: now) != nil)
  }

  @Test("one connection of a host cannot drive out those of the others behind the same address")
  func connections() {
    var sessions = DetachedSessions(limits: limits(sessions: 50))
    for index in 0 ..< 20 {
      let peer = SessionPeer("ipv6:[::1]:\(5000 + index)")
      _ = sessions.insert(.sample(at: now), named: "other\(index)", of: peer, at: now)
    }
    let peer = SessionPeer("ipv6:[::1]:9")
    #expect(peer.host == "ipv6:[::1]")
    for index in 0 ..< 500 {
      _ = sessions.insert(.sample(at: now), named: "attack\(index)", of: peer, at: now)
    }
    for index in 0 ..< 20 { #expect(sessions.take("other\(index)", at: now) != nil) }
    #expect(sessions.count == 30)
  }

  @Test("many addresses of one IPv6 network are one peer")
  func networks() {
    var sessions = DetachedSessions(limits: limits(sessions: 100))
    let victim = SessionPeer("ipv4:10.0.0.2:1")
    for index in 0 ..< 40 {
      _ = sessions.insert(.sample(at: now), named: "other\(index)", of: victim, at: now)
    }
    for index in 0 ..< 1000 {
      let text = "ipv6:[2001:db8:1:2:\(String(index, radix: 16))::7]:4000"
      _ = sessions.insert(.sample(at: now), named: "a\(index)", of: SessionPeer(text), at: now)
    }
    for index in 0 ..< 40 { #expect(sessions.take("other\(index)", at: now) != nil) }
  }

  @Test("one address keeps no more than it may, though there is room, and its oldest go")
  func perAddress() {
    var limits = limits(sessions: 1000)
    limits.sessionsPerAddress = 10
    var sessions = DetachedSessions(limits: limits)
    _ = sessions.insert(.sample(at: now), named: "b", of: SessionPeer("ipv4:10.0.0.2:1"), at: now)
    for index in 0 ..< 30 {
      let peer = SessionPeer("ipv4:10.0.0.1:\(4000 + index % 3)")
      let dropped = sessions.insert(.sample(at: now), named: "a\(index)", of: peer, at: now)
      #expect(dropped.count == (index < 10 ? 0 : 1))
    }
    #expect(sessions.count == 11)
    #expect(sessions.take("a29", at: now) != nil)
    #expect(sessions.take("a0", at: now) == nil)
    #expect(sessions.take("b", at: now) != nil)
  }

  @Test("the bytes that are kept are limited, and those who keep most go first")
  func bytes() {
    let large = DetachedSession.sample(items: 10_000, at: now)
    let small = DetachedSession.sample(at: now)
    #expect(large.byteCount > 5 * small.byteCount)
    var sessions = DetachedSessions(limits: limits(sessions: 1000, bytes: 3 * large.byteCount))
    _ = sessions.insert(small, named: "small", of: SessionPeer("ipv4:10.0.0.2:1"), at: now)
    for index in 0 ..< 10 {
      let dropped = sessions.insert(large, named: "large\(index)", of: attacker, at: now)
      #expect(dropped.count <= 1)
      #expect(sessions.byteCount <= 3 * large.byteCount)
    }
    #expect(sessions.take("small", at: now) != nil)
    #expect(sessions.count == 2)
    for index in 0 ..< 10 { _ = sessions.take("large\(index)", at: now) }
    #expect(sessions.byteCount == 0)
  }

  @Test("each is kept for its time and no longer")
  func expiry() {
    var limits = ResumeLimits()
    limits.privateGrace = .seconds(10)
    var sessions = DetachedSessions(limits: limits)
    _ = sessions.insert(.sample(at: now), named: "a", of: attacker, at: now)
    _ = sessions.insert(.sample(at: now), named: "b", of: attacker, at: now + .seconds(4))
    #expect(sessions.expire(at: now + .seconds(9)).next == now + .seconds(10))
    #expect(sessions.take("a", at: now + .seconds(9)) != nil)
    // Another stay of the same session.
    _ = sessions.insert(.sample(at: now), named: "a", of: attacker, at: now + .seconds(9))
    #expect(sessions.expire(at: now + .seconds(12)).next == now + .seconds(14))
    let (dropped, next) = sessions.expire(at: now + .seconds(14))
    #expect(dropped.count == 1)
    #expect(next == now + .seconds(19))
    #expect(sessions.take("b", at: now + .seconds(14)) == nil)
    #expect(sessions.take("a", at: now + .seconds(19)) == nil)
    #expect(sessions.count == 0)
  }

  @Test("many that expire together are released in parts")
  func expiryInParts() {
    var sessions = DetachedSessions(limits: ResumeLimits())
    for number in 0 ..< 150 {
      _ = sessions.insert(.sample(at: now), named: "\(number)", of: attacker, at: now)
    }
    let later = now + .seconds(3600)
    var parts: [Int] = []
    while true {
      let (dropped, next) = sessions.expire(at: later)
      parts.append(dropped.count)
      guard let next else { break }
      #expect(next <= later)
    }
    #expect(parts == [64, 64, 22])
    #expect(sessions.count == 0)
  }

  @Test("the largest share is found whatever changes")
  func largest() {
    var random = SplitMix64(seed: 7)
    var largest = LargestShare<Int>()
    var shares: [Int: Double] = [:]
    for _ in 0 ..< 5000 {
      let key = Int.random(in: 0 ..< 20, using: &random)
      let share = Double(Int.random(in: 0 ..< 10, using: &random))
      largest.set(share, of: key)
      shares[key] = share > 0 ? share : nil
      let found = largest.largest()
      #expect(found.flatMap { shares[$0] } == shares.values.max())
    }
  }
}

@Suite("The sessions of a server", .timeLimit(.minutes(1)))
struct SessionRegistryTests {
  private let time = ManualTime()

  private func registry(
    limit: Int = 10,
    unopenedLimit: Int = 10,
    _ resume: ResumeLimits = .init()
  ) -> SessionRegistry {
    SessionRegistry(
      limit: limit,
      unopenedLimit: unopenedLimit,
      resume: resume,
      clock: time.clock()
    )
  }

  @Test("no more streams than allowed")
  func streams() throws {
    let registry = registry(limit: 2)
    try registry.enter(from: "ipv4:10.0.0.1:1")
    try registry.enter(from: "ipv4:10.0.0.2:1")
    let problem = #expect(throws: LayoutProblem.self) {
      try registry.enter(from: "ipv4:10.0.0.3:1")
    }
    #expect(problem?.metadata["limit"] == "2")
    registry.leave(from: "ipv4:10.0.0.1:1", isOpen: false)
    try registry.enter(from: "ipv4:10.0.0.3:1")
    #expect(registry.streamCount == 2)
  }

  @Test("streams of one address that say nothing do not take all places")
  func silentStreams() throws {
    let registry = registry(limit: 10, unopenedLimit: 2)
    // Of one address, over any connections.
    for port in 1 ... 2 { try registry.enter(from: "ipv6:[2001:db8::\(port)]:\(port)") }
    let refusal = #expect(throws: LayoutProblem.self) {
      try registry.enter(from: "ipv6:[2001:db8::3]:3")
    }
    #expect(refusal?.reason == .quota(.sessions))
    #expect(refusal?.metadata["limit"] == "2")
    #expect(refusal?.message.contains("first request") == true)
    #expect(registry.streamCount == 2)
    try registry.enter(from: "ipv4:10.0.0.1:4000")

    // Whoever opens makes room for further ones, and leaves it free when it ends.
    registry.open(from: "ipv6:[2001:db8::1]:1")
    try registry.enter(from: "ipv6:[2001:db8::3]:3")
    registry.leave(from: "ipv6:[2001:db8::1]:1", isOpen: true)
    #expect(throws: LayoutProblem.self) { try registry.enter(from: "ipv6:[2001:db8::4]:4") }
    registry.leave(from: "ipv6:[2001:db8::2]:2", isOpen: false)
    registry.leave(from: "ipv6:[2001:db8::3]:3", isOpen: false)
    registry.open(from: "ipv4:10.0.0.1:4000")
    #expect(registry.unopenedHostCount == 0)
    #expect(registry.streamCount == 1)
  }

  @Test("a session that lost its stream is claimed once, and expires by one alarm for all")
  func claims() async throws {
    let registry = registry()
    for name in ["a", "b", "c"] {
      let live = LiveSession(name: name)
      try registry.add(live)
      registry.detach(live, .sample(at: time.now), of: "ipv4:1.2.3.4:5")
      #expect(live.isEnded)
    }
    #expect(registry.count == 0)
    #expect(registry.detachedCount == 3)
    #expect(time.alarmCount == 1)
    let next = LiveSession(name: "a")
    guard case .claimed = await registry.claim(next, within: .seconds(1)) else {
      Issue.record("not claimed")
      return
    }
    #expect(registry.session(named: "a") === next)
    guard case .unknown = await registry.claim(LiveSession(name: "x"), within: .seconds(1)) else {
      Issue.record("claimed what is not there")
      return
    }
    time.advance(by: .seconds(599))
    #expect(registry.detachedCount == 2)
    time.advance(by: .seconds(1))
    #expect(registry.detachedCount == 0)
    #expect(registry.detachedByteCount == 0)
  }

  @Test("a claim takes the session from the stream that has it, as soon as that lets go")
  func superseding() async throws {
    let (registry, time, attached) = (registry(), time, Attached())
    let old = LiveSession(
      name: "a",
      supersede: {
        guard let old = attached.session.withLock({ $0 }) else { return }
        // In its own time, as a stream does.
        Task { registry.detach(old, .sample(at: time.now), of: "ipv4:1.2.3.4:5") }
      }
    )
    attached.session.withLock { $0 = old }
    try registry.add(old)
    let next = LiveSession(name: "a")
    guard case .claimed = await registry.claim(next, within: .seconds(60)) else {
      Issue.record("not claimed")
      return
    }
    #expect(registry.session(named: "a") === next)
    #expect(old.isEnded)
    attached.session.withLock { $0 = nil }
  }

  private final class Attached: Sendable {
    let session = Mutex<LiveSession?>(nil)
  }

  @Test("an identity has as many sessions with a stream as it may")
  func owners() async throws {
    let registry = registry()
    func live(_ name: String, _ owner: String = "o") -> LiveSession {
      LiveSession(name: name, owner: owner)
    }
    let first = live("a")
    for session in [first, live("b")] { try registry.add(session, limit: 2) }
    let refusal = #expect(throws: LayoutProblem.self) { try registry.add(live("c"), limit: 2) }
    #expect(refusal?.reason == .quota(.sessions) && refusal?.metadata["scope"] == "identity")
    try registry.add(live("d", "other"), limit: 2)
    registry.detach(first, .sample(at: time.now), of: "ipv4:1.2.3.4:5")
    try registry.add(live("c"), limit: 2)
    // One that waits for its client has no place.
    guard case .tooMany = await registry.claim(live("a"), within: .zero, quota: 2) else {
      Issue.record("there is no room for it")
      return
    }
    guard case .unknown = await registry.claim(live("a", "other"), within: .zero, quota: 1) else {
      Issue.record("it is another's")
      return
    }
    #expect(registry.detachedCount == 1 && registry.ownerCount == 2)
    guard case .claimed = await registry.claim(live("a"), within: .zero, quota: 3) else {
      Issue.record("not claimed")
      return
    }
    for name in ["a", "b", "c", "d"] {
      if let session = registry.session(named: name) { registry.remove(session) }
    }
    #expect(registry.ownerCount == 0)
  }

  @Test("one that is claimed in vain is busy, not unknown")
  func busy() async throws {
    let registry = registry()
    try registry.add(LiveSession(name: "a"))
    guard case .busy = await registry.claim(LiveSession(name: "a"), within: .zero) else {
      Issue.record("claimed, or unknown")
      return
    }
  }
}

extension DetachedSessions {
  /// On a server without identities.
  fileprivate mutating func take(
    _ name: String,
    at now: ContinuousClock.Instant
  ) -> DetachedSession? {
    take(name, of: nil, at: now)
  }
}
