// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What happens when SIGINT or SIGTERM is to end the command: it ends at once, as without this, but
/// what it would leave behind is put right before.
///
/// A part of a command may answer the first signal itself. The command then has time to end what
/// that part does, until it is over or another signal comes.
final class Interruption: Sendable {
  /// That of the process.
  static let shared = Interruption()

  private struct Answer {
    var id: Int
    /// Whether the command ends, with the signal as its cause.
    var isEnd: Bool
    var body: @Sendable () -> Void
  }

  private struct State {
    var lastID = 0
    var cleanups: [(id: Int, body: @Sendable () -> Void)] = []
    var answers: [Answer] = []
    /// When the first signal was answered; nil = none was.
    var answeredAt: ContinuousClock.Instant?
    /// The signal that ends the command once the unfinished has been put right; nil = none.
    var cause: Int32?
  }

  /// How long after the first signal further ones count as the same: shells and terminals may send
  /// it to the process and to its group.
  static let echo = Duration.seconds(1)
  /// How long a command may take to put right what is unfinished.
  private static let grace = DispatchTimeInterval.seconds(3)
  private static let signals = [SIGINT, SIGTERM]

  private let state = Mutex(State())
  /// Held while cleanups run: no other thread ends the process before they have.
  private let ending = Mutex(())
  private let queue = DispatchQueue(label: "interruption")
  private let end: @Sendable (Int32) -> Void

  /// - Parameter end: ends the process as a signal does.
  init(end: @escaping @Sendable (Int32) -> Void = Interruption.die) { self.end = end }

  /// Takes the signals from now on, but for those that the process was started to ignore.
  func trap() {
    for number in Self.signals {
      let before = signal(number, SIG_IGN)
      // SIG_IGN has this address on all systems.
      guard unsafe unsafeBitCast(before, to: Int.self) != 1 else { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      // The handler keeps the source, which nothing else does, until the process ends.
      source.setEventHandler { [self] in withExtendedLifetime(source) { receive(number) } }
      source.resume()
    }
  }

  /// Answers a signal.
  func receive(_ number: Int32, at now: ContinuousClock.Instant = .now) {
    enum Step {
      case ends
      case answers(Answer)
      case isEcho
    }
    let step = state.withLock { state -> Step in
      if let first = state.answeredAt {
        return first.duration(to: now) < Self.echo ? .isEcho : .ends
      }
      guard let answer = state.answers.last else { return .ends }
      state.answeredAt = now
      if answer.isEnd { state.cause = number }
      return .answers(answer)
    }
    switch step {
    case .isEcho: break
    case .ends: endNow(number)
    case .answers(let answer):
      answer.body()
      guard answer.isEnd else { return }
      queue.asyncAfter(deadline: .now() + Self.grace) { [self] in endNow(number) }
    }
  }

  /// Ends the process if a signal was answered by giving up what the command did.
  func endIfReceived() {
    if let cause = state.withLock({ $0.cause }) { endNow(cause) }
  }

  private func endNow(_ number: Int32) {
    ending.withLock { _ in
      let cleanups = state.withLock { state in
        defer { state.cleanups = [] }
        return state.cleanups
      }
      for cleanup in cleanups.reversed() { cleanup.body() }
      end(number)
    }
  }

  // MARK: - What is put right

  /// Adds what is done before the process ends by a signal, without anything asynchronous.
  ///
  /// - Returns: the identifier with which it can be removed.
  func addCleanup(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.cleanups.append((state.lastID, body))
      return state.lastID
    }
  }

  func removeCleanup(_ id: Int) {
    state.withLock { $0.cleanups.removeAll { $0.id == id } }
  }

  /// Runs `body`, in which the first signal calls `answer` instead of ending the command.
  func answering<Result>(
    with answer: @escaping @Sendable () -> Void,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let id = add(answer, isEnd: false)
    defer { remove(id) }
    return try await body()
  }

  /// Runs `body`, which the first signal cancels. What the caller does after it may still call the
  /// server: it is not cancelled, and the process ends after it.
  ///
  /// - Returns: what `body` returns, also if a signal came too late for it to notice.
  /// - Throws: what `body` throws.
  func cancelling<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    // It begins when a signal can be answered.
    let (start, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in start {}
      return try await body()
    }
    let id = add({ task.cancel() }, isEnd: true)
    defer { remove(id) }
    begin.finish()
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// - Throws: `CancellationError` if a signal has cancelled a part of the command.
  func checkCancellation() throws {
    if state.withLock({ $0.cause }) != nil { throw CancellationError() }
  }

  private func add(_ body: @escaping @Sendable () -> Void, isEnd: Bool) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.answers.append(Answer(id: state.lastID, isEnd: isEnd, body: body))
      return state.lastID
    }
  }

  private func remove(_ id: Int) { state.withLock { $0.answers.removeAll { $0.id == id } } }

  /// Ends the process by the signal itself: a shell then ends its loop or script too.
  private static func die(_ number: Int32) {
    _ = signal(number, SIG_DFL)
    // Threads of queues do not take signals.
    var taken = sigset_t()
    unsafe sigemptyset(&taken)
    unsafe sigaddset(&taken, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &taken, nil)
    raise(number)
    exit(128 + number)
  }
}
