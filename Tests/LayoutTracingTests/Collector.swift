// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutTracing
import Synchronization

typealias ExportedSpan = Opentelemetry_Proto_Trace_V1_Span
typealias Export = Opentelemetry_Proto_Collector_Trace_V1_TraceService.Method.Export
typealias ExportReply = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceResponse

/// A collector in the same process.
final class Collector: Sendable {
  private struct State {
    var spans: [ExportedSpan] = []
    var resource: [String: String] = [:]
    var requests = 0
    var answers: [Result<ExportReply, RPCError>] = []
  }

  private let state: Mutex<State>
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  /// - Parameter answers: the first ones; afterwards all is taken.
  init(answering answers: [Result<ExportReply, RPCError>] = []) {
    state = Mutex(State(answers: answers))
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var spans: [ExportedSpan] { state.withLock { $0.spans } }
  var requests: Int { state.withLock { $0.requests } }
  var resource: [String: String] { state.withLock { $0.resource } }

  /// Waits until the spans are as is wanted.
  func spans(where isEnough: ([ExportedSpan]) -> Bool) async -> [ExportedSpan] {
    if isEnough(spans) { return spans }
    for await _ in changes where isEnough(spans) { break }
    return spans
  }

  fileprivate func take(
    _ request: Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest
  ) throws -> ExportReply {
    defer { changed.yield() }
    return try state.withLock { state in
      state.requests += 1
      let answer = state.answers.isEmpty ? .success(.init()) : state.answers.removeFirst()
      let reply = try answer.get()
      for group in request.resourceSpans {
        for pair in group.resource.attributes {
          state.resource[pair.key] = pair.value.stringValue
        }
        state.spans += group.scopeSpans.flatMap(\.spans)
      }
      return reply
    }
  }

  /// Runs the collector. It does not end before the process: a connection that comes while a
  /// listener closes ends the process, by a precondition in NIO.
  func run(_ body: @Sendable (OTLPEndpoint) async throws -> Void) async throws {
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: 0),
      transportSecurity: .plaintext
    )
    let server = GRPCServer(transport: transport, services: [Service(collector: self)])
    Task { try await server.serve() }
    let port = try await transport.listeningAddress.ipv4?.port ?? 0
    guard let endpoint = OTLPEndpoint("http://127.0.0.1:\(port)") else { return }
    try await body(endpoint)
  }
}

private struct Service: Opentelemetry_Proto_Collector_Trace_V1_TraceService.SimpleServiceProtocol {
  let collector: Collector

  func export(
    request: Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest,
    context: ServerContext
  ) async throws -> ExportReply {
    try collector.take(request)
  }
}
