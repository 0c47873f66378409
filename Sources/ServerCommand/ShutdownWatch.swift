// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Logging
import UnixSignals

/// Ends the process if a shutdown takes too long, for example because a computation does not
/// respond to cancellation, or if the operator asks again.
///
/// Both exit with success: everything that was acknowledged is stored by then. They use `_exit`,
/// because `exit` would wait for what is still running.
enum ShutdownWatch {
  /// How long after the first signal others mean nothing. Ctrl-C reaches a whole group of
  /// processes, of which some pass it on, so a server may get it twice at the same time.
  private static let pause = Duration.seconds(1)

  /// - Parameters:
  ///   - limit: how long the shutdown may take.
  ///   - signals: those of which another one, a second after the first or later, ends the process.
  static func begin(limit: Duration, signals: [UnixSignal], logger: Logger) {
    // Not in tasks, because all threads for these may be busy.
    let thread = Thread {
      Thread.sleep(forTimeInterval: limit / .seconds(1))
      logger.warning("the shutdown did not end; exiting", metadata: ["after": "\(limit)"])
      _exit(EXIT_SUCCESS)
    }
    thread.start()
    let queue = DispatchQueue(label: "shutdown-watch")
    let start = ContinuousClock.now
    for signal in signals {
      let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: queue)
      source.setEventHandler {
        // The source lasts as long as its handler, which is until the process ends.
        withExtendedLifetime(source) {}
        guard start.duration(to: .now) >= pause else { return }
        logger.warning("told again to shut down; exiting", metadata: ["signal": "\(signal)"])
        _exit(EXIT_SUCCESS)
      }
      source.resume()
    }
  }
}
