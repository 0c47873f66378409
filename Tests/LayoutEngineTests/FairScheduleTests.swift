// SPDX-License-Identifier: Apache-2.0

import ResourceAccounting
import TestSupport
import Testing

@testable import LayoutEngine

@Suite("FairSchedule", .timeLimit(.minutes(1)))
struct FairScheduleTests {
  private typealias Schedule = FairSchedule<String>

  /// "a/b/c": peer, connection, session.
  private func path(
    _ text: String,
    waiting: Int = 1000,
    started: Int = 1000,
    reserved: Int = 0
  ) -> ArraySlice<Schedule.Asker> {
    let scopes: [AccountScope] = [.peer, .connection, .session]
    let parts = text.split(separator: "/").map(String.init)
    return parts.indices.map { index in
      let name = parts[...index].joined(separator: "/")
      return Schedule.Asker(
        id: name.utf8.reduce(7) { $0 &* 131 &+ UInt64($1) },
        scope: scopes[index],
        waitingLimit: waiting,
        startedLimit: started,
        reservedStarts: reserved
      )
    }[...]
  }

  private func schedule(
    waiting: Int = 1000,
    started: Int = 1000,
    _ jobs: [(path: String, names: [String])]
  ) throws -> Schedule {
    var schedule = Schedule(waitingLimit: waiting, startedLimit: started)
    var id: UInt64 = 0
    for (path, names) in jobs {
      for name in names {
        id += 1
        try schedule.add(name, id: id, for: self.path(path))
      }
    }
    return schedule
  }

  private func order(_ schedule: inout Schedule, count: Int = .max) -> [String] {
    var names: [String] = []
    while names.count < count, let turn = schedule.next() {
      switch turn {
      case .start(let name), .resume(let name): names.append(name)
      }
    }
    return names
  }

  private func remove(_ schedule: inout Schedule, id: UInt64, _ path: String) -> String? {
    schedule.remove(id: id, for: self.path(path))
  }

  @Test("jobs of one asker run in the order in which they came")
  func oneAsker() throws {
    var schedule = try schedule([("p/c/s", ["1", "2", "3"])])
    #expect(order(&schedule) == ["1", "2", "3"])
    #expect(schedule.startedCount == 3)
    #expect(schedule.waitingCount == 0)
  }

  @Test("a newcomer waits for one turn of each other, not for all that one has asked for")
  func newcomer() throws {
    var schedule = try schedule([
      ("p/greedy/s", (1 ... 120).map { "g\($0)" }), ("p/new/s", ["n1", "n2"]),
    ])
    #expect(order(&schedule, count: 5) == ["g1", "n1", "g2", "n2", "g3"])
  }

  @Test("peers take turns before their connections do, and these before their sessions")
  func levels() throws {
    var schedule = try schedule([
      ("p/a/1", ["pa1", "pa1'"]), ("p/a/2", ["pa2"]), ("p/b/1", ["pb1"]), ("p/c/1", ["pc1"]),
      ("q/a/1", ["qa1", "qa1'", "qa1''"]),
    ])
    #expect(
      order(&schedule) == ["pa1", "qa1", "pb1", "qa1'", "pc1", "qa1''", "pa2", "pa1'"]
    )
  }

  @Test("a paused job waits for its next turn behind the others")
  func pausing() throws {
    var schedule = try schedule([("p/a/s", ["a"]), ("p/b/s", ["b"])])
    #expect(order(&schedule, count: 1) == ["a"])
    schedule.pause("a", for: path("p/a/s"))
    #expect(order(&schedule, count: 1) == ["b"])
    schedule.pause("b", for: path("p/b/s"))
    #expect(order(&schedule, count: 1) == ["a"])
    schedule.finish(for: path("p/a/s"))
    #expect(order(&schedule) == ["b"])
    schedule.finish(for: path("p/b/s"))
    #expect(schedule.startedCount == 0)
  }

  @Test("whoever has begun as much as it may waits, and keeps nobody else from beginning")
  func startedLimits() throws {
    var schedule = Schedule(waitingLimit: 100, startedLimit: 3)
    for id in 1 ... 4 {
      try schedule.add("g\(id)", id: UInt64(id), for: path("p/greedy/s", started: 2))
    }
    for id in 5 ... 7 {
      try schedule.add("n\(id)", id: UInt64(id), for: path("p/other/s", started: 2))
    }
    // The peer may have two, whichever of its connections begins them.
    #expect(order(&schedule) == ["g1", "n5"])
    try schedule.add("q", id: 8, for: path("q/c/s", started: 2))
    #expect(order(&schedule) == ["q"])
    try schedule.add("r", id: 9, for: path("r/c/s", started: 2))
    #expect(order(&schedule) == [])
    schedule.finish(for: path("p/greedy/s", started: 2))
    #expect(order(&schedule) == ["g2"])
    schedule.finish(for: path("q/c/s", started: 2))
    #expect(order(&schedule) == ["r"])
  }

  @Test("whatever others have begun, the first job of a newcomer begins, and its others wait")
  func reservedStarts() throws {
    func path(_ text: String) -> ArraySlice<Schedule.Asker> {
      self.path(text, started: 2, reserved: 1)
    }
    var schedule = Schedule(waitingLimit: 100, startedLimit: 2, reservedStarts: 2)
    for id in 1 ... 4 { try schedule.add("g\(id)", id: UInt64(id), for: path("greedy/a/s")) }
    #expect(order(&schedule) == ["g1", "g2"])
    for id in 5 ... 6 { try schedule.add("n\(id)", id: UInt64(id), for: path("new/a/s")) }
    #expect(order(&schedule) == ["n5"])
    try schedule.add("o", id: 7, for: path("other/a/s"))
    #expect(order(&schedule) == ["o"])
    // Reserved places are limited too.
    try schedule.add("l", id: 8, for: path("late/a/s"))
    #expect(order(&schedule) == [])
    schedule.finish(for: path("new/a/s"))
    #expect(order(&schedule) == ["n6"])
    schedule.finish(for: path("other/a/s"))
    #expect(order(&schedule) == ["l"])
    for started in ["new/a/s", "late/a/s", "greedy/a/s", "greedy/a/s"] {
      schedule.finish(for: path(started))
    }
    #expect(order(&schedule) == ["g3", "g4"])
  }

  @Test("the same holds among the connections of one peer")
  func reservedStartsOfConnections() throws {
    var schedule = Schedule(waitingLimit: 100, startedLimit: 100)
    let greedy = path("p/greedy/s", started: 2, reserved: 1)
    let new = path("p/new/s", started: 2, reserved: 1)
    for id in 1 ... 3 { try schedule.add("g\(id)", id: UInt64(id), for: greedy) }
    #expect(order(&schedule) == ["g1", "g2"])
    for id in 4 ... 5 { try schedule.add("n\(id)", id: UInt64(id), for: new) }
    #expect(order(&schedule) == ["n4"])
  }

  @Test("a paused job runs on although its asker may begin nothing more")
  func resumingAtTheLimit() throws {
    var schedule = Schedule(waitingLimit: 100, startedLimit: 1)
    try schedule.add("a", id: 1, for: path("p/a/s"))
    try schedule.add("b", id: 2, for: path("p/b/s"))
    #expect(order(&schedule) == ["a"])
    schedule.pause("a", for: path("p/a/s"))
    #expect(order(&schedule) == ["a"])
    schedule.finish(for: path("p/a/s"))
    #expect(order(&schedule) == ["b"])
  }

  @Test("too many waiting jobs are refused at the level that is full, and leave no trace")
  func waitingLimits() throws {
    var schedule = Schedule(waitingLimit: 5, startedLimit: 10)
    for id in 1 ... 3 {
      try schedule.add("a\(id)", id: UInt64(id), for: path("p/a/s", waiting: 3))
    }
    #expect(throws: WaitingLimitReached(scope: .peer, limit: 3)) {
      try schedule.add("a4", id: 4, for: path("p/b/s", waiting: 3))
    }
    try schedule.add("q", id: 5, for: path("q/a/s", waiting: 3))
    try schedule.add("r", id: 6, for: path("r/a/s", waiting: 3))
    #expect(throws: WaitingLimitReached(scope: .server, limit: 5)) {
      try schedule.add("t", id: 7, for: path("t/a/s", waiting: 3))
    }
    #expect(order(&schedule) == ["a1", "q", "r", "a2", "a3"])
    try schedule.add("t", id: 7, for: path("t/a/s", waiting: 3))
    #expect(throws: WaitingLimitReached(scope: .peer, limit: 0)) {
      try schedule.add("u", id: 8, for: path("u/a/s", waiting: 0))
    }
  }

  @Test("what is taken back never runs, what runs is not taken back")
  func removal() throws {
    var schedule = try schedule([("p/a/s", ["a1", "a2", "a3"]), ("p/b/s", ["b"])])
    #expect(order(&schedule, count: 1) == ["a1"])
    #expect(remove(&schedule, id: 1, "p/a/s") == nil)
    #expect(remove(&schedule, id: 2, "p/a/s") == "a2")
    #expect(remove(&schedule, id: 2, "p/a/s") == nil)
    #expect(remove(&schedule, id: 4, "p/b/s") == "b")
    #expect(order(&schedule) == ["a3"])
    #expect(schedule.waitingCount == 0)
  }

  @Test("nothing is lost, and no limit broken", arguments: 1 ... 40)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let names = (0 ..< 8).map { "\($0 % 3)/\($0 % 5)/\($0)" }
    func path(_ name: String) -> ArraySlice<Schedule.Asker> {
      self.path(name, waiting: 12, started: 3, reserved: reserved)
    }
    let reserved = number(3)
    var schedule = Schedule(waitingLimit: 60, startedLimit: 6, reservedStarts: reserved)
    var waiting: [String: [(id: UInt64, job: String)]] = [:]
    var running: [(asker: String, job: String)] = []
    var paused: [(asker: String, job: String)] = []
    for id in 1 ... UInt64(400) {
      let asker = names[number(names.count)]
      switch number(5) {
      case 0, 1:
        let job = "\(asker)#\(id)"
        if (try? schedule.add(job, id: id, for: path(asker))) != nil {
          waiting[asker, default: []].append((id, job))
        }
      case 2:
        switch schedule.next() {
        case .start(let job):
          let asker = String(job.prefix { $0 != "#" })
          #expect(waiting[asker]?.first?.job == job)
          waiting[asker]?.removeFirst()
          running.append((asker, job))
        case .resume(let job):
          let index = try #require(paused.firstIndex { $0.job == job })
          running.append(paused.remove(at: index))
        case nil: break
        }
      case 3:
        guard !running.isEmpty else { continue }
        let (asker, job) = running.remove(at: number(running.count))
        if number(2) == 0 {
          schedule.pause(job, for: path(asker))
          paused.append((asker, job))
        } else {
          schedule.finish(for: path(asker))
        }
      default:
        guard let victim = waiting[asker]?.randomElement(using: &random) else { continue }
        let removed = schedule.remove(id: victim.id, for: path(asker))
        #expect(removed == victim.job)
        waiting[asker]?.removeAll { $0.id == victim.id }
      }
      #expect(schedule.waitingCount == waiting.values.reduce(0) { $0 + $1.count })
      #expect(schedule.startedCount == running.count + paused.count)
      #expect(schedule.startedCount <= 6 + reserved)
      for asker in names {
        #expect(running.count { $0.asker == asker } + paused.count { $0.asker == asker } <= 3)
      }
    }
    // All that is left comes to its turn.
    while true {
      for (asker, _) in running { schedule.finish(for: path(asker)) }
      running = []
      guard let turn = schedule.next() else { break }
      switch turn {
      case .start(let job), .resume(let job):
        let asker = String(job.prefix { $0 != "#" })
        if case .start = turn {
          waiting[asker]?.removeAll { $0.job == job }
        } else {
          paused.removeAll { $0.job == job }
        }
        running.append((asker, job))
      }
    }
    #expect(waiting.values.allSatisfy(\.isEmpty) && paused.isEmpty)
    #expect(schedule.startedCount == 0)
  }

  @Test("a job that is not limited waits however many do, and takes its turn like others")
  func notLimited() throws {
    var schedule = Schedule(waitingLimit: 2, startedLimit: 10)
    let path = path("a/b/c", waiting: 1)
    try schedule.add("first", id: 1, for: path)
    #expect(throws: WaitingLimitReached.self) { try schedule.add("second", id: 2, for: path) }
    for id in UInt64(3) ... 5 { try schedule.add("turn \(id)", id: id, for: path, isLimited: false) }
    #expect(schedule.waitingCount == 4)
    #expect(order(&schedule) == ["first", "turn 3", "turn 4", "turn 5"])
  }
}
