// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// What the connections of one event loop have left for later rounds. Together they have a
/// millisecond of each round, one after another, and the loop looks at its connections in between.
///
/// `execute` does not do that: a loop first runs all closures that are ready, and those that they
/// add. Nor would a task for each connection: while one runs, the others become ready.
///
/// Its state belongs to the event loop.
final class LaterRounds: @unchecked Sendable {
  // Unchecked: all methods are called on `loop` alone.

  /// How long the closures of one round may take before no other begins.
  private static let mostTime = TimeAmount.milliseconds(1)
  /// Whatever is due later lets the loop look at its connections, if it has nothing else to run.
  private static let pause = TimeAmount.microseconds(20)

  private let loop: any EventLoop
  private var waiting = CircularBuffer<() -> Void>()
  private var isScheduled = false

  init(_ loop: any EventLoop) { self.loop = loop }

  /// Runs a closure in a later round, after those that wait already.
  func add(_ body: @escaping () -> Void) {
    loop.preconditionInEventLoop()
    waiting.append(body)
    schedule()
  }

  private func schedule() {
    guard !isScheduled, !waiting.isEmpty else { return }
    isScheduled = true
    let loop = loop.assumeIsolated()
    // Behind what this round still has to run, such as its flushes.
    loop.execute { loop.scheduleTask(in: Self.pause) { self.run() } }
  }

  private func run() {
    let begin = NIODeadline.now()
    // Those that the closures add are for the next round.
    var count = waiting.count
    while count > 0, let body = waiting.popFirst() {
      count -= 1
      body()
      if NIODeadline.now() - begin >= Self.mostTime { break }
    }
    isScheduled = false
    schedule()
  }
}
