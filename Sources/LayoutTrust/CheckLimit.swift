// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// Limits how many signatures are verified for each address that tokens come from.
///
/// A few are verified at a time for one address while others wait for their turn, and each wrong
/// one is counted before the next begins. So few wrong ones are verified, however many arrive at
/// once, and valid ones are not refused in that case: they only wait.
final class CheckLimit: Sendable {
  /// How many signatures are verified at a time for one address.
  static let atOnce = 4
  /// An empty budget is full again after this time.
  static let period: TimeInterval = 10

  fileprivate struct Address {
    var budget: FailureBudget
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []

    func isIdle(at now: Date) -> Bool {
      var budget = budget
      return running == 0 && waiting.isEmpty && budget.isFull(at: now)
    }
  }

  fileprivate struct State {
    var addresses: [String: Address] = [:]
    /// The number of addresses at which idle ones are removed.
    var sweepCount = 64
  }

  /// Wrong tokens of one address in a second, in the long run.
  private let perSecond: Int
  private let state = Mutex(State())

  /// - Parameter perSecond: wrong tokens of one address that are verified; at least 1.
  init(perSecond: Int) { self.perSecond = max(1, perSecond) }

  /// Addresses that are remembered.
  var addressCount: Int { state.withLock { $0.addresses.count } }

  /// Waits for a turn of the address. To be paired with `leave`, unless it throws.
  ///
  /// - Throws: `.tooManyFailures`
  func enter(_ address: String, at now: Date) async throws(AuthenticationFailure) {
    try refuse(address, at: now)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isFree = state.withLock { state in
        state.sweep(at: now)
        var entry =
          state.addresses[address] ?? Address(budget: FailureBudget(perSecond, at: now))
        defer { state.addresses[address] = entry }
        guard entry.running < Self.atOnce else {
          entry.waiting.append(continuation)
          return false
        }
        entry.running += 1
        return true
      }
      if isFree { continuation.resume() }
    }
    do throws(AuthenticationFailure) { try refuse(address, at: now) } catch {
      // Wrong tokens have used up the budget since then.
      leave(address, hasFailed: false, at: now)
      throw error
    }
  }

  private func refuse(_ address: String, at now: Date) throws(AuthenticationFailure) {
    let wait = state.withLock { $0.addresses[address]?.budget.wait(at: now) }
    guard let wait else { return }
    throw .tooManyFailures(limit: perSecond, retryAfter: wait)
  }

  /// Passes the turn on to the next one.
  ///
  /// - Parameter hasFailed: whether a signature was verified and was wrong.
  func leave(_ address: String, hasFailed: Bool, at now: Date) {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard var entry = state.addresses[address] else { return nil }
      defer { state.addresses[address] = entry }
      if hasFailed { entry.budget.charge(at: now) }
      guard !entry.waiting.isEmpty else {
        entry.running -= 1
        return nil
      }
      return entry.waiting.removeFirst()
    }
    next?.resume()
  }
}

extension CheckLimit.State {
  /// Forgets addresses that are indistinguishable from new ones. Amortised O(1) for a check.
  fileprivate mutating func sweep(at now: Date) {
    guard addresses.count >= sweepCount else { return }
    addresses = addresses.filter { !$0.value.isIdle(at: now) }
    sweepCount = max(64, 2 * addresses.count)
  }
}

/// The failures that one address may still make: they refill at a steady rate, up to those of a
/// period.
private struct FailureBudget: Sendable {
  private let perSecond: Double
  private let most: Double
  private var rest: Double
  private var lastFill: Date

  init(_ perSecond: Int, at now: Date) {
    self.perSecond = Double(perSecond)
    most = self.perSecond * CheckLimit.period
    rest = most
    lastFill = now
  }

  /// How long until another failure is allowed; nil = one is.
  mutating func wait(at now: Date) -> Duration? {
    fill(now)
    return rest >= 1 ? nil : .seconds((1 - rest) / perSecond)
  }

  mutating func charge(at now: Date) {
    fill(now)
    rest -= 1
  }

  mutating func isFull(at now: Date) -> Bool {
    fill(now)
    return rest >= most
  }

  private mutating func fill(_ now: Date) {
    // A caller that had to wait comes with the time of its arrival, which is a little older. A
    // clock that is set back by more counts from there on.
    let isStale = now < lastFill && lastFill.timeIntervalSince(now) < CheckLimit.period
    defer { if !isStale { lastFill = now } }
    rest = min(most, rest + max(0, now.timeIntervalSince(lastFill)) * perSecond)
  }
}
