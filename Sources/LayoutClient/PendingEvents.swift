// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol

/// The events that the server may not have applied, in order: on a new stream they are sent again.
struct PendingEvents {
  private var requests: [Wire.StreamLayoutRequest] = []
  /// Events whose answer has not arrived.
  private var unanswered: Set<UInt64> = []

  /// Of changes of the viewport that follow each other the newest is kept, with what it leaves unset
  /// of those before.
  mutating func append(_ request: Wire.StreamLayoutRequest) {
    var request = request
    if case .viewport(let newer) = request.event {
      if case .viewport(let older) = requests.last?.event {
        request.viewport = older.merged(with: newer)
        requests.removeLast()
      }
    } else {
      unanswered.insert(request.eventSeq)
    }
    requests.append(request)
  }

  /// The server has applied all events up to this one.
  mutating func applied(_ event: UInt64) {
    let count = requests.prefix { $0.eventSeq <= event }.count
    requests.removeFirst(count)
  }

  /// - Returns: false for an answer that was here before.
  mutating func answered(_ event: UInt64, isRefusal: Bool) -> Bool {
    applied(event)
    // Changes of the viewport are answered where they are refused, and only then.
    return unanswered.remove(event) != nil || isRefusal
  }

  /// Another session begins: what is no longer here to be sent again is never answered.
  mutating func takeForsaken() -> [UInt64] {
    let kept = Set(requests.map(\.eventSeq))
    let forsaken = unanswered.subtracting(kept).sorted()
    unanswered.formIntersection(kept)
    return forsaken
  }

  var all: [Wire.StreamLayoutRequest] { requests }
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
