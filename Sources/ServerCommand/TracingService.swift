// SPDX-License-Identifier: Apache-2.0

import LayoutTracing
import ServiceLifecycle

/// Traces cannot be sent because of a local error, whatever the collector answers.
struct CannotTrace: Error {
  var reason: String
}

/// Sends traces as a service of the process's `ServiceGroup`. It is before the server in the group,
/// which ends services in reverse order: so the spans of the last calls are sent too.
struct TracingService: Service {
  let exporter: OTLPExporter

  func run() async throws {
    try await withGracefulShutdownHandler {
      do { try await exporter.run() } catch { throw CannotTrace(reason: "\(error)") }
    } onGracefulShutdown: {
      exporter.stop()
    }
  }
}
