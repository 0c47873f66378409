// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ResourceAccounting
internal import Synchronization

/// A few threads for long computations, which never run on the cooperative pool.
///
/// A `FairSchedule` decides which computation runs next. At most `threadCount` run at once. A
/// computation that calls `WorkTicket.mayContinue` after its turn is over is paused if others wait.
/// A paused computation blocks its thread, so there are more threads than running computations.
///
/// While fewer computations run than may, free threads are lent to those that run (`lend`). A loan
/// delays nobody: it does not count as a computation, so whatever is submitted starts as if there
/// were no loans, and its start calls one back. A lent thread has a lower priority, until it
/// notices that it was called back.
final class LayoutThreads: Sendable {
  struct Limits: Sendable {
    /// Computations that may run at once.
    var threadCount: Int
    /// How long a computation runs before it lets others go first.
    var turn: Duration
    /// The most computations that may be started and not finished, of all clients together. The
    /// next properties limit those of one client, and those that wait to start.
    var startedCount = 32
    var startedPerPeer = 16
    var startedPerConnection = 4
    var startedPerAsker = 2
    /// How many more may be started for peers that have none, for connections of a peer that have
    /// none, and for askers of a connection that have none.
    var reservedForPeers = 224
    var reservedForConnections = 16
    var reservedForAskers = 12
    var waitingCount = 8192
    var waitingPerPeer = 2048
    var waitingPerConnection: Int
    var waitingPerAsker = 32
  }

  fileprivate typealias Schedule = WorkTicket.Schedule

  fileprivate struct State {
    var schedule: Schedule
    /// Computations that are running, not counting the paused ones.
    var running = 0
    /// Threads without a computation.
    var idleThreads: [ComputingThread] = []
    /// Loans that have not ended, in order, including those called back.
    var loans: [ThreadLoan] = []
    /// Lent threads without a loan.
    var idleLenders: [ComputingThread] = []
    var nextID: UInt64 = 0
  }

  fileprivate enum Action {
    case start(WorkTicket, on: ComputingThread)
    case resume(WorkTicket)
  }

  private let limits: Limits
  private let turnNanoseconds: UInt64
  private let now: @Sendable () -> UInt64
  private let state: Mutex<State>

  /// - Parameter now: a monotonic clock in nanoseconds, with any origin.
  init(limits: Limits, now: @escaping @Sendable () -> UInt64 = LayoutThreads.uptime) {
    self.limits = limits
    self.now = now
    turnNanoseconds = UInt64(max(0, limits.turn / .nanoseconds(1)))
    state = Mutex(
      State(
        schedule: Schedule(
          waitingLimit: limits.waitingCount,
          startedLimit: max(limits.startedCount, limits.threadCount, 1),
          reservedStarts: limits.reservedForPeers
        )
      )
    )
  }

  static let uptime: @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }

  /// Computations that wait to start.
  var waitingCount: Int { state.withLock { $0.schedule.waitingCount } }

  /// Schedules a computation.
  ///
  /// - Parameters:
  ///   - account: the account whose turn it takes; nil = the server's.
  ///   - isLimited: false = it may wait however many do.
  ///   - run: called on one of the threads when it is the computation's turn.
  ///   - drop: called instead of `run` if the computation is cancelled before it starts.
  /// - Throws: `WaitingLimitReached`; neither closure is called then.
  @discardableResult
  func submit(
    for account: Account?,
    isLimited: Bool = true,
    run: @escaping @Sendable (WorkTicket) -> Void,
    drop: @escaping @Sendable () -> Void
  ) throws(WaitingLimitReached) -> WorkTicket {
    let path = path(of: account)
    let result: Result<(WorkTicket, Action?), WaitingLimitReached> = state.withLock { state in
      state.nextID += 1
      let ticket = WorkTicket(id: state.nextID, path: path, threads: self, run: run, drop: drop)
      do throws(WaitingLimitReached) {
        try state.schedule.add(ticket, id: ticket.id, for: path, isLimited: isLimited)
      } catch { return .failure(error) }
      guard state.running < max(1, limits.threadCount) else { return .success((ticket, nil)) }
      let action = state.nextAction()
      if action != nil {
        state.running += 1
        state.callBack(threadCount: limits.threadCount)
      }
      return .success((ticket, action))
    }
    let (ticket, action) = try result.get()
    perform(action)
    return ticket
  }

  /// Removes a computation that has not started.
  func drop(_ ticket: WorkTicket) {
    let dropped = state.withLock { $0.schedule.remove(id: ticket.id, for: ticket.path) }
    dropped?.drop()
  }

  /// Blocks the calling thread until the computation's next turn, if its turn is over and others
  /// wait.
  ///
  /// Called on the thread that runs the computation.
  func pauseIfDue(_ ticket: WorkTicket) {
    let instant = now()
    let start = ticket.turnStart.load(ordering: .relaxed)
    guard instant >= start, instant - start >= turnNanoseconds else { return }
    let action = state.withLock { state in
      state.schedule.pause(ticket, for: ticket.path)
      return state.nextAction()
    }
    // If nobody else waits, the next turn is this computation's own.
    if case .resume(let next) = action, next === ticket {
    } else {
      perform(action)
      ticket.turn.wait()
    }
    ticket.turnStart.store(now(), ordering: .relaxed)
  }

  /// Lends a free thread, if there is one, to a running computation.
  ///
  /// - Parameter assist: called on that thread, even if the loan was called back meanwhile. It has
  ///   to return soon after the loan is called back.
  /// - Returns: whether `assist` is called.
  func lend(_ assist: @escaping @Sendable (ThreadLoan) -> Void) -> Bool {
    let loan = ThreadLoan()
    let lent: ComputingThread? = state.withLock { state in
      guard state.running + state.loans.count < limits.threadCount else { return nil }
      state.loans.append(loan)
      return state.idleLenders.popLast() ?? ComputingThread(.assistance)
    }
    guard let thread = lent else { return false }
    thread.run { [self] in
      assist(loan)
      state.withLock { state in
        state.loans.removeAll { $0 === loan }
        state.idleLenders.append(thread)
      }
    }
    return true
  }

  private func perform(_ action: Action?) {
    switch action {
    case .start(let ticket, let thread): thread.run { self.work(on: ticket, thread) }
    case .resume(let ticket): ticket.turn.signal()
    case nil: break
    }
  }

  /// Runs a computation, then others while the next turn starts one instead of resuming one.
  private func work(on first: WorkTicket, _ thread: ComputingThread) {
    var current: WorkTicket? = first
    while let ticket = current {
      ticket.turnStart.store(now(), ordering: .relaxed)
      ticket.run(ticket)
      let action = state.withLock { state in
        state.schedule.finish(for: ticket.path)
        state.idleThreads.append(thread)
        let action = state.nextAction()
        if action == nil { state.running -= 1 }
        return action
      }
      // The thread that became idle last is this one.
      if case .start(let next, _) = action {
        current = next
      } else {
        perform(action)
        current = nil
      }
    }
  }

  /// The path of an account in the schedule, from its peer down; empty = the server.
  private func path(of account: Account?) -> ArraySlice<Schedule.Asker> {
    guard let account else { return [] }
    var path: [Schedule.Asker] = []
    for account in account.lineage where account.parent != nil {
      let (waiting, started, reserved) =
        switch account.scope {
        case .peer:
          (limits.waitingPerPeer, limits.startedPerPeer, limits.reservedForConnections)
        case .connection:
          (limits.waitingPerConnection, limits.startedPerConnection, limits.reservedForAskers)
        default: (limits.waitingPerAsker, limits.startedPerAsker, 0)
        }
      path.append(
        Schedule.Asker(
          id: account.id,
          scope: account.scope,
          waitingLimit: waiting,
          startedLimit: started,
          reservedStarts: reserved
        )
      )
    }
    return path.reversed()[...]
  }
}

extension LayoutThreads.State {
  /// What to do for the next turn: start a computation on an idle or new thread, or resume one on
  /// its own.
  fileprivate mutating func nextAction() -> LayoutThreads.Action? {
    switch schedule.next() {
    case .resume(let ticket): .resume(ticket)
    case .start(let ticket):
      .start(ticket, on: idleThreads.popLast() ?? ComputingThread())
    case nil: nil
    }
  }

  /// Calls a loan back if there are more loans than free threads.
  fileprivate func callBack(threadCount: Int) {
    let kept = loans.filter { !$0.isCalledBack }
    if running + kept.count > threadCount { kept.last?.callBack() }
  }
}
