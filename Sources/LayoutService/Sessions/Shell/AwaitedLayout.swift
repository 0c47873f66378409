// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// A layout that comes from elsewhere, or that takes long after an edit, for a session that goes on without it. It is
/// fetched again until that succeeds.
final class AwaitedLayout: Sendable, AlarmTarget {
  /// What became of it since it was looked at last.
  struct News: Sendable {
    var made: MadeLayout?
    /// Why it could not be fetched; it is tried again.
    var problem: LayoutProblem?
    /// Why it never will be.
    var failure: (any Error)?

    var isEmpty: Bool { made == nil && problem == nil && failure == nil }
  }

  private struct State {
    var news = News()
    var isLate = false
    var isOver = false
    var waiter: CheckedContinuation<Bool, Never>?
    var task: Task<Void, Never>?
  }

  /// Of the request that it answers.
  let id: UInt64
  /// Since when the session goes on without such a layout.
  let since: ContinuousClock.Instant
  private let configuration: LayoutConfiguration
  private let container: LayoutContainer
  private let note: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - since: since when the session goes on without such a layout.
  ///   - make: fetches it.
  ///   - note: called after news that nobody waited for.
  init(
    _ request: PreparedLayoutRequest,
    since: ContinuousClock.Instant,
    make: @escaping @Sendable () async throws -> MadeLayout,
    note: @escaping @Sendable () -> Void
  ) {
    id = request.id
    self.since = since
    configuration = request.configuration.settled
    container = request.container
    self.note = note
    let task = Task { await self.run(make) }
    state.withLock { $0.task = task }
  }

  /// Whether nothing has come of it yet, or only problems.
  var isPending: Bool { state.withLock { !$0.isOver } }

  /// Whether it is of the same layout and container, whatever the contents.
  func isOf(_ request: PreparedLayoutRequest) -> Bool {
    request.container == container && request.configuration.settled == configuration
  }

  /// Takes what is new.
  func takeNews() -> News {
    state.withLock { state in
      defer { state.news = News() }
      return state.news
    }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isOver = true
      return state.task
    }
    task?.cancel()
  }

  /// Whether there is news before that time is over. To be asked once.
  func hasNews(within patience: Duration, by clock: SessionClock) async -> Bool {
    clock.arm(clock.now + patience, for: self)
    return await withCheckedContinuation { waiter in
      let hasNews: Bool? = state.withLock { state in
        if !state.news.isEmpty || state.isLate { return !state.news.isEmpty }
        state.waiter = waiter
        return nil
      }
      if let hasNews { waiter.resume(returning: hasNews) }
    }
  }

  func ring(_ deadline: ContinuousClock.Instant) {
    let waiter = state.withLock { state in
      state.isLate = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: false)
  }

  private func run(_ make: @Sendable () async throws -> MadeLayout) async {
    while !Task.isCancelled {
      do {
        let made = try await make()
        return tell(isOver: true) { $0.made = made }
      } catch let problem as LayoutProblem where problem.isOfProvider {
        tell(isOver: false) { $0.problem = problem }
        try? await Task.sleep(for: problem.retryDelay ?? .seconds(1))
      } catch { return tell(isOver: true) { $0.failure = error } }
    }
  }

  private func tell(isOver: Bool, _ change: (inout News) -> Void) {
    let waiter = state.withLock { state in
      change(&state.news)
      if isOver { state.isOver = true }
      defer { state.waiter = nil }
      return state.waiter
    }
    if let waiter { waiter.resume(returning: true) } else { note() }
  }
}

extension LayoutProblem {
  /// Whether the program that places the layout is at fault, or has no time for this client, so that it may be
  /// otherwise soon.
  var isOfProvider: Bool {
    reason == .layoutProviderUnavailable || reason == .layoutProviderFailed
      || reason == .quota(.computations)
  }
}

extension SessionShell {
  /// How long a viewer that sees something waits for a layout before it goes on with that.
  private static let patience = Duration.milliseconds(250)
  /// How long one waits that would see nothing.
  private static let firstPatience = Duration.seconds(10)

  /// A layout that comes from elsewhere, or what is shown until it is there.
  func fetched(_ preparation: Preparation) async throws -> SuppliedLayout {
    if let awaited = preparation.awaited, awaited.isPending {
      return .standIn(try await standIn(preparation), awaited)
    }
    let services = services
    let awaited = AwaitedLayout(preparation.request, since: clock.now) {
      try await services.whole(preparation)
    } note: { [weak self] in
      self?.note(.layoutSettled)
    }
    let patience = preparation.request.hasStandIn ? Self.patience : Self.firstPatience
    return try await withTaskCancellationHandler {
      guard await awaited.hasNews(within: patience, by: clock) else {
        return .standIn(try await standIn(preparation), awaited)
      }
      let news = awaited.takeNews()
      if let made = news.made { return .whole(made) }
      if let failure = news.failure { throw failure }
      awaited.putBack(news)
      return .standIn(try await standIn(preparation), awaited)
    } onCancel: {
      awaited.cancel()
      awaited.ring(clock.now)
    }
  }

  private func standIn(_ preparation: Preparation) async throws -> MadeLayout {
    let older = preparation.shared.flatMap { services.engine.olderLayout(for: $0) }
    let prepared = try await services.engine.perform(
      cost: preparation.itemCount,
      for: preparation.account
    ) { work in
      try preparation.request.standIn(older, work: work)
    }
    return MadeLayout(prepared: prepared)
  }
}

extension AwaitedLayout {
  /// Puts news back that the session has still to be told.
  fileprivate func putBack(_ news: News) {
    state.withLock { state in
      if state.news.isEmpty { state.news = news }
    }
  }
}

// MARK: - In the session

extension SessionCore {
  /// Goes on with a stand-in until the layout is there.
  func wait(for awaited: AwaitedLayout) {
    if self.awaited !== awaited { self.awaited?.cancel() }
    self.awaited = awaited
    // What came before it was known here.
    mail.marks.insert(.layoutSettled)
  }

  /// The session has the layout that it should.
  func endWaiting() {
    awaited?.cancel()
    awaited = nil
    guard let problem = toldFault?.value else { return }
    toldFault = nil
    respond { $0.notice = Wire.Notice(.layoutAvailable, problem: problem) }
  }

  /// The stream leaves the session. The next stream of the session asks for the layout again.
  func stopWaiting() {
    guard let awaited else { return }
    awaited.cancel()
    self.awaited = nil
    _ = session.wantLayoutAnew()
  }

  /// Takes what became of the layout that the session awaits.
  ///
  /// - Throws: why there will be none.
  func settleLayout() throws {
    guard let awaited else { return }
    let news = awaited.takeNews()
    if let failure = news.failure {
      throw (failure as? any ProblemConvertible)?.problem ?? failure
    }
    if let made = news.made {
      self.awaited = nil
      let next = session.wantLayoutAnew()
      // Of other contents by now, it is what the next stand-in follows from.
      if next == awaited.id + 1 { whole = WholeLayout(id: next) { made } }
    } else if let problem = news.problem, problem.reason != toldFault?.value.reason {
      toldFault = Boxed(problem)
      respond { $0.notice = Wire.Notice(.layoutUnavailable, problem: problem) }
    }
  }
}
