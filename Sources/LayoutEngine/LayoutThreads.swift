// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ResourceAccounting
internal import Synchronization

/// A few threads for long computations, which never run on those that all tasks share.
///
/// Who is next is decided by a `FairSchedule`. As many computations run at once as there are
/// threads. One that asks `WorkTicket.mayContinue` after its turn is over lets others go first; it
/// then waits on a thread of its own, so that some more threads exist than run.
final class LayoutThreads: Sendable {
  struct Limits: Sendable {
    /// Computations that run at once.
    var threadCount: Int
    /// How long a computation may run while others wait.
    var turn: Duration
    /// Computations that are begun and not finished.
    var startedCount = 32
    var startedPerPeer = 16
    var startedPerConnection = 4
    var startedPerAsker = 2
    var waitingCount = 8192
    var waitingPerPeer = 2048
    var waitingPerConnection: Int
    var waitingPerAsker = 32
  }

  fileprivate typealias Schedule = WorkTicket.Schedule

  fileprivate struct State {
    var schedule: Schedule
    /// Computations that run, the paused ones not counted.
    var running = 0
    /// Serial queues of one thread each, none of which is the cooperative pool's. Those that are not
    /// here have a computation each.
    var idleLanes: [DispatchQueue] = []
    var nextID: UInt64 = 0
  }

  fileprivate enum Action {
    case start(WorkTicket, on: DispatchQueue)
    case resume(WorkTicket)
  }

  private let limits: Limits
  private let turnNanoseconds: UInt64
  private let now: @Sendable () -> UInt64
  private let state: Mutex<State>

  /// - Parameter now: nanoseconds since any moment.
  init(limits: Limits, now: @escaping @Sendable () -> UInt64 = LayoutThreads.uptime) {
    self.limits = limits
    self.now = now
    turnNanoseconds = UInt64(max(0, limits.turn / .nanoseconds(1)))
    state = Mutex(
      State(
        schedule: Schedule(
          waitingLimit: limits.waitingCount,
          startedLimit: max(limits.startedCount, limits.threadCount, 1)
        )
      )
    )
  }

  static let uptime: @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }

  /// Computations that wait to begin.
  var waitingCount: Int { state.withLock { $0.schedule.waitingCount } }

  /// Runs `run` on one of the threads when it is its turn, or `drop` where it is cancelled before.
  ///
  /// - Parameter account: whoever asks; nil = the server itself.
  /// - Throws: where too many computations of the same asker wait.
  @discardableResult
  func submit(
    for account: Account?,
    run: @escaping @Sendable (WorkTicket) -> Void,
    drop: @escaping @Sendable () -> Void
  ) throws(WaitingLimitReached) -> WorkTicket {
    let path = path(of: account)
    let result: Result<(WorkTicket, Action?), WaitingLimitReached> = state.withLock { state in
      state.nextID += 1
      let ticket = WorkTicket(id: state.nextID, path: path, threads: self, run: run, drop: drop)
      do throws(WaitingLimitReached) {
        try state.schedule.add(ticket, id: ticket.id, for: path)
      } catch { return .failure(error) }
      guard state.running < max(1, limits.threadCount) else { return .success((ticket, nil)) }
      let action = state.nextAction()
      if action != nil { state.running += 1 }
      return .success((ticket, action))
    }
    let (ticket, action) = try result.get()
    perform(action)
    return ticket
  }

  /// Takes back what has not begun.
  func drop(_ ticket: WorkTicket) {
    let dropped = state.withLock { $0.schedule.remove(id: ticket.id, for: ticket.path) }
    dropped?.drop()
  }

  /// Lets others go first where the turn of a computation is over and others wait.
  ///
  /// To be called on the thread that runs it.
  func pauseIfDue(_ ticket: WorkTicket) {
    let instant = now()
    let start = ticket.turnStart.load(ordering: .relaxed)
    guard instant >= start, instant - start >= turnNanoseconds else { return }
    let action = state.withLock { state in
      state.schedule.pause(ticket, for: ticket.path)
      return state.nextAction()
    }
    // Nobody else waits: it has the next turn itself.
    if case .resume(let next) = action, next === ticket {
    } else {
      perform(action)
      ticket.turn.wait()
    }
    ticket.turnStart.store(now(), ordering: .relaxed)
  }

  private func perform(_ action: Action?) {
    switch action {
    case .start(let ticket, let lane): lane.async { self.work(on: ticket, lane) }
    case .resume(let ticket): ticket.turn.signal()
    case nil: break
    }
  }

  /// Runs a computation, and then others for as long as it is their turn to begin.
  private func work(on first: WorkTicket, _ lane: DispatchQueue) {
    var current: WorkTicket? = first
    while let ticket = current {
      ticket.turnStart.store(now(), ordering: .relaxed)
      ticket.run(ticket)
      let action = state.withLock { state in
        state.schedule.finish(for: ticket.path)
        state.idleLanes.append(lane)
        let action = state.nextAction()
        if action == nil { state.running -= 1 }
        return action
      }
      // The lane that became idle last is this one.
      if case .start(let next, _) = action {
        current = next
      } else {
        perform(action)
        current = nil
      }
    }
  }

  /// From the peer on.
  private func path(of account: Account?) -> ArraySlice<Schedule.Asker> {
    guard let account else { return [] }
    var path: [Schedule.Asker] = []
    for account in account.lineage where account.parent != nil {
      let (waiting, started) =
        switch account.scope {
        case .peer: (limits.waitingPerPeer, limits.startedPerPeer)
        case .connection: (limits.waitingPerConnection, limits.startedPerConnection)
        default: (limits.waitingPerAsker, limits.startedPerAsker)
        }
      path.append(
        Schedule.Asker(
          id: account.id,
          scope: account.scope,
          waitingLimit: waiting,
          startedLimit: started
        )
      )
    }
    return path.reversed()[...]
  }
}

extension LayoutThreads.State {
  /// What is to run next, with a lane where it has none.
  fileprivate mutating func nextAction() -> LayoutThreads.Action? {
    switch schedule.next() {
    case .resume(let ticket): .resume(ticket)
    case .start(let ticket):
      .start(ticket, on: idleLanes.popLast() ?? DispatchQueue(label: "layout"))
    case nil: nil
    }
  }
}
