// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Looks after all connections of one event loop, now and then: one timer for all of them.
///
/// Its state belongs to the event loop.
final class ConnectionRounds: @unchecked Sendable {
  // Unchecked: `add`, `remove` and `look` are called on `loop` alone, the others hop to it.

  /// Limits are kept to within that time.
  private static let interval = TimeAmount.milliseconds(500)
  /// What one round counts as at most: where the server itself did not get to look, because the
  /// machine was busy or asleep, its clients are not to blame.
  private static let longestRound = TimeAmount.seconds(1)

  /// In which the loop's connections begin their calls.
  let turns: CallTurns
  private let loop: any EventLoop
  private var connections: [ObjectIdentifier: ConnectionGuard] = [:]
  private var timer: RepeatedTask?
  private var last = NIODeadline.now()
  /// The time as the connections know it.
  private var now = NIODeadline.now()

  init(loop: any EventLoop, turn: @escaping CallTurns.Turn) {
    self.loop = loop
    turns = CallTurns(loop: loop, turn: turn)
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
