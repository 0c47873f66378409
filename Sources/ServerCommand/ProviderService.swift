// SPDX-License-Identifier: Apache-2.0

import LayoutService
import ServiceLifecycle

/// The authorities of layouts' providers cannot be read.
struct CannotReachProviders: Error {
  var reason: String
}

/// Keeps connections to layouts' providers as a service of the process's `ServiceGroup`. It comes before the
/// server in the group, which ends services in reverse: so the last layouts are placed too.
struct ProviderService: Service {
  let providers: LayoutProviders

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await providers.run() }
    } catch is CancellationError {
      // The end of the process.
    } catch { throw CannotReachProviders(reason: "\(error)") }
  }
}
