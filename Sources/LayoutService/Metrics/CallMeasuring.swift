// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// Measures calls from the arrival of their metadata until their status is known.
///
/// Layout streams measure themselves (`SessionStream`): an interceptor would take memory for each.
struct CallMeasuring: ServerInterceptor {
  let metrics: ServiceMetrics

  /// The interceptor, for all methods that it measures.
  static func applied(
    with metrics: ServiceMetrics
  ) -> ConditionalInterceptor<any ServerInterceptor> {
    .apply(
      CallMeasuring(metrics: metrics),
      to: .methods(Set(LayoutServices.methods).subtracting([SessionStream.method]))
    )
  }

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>,
    context: ServerContext,
    next:
      @Sendable (StreamingServerRequest<Input>, ServerContext) async throws ->
      StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    let (start, method, metrics) = (ContinuousClock.now, context.descriptor, metrics)
    @Sendable func note(_ error: (any Error)?) {
      metrics.call(method, took: start.duration(to: .now), error: error)
    }
    return try await .noting(note) { try await next(request, context) }
  }
}
