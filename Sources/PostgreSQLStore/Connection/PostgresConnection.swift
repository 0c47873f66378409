// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import DequeModule
internal import Dispatch
internal import Foundation
internal import Synchronization

/// A connection with a thread of its own, which connects again whenever the connection is lost.
///
/// Exchanges of any number of callers are in flight at once. A session has the connection to
/// itself: it begins when no exchange is in flight.
final class PostgresConnection: ExchangeTaking {
  /// Statements one after another, on the connection's thread.
  typealias Session = ConnectionDriver

  private enum Job {
    case exchange(Exchange, @Sendable (ConnectionDriver.Outcome) -> Void)
    /// Called without a session if there is no connection.
    case session(@Sendable (Session?) -> Void)
  }

  private struct Inbox {
    var jobs: Deque<Job> = []
    var isHurried = false
    var isClosing = false
    var isEnded = false
    var endings: [@Sendable () -> Void] = []
  }

  private let inbox = Mutex(Inbox())
  private let wakes: WakePipe
  /// Jobs that are not done; the least busy connection is chosen by this.
  private let jobCount = Atomic(0)
  private let published = PublishedAvailability()

  /// - Throws: `StorageFault` if the process may not open more files.
  init(_ setup: ConnectionDriver.Setup, name: String) throws(StorageFault) {
    guard let wakes = WakePipe() else {
      throw StorageFault(.unreachable, "the process may not open more files")
    }
    self.wakes = wakes
    let thread = Thread { [self] in run(setup) }
    thread.name = name
    thread.start()
  }

  var availability: ConnectionAvailability { published.value }
  var pendingCount: Int { jobCount.load(ordering: .relaxed) }

  /// Sends statements, and returns their answers.
  ///
  /// - Throws: `StatementError`, or `StorageFault` if there is no connection.
  func perform(_ exchange: Exchange) async throws -> [Answer] {
    try await withCheckedThrowingContinuation { continuation in
      submit(.exchange(exchange) { continuation.resume(with: $0) })
    }
  }

  /// Sends statements without waiting for the answers.
  ///
  /// - Parameter completion: called once, on the connection's thread.
  func submit(
    _ exchange: Exchange,
    completion: @escaping @Sendable (ConnectionDriver.Outcome) -> Void
  ) {
    submit(.exchange(exchange, completion))
  }

  /// Runs `body` with exclusive use of the connection.
  ///
  /// - Throws: what `body` throws, or `StorageFault` if there is no connection.
  func session<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      startSession {
        continuation.resume(with: $0)
      } body: {
        try body($0)
      }
    }
  }

  /// The same, blocking the calling thread, which must not belong to the cooperative pool for long.
  func sessionBlocking<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws -> Value
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Value, any Error>>(.failure(Self.closed))
    startSession { outcome in
      result.withLock { $0 = outcome }
      done.signal()
    } body: {
      try body($0)
    }
    done.wait()
    return try result.withLock { $0 }.get()
  }

  /// The same without waiting for it.
  ///
  /// - Parameter completion: called once, on the connection's thread.
  func startSession<Value: Sendable>(
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
    body: @escaping @Sendable (Session) throws -> Value
  ) {
    submit(
      .session { session in
        completion(
          Result {
            guard let session else { throw Self.closed }
            return try session.session { try body(session) }
          }
        )
      }
    )
  }

  /// Tries at once to connect again, if there is no connection.
  func retryNow() {
    inbox.withLock { $0.isHurried = true }
    wakes.wake()
  }

  /// Fails what has not been sent, and ends once everything sent is answered. Idempotent.
  func close(completion: @escaping @Sendable () -> Void) {
    let isEnded = inbox.withLock { inbox in
      inbox.isClosing = true
      if !inbox.isEnded { inbox.endings.append(completion) }
      return inbox.isEnded
    }
    if isEnded { completion() } else { wakes.wake() }
  }

  private static let closed = StorageFault(.closed, "the store is closed")

  private func submit(_ job: Job) {
    jobCount.add(1, ordering: .relaxed)
    let isClosing = inbox.withLock { inbox in
      if !inbox.isClosing { inbox.jobs.append(job) }
      return inbox.isClosing
    }
    if isClosing { refuse(job) } else { wakes.wake() }
  }

  private func refuse(_ job: Job) {
    jobCount.subtract(1, ordering: .relaxed)
    switch job {
    case .exchange(_, let complete): complete(.failure(Self.closed))
    case .session(let complete): complete(nil)
    }
  }

  // MARK: - On the thread

  private func run(_ setup: ConnectionDriver.Setup) {
    let driver = ConnectionDriver(setup, wakes: wakes, published: published)
    while !driver.isEnded {
      takeJobs(driver)
      driver.step()
    }
    let (jobs, endings) = inbox.withLock { inbox in
      inbox.isEnded = true
      defer {
        inbox.jobs.removeAll()
        inbox.endings.removeAll()
      }
      return (inbox.jobs, inbox.endings)
    }
    for job in jobs { refuse(job) }
    for ending in endings { ending() }
  }

  private func takeJobs(_ driver: ConnectionDriver) {
    let isHurried = inbox.withLock { inbox in
      defer { inbox.isHurried = false }
      return inbox.isHurried
    }
    if isHurried { driver.retryNow() }
    while true {
      let (job, isClosing) = inbox.withLock { inbox -> (Job?, Bool) in
        if case .session = inbox.jobs.first, driver.inFlightCount > 0 { return (nil, false) }
        return (inbox.isClosing ? nil : inbox.jobs.popFirst(), inbox.isClosing)
      }
      if isClosing { driver.beginClosing() }
      guard let job else { return }
      switch job {
      case .exchange(let exchange, let complete):
        driver.add(
          .init(exchange: exchange) { [self] outcome in
            jobCount.subtract(1, ordering: .relaxed)
            complete(outcome)
          }
        )
      case .session(let run):
        run(driver)
        jobCount.subtract(1, ordering: .relaxed)
      }
    }
  }
}
