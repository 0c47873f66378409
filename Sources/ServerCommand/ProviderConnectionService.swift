// SPDX-License-Identifier: Apache-2.0

import LayoutService
import ServiceLifecycle

/// The authorities of a layout's provider cannot be read.
struct CannotReachProviders: Error {
  var reason: String
}

/// Keeps connections to the providers of layouts, as a service of the process's `ServiceGroup`. It
/// precedes the server in the group, which ends services in reverse order: so layouts can be placed
/// until the server has ended.
struct ProviderConnectionService: Service {
  let providers: LayoutProviders

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await providers.run() }
    } catch is CancellationError {
      // Ends the process.
    } catch { throw CannotReachProviders(reason: "\(error)") }
  }
}
