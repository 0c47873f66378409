// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol

/// Answers gRPC's standard health checks: not serving while the server leaves or drains, and while
/// its store does not work.
struct HealthResponder: Sendable {
  /// Full names of the services; "" is the server as a whole.
  let services: Set<String>
  let drain: DrainSignal
  let store: StorageHealth

  init(services: [String], drain: DrainSignal, store: StorageHealth) {
    self.services = Set(services + [""])
    self.drain = drain
    self.store = store
  }

  private var status: Grpc_Health_V1_HealthCheckResponse.ServingStatus {
    drain.isLeaving || store.fault != nil ? .notServing : .serving
  }

  func check(
    _ request: Grpc_Health_V1_HealthCheckRequest
  ) throws -> Grpc_Health_V1_HealthCheckResponse {
    guard services.contains(request.service) else {
      throw RPCError(code: .notFound, message: "There is no such service.")
    }
    return response(status)
  }

  func list() -> Grpc_Health_V1_HealthListResponse {
    var list = Grpc_Health_V1_HealthListResponse()
    for service in services { list.statuses[service] = response(status) }
    return list
  }

  func watch(
    _ request: Grpc_Health_V1_HealthCheckRequest,
    to writer: TimedWriter<Grpc_Health_V1_HealthCheckResponse>
  ) async throws {
    let wake = WakeSignal()
    let observer = drain.observe(isEarly: true) { wake.set() }
    defer { drain.remove(observer) }
    let storeObserver = store.observe { wake.set() }
    defer { store.remove(storeObserver) }
    try await withRPCWake(wake) {
      var told: Grpc_Health_V1_HealthCheckResponse.ServingStatus?
      while true {
        let status = services.contains(request.service) ? status : .serviceUnknown
        if status != told {
          try await writer.write(response(status))
          told = status
        }
        if drain.isDraining { return }
        if wake.isCancelled || Task.isCancelled { throw CancellationError() }
        await wake.wait()
      }
    }
  }

  private func response(
    _ status: Grpc_Health_V1_HealthCheckResponse.ServingStatus
  ) -> Grpc_Health_V1_HealthCheckResponse {
    var response = Grpc_Health_V1_HealthCheckResponse()
    response.status = status
    return response
  }
}
