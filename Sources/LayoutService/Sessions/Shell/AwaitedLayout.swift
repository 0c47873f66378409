// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// A layout that a provider places, or that takes long, while the session shows a stand-in or a
/// draft. A provider's faults are retried until the layout is there; a layout that exceeds a limit
/// is over, but not forgotten: other contents may be laid out later.
final class AwaitedLayout: Sendable, AlarmTarget {
  /// What has happened since the news was last taken.
  struct News: Sendable {
    var made: MadeLayout?
    /// Why it is not there yet.
    var problem: LayoutProblem?
    /// Why it will never be there.
    var failure: (any Error)?
    /// Whether other contents than those that exceeded a limit may be laid out now.
    var mayTryOthers = false

    var isEmpty: Bool { made == nil && problem == nil && failure == nil && !mayTryOthers }
  }

  private struct State {
    var news = News()
    var isLate = false
    var isOver = false
    var waiter: CheckedContinuation<Bool, Never>?
    var task: Task<Void, Never>?
  }

  /// The identifier of the request.
  let id: UInt64
  /// When the session began to go without such a layout.
  let since: ContinuousClock.Instant
  private let configuration: LayoutConfiguration
  private let container: LayoutContainer
  private let note: @Sendable () -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - since: when the session began to go without such a layout.
  ///   - pause: how long no contents are laid out after some exceeded a limit.
  ///   - make: prepares it.
  ///   - note: called after news that no task waits for.
  init(
    _ request: PreparedLayoutRequest,
    since: ContinuousClock.Instant,
    pause: Duration,
    make: @escaping @Sendable () async throws -> MadeLayout,
    note: @escaping @Sendable () -> Void
  ) {
    id = request.id
    self.since = since
    configuration = request.configuration.settled
    container = request.container
    self.note = note
    let task = Task { await self.run(make, pause: pause) }
    state.withLock { $0.task = task }
  }

  /// Whether there is no outcome yet, apart from problems that may pass.
  var isPending: Bool { state.withLock { !$0.isOver } }

  /// Whether it has the same layout and container, whatever the contents.
  func isOf(_ request: PreparedLayoutRequest) -> Bool {
    request.container == container && request.configuration.settled == configuration
  }

  /// Takes the news, which is empty afterwards.
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

  /// Whether there is news before `patience` is over. Call at most once.
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

  private func run(
    _ make: @Sendable () async throws -> MadeLayout,
    pause: Duration
  ) async {
    while !Task.isCancelled {
      do {
        let made = try await make()
        return tell(isOver: true) { $0.made = made }
      } catch {
        guard let problem = error.asProblem as? LayoutProblem,
          problem.isOfProvider || problem.isOfLayout
        else { return tell(isOver: true) { $0.failure = error } }
        tell(isOver: false) { $0.problem = problem }
        let delay = problem.isOfLayout ? pause : problem.retryDelay ?? .seconds(1)
        guard (try? await Task.sleep(for: delay)) != nil else { return }
        if problem.isOfLayout { return tell(isOver: true) { $0.mayTryOthers = true } }
      }
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
  /// Whether the fault may pass soon: the provider failed or is away, or too many computations of
  /// the client are pending.
  fileprivate var isOfProvider: Bool {
    reason == .layoutProviderUnavailable || reason == .layoutProviderFailed
      || reason == .quota(.computations)
  }

  /// Whether the layout of these contents exceeds a limit of one computation.
  var isOfLayout: Bool {
    reason == .quota(.steps) || reason == .quota(.memory) && metadata["scope"] == "layout"
  }
}

extension AwaitedLayout {
  /// Puts news back that the session has not been told.
  func putBack(_ news: News) {
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
    // The layout may be there already: news that came before had no `awaited` to settle.
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

  /// Takes over the outcome of the awaited layout.
  ///
  /// - Throws: why there will be no layout.
  func settleLayout() throws {
    guard let awaited else { return }
    let news = awaited.takeNews()
    if let failure = news.failure {
      throw failure.asProblem
    }
    if let made = news.made {
      self.awaited = nil
      let next = session.wantLayoutAnew()
      // If the contents have changed since, the next stand-in derives from it.
      if next == awaited.id + 1 { whole = WholeLayout(id: next) { made } }
    } else if news.mayTryOthers {
      self.awaited = nil
      if session.layoutRequestID != awaited.id { _ = session.wantLayoutAnew() }
    } else if let problem = news.problem, problem.reason != toldFault?.value.reason {
      toldFault = Boxed(problem)
      respond { $0.notice = Wire.Notice(.layoutUnavailable, problem: problem) }
    }
  }
}
