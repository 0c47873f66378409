// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The limits of one computation, checked while it runs: one `prepare`, `update` or query.
///
/// The owner makes one for each computation and passes it in. The computation reports its progress
/// between chunks and sections, never for a single item, and ends early once the answer is to stop.
/// The first reason to stop is kept; whatever was computed by then is thrown away, because
/// `prepare(_:work:)` and `update(_:by:work:)` throw that reason.
///
/// ```swift
/// let work = LayoutWork(stepLimit: 200_000_000) { isWanted.load(ordering: .relaxed) }
/// do {
///   prepared = try layout.prepare(context, work: work)
/// } catch .cancelled { … } catch .tooManySteps(let limit) { … }
/// ```
///
/// A step is about the work of placing one item: 1 to 200 ns.
public final class LayoutWork: Sendable {
  /// Why a computation ended before it had a result.
  public enum Stop: Error, Hashable, Sendable, CustomStringConvertible {
    /// The owner's check said so.
    case cancelled
    case tooManySteps(limit: Int)
    case tooManyBytes(limit: Int)

    public var description: String {
      switch self {
      case .cancelled: "the computation was cancelled"
      case .tooManySteps(let limit): "the computation needs more than \(limit) steps"
      case .tooManyBytes(let limit): "the result needs more than \(limit) bytes"
      }
    }
  }

  /// Work without limits that nobody cancels. It counts nothing, so that threads may share it.
  public static let unlimited = LayoutWork(isCounting: false)

  /// The most steps that it may take.
  public let stepLimit: Int
  /// The most bytes that its result may keep.
  public let byteLimit: Int
  /// The owner is asked again after so many steps.
  public let stepsBetweenChecks: Int

  private let isCounting: Bool
  private let shouldContinue: (@Sendable () -> Bool)?
  private let stepCount = Atomic<Int>(0)
  private let byteCount = Atomic<Int>(0)
  /// The step count at which the owner is asked next, or a limit is reached; 0 once stopped.
  private let nextCheck: Atomic<Int>
  private let reason = Atomic<UInt8>(0)

  /// - Parameter stepLimit: the most steps, at least 1.
  /// - Parameter byteLimit: the most bytes that the result may keep, at least 1.
  /// - Parameter stepsBetweenChecks: how many steps lie between two calls of `shouldContinue`, at
  ///   least 1. The default takes from 0.02 to 3 ms.
  /// - Parameter shouldContinue: asked on the thread that computes whether the result is still
  ///   wanted. It may block that thread to let other computations go first.
  public init(
    stepLimit: Int = .max,
    byteLimit: Int = .max,
    stepsBetweenChecks: Int = 16_384,
    shouldContinue: (@Sendable () -> Bool)? = nil
  ) {
    self.stepLimit = max(1, stepLimit)
    self.byteLimit = max(1, byteLimit)
    self.stepsBetweenChecks = max(1, stepsBetweenChecks)
    self.shouldContinue = shouldContinue
    isCounting = true
    nextCheck = Atomic(min(self.stepsBetweenChecks, self.stepLimit))
  }

  private init(isCounting: Bool) {
    stepLimit = .max
    byteLimit = .max
    stepsBetweenChecks = .max
    shouldContinue = nil
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

  public var isStopped: Bool { reason.load(ordering: .relaxed) != 0 }

  /// Counts steps that were taken and says whether to go on.
  ///
  /// Call it once for each chunk, group or section. After it has returned false it always does, and
  /// the caller returns whatever it has, which nobody will use.
  @discardableResult
  public func proceed(_ steps: Int) -> Bool {
    guard isCounting else { return true }
    let total = Self.add(max(0, steps), to: stepCount)
    return total < nextCheck.load(ordering: .relaxed) || check(total)
  }

  /// Counts bytes that the result keeps and says whether to go on.
  @discardableResult
  public func keep(bytes: Int) -> Bool {
    guard isCounting else { return true }
    if Self.add(max(0, bytes), to: byteCount) > byteLimit { end(.tooManyBytes(limit: byteLimit)) }
    return !isStopped
  }

  /// - Throws: the reason to stop, if there was one.
  public func throwIfStopped() throws(Stop) {
    if let stop { throw stop }
  }

  /// Adds to a counter without overflow and returns the sum.
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
      nextCheck.store(overflows ? stepLimit : min(next, stepLimit), ordering: .relaxed)
    }
    return !isStopped
  }

  /// Only the first reason counts.
  private func end(_ stop: Stop) {
    let code: UInt8 =
      switch stop {
      case .cancelled: 1
      case .tooManySteps: 2
      case .tooManyBytes: 3
      }
    _ = reason.compareExchange(expected: 0, desired: code, ordering: .relaxed)
    nextCheck.store(0, ordering: .relaxed)
  }
}
