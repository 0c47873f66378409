// SPDX-License-Identifier: Apache-2.0

/// The task that works on a session, while there is work.
struct SessionWorker: Sendable {
  private var task: Task<Void, Never>?
  /// Tells the newest task from earlier ones.
  private var number = 0
  /// Whether the newest task has nothing more to do.
  private var isFinished = false
  private var isCancelled = false

  /// Announces the next worker.
  ///
  /// - Returns: its number.
  mutating func announce() -> Int {
    number &+= 1
    task = nil
    isFinished = false
    return number
  }

  /// The task of an announced worker.
  ///
  /// - Returns: whether to cancel it, because the session has ended.
  mutating func begin(_ number: Int, _ task: Task<Void, Never>) -> Bool {
    if self.number == number, !isFinished { self.task = task }
    return isCancelled
  }

  /// Notes that the worker has nothing more to do.
  mutating func finish(_ number: Int) {
    guard self.number == number else { return }
    task = nil
    isFinished = true
  }

  /// - Returns: the task to cancel.
  mutating func cancel() -> Task<Void, Never>? {
    isCancelled = true
    return task
  }
}
