// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import Synchronization

/// A free thread, lent to a computation until other work needs it.
final class ThreadLoan: Sendable {
  private let calledBack = Atomic(false)

  /// Whether the borrower has to stop.
  var isCalledBack: Bool { calledBack.load(ordering: .relaxed) }

  /// Tells the borrower to stop.
  func callBack() { calledBack.store(true, ordering: .relaxed) }
}

/// Lends a layout's computation the threads available to its ticket.
struct TicketAssistance: LayoutAssistance {
  let ticket: WorkTicket

  func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool { ticket.lend(assist) }
}
