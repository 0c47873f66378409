// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol

/// When a provider is asked again after a fault: if it is away, the delay applies to all subjects;
/// if it fails, only to the subject, so that one that makes it fail delays no other.
struct ProviderFaults: Sendable {
  private struct Record {
    var problem: LayoutProblem
    var until: ContinuousClock.Instant
    var attempts: Int
  }

  private static let countLimit = 256

  private let first: Duration
  private let longest: Duration
  private var away: Record?
  private var failed: [ProviderSubject: Record] = [:]

  init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// Why a call is refused now; nil = it may be tried.
  func problem(of subject: ProviderSubject, at now: ContinuousClock.Instant) -> LayoutProblem? {
    for record in [away, failed[subject]] {
      guard let record, record.until > now else { continue }
      var problem = record.problem
      problem.retryDelay = max(.milliseconds(10), record.until - now)
      return problem
    }
    return nil
  }

  /// Notes a fault.
  ///
  /// - Returns: the problem, with the delay until the next attempt.
  mutating func note(
    _ problem: LayoutProblem,
    of subject: ProviderSubject,
    at now: ContinuousClock.Instant
  ) -> LayoutProblem {
    let isAway = problem.reason == .layoutProviderUnavailable
    let attempts = (isAway ? away : failed[subject])?.attempts ?? 0
    let delay = min(first * (1 << min(attempts, 16)), longest)
    var problem = problem
    problem.retryDelay = delay
    let record = Record(problem: problem, until: now + delay, attempts: attempts + 1)
    if isAway {
      away = record
    } else {
      forget(at: now)
      failed[subject] = record
    }
    return problem
  }

  /// Forgets subjects that nobody has retried for long, and if there are too many, the one that may
  /// be retried first.
  private mutating func forget(at now: ContinuousClock.Instant) {
    failed = failed.filter { $0.value.until + longest > now }
    guard failed.count >= Self.countLimit,
      let next = failed.min(by: { $0.value.until < $1.value.until })?.key
    else { return }
    failed[next] = nil
  }

  /// The number of subjects that failed.
  var count: Int { failed.count }

  /// Whether the last attempt for the subject failed.
  func hasFailed(_ subject: ProviderSubject) -> Bool { failed[subject] != nil }

  /// Notes that the provider is there.
  mutating func answered() { away = nil }

  /// Notes that a call succeeded.
  mutating func succeeded(_ subject: ProviderSubject) {
    away = nil
    failed[subject] = nil
  }
}
