// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite("The state machine of a connection", .timeLimit(.minutes(1)))
struct ConnectionMachineTests {
  /// A machine that tells its steps as lines.
  private final class Machine {
    private var machine: ConnectionMachine<Int>
    private let start: ContinuousClock.Instant

    init(
      depth: Int = 64,
      hosts: Int = 1,
      start: ContinuousClock.Instant,
      isConnected: Bool = false
    ) {
      self.start = start
      machine = ConnectionMachine(depth: depth, hosts: hosts, now: start)
      if isConnected {
        _ = machine.next(now: start)
        machine.connected()
      }
    }

    var phase: ConnectionMachine<Int>.Phase { machine.phase }
    var keepsWaiting: Bool {
      get { machine.keepsWaiting }
      set { machine.keepsWaiting = newValue }
    }
    func add(_ request: Int) -> Bool { machine.add(request) }
    func connecting(_ readiness: SocketReadiness) { machine.connecting(readiness) }
    func connected() { machine.connected() }
    func flushed(_ isDone: Bool) { machine.flushed(isDone) }
    func completed() -> Int? { machine.completed() }
    func progressed(now: ContinuousClock.Instant) { machine.progressed(now: now) }
    func lost() { machine.lost() }
    func retryNow(now: ContinuousClock.Instant) { machine.retryNow(now: now) }
    func beginClosing() { machine.beginClosing() }
    func step(now: ContinuousClock.Instant) -> ConnectionMachine<Int>.Step {
      machine.next(now: now)
    }

    func next(now: ContinuousClock.Instant) -> String {
      switch machine.next(now: now) {
      case .connect: "connect"
      case .send(let request): "send \(request)"
      case .wait(let readiness, let deadline):
        "wait" + (readiness.contains(.read) ? " r" : "") + (readiness.contains(.write) ? " w" : "")
          + (deadline.map { " until \(Int(start.duration(to: $0) / .milliseconds(1)))" } ?? "")
      case .disconnect(let sent, let waiting): "disconnect \(sent) \(waiting)"
      case .end: "end"
      }
    }
  }

  private let start = ContinuousClock.now

  private func machine(depth: Int = 64) -> Machine { Machine(depth: depth, start: start) }

  private func connected(depth: Int = 64) -> Machine {
    Machine(depth: depth, start: start, isConnected: true)
  }

  @Test("connects at once, and waits for what the socket needs")
  func connecting() {
    let machine = machine()
    #expect(machine.next(now: start) == "connect")
    #expect(machine.next(now: start) == "wait w until 5000")
    machine.connecting(.read)
    #expect(machine.next(now: start) == "wait r until 5000")
    machine.connected()
    #expect(machine.phase == .idle)
    #expect(machine.next(now: start) == "wait r")
  }

  @Test("a request whose answer is arriving has time, and so have those behind it")
  func progress() {
    let machine = connected()
    for request in 1 ... 2 {
      #expect(machine.add(request))
      _ = machine.next(now: start)
      machine.flushed(true)
    }
    #expect(machine.next(now: start) == "wait r until 60000")
    machine.progressed(now: start + .seconds(59))
    #expect(machine.next(now: start + .seconds(100)) == "wait r until 119000")
    #expect(machine.completed() == 1)
    machine.progressed(now: start + .seconds(110))
    #expect(machine.next(now: start + .seconds(111)) == "wait r until 170000")
    #expect(machine.next(now: start + .seconds(170)) == "disconnect [2] []")
  }

  @Test("requests are sent up to the depth without waiting for answers, and answered in order")
  func pipelining() {
    let machine = connected(depth: 2)
    for request in 1 ... 3 { _ = machine.add(request) }
    #expect(machine.next(now: start) == "send 1")
    machine.flushed(true)
    #expect(machine.next(now: start) == "send 2")
    machine.flushed(false)
    #expect(machine.phase == .pipelining)
    #expect(machine.next(now: start) == "wait r w until 60000")
    machine.flushed(true)
    #expect(machine.phase == .inFlight)
    #expect(machine.next(now: start) == "wait r until 60000")
    #expect(machine.completed() == 1)
    #expect(machine.next(now: start) == "send 3")
    machine.flushed(true)
    #expect(machine.completed() == 2)
    #expect(machine.completed() == 3)
    #expect(machine.completed() == nil)
    #expect(machine.phase == .idle)
  }

  @Test("when a connection is lost, what was sent fails, and what was not waits for the next one")
  func loss() {
    let machine = connected(depth: 1)
    _ = machine.add(1)
    _ = machine.add(2)
    _ = machine.next(now: start)
    machine.flushed(true)
    machine.lost()
    #expect(machine.next(now: start) == "disconnect [1] []")
    #expect(machine.next(now: start) == "wait until 50")
    let later = start + .milliseconds(50)
    #expect(machine.next(now: later) == "connect")
    machine.connected()
    #expect(machine.next(now: later) == "send 2")
  }

  @Test("what belongs to a session does not move to another connection")
  func sessions() {
    let machine = connected(depth: 1)
    machine.keepsWaiting = false
    _ = machine.add(1)
    _ = machine.add(2)
    _ = machine.next(now: start)
    machine.lost()
    #expect(machine.next(now: start) == "disconnect [1] [2]")
  }

  @Test("backs off up to a second, refuses requests meanwhile, and begins anew once connected")
  func backoff() {
    let machine = machine()
    var now = start
    var delays: [Int] = []
    for attempt in 1 ... 8 {
      #expect(machine.next(now: now) == "connect")
      machine.lost()
      _ = machine.next(now: now)
      #expect(machine.add(attempt) == (attempt == 1))
      guard case .backingOff(let until) = machine.phase else { return #expect(Bool(false)) }
      delays.append(Int(now.duration(to: until) / .milliseconds(1)))
      now = until
    }
    #expect(delays == [50, 100, 200, 400, 800, 1000, 1000, 1000])
    _ = machine.next(now: now)
    machine.connected()
    #expect(machine.add(9))
    machine.lost()
    _ = machine.next(now: now)
    #expect(machine.phase == .backingOff(until: now + .milliseconds(50)))
  }

  @Test("once others have reached the database, it is tried at once, and requests wait for that")
  func retrying() {
    let machine = machine()
    var now = start
    for _ in 0 ..< 6 {
      _ = machine.next(now: now)
      machine.lost()
      _ = machine.next(now: now)
      if case .backingOff(let until) = machine.phase { now = until }
    }
    #expect(machine.add(1) == false)
    machine.lost()
    _ = machine.next(now: now)
    machine.retryNow(now: now)
    #expect(machine.add(2))
    #expect(machine.next(now: now) == "connect")
    machine.connected()
    #expect(machine.next(now: now) == "send 2")
  }

  @Test("requests wait until each of several silent hosts was the first, for two seconds each")
  func silentHosts() {
    let machine = Machine(hosts: 3, start: start, isConnected: true)
    machine.lost()
    _ = machine.next(now: start)
    var now = start
    func attempt() -> Duration {
      while machine.next(now: now) != "connect" { now += .milliseconds(50) }
      let begin = now
      while !machine.next(now: now).hasPrefix("disconnect") { now += .milliseconds(50) }
      return now - begin
    }
    for request in 1 ... 3 {
      #expect(machine.add(request))
      #expect(attempt() == .seconds(2))
    }
    #expect(!machine.add(4))
    // Nothing waits for these, so a host may be slow.
    #expect(attempt() == .seconds(5))
    #expect(ConnectionTiming().connect(of: 2) == .milliseconds(2500))
  }

  @Test("others who reach the database again and again do not make requests wait without end")
  func retryingWithoutEnd() {
    let machine = Machine(hosts: 2, start: start, isConnected: true)
    machine.lost()
    _ = machine.next(now: start)
    var now = start
    var attempts = 0
    while machine.add(0), attempts < 100 {
      attempts += 1
      machine.retryNow(now: now)
      #expect(machine.next(now: now) == "connect")
      machine.lost()
      _ = machine.next(now: now)
      now += .seconds(2)
    }
    // The loss counts as one failure, and the retries make up for it once.
    #expect(attempts == 2)
    _ = machine.next(now: now)
    machine.connected()
    machine.lost()
    _ = machine.next(now: now)
    #expect(machine.add(1))
  }

  @Test("what takes too long counts as lost")
  func deadlines() {
    var machine = machine()
    _ = machine.next(now: start)
    #expect(machine.next(now: start + .seconds(5)) == "disconnect [] []")
    machine = connected()
    _ = machine.add(1)
    _ = machine.next(now: start)
    machine.flushed(true)
    #expect(machine.next(now: start + .seconds(60)) == "disconnect [1] []")
  }

  @Test("closing waits for what is in flight, and sends nothing more")
  func closing() {
    let machine = connected(depth: 1)
    _ = machine.add(1)
    _ = machine.add(2)
    _ = machine.next(now: start)
    machine.flushed(true)
    machine.beginClosing()
    #expect(machine.add(3) == false)
    #expect(machine.next(now: start) == "wait r until 60000")
    #expect(machine.completed() == 1)
    #expect(machine.next(now: start) == "disconnect [] [2]")
    #expect(machine.next(now: start) == "end")
  }

  @Test("each request ends once, whatever happens", arguments: 0 ..< 200)
  func random(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let machine = machine(depth: 3)
    var now = start
    var (accepted, ended): (Set<Int>, [Int]) = ([], [])
    for request in 0 ..< 300 {
      if machine.add(request) { accepted.insert(request) }
      for _ in 0 ..< Int.random(in: 0 ... 3, using: &generator) {
        switch Int.random(in: 0 ..< 10, using: &generator) {
        case 0: machine.lost()
        case 1: now += .milliseconds(Int.random(in: 0 ... 2000, using: &generator))
        case 2 ... 4: if let request = machine.completed() { ended.append(request) }
        case 5: machine.keepsWaiting.toggle()
        case 6: machine.connected()
        default:
          switch machine.step(now: now) {
          case .disconnect(let sent, let waiting): ended += sent + waiting
          case .send: machine.flushed(Bool.random(using: &generator))
          case .connect, .wait, .end: break
          }
        }
      }
    }
    machine.beginClosing()
    for _ in 0 ..< 10_000 where machine.phase != .closed {
      now += .seconds(1)
      if case .disconnect(let sent, let waiting) = machine.step(now: now) {
        ended += sent + waiting
      }
      if let request = machine.completed() { ended.append(request) }
    }
    #expect(machine.phase == .closed)
    #expect(Set(ended) == accepted)
    #expect(ended.count == accepted.count)
  }
}
