// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// Layouts at any parameters, over any contents, seen through any viewport.
package enum LayoutTarget {
  /// Bounds of every computation and query of a run.
  package enum Limit {
    static let steps = 100_000
    static let bytes = 32 << 20
    static let elements = 300
    static let querySteps = 20_000
    /// What may be done between two checks: the most that a waterfall of 1,024 columns places from
    /// one mark to the next.
    static let slack = 1_100_000
  }

  /// Runs what the bytes say.
  ///
  /// - Returns: what is wrong; nil when nothing is. A trap, or work without a bound, is wrong too.
  package static func run(_ bytes: [UInt8]) -> String? {
    var messages = 0
    return run(bytes, messages: &messages)
  }

  /// - Parameter messages: grows by one for each preparation and each change of contents.
  package static func run(_ bytes: [UInt8], messages: inout Int) -> String? {
    messages += 1
    var reader = ByteReader(bytes)
    let layout = reader.layout()
    let context = LayoutContext(
      contents: reader.contents(),
      container: container(&reader),
      options: reader.options()
    )
    var findings = LayoutFindings()
    layout.validate(viewportSize: reader.maybe { $0.size() }, findings: &findings)
    context.options.validate(findings: &findings)
    let isValid = findings.violations.isEmpty
    for finding in findings.violations + findings.warnings
    where finding.field.isEmpty || finding.description.isEmpty {
      return "a finding that says nothing: \(finding)"
    }
    _ = layout.significantParts(of: context.container)
    var prepared: any PreparedLayout
    let work = LayoutWork(stepLimit: Limit.steps, byteLimit: Limit.bytes)
    do { prepared = try layout.prepare(context, work: work) } catch { return fault(in: work) }
    if let fault = fault(in: work) { return fault }
    for _ in 0 ..< 3 {
      if let fault = QueryChecks.fault(in: prepared, layout, isValid: isValid, &reader) {
        return fault
      }
      guard let change = change(of: prepared.context.contents, &reader) else { continue }
      messages += 1
      let work = LayoutWork(stepLimit: Limit.steps, byteLimit: Limit.bytes)
      do { prepared = try layout.update(prepared, by: change, work: work) } catch {
        return fault(in: work)
      }
      if let fault = fault(in: work) { return fault }
    }
    if let fault = QueryChecks.fault(in: prepared, layout, isValid: isValid, &reader) {
      return fault
    }
    let effects = reader.list(upTo: 3) { $0.scrollEffect() }
    guard !effects.isEmpty else { return nil }
    return QueryChecks.fault(in: prepared.showing(effects), layout, isValid: isValid, &reader)
  }

  private static func fault(in work: LayoutWork) -> String? {
    work.steps > Limit.steps + Limit.slack ? "\(work.steps) steps of \(Limit.steps)" : nil
  }

  private static func container(_ reader: inout ByteReader) -> LayoutContainer {
    LayoutContainer(
      size: reader.chance(60)
        ? Size(width: Double(reader.below(1000)), height: Double(reader.below(1000)))
        : reader.size(),
      insets: reader.chance(70) ? .zero : reader.insets(),
      displayScale: reader.chance(80) ? Double(1 + reader.below(3)) : reader.number(),
      isRightToLeft: reader.flag(),
      references: reader.chance(70)
        ? .none
        : ReferenceInsets(
          safeArea: reader.insets(),
          layoutMargins: reader.insets(),
          readableWidth: reader.number(),
          viewportWidth: reader.number()
        )
    )
  }

  private static func change(
    of contents: CollectionContents,
    _ reader: inout ByteReader
  ) -> ContentsChange? {
    guard contents.sectionCount > 0 else { return nil }
    // Those of a batch may touch the same places, which one alone does not.
    let operations = (0 ... reader.below(3)).map { _ in operation(on: contents, &reader) }
    let change =
      (try? contents.applying(UpdateBatch(operations)))
      ?? (try? contents.applying(UpdateBatch(Array(operations.prefix(1)))))
    guard reader.byte() % 4 == 1 else { return change }
    return change?.settingMeasuredItemSize(Size(width: reader.length(), height: reader.length()))
  }

  private static func operation(
    on contents: CollectionContents,
    _ reader: inout ByteReader
  ) -> UpdateOperation {
    let section = reader.below(contents.sectionCount)
    let count = contents.section(at: section).items.count
    let item = reader.below(count + 1)
    let block = reader.validBlock(1 + reader.below(20), kinds: contents.cellKindNames.count)
    return switch reader.byte() % 7 {
    case 0: .deleteItems(section: section, items: item ..< min(count, item + 5))
    case 1: .deleteSections(section ..< section + 1)
    case 2: .insertSections(at: section, [SectionContents(blocks: [block])])
    case 3:
      .reloadItems(
        section: section,
        items: item ..< min(count, item + 1),
        blocks: item < count ? [ItemBlock(count: 1, widths: [reader.length()])] : []
      )
    case 4:
      .moveItem(
        from: IndexPath(section: section, item: item),
        to: IndexPath(section: section, item: max(0, count - 1 - reader.below(3)))
      )
    case 5: .insertItems(at: IndexPath(section: section, item: count), items: [block])
    default: .insertItems(at: IndexPath(section: section, item: item), items: [block])
    }
  }
}
