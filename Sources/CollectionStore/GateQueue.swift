// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The state machine behind `SerialGate`, free of tasks: who holds the gate, and who waits for it
/// in which order.
///
/// A task that finds the gate taken first announces itself and gets a ticket, then enters with a
/// waiter. Cancellation may arrive before, between or after these two steps. Each waiter passed to
/// `enter` and kept is returned exactly once: by `leave` when its turn comes, or by `cancel`.
///
/// - Complexity: O(1) amortised for every method.
struct GateQueue<Waiter> {
  enum Entry: Hashable {
    /// The caller now holds the gate, and calls `leave` when it is done.
    case enters
    /// The gate is taken; the queue keeps the waiter.
    case waits
    /// The task was cancelled after it announced itself.
    case isCancelled
  }

  private enum Place {
    case announced
    case waiting(Waiter)
    case cancelled
  }

  private(set) var isTaken = false
  private(set) var waitingCount = 0
  private var places: [UInt64: Place] = [:]
  /// Tickets in the order in which they entered. Those without a place were cancelled and are
  /// skipped.
  private var order: Deque<UInt64> = []
  private var lastTicket: UInt64 = 0

  /// Enters if the gate is free, otherwise announces the caller.
  ///
  /// - Returns: nil = the caller now holds the gate; otherwise a ticket to pass to `enter`.
  mutating func enterOrAnnounce() -> UInt64? {
    guard isTaken else {
      isTaken = true
      return nil
    }
    lastTicket &+= 1
    places[lastTicket] = .announced
    return lastTicket
  }

  /// Enters, or begins to wait.
  ///
  /// - Parameter ticket: from `enterOrAnnounce`; each is used once.
  mutating func enter(_ ticket: UInt64, _ waiter: Waiter) -> Entry {
    if case .cancelled = places[ticket] {
      places[ticket] = nil
      return .isCancelled
    }
    guard isTaken else {
      isTaken = true
      places[ticket] = nil
      return .enters
    }
    places[ticket] = .waiting(waiter)
    order.append(ticket)
    waitingCount += 1
    return .waits
  }

  /// Gives up a place. Does nothing if the ticket's owner already holds the gate or has left.
  ///
  /// - Returns: the waiter; nil = none was kept for this ticket.
  mutating func cancel(_ ticket: UInt64) -> Waiter? {
    switch places[ticket] {
    case .announced:
      places[ticket] = .cancelled
      return nil
    case .waiting(let waiter):
      places[ticket] = nil
      waitingCount -= 1
      // `leave` skips the ticket. Many such tickets are removed at once, which keeps this amortised
      // O(1).
      if order.count > 2 * waitingCount + 16 { order.removeAll { places[$0] == nil } }
      return waiter
    case .cancelled, nil:
      return nil
    }
  }

  /// Passes the gate on to the first waiter.
  ///
  /// - Returns: the waiter that holds the gate from now on; nil = the gate is free.
  mutating func leave() -> Waiter? {
    while let ticket = order.popFirst() {
      guard case .waiting(let waiter) = places.removeValue(forKey: ticket) else { continue }
      waitingCount -= 1
      return waiter
    }
    isTaken = false
    return nil
  }
}
