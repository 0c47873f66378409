// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutTrust
internal import Logging
internal import ResourceAccounting
internal import Synchronization

/// What calls other than StreamLayout share on one server.
struct CallServices: Sendable {
  let gate: CallGate
  /// Of clients that owe a message.
  let requests: StallWatch
  /// Of clients that are to read one.
  let writes: StallWatch
  let drain: DrainSignal
  let accounts: ServerAccounts
  let limits: CallLimits
  let identities: IdentityMeter
  let loads: CollectionLoads
  /// Whether the server has identities.
  private let isGuarded: Bool
  private let logger: Logger

  init(
    _ limits: CallLimits,
    timing: ServiceTiming,
    drain: DrainSignal,
    accounts: ServerAccounts,
    clock: SessionClock,
    identities: IdentityMeter,
    loads: CollectionLoads,
    isGuarded: Bool,
    logger: Logger
  ) {
    self.logger = logger
    self.loads = loads
    self.identities = identities
    gate = CallGate(limits)
    // While the server was stopped it has read nothing, whatever its clients sent.
    requests = StallWatch(limit: limits.messageTimeout) { clock.now }
    writes = StallWatch(limit: timing.write, lateness: .milliseconds(250)) { clock.now }
    self.drain = drain
    self.accounts = accounts
    self.limits = limits
    self.isGuarded = isGuarded
  }

  /// What the call may do whose handler asks.
  ///
  /// - Throws: UNAUTHENTICATED where nobody has found out who calls; PERMISSION_DENIED for a caller without
  ///   any role; QUOTA_CALL_RATE.
  func access(to method: MethodDescriptor) throws(LayoutProblem) -> CallAccess {
    guard !method.isForEverybody else { return .open }
    guard isGuarded else { return .open(method, logger: logger) }
    guard let access = TrustInterceptor.access else {
      throw LayoutProblem(AuthenticationFailure.missing)
    }
    let call = CallAccess(access)
    try call.requireRights()
    try identities.admitCall(by: call)
    return call
  }
}

/// A call under way, other than a StreamLayout: its place among the calls of its connection, and what
/// ends it before its work is done.
final class OpenCall: Sendable {
  let context: CallContext
  let services: CallServices
  private let ticket: CallTicket
  private struct State {
    var isSilent = false
    /// nil = the call needed none so far.
    var account: Account?
    /// What the call keeps; nil = nothing.
    var kept: Lease?
    /// Its request, if that is large.
    var request: Lease?
    var cancel: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// - Throws: QUOTA_CALLS or QUOTA_IMPORTS.
  init(
    _ kind: CallGate.Kind,
    _ context: CallContext,
    services: CallServices
  ) throws(LayoutProblem) {
    self.context = context
    self.services = services
    ticket = try services.gate.enter(kind, peer: context.peer)
  }

  var deadline: ContinuousClock.Instant? { context.deadline }
  var access: CallAccess { context.access }
  /// The connection.
  var peer: String { context.peer }

  /// Whom the call's work and what it keeps are charged to: an account of its own below that of its
  /// connection.
  var account: Account {
    state.withLock { state in
      if let account = state.account { return account }
      let account = services.accounts.call(from: context.peer)
      state.account = account
      return account
    }
  }

  // MARK: - Limits

  /// Waits until the connection may ask for more work.
  ///
  /// - Throws: QUOTA_CALL_RATE where that takes too long; `CancellationError`.
  func waitForBudget() async throws {
    while let wait = ticket.wait {
      guard wait <= services.limits.longestDelay else {
        var problem = LayoutProblem.quotaExceeded(
          .callRate,
          limit: UInt64(clamping: services.limits.workPerSecond),
          retryDelay: wait
        )
        problem.message = "This connection or host asks for more work than it is allowed."
        throw problem
      }
      try await Task.sleep(for: wait)
    }
  }

  /// Charges work in units of about 50 µs.
  func charge(_ cost: Double) { ticket.charge(cost) }

  /// Charges work that took some seconds of a processor.
  func charge(seconds: Double) { ticket.charge(seconds * 20_000) }

  /// Charges the handling of so many bytes of messages.
  func charge(bytes: Int) { ticket.charge(Double(bytes) / 16_384) }

  /// Charges the change of a record. All of it is stored anew, with its named layouts, and the commits of others wait
  /// until it is on the disk; a small request may do that to a mebibyte.
  func charge(record: CollectionRecord) { ticket.charge(Double(record.byteCount) / 512) }

  /// A collection with its contents. If they have to be loaded for this call, it is charged for that.
  ///
  /// - Throws: what the store refuses.
  func collection(_ id: String) async throws(LayoutProblem) -> LiveCollection {
    do throws(StoreError) {
      return try await services.loads.collection(id, for: context.peer) {
        // Some 160 MB a second are read, decoded and indexed.
        charge(Double($0) / 8192)
      }
    } catch { throw LayoutProblem(error) }
  }

  /// Charges the layout of so many items.
  func charge(items: Int) { ticket.charge(Double(items) / 10_000) }

  /// Counts bytes that an import keeps until it ends, among those of all imports and of the peer. One task at a
  /// time may do so.
  ///
  /// - Throws: QUOTA_MEMORY.
  func keep(_ bytes: Int) throws(LayoutProblem) {
    try ticket.keep(bytes)
    do throws(LimitExceeded) {
      if let kept = state.withLock({ $0.kept }) {
        try kept.adjust(to: kept.bytes + bytes)
      } else {
        let account = services.accounts.importing(
          from: context.peer,
          limit: services.limits.importBytes
        )
        let kept = try account.charge(bytes)
        state.withLock { $0.kept = kept }
      }
    } catch { throw LayoutProblem(error) }
  }

  /// Charges what a large request takes, until the call ends.
  ///
  /// - Throws: QUOTA_MEMORY.
  func keepRequest(_ bytes: Int) throws(LayoutProblem) {
    do throws(LimitExceeded) {
      if let request = state.withLock({ $0.request }) {
        try request.adjust(to: bytes)
      } else {
        let request = try account.charge(bytes)
        state.withLock { $0.request = request }
      }
    } catch { throw LayoutProblem(error) }
  }

  /// Whether working on the request may take more than some milliseconds, only because of its size.
  var isLarge: Bool { state.withLock { $0.request != nil } }

  /// Charges bytes to the call's account for as long as the lease is held.
  ///
  /// - Throws: QUOTA_MEMORY.
  func hold(_ bytes: Int) throws(LayoutProblem) -> Lease {
    do throws(LimitExceeded) { return try account.charge(bytes) } catch {
      throw LayoutProblem(error)
    }
  }

  // MARK: - Ending

  /// Gives back its place and what it keeps. To be called when its work is done, before its client
  /// learns of that: the client's next call may then use the room.
  func close() {
    ticket.giveBack()
    // Not by letting go of them: a thread of the engine that is about to drop a finished job may still
    // refer to them.
    let (kept, request) = state.withLock { ($0.kept, $0.request) }
    kept?.end()
    request?.end()
  }

  /// Runs `body`, and closes the call if that throws.
  func closingOnError<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch {
      close()
      throw error
    }
  }

  /// Runs the work of the call in a task that is cancelled once nobody wants the result: the client
  /// cancelled, its deadline passed, its connection broke, it owes a message for too long, or it may no
  /// longer have the result.
  ///
  /// - Parameter endsWithDrain: whether the work also ends when the server is going away. Other work
  ///   is finished then.
  /// - Throws: what `work` throws; where the task was cancelled, why.
  func run<Result: Sendable>(
    endsWithDrain: Bool = false,
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task(operation: work)
    state.withLock { $0.cancel = { task.cancel() } }
    let drain = services.drain
    let observer = endsWithDrain ? drain.observe { task.cancel() } : nil
    access.onDenial { _ in task.cancel() }
    defer {
      access.onDenial(nil)
      if let observer { drain.remove(observer) }
      state.withLock { $0.cancel = nil }
    }
    do {
      return try await withTaskCancellationHandler {
        try await withRPCCancellationHandler {
          if context.cancellation.isCancelled, !drain.isDraining { task.cancel() }
          return try await task.value
        } onCancelRPC: {
          // Going away cancels all calls; their work is worth finishing.
          if !drain.isDraining { task.cancel() }
        }
      } onCancel: {
        task.cancel()
      }
    } catch let problem as LayoutProblem where problem.code != .cancelled {
      throw problem
    } catch {
      throw reason(for: error)
    }
  }

  /// Why the work ended, seen from an error that may only be the consequence.
  private func reason(for error: any Error) -> any Error {
    if state.withLock({ $0.isSilent }) {
      return LayoutProblem.messageTimeout(after: services.requests.limit)
    }
    do throws(LayoutProblem) { try access.throwIfDenied() } catch { return error }
    let isCancelled = error is CancellationError || (error as? LayoutProblem)?.code == .cancelled
    guard isCancelled || context.cancellation.isCancelled else { return error }
    if services.drain.isDraining { return LayoutProblem.serverDraining() }
    if let error = context.missedDeadline { return error }
    return RPCError(code: .cancelled, message: "The call was cancelled.")
  }

  /// Whether the client has given up.
  var isCancelled: Bool { context.cancellation.isCancelled && !services.drain.isDraining }

  /// Begins to wait for a message of the client. To be paired with `messageCame`.
  fileprivate func waitForMessage() -> Int {
    services.requests.begin { [weak self] in
      let cancel = self?.state.withLock { state in
        state.isSilent = true
        return state.cancel
      }
      cancel?()
    }
  }

  fileprivate func messageCame(_ id: Int) { services.requests.end(id) }
}

/// The messages of a client, each of which has to come in time. To be read inside of `OpenCall.run`.
struct TimedReader<Message: Sendable> {
  private var messages: RPCAsyncSequence<Message, any Error>.AsyncIterator
  private let call: OpenCall

  init(_ messages: RPCAsyncSequence<Message, any Error>, _ call: OpenCall) {
    self.messages = messages.makeAsyncIterator()
    self.call = call
  }

  /// The next message; nil = the client has sent all.
  ///
  /// - Throws: `CancellationError` where the call has ended.
  mutating func next() async throws -> Message? {
    let id = call.waitForMessage()
    defer { call.messageCame(id) }
    let message = try await messages.next()
    try Task.checkCancellation()
    return message
  }

  /// The only message.
  ///
  /// - Throws: PROTOCOL_VIOLATION for none or several.
  mutating func single() async throws -> Message {
    guard let message = try await next() else {
      throw LayoutProblem.protocolViolation("The call carries no request; one is needed.")
    }
    guard try await next() == nil else {
      throw LayoutProblem.protocolViolation("The call carries several requests; one is needed.")
    }
    return message
  }
}
