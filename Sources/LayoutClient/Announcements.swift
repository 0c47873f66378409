// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
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

  /// The memory that the parts of an incomplete change may take, in bytes: an estimate.
  private let maxBytes: Int
  private var prefetchBytes = 0
  private var visibilityBytes = 0

  /// More than any server announces at once. Anything beyond is ignored.
  private static let limit = 1 << 18

  /// - Parameter maxBytes: the memory that the parts of one change may take, in bytes. What is
  ///   beyond is ignored.
  init(maxBytes: Int = MirrorLimits().bytes) { self.maxBytes = maxBytes }

  /// Takes a part of a change.
  ///
  /// - Returns: the whole change, when its last part has arrived. It is never a reset: it names
  ///   only actual changes. nil = more parts follow, or nothing has changed.
  /// - Throws: `LayoutProblem` if it cannot be read.
  mutating func take(_ message: Wire.PrefetchChange) throws(LayoutProblem) -> PrefetchChange? {
    let part = try PrefetchChange(message)
    // Taken out, so that its lists are not copied for each part.
    var change = prefetchParts.take() ?? PrefetchChange(isReset: part.isReset)
    change.dataVersion = part.dataVersion
    Self.append(part.items, to: &change.items, &prefetchBytes, maxBytes, size: \.byteCount)
    Self.append(part.shown, to: &change.shown, &prefetchBytes, maxBytes)
    Self.append(part.cancelled, to: &change.cancelled, &prefetchBytes, maxBytes)
    guard message.continued else {
      prefetchBytes = 0
      return resolved(change)
    }
    prefetchParts = change
    return nil
  }

  /// Appends what there is room for.
  private static func append<Value>(
    _ more: [Value],
    to list: inout [Value],
    _ bytes: inout Int,
    _ maxBytes: Int,
    size: (Value) -> Int = { _ in MemoryLayout<Value>.stride }
  ) {
    for value in more where list.count < limit {
      let (sum, overflows) = bytes.addingReportingOverflow(size(value))
      guard !overflows, sum <= maxBytes else { return }
      bytes = sum
      list.append(value)
    }
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
    let part = try VisibilityChange(message)
    var change = visibilityParts.take() ?? VisibilityChange(isReset: part.isReset)
    change.dataVersion = part.dataVersion
    Self.append(part.began, to: &change.began, &visibilityBytes, maxBytes, size: \.byteCount)
    Self.append(part.ended, to: &change.ended, &visibilityBytes, maxBytes)
    guard message.continued else {
      visibilityBytes = 0
      return resolved(change)
    }
    visibilityParts = change
    return nil
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
    prefetchBytes = 0
    visibilityBytes = 0
  }

  /// Ends everything, because the session is gone.
  ///
  /// - Returns: what has ended.
  mutating func endAll() -> (prefetch: PrefetchChange?, visibility: VisibilityChange?) {
    forgetParts()
    return (resolved(PrefetchChange(isReset: true)), resolved(VisibilityChange(isReset: true)))
  }
}

extension PrefetchChange.Item {
  /// The memory that it takes, in bytes: an estimate.
  fileprivate var byteCount: Int {
    MemoryLayout<Self>.stride + key.kind.utf8.count + itemKey.utf8.count + itemData.utf8.count
  }
}

extension VisibilityChange.Sighting {
  /// The memory that it takes, in bytes: an estimate.
  fileprivate var byteCount: Int {
    MemoryLayout<Self>.stride + key.kind.utf8.count + itemKey.utf8.count
  }
}
