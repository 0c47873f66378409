// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A connection that waits for its turn, on its event loop.
protocol TakesTurns: AnyObject {
  /// Called once for each `CallTurns.wait`. A connection that has ended since ignores it.
  func takeTurn()
}

/// Lets the connections of one event loop begin their calls a few at a time. Other work of a
/// connection that takes about as long as beginning a call takes turns too.
///
/// Beginning a call keeps the event loop and Swift's threads busy for about as long as many steps
/// of a session. If a hundred began at once, all other connections of the loop would wait for them.
/// So only a few begin in each turn; the next turn follows when the threads have finished what was
/// queued at the end of the last one, and the loop serves its other connections in between.
/// Addresses with waiting calls take turns, and so do the connections of an address. Waiting calls
/// of a connection that closes cost nothing.
///
/// Its state belongs to the event loop.
final class CallTurns: @unchecked Sendable {
  // Unchecked: all methods are called on `loop` alone; `turn` hops to it.

  /// Runs a closure on the event loop later.
  typealias Turn = @Sendable (any EventLoop, @escaping @Sendable () -> Void) -> Void

  /// How many calls begin in one turn.
  static let callCount = 4

  private let loop: any EventLoop
  private let turn: Turn
  /// How many calls may still begin in this turn.
  private var room = callCount
  /// Waiting connections by address; no queue is empty.
  private var waiting: [PeerAddress: CircularBuffer<any TakesTurns>] = [:]
  /// The addresses in `waiting`, each once, the next one first.
  private var order = CircularBuffer<PeerAddress>()
  /// Whether waiting connections are being served, so that their calls need not wait again.
  private var isServing = false
  /// Whether the next turn has been asked for.
  private var isComing = false

  init(loop: any EventLoop, turn: @escaping Turn) {
    self.loop = loop
    self.turn = turn
  }

  /// Takes the place of one call in this turn.
  ///
  /// - Returns: whether the call may begin; if not, the connection has to `wait`.
  func begin() -> Bool {
    loop.preconditionInEventLoop()
    guard room > 0, isServing || order.isEmpty else { return false }
    room -= 1
    if room == 0 { askForNext() }
    return true
  }

  /// Queues a connection, whose `takeTurn` is called once. It must not be waiting already.
  func wait(_ connection: any TakesTurns, of address: PeerAddress) {
    loop.preconditionInEventLoop()
    if waiting[address] == nil { order.append(address) }
    waiting[address, default: CircularBuffer(initialCapacity: 1)].append(connection)
    // While there is room no call asks for the next turn, and none may begin before this one.
    if room > 0 { askForNext() }
  }

  private func askForNext() {
    guard !isComing else { return }
    isComing = true
    turn(loop) { self.next() }
  }

  private func next() {
    loop.preconditionInEventLoop()
    isComing = false
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

  /// The next turn comes when Swift's threads have finished all that is queued now, and the loop
  /// has looked at its connections.
  static let afterWaitingJobs: Turn = { loop, body in
    // In a later round, because the loop does not look at its connections while it has closures to
    // execute; a closure that arrives during this turn would run in the same round.
    loop.execute {
      // Ends at once, so nobody has to wait for it.
      Task.detached { loop.execute(body) }
    }
  }
}
