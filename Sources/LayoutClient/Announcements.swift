// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession

/// The prefetch candidates and sightings that the server has announced, so that the beginning and
/// the end of each are reported exactly once, whatever happens to streams and sessions.
struct Announcements {
  /// The parts of a change whose last part has not arrived.
  private var prefetchParts: PrefetchChange?
  private var visibilityParts: VisibilityChange?
  /// The numbers of the candidates.
  private var candidates: Set<UInt64> = []
  /// How long each sighting had lasted when it was reported.
  private var sightings: [UInt64: Duration] = [:]

  /// More than any server announces at once. Anything beyond is ignored.
  private static let limit = 1 << 18

  /// Takes a part of a change.
  ///
  /// - Returns: the whole change, when its last part has arrived. It is never a reset: it names
  ///   only actual changes. nil = more parts follow, or nothing has changed.
  /// - Throws: `LayoutProblem` if it cannot be read.
  mutating func take(_ message: Wire.PrefetchChange) throws(LayoutProblem) -> PrefetchChange? {
    var change = try PrefetchChange(message)
    if let parts = prefetchParts {
      change.isReset = parts.isReset
      change.items = Array((parts.items + change.items).prefix(Self.limit))
      change.shown = Array((parts.shown + change.shown).prefix(Self.limit))
      change.cancelled = Array((parts.cancelled + change.cancelled).prefix(Self.limit))
    }
    prefetchParts = message.continued ? change : nil
    return message.continued ? nil : resolved(change)
  }

  private mutating func resolved(_ whole: PrefetchChange) -> PrefetchChange? {
    var change = whole
    change.isReset = false
    if whole.isReset {
      let named = Set(whole.items.map(\.number))
      change.cancelled = candidates.subtracting(named).sorted()
      change.shown = []
    }
    change.items = whole.items.filter { !candidates.contains($0.number) }
    change.shown = change.shown.filter { candidates.contains($0) }
    change.cancelled = change.cancelled.filter { candidates.contains($0) }
    candidates.subtract(change.shown)
    candidates.subtract(change.cancelled)
    for item in change.items where candidates.count < Self.limit { candidates.insert(item.number) }
    return change.isEmpty ? nil : change
  }

  /// Takes a part of a change, in the same way.
  mutating func take(_ message: Wire.VisibilityChange) throws(LayoutProblem) -> VisibilityChange? {
    var change = try VisibilityChange(message)
    if let parts = visibilityParts {
      change.isReset = parts.isReset
      change.began = Array((parts.began + change.began).prefix(Self.limit))
      change.ended = Array((parts.ended + change.ended).prefix(Self.limit))
    }
    visibilityParts = message.continued ? change : nil
    return message.continued ? nil : resolved(change)
  }

  private mutating func resolved(_ whole: VisibilityChange) -> VisibilityChange? {
    var change = whole
    change.isReset = false
    if whole.isReset {
      let named = Set(whole.began.map(\.number))
      change.ended = sightings.filter { !named.contains($0.key) }.sorted { $0.key < $1.key }
        .map { VisibilityChange.End(number: $0.key, seenFor: $0.value) }
    }
    change.began = whole.began.filter { sightings[$0.number] == nil }
    change.ended = change.ended.filter { sightings[$0.number] != nil }
    for end in change.ended { sightings[end.number] = nil }
    for sighting in change.began where sightings.count < Self.limit {
      sightings[sighting.number] = sighting.seenFor
    }
    return change.isEmpty ? nil : change
  }

  /// Discards incomplete changes, because the stream has ended.
  mutating func forgetParts() {
    prefetchParts = nil
    visibilityParts = nil
  }

  /// Ends everything, because the session is gone.
  ///
  /// - Returns: what has ended.
  mutating func endAll() -> (prefetch: PrefetchChange?, visibility: VisibilityChange?) {
    forgetParts()
    return (resolved(PrefetchChange(isReset: true)), resolved(VisibilityChange(isReset: true)))
  }
}
