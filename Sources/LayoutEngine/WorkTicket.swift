// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Work of a computation that is no longer wanted once all its waiters have left.
protocol AbandonedWork: Sendable {
  func cancel()
}

extension Task<Void, Never>: AbandonedWork {}

/// One long computation, shared by the thread that runs it and the caller that wants its result.
public final class WorkTicket: AbandonedWork {
  typealias Schedule = FairSchedule<WorkTicket>

  let id: UInt64
  let path: ArraySlice<Schedule.Asker>
  let run: @Sendable (WorkTicket) -> Void
  /// Called instead of `run` if the work is cancelled before it starts.
  let drop: @Sendable () -> Void
  /// Signalled when a paused computation has its next turn.
  let turn = DispatchSemaphore(value: 0)
  /// When the current turn started, in nanoseconds of the threads' clock. Written only by the
  /// thread that runs it.
  let turnStart = Atomic<UInt64>(0)
  private let cancelled = Atomic<Bool>(false)
  /// nil = the work runs on a caller's thread.
  private let threads: LayoutThreads?

  init(
    id: UInt64,
    path: ArraySlice<Schedule.Asker>,
    threads: LayoutThreads?,
    run: @escaping @Sendable (WorkTicket) -> Void,
    drop: @escaping @Sendable () -> Void
  ) {
    self.id = id
    self.path = path
    self.threads = threads
    self.run = run
    self.drop = drop
  }

  /// Whether the result is still wanted. The computation calls this about every millisecond. If its
  /// turn is over and others wait, the call blocks until its next turn.
  public func mayContinue() -> Bool {
    guard !isCancelled else { return false }
    threads?.pauseIfDue(self)
    return !isCancelled
  }

  /// Lends the work a thread that no other work needs.
  ///
  /// - Parameter assist: called on that thread with a closure that tells whether it may go on; it
  ///   may not once other work needs the thread, or this work is cancelled.
  /// - Returns: whether `assist` is called.
  func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool {
    guard let threads, !isCancelled else { return false }
    return threads.lend { [self] loan in
      assist { [self] in !loan.isCalledBack && !isCancelled }
    }
  }

  /// Whether the result is no longer wanted.
  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Cancels the work: it is dropped if it has not started, otherwise the next `mayContinue`
  /// returns false.
  func cancel() {
    cancelled.store(true, ordering: .relaxed)
    threads?.drop(self)
  }
}

/// Holds the ticket of work whose caller may be cancelled before the ticket exists; the ticket is
/// then cancelled when it is set.
final class TicketHandle: Sendable {
  private let state = Mutex<(ticket: WorkTicket?, isCancelled: Bool)>((nil, false))

  func set(_ ticket: WorkTicket) {
    let isCancelled = state.withLock { state in
      state.ticket = ticket
      return state.isCancelled
    }
    if isCancelled { ticket.cancel() }
  }

  func cancel() {
    let ticket = state.withLock { state in
      state.isCancelled = true
      return state.ticket
    }
    ticket?.cancel()
  }
}
