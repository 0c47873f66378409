// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

/// Ends the process when a shutdown does not end: a computation that takes minutes cannot be
/// cancelled, and must not keep the process from ending.
enum ShutdownWatch {
  /// After `limit` logs and exits with success: what was acknowledged is stored by then.
  ///
  /// The timer has a thread of its own, since all others may be busy.
  static func begin(limit: Duration, logger: Logger) {
    let thread = Thread {
      Thread.sleep(forTimeInterval: limit / .seconds(1))
      logger.warning("the shutdown did not end; exiting", metadata: ["after": "\(limit)"])
      // Not `exit`: it would wait for what is still running.
      _exit(EXIT_SUCCESS)
    }
    thread.start()
  }
}
