// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

// Calls that wait at the same time. The messages can be read by one task only, so one reads for all
// of them. It is none of theirs: reading in a cancelled task would end the stream for the others.

extension LayoutViewer {
  /// How the session has ended.
  enum End {
    /// The viewer has closed it.
    case closed
    /// Later calls throw the same error.
    case failed(any Error)
  }

  /// Waits until a message was taken, or a stream was opened or has ended. The message may be for
  /// another call: the caller checks whether what it needs is there, and waits again if not.
  ///
  /// - Returns: false if the session was closed.
  /// - Throws: why the session has ended; `CancellationError`, after which the session goes on.
  func advance() async throws -> Bool {
    switch end {
    case .closed: return false
    case .failed(let error): throw error
    case nil: break
    }
    try Task.checkCancellation()
    if reading == nil { startReading() }
    lastReader += 1
    let number = lastReader
    let (steps, step) = AsyncStream.makeStream(of: Void.self)
    readers[number] = step
    for await _ in steps {}
    readers[number] = nil
    try Task.checkCancellation()
    return true
  }

  private func startReading() {
    reading = Task {
      await step()
      reading = nil
      let readers = self.readers
      self.readers = [:]
      for reader in readers.values { reader.finish() }
    }
  }

  /// Takes one message, or opens a new stream.
  private func step() async {
    do {
      if isBroken { return try await reconnect() }
      guard let response = try await read() else {
        guard !isClosing, session != "" else { return finish(.closed) }
        // A server that ends a stream that nobody has closed is going away.
        noteEnd()
        return breakOff("the server ended the stream")
      }
      guard let arrival = take(response) else { return }
      guard let fault = fatalFault(of: arrival, response) else { return deliver(arrival) }
      finish(.failed(RPCError(code: .dataLoss, message: "frames cannot be applied: \(fault)")))
    } catch {
      await take(error)
    }
  }

  private func take(_ error: any Error) async {
    // The viewer is being closed.
    if Task.isCancelled { return }
    guard !isBroken, !isClosing, session != "", let error = error as? RPCError else {
      return finish(.failed(error))
    }
    noteEnd()
    if isSessionLost(error) {
      resumeToken = []
    } else if await !mayReconnect(after: error) {
      return finish(.failed(error))
    }
    breakOff(error.message)
  }

  private func finish(_ how: End) { if end == nil { end = how } }

  func breakOff(_ reason: String) {
    // What is sent from now on waits for the next stream.
    (isBroken, isOnline) = (true, false)
    deliver(.disconnected(reason))
  }

  /// Hands an arrival to the call that waits for it, or else to `next()`.
  func deliver(_ arrival: Arrival) {
    switch arrival {
    case .eventApplied(let event, _, _) where awaited.contains(event),
      .eventRefused(let event, _) where awaited.contains(event):
      answers[event] = arrival
    default: arrivals.append(arrival)
    }
  }

  /// Ends the wait for the answer to an event. If it was never sent, it will not be.
  func stopAwaiting(_ event: UInt64) {
    awaited.remove(event)
    answers[event] = nil
    pending.withdraw(event)
  }

  /// The most arrivals that are kept for `next()` while other calls read.
  private static let mostArrivals = 64
  /// The most notices that are kept while the session is being opened.
  private static let mostNotices = 16

  /// Drops the oldest arrivals, because nobody may ever ask for them.
  func forgetOldArrivals() { arrivals.removeFirst(max(0, arrivals.count - Self.mostArrivals)) }

  /// Drops what arrived before the first frame: the mirror shows it. Notices are for people.
  func keepNotices() {
    arrivals.removeAll {
      switch $0 {
      case .notice, .goingAway: false
      default: true
      }
    }
    arrivals.removeLast(max(0, arrivals.count - Self.mostNotices))
  }
}
