// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// The contents as one session sees them, with their latest changes.
///
/// The session shows `effective`. These are the collection's own contents until the session
/// measures elements or moves an item by hand. From then on they are private contents that follow
/// every batch of the collection.
///
/// Once something has been measured, `effective.whole` are private contents too. Of outlines they
/// have the measured sizes of all items, also of those that have been hidden since, so that these
/// have their sizes when they appear again.
struct SessionContents: Sendable {
  /// What the viewer sees of the contents of the collection: the rows of its outlines.
  private(set) var base: CollectionContents
  /// The data version of `base`.
  private(set) var version: UInt64
  /// The contents that the session shows.
  var effective: CollectionContents {
    _read {
      if let derived { yield derived.value } else { yield base }
    }
  }
  /// `effective` where it differs from `base`; nil = it is `base`.
  private var derived: Boxed<CollectionContents>?
  /// What `base` shares with other sessions of its kind, besides the collection's data; nil =
  /// nothing.
  private var sharing: Boxed<Sharing>?
  /// Versions compare only within one. Grows whenever `base` changes between contents of the
  /// collection and contents with shared sizes, or from some of these to others.
  private(set) var versionSpace = 0
  /// Whether `effective` contains sizes that this session measured for itself.
  private(set) var isMeasured = false
  /// The items whose sizes were measured. In outlines it counts all items, as `effective.whole`
  /// does; elsewhere those of `effective`.
  private(set) var measured = MeasuredItems()
  /// What `effective.whole` has copied of the collection's contents; nil = nothing.
  private var measuredCopies: Boxed<CopiedItems>?
  /// Whether `effective` may differ from what all viewers see that began with the same base and
  /// have expanded nothing of their own.
  private(set) var isDerived = false
  /// Whether the viewer has expanded or collapsed anything other than its base, so that `base` are
  /// its own rows.
  private(set) var hasOwnRows = false
  /// What is of the viewer's own since its rows are; nil = nothing.
  private var footprint: Boxed<ExpansionFootprint>?
  /// Counts the changes of `effective`.
  private(set) var epoch = 0
  /// The latest changes of `effective` since the newest frame, the oldest first.
  private var recent: [(change: ContentsChange, byteCount: Int)] = []

  /// Roughly the memory that `recent` uses and `effective` does not, in bytes.
  private var recentByteCount = 0

  /// How many changes are kept: to derive a layout from one that is more changes behind, or to
  /// animate more of them, is not worthwhile.
  private static let capacity = 16
  /// How much memory the changes may use, in bytes, where the contents themselves use less.
  private static let fewBytes = 1 << 20

  /// Whether the collection keeps its versions alive in any case, so that they are not counted
  /// here.
  private let isShared: Bool

  init(_ contents: CollectionContents, version: UInt64, isShared: Bool) {
    self.isShared = isShared
    base = contents.rows
    self.version = version
  }

  /// Contents with measured sizes that sessions share.
  struct Sharing: Sendable {
    var version: UInt64
    /// The items that have been measured.
    var measured: MeasuredItems
  }

  /// Whether `base` has measured sizes that sessions share.
  var isSharing: Bool { sharing != nil }

  /// The version of `base` among those who have the same contents: the data version, unless these
  /// are contents with shared sizes, which have versions of their own.
  var sharedVersion: UInt64 { sharing?.value.version ?? version }

  /// Whether some items have sizes that were measured.
  var hasMeasuredItems: Bool { isMeasured || sharing.map { $0.value.measured.count > 0 } ?? false }

  /// The contents of the collection, with all items of its outlines.
  var whole: CollectionContents { base.whole }

  /// The changes of `effective` since an epoch, in order; nil = some of them are no longer kept.
  ///
  /// - Parameter epoch: the current or a past value of the property, so the difference is not
  ///   negative.
  func changes(since epoch: Int) -> [ContentsChange]? {
    let count = self.epoch - epoch
    return count <= recent.count ? recent.suffix(count).map(\.change) : nil
  }

  /// Roughly the memory that the session's contents use and the collection's do not, in bytes.
  var byteCount: Int {
    // The collection accounts for its own versions.
    guard !isShared || isDerived else { return 0 }
    // The collection's versions share its index of keys.
    let bytes = isShared ? effective.approximateByteCount : effective.indexedByteCount
    let own =
      hasSharedParts ? min(bytes, footprint?.value.contentsBytes(of: base) ?? bytes) : bytes
    // A preview has no index of keys until somebody searches in it.
    let previewIndex = isShared ? effective.builtIndexByteCount : 0
    return own + previewIndex + hiddenByteCount + recentByteCount + measured.byteCount
      + effective.measuredElements.byteCount
  }

  /// Roughly the memory of all items with their measured sizes, beyond that of what is visible, in
  /// bytes.
  private var hiddenByteCount: Int {
    guard isMeasured, effective.hasOutlines else { return 0 }
    return measuredCopies?.value.byteCount(in: effective.whole) ?? 0
  }

  /// Forgets the changes so far: a frame has been built, so no question will reach behind it.
  mutating func forgetChanges() {
    guard !recent.isEmpty else { return }
    recent.removeAll(keepingCapacity: true)
    recentByteCount = 0
  }

  /// Follows a batch that was committed to the collection.
  ///
  /// - Returns: what the batch did to `effective`.
  mutating func follow(_ change: ContentsChange, toVersion version: UInt64) -> ContentsChange {
    let seen =
      hasOwnRows ? change.rows(on: base) : change.rows(startingFrom: base.expansionBase)
    base = seen.new
    self.version = version
    if hasOwnRows { addToFootprint { $0.add(seen) } }
    noteRows()
    var followed = seen
    if isMeasured {
      let whole = change.rebased(on: effective.whole)
      followed = following(whole.rows(on: effective), items: whole)
      noteCopies(of: whole)
    } else if !isSharing {
      followed = following(seen, items: seen)
    }
    record(followed)
    return followed
  }

  /// Follows sizes that were shared.
  ///
  /// - Returns: what they did to `effective`.
  mutating func follow(_ sizes: [IndexPath: Size], _ change: ContentsChange) -> ContentsChange {
    let seen =
      hasOwnRows ? change.rows(on: base) : change.rows(startingFrom: base.expansionBase)
    base = seen.new
    if hasOwnRows { addToFootprint { $0.add(seen) } }
    noteRows()
    var followed = seen
    if isMeasured {
      // What the session measured for itself stays.
      let whole = change.rebased(on: effective.whole)
      var measurements: [MeasuredItems.Measurement] = []
      for (path, size) in sizes.sorted(by: { $0.key < $1.key }) {
        guard let old = effective.whole.item(at: path), let new = whole.new.item(at: path),
          new.width == size.width, new.height == size.height
        else { continue }
        measurements.append(.init(path: path, values: old, size: size))
      }
      measured.insert(measurements)
      followed = whole.rows(on: effective)
      if !effective.measuredElements.isEmpty {
        followed = followed.settingMeasuredElements(effective.measuredElements)
      }
      followed = followed.settingMeasuredItemSize(measured.mean)
      noteCopies(of: whole)
    }
    record(followed)
    return followed
  }

  /// Notes which version of shared sizes `base` has.
  mutating func note(sharedVersion: UInt64, _ measured: MeasuredItems) {
    guard sharing != nil else { return }
    sharing = Boxed(Sharing(version: sharedVersion, measured: measured))
    if !isMeasured { self.measured = measured }
  }

  /// Changes to contents of the same data version that differ in sizes. Sizes that the session
  /// measured for itself are forgotten.
  ///
  /// - Parameters:
  ///   - contents: with all items of outlines.
  ///   - sharing: nil = they are the collection's own.
  /// - Returns: what that did to `effective`; nil = they do not have the same items.
  mutating func change(
    to contents: CollectionContents,
    _ sharing: Sharing?
  ) -> ContentsChange? {
    guard let whole = ContentsChange.resizing(from: base.whole, to: contents) else { return nil }
    let rows =
      hasOwnRows ? whole.rows(on: base).new : contents.rows(startingFrom: base.expansionBase)
    guard let change = ContentsChange.resizing(from: effective, to: rows) else { return nil }
    base = rows
    if hasOwnRows { addToFootprint { $0.add(change) } }
    isMeasured = false
    measuredCopies = nil
    measured = sharing?.measured ?? MeasuredItems()
    self.sharing = sharing.map { Boxed($0) }
    versionSpace += 1
    noteRows()
    record(change)
    return change
  }

  /// Notes that the contents have shared sizes, after the session was reset to them.
  mutating func begin(_ sharing: Sharing) {
    self.sharing = Boxed(sharing)
    measured = sharing.measured
  }

  /// Changes `effective`, and not `base`.
  ///
  /// - Returns: what happened to `effective`.
  mutating func diverge(by change: ContentsChange) -> ContentsChange {
    isDerived = true
    let change = following(change, items: effective.hasOutlines ? nil : change)
    record(change)
    return change
  }

  /// Sets measured sizes in `effective`.
  ///
  /// - Parameter whole: the same sizes for all items of outlines; nil = there are none.
  /// - Parameter measured: the items that have been measured so far.
  /// - Returns: what happened to `effective`.
  mutating func measure(
    by change: ContentsChange,
    whole: ContentsChange?,
    _ measured: MeasuredItems
  ) -> ContentsChange {
    isDerived = true
    isMeasured = true
    self.measured = measured
    var change = change
    if let whole {
      noteCopies(of: whole)
      change = change.settingWhole(whole.new)
    }
    change = change.settingMeasuredItemSize(measured.mean)
    record(change)
    return change
  }

  /// Notes measured items, where neither a size nor the mean of the sizes changes.
  mutating func note(_ measured: MeasuredItems) { self.measured = measured }

  /// A change after which the new contents have the mean of the items that are still measured, and
  /// the sizes of other elements where these are now.
  ///
  /// - Parameter items: what happens to the items that `measured` counts; nil = nothing.
  private mutating func following(
    _ change: ContentsChange,
    items: ContentsChange?
  ) -> ContentsChange {
    if let items { measured.follow(items) }
    var change = change
    if !effective.measuredElements.isEmpty {
      change = change.settingMeasuredElements(effective.measuredElements.following(change))
    }
    // Contents without measured sizes are the collection's, whose layouts sessions share.
    guard isMeasured, change.new.measuredItemSize != measured.mean else { return change }
    return change.settingMeasuredItemSize(measured.mean)
  }

  /// Notes that changes by hand have been reverted, so that `effective` differs from `base` at most
  /// in measured sizes.
  mutating func rejoin() {
    guard !isMeasured else {
      derived = Boxed(effective.findingKeys(in: base))
      return
    }
    derived = nil
    isDerived = hasOwnRows
    if let sharing { measured = sharing.value.measured }
  }

  /// Expands and collapses items for the viewer.
  ///
  /// - Parameter includesShared: see `CollectionContents.expanding`.
  /// - Returns: what happened to `effective`.
  mutating func expand(
    _ items: [ItemExpansion],
    includesShared: Bool = false
  ) -> ContentsChange {
    var change = base.expanding(items, includesShared: includesShared)
    base = change.new
    addToFootprint { $0.add(expansion: change) }
    noteRows()
    if isMeasured { change = effective.expanding(items, includesShared: includesShared) }
    change = following(change, items: nil)
    record(change)
    return change
  }

  /// Shows other rows of the same contents, before anything has been shown.
  mutating func show(_ rows: CollectionContents) {
    base = rows
    derived = nil
    noteRows()
  }

  /// The same for rows in which items were expanded.
  mutating func show(_ change: ContentsChange) {
    addToFootprint { $0.add(expansion: change) }
    show(change.new)
  }

  private mutating func addToFootprint(_ add: (inout ExpansionFootprint) -> Void) {
    var value = footprint?.value ?? ExpansionFootprint()
    add(&value)
    footprint = Boxed(value)
  }

  /// Notes what `effective.whole` copied in a change, if it has outlines.
  private mutating func noteCopies(of change: ContentsChange) {
    guard change.new.hasOutlines else { return }
    var value = measuredCopies?.value ?? CopiedItems()
    value.follow(change)
    measuredCopies = Boxed(value)
  }

  /// Notes whether the viewer's rows are its own. Where they are not any more, they become those
  /// that all such viewers share.
  private mutating func noteRows() {
    let isOwn = base.expansionExceptionCount > 0
    if hasOwnRows && !isOwn { base = base.sharedRows }
    if !isOwn { footprint = nil }
    hasOwnRows = isOwn
    isDerived = isOwn || isMeasured
  }

  /// Whether the viewer's rows are its own, and share what they can with those of all viewers.
  private var hasSharedParts: Bool { isShared && hasOwnRows && !isMeasured }

  /// Roughly the bytes that a layout of these contents takes, beyond those that all viewers share
  /// if it follows from one of theirs.
  ///
  /// - Parameter prepared: the layout.
  func ownBytes(of prepared: any PreparedLayout, by layout: any CollectionLayout) -> Int {
    let bytes = prepared.byteCount
    guard hasSharedParts else { return bytes }
    return footprint?.value.layoutBytes(bytes, of: layout, base) ?? bytes
  }

  /// Replaces the contents by others, and forgets measured sizes.
  mutating func reset(to contents: CollectionContents, version: UInt64) {
    base = contents.rows
    derived = nil
    isDerived = false
    hasOwnRows = false
    footprint = nil
    isMeasured = false
    measured = MeasuredItems()
    sharing = nil
    versionSpace += 1
    measuredCopies = nil
    self.version = version
    // No list of changes leads here: with this epoch, `changes(since:)` returns nil for older ones.
    epoch += Self.capacity + 1
    forgetChanges()
  }

  /// Shows the contents after a change, keeps the change, and drops the oldest ones where there are
  /// too many.
  ///
  /// - Precondition: `base` and `isDerived` are those after the change.
  private mutating func record(_ change: ContentsChange) {
    // The collection accounts for the index of its own contents.
    let index = derived == nil ? 0 : change.old.builtIndexByteCount
    derived = isDerived ? Boxed(change.new) : nil
    epoch += 1
    let byteCount =
      isShared && !isDerived ? 0 : change.replacedByteCount + change.listByteCount + index
    recent.append((change, byteCount))
    recentByteCount += byteCount
    let most = max(Self.fewBytes, effective.approximateByteCount)
    while recent.count > Self.capacity || recentByteCount > most, !recent.isEmpty {
      recentByteCount -= recent.removeFirst().byteCount
    }
  }
}
