// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol
internal import LayoutSession

/// What waits for a session while it is being worked on, never more than a fixed number of things.
///
/// A viewport that follows another one which still waits is merged into it.
struct SessionInbox: Sendable {
  enum Input: Sendable {
    case event(SessionEvent, seq: UInt64)
    /// An event that could not be read, or was one too many.
    case refused(LayoutProblem, seq: UInt64)
    /// An acknowledgement that came before there was a session.
    case ack(FrameAck)
  }

  /// How the stream of requests ended.
  enum End: Sendable {
    case finished
    case failed(any Error)
  }

  private var inputs: Deque<Input> = []
  /// Whether there is anything to look at.
  var isWoken = false
  var isCollectionChanged = false
  var isCollectionDeleted = false
  var isRateLimited = false
  /// The call was cancelled: the client is gone, or the server is going away.
  var isCancelled = false
  var end: End?

  private let capacity: Int

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var isEmpty: Bool { inputs.isEmpty }

  /// - Returns: false where there is no room.
  mutating func take(_ input: Input) -> Bool {
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

  mutating func popFirst() -> Input? {
    guard let first = inputs.popFirst() else { return nil }
    // Most sessions rest most of the time, and then keep no room.
    if inputs.isEmpty { inputs = [] }
    return first
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
