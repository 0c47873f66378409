// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// What one stream's reader leaves for its writer, never more than a fixed number of things.
///
/// A viewport that follows another one which still waits is merged into it, and so are
/// acknowledgements; when the rest fills up, the reader waits, and through it the client.
final class SessionMailbox: Sendable {
  enum Input: Sendable {
    case event(SessionEvent, seq: UInt64)
    /// An event that could not be read, or was one too many.
    case refused(LayoutProblem, seq: UInt64)
  }

  /// How the stream of requests ended.
  enum End: Sendable {
    case finished
    case failed(any Error)
  }

  /// Everything that waited.
  struct Contents: Sendable {
    var inputs: Deque<Input> = []
    var acks: [FrameAck] = []
    var isCollectionChanged = false
    var isCollectionDeleted = false
    var isRateLimited = false
    var isCancelled = false
    var end: End?
  }

  private struct State {
    var opening: Wire.StreamLayoutRequest?
    var contents = Contents()
  }

  /// Set when something is there.
  let wake = WakeSignal()
  /// Set once another stream goes on with the session.
  let superseded = WakeSignal()
  private let hasRoom = WakeSignal()
  private let capacity: Int
  private static let ackCapacity = 16
  private let state = Mutex(State())

  init(capacity: Int) { self.capacity = max(1, capacity) }

  // MARK: - The reader's side

  func open(_ request: Wire.StreamLayoutRequest) {
    state.withLock { $0.opening = request }
    wake.set()
  }

  /// Leaves an input, once there is room for it.
  func post(_ input: Input) async {
    while !state.withLock({ $0.contents.take(input, capacity: capacity) }) {
      if Task.isCancelled { return }
      wake.set()
      await hasRoom.wait()
    }
    wake.set()
  }

  func post(_ ack: FrameAck) async {
    while !state.withLock({ $0.contents.take(ack, capacity: Self.ackCapacity) }) {
      if Task.isCancelled { return }
      wake.set()
      await hasRoom.wait()
    }
    wake.set()
  }

  func finish(_ end: End) {
    state.withLock { $0.contents.end = end }
    wake.set()
  }

  // MARK: - Others

  func collectionChanged() {
    state.withLock { $0.contents.isCollectionChanged = true }
    wake.set()
  }

  func collectionDeleted() {
    state.withLock { $0.contents.isCollectionDeleted = true }
    wake.set()
  }

  func noteRateLimit() {
    state.withLock { $0.contents.isRateLimited = true }
  }

  /// Another stream goes on with the session.
  func supersede() { superseded.cancel() }

  /// The call was cancelled: the client is gone, or the server is going away.
  func cancel() {
    state.withLock { $0.contents.isCancelled = true }
    wake.set()
  }

  // MARK: - The writer's side

  /// The first request, the end of requests before there was one, or neither.
  func takeOpening() -> (request: Wire.StreamLayoutRequest?, end: End?, isCancelled: Bool) {
    state.withLock { state in
      let request = state.opening
      state.opening = nil
      return (request, state.contents.end, state.contents.isCancelled)
    }
  }

  func takeAll() -> Contents {
    let taken = state.withLock { state in
      let taken = state.contents
      state.contents = Contents()
      // These stay so.
      state.contents.isCancelled = taken.isCancelled
      state.contents.isCollectionDeleted = taken.isCollectionDeleted
      state.contents.end = taken.end
      return taken
    }
    hasRoom.set()
    return taken
  }
}

extension SessionMailbox.Contents {
  /// - Returns: false where there is no room.
  fileprivate mutating func take(_ input: SessionMailbox.Input, capacity: Int) -> Bool {
    if case .event(.viewport(let newer), let seq) = input,
      case .event(.viewport(let older), let olderSeq) = inputs.last, seq > olderSeq
    {
      inputs[inputs.count - 1] = .event(.viewport(older.merged(with: newer)), seq: seq)
      return true
    }
    guard inputs.count < capacity else { return false }
    inputs.append(input)
    return true
  }

  fileprivate mutating func take(_ ack: FrameAck, capacity: Int) -> Bool {
    // One that goes back is kept apart, so that it is noticed.
    if let last = acks.last, !last.isRejected, ack.sequence >= last.sequence || ack.sequence == 0 {
      if ack.sequence > 0 { acks[acks.count - 1] = ack }
      return true
    }
    guard acks.count < capacity else { return false }
    acks.append(ack)
    return true
  }
}

extension ViewportChange {
  /// Both changes as one: what the newer one leaves unset is as in this one.
  func merged(with newer: ViewportChange) -> ViewportChange {
    var merged = newer
    if newer.offset == nil, let offset {
      merged.offset = offset
      // It belongs to the offset.
      merged.observedFrame = observedFrame
    }
    merged.size = newer.size ?? size
    merged.insets = newer.insets ?? insets
    merged.velocity = newer.velocity ?? velocity
    merged.traits = newer.traits ?? traits
    merged.sectionOffsets = sectionOffsets.merging(newer.sectionOffsets) { $1 }
    return merged
  }
}
