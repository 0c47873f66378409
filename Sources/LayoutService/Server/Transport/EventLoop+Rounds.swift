// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

extension EventLoop {
  /// Runs a closure once the loop has looked at its connections. Call this on the loop.
  ///
  /// `execute` does not do that: the loop first executes all closures that are ready, and those
  /// that they add.
  func executeInNextRound(_ body: @escaping () -> Void) {
    // Whatever is due later lets the loop look at its connections.
    assumeIsolated().scheduleTask(in: .microseconds(20), body)
  }
}
