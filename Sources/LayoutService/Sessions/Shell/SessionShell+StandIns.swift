// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting

/// What sessions show while their layout is not there.
extension SessionShell {
  /// How long a session with something in view waits for a provider before it shows a stand-in.
  private static let patience = Duration.milliseconds(250)
  /// How long a session waits for a provider that would show nothing.
  private static let firstPatience = Duration.seconds(10)

  /// A provider's layout, or what is shown until it is there.
  func fetched(_ preparation: Preparation) async throws -> SuppliedLayout {
    let patience = preparation.request.hasStandIn ? Self.patience : Self.firstPatience
    return try await awaited(preparation, within: patience)
  }

  /// The layout, or what is shown until it is there.
  ///
  /// - Parameter patience: how long the session waits for the layout.
  /// - Throws: why there is neither.
  func awaited(
    _ preparation: Preparation,
    within patience: Duration
  ) async throws -> SuppliedLayout {
    if let awaited = preparation.awaited, awaited.isPending {
      return try await standIn(for: preparation, until: awaited)
    }
    let awaited = awaitedLayout(preparation)
    return try await withTaskCancellationHandler {
      guard await awaited.hasNews(within: patience, by: clock) else {
        return try await standIn(for: preparation, until: awaited)
      }
      let news = awaited.takeNews()
      if let made = news.made { return .whole(made) }
      if let failure = news.failure { throw failure }
      if let problem = news.problem, problem.isOfLayout, !preparation.request.hasStandIn {
        throw problem
      }
      awaited.putBack(news)
      return try await standIn(for: preparation, until: awaited)
    } onCancel: {
      awaited.cancel()
      awaited.endWait()
    }
  }

  /// What is shown in place of a layout that exceeds a limit.
  ///
  /// - Throws: `error`, if it is another, or if there is nothing to show; also if the layout shown
  ///   is the same and exceeds the limit only with these contents.
  func standIn(for preparation: Preparation, after error: any Error) async throws -> SuppliedLayout
  {
    guard let problem = error.asProblem as? LayoutProblem, problem.isOfLayout,
      preparation.request.hasStandIn, preparation.request.derivation == nil
    else { throw error }
    return try await standIn(
      for: preparation,
      until: awaitedLayout(preparation) { throw problem }
    )
  }

  /// Begins to prepare a layout that the session goes without for now.
  ///
  /// - Parameters:
  ///   - since: when the session began to go without such a layout; nil = it begins now.
  ///   - make: prepares it; nil = as every layout is prepared.
  func awaitedLayout(
    _ preparation: Preparation,
    since: ContinuousClock.Instant? = nil,
    _ make: (@Sendable () async throws -> MadeLayout)? = nil
  ) -> AwaitedLayout {
    let services = services
    return AwaitedLayout(
      preparation.request,
      since: since ?? clock.now,
      pause: services.configuration.timing.refusedLayout,
      make: make ?? { try await services.whole(preparation) }
    ) { [reference] in
      reference.value?.note(.layoutSettled)
    }
  }

  private func standIn(
    for preparation: Preparation,
    until awaited: AwaitedLayout
  ) async throws -> SuppliedLayout {
    if let unchanged = preparation.request.unchangedStandIn {
      return .standIn(unchanged, nil, awaited)
    }
    let isFetched = preparation.request.configuration.layout is any FetchedLayout
    if !isFetched, let standIn = preparation.standIn {
      // The layout before is prepared like any other: once for all who show it.
      let made = try await services.whole(standIn)
      return .standIn(
        .init(made.prepared, of: standIn.request, identity: made.lease?.identity),
        made.lease,
        awaited
      )
    }
    let older = preparation.shared.flatMap { services.engine.olderLayout(for: $0) }
    let shown = try await services.engine.perform(
      cost: preparation.itemCount,
      for: preparation.account.child(.call)
    ) { work in
      try preparation.request.standIn(older, work: work)
    }
    return .standIn(shown, nil, awaited)
  }
}
