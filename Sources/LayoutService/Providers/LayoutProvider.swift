// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutProtocol
internal import LayoutTrust
internal import Logging
internal import Synchronization

/// A program that places one layout, and the connection to it.
final class LayoutProvider: Sendable {
  typealias Transport = HTTP2ClientTransport.Posix
  typealias Client = Wire.LayoutProviderService.Client<Transport>

  /// A connection that is restored whenever it breaks.
  struct Connection {
    var client: GRPCClient<Transport>
    var task: Task<Void, Never>

    func end() {
      client.beginGracefulShutdown()
      task.cancel()
    }
  }

  struct State {
    var configuration: LayoutProviderConfiguration
    /// Grows with each new configuration; results of earlier ones are ignored.
    var generation = 0
    var isOffered = true
    var connection: Connection?
    var description: Wire.ProvidedLayout?
    /// Whether to try UpdatePlacement: the provider has not answered UNIMPLEMENTED so far.
    var offersUpdates = true
    /// Whether the last answer to UpdatePlacement broke a rule. Only the first one in a row is
    /// logged as a warning.
    var lastUpdateBrokeRule = false
    var faults: ProviderFaults
    /// Whether the log says that it fails.
    var isLoggedAsFailing = false
    /// Clients decide when a provider fails, by parameters that it does not take.
    var lines = TokenBucket(perSecond: 1, burst: 10)
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
  let logger: Logger
  let state: Mutex<State>
  let turns: CallPermits
  /// Turns for what has failed before: fewer than all, so that it cannot delay everything else.
  let retries: CallPermits

  /// - Parameter isRegistered: whether it was registered while the server runs.
  init(_ configuration: LayoutProviderConfiguration, isRegistered: Bool = false, logger: Logger) {
    layout = configuration.layout
    self.logger = logger
    let subject = "layouts that another program places"
    turns = CallPermits(configuration.callLimit, subject: subject)
    retries = CallPermits(configuration.callLimit / 2, subject: subject)
    state = Mutex(State(configuration, isRegistered: isRegistered))
  }

  var configuration: LayoutProviderConfiguration { state.withLock { $0.configuration } }

  /// Whether clients may request its layout.
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

  /// Connects, and keeps the connection.
  ///
  /// - Throws: an error if the authorities cannot be read.
  func connect() throws {
    let configuration = configuration
    let client = GRPCClient(
      transport: try Transport(
        target: configuration.target,
        transportSecurity: try configuration.security,
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
    // Nobody waits for this task: it does not end while a provider accepts a connection and never
    // greets.
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

  /// Moves the layout to the program at another address.
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

  /// Refuses the layout to clients from now on. Sessions that show it keep what they show.
  func withdraw() {
    state.withLock { $0.isOffered = false }
    disconnect()
  }

  // MARK: - Health

  /// Asks the provider for its description.
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

  /// Changes the state, unless another program was registered for the layout after the call began.
  @discardableResult
  func note<Result>(
    _ generation: Int,
    _ change: (inout sending State) -> sending Result
  ) -> Result? {
    state.withLock { state in state.generation == generation ? change(&state) : nil }
  }
}

extension LayoutProviderConfiguration {
  fileprivate var target: any ResolvableTarget {
    host.contains(":") ? .ipv6(address: host, port: port) : .dns(host: host, port: port)
  }

  /// - Throws: `TrustError` if the authorities cannot be read.
  fileprivate var security: LayoutProvider.Transport.TransportSecurity {
    get throws(TrustError) {
      guard let authorities else { return .plaintext }
      var file = WatchedFile(path: authorities)
      let pem = Array(try file.read())
      return .tls { $0.trustRoots = .certificates([.bytes(pem, format: .pem)]) }
    }
  }
}
