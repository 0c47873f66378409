// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Runs turns on an event loop one after another, and lets the loop look at its connections in
/// between.
final class LoopTurns: @unchecked Sendable {
  // Unchecked: what can change is used on the event loop alone, which is checked.

  typealias Turn = @Sendable () -> Void

  /// How long turns may take before the loop looks at its connections.
  private static let mostTime = TimeAmount.milliseconds(1)

  private let loop: any EventLoop
  private var isRunning = false
  /// The turn that the running one has started.
  private var next: Turn?

  init(_ loop: any EventLoop) { self.loop = loop }

  /// Starts a turn soon: on another thread, or as the last thing that a turn does.
  func start(_ turn: @escaping Turn) {
    guard loop.inEventLoop, isRunning, next == nil else {
      loop.execute { self.run(turn) }
      return
    }
    next = turn
  }

  private func run(_ first: @escaping Turn) {
    let begin = NIODeadline.now()
    var turn = first
    while true {
      isRunning = true
      turn()
      isRunning = false
      guard let following = next else { return }
      next = nil
      turn = following
      guard NIODeadline.now() - begin < Self.mostTime else { break }
    }
    let left = turn
    loop.executeInNextRound { self.run(left) }
  }
}
