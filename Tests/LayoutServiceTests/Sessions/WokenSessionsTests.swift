// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import LayoutService

@Suite("Sessions that a commit has woken", .timeLimit(.minutes(1)))
struct WokenSessionsTests {
  @Test("all frames of a connection are made before the first of them is written")
  func oneTurn() {
    let world = World(workerLimit: 1)
    world.add(3, of: "a")
    world.runTurns()
    #expect(
      world.log == ["begin a0", "begin a1", "begin a2", "finish a0", "finish a1", "finish a2"]
    )
  }

  @Test("a session that needs more than to write goes on at once, and the next find what it makes")
  func maker() {
    let world = World(workerLimit: 1)
    world.add(1, of: "a")
    world.add(1, of: "a", from: 1, suffix: "!")
    world.add(1, of: "a", from: 2)
    world.runTurns()
    #expect(
      world.log == ["begin a0", "begin a1!", "finish a1!", "begin a2", "finish a0", "finish a2"]
    )
  }

  @Test("connections take turns, with a limited number of sessions each")
  func turns() {
    let world = World(most: 2, workerLimit: 1)
    world.add(5, of: "a")
    world.add(1, of: "b")
    world.runTurns()
    #expect(world.begun == ["a0", "a1", "b0", "a2", "a3", "a4"])
  }

  @Test(
    "a turn that lasts too long begins with no further session, and the rest comes before later ones"
  )
  func longTurn() {
    let world = World(workerLimit: 1, cost: .milliseconds(1), turn: .milliseconds(2))
    world.add(5, of: "a")
    world.add(1, of: "b")
    world.runTurn()
    #expect(world.log.suffix(2) == ["finish a0", "finish a1"])
    world.add(1, of: "a", from: 5)
    world.runTurns()
    #expect(world.begun == ["a0", "a1", "b0", "a2", "a3", "a4", "a5"])
  }

  @Test("no more connections have their turn at once than there are workers")
  func workers() {
    let world = World(workerLimit: 2)
    for connection in ["a", "b", "c", "d"] { world.add(2, of: connection) }
    #expect(world.turnCount == 2)
    world.runTurns()
    #expect(world.begun.count == 8)
    // All have ended, and whoever is woken next finds one.
    world.add(1, of: "e")
    #expect(world.turnCount == 1)
    world.runTurns()
    #expect(world.begun.last == "e0")
  }

  @Test(
    "each session has as many turns as it was woken, in the order of its connection",
    arguments: 1 ... 40 as ClosedRange<UInt64>
  )
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let world = World(
      most: random.int(1 ... 6),
      workerLimit: random.int(1 ... 4),
      cost: .microseconds(random.int(0 ... 300)),
      turn: .milliseconds(1)
    )
    var counts: [String: Int] = [:]
    for _ in 0 ..< 200 {
      if random.chance(60) {
        let connection = ["a", "b", "c", "d", "e"][random.below(5)]
        let count = random.int(1 ... 9)
        world.add(count, of: connection, from: counts[connection, default: 0])
        counts[connection, default: 0] += count
      } else {
        world.runTurn()
      }
    }
    world.runTurns()
    let begun = world.begun
    #expect(world.finished.sorted() == begun.sorted())
    for (connection, count) in counts {
      // A turn that is cut short on one thread while another one goes on with the connection cannot
      // happen here, where turns run one after the other.
      #expect(
        begun.filter { $0.hasPrefix(connection) } == (0 ..< count).map { "\(connection)\($0)" }
      )
    }
    #expect(world.turnCount == 0)
  }
}

/// Runs turns one by one, with a clock that each session moves on.
private final class World: Sendable {
  final class Session: WokenSession {
    let name: String
    let world: World

    init(_ name: String, _ world: World) {
      self.name = name
      self.world = world
    }

    func beginWoken() -> String {
      world.state.withLock {
        $0.log.append("begin \(name)")
        $0.now += world.cost
      }
      return name
    }

    static func isWrite(_ step: String) -> Bool { !step.hasSuffix("!") }

    func finishWoken(_ step: String) { world.state.withLock { $0.log.append("finish \(step)") } }
  }

  struct State {
    var log: [String] = []
    var turns: [@Sendable () -> Void] = []
    var now = ContinuousClock.now
  }

  let state = Mutex(State())
  let cost: Duration
  private let most: Int
  private let workerLimit: Int
  private let turn: Duration
  private let woken = Mutex<WokenSessions<Session>?>(nil)

  init(most: Int = 32, workerLimit: Int, cost: Duration = .zero, turn: Duration = .seconds(1)) {
    self.most = most
    self.workerLimit = workerLimit
    self.cost = cost
    self.turn = turn
    let sessions = WokenSessions<Session>(
      most: most,
      turn: turn,
      workerLimit: workerLimit,
      now: { [unowned self] in state.withLock { $0.now } },
      start: { [unowned self] turn in state.withLock { $0.turns.append(turn) } }
    )
    woken.withLock { $0 = sessions }
  }

  var log: [String] { state.withLock { $0.log } }
  var begun: [String] { names("begin ") }
  var finished: [String] { names("finish ") }
  var turnCount: Int { state.withLock { $0.turns.count } }

  private func names(_ prefix: String) -> [String] {
    log.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }

  /// - Parameter suffix: "!" = the sessions need more than to write.
  func add(_ count: Int, of connection: String, from first: Int = 0, suffix: String = "") {
    let woken = woken.withLock { $0 }
    for number in first ..< first + count {
      woken?.add(Session("\(connection)\(number)\(suffix)", self), of: connection)
    }
  }

  func runTurn() {
    let turn = state.withLock { $0.turns.isEmpty ? nil : $0.turns.removeFirst() }
    turn?()
  }

  func runTurns() { while turnCount > 0 { runTurn() } }
}
