// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A connection that waits for its turn. It belongs to an event loop.
protocol TakesTurns: AnyObject {
  /// Called once for each `CallTurns.wait`. If the connection has ended since, nothing happens.
  func takeTurn()
}

/// Lets the connections of one event loop begin their calls a few at a time. What else a client can have the loop
/// work on, in pieces that take about as long, waits for its turn too.
///
/// To begin a call takes the event loop and Swift's threads about as long as many steps of a session.
/// If a hundred began at once, all other connections of the loop would wait for all of them. So only
/// a few begin in each turn; a turn follows once the threads have worked on what waited for them when
/// the last one ended, and the loop looks after its other connections in between. Addresses that have
/// calls waiting take turns, and so do the connections of an address. If a client closes a connection
/// with calls that wait, those cost nothing.
///
/// Its state belongs to the event loop.
final class CallTurns: @unchecked Sendable {
  // Unchecked: all methods are called on `loop` alone; `turn` hops to it.

  /// Runs something on the event loop, later.
  typealias Turn = @Sendable (any EventLoop, @escaping @Sendable () -> Void) -> Void

  /// That begin in one turn.
  static let callCount = 4

  private let loop: any EventLoop
  private let turn: Turn
  /// How many calls may still begin in this turn.
  private var room = callCount
  /// Connections that wait, by address; no queue is empty.
  private var waiting: [PeerAddress: CircularBuffer<any TakesTurns>] = [:]
  /// The addresses of `waiting`, each once, the next first.
  private var order = CircularBuffer<PeerAddress>()
  /// Whether those who waited begin just now, so that their calls need not wait again.
  private var isServing = false

  init(loop: any EventLoop, turn: @escaping Turn) {
    self.loop = loop
    self.turn = turn
  }

  /// Takes the place of one call in this turn.
  ///
  /// - Returns: whether it may begin; if not, the connection has to `wait`.
  func begin() -> Bool {
    loop.preconditionInEventLoop()
    guard room > 0, isServing || order.isEmpty else { return false }
    room -= 1
    if room == 0 { turn(loop) { self.next() } }
    return true
  }

  /// Queues a connection, whose `takeTurn` is then called once. It must not wait already.
  func wait(_ connection: any TakesTurns, of address: PeerAddress) {
    loop.preconditionInEventLoop()
    if waiting[address] == nil { order.append(address) }
    waiting[address, default: CircularBuffer(initialCapacity: 1)].append(connection)
  }

  private func next() {
    loop.preconditionInEventLoop()
    room = Self.callCount
    isServing = true
    defer { isServing = false }
    while room > 0, let address = order.popFirst(), var queue = waiting.removeValue(forKey: address)
    {
      guard let connection = queue.popFirst() else { continue }
      if !queue.isEmpty {
        waiting[address] = queue
        order.append(address)
      }
      connection.takeTurn()
    }
  }

  /// The next turn comes once Swift's threads have worked on all that waits for them now, and the loop has looked at
  /// its connections.
  static let afterWaitingJobs: Turn = { loop, body in
    // Later, because the loop does not look at its connections as long as it has something to execute: what comes
    // back while it still works on this turn would belong to the same round.
    loop.execute {
      // It ends at once, so that nobody need wait for it.
      Task.detached { loop.execute(body) }
    }
  }
}
