// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import Tracing

/// Makes a span of each call, which continues the trace named in its metadata. Names and attributes
/// follow OpenTelemetry's conventions for gRPC.
///
/// Layout streams make their own spans (`StreamTrace`); health checks, which come every second,
/// have none.
struct CallTracing: ServerInterceptor {
  let tracer: any Tracer

  /// The interceptor, for all methods that have spans.
  static func applied(with tracer: any Tracer) -> ConditionalInterceptor<any ServerInterceptor> {
    let methods = LayoutServices.methods.filter { !$0.isForEverybody && $0 != SessionStream.method }
    return .apply(CallTracing(tracer: tracer), to: .methods(Set(methods)))
  }

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>,
    context: ServerContext,
    next:
      @Sendable (StreamingServerRequest<Input>, ServerContext) async throws
      -> StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    let span = tracer.span(
      ofCall: context.descriptor,
      metadata: request.metadata,
      peer: context.remotePeer
    )
    guard let span else { return try await next(request, context) }
    return try await .noting {
      span.end(call: $0)
    } within: { [tracer] produce in
      try await Spans.run(below: span, of: tracer) { try await produce() }
    } _: {
      try await Spans.run(below: span, of: tracer) { try await next(request, context) }
    }
  }
}

extension Tracer {
  /// Begins the span of a call; nil = its trace is not recorded.
  func span(
    ofCall method: MethodDescriptor,
    metadata: Metadata,
    peer: String
  ) -> (any Tracing.Span)? {
    var context = InstrumentationContext.topLevel
    extract(metadata, into: &context, using: MetadataExtractor())
    let span = startAnySpan(method.fullyQualifiedMethod, context: context, ofKind: .server)
    guard span.isRecording else { return nil }
    span.updateAttributes { attributes in
      attributes["rpc.system.name"] = "grpc"
      attributes["rpc.method"] = method.fullyQualifiedMethod
      attributes["network.transport"] = "tcp"
      if let address = peer.networkAddress { attributes["network.peer.address"] = address }
    }
    return span
  }
}

extension Span {
  /// Ends the span of a call.
  ///
  /// - Parameter error: why it failed; nil = it succeeded.
  func end(call error: (any Error)?) {
    let status = error.map { CallStatus.name(of: $0) } ?? "OK"
    updateAttributes { attributes in
      attributes["rpc.response.status_code"] = status
      if let error, let reason = CallStatus.reason(of: error) {
        attributes["layout.refusal.reason"] = reason
      }
      if CallStatus.isServerFault(status) { attributes["error.type"] = status }
    }
    if CallStatus.isServerFault(status) { setStatus(SpanStatus(code: .error)) }
    end()
  }
}

/// Extracts trace headers from a call's metadata. Several of one name form a list, as in HTTP.
struct MetadataExtractor: Extractor {
  func extract(key: String, from carrier: Metadata) -> String? {
    let values = Array(carrier[stringValues: key])
    return values.isEmpty ? nil : values.joined(separator: ",")
  }
}

extension String {
  /// The address of a peer: "10.0.0.7" for "ipv4:10.0.0.7:51234"; nil = it has none.
  var networkAddress: String? {
    guard hasPrefix("ipv4:") || hasPrefix("ipv6:") else { return nil }
    let address = dropFirst(5)
    guard let port = address.lastIndex(of: ":") else { return nil }
    return address[..<port].filter { $0 != "[" && $0 != "]" }
  }
}
