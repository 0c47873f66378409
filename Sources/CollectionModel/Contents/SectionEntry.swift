// SPDX-License-Identifier: Apache-2.0

/// A section in the tree of a collection. The contents are boxed so that tree nodes stay small.
struct SectionEntry: SummarizedElement {
  private final class Box: Sendable {
    let contents: SectionContents

    init(_ contents: SectionContents) { self.contents = contents }
  }

  private let box: Box
  let summary: SectionSummary
  /// Identifies the section through edits and moves. No later section gets the same serial, so the
  /// key index refers to sections by it.
  let serial: UInt32

  /// An entry for new or edited contents.
  init(_ contents: SectionContents, serial: UInt32, label: UInt64) {
    box = Box(contents)
    self.serial = serial
    let items = contents.items.summary
    summary = SectionSummary(
      itemCount: items.count,
      keyedItemCount: items.keyedCount,
      keyedSectionCount: contents.key.isEmpty ? 0 : 1,
      outlineCount: contents.outline == nil ? 0 : 1,
      exceptionCount: contents.rows?.rule.exceptions.count ?? 0,
      highestCellKind: items.highestCellKind,
      byteCount: items.byteCount + Self.overhead + (contents.rows?.byteCount ?? 0),
      lastLabel: label
    )
  }

  /// Roughly the bytes of the box, its texts and metrics, the entry, and its share of the tree's
  /// nodes.
  private static let overhead = 400

  private init(_ entry: SectionEntry, serial: UInt32, label: UInt64) {
    box = entry.box
    self.serial = serial
    var summary = entry.summary
    summary.lastLabel = label
    self.summary = summary
  }

  /// The section itself.
  var contents: SectionContents { box.contents }

  /// The section's order label: labels grow from section to section. A section that moves gets
  /// another.
  var label: UInt64 { summary.lastLabel }

  /// Whether both refer to the same contents. False if either was edited, even to equal contents.
  func isSame(as other: SectionEntry) -> Bool { box === other.box }

  /// The same section under another label.
  func relabelled(_ label: UInt64) -> SectionEntry {
    SectionEntry(self, serial: serial, label: label)
  }

  /// The same section under the serial and label of another entry.
  func identified(as other: SectionEntry) -> SectionEntry {
    SectionEntry(self, serial: other.serial, label: other.label)
  }

  /// Other contents under the same serial and label.
  func replacing(_ contents: SectionContents) -> SectionEntry {
    SectionEntry(contents, serial: serial, label: label)
  }
}

/// Totals over a run of sections.
struct SectionSummary: TreeSummary {
  /// The number of items.
  var itemCount: Int
  /// The number of items that have a key.
  var keyedItemCount: Int
  /// The number of sections that have a key.
  var keyedSectionCount: Int
  /// The number of sections that are outlines.
  var outlineCount: Int
  /// The number of items that a viewer has expanded or collapsed as exceptions from its base.
  var exceptionCount: Int
  /// The highest cell kind in use; 0 if there are no items.
  var highestCellKind: Int
  /// Roughly the memory in use, in bytes.
  var byteCount: Int
  /// The label of the last section; 0 if there are no sections.
  var lastLabel: UInt64

  static let zero = SectionSummary(
    itemCount: 0,
    keyedItemCount: 0,
    keyedSectionCount: 0,
    outlineCount: 0,
    exceptionCount: 0,
    highestCellKind: 0,
    byteCount: 0,
    lastLabel: 0
  )

  static func + (a: SectionSummary, b: SectionSummary) -> SectionSummary {
    SectionSummary(
      itemCount: a.itemCount + b.itemCount,
      keyedItemCount: a.keyedItemCount + b.keyedItemCount,
      keyedSectionCount: a.keyedSectionCount + b.keyedSectionCount,
      outlineCount: a.outlineCount + b.outlineCount,
      exceptionCount: a.exceptionCount + b.exceptionCount,
      highestCellKind: max(a.highestCellKind, b.highestCellKind),
      byteCount: a.byteCount + b.byteCount,
      lastLabel: max(a.lastLabel, b.lastLabel)
    )
  }
}
