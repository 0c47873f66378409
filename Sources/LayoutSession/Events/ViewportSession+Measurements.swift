// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Applies measured sizes as a batch to the session's private contents, so that layouts are derived
  /// from them as for any other change.
  ///
  /// Slots that have been given to another element since the observed frame are ignored, and so are
  /// elements that are not self-sizing.
  ///
  /// - Complexity: O(live elements + sizes · log items)
  /// - Throws: FIELD_INVALID where a size, the number of sizes or the observed frame is invalid.
  mutating func apply(_ report: MeasurementReport) throws(Refusal) {
    try validate(report)
    var elements: [UInt32: LiveElement] = [:]
    for live in live.elements { elements[live.slot] = live }
    var operations: [UpdateOperation] = []
    var metrics: [Int: SectionMetrics] = [:]
    var seen: Set<IndexPath> = []
    var measured = contents.measured
    // Of two sizes for one slot the later one counts; a batch may name an item only once.
    for (slot, size) in zip(report.slots, report.sizes).reversed() {
      guard let live = elements.removeValue(forKey: slot), live.since <= report.observedFrame
      else { continue }
      let kind = kinds.name(live.element.kind)
      let key = ElementKey(category: live.element.category, kind: kind, indexPath: live.path)
      guard live.path.section < contents.effective.sectionCount,
        configuration.layout.acceptsMeasurement(
          of: key,
          in: contents.effective.section(at: live.path.section)
        )
      else { continue }
      if live.element.category == .cell, let item = live.path.item {
        guard seen.insert(live.path).inserted,
          let values = contents.effective.item(at: live.path)
        else { continue }
        measured.insert(live.path, values, size)
        guard values.width != size.width || values.height != size.height else { continue }
        operations.append(
          .reconfigureItems(
            section: live.path.section,
            items: item ..< item + 1,
            blocks: [ItemBlock(count: 1, widths: [size.width], heights: [size.height])]
          )
        )
      } else if live.path.item == nil {
        let section = live.path.section
        var changed = metrics[section] ?? contents.effective.section(at: section).metrics
        switch kind {
        case StandardKind.header where metrics[section]?.headerSize == nil:
          changed.headerSize = size
        case StandardKind.footer where metrics[section]?.footerSize == nil:
          changed.footerSize = size
        default: continue
        }
        metrics[section] = changed
      }
    }
    for (section, metrics) in metrics
    where metrics != contents.effective.section(at: section).metrics {
      operations.append(.setSectionMetrics(section, metrics))
    }
    let averages =
      configuration.layout.averagesMeasurements
      || target?.configuration.layout.averagesMeasurements == true
    guard !operations.isEmpty || averages && measured.mean != contents.measured.mean else {
      contents.note(measured)
      return
    }
    // There is at most one operation for each live element, however many a client's batch may have.
    var limits = contentsLimits
    limits.operations = .max
    let change = try contents.effective.applying(UpdateBatch(operations), limits: limits)
    measure(by: change, measured)
    layoutVersion += 1
  }

  /// - Throws: FIELD_INVALID where a size, the number of sizes or the observed frame is invalid.
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
}
