// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The limits of one computation (a `prepare`, an `update` or a query), checked while it runs.
///
/// The owner makes a `LayoutWork` for each computation and passes it in. The computation reports
/// its progress between chunks and sections, never for a single item, and ends early once it is
/// told to stop. The first reason to stop is kept. `prepare(_:work:)` and `update(_:by:work:)` then
/// throw that reason, and the partial result is dropped.
///
/// ```swift
/// let work = LayoutWork(stepLimit: 200_000_000) { isWanted.load(ordering: .relaxed) }
/// do {
///   prepared = try layout.prepare(context, work: work)
/// } catch .cancelled { … } catch .tooManySteps(let limit) { … }
/// ```
///
/// One step is about as much work as placing one item: 1 to 200 ns.
public final class LayoutWork: Sendable {
  /// Why a computation ended before it had a result.
  public enum Stop: Error, Hashable, Sendable, CustomStringConvertible {
    /// The owner's `shouldContinue` returned false.
    case cancelled
    /// The computation took more steps than `stepLimit`.
    case tooManySteps(limit: Int)
    /// The result would keep more bytes than `byteLimit`.
    case tooManyBytes(limit: Int)

    /// The reason as a sentence, with the limit.
    public var description: String {
      switch self {
      case .cancelled: "the computation was cancelled"
      case .tooManySteps(let limit): "the computation needs more than \(limit) steps"
      case .tooManyBytes(let limit): "the result needs more than \(limit) bytes"
      }
    }
  }

  /// Work without limits that nobody cancels. It counts nothing, so any number of threads may share
  /// it.
  public static let unlimited = LayoutWork(isCounting: false)

  /// The most steps that the computation may take.
  public let stepLimit: Int
  /// The most bytes that the result may keep.
  public let byteLimit: Int
  /// The number of steps between two calls of `shouldContinue`.
  public let stepsBetweenChecks: Int

  private let isCounting: Bool
  private let shouldContinue: (@Sendable () -> Bool)?
  /// Lends a second thread; nil = the computation runs on its caller's thread alone.
  let assistance: (any LayoutAssistance)?
  private let stepCount = Atomic<Int>(0)
  private let byteCount = Atomic<Int>(0)
  /// The step count at which a limit is checked and the owner asked next; 0 once stopped.
  private let nextCheck: Atomic<Int>
  /// The reason to stop, as `end(_:)` encodes it; 0 = none.
  private let reason = Atomic<UInt8>(0)

  /// Makes limits for one computation.
  ///
  /// - Parameter stepLimit: the most steps, at least 1.
  /// - Parameter byteLimit: the most bytes that the result may keep, at least 1.
  /// - Parameter stepsBetweenChecks: the number of steps between two calls of `shouldContinue`, at
  ///   least 1. The default takes from 0.02 to 3 ms.
  /// - Parameter assistance: lends a second thread to large computations; nil = everything runs on
  ///   the calling thread.
  /// - Parameter shouldContinue: returns whether the result is still wanted; nil = it always is. It
  ///   is called on the thread that computes, and may block that thread to let other computations
  ///   go first.
  public init(
    stepLimit: Int = .max,
    byteLimit: Int = .max,
    stepsBetweenChecks: Int = 16_384,
    assistance: (any LayoutAssistance)? = nil,
    shouldContinue: (@Sendable () -> Bool)? = nil
  ) {
    self.stepLimit = max(1, stepLimit)
    self.byteLimit = max(1, byteLimit)
    self.stepsBetweenChecks = max(1, stepsBetweenChecks)
    self.shouldContinue = shouldContinue
    self.assistance = assistance
    isCounting = true
    nextCheck = Atomic(min(self.stepsBetweenChecks, self.stepLimit))
  }

  private init(isCounting: Bool) {
    stepLimit = .max
    byteLimit = .max
    stepsBetweenChecks = .max
    shouldContinue = nil
    assistance = nil
    self.isCounting = isCounting
    nextCheck = Atomic(.max)
  }

  /// The steps taken so far; 0 for unlimited work.
  public var steps: Int { stepCount.load(ordering: .relaxed) }

  /// The bytes that the result keeps so far; 0 for unlimited work.
  public var keptBytes: Int { byteCount.load(ordering: .relaxed) }

  /// Why the computation has to end; nil = it may go on.
  public var stop: Stop? {
    switch reason.load(ordering: .relaxed) {
    case 0: nil
    case 1: .cancelled
    case 2: .tooManySteps(limit: stepLimit)
    default: .tooManyBytes(limit: byteLimit)
    }
  }

  /// Whether the computation has to end.
  public var isStopped: Bool { reason.load(ordering: .relaxed) != 0 }

  /// Counts steps that were taken and returns whether to go on.
  ///
  /// Call it once for each chunk, group or section. Once it has returned false it always does; the
  /// caller then returns whatever it has, because nobody will use that.
  ///
  /// - Parameter steps: at least 0; more than 2⁴⁸ count as 2⁴⁸.
  @discardableResult
  public func proceed(_ steps: Int) -> Bool {
    guard isCounting else { return true }
    let total = Self.add(max(0, steps), to: stepCount)
    return total < nextCheck.load(ordering: .relaxed) || check(total)
  }

  /// Counts bytes that the result keeps and returns whether to go on.
  ///
  /// - Parameter bytes: at least 0; more than 2⁴⁸ count as 2⁴⁸.
  @discardableResult
  public func keep(bytes: Int) -> Bool {
    guard isCounting else { return true }
    if Self.add(max(0, bytes), to: byteCount) > byteLimit { end(.tooManyBytes(limit: byteLimit)) }
    return !isStopped
  }

  /// Counts what a part of the computation took that another thread did.
  ///
  /// It asks nobody, because `shouldContinue` may block only the computation's own thread.
  /// - Parameter part: the limits of that part; if it has reached one, so has this.
  /// - Parameter isKept: whether the outcome of the part, and so the bytes that it takes, are kept.
  func add(_ part: LayoutWork, isKept: Bool) {
    guard isCounting else { return }
    if Self.add(part.steps, to: stepCount) > stepLimit || part.hasReached(stepLimit: true) {
      end(.tooManySteps(limit: stepLimit))
    }
    let bytes = isKept ? part.keptBytes : 0
    if Self.add(bytes, to: byteCount) > byteLimit || part.hasReached(stepLimit: false) {
      end(.tooManyBytes(limit: byteLimit))
    }
  }

  /// Whether the computation has ended at its limit of steps, or else of bytes.
  private func hasReached(stepLimit: Bool) -> Bool {
    switch stop {
    case .tooManySteps: stepLimit
    case .tooManyBytes: !stepLimit
    case .cancelled, nil: false
    }
  }

  /// Throws if the computation has to end.
  ///
  /// - Throws: the reason to stop.
  public func throwIfStopped() throws(Stop) {
    if let stop { throw stop }
  }

  /// Checks a result whose computation reported nothing while it ran: whether it is too large, and
  /// whether the owner still wants it, who may let other computations go first.
  ///
  /// - Throws: the reason to stop.
  func accept(_ prepared: any PreparedLayout) throws(Stop) {
    guard isCounting else { return }
    if prepared.byteCount > byteLimit { end(.tooManyBytes(limit: byteLimit)) }
    _ = check(steps)
    try throwIfStopped()
  }

  /// Adds to a counter and returns the sum.
  ///
  /// It cannot overflow: one report adds at most 2⁴⁸, so that it would take 2¹⁵ reports of more
  /// steps, or bytes, than any collection has.
  private static func add(_ count: Int, to counter: borrowing Atomic<Int>) -> Int {
    let (_, sum) = counter.add(min(count, 1 << 48), ordering: .relaxed)
    return sum
  }

  private func check(_ total: Int) -> Bool {
    guard !isStopped else { return false }
    if total > stepLimit {
      end(.tooManySteps(limit: stepLimit))
    } else if let shouldContinue, !shouldContinue() {
      end(.cancelled)
    } else {
      let (next, overflows) = total.addingReportingOverflow(stepsBetweenChecks)
      nextCheck.store(
        overflows ? stepLimit : min(next, stepLimit),
        ordering: .sequentiallyConsistent
      )
      // Another thread may have ended the work just before that (`add`).
      if reason.load(ordering: .sequentiallyConsistent) != 0 {
        nextCheck.store(0, ordering: .relaxed)
      }
    }
    return !isStopped
  }

  /// Keeps the reason to stop, unless there is one already.
  private func end(_ stop: Stop) {
    let code: UInt8 =
      switch stop {
      case .cancelled: 1
      case .tooManySteps: 2
      case .tooManyBytes: 3
      }
    _ = reason.compareExchange(expected: 0, desired: code, ordering: .sequentiallyConsistent)
    nextCheck.store(0, ordering: .sequentiallyConsistent)
  }
}

/// Reports steps to some work by the thousand.
struct StepBatch {
  private let work: LayoutWork
  private var count = 0

  init(_ work: LayoutWork) { self.work = work }

  /// Counts a step and returns whether to go on.
  @inline(__always)
  mutating func proceed() -> Bool {
    count += 1
    if count < 1024 { return true }
    count = 0
    if work.proceed(1024) { return true }
    // The next call has the same answer.
    count = 1023
    return false
  }
}
