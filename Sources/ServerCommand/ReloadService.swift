// SPDX-License-Identifier: Apache-2.0

import LayoutService
import Logging
import ServiceLifecycle
import UnixSignals

/// Reloads the files of TLS and identities whenever SIGHUP comes, as a service of the process's
/// `ServiceGroup`.
struct ReloadService: Service {
  let security: ServerSecurity
  let logger: Logger

  func run() async {
    // Signals that arrive while files are being read lead to a single further reading.
    let (requests, request) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    await withTaskGroup { group in
      group.addTask {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
          request.yield()
        }
        request.finish()
      }
      for await _ in requests {
        logger.info("SIGHUP: reloading the files of TLS and identities")
        await security.reload()
      }
    }
  }
}
