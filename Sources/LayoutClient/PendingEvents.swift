// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol
internal import LayoutSession

/// The events that may have to be sent again on a new stream, in order.
struct PendingEvents {
  typealias Request = Wire.StreamLayoutRequest

  /// Requests that are not known to be applied, or not answered yet.
  private var requests: Deque<Request> = []
  /// The numbers of those requests whose answer has not arrived.
  private var unanswered: Set<UInt64> = []
  /// The numbers of those requests whose scroll target has arrived; their result follows.
  private var targeted: Set<UInt64> = []
  /// The numbers of those requests that were not sent on any stream.
  private var unsent: Set<UInt64> = []
  /// The newest event that is known to be applied, along with all events before it.
  private(set) var appliedEvent: UInt64 = 0

  /// Adds a request, which is sent at once or later. Consecutive viewport changes are merged into
  /// one.
  mutating func append(_ request: Request, isSent: Bool) {
    var request = request
    switch request.event {
    // A new stream has its own opening request, and its own credentials.
    case .open, .credentials: return
    case .viewport(let newer):
      if let last = requests.last, case .viewport(let older) = last.event {
        request.viewport = older.merged(with: newer)
        requests.removeLast()
      }
    default:
      unanswered.insert(request.eventSeq)
      if !isSent { unsent.insert(request.eventSeq) }
    }
    requests.append(request)
  }

  /// The event of the viewport change that a next one would be merged into; nil = there is none.
  var joinedViewport: UInt64? {
    guard let last = requests.last, case .viewport = last.event else { return nil }
    return last.eventSeq
  }

  /// Takes back an event for whose answer nobody waits any more, unless it was sent and may be
  /// applied.
  mutating func withdraw(_ event: UInt64) {
    guard unsent.remove(event) != nil else { return }
    unanswered.remove(event)
    requests.removeAll { $0.eventSeq == event }
  }

  /// Takes a viewport change that was refused out of the request that it was merged into.
  ///
  /// - Parameter viewports: the changes without that one.
  mutating func refused(viewport event: UInt64, _ viewports: ViewportHistory) {
    guard let index = requests.firstIndex(where: { $0.eventSeq > event }),
      case .viewport = requests[index].event,
      let rest = viewports.changes(after: event, upTo: requests[index].eventSeq)
    else { return }
    requests[index].viewport = rest
  }

  /// Notes that the server has applied all events up to this one.
  mutating func applied(_ event: UInt64) {
    appliedEvent = max(appliedEvent, event)
    removeSettled()
  }

  /// The request of an event that is not settled; nil = there is none.
  subscript(event: UInt64) -> Request? { requests.first { $0.eventSeq == event } }

  /// Whether a request that meets a condition has no answer yet.
  func hasUnanswered(_ matches: (Request) -> Bool) -> Bool {
    requests.contains { unanswered.contains($0.eventSeq) && matches($0) }
  }

  /// Notes the answer to an event.
  ///
  /// - Returns: false if the same answer arrived before.
  mutating func answered(_ event: UInt64, isRefusal: Bool) -> Bool {
    let isNew = unanswered.remove(event) != nil
    targeted.remove(event)
    appliedEvent = max(appliedEvent, event)
    removeSettled()
    // The server answers a viewport change only if it refuses it, so such an answer is always new.
    return isNew || isRefusal
  }

  /// Notes the scroll target for an event.
  ///
  /// - Returns: false if the same target arrived before.
  mutating func found(targetOf event: UInt64) -> Bool {
    unanswered.contains(event) && targeted.insert(event).inserted
  }

  private mutating func removeSettled() {
    while let first = requests.first, isSettled(first) { requests.removeFirst() }
    // Later requests can be settled while an earlier one still waits for its answer. Those after
    // the applied ones cannot, and there may be many.
    if requests.prefix(while: { $0.eventSeq <= appliedEvent }).contains(where: isSettled) {
      requests.removeAll(where: isSettled)
    }
  }

  private func isSettled(_ request: Request) -> Bool {
    request.eventSeq <= appliedEvent && !unanswered.contains(request.eventSeq)
  }

  // MARK: - New streams

  /// The requests to send again to the same session, which has received events up to `lastEvent`.
  /// The server repeats lost answers by itself.
  mutating func missed(after lastEvent: UInt64) -> [Request] {
    unsent = []
    return requests.filter { $0.eventSeq > lastEvent }
  }

  /// How pending events are settled when a new session replaces the old one.
  struct Inheritance {
    /// Requests to send to the new session. Updates that were already applied are answered as
    /// duplicates.
    var repeated: [Request] = []
    /// Events that made sense only in the old session.
    var abandoned: [UInt64] = []
  }

  /// Decides for each pending event how it continues in a new session.
  ///
  /// - Parameter opened: the newest event that the session's opening contains.
  mutating func handOver(openedAt opened: UInt64) -> Inheritance {
    var inheritance = Inheritance()
    for var request in requests {
      if case .viewport = request.event {
        // The opening has the viewport up to then.
        guard request.eventSeq > opened else { continue }
        // It names a frame of the old session.
        request.viewport.observedFrameSeq = 0
      }
      if request.isOfOneSession {
        inheritance.abandoned.append(request.eventSeq)
      } else {
        inheritance.repeated.append(request)
      }
    }
    unsent = []
    requests = Deque(inheritance.repeated)
    unanswered.formIntersection(requests.map(\.eventSeq))
    targeted = []
    return inheritance
  }
}

extension Wire.StreamLayoutRequest {
  /// Whether only the session for which it was meant can apply it: it names slots, or is a step of
  /// something that ended with the session.
  fileprivate var isOfOneSession: Bool {
    switch event {
    case .measurements, .movement, .transition: true
    case .outline(let change): !change.toggledSlots.isEmpty
    default: false
    }
  }
}

extension Wire.ViewportChange {
  /// This change and a newer one combined. Fields that the newer one leaves unset keep the value of
  /// this one.
  func merged(with newer: Wire.ViewportChange) -> Wire.ViewportChange {
    var merged = newer
    if !newer.hasContentOffset, hasContentOffset {
      merged.contentOffset = contentOffset
      // `observedFrameSeq` names the frame in which the offset was read, so both are kept together.
      merged.observedFrameSeq = observedFrameSeq
    }
    if !newer.hasSize, hasSize { merged.size = size }
    if !newer.hasContentInsets, hasContentInsets { merged.contentInsets = contentInsets }
    if !newer.hasVelocity, hasVelocity { merged.velocity = velocity }
    if !newer.hasTraits, hasTraits { merged.traits = traits }
    if !newer.hasSafeAreaInsets, hasSafeAreaInsets { merged.safeAreaInsets = safeAreaInsets }
    if !newer.hasLayoutMargins, hasLayoutMargins { merged.layoutMargins = layoutMargins }
    if !newer.hasReadableContentWidth, hasReadableContentWidth {
      merged.readableContentWidth = readableContentWidth
    }
    let named = Set(newer.sectionOffsets.map(\.section))
    let offsets = sectionOffsets.filter { !named.contains($0.section) } + newer.sectionOffsets
    // Servers accept so many. The newest are kept.
    merged.sectionOffsets = offsets.suffix(SessionLimits.scrolledSections)
    return merged
  }
}
