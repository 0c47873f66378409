// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The parts of one computation, done by two threads: the computation's own thread, and a second
/// one that is lent to it at times.
///
/// The own thread needs the parts in order. It never waits: it asks how far a part is (`take`), and
/// does what is not done. The second thread does the first free part, again and again.
final class SharedParts<Outcome: Sendable>: Sendable {
  /// How far a part is.
  enum Progress {
    /// Nobody does it.
    case free
    /// A thread does it, or the own thread has its outcome already.
    case taken
    /// A thread has done it.
    case done(Outcome)
  }

  fileprivate struct State {
    var parts: [Progress]
    /// No part before this one is free.
    var firstFree = 0
    /// The part that the own thread asked for last: those before it are no longer needed.
    var firstNeeded = 0
    /// Whether a second thread takes part at present, or will soon.
    var isAssisted = false
  }

  private let state: Mutex<State>
  /// Whether nobody is to do a part ahead any more.
  private let isClosed = Atomic(false)

  /// Parts that are all free.
  init(count: Int) {
    state = Mutex(State(parts: Array(repeating: .free, count: count)))
  }

  // MARK: - The computation's own thread

  /// Takes a part, or its outcome, from the second thread.
  ///
  /// - Parameter part: not less than in earlier calls.
  /// - Returns: how far it was: if free, the caller has to do it.
  func take(_ part: Int) -> Progress {
    state.withLock { state in
      state.firstNeeded = part
      let progress = state.parts[part]
      if case .taken = progress { return progress }
      state.parts[part] = .taken
      return progress
    }
  }

  /// Whether a part is done.
  func isDone(_ part: Int) -> Bool {
    state.withLock { if case .done = $0.parts[part] { true } else { false } }
  }

  /// Takes the first free part; nil = there is none, or nobody is to do a part ahead.
  func takeFirst() -> Int? {
    guard !isClosed.load(ordering: .relaxed) else { return nil }
    return state.withLock { $0.takeFirst() }
  }

  /// Keeps the outcome of a part that was taken, unless the own thread has one already.
  ///
  /// - Returns: whether the outcome is kept.
  @discardableResult
  func finish(
    _ part: Int,
    _ outcome: Outcome,
    charge: (_ isKept: Bool) -> Void = { _ in }
  ) -> Bool {
    state.withLock { state in
      let isKept = part >= state.firstNeeded
      charge(isKept)
      if isKept { state.parts[part] = .done(outcome) }
      return isKept
    }
  }

  /// Notes that the own thread has an outcome of a part that it did though the second thread did it
  /// too.
  ///
  /// - Returns: false = the second thread was faster, and its outcome is kept.
  func win(_ part: Int) -> Bool {
    state.withLock { state in
      if case .done = state.parts[part] { return false }
      state.firstNeeded = part + 1
      return true
    }
  }

  /// Ends what the second thread does. Parts stay free or done.
  func close() { isClosed.store(true, ordering: .relaxed) }

  // MARK: - The second thread

  /// Lets a second thread do parts, if none does yet and a part is free.
  ///
  /// - Parameter work: lends the thread, and is charged with the thread's steps and bytes.
  /// - Parameter solve: does a part, within the limits that it is given. Once these have stopped,
  ///   its outcome is dropped.
  func lend(from work: LayoutWork, _ solve: @escaping @Sendable (Int, LayoutWork) -> Outcome) {
    guard !isClosed.load(ordering: .relaxed), state.withLock({ $0.beginAssistance() }) else {
      return
    }
    let isLent = work.lend { [self] mayContinue in
      serve(work, mayContinue, solve)
      state.withLock { $0.isAssisted = false }
    }
    if !isLent { state.withLock { $0.isAssisted = false } }
  }

  private func serve(
    _ work: LayoutWork,
    _ mayContinue: @escaping @Sendable () -> Bool,
    _ solve: (Int, LayoutWork) -> Outcome
  ) {
    while mayContinue(), let part = takeFirst() {
      let limits = work.part { [self] in
        !isClosed.load(ordering: .relaxed) && mayContinue()
      }
      let outcome = solve(part, limits)
      guard !limits.isStopped else {
        work.add(limits, isKept: false)
        return state.withLock { $0.giveBack(part) }
      }
      // Before the own thread can see the outcome, and perhaps end with it.
      _ = finish(part, outcome) { work.add(limits, isKept: $0) }
    }
  }
}

extension SharedParts.State {
  mutating func takeFirst() -> Int? {
    firstFree = max(firstFree, firstNeeded)
    while firstFree < parts.count {
      defer { firstFree += 1 }
      if case .free = parts[firstFree] {
        parts[firstFree] = .taken
        return firstFree
      }
    }
    return nil
  }

  mutating func giveBack(_ part: Int) {
    parts[part] = .free
    firstFree = min(firstFree, part)
  }

  /// - Returns: whether a thread may be lent now, and there is something for it to do.
  mutating func beginAssistance() -> Bool {
    guard !isAssisted, firstFree < parts.count else { return false }
    isAssisted = true
    return true
  }
}
