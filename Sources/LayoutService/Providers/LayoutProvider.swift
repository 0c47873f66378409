// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutEngine
internal import LayoutProtocol
internal import Logging
internal import ResourceAccounting
internal import Synchronization

/// The program that places one layout, and the connection to it.
final class LayoutProvider: Sendable {
  typealias Transport = HTTP2ClientTransport.Posix
  typealias Client = Wire.LayoutProviderService.Client<Transport>

  /// A connection that is made again whenever it breaks.
  private struct Connection {
    var client: GRPCClient<Transport>
    var task: Task<Void, Never>

    func end() {
      client.beginGracefulShutdown()
      task.cancel()
    }
  }

  private struct State {
    var configuration: LayoutProviderConfiguration
    /// Of the configuration before, if there was one, no longer counts.
    var generation = 0
    var isOffered = true
    var connection: Connection?
    var description: Wire.ProvidedLayout?
    /// Whether the provider may offer UpdatePlacement: it has not answered UNIMPLEMENTED so far.
    var offersUpdates = true
    var faults: ProviderFaults
    var isFailing = false
    var status: LayoutProviderStatus

    init(_ configuration: LayoutProviderConfiguration, isRegistered: Bool) {
      self.configuration = configuration
      faults = ProviderFaults(
        first: configuration.firstRetry,
        longest: configuration.longestRetry
      )
      status = LayoutProviderStatus(configuration: configuration, isRegistered: isRegistered)
    }
  }

  /// The name of the layout.
  let layout: String
  private let logger: Logger
  private let state: Mutex<State>
  private let turns: CallPermits
  /// For what failed before: it never has all turns.
  private let retries: CallPermits

  /// - Parameter isRegistered: whether it came after the server began.
  init(_ configuration: LayoutProviderConfiguration, isRegistered: Bool = false, logger: Logger) {
    layout = configuration.layout
    self.logger = logger
    turns = CallPermits(configuration.callLimit)
    retries = CallPermits(configuration.callLimit / 2)
    state = Mutex(State(configuration, isRegistered: isRegistered))
  }

  var configuration: LayoutProviderConfiguration { state.withLock { $0.configuration } }

  /// Whether clients may ask for its layout.
  var isOffered: Bool { state.withLock { $0.isOffered } }

  var status: LayoutProviderStatus {
    state.withLock { state in
      var status = state.status
      status.configuration = state.configuration
      status.description = state.description?.description_p ?? status.description
      status.parametersSchema = state.description?.parametersSchema ?? status.parametersSchema
      return status
    }
  }

  // MARK: - The connection

  /// Begins to keep a connection.
  ///
  /// - Throws: an error if the authorities cannot be read.
  func connect() throws {
    let configuration = configuration
    let client = GRPCClient(
      transport: try Transport(
        target: configuration.target,
        transportSecurity: configuration.security,
        config: .defaults {
          $0.backoff = .init(
            initial: .milliseconds(100),
            max: .seconds(2),
            multiplier: 1.6,
            jitter: 0.2
          )
          $0.connection.keepalive = .init(
            time: .seconds(10),
            timeout: .seconds(5),
            allowWithoutCalls: false
          )
        }
      )
    )
    // Nobody waits for this task, since it does not end while a provider accepts a connection and never greets.
    let task = Task<Void, Never> { try? await client.runConnections() }
    let old = state.withLock { state in
      defer { state.connection = Connection(client: client, task: task) }
      return state.connection
    }
    old?.end()
  }

  /// Ends the connection.
  func disconnect() {
    let old = state.withLock { $0.connection.take() }
    old?.end()
  }

  /// Has the layout placed by the program at another address from now on.
  func move(to configuration: LayoutProviderConfiguration) {
    let old = state.withLock { state in
      let generation = state.generation
      let connection = state.connection
      state = State(configuration, isRegistered: true)
      state.generation = generation + 1
      return connection
    }
    old?.end()
  }

  /// Refuses the layout to clients from now on. Those who look at it keep what they see.
  func withdraw() {
    state.withLock { $0.isOffered = false }
    disconnect()
  }

  // MARK: - Health

  /// Asks the provider what it has.
  func probe() async {
    let patience = Duration.seconds(2)
    let generation = state.withLock { $0.generation }
    do {
      let found = try await Deadline.limit(patience) { try await self.describe(within: patience) }
      note(generation) { state in
        state.description = found
        state.status.isHealthy = true
        state.status.problem = nil
        state.faults.answered()
      }
    } catch {
      guard !Task.isCancelled else { return }
      let reason = Self.reason(error)
      let wasHealthy = note(generation) { state in
        defer { (state.status.isHealthy, state.status.problem) = (false, reason) }
        return state.status.isHealthy || state.status.problem == nil
      }
      guard wasHealthy == true else { return }
      logger.warning(
        "a layout's provider does not answer",
        metadata: metadata.merging(["reason": "\(reason)"]) { $1 }
      )
    }
  }

  /// Changes the state, unless another program has been registered for the layout since the call began.
  @discardableResult
  private func note<Result>(
    _ generation: Int,
    _ change: (inout sending State) -> sending Result
  ) -> Result? {
    state.withLock { state in state.generation == generation ? change(&state) : nil }
  }

  // MARK: - Placing

  /// Asks the provider to place contents.
  ///
  /// - Parameter base: what it placed before; nil = nothing is known.
  /// - Returns: the elements, and the charge for them.
  /// - Throws: `LayoutProblem` where the provider is away or fails, `LimitExceeded` where the account has no
  ///   room, `CancellationError`.
  func place(
    _ context: LayoutContext,
    subject: ProviderSubject,
    since base: FetchedBase?,
    account: Account?,
    byteLimit: Int
  ) async throws -> (Placement, Lease?) {
    if let problem = problem(of: subject) { throw problem }
    let (generation, limit) = state.withLock { ($0.generation, $0.configuration.timeout) }
    do {
      let lease = try account?.charge(0)
      let placement = try await Deadline.limit(limit) {
        try await self.inTurn(subject, of: account?.client ?? "") {
          try await self.ask(context, subject.parameters, base) { bytes in
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
      if error is LimitExceeded || error is LayoutProblem { throw error }
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

  /// Waits for a turn of a client.
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
      defer { state.isFailing = false }
      return state.isFailing
    }
    if isOver == true { logger.info("the layout's provider answers again", metadata: metadata) }
  }

  private func noteFault(
    _ error: any Error,
    of subject: ProviderSubject,
    _ generation: Int
  ) -> LayoutProblem {
    let problem = problem(error)
    let noted = note(generation) { state in
      state.description = nil
      state.status.faults += 1
      if problem.reason == .layoutProviderUnavailable {
        (state.status.isHealthy, state.status.problem) = (false, problem.message)
      }
      defer { state.isFailing = true }
      return (state.faults.note(problem, of: subject, at: .now), !state.isFailing)
    }
    if noted?.1 == true {
      let reason: Logger.Metadata = ["reason": "\(problem.message)"]
      logger.warning("a layout's provider fails", metadata: metadata.merging(reason) { $1 })
    }
    return noted?.0 ?? problem
  }

  private var metadata: Logger.Metadata {
    ["layout": "\(layout)", "provider": "\(configuration.address)"]
  }

  /// What a client is told of a fault.
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

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let fault as PlacementFault: fault.description
    case let error as RPCError where error.code == .unavailable: String(error.message.prefix(200))
    case let error as RPCError: "\(error.code): \(error.message.prefix(200))"
    default: String("\(error)".prefix(200))
    }
  }

  // MARK: - Calls

  private func client() throws -> Client {
    guard let connection = state.withLock({ $0.connection }) else {
      throw RPCError(code: .unavailable, message: "the server is not running")
    }
    return Client(wrapping: connection.client)
  }

  private func metadata(of configuration: LayoutProviderConfiguration) async throws -> Metadata {
    guard let path = configuration.tokenFile else { return [:] }
    return try await ProviderToken(path: path).metadata()
  }

  private func ask(
    _ context: LayoutContext,
    _ parameters: [String: CustomValue],
    _ base: FetchedBase?,
    take: @escaping @Sendable (Int) throws -> Void
  ) async throws -> Placement {
    let configuration = configuration
    let client = try client()
    let metadata = try await metadata(of: configuration)
    let description = try await knownDescription(configuration.timeout)
    let count = context.contents.itemCount
    guard description.maxItems == 0 || count <= description.maxItems else {
      throw PlacementFault("\(count) items found; it places \(description.maxItems)")
    }
    var call = PlacementCall(
      layout: layout,
      parameters: parameters,
      context,
      scrollAxis: description.scrollAxis,
      elementLimit: configuration.elementLimit,
      take: take
    )
    call.metadata = metadata
    call.options = Self.options(configuration.timeout)
    if let updated = try await update(call, client, base) { return updated }
    return try await call.prepare(client)
  }

  /// Has placed what changes moved.
  ///
  /// - Returns: nil = the provider cannot, and has to be asked to place everything (PrepareLayout).
  private func update(
    _ call: PlacementCall,
    _ client: Client,
    _ base: FetchedBase?
  ) async throws -> Placement? {
    let contents = call.context.contents
    guard state.withLock({ $0.offersUpdates }), let base, let first = base.changes.first,
      let old = PlacedLayout.placement(of: base.prepared), !old.cookie.isEmpty,
      contents.cellKindNames.starts(with: old.contents.cellKindNames)
    else { return nil }
    let kept = base.changes.dropFirst().reduce(KeptItems(first)) { $0.followed(by: KeptItems($1)) }
    do {
      let placement = try await call.update(client, from: old, kept)
      state.withLock { $0.status.updates += 1 }
      return placement
    } catch let error as RPCError {
      // What nobody answered is not asked again in another way.
      guard error.code != .unavailable, error.code != .deadlineExceeded, error.code != .cancelled
      else { throw error }
      if error.code == .unimplemented { state.withLock { $0.offersUpdates = false } }
      return nil
    } catch let fault as PlacementFault {
      logger.warning(
        "a layout's provider does not place changes as everything anew",
        metadata: metadata.merging(["reason": "\(fault)"]) { $1 }
      )
      return nil
    }
  }

  /// What the provider says of the layout, asked once and after faults.
  private func knownDescription(_ limit: Duration) async throws -> Wire.ProvidedLayout {
    let (generation, known) = state.withLock { ($0.generation, $0.description) }
    if let known { return known }
    let found = try await describe(within: limit)
    note(generation) { $0.description = found }
    return found
  }

  private func describe(within limit: Duration) async throws -> Wire.ProvidedLayout {
    let configuration = configuration
    let response = try await client().describeLayouts(
      Wire.DescribeLayoutsRequest(),
      metadata: try await metadata(of: configuration),
      options: Self.options(limit)
    )
    guard let found = response.layouts.first(where: { $0.name == layout }) else {
      throw PlacementFault("the provider has no layout of this name")
    }
    return found
  }

  private static func options(_ limit: Duration) -> CallOptions {
    var options = CallOptions.defaults
    options.timeout = limit
    options.waitForReady = false
    options.maxResponseMessageBytes = 4 << 20
    return options
  }
}

extension Account {
  /// The address of the client that is charged; nil = none is.
  fileprivate var client: String? {
    var account: Account? = self
    while let found = account, found.scope != .peer { account = found.parent }
    return account?.name
  }
}

extension LayoutProviderConfiguration {
  fileprivate var target: any ResolvableTarget {
    host.contains(":") ? .ipv6(address: host, port: port) : .dns(host: host, port: port)
  }

  fileprivate var security: LayoutProvider.Transport.TransportSecurity {
    guard let authorities else { return .plaintext }
    return .tls { $0.trustRoots = .certificates([.file(path: authorities, format: .pem)]) }
  }
}
