// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol

/// The events of which the server may still have to be told on a new stream, in order.
struct PendingEvents {
  typealias Request = Wire.StreamLayoutRequest

  /// Not known to be applied, or not answered yet.
  private var requests: Deque<Request> = []
  /// Those among them whose answer has not arrived.
  private var unanswered: Set<UInt64> = []
  /// The newest event that is known to be applied, with all before it.
  private var appliedEvent: UInt64 = 0

  /// Of changes of the viewport that follow each other the newest is kept, with what it leaves unset
  /// of those before.
  mutating func append(_ request: Request) {
    var request = request
    switch request.event {
    // Every stream has an opening of its own.
    case .open: return
    case .viewport(let newer):
      if let last = requests.last, case .viewport(let older) = last.event {
        request.viewport = older.merged(with: newer)
        requests.removeLast()
      }
    default: unanswered.insert(request.eventSeq)
    }
    requests.append(request)
  }

  /// The server has applied all events up to this one.
  mutating func applied(_ event: UInt64) {
    appliedEvent = max(appliedEvent, event)
    removeSettled()
  }

  /// - Returns: false for an answer that was here before.
  mutating func answered(_ event: UInt64, isRefusal: Bool) -> Bool {
    let isNew = unanswered.remove(event) != nil
    appliedEvent = max(appliedEvent, event)
    removeSettled()
    // Changes of the viewport are answered where they are refused, and only then.
    return isNew || isRefusal
  }

  private mutating func removeSettled() {
    while let first = requests.first, isSettled(first) { requests.removeFirst() }
    // Behind one whose answer is long in coming.
    if requests.contains(where: isSettled) { requests.removeAll(where: isSettled) }
  }

  private func isSettled(_ request: Request) -> Bool {
    request.eventSeq <= appliedEvent && !unanswered.contains(request.eventSeq)
  }

  // MARK: - New streams

  /// What the same session has to be told again, which has heard of events up to `lastEvent`. It
  /// repeats its answers by itself.
  func missed(after lastEvent: UInt64) -> [Request] { requests.filter { $0.eventSeq > lastEvent } }

  /// What becomes of the events in another session.
  struct Inheritance {
    /// To be sent again. Updates that were applied are among them: their answers tell so.
    var repeated: [Request] = []
    /// The new session was opened with what they asked for.
    var granted: [UInt64] = []
    /// What they were about is gone.
    var forsaken: [UInt64] = []
  }

  mutating func handOver() -> Inheritance {
    var inheritance = Inheritance()
    for request in requests {
      switch request.event {
      case .viewport, .layout, .options: inheritance.granted.append(request.eventSeq)
      case .update, .scrollTarget, .resync, .close: inheritance.repeated.append(request)
      default: inheritance.forsaken.append(request.eventSeq)
      }
    }
    inheritance.granted.removeAll { !unanswered.contains($0) }
    requests = Deque(inheritance.repeated)
    unanswered.formIntersection(requests.map(\.eventSeq))
    return inheritance
  }
}

extension Wire.ViewportChange {
  /// Both changes as one: what the newer one leaves unset is as in this one.
  func merged(with newer: Wire.ViewportChange) -> Wire.ViewportChange {
    var merged = newer
    if !newer.hasContentOffset, hasContentOffset {
      merged.contentOffset = contentOffset
      // It belongs to the offset.
      merged.observedFrameSeq = observedFrameSeq
    }
    if !newer.hasSize, hasSize { merged.size = size }
    if !newer.hasContentInsets, hasContentInsets { merged.contentInsets = contentInsets }
    if !newer.hasVelocity, hasVelocity { merged.velocity = velocity }
    if !newer.hasTraits, hasTraits { merged.traits = traits }
    let named = Set(newer.sectionOffsets.map(\.section))
    merged.sectionOffsets = sectionOffsets.filter { !named.contains($0.section) }
    merged.sectionOffsets += newer.sectionOffsets
    return merged
  }
}
