// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// A layout that a provider places, or that takes long, while the session shows a stand-in or a
/// draft. A provider's faults are retried until the layout is there; a layout that exceeds a limit
/// is over, but not forgotten: other contents may be laid out later.
///
/// The work is cancelled when nothing refers to this any more.
final class AwaitedLayout: Sendable {
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

  /// The identifier of the request.
  let id: UInt64
  /// When the session began to go without such a layout.
  let since: ContinuousClock.Instant
  private let configuration: LayoutConfiguration
  private let container: LayoutContainer
  /// Whether a transition ends at the layout.
  let isForTarget: Bool
  private let making: Making
  private let task: Task<Void, Never>

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
    isForTarget = request.isForTarget
    let making = Making(note)
    self.making = making
    task = Task { await making.run(make, pause: pause) }
  }

  deinit { cancel() }

  /// Whether there is no outcome yet, apart from problems that may pass.
  var isPending: Bool { making.state.withLock { !$0.isOver } }

  /// Whether the layout exceeds a limit, and other contents are not laid out yet.
  var isRefused: Bool { making.state.withLock { $0.isRefused && !$0.isOver } }

  /// Whether it has the same layout and container, whatever the contents.
  func isOf(_ request: PreparedLayoutRequest) -> Bool {
    request.container == container && request.configuration.settled == configuration
  }

  /// Takes the news, which is empty afterwards.
  func takeNews() -> News {
    making.state.withLock { state in
      defer { state.news = News() }
      return state.news
    }
  }

  /// Puts news back that the session has not been told.
  func putBack(_ news: News) {
    making.state.withLock { state in
      if state.news.isEmpty { state.news = news }
    }
  }

  func cancel() {
    making.state.withLock { $0.isOver = true }
    task.cancel()
  }

  /// Whether there is news before `patience` is over. Call at most once.
  func hasNews(within patience: Duration, by clock: SessionClock) async -> Bool {
    await making.wait.happens(within: patience, by: clock)
  }

  /// Nobody waits for news any longer.
  func endWait() { making.wait.end() }
}

/// The work on an awaited layout.
private final class Making: Sendable {
  struct State {
    var news = AwaitedLayout.News()
    var isOver = false
    var isRefused = false
  }

  let state = Mutex(State())
  /// The wait for the first news.
  let wait = TimedWait()
  private let note: @Sendable () -> Void

  init(_ note: @escaping @Sendable () -> Void) { self.note = note }

  func run(_ make: @Sendable () async throws -> MadeLayout, pause: Duration) async {
    while !Task.isCancelled {
      do {
        let made = try await make()
        return tell(isOver: true) { $0.made = made }
      } catch {
        guard let problem = error.asProblem as? LayoutProblem,
          problem.isOfProvider || problem.isOfLayout
        else { return tell(isOver: true) { $0.failure = error } }
        tell(isOver: false, isRefused: problem.isOfLayout) { $0.problem = problem }
        let delay = problem.isOfLayout ? pause : problem.retryDelay ?? .seconds(1)
        guard (try? await Task.sleep(for: delay)) != nil else { return }
        if problem.isOfLayout { return tell(isOver: true) { $0.mayTryOthers = true } }
      }
    }
  }

  private func tell(
    isOver: Bool,
    isRefused: Bool = false,
    _ change: (inout AwaitedLayout.News) -> Void
  ) {
    state.withLock { state in
      change(&state.news)
      if isOver { state.isOver = true }
      state.isRefused = isRefused
    }
    if !wait.note() { note() }
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
    _ = independentSession.wantLayoutAnew()
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
      let next = independentSession.wantLayoutAnew()
      // If the contents have changed since, the next one derives from it. With a transition, the
      // session's own layout may be wanted first.
      if next == awaited.id + 1, let wanted = reading({ $0.wantedLayout }), awaited.isOf(wanted),
        wanted.isForTarget == awaited.isForTarget
      {
        whole = WholeLayout(id: next) { made }
      }
    } else if news.mayTryOthers {
      // It stays until then: the same contents are refused again.
      if sessionInPlace.layoutRequestID != awaited.id {
        _ = independentSession.wantLayoutAnew()
      }
    } else if let problem = news.problem, problem.reason != toldFault?.value.reason {
      toldFault = Boxed(problem)
      respond { $0.notice = Wire.Notice(.layoutUnavailable, problem: problem) }
    }
  }
}
