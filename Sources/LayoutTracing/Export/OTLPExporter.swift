// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
public import Logging
internal import Synchronization

/// Sends the spans of a tracer to a collector, by OTLP over gRPC.
///
/// Nobody waits for it. While the collector is unreachable, spans gather in the tracer's queue, and
/// are dropped beyond its limit.
public final class OTLPExporter: Sendable {
  private typealias Client = Opentelemetry_Proto_Collector_Trace_V1_TraceService.Client<
    HTTP2ClientTransport.Posix
  >

  private let queue: SpanQueue
  private let configuration: OTLPConfiguration
  private let logger: Logger
  private let stopped: AsyncStream<Never>
  private let stopping: AsyncStream<Never>.Continuation
  /// Whether the last request failed, so that only the first of several failures is logged.
  private let isFailing = Mutex(false)

  /// An exporter that sends nothing before `run()`.
  public init(
    _ tracer: OTLPTracer,
    configuration: OTLPConfiguration,
    logger: Logger = Logger(label: "otlp-exporter") { _ in SwiftLogNoOpLogHandler() }
  ) {
    queue = tracer.queue
    self.configuration = configuration
    self.logger = logger
    (stopped, stopping) = AsyncStream.makeStream()
  }

  /// Sends spans until `stop()`, or until the task is cancelled; then tries once to send the rest.
  /// Call this once.
  ///
  /// - Throws: an error if the authorities of the endpoint cannot be read.
  public func run() async throws {
    defer { queue.close() }
    let transport = try HTTP2ClientTransport.Posix(
      target: target,
      transportSecurity: security
    )
    let client = GRPCClient(transport: transport)
    // The requests show what cannot be sent. Nobody waits for this task, because it does not end
    // while a collector accepts a connection and never greets.
    let connections = Task { try? await client.runConnections() }
    await send(to: Client(wrapping: client))
    // Abandoned calls that still wait for a connection end now.
    client.beginGracefulShutdown()
    connections.cancel()
  }

  /// Lets `run()` end, within the configuration's `lastTimeout`. Repeated calls have no effect.
  public func stop() { stopping.finish() }

  // MARK: - The endpoint

  private var target: any ResolvableTarget {
    let endpoint = configuration.endpoint
    if endpoint.host.contains(":") {
      return .ipv6(address: endpoint.host, port: endpoint.port)
    }
    return .dns(host: endpoint.host, port: endpoint.port)
  }

  private var security: HTTP2ClientTransport.Posix.TransportSecurity {
    guard configuration.endpoint.isEncrypted else { return .plaintext }
    let roots: TLSConfig.TrustRootsSource =
      configuration.authorities.map { .certificates([.file(path: $0, format: .pem)]) }
      ?? .systemDefault
    return .tls { $0.trustRoots = roots }
  }

  // MARK: - Sending

  private func send(to client: Client) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.sendRegularly(to: client) }
      for await _ in stopped {}
      group.cancelAll()
    }
    await sendLast(to: client)
  }

  private func sendRegularly(to client: Client) async {
    let wakings = queue.wakings()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [queue, configuration] in
        while (try? await Task.sleep(for: configuration.interval)) != nil { queue.wake() }
      }
      for await _ in wakings { await sendAll(to: client) }
      group.cancelAll()
    }
  }

  private func sendAll(to client: Client) async {
    while !Task.isCancelled {
      let spans = queue.take(atMost: configuration.batchCount)
      guard !spans.isEmpty else { return }
      await send(spans, to: client)
    }
  }

  /// Sends spans, repeatedly if necessary.
  private func send(_ spans: [SpanRecord], to client: Client) async {
    let request = ExportRequest(spans, resource: configuration.resource)
    var attempts = 0
    while true {
      let failure = await attempt(
        request,
        of: spans.count,
        to: client,
        within: configuration.timeout
      )
      guard let failure else { return }
      attempts += 1
      if Task.isCancelled { return queue.putBack(spans) }
      let delay = configuration.retries.delay(
        after: attempts,
        wanted: failure.delay,
        random: .random(in: 0 ... 1)
      )
      guard failure.isTransient, let delay else {
        return queue.dropped(spans.count, .exportFailed)
      }
      // Cancelled when the exporter is stopped; then the next attempt is the last.
      guard (try? await Task.sleep(for: delay)) != nil else { return queue.putBack(spans) }
    }
  }

  /// Sends the spans left when the exporter is stopped, in one request.
  private func sendLast(to client: Client) async {
    let spans = queue.take(atMost: .max)
    guard !spans.isEmpty else { return }
    let request = ExportRequest(spans, resource: configuration.resource)
    let limit = configuration.lastTimeout
    // In a task of its own, because this one may have been cancelled.
    let failure = await Task {
      await self.attempt(request, of: spans.count, to: client, within: limit)
    }.value
    if failure != nil { queue.dropped(spans.count, .shutdown) }
  }

  /// Sends a request once, and waits for the answer until `limit` or cancellation.
  ///
  /// The call runs in a task of its own that nobody waits for: a call of the library that is
  /// cancelled just before it queues for a connection does not end before there is one.
  ///
  /// - Returns: why the collector did not take the request; nil = it did.
  private func attempt(
    _ request: ExportRequest,
    of count: Int,
    to client: Client,
    within limit: Duration
  ) async -> ExportFailure? {
    let (outcomes, outcome) = AsyncStream<Result<ExportResponse, any Error>>.makeStream()
    let call = Task {
      var options = CallOptions.defaults
      options.timeout = limit
      options.waitForReady = false
      do {
        outcome.yield(.success(try await client.export(request, options: options)))
      } catch { outcome.yield(.failure(error)) }
    }
    let alarm = Task {
      try await Task.sleep(for: limit)
      outcome.yield(.failure(RPCError(code: .deadlineExceeded, message: "no answer in time")))
    }
    defer {
      call.cancel()
      alarm.cancel()
    }
    for await outcome in outcomes { return settle(outcome, of: count) }
    return ExportFailure(CancellationError())
  }

  /// Counts the spans that the collector accepted and refused, and logs faults.
  private func settle(
    _ outcome: Result<ExportResponse, any Error>,
    of count: Int
  ) -> ExportFailure? {
    switch outcome {
    case .success(let response):
      let rejected = Int(clamping: response.partialSuccess.rejectedSpans)
      let lost = min(max(rejected, 0), count)
      queue.exported(count - lost)
      queue.dropped(lost, .rejected)
      note(lost > 0 ? response.partialSuccess.errorMessage : nil)
      return nil
    case .failure(let error):
      let failure = ExportFailure(error)
      if !Task.isCancelled { note(failure.description) }
      return failure
    }
  }

  /// Logs the first of several failures, and their end.
  private func note(_ failure: String?) {
    let isNews = isFailing.withLock { isFailing in
      defer { isFailing = failure != nil }
      return isFailing != (failure != nil)
    }
    guard isNews else { return }
    let endpoint = configuration.endpoint
    let metadata: Logger.Metadata = ["collector": "\(endpoint.host):\(endpoint.port)"]
    if let failure {
      let reason = String(failure.prefix(SpanRecord.textLimit))
      logger.warning(
        "the collector does not take spans",
        metadata: metadata.merging(["reason": "\(reason)"]) { $1 }
      )
    } else {
      logger.info("the collector takes spans", metadata: metadata)
    }
  }
}
