// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// The lanes of one event loop: brings responses to their streams, many at once, and keeps sessions
/// from taking too much of the loop's time.
final class LaneLoop: @unchecked Sendable {
  // Unchecked: `spent` is used on the event loop alone, which is checked.

  /// How long sessions may take in one round of the loop. After that messages that need not come
  /// through HTTP/2 wait for a later round, and others take the long way.
  private static let mostTime = TimeAmount.milliseconds(1)

  private struct Waiting {
    var messages: [(lane: StreamLane, bytes: ByteBuffer)] = []
    var isScheduled = false
  }

  private let loop: any EventLoop
  private let waiting = Mutex(Waiting())
  /// How long sessions took in this round; nil = none did.
  private var spent: TimeAmount?

  init(_ loop: any EventLoop) { self.loop = loop }

  /// Whether the caller runs on the event loop.
  var isCurrent: Bool { loop.inEventLoop }

  /// Adds messages to be written soon.
  func add(_ messages: ByteBuffer, for lane: StreamLane) {
    waiting.withLock { waiting in
      waiting.messages.append((lane, messages))
      guard !waiting.isScheduled else { return }
      waiting.isScheduled = true
      // Under the lock: what a session gives to the library after this must come after it.
      loop.execute { self.writeAll() }
    }
  }

  private func writeAll() {
    var messages: [(lane: StreamLane, bytes: ByteBuffer)] = []
    waiting.withLock { waiting in
      swap(&messages, &waiting.messages)
      waiting.isScheduled = false
    }
    for message in messages { message.lane.write(message.bytes) }
  }

  // MARK: - On the event loop

  /// A caller on another thread is a programming error.
  func check() { loop.preconditionInEventLoop() }

  /// Whether a session may take a request in this round.
  var hasTime: Bool { spent.map { $0 < Self.mostTime } ?? true }

  /// Counts the time of `body`.
  func spend(_ body: () -> Void) {
    check()
    let begin = NIODeadline.now()
    body()
    let time = NIODeadline.now() - begin
    if let spent {
      self.spent = spent + time
    } else {
      spent = time
      // Runs at the end of the round.
      loop.assumeIsolated().execute { self.spent = nil }
    }
  }
}
