// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A second thread for tests. Its form is that of `LayoutAssistance.lend`.
public final class LentThread: Sendable {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "lent thread")
  private let loanCount = Atomic(0)
  private let questionCount = Atomic(0)
  private let answers: @Sendable (Int) -> Bool

  /// - Parameter answers: whether the thread may go on, by how often that was asked before.
  public init(answers: @escaping @Sendable (Int) -> Bool = { _ in true }) {
    self.answers = answers
    queue.setSpecific(key: Self.key, value: true)
  }

  /// Whether the caller runs on such a thread.
  public static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

  /// How often it was lent.
  public var loans: Int { loanCount.load(ordering: .relaxed) }

  /// Waits until the thread has ended what it does.
  public func wait() { queue.sync {} }

  public func lend(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool {
    loanCount.add(1, ordering: .relaxed)
    queue.async { [self] in assist { [self] in answer() } }
    return true
  }

  /// Runs `assist` at once, on the calling thread.
  public func runAtOnce(
    _ assist: @escaping @Sendable (_ mayContinue: @escaping @Sendable () -> Bool) -> Void
  ) -> Bool {
    loanCount.add(1, ordering: .relaxed)
    assist { [self] in answer() }
    return true
  }

  private func answer() -> Bool {
    answers(questionCount.add(1, ordering: .relaxed).oldValue)
  }
}
