// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Applies measured sizes to the session's private contents as a batch, so that layouts are
  /// derived as for any other change; or passes them on, if the session shares sizes.
  ///
  /// Slots that have been given to another element since the observed frame are ignored, and so are
  /// elements that are not self-sizing.
  ///
  /// - Parameter seq: the sequence number of the event.
  /// - Returns: the sizes to share; nil = none.
  /// - Complexity: O(live elements + sizes · log items + measured elements), whatever is held; in
  ///   outlines twice as much, for the rows and for all items
  /// - Throws: FIELD_INVALID if a slot, a size, the number of sizes or the observed frame is
  ///   invalid; QUOTA_MEASUREMENTS if more elements other than items, headers and footers would
  ///   have sizes than allowed.
  mutating func apply(_ report: MeasurementReport, seq: UInt64) throws(Refusal) -> SharedOffer? {
    try validate(report)
    let observed = observed(report)
    try refuseDecorations(report, observed.map { ($0.slot, $0.live) })
    let sizes = measurable(observed)
    guard contents.isSharing else {
      try keep(sizes)
      return nil
    }
    var offer = SharedOffer(eventSequence: seq, report: report, sizes: [:])
    var others: [(element: Measurable, size: Size)] = []
    for (element, size) in sizes {
      if let place = sharedPlace(of: element) {
        if offer.sizes[place] == nil { offer.sizes[place] = size }
      } else {
        others.append((element, size))
      }
    }
    if !others.isEmpty { try keep(others) }
    return offer.sizes.isEmpty ? nil : offer
  }

  /// Keeps sizes for this session that were not accepted for all.
  ///
  /// - Parameter places: the places of these sizes; nil = all of the offer.
  /// - Throws: QUOTA_MEASUREMENTS as `apply`.
  mutating func keep(_ offer: SharedOffer, at places: Set<MeasuredPlace>?) throws(Refusal) {
    let sizes = measurable(observed(offer.report)).filter { element, _ in
      sharedPlace(of: element).map { places?.contains($0) ?? true } ?? false
    }
    try keep(sizes)
  }

  /// The elements of a report with their sizes; of two sizes for one slot, the later one.
  private func observed(
    _ report: MeasurementReport
  ) -> [(slot: UInt32, live: LiveElement, size: Size)] {
    let slots = Set(report.slots)
    var elements: [UInt32: LiveElement] = [:]
    for live in live.elements where slots.contains(live.slot) { elements[live.slot] = live }
    var found: [(slot: UInt32, live: LiveElement, size: Size)] = []
    for (slot, size) in zip(report.slots, report.sizes).reversed() {
      // Before its first frame a client has seen nothing, whatever others have had since then.
      guard let live = elements.removeValue(forKey: slot), report.observedFrame > 0,
        live.since <= Int64(clamping: report.observedFrame)
      else { continue }
      found.append((slot, live, size))
    }
    return found
  }

  /// Sets sizes in the session's private contents.
  ///
  /// - Throws: QUOTA_MEASUREMENTS as `apply`.
  private mutating func keep(
    _ sizes: [(element: Measurable, size: Size)]
  ) throws(Refusal) {
    var found = MeasuredSizes(measured: contents.measured)
    for (element, size) in sizes { note(size, of: element, in: &found) }
    found.measured.insert(found.sizes)
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

  /// The sizes of a report by what they belong to.
  private struct MeasuredSizes {
    /// All items measured so far, including those of the report.
    var measured: MeasuredItems
    /// Those of the report.
    var sizes: [MeasuredItems.Measurement] = []
    /// What gives rows their sizes, as the viewer sees them.
    var rows: [UpdateOperation] = []
    /// The same for all items of outlines, visible or not.
    var items: [UpdateOperation] = []
    /// The metrics of sections whose headers or footers were measured.
    var metrics: [Int: SectionMetrics] = [:]
    /// The sizes of other elements.
    var elements: [MeasuredElement: Size] = [:]
    /// The sizes of held items from elsewhere, by the index of the item.
    var held: [Int: Size] = [:]
    /// The rows that have a size.
    var paths: Set<IndexPath> = []
    /// The sections whose headers, and whose footers, have a size.
    var headers: Set<Int> = []
    var footers: Set<Int> = []
  }

  /// An element that can have a measured size.
  private enum Measurable {
    /// A cell, by its row.
    case cell(IndexPath)
    case header(Int)
    case footer(Int)
    case element(MeasuredElement)
  }

  /// The elements that can have a measured size.
  private func measurable(
    _ sizes: [(slot: UInt32, live: LiveElement, size: Size)]
  ) -> [(element: Measurable, size: Size)] {
    sizes.compactMap { _, live, size in measurable(live).map { ($0, size) } }
  }

  /// Whether a report of an element's size would be taken.
  func canMeasure(_ live: LiveElement) -> Bool { measurable(live) != nil }

  /// What a measured size of an element would belong to; nil = it cannot have one.
  private func measurable(_ live: LiveElement) -> Measurable? {
    let kind = kinds.name(live.element.kind)
    let key = ElementKey(category: live.element.category, kind: kind, indexPath: live.path)
    let effective = contents.effective
    if let element = configuration.layout.measuredElement(for: key, in: effective) {
      return .element(element)
    }
    let section = live.path.section
    guard section < effective.sectionCount,
      configuration.layout.acceptsMeasurement(of: key, in: effective.section(at: section))
    else { return nil }
    if live.element.category == .cell, live.path.item != nil { return .cell(live.path) }
    guard live.path.item == nil else { return nil }
    return switch kind {
    case StandardKind.header: .header(section)
    case StandardKind.footer: .footer(section)
    default: nil
    }
  }

  /// The place that all sharing sessions know an element by; nil = its item is not in the
  /// collection, or it is a badge in an outline, whose rows differ between viewers.
  private func sharedPlace(of element: Measurable) -> MeasuredPlace? {
    switch element {
    case .cell(let row):
      // What a movement collapses or moves concerns this viewer alone.
      let path = unmovedPath(ofPreview: row).flatMap { contents.base.wholePath(ofRow: $0) }
      return path.map { .item($0) }
    case .header(let section): return .header(section)
    case .footer(let section): return .footer(section)
    case .element(.item(let row, let kind)):
      guard !contents.effective.hasOutlines else { return nil }
      return unmovedPath(ofPreview: row).map { .element(.item($0, kind: kind)) }
    case .element(let element): return .element(element)
    }
  }

  /// Notes the size of an element.
  private func note(_ size: Size, of element: Measurable, in found: inout MeasuredSizes) {
    let effective = contents.effective
    switch element {
    case .element(let element):
      if found.elements[element] == nil { found.elements[element] = size }
    case .cell(let row):
      guard found.paths.insert(row).inserted, let values = effective.item(at: row) else { return }
      if let index = movement?.foreignIndex(ofRow: row) { found.held[index] = size }
      let path = measuredPath(ofRow: row)
      if let path { found.sizes.append(.init(path: path, values: values, size: size)) }
      guard values.width != size.width || values.height != size.height else { return }
      found.rows += UpdateOperation.setting(size, at: row)
      found.items += path.map { UpdateOperation.setting(size, at: $0) } ?? []
    case .header(let section):
      guard found.headers.insert(section).inserted else { return }
      found.metrics[section, default: effective.section(at: section).metrics].headerSize = size
    case .footer(let section):
      guard found.footers.insert(section).inserted else { return }
      found.metrics[section, default: effective.section(at: section).metrics].footerSize = size
    }
  }

  /// Keeps the sizes of items from elsewhere, for when they have been dropped.
  private mutating func noteHeld(_ sizes: [Int: Size]) {
    guard !sizes.isEmpty, var held = movement, var foreign = held.foreign?.value else { return }
    foreign.measured.merge(sizes) { $1 }
    held.foreign = Boxed(foreign)
    movement = held
  }

  /// Sets sizes that were measured earlier.
  ///
  /// - Parameter sizes: the size of each row or hidden item. `item` is the index path among all
  ///   items; nil = the item is not in the collection.
  mutating func setSizes(_ sizes: [(row: IndexPath?, item: IndexPath?, size: Size)]) {
    let hasOutlines = contents.effective.hasOutlines
    var found = MeasuredSizes(measured: contents.measured)
    for (row, item, size) in sizes {
      let counted = item ?? (hasOutlines ? nil : row)
      if let counted, let values = contents.effective.whole.item(at: counted) {
        found.sizes.append(.init(path: counted, values: values, size: size))
      }
      found.rows += row.map { UpdateOperation.setting(size, at: $0) } ?? []
      found.items += item.map { UpdateOperation.setting(size, at: $0) } ?? []
    }
    found.measured.insert(found.sizes)
    guard !sizes.isEmpty,
      let change = try? contents.effective.settingSizes(found.rows, limits: sizeLimits)
    else { return }
    let whole =
      hasOutlines
      ? try? contents.effective.whole.settingSizes(found.items, limits: sizeLimits) : nil
    measure(by: change, whole: whole, found.measured)
  }

  /// There is at most one operation for each live element or held item, whatever the limit for
  /// clients' batches.
  private var sizeLimits: ContentsLimits {
    var limits = contentsLimits
    limits.operations = .max
    return limits
  }

  /// The index path under which `SessionContents.measured` counts a row; nil = the row's item is
  /// not in the collection.
  private func measuredPath(ofRow path: IndexPath) -> IndexPath? {
    let effective = contents.effective
    guard effective.hasOutlines else { return path }
    if effective.section(at: path.section).rows != nil { return effective.wholePath(ofRow: path) }
    return unmovedPath(ofPreview: path)
  }

  /// - Throws: FIELD_INVALID if a slot, a size, the number of sizes or the observed frame is
  ///   invalid.
  private func validate(_ report: MeasurementReport) throws(Refusal) {
    guard report.slots.count == report.sizes.count else {
      throw Refusal(
        .fieldInvalid,
        field: "sizes",
        "\(report.sizes.count) sizes where there are \(report.slots.count) slots"
      )
    }
    guard report.observedFrame <= link.window.lastSent else {
      throw Refusal(
        .fieldInvalid,
        field: "observed_frame_seq",
        "\(report.observedFrame) where the last frame is \(link.window.lastSent)"
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
          "\(length) found; a number from 0 to \(SessionLimits.length) is allowed"
        )
      }
    }
  }

  /// - Parameter elements: the observed elements with their slots.
  /// - Throws: FIELD_INVALID if a slot held a decoration in the observed frame.
  private func refuseDecorations(
    _ report: MeasurementReport,
    _ elements: [(slot: UInt32, live: LiveElement)]
  ) throws(Refusal) {
    let decorations = elements.filter { $0.live.element.category == .decoration }
    guard !decorations.isEmpty else { return }
    let found = Dictionary(decorations.map { ($0.slot, $0.live) }) { first, _ in first }
    for (index, slot) in report.slots.enumerated() {
      guard let live = found[slot] else { continue }
      throw Refusal(
        .fieldInvalid,
        field: "slots[\(index)]",
        "\(slot), a decoration of kind \"\(kinds.name(live.element.kind))\"; the layout makes it as large "
          + "as what it adorns, so only cells and supplementary elements can be measured"
      )
    }
  }
}

extension UpdateOperation {
  /// Gives an item a size.
  static func setting(_ size: Size, at path: IndexPath) -> [UpdateOperation] {
    guard let item = path.item else { return [] }
    let block = ItemBlock(count: 1, widths: [size.width], heights: [size.height])
    return [
      .reconfigureItems(section: path.section, items: item ..< item + 1, blocks: [block])
    ]
  }
}
