// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// The contents of a collection with the sizes that sessions of one layout and container have
/// measured, shared by all of them.
///
/// They follow every batch of the collection. A size is first offered, then committed together with
/// all others offered meanwhile. Each batch and each commit of sizes leads to a new version:
///
///     let outcome = shared.offer(sizes, at: version, mayContribute: true, room: bytes)
///     shared.commit()
///     for step in shared.changes(since: version) ?? [] { session.sharedChanged(step) }
///
/// A pure value without clock or lock. A size belongs to its item: it moves with the item, and is
/// forgotten when the item is reloaded.
public struct SharedContents: Sendable {
  /// All items, with the sizes.
  public private(set) var contents: CollectionContents
  /// The collection's data version of `contents`.
  public private(set) var dataVersion: UInt64
  /// Grows by one with each change of `contents`.
  public private(set) var version: UInt64 = 1
  /// The items that have been measured.
  private(set) var measured = MeasuredItems()
  /// Whether the layout uses the mean of the sizes for items without one.
  private let isAveraged: Bool
  /// Sizes for the next commit.
  private var pending: [MeasuredPlace: Size] = [:]
  /// How often the sizes of elements have been changed after they were first measured.
  private var disputes: [MeasuredPlace: Int] = [:]
  /// The latest changes, the oldest first.
  private var history: [SharedChange] = []
  private var historyBytes = 0
  /// The copied parts of the collection's contents.
  private var copies = CopiedItems()
  /// Headers and footers that were measured.
  private var metricsCount = 0

  /// How often the size of an element may be changed until its item is reloaded: renderers that
  /// claim to be the same but measure differently would change it forever.
  public static let changeLimit = 4
  /// How far two sizes may differ along each axis, in points, to count as equal.
  public static let tolerance = 1.0 / 64
  /// The most elements whose number of changes is kept.
  static let disputeLimit = 4096
  /// The most changes that are kept, for sessions that are behind: 25 seconds at 20 commits a
  /// second.
  static let historyCount = 512
  /// The most bytes of changes that are kept.
  static let historyByteLimit = 4 << 20
  /// The memory of one more size, roughly.
  static let sizeBytes = 64

  /// The collection's contents, without measured sizes.
  ///
  /// - Parameters:
  ///   - contents: the collection's contents, with all items.
  ///   - isAveraged: whether the layout uses the mean of the sizes for items without one.
  public init(_ contents: CollectionContents, dataVersion: UInt64, isAveraged: Bool) {
    self.contents = contents
    self.dataVersion = dataVersion
    self.isAveraged = isAveraged
  }

  /// Whether anything has been measured.
  public var isMeasured: Bool {
    measured.count > 0 || metricsCount > 0 || !contents.measuredElements.isEmpty
  }

  /// The number of measured items.
  public var measuredItemCount: Int { measured.count }

  /// Whether sizes wait for `commit`.
  public var hasPending: Bool { !pending.isEmpty }
  /// How many do.
  package var pendingCount: Int { pending.count }

  /// Roughly the memory that these contents use and the collection's do not, in bytes.
  public var byteCount: Int {
    4096 + copies.byteCount(in: contents) + historyBytes + measured.byteCount
      + contents.measuredElements.byteCount
      + disputes.count * 96 + pending.count * Self.sizeBytes
  }

  /// The changes since a version, in order; nil = some of them are no longer kept, or the version
  /// is not one of these contents.
  ///
  /// - Complexity: O(1)
  public func changes(since version: UInt64) -> ArraySlice<SharedChange>? {
    guard version <= self.version, self.version - version <= UInt64(history.count) else {
      return nil
    }
    return history.suffix(Int(self.version - version))
  }

  /// The last changes, at most `limit`.
  public func latestChanges(_ limit: Int) -> ArraySlice<SharedChange> { history.suffix(limit) }

  // MARK: - Following

  /// Follows a batch of the collection, after committing pending sizes.
  ///
  /// - Parameter change: the change of all items; its `old` are the collection's contents at
  ///   `dataVersion`, without measured sizes.
  /// - Complexity: that of the batch
  public mutating func follow(_ change: ContentsChange, toVersion dataVersion: UInt64) {
    commit()
    self.dataVersion = dataVersion
    var next = change
    if isMeasured {
      next = change.rebased(on: contents)
      measured.follow(next)
      if !contents.measuredElements.isEmpty {
        next = next.settingMeasuredElements(contents.measuredElements.following(next))
      }
      if next.new.measuredItemSize != measured.mean {
        next = next.settingMeasuredItemSize(measured.mean)
      }
      if !disputes.isEmpty {
        var followed: [MeasuredPlace: Int] = [:]
        for (place, count) in disputes { place.following(next).map { followed[$0] = count } }
        disputes = followed
      }
    }
    append(next, sizes: nil)
  }

  /// Replaces the contents by others whose items cannot be matched with the old ones, so all sizes
  /// are dropped.
  public mutating func reset(to contents: CollectionContents, dataVersion: UInt64) {
    let version = version
    self = SharedContents(contents, dataVersion: dataVersion, isAveraged: isAveraged)
    self.version = version + 1
  }

  private mutating func append(_ change: ContentsChange, sizes: [IndexPath: Size]?) {
    contents = change.new
    version += 1
    if isMeasured { copies.follow(change) }
    let step = SharedChange(
      version: version,
      dataVersion: dataVersion,
      change: change,
      measured: measured,
      sizes: sizes
    )
    history.append(step)
    historyBytes += step.byteCount
    var dropped = 0
    while history.count - dropped > 1,
      history.count - dropped > Self.historyCount || historyBytes > Self.historyByteLimit
    {
      historyBytes -= history[dropped].byteCount
      dropped += 1
    }
    if dropped > 0 { history.removeFirst(dropped) }
  }

  // MARK: - Measuring

  /// Accepts sizes for the next commit, unless they are known already or are refused.
  ///
  /// - Parameters:
  ///   - sizes: by their places at `base`, each within the limits of a report.
  ///   - base: the version that the reporter has seen last.
  ///   - mayContribute: whether the reporter may change what others see.
  ///   - room: the bytes that new sizes may take.
  /// - Complexity: O(sizes · (log items + changes since `base`))
  public mutating func offer(
    _ sizes: [MeasuredPlace: Size],
    at base: UInt64,
    mayContribute: Bool,
    room: Int
  ) -> SharedOutcome {
    guard let changes = changes(since: base) else {
      return SharedOutcome(refusing: sizes.keys, .behind)
    }
    let batches = changes.filter { !$0.isMeasurement }.map(\.change)
    var room = room
    var outcome = SharedOutcome()
    for (place, size) in sizes.sorted(by: { MeasuredPlace.precedes($0.key, $1.key) }) {
      var current: MeasuredPlace? = place
      for batch in batches { current = current?.following(batch) }
      // The element is gone or was reloaded, so its size is outdated.
      guard let current else { continue }
      let known = pending[current] ?? contents.size(of: current)
      let isKnown = pending[current] != nil || known != nil && isMeasured(current)
      if let known, Self.isSame(known, size), isKnown || !mayContribute || !isAveraged {
        // A size equal to the data's matters only to the mean.
        outcome.equal += 1
      } else if let reason = refusal(of: current, isKnown: isKnown, mayContribute, &room) {
        outcome.refused[place] = reason
      } else {
        if isKnown { disputes[current, default: 0] += 1 }
        pending[current] = size
        outcome.accepted += 1
      }
    }
    if outcome.accepted > 0 { outcome.version = version + 1 }
    return outcome
  }

  private func refusal(
    of place: MeasuredPlace,
    isKnown: Bool,
    _ mayContribute: Bool,
    _ room: inout Int
  ) -> SharedRefusal? {
    guard mayContribute else { return .role }
    if isKnown {
      let count = disputes[place]
      let isTracked = count != nil || disputes.count < Self.disputeLimit
      return isTracked && count ?? 0 < Self.changeLimit ? nil : .disputed
    }
    if case .element = place,
      contents.measuredElements.count + pending.count >= SessionLimits.measuredElements
    {
      return .full
    }
    guard room >= Self.sizeBytes else { return .full }
    room -= Self.sizeBytes
    return nil
  }

  /// Whether an element's size was measured, and is not the data's.
  private func isMeasured(_ place: MeasuredPlace) -> Bool {
    if case .item(let path) = place { return measured.contains(path) }
    // The size of a header or footer may be the data's; the difference is not stored.
    return true
  }

  private static func isSame(_ a: Size, _ b: Size) -> Bool {
    abs(a.width - b.width) <= tolerance && abs(a.height - b.height) <= tolerance
  }

  /// Makes a version of the pending sizes.
  ///
  /// - Returns: whether there were any.
  /// - Complexity: O(sizes · log items + measured elements)
  @discardableResult
  public mutating func commit() -> Bool {
    guard !pending.isEmpty else { return false }
    let sizes = pending.sorted { MeasuredPlace.precedes($0.key, $1.key) }
    pending = [:]
    var operations: [UpdateOperation] = []
    var metrics: [Int: SectionMetrics] = [:]
    var elements: [MeasuredElement: Size] = [:]
    var items: [IndexPath: Size] = [:]
    var measurements: [MeasuredItems.Measurement] = []
    for (place, size) in sizes {
      switch place {
      case .item(let path):
        guard let values = contents.item(at: path) else { continue }
        measurements.append(.init(path: path, values: values, size: size))
        items[path] = size
        guard values.width != size.width || values.height != size.height else { continue }
        operations += UpdateOperation.setting(size, at: path)
      case .header(let section), .footer(let section):
        guard section < contents.sectionCount else { continue }
        var changed = metrics[section] ?? contents.section(at: section).metrics
        if case .header = place { changed.headerSize = size } else { changed.footerSize = size }
        metrics[section] = changed
        metricsCount += 1
      case .element(let element): elements[element] = size
      }
    }
    measured.insert(measurements)
    operations += metrics.sorted { $0.key < $1.key }.map { .setSectionMetrics($0, $1) }
    var measuredElements = contents.measuredElements
    let changedSections = measuredElements.insert(elements)
    // Cannot be refused: each place exists and is named once.
    guard var change = try? contents.settingSizes(operations, limits: .sizes) else { return false }
    if measuredElements != contents.measuredElements {
      change = change.settingMeasuredElements(measuredElements, in: changedSections)
    }
    append(change.settingMeasuredItemSize(measured.mean), sizes: items)
    return true
  }
}

extension ContentsLimits {
  /// For sizes that the server itself sets, at most one for each place.
  fileprivate static let sizes: ContentsLimits = {
    var limits = ContentsLimits.standard
    limits.operations = .max
    return limits
  }()
}
