// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
public import ResourceAccounting

/// Hierarchical round-robin scheduling of long computations.
///
/// Askers form a tree: peers, their connections, and the sessions and calls of those. At each
/// level, askers with jobs take turns, so that a new peer waits for at most one turn of each other
/// peer, however many jobs these have queued. Jobs of one asker run in order of arrival.
///
/// A started job may be paused; it then waits for its next turn. The number of started and
/// unfinished jobs is limited at each level, because each occupies a thread and an unfinished
/// result. Beyond that limit some places are reserved for askers without started jobs: whatever
/// others have started, a newcomer's first job starts. The number of waiting jobs is limited too.
///
/// A value without clock, threads or locks.
struct FairSchedule<Job> {
  /// One level of the path from the server to the account that asks.
  struct Asker: Hashable, Sendable {
    /// The number of its account.
    var id: UInt64
    /// The scope of its account, for errors.
    var scope: AccountScope
    /// The most jobs of this asker and those below it that may wait to start.
    var waitingLimit: Int
    /// The most jobs of this asker and those below it that may be started and not finished.
    var startedLimit: Int
    /// How many more may be started, each of them the only one of an asker directly below this one.
    var reservedStarts = 0
  }

  /// A job whose turn it is.
  enum Turn {
    /// The job has not run yet.
    case start(Job)
    /// The job was paused.
    case resume(Job)
  }

  private var root: Node

  /// An empty schedule.
  ///
  /// - Parameters:
  ///   - waitingLimit: the most jobs that may wait to start, of all askers together.
  ///   - startedLimit: the most jobs that may be started and not finished, of all askers together.
  ///   - reservedStarts: how many more may be started, each of them its peer's only one.
  init(waitingLimit: Int, startedLimit: Int, reservedStarts: Int = 0) {
    root = Node(
      Asker(
        id: 0,
        scope: .server,
        waitingLimit: waitingLimit,
        startedLimit: startedLimit,
        reservedStarts: reservedStarts
      )
    )
  }

  /// Jobs that wait to start.
  var waitingCount: Int { root.waitingCount }
  /// Jobs that are started and not finished, including the paused ones.
  var startedCount: Int { root.startedCount }

  /// Adds a job to those that wait to start.
  ///
  /// - Parameters:
  ///   - id: identifies the job in `remove`; unique.
  ///   - path: the asker, from its peer down; empty = the server itself.
  ///   - isLimited: false = the job may wait however many do.
  /// - Throws: `WaitingLimitReached` if a level has as many waiting jobs as it may; the job is not
  ///   added then.
  /// - Complexity: O(levels)
  mutating func add(
    _ job: Job,
    id: UInt64,
    for path: ArraySlice<Asker>,
    isLimited: Bool = true
  ) throws(WaitingLimitReached) {
    if isLimited, let full = root.fullAsker(on: path) {
      throw WaitingLimitReached(scope: full.scope, limit: full.waitingLimit)
    }
    root.add(job, id: id, path)
  }

  /// Removes a job that waits to start; nil = it has been started or removed before.
  ///
  /// - Complexity: O(jobs that wait for the same asker)
  mutating func remove(id: UInt64, for path: ArraySlice<Asker>) -> Job? {
    root.remove(id: id, path)
  }

  /// Takes the next job that may run; it counts as started from now on. nil = none may run.
  ///
  /// - Complexity: O(levels), plus O(askers) at each level where askers have reached
  ///   `startedLimit`.
  mutating func next() -> Turn? { root.next(mayStart: true) }

  /// Puts a job that is running back to wait for its next turn.
  mutating func pause(_ job: Job, for path: ArraySlice<Asker>) { root.pause(job, path) }

  /// Notes that a running job has finished.
  mutating func finish(for path: ArraySlice<Asker>) { root.finish(path) }
}

/// A computation was refused because too many of the same session, connection, peer or server wait
/// to start. Retrying later may succeed.
public struct WaitingLimitReached: Error, Hashable, Sendable, CustomStringConvertible {
  /// The scope of the account that has reached its limit.
  public var scope: AccountScope
  /// How many computations of that account may wait.
  public var limit: Int

  /// The account of this scope has `limit` waiting computations.
  public init(scope: AccountScope, limit: Int) {
    self.scope = scope
    self.limit = limit
  }

  /// The limit and whose it is, for clients.
  public var description: String {
    "\(limit) computations of the \(scope.rawValue) wait to start, which is the limit; retry once some of "
      + "them have finished"
  }
}

extension FairSchedule {
  /// An asker with its own jobs and those of the askers below it.
  private struct Node {
    let asker: Asker
    private var waiting: Deque<(id: UInt64, job: Job)> = []
    private var paused: Deque<Job> = []
    private var children: [UInt64: Node] = [:]
    /// The children with waiting or paused jobs, in the order of their turns. `own` stands for the
    /// asker's own jobs.
    private var turns: Deque<UInt64> = []
    /// Waiting jobs of this node and all below it.
    private(set) var waitingCount = 0
    /// Started and unfinished jobs of this node and all below it, including the paused ones.
    private(set) var startedCount = 0
    /// Paused jobs of this node and all below it.
    private var pausedCount = 0
    /// Started and unfinished jobs of the asker itself.
    private var ownStartedCount = 0

    /// Stands for the asker itself among its children. Account numbers start at 1.
    private static var own: UInt64 { 0 }

    init(_ asker: Asker) { self.asker = asker }

    var isIdle: Bool { waitingCount == 0 && startedCount == 0 }
    private var hasTurn: Bool { waitingCount > 0 || pausedCount > 0 }

    /// The first asker on the path, from this node down, that may have no further job waiting; nil
    /// = all may.
    func fullAsker(on path: ArraySlice<Asker>) -> Asker? {
      if waitingCount >= asker.waitingLimit { return asker }
      guard let next = path.first else { return nil }
      // An asker without a node has no jobs, which is too many if its limit is 0.
      guard let child = children[next.id] else { return path.first { $0.waitingLimit <= 0 } }
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
      guard let next = path.first else {
        ownStartedCount -= 1
        return
      }
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
      let more = mayStart && startedCount < asker.startedLimit
      let first =
        mayStart && startedCount - max(0, asker.startedLimit) < max(0, asker.reservedStarts)
      guard pausedCount > 0 || (waitingCount > 0 && (more || first)) else { return nil }
      // Askers that have reached their limit are skipped and keep their place.
      for index in turns.indices {
        let id = turns[index]
        guard let turn = turn(of: id, more || (first && startedCount(of: id) == 0)) else {
          continue
        }
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

    /// Takes a job of a child, or of the asker itself; nil = none of its jobs may run.
    private mutating func turn(of id: UInt64, _ mayStart: Bool) -> Turn? {
      guard id == Self.own else { return children[id]?.next(mayStart: mayStart) }
      if let job = paused.popFirst() { return .resume(job) }
      guard mayStart, let job = waiting.popFirst()?.job else { return nil }
      ownStartedCount += 1
      return .start(job)
    }

    private func startedCount(of id: UInt64) -> Int {
      id == Self.own ? ownStartedCount : children[id]?.startedCount ?? 0
    }

    private func stillHasTurn(_ id: UInt64) -> Bool {
      id == Self.own ? !waiting.isEmpty || !paused.isEmpty : children[id]?.hasTurn ?? false
    }

    /// Adds a child at the end of the order, unless it has a place there.
    private mutating func takeTurn(_ id: UInt64, unless hasTurn: Bool) {
      if !hasTurn { turns.append(id) }
    }
  }
}
