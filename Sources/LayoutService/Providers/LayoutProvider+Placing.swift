// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import Logging
internal import ResourceAccounting
internal import Synchronization

// Turns of clients, and the handling of faults.
extension LayoutProvider {
  /// Asks the provider to place contents.
  ///
  /// - Parameters:
  ///   - base: what it placed before; nil = nothing is known.
  ///   - threads: run the computations on the answer.
  /// - Returns: the elements, and the charge for them.
  /// - Throws: `LayoutProblem` if the provider is away or fails, `LimitExceeded` if the account has
  ///   no room, `CancellationError`, and the errors of `threads`.
  func place(
    _ context: LayoutContext,
    parameters: [String: CustomValue],
    identity: ContentsIdentity?,
    since base: FetchedBase?,
    account: Account?,
    byteLimit: Int,
    on threads: any PlacementThreads
  ) async throws -> (Placement, Lease?) {
    let subject = ProviderSubject(
      parameters: parameters,
      container: context.container,
      identity: identity
    )
    if let problem = problem(of: subject) { throw problem }
    let (generation, limit) = state.withLock { ($0.generation, $0.configuration.timeout) }
    do {
      let lease = try account?.charge(0)
      let placement = try await Deadline.limit(limit) {
        try await self.inTurn(subject, of: account?.client ?? "") {
          try await self.ask(context, parameters, base, on: threads) { bytes in
            guard bytes <= byteLimit else {
              throw PlacementFault("the elements take more than \(byteLimit) bytes")
            }
            try lease?.adjust(to: bytes)
          }
        }
      }
      noteSuccess(subject, generation)
      return (placement, lease)
    } catch {
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      if error is LimitExceeded || error is LayoutProblem || error is WaitingLimitReached
        || error is LayoutWork.Stop
      {
        throw error
      }
      throw noteFault(error, of: subject, generation)
    }
  }

  private func problem(of subject: ProviderSubject) -> LayoutProblem? {
    state.withLock { state in
      guard state.isOffered else {
        return .layoutProviderUnavailable(
          layout,
          "it is not registered any more",
          retryDelay: .seconds(2)
        )
      }
      return state.faults.problem(of: subject, at: .now)
    }
  }

  /// Runs `work` when it is the client's turn.
  private func inTurn<Result: Sendable>(
    _ subject: ProviderSubject,
    of client: String,
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let perform = { @Sendable in
      try await self.turns.perform(for: client) {
        if let problem = self.problem(of: subject) { throw problem }
        return try await work()
      }
    }
    guard state.withLock({ $0.faults.hasFailed(subject) }) else { return try await perform() }
    return try await retries.perform(for: client, perform)
  }

  private func noteSuccess(_ subject: ProviderSubject, _ generation: Int) {
    let isOver = note(generation) { state in
      state.faults.succeeded(subject)
      state.status.isHealthy = true
      state.status.problem = nil
      state.status.answers += 1
      defer { state.isLoggedAsFailing = false }
      return state.isLoggedAsFailing
    }
    if isOver == true { logger.info("the layout's provider answers again", metadata: metadata) }
  }

  private func noteFault(
    _ error: any Error,
    of subject: ProviderSubject,
    _ generation: Int
  ) -> LayoutProblem {
    let problem = problem(error)
    // The layout does not take the client's parameters; the provider itself works.
    let isRefusal = (error as? RPCError)?.code == .invalidArgument
    let noted = note(generation) { state in
      guard !isRefusal else {
        state.faults.answered()
        return (state.faults.note(problem, of: subject, at: .now), false)
      }
      state.description = nil
      state.status.faults += 1
      if problem.reason == .layoutProviderUnavailable {
        (state.status.isHealthy, state.status.problem) = (false, problem.message)
      }
      // A line that is held back now is written at a later failure.
      let isNews = !state.isLoggedAsFailing && state.lines.admit(at: .now) == nil
      if isNews { state.isLoggedAsFailing = true }
      return (state.faults.note(problem, of: subject, at: .now), isNews)
    }
    if noted?.1 == true {
      let reason: Logger.Metadata = ["reason": "\(problem.message)"]
      logger.warning("a layout's provider fails", metadata: metadata.merging(reason) { $1 })
    }
    return noted?.0 ?? problem
  }

  var metadata: Logger.Metadata {
    ["layout": "\(layout)", "provider": "\(configuration.address)"]
  }

  /// The problem that clients are told.
  private func problem(_ error: any Error) -> LayoutProblem {
    let delay = configuration.firstRetry
    let reason = Self.reason(error)
    switch error {
    case let error as RPCError where error.code != .unavailable:
      return .layoutProviderFailed(layout, reason, retryDelay: delay)
    case is PlacementFault: return .layoutProviderFailed(layout, reason, retryDelay: delay)
    default: return .layoutProviderUnavailable(layout, reason, retryDelay: delay)
    }
  }

  /// The gRPC library's message about a failed connection, shortened to a part of a sentence.
  static func connectionFault(_ message: String) -> String {
    let words = "Channel is in a transient failure state and 'wait for ready' isn't enabled. "
    let cause = message.hasPrefix(words) ? message.dropFirst(words.count) : message[...]
    return String(cause.hasSuffix(".") ? cause.dropLast() : cause)
  }

  /// What went wrong, in one line: the provider's text goes into logs and to operators.
  static func reason(_ error: any Error) -> String {
    switch error {
    case let fault as PlacementFault: fault.description
    case let error as RPCError where error.code == .unavailable:
      connectionFault(error.message).cut(toBytes: 400).printable
    case let error as RPCError where error.code == .invalidArgument:
      "it refuses the request: \(error.message.cut(toBytes: 400).printable)"
    case let error as RPCError: "\(error.code): \(error.message.cut(toBytes: 400).printable)"
    default: "\(error)".cut(toBytes: 400).printable
    }
  }
}

extension Account {
  /// The address of the client that is charged; nil = no client is.
  fileprivate var client: String? {
    var account: Account? = self
    while let found = account, found.scope != .peer { account = found.parent }
    return account?.name
  }
}
