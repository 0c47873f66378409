// SPDX-License-Identifier: Apache-2.0

/// Lends a computation a second thread while nobody else has work for that thread.
///
/// A large computation asks for the thread between its parts, whenever it has none. It never waits
/// for the second thread: what that thread has not finished, the computation does itself. So the
/// thread may be taken back at any time, and results do not depend on it.
public protocol LayoutAssistance: Sendable {
  /// Runs `assist` on another thread, now or somewhat later, if one is free.
  ///
  /// - Parameter assist: called at most once. It returns soon after the closure that it is given
  ///   has returned false. It asks that closure about every 10 µs.
  /// - Returns: whether `assist` is called.
  func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool
}

extension LayoutWork {
  /// Whether a second thread may take part in the computation at times.
  var mayBeAssisted: Bool { assistance != nil }

  /// How many steps an assisting thread takes before it asks whether it may go on: few, because
  /// somebody else may be waiting for its processor.
  private static let stepsOfAssistant = 2048

  /// Runs `assist` on a second thread, if one is free.
  ///
  /// - Parameter assist: see `LayoutAssistance`.
  /// - Returns: whether `assist` is called.
  func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool {
    guard let assistance, !isStopped else { return false }
    return assistance.lend(assist)
  }

  /// The limits for a part of this computation on a second thread. The steps and bytes of that part
  /// have to be added with `add(_:isKept:)`.
  ///
  /// - Parameter mayContinue: whether the thread may go on; called on that thread.
  func part(mayContinue: @escaping @Sendable () -> Bool) -> LayoutWork {
    LayoutWork(
      stepLimit: stepLimit,
      byteLimit: byteLimit,
      stepsBetweenChecks: Self.stepsOfAssistant
    ) { [self] in
      !isStopped && mayContinue()
    }
  }

  /// The limits of a part that the computation's own thread does, though a second one does it too.
  ///
  /// - Parameter isDone: whether the other thread has finished.
  func race(until isDone: @escaping @Sendable () -> Bool) -> LayoutWork {
    let steps = Self.stepsOfAssistant
    return LayoutWork(stepLimit: stepLimit, byteLimit: byteLimit, stepsBetweenChecks: steps) {
      [self] in
      proceed(steps) && !isDone()
    }
  }
}
