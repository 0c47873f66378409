// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Applies measured sizes to the session's private contents, as a batch, so that layouts are derived from
  /// them as for any other change.
  ///
  /// Slots that have been given to another element since the observed frame are ignored, and so are
  /// elements that are not self-sizing.
  ///
  /// - Complexity: O(live elements + sizes · log items + measured elements); in outlines twice as much, for the
  ///   rows and for all items
  /// - Throws: FIELD_INVALID where a slot, a size, the number of sizes or the observed frame is invalid, and
  ///   QUOTA_MEASUREMENTS where more elements than the limit would have sizes beside the data.
  mutating func apply(_ report: MeasurementReport) throws(Refusal) {
    try validate(report)
    let slots = Set(report.slots)
    var elements: [UInt32: LiveElement] = [:]
    for live in live.elements where slots.contains(live.slot) { elements[live.slot] = live }
    try refuseDecorations(report, elements)
    var found = MeasuredSizes(measured: contents.measured)
    // Of two sizes for one slot the later one counts; a batch may name an item only once.
    for (slot, size) in zip(report.slots, report.sizes).reversed() {
      guard let live = elements.removeValue(forKey: slot), live.since <= report.observedFrame
      else { continue }
      note(size, of: live, in: &found)
    }
    var measuredElements = contents.effective.measuredElements
    let changedSections = measuredElements.insert(found.elements)
    guard measuredElements.count <= SessionLimits.measuredElements else {
      throw Refusal(
        .quotaMeasurements,
        "\(measuredElements.count) elements other than items, headers and footers would have measured "
          + "sizes; \(SessionLimits.measuredElements) may.",
        metadata: ["limit": "\(SessionLimits.measuredElements)"]
      )
    }
    noteHeld(found.held)
    for (section, metrics) in found.metrics
    where metrics != contents.effective.section(at: section).metrics {
      found.rows.append(.setSectionMetrics(section, metrics))
      found.items.append(.setSectionMetrics(section, metrics))
    }
    let averages =
      configuration.layout.averagesMeasurements
      || target?.configuration.layout.averagesMeasurements == true
    let hasNewElements = measuredElements != contents.effective.measuredElements
    guard
      !found.rows.isEmpty || hasNewElements
        || averages && found.measured.mean != contents.measured.mean
    else {
      contents.note(found.measured)
      return
    }
    let limits = sizeLimits
    var change = try contents.effective.settingSizes(found.rows, limits: limits)
    let hasOutlines = contents.effective.hasOutlines
    let whole =
      hasOutlines
      ? try contents.effective.whole.settingSizes(found.items, limits: limits) : nil
    if hasNewElements {
      change = change.settingMeasuredElements(measuredElements, in: changedSections)
    }
    measure(by: change, whole: whole, found.measured)
    layoutVersion += 1
  }

  /// What the sizes of a report belong to.
  private struct MeasuredSizes {
    /// All items that have been measured, those of the report included.
    var measured: MeasuredItems
    /// What gives rows their sizes, as the viewer sees them.
    var rows: [UpdateOperation] = []
    /// The same for all items of outlines, whether rows or not.
    var items: [UpdateOperation] = []
    /// The metrics of sections whose headers or footers were measured.
    var metrics: [Int: SectionMetrics] = [:]
    /// Other elements.
    var elements: [MeasuredElement: Size] = [:]
    /// The sizes of rows of items from elsewhere that are held, by the index of the item.
    var held: [Int: Size] = [:]
    /// The rows that have a size.
    var paths: Set<IndexPath> = []
  }

  /// Notes the size of an element, unless it has one already or cannot have one.
  private func note(_ size: Size, of live: LiveElement, in found: inout MeasuredSizes) {
    let kind = kinds.name(live.element.kind)
    let key = ElementKey(category: live.element.category, kind: kind, indexPath: live.path)
    let effective = contents.effective
    if let element = configuration.layout.measuredElement(for: key, in: effective) {
      if found.elements[element] == nil { found.elements[element] = size }
      return
    }
    let section = live.path.section
    guard section < effective.sectionCount,
      configuration.layout.acceptsMeasurement(of: key, in: effective.section(at: section))
    else { return }
    if live.element.category == .cell, live.path.item != nil {
      guard found.paths.insert(live.path).inserted, let values = effective.item(at: live.path)
      else { return }
      if let index = movement?.foreignIndex(ofRow: live.path) { found.held[index] = size }
      let path = measuredPath(ofRow: live.path)
      if let path { found.measured.insert(path, values, size) }
      guard values.width != size.width || values.height != size.height else { return }
      found.rows += Self.setting(size, at: live.path)
      found.items += path.map { Self.setting(size, at: $0) } ?? []
    } else if live.path.item == nil {
      var changed = found.metrics[section] ?? effective.section(at: section).metrics
      switch kind {
      case StandardKind.header where found.metrics[section]?.headerSize == nil:
        changed.headerSize = size
      case StandardKind.footer where found.metrics[section]?.footerSize == nil:
        changed.footerSize = size
      default: return
      }
      found.metrics[section] = changed
    }
  }

  /// Notes the sizes of items from elsewhere, for the time after they were dropped.
  private mutating func noteHeld(_ sizes: [Int: Size]) {
    guard !sizes.isEmpty, var held = movement, var foreign = held.foreign?.value else { return }
    foreign.measured.merge(sizes) { $1 }
    held.foreign = Boxed(foreign)
    movement = held
  }

  /// Sets sizes that were measured earlier.
  ///
  /// - Parameter sizes: each of a row, or of an item that is hidden. `item` is its index path among all items;
  ///   nil = the collection does not have it.
  mutating func setSizes(_ sizes: [(row: IndexPath?, item: IndexPath?, size: Size)]) {
    let hasOutlines = contents.effective.hasOutlines
    var found = MeasuredSizes(measured: contents.measured)
    for (row, item, size) in sizes {
      let counted = item ?? (hasOutlines ? nil : row)
      if let counted, let values = contents.effective.whole.item(at: counted) {
        found.measured.insert(counted, values, size)
      }
      found.rows += row.map { Self.setting(size, at: $0) } ?? []
      found.items += item.map { Self.setting(size, at: $0) } ?? []
    }
    guard !sizes.isEmpty,
      let change = try? contents.effective.settingSizes(found.rows, limits: sizeLimits)
    else { return }
    let whole =
      hasOutlines
      ? try? contents.effective.whole.settingSizes(found.items, limits: sizeLimits) : nil
    measure(by: change, whole: whole, found.measured)
  }

  private static func setting(_ size: Size, at path: IndexPath) -> [UpdateOperation] {
    guard let item = path.item else { return [] }
    let block = ItemBlock(count: 1, widths: [size.width], heights: [size.height])
    return [
      .reconfigureItems(section: path.section, items: item ..< item + 1, blocks: [block])
    ]
  }

  /// There is at most one operation for each live element, or for each item that is held, however many a
  /// client's batch may have.
  private var sizeLimits: ContentsLimits {
    var limits = contentsLimits
    limits.operations = .max
    return limits
  }

  /// The index path under which `SessionContents.measured` counts a row; nil = it is a row of an item that the
  /// collection does not have.
  private func measuredPath(ofRow path: IndexPath) -> IndexPath? {
    let effective = contents.effective
    guard effective.hasOutlines else { return path }
    if effective.section(at: path.section).rows != nil { return effective.wholePath(ofRow: path) }
    return unmovedPath(ofPreview: path)
  }

  /// - Throws: FIELD_INVALID where a slot, a size, the number of sizes or the observed frame is invalid.
  private func validate(_ report: MeasurementReport) throws(Refusal) {
    guard report.slots.count == report.sizes.count else {
      throw Refusal(
        .fieldInvalid,
        field: "sizes",
        "\(report.sizes.count) sizes where there are \(report.slots.count) slots"
      )
    }
    guard report.observedFrame <= window.lastSent else {
      throw Refusal(
        .fieldInvalid,
        field: "observed_frame_seq",
        "\(report.observedFrame) where the last frame is \(window.lastSent)"
      )
    }
    let slotCount = max(earlierSlotCount, live.slots.slotCount)
    for (index, slot) in report.slots.enumerated() where Int(slot) >= slotCount {
      throw Refusal(
        .fieldInvalid,
        field: "slots[\(index)]",
        "\(slot), which has held no element; the session has used \(slotCount) slots, from 0 on"
      )
    }
    for (index, size) in report.sizes.enumerated() {
      for (name, length) in [("width", size.width), ("height", size.height)]
      where !(length >= 0 && length <= SessionLimits.length) {
        throw Refusal(
          .fieldInvalid,
          field: "sizes[\(index)].\(name)",
          "\(length) where a number from 0 to \(SessionLimits.length) is allowed"
        )
      }
    }
  }

  /// - Parameter elements: the live elements by slot.
  /// - Throws: FIELD_INVALID where a slot held a decoration in the observed frame.
  private func refuseDecorations(
    _ report: MeasurementReport,
    _ elements: [UInt32: LiveElement]
  ) throws(Refusal) {
    for (index, slot) in report.slots.enumerated() {
      guard let live = elements[slot], live.element.category == .decoration,
        live.since <= report.observedFrame
      else { continue }
      throw Refusal(
        .fieldInvalid,
        field: "slots[\(index)]",
        "\(slot), a decoration of kind \"\(kinds.name(live.element.kind))\"; the layout makes it as large "
          + "as what it adorns, so only cells and supplementary elements can be measured"
      )
    }
  }
}
