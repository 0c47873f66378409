// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CollectionStore

@Suite("GateQueue", .timeLimit(.minutes(1)))
struct GateQueueTests {
  /// What a task may do next.
  private enum Phase: Hashable {
    case outside
    case announced(UInt64)
    case waiting(UInt64)
    case inside, done
  }

  private struct Run {
    var gate = GateQueue<Int>()
    var phases: [Phase]
    var isCancelled: [Bool]
    /// Tasks in the order in which they began to wait.
    var line: [Int] = []

    init(tasks: Int) {
      phases = Array(repeating: .outside, count: tasks)
      isCancelled = Array(repeating: false, count: tasks)
    }

    /// What the future depends on.
    struct Key: Hashable {
      var phases: [Phase]
      var isCancelled: [Bool]
      var line: [Int]
    }

    var key: Key { Key(phases: phases, isCancelled: isCancelled, line: line) }

    var insideCount: Int { phases.count { $0 == .inside } }

    /// What could happen now: each task's next step, and the cancellation of each.
    func next() -> [Run] {
      phases.indices.flatMap { task in
        var runs: [Run] = []
        var run = self
        if run.step(task) { runs.append(run) }
        run = self
        if run.cancel(task) { runs.append(run) }
        return runs
      }
    }

    private mutating func step(_ task: Int) -> Bool {
      switch phases[task] {
      case .outside:
        phases[task] = gate.enterOrAnnounce().map { .announced($0) } ?? .inside
      case .announced(let ticket):
        switch gate.enter(ticket, task) {
        case .enters: phases[task] = .inside
        case .waits:
          phases[task] = .waiting(ticket)
          line.append(task)
        case .isCancelled:
          #expect(isCancelled[task])
          phases[task] = .done
        }
      case .inside:
        phases[task] = .done
        let next = gate.leave()
        #expect(next == line.first, "the one who waited longest is next")
        if let next {
          line.removeFirst()
          phases[next] = .inside
        }
      case .waiting, .done: return false
      }
      return true
    }

    private mutating func cancel(_ task: Int) -> Bool {
      guard !isCancelled[task] else { return false }
      switch phases[task] {
      case .outside, .done: return false
      case .announced(let ticket):
        #expect(gate.cancel(ticket) == nil)
      case .waiting(let ticket):
        #expect(gate.cancel(ticket) == task)
        phases[task] = .done
        line.removeAll { $0 == task }
      case .inside:
        // Whoever has entered is not concerned.
        break
      }
      isCancelled[task] = true
      return true
    }
  }

  @Test("in all interleavings of four tasks one is inside, in order, and nobody is forgotten")
  func interleavings() {
    var runs = [Run(tasks: 4)]
    var seen: Set<Run.Key> = []
    var ends = 0
    while let run = runs.popLast() {
      guard seen.insert(run.key).inserted else { continue }
      #expect(run.insideCount <= 1)
      #expect(run.gate.isTaken == (run.insideCount == 1))
      #expect(run.gate.waitingCount == run.line.count)
      let next = run.next()
      if next.isEmpty {
        ends += 1
        #expect(run.phases.allSatisfy { $0 == .done })
        #expect(!run.gate.isTaken && run.gate.waitingCount == 0)
      }
      runs += next
    }
    #expect(seen.count > 1000 && ends > 1)
  }

  @Test("places that were given up are not kept")
  func manyCancellations() {
    var gate = GateQueue<Int>()
    #expect(gate.enterOrAnnounce() == nil)
    for task in 0 ..< 10_000 {
      let ticket = gate.enterOrAnnounce() ?? 0
      #expect(gate.enter(ticket, task) == .waits)
      #expect(gate.cancel(ticket) == task)
    }
    let last = gate.enterOrAnnounce() ?? 0
    #expect(gate.enter(last, -1) == .waits)
    #expect(gate.leave() == -1)
    #expect(gate.leave() == nil)
    #expect(!gate.isTaken)
  }
}

@Suite("SerialGate", .timeLimit(.minutes(1)))
struct SerialGateTests {
  private struct Cancelled: Error {}

  /// Counts without a lock of its own: the gate is what keeps tasks apart.
  private final class Counter: @unchecked Sendable {
    var value = 0
  }

  @Test("of many tasks one is inside at a time, and all get their turn")
  func exclusion() async throws {
    let gate = SerialGate()
    let counter = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0 ..< 1000 {
        group.addTask {
          try await gate.run(cancelled: Cancelled()) { () throws(Cancelled) in
            let before = counter.value
            // Others run here; none of them is inside.
            _ = await Task { before }.value
            counter.value = before + 1
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(counter.value == 1000)
    #expect(gate.waitingCount == 0)
  }

  @Test(
    "of tasks that are cancelled at any time each runs or throws, and the gate is free afterwards"
  )
  func cancellation() async throws {
    let gate = SerialGate()
    let counter = Counter()
    var tasks: [Task<Bool, Never>] = []
    for index in 0 ..< 1000 {
      let task = Task {
        do {
          try await gate.run(cancelled: Cancelled()) { () throws(Cancelled) in
            counter.value += 1
            _ = await Task {}.value
          }
          return true
        } catch { return false }
      }
      tasks.append(task)
      if index % 3 == 0 { task.cancel() }
      if index % 7 == 0 { tasks[index / 2].cancel() }
    }
    var runCount = 0
    for task in tasks where await task.value { runCount += 1 }
    let count = try await gate.run(cancelled: Cancelled()) { () throws(Cancelled) in
      counter.value
    }
    #expect(count == runCount)
    #expect(runCount >= 300)
  }

  @Test("a task that is cancelled before it comes does not run")
  func cancelledBefore() async {
    let gate = SerialGate()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await gate.run(cancelled: Cancelled()) { () throws(Cancelled) in
        _ = Issue.record("it ran")
      }
    }
    await #expect(throws: Cancelled.self) { try await task.value }
  }
}
