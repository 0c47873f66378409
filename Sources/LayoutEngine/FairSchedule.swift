// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
public import ResourceAccounting

/// Long computations of many clients in the order in which they run: by turns.
///
/// Whoever asks stands in a tree: peers, below them their connections, below those their sessions
/// and calls. At each level those that have something to do take turns, so that a newcomer waits
/// for one turn of each other peer, whatever one of them has asked for. Jobs of one and the same
/// asker run in the order in which they came.
///
/// A job that was begun may be paused, and then waits for its next turn. How many jobs may be begun
/// and not finished is limited at each level, since each keeps a thread and half of a result; so is
/// how many may wait.
///
/// A value without clock, thread or lock.
struct FairSchedule<Job> {
  /// One step of the way from the top to whoever asks.
  struct Asker: Hashable, Sendable {
    var id: UInt64
    var scope: AccountScope
    /// Jobs that may wait to begin.
    var waitingLimit: Int
    /// Jobs that may be begun and not finished.
    var startedLimit: Int
  }

  /// A job whose turn it is.
  enum Turn {
    case start(Job)
    case resume(Job)
  }

  private var root: Node

  /// - Parameter startedLimit: of all jobs together.
  init(waitingLimit: Int, startedLimit: Int) {
    root = Node(
      Asker(id: 0, scope: .server, waitingLimit: waitingLimit, startedLimit: startedLimit)
    )
  }

  /// Jobs that wait to begin.
  var waitingCount: Int { root.waitingCount }
  /// Jobs that are begun and not finished, the paused ones included.
  var startedCount: Int { root.startedCount }

  /// Adds a job to those that wait to begin.
  ///
  /// - Parameters:
  ///   - id: by which it is removed; each of its own.
  ///   - path: whoever asks, from the peer on; empty = the server itself.
  /// - Throws: where too many wait already; the job is not added then.
  /// - Complexity: O(levels)
  mutating func add(
    _ job: Job,
    id: UInt64,
    for path: ArraySlice<Asker>
  ) throws(WaitingLimitReached) {
    if let full = root.fullAsker(on: path) {
      throw WaitingLimitReached(scope: full.scope, limit: full.waitingLimit)
    }
    root.add(job, id: id, path)
  }

  /// Takes back a job that has not begun; nil where it has.
  ///
  /// - Complexity: O(jobs that wait for the same asker)
  mutating func remove(id: UInt64, for path: ArraySlice<Asker>) -> Job? {
    root.remove(id: id, path)
  }

  /// The next job that may run, which from now on counts as begun; nil = there is none.
  ///
  /// - Complexity: O(levels), and O(askers) at a level where many may begin nothing more.
  mutating func next() -> Turn? { root.next(mayStart: true) }

  /// Gives up the turn of a job that is not finished.
  mutating func pause(_ job: Job, for path: ArraySlice<Asker>) { root.pause(job, path) }

  /// Notes that a job is finished, which `next` gave and which is not paused.
  mutating func finish(for path: ArraySlice<Asker>) { root.finish(path) }
}

/// Too many computations of one asker wait already.
public struct WaitingLimitReached: Error, Hashable, Sendable, CustomStringConvertible {
  /// Of the account that asked for too much.
  public var scope: AccountScope
  public var limit: Int

  public init(scope: AccountScope, limit: Int) {
    self.scope = scope
    self.limit = limit
  }

  public var description: String {
    "\(limit) computations wait already, as many as are allowed for one \(scope.rawValue)"
  }
}

extension FairSchedule {
  /// An asker with its own jobs and those of the askers below it.
  private struct Node {
    let asker: Asker
    private var waiting: Deque<(id: UInt64, job: Job)> = []
    private var paused: Deque<Job> = []
    private var children: [UInt64: Node] = [:]
    /// The children that have jobs waiting or paused, in the order of their turns, and `own` for
    /// those of the asker itself.
    private var turns: Deque<UInt64> = []
    // Of this node and all below it.
    private(set) var waitingCount = 0
    private(set) var startedCount = 0
    private var pausedCount = 0

    /// Stands for the asker itself among its children. No account has this number.
    private static var own: UInt64 { 0 }

    init(_ asker: Asker) { self.asker = asker }

    var isIdle: Bool { waitingCount == 0 && startedCount == 0 }
    private var hasTurn: Bool { waitingCount > 0 || pausedCount > 0 }

    func fullAsker(on path: ArraySlice<Asker>) -> Asker? {
      if waitingCount >= asker.waitingLimit { return asker }
      guard let next = path.first else { return nil }
      guard let child = children[next.id] else { return next.waitingLimit > 0 ? nil : next }
      return child.fullAsker(on: path.dropFirst())
    }

    mutating func add(_ job: Job, id: UInt64, _ path: ArraySlice<Asker>) {
      waitingCount += 1
      guard let next = path.first else {
        takeTurn(Self.own, unless: !waiting.isEmpty || !paused.isEmpty)
        waiting.append((id, job))
        return
      }
      takeTurn(next.id, unless: children[next.id]?.hasTurn ?? false)
      children[next.id, default: Node(next)].add(job, id: id, path.dropFirst())
    }

    mutating func pause(_ job: Job, _ path: ArraySlice<Asker>) {
      pausedCount += 1
      guard let next = path.first else {
        takeTurn(Self.own, unless: !waiting.isEmpty || !paused.isEmpty)
        paused.append(job)
        return
      }
      takeTurn(next.id, unless: children[next.id]?.hasTurn ?? false)
      children[next.id]?.pause(job, path.dropFirst())
    }

    mutating func finish(_ path: ArraySlice<Asker>) {
      startedCount -= 1
      guard let next = path.first else { return }
      children[next.id]?.finish(path.dropFirst())
      if children[next.id]?.isIdle == true { children[next.id] = nil }
    }

    mutating func remove(id: UInt64, _ path: ArraySlice<Asker>) -> Job? {
      guard let next = path.first else {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        waitingCount -= 1
        let job = waiting.remove(at: index).job
        if waiting.isEmpty && paused.isEmpty { turns.removeAll { $0 == Self.own } }
        return job
      }
      guard let job = children[next.id]?.remove(id: id, path.dropFirst()) else { return nil }
      waitingCount -= 1
      if children[next.id]?.hasTurn != true { turns.removeAll { $0 == next.id } }
      if children[next.id]?.isIdle == true { children[next.id] = nil }
      return job
    }

    mutating func next(mayStart: Bool) -> Turn? {
      let mayStart = mayStart && startedCount < asker.startedLimit
      guard pausedCount > 0 || (waitingCount > 0 && mayStart) else { return nil }
      // Those that may not begin anything keep their place.
      for index in turns.indices {
        let id = turns[index]
        guard let turn = turn(of: id, mayStart) else { continue }
        turns.remove(at: index)
        if stillHasTurn(id) { turns.append(id) }
        switch turn {
        case .start:
          waitingCount -= 1
          startedCount += 1
        case .resume: pausedCount -= 1
        }
        return turn
      }
      return nil
    }

    private mutating func turn(of id: UInt64, _ mayStart: Bool) -> Turn? {
      guard id == Self.own else { return children[id]?.next(mayStart: mayStart) }
      if let job = paused.popFirst() { return .resume(job) }
      guard mayStart else { return nil }
      return waiting.popFirst().map { .start($0.job) }
    }

    private func stillHasTurn(_ id: UInt64) -> Bool {
      id == Self.own ? !waiting.isEmpty || !paused.isEmpty : children[id]?.hasTurn ?? false
    }

    private mutating func takeTurn(_ id: UInt64, unless hasTurn: Bool) {
      if !hasTurn { turns.append(id) }
    }
  }
}
