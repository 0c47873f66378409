// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Checks all connections of one event loop periodically, with one timer.
///
/// Its state belongs to the event loop.
final class ConnectionRounds: @unchecked Sendable {
  // Unchecked: `add`, `remove` and `look` are called on `loop` alone, the others hop to it.

  /// How often connections are checked, so how late a limit may apply.
  private static let interval = TimeAmount.milliseconds(500)
  /// The most time that one round counts for: when the server could not check, because the machine
  /// was busy or asleep, its clients are not to blame.
  private static let longestRound = TimeAmount.seconds(1)

  /// The turns in which the loop's connections begin their calls.
  let turns: CallTurns
  /// The lanes of the loop's layout streams.
  let lanes: LaneLoop
  /// What the loop's connections have left for later rounds.
  let later: LaterRounds
  private let loop: any EventLoop
  private var connections: [ObjectIdentifier: ConnectionGuard] = [:]
  private var timer: RepeatedTask?
  private var last = NIODeadline.now()
  /// The time that connections are given, which stands still while nobody checks.
  private var now = NIODeadline.now()

  init(loop: any EventLoop, turn: @escaping CallTurns.Turn) {
    self.loop = loop
    turns = CallTurns(loop: loop, turn: turn)
    lanes = LaneLoop(loop)
    later = LaterRounds(loop)
  }

  func add(_ connection: ConnectionGuard) {
    loop.preconditionInEventLoop()
    connections[ObjectIdentifier(connection)] = connection
    guard timer == nil else { return }
    timer = loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { _ in
      self.look(at: .now())
    }
  }

  func remove(_ connection: ConnectionGuard) {
    loop.preconditionInEventLoop()
    connections[ObjectIdentifier(connection)] = nil
    guard connections.isEmpty else { return }
    timer?.cancel()
    timer = nil
  }

  func closeAll() {
    loop.execute { for connection in Array(self.connections.values) { connection.close() } }
  }

  private func look(at present: NIODeadline) {
    now = now + min(present - last, Self.longestRound)
    last = present
    for connection in Array(connections.values) { connection.check(at: now) }
  }
}
