// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

/// Ends the process if a shutdown takes too long, for example because a computation does not
/// respond to cancellation.
enum ShutdownWatch {
  /// Exits with success after `limit`, and logs that. Everything that was acknowledged is stored by
  /// then.
  ///
  /// The timer runs on its own thread, because all others may be busy.
  static func begin(limit: Duration, logger: Logger) {
    let thread = Thread {
      Thread.sleep(forTimeInterval: limit / .seconds(1))
      logger.warning("the shutdown did not end; exiting", metadata: ["after": "\(limit)"])
      // Not `exit`, which would wait for what is still running.
      _exit(EXIT_SUCCESS)
    }
    thread.start()
  }
}
