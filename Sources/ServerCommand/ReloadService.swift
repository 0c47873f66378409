// SPDX-License-Identifier: Apache-2.0

import LayoutService
import Logging
import ServiceLifecycle
import UnixSignals

/// Reloads the files of TLS and identities whenever SIGHUP comes, as a service of the process's `ServiceGroup`.
struct ReloadService: Service {
  let security: ServerSecurity
  let logger: Logger

  func run() async {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      logger.info("SIGHUP: reloading the files of TLS and identities")
      await security.reload()
    }
  }
}
