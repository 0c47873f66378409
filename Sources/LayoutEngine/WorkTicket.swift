// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// One long computation, as the threads that run it and the one who wants it share it.
public final class WorkTicket: Sendable {
  typealias Schedule = FairSchedule<WorkTicket>

  let id: UInt64
  let path: ArraySlice<Schedule.Asker>
  let run: @Sendable (WorkTicket) -> Void
  /// Called in place of `run` where the work is cancelled before it began.
  let drop: @Sendable () -> Void
  /// Signalled when a paused computation has its next turn.
  let turn = DispatchSemaphore(value: 0)
  /// When its turn began. Written by the thread that runs it.
  let turnStart = Atomic<UInt64>(0)
  private let cancelled = Atomic<Bool>(false)
  /// nil for work that runs where it was asked for.
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

  /// Whether the result is still wanted. To be asked by the computation about every millisecond;
  /// where others wait and its turn is over, this returns only when it has its next one.
  public func mayContinue() -> Bool {
    guard !isCancelled else { return false }
    threads?.pauseIfDue(self)
    return !isCancelled
  }

  public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Nobody wants the result any more. Work that has not begun is dropped, other work learns it
  /// from `mayContinue`.
  func cancel() {
    cancelled.store(true, ordering: .relaxed)
    threads?.drop(self)
  }
}

/// The ticket of work whose caller may be cancelled before it has one.
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
