// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Who holds a gate and who waits for it, in order: the rules of `SerialGate` without its tasks.
///
/// A task announces itself, then enters. Its cancellation may come before, between and after the
/// two. Every waiter that is handed in is handed out exactly once: by `leave` when its turn comes, or
/// by `cancel`.
///
/// All methods are O(1), amortised.
struct GateQueue<Waiter> {
  enum Entry: Hashable {
    /// The gate is the caller's, who calls `leave` later.
    case enters
    /// The waiter is kept.
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
  /// Tickets of those who wait, and of some who have given up.
  private var order: Deque<UInt64> = []
  private var lastTicket: UInt64 = 0

  /// Enters where the gate is free.
  ///
  /// - Returns: nil = entered; else a ticket for `enter`.
  mutating func enterOrAnnounce() -> UInt64? {
    guard isTaken else {
      isTaken = true
      return nil
    }
    lastTicket &+= 1
    places[lastTicket] = .announced
    return lastTicket
  }

  /// - Parameter ticket: announced and not entered before.
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

  /// Gives up a place. Does nothing for one who has entered.
  ///
  /// - Returns: the waiter, if it waits.
  mutating func cancel(_ ticket: UInt64) -> Waiter? {
    switch places[ticket] {
    case .announced:
      places[ticket] = .cancelled
      return nil
    case .waiting(let waiter):
      places[ticket] = nil
      waitingCount -= 1
      // Its ticket is passed over by `leave`; many of them are removed here.
      if order.count > 2 * waitingCount + 16 { order.removeAll { places[$0] == nil } }
      return waiter
    case .cancelled, nil:
      return nil
    }
  }

  /// - Returns: who holds the gate from now on; nil = it is free.
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
