// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutProtocol
internal import Logging
internal import ResourceAccounting
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One program that places a layout, and the connection to it.
final class LayoutProvider: Sendable {
  private typealias Transport = HTTP2ClientTransport.Posix
  private typealias Client = Wire.LayoutProviderService.Client<Transport>

  private struct State {
    var client: GRPCClient<Transport>?
    var description: Wire.ProvidedLayout?
    var faults: ProviderFaults
    var isFailing = false
  }

  let configuration: LayoutProviderConfiguration
  private let logger: Logger
  private let state: Mutex<State>
  private let turns: CallPermits

  init(_ configuration: LayoutProviderConfiguration, logger: Logger) {
    self.configuration = configuration
    self.logger = logger
    turns = CallPermits(configuration.callLimit)
    state = Mutex(
      State(
        faults: ProviderFaults(
          first: configuration.firstRetry,
          longest: configuration.longestRetry
        )
      )
    )
  }

  var layout: String { configuration.layout }

  // MARK: - The connection

  /// Keeps a connection until the task is cancelled.
  ///
  /// - Throws: an error if the authorities cannot be read.
  func run() async throws {
    let client = GRPCClient(
      transport: try Transport(
        target: target,
        transportSecurity: security,
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
    state.withLock { $0.client = client }
    // Nobody waits for this task, since it does not end while a provider accepts a connection and never greets.
    let connections = Task { try? await client.runConnections() }
    while (try? await Task.sleep(for: .seconds(3600))) != nil {}
    state.withLock { $0.client = nil }
    client.beginGracefulShutdown()
    connections.cancel()
  }

  private var target: any ResolvableTarget {
    configuration.host.contains(":")
      ? .ipv6(address: configuration.host, port: configuration.port)
      : .dns(host: configuration.host, port: configuration.port)
  }

  private var security: Transport.TransportSecurity {
    guard let authorities = configuration.authorities else { return .plaintext }
    return .tls { $0.trustRoots = .certificates([.file(path: authorities, format: .pem)]) }
  }

  // MARK: - Placing

  /// Asks the provider to place contents.
  ///
  /// - Returns: the elements, and the charge for them.
  /// - Throws: `LayoutProblem` where the provider is away or fails, `LimitExceeded` where the account has no
  ///   room, `CancellationError`.
  func place(
    _ context: LayoutContext,
    subject: ProviderSubject,
    account: Account?,
    byteLimit: Int
  ) async throws -> (Placement, Lease?) {
    if let problem = state.withLock({ $0.faults.problem(of: subject, at: .now) }) { throw problem }
    do {
      let placed = try await call(context, subject, account, byteLimit)
      let isOver = state.withLock { state in
        state.faults.succeeded(subject)
        defer { state.isFailing = false }
        return state.isFailing
      }
      if isOver { logger.info("the layout's provider answers again", metadata: metadata) }
      return placed
    } catch {
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      if error is LimitExceeded || error is LayoutProblem { throw error }
      let (problem, isNews) = state.withLock { state in
        state.description = nil
        defer { state.isFailing = true }
        return (state.faults.note(self.problem(error), of: subject, at: .now), !state.isFailing)
      }
      if isNews {
        let reason: Logger.Metadata = ["reason": "\(problem.message)"]
        logger.warning("a layout's provider fails", metadata: metadata.merging(reason) { $1 })
      }
      throw problem
    }
  }

  private var metadata: Logger.Metadata {
    ["layout": "\(layout)", "provider": "\(configuration.host):\(configuration.port)"]
  }

  /// What a client is told of a fault.
  private func problem(_ error: any Error) -> LayoutProblem {
    let delay = configuration.firstRetry
    switch error {
    case let fault as PlacementFault:
      return .layoutProviderFailed(layout, fault.description, retryDelay: delay)
    case let error as RPCError where error.code == .unavailable:
      return .layoutProviderUnavailable(layout, Self.short(error.message), retryDelay: delay)
    case let error as RPCError:
      let text = "\(error.code): \(Self.short(error.message))"
      return .layoutProviderFailed(layout, text, retryDelay: delay)
    default:
      return .layoutProviderUnavailable(layout, Self.short("\(error)"), retryDelay: delay)
    }
  }

  private static func short(_ text: String) -> String { String(text.prefix(200)) }

  /// One call, given up when its time is over.
  ///
  /// It runs in a task of its own that nobody waits for: a call of the library that is cancelled just before it
  /// queues for a connection does not end before there is one.
  private func call(
    _ context: LayoutContext,
    _ subject: ProviderSubject,
    _ account: Account?,
    _ byteLimit: Int
  ) async throws -> (Placement, Lease?) {
    guard let client = state.withLock({ $0.client }) else {
      throw RPCError(code: .unavailable, message: "the server is not running")
    }
    await turns.take()
    defer { turns.giveBack() }
    try Task.checkCancellation()
    if let problem = state.withLock({ $0.faults.problem(of: subject, at: .now) }) { throw problem }
    let limit = configuration.timeout
    let (outcomes, outcome) = AsyncStream<Result<(Placement, Lease?), any Error>>.makeStream()
    let call = Task {
      do {
        let placed = try await self.ask(
          Client(wrapping: client),
          context,
          subject.parameters,
          account,
          byteLimit
        )
        outcome.yield(.success(placed))
      } catch { outcome.yield(.failure(error)) }
    }
    let alarm = Task {
      try await Task.sleep(for: limit)
      outcome.yield(
        .failure(RPCError(code: .deadlineExceeded, message: "no answer within \(limit)"))
      )
    }
    defer {
      call.cancel()
      alarm.cancel()
    }
    for await outcome in outcomes { return try outcome.get() }
    throw CancellationError()
  }

  private func ask(
    _ client: Client,
    _ context: LayoutContext,
    _ parameters: [String: CustomValue],
    _ account: Account?,
    _ byteLimit: Int
  ) async throws -> (Placement, Lease?) {
    var options = CallOptions.defaults
    options.timeout = configuration.timeout
    options.waitForReady = false
    options.maxResponseMessageBytes = 4 << 20
    let metadata = try credentials
    let description = try await description(client, options, metadata)
    let contents = context.contents
    guard description.maxItems == 0 || contents.itemCount <= description.maxItems else {
      throw PlacementFault("\(contents.itemCount) items found; it places \(description.maxItems)")
    }
    let elementLimit = configuration.elementLimit
    let lease = try account?.charge(0)
    let start = Wire.PrepareLayoutStart(layout: layout, parameters: parameters, context)
    let placement = try await client.prepareLayout(metadata: metadata, options: options) { writer in
      var request = Wire.PrepareLayoutRequest()
      request.start = start
      try await writer.write(request)
      var parts = ContentsParts(contents)
      while let part = parts.next() {
        var request = Wire.PrepareLayoutRequest(part)
        // What items carry besides is for viewers.
        if case .items = request.part { request.items.data = [] }
        try await writer.write(request)
      }
    } onResponse: { response in
      var builder = PlacementBuilder(contents, elementLimit: elementLimit)
      try lease?.adjust(to: builder.byteCount)
      var placement: Placement?
      for try await message in response.messages {
        guard placement == nil else { throw PlacementFault("something came after the end") }
        switch message.part {
        case .elements(let elements):
          try builder.add(PlacedColumns(elements))
          guard builder.byteCount <= byteLimit else {
            throw PlacementFault("the elements take more than \(byteLimit) bytes")
          }
          try lease?.adjust(to: builder.byteCount)
        case .end(let end):
          placement = try builder.finish(end, scrollAxis: description.scrollAxis)
        case nil: throw PlacementFault("a response has no part that this server knows")
        }
      }
      guard let placement else { throw PlacementFault("the answer has no end") }
      return placement
    }
    return (placement, lease)
  }

  /// What the provider says of the layout, asked once and after faults.
  private func description(
    _ client: Client,
    _ options: CallOptions,
    _ metadata: Metadata
  ) async throws -> Wire.ProvidedLayout {
    if let known = state.withLock({ $0.description }) { return known }
    let response = try await client.describeLayouts(
      Wire.DescribeLayoutsRequest(),
      metadata: metadata,
      options: options
    )
    guard let found = response.layouts.first(where: { $0.name == layout }) else {
      throw PlacementFault("the provider has no layout of this name")
    }
    state.withLock { $0.description = found }
    return found
  }

  private var credentials: Metadata {
    get throws {
      guard let path = configuration.tokenFile else { return [:] }
      let token = try String(contentsOf: URL(filePath: path), encoding: .utf8)
      let trimmed = token.split(whereSeparator: \.isWhitespace).first.map { String($0) } ?? ""
      return ["authorization": "Bearer \(trimmed)"]
    }
  }
}

/// Lets so many calls run at once; the others wait in order.
private final class CallPermits: Sendable {
  private let state: Mutex<(free: Int, waiters: [CheckedContinuation<Void, Never>])>

  init(_ count: Int) { state = Mutex((free: max(1, count), waiters: [])) }

  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiters.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard !state.waiters.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.resume()
  }
}
