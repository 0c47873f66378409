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
  /// Watches clients that have to send a message.
  let requests: StallWatch
  /// Watches clients that have to read a message.
  let writes: StallWatch
  let drain: DrainSignal
  let accounts: ServerAccounts
  let limits: CallLimits
  let identities: IdentityMeter
  let loads: CollectionLoads
  /// Cancels calls whose streams have ended.
  let streams: CallStreams
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
    streams: CallStreams,
    isGuarded: Bool,
    logger: Logger
  ) {
    self.logger = logger
    self.loads = loads
    self.streams = streams
    self.identities = identities
    gate = CallGate(limits)
    // The session clock stands still while the process is stopped: messages sent meanwhile count as
    // in time.
    requests = StallWatch(limit: limits.messageTimeout) { clock.now }
    writes = StallWatch(limit: timing.write, lateness: .milliseconds(250)) { clock.now }
    self.drain = drain
    self.accounts = accounts
    self.limits = limits
    self.isGuarded = isGuarded
  }

  /// The rights of the caller in the current task.
  ///
  /// - Throws: UNAUTHENTICATED if the server has identities and no caller is known;
  ///   PERMISSION_DENIED for a caller without a role; QUOTA_CALL_RATE.
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

/// An open call other than StreamLayout: its place among the calls of its connection, and the
/// reasons to end it before its work is done.
final class OpenCall: Sendable {
  let context: CallContext
  let services: CallServices
  private let ticket: CallTicket
  private struct State {
    var isSilent = false
    /// nil = not needed so far.
    var account: Account?
    /// The charge for what an import keeps; nil = nothing.
    var kept: Lease?
    /// The charge for a large request; nil = the request is small.
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
  /// The client's address with its port.
  var peer: String { context.peer }

  /// The account for the call's work and memory, a child of its connection's account.
  var account: Account {
    state.withLock { state in
      if let account = state.account { return account }
      let account = services.accounts.call(from: context.peer)
      state.account = account
      return account
    }
  }

  // MARK: - Limits

  /// Waits until the connection may request more work.
  ///
  /// - Throws: QUOTA_CALL_RATE if that takes too long; `CancellationError`.
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

  /// Charges processor time in seconds.
  func charge(seconds: Double) { ticket.charge(seconds * 20_000) }

  /// Charges the handling of this many bytes of messages.
  func charge(bytes: Int) { ticket.charge(Double(bytes) / 16_384) }

  /// Charges the change of a record. The whole record is written, with its named layouts, while
  /// commits of others wait for the disk; a small request can cause a write of a mebibyte.
  func charge(record: CollectionRecord) { ticket.charge(Double(record.byteCount) / 512) }

  /// Returns a collection with its contents. If they have to be loaded, the call is charged for
  /// that.
  ///
  /// - Throws: what the store refuses.
  func collection(_ id: String) async throws(LayoutProblem) -> LiveCollection {
    do throws(StoreError) {
      return try await services.loads.collection(id, for: context.peer) {
        // Some 160 MB per second are read, decoded and indexed.
        charge(Double($0) / 8192)
      }
    } catch { throw LayoutProblem(error) }
  }

  /// Charges the layout of this many items.
  func charge(items: Int) { ticket.charge(Double(items) / 10_000) }

  /// Counts bytes that an import keeps until it ends, for the limits of all imports and of the
  /// peer. One task at a time may call this.
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

  /// Charges the memory of a large request until the call ends.
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

  /// Whether the request is so large that working on it may take more than some milliseconds.
  var isLarge: Bool { state.withLock { $0.request != nil } }

  /// Charges bytes to the call's account while the lease exists.
  ///
  /// - Throws: QUOTA_MEMORY.
  func hold(_ bytes: Int) throws(LayoutProblem) -> Lease {
    do throws(LimitExceeded) { return try account.charge(bytes) } catch {
      throw LayoutProblem(error)
    }
  }

  // MARK: - Ending

  /// Gives back the call's place and memory. Call this when the work is done, before the client
  /// learns of it, so that the client's next call can use the room.
  func close() {
    ticket.giveBack()
    // Ended explicitly: a thread of the engine that is about to drop a finished job may still hold
    // references.
    let (kept, request) = state.withLock { ($0.kept, $0.request) }
    kept?.end()
    request?.end()
  }

  /// Runs `body`, and closes the call if `body` throws.
  func closingOnError<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch {
      close()
      throw error
    }
  }

  /// Runs the call's work in a task that is cancelled when nobody wants the result any more: the
  /// client has cancelled, the deadline has passed, the connection broke, a message of the client
  /// is overdue, or the caller has lost the right to the result.
  ///
  /// - Parameter endsWithDrain: whether the work also ends when the server goes away; otherwise it
  ///   is finished.
  /// - Throws: what `work` throws; if the task was cancelled, the reason.
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
          // A server that goes away cancels all calls; this work is worth finishing.
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

  /// The reason why the work ended, given an error that may only be a consequence.
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

  /// Begins to wait for a message of the client. Pair it with `messageCame`.
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

/// Reads a client's messages, each of which has to come in time. Use it inside `OpenCall.run`.
struct TimedReader<Message: Sendable> {
  private var messages: RPCAsyncSequence<Message, any Error>.AsyncIterator
  private let call: OpenCall

  init(_ messages: RPCAsyncSequence<Message, any Error>, _ call: OpenCall) {
    self.messages = messages.makeAsyncIterator()
    self.call = call
  }

  /// The next message; nil = the client has ended its messages.
  ///
  /// - Throws: `CancellationError` if the call has ended.
  mutating func next() async throws -> Message? {
    let id = call.waitForMessage()
    defer { call.messageCame(id) }
    let message = try await messages.next()
    try Task.checkCancellation()
    return message
  }

  /// The only message.
  ///
  /// - Throws: PROTOCOL_VIOLATION if there is none, or more than one.
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
