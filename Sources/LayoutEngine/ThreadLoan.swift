// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import Synchronization

/// A free thread that is lent to a computation until somebody else needs it.
final class ThreadLoan: Sendable {
  private let calledBack = Atomic(false)

  /// Whether the thread has to end what it does.
  var isCalledBack: Bool { calledBack.load(ordering: .relaxed) }

  /// Makes the thread end what it does.
  func callBack() { calledBack.store(true, ordering: .relaxed) }
}

/// Lends a layout's computation the threads that its ticket may have.
struct TicketAssistance: LayoutAssistance {
  let ticket: WorkTicket

  func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool { ticket.lend(assist) }
}
