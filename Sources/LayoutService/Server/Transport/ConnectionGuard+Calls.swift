// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

// Calls and time.
extension ConnectionGuard {
  /// A call that is younger than this when its connection ends counts as reset.
  private static let giveUp = TimeAmount.seconds(1)
  /// How long after a polite request to go the connection is closed.
  private static let farewell = TimeAmount.seconds(5)

  func began(_ call: StreamGuard) {
    callCount += 1
    call.position = calls.count
    calls.append(call)
  }

  func ended(_ call: StreamGuard) {
    guard calls.indices.contains(call.position), calls[call.position] === call else { return }
    calls.swapAt(call.position, calls.count - 1)
    calls[call.position].position = call.position
    calls.removeLast()
  }

  /// Counts young calls that end with the connection as resets: opening and dropping connections
  /// full of calls is only another way of resetting calls.
  func countGivenUp() {
    let now = NIODeadline.now()
    var count = calls.reduce(0) { $0 + ($1.isGivenUp(within: Self.giveUp, at: now) ? 1 : 0) }
    // Calls that wait have cost next to nothing, but count, or a client could go on with them.
    while scanner.next({ header, _ in
      if header.kind == .headers { count += 1 }
      return .pass
    }) != nil {}
    guard count > 0 else { return }
    peer?.withUse { _ = $0.resets.take(count, at: now) }
  }

  /// Adds bytes of messages that have not arrived completely.
  ///
  /// - Returns: the limit that is exceeded; nil = there is room.
  func addUnfinished(_ count: Int) -> Int? {
    unfinishedBytes += count
    let limit = transport.addUnfinished(count, of: peer ?? formerPeer)
    return unfinishedBytes > limits.unfinishedBytesPerConnection
      ? limits.unfinishedBytesPerConnection : limit
  }

  /// Adds bytes that wait for the client to read.
  ///
  /// - Returns: whether they are within the limits.
  func addUnread(_ count: Int) -> Bool {
    unreadBytes += count
    let hasRoom = transport.addUnread(count, of: peer ?? formerPeer)
    return hasRoom && unreadBytes <= limits.unreadBytesPerConnection
  }

  /// Ends what has waited too long. O(calls of the connection).
  ///
  /// - Parameter now: a time that stands still while the server does not look.
  func check(at now: NIODeadline) {
    for call in calls.reversed() { call.check(at: now) }
    // The greeting, each call, and the request to go restart the time.
    let progress =
      calls.isEmpty ? (scanner.isGreeted ? 1 : 0) + (isAskedToGo ? 1 : 0) + callCount : nil
    guard silence.lasts(longer: patience, progress: progress, at: now), let context else { return }
    if isAskedToGo {
      close()
    } else if scanner.isGreeted {
      isAskedToGo = true
      transport.log.count(.idle)
      // The gRPC library then sends GOAWAY without an error, which clients treat as a graceful end.
      context.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    } else {
      let address = context.channel.remoteAddress
      transport.log.note(.silent, reason: "no HTTP/2 greeting", address: address)
      close()
    }
  }

  /// How long the connection may be without calls in its current state.
  private var patience: TimeAmount {
    guard !isAskedToGo else { return Self.farewell }
    guard scanner.isGreeted else { return TimeAmount(limits.greeting) }
    return TimeAmount(callCount > 0 ? limits.idle : limits.firstCall)
  }
}
