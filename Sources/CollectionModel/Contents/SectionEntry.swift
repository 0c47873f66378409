// SPDX-License-Identifier: Apache-2.0

/// A section in the tree of a collection, boxed so that nodes stay small.
struct SectionEntry: SummarizedElement {
  private final class Box: Sendable {
    let contents: SectionContents

    init(_ contents: SectionContents) { self.contents = contents }
  }

  private let box: Box
  let summary: SectionSummary
  /// Never used twice in a line of versions: what the key index remembers.
  let serial: UInt32

  init(_ contents: SectionContents, serial: UInt32, label: UInt64) {
    box = Box(contents)
    self.serial = serial
    let items = contents.items.summary
    summary = SectionSummary(
      itemCount: items.count,
      keyedItemCount: items.keyedCount,
      keyedSectionCount: contents.key.isEmpty ? 0 : 1,
      highestCellKind: items.highestCellKind,
      byteCount: items.byteCount + 400,
      lastLabel: label
    )
  }

  private init(_ entry: SectionEntry, label: UInt64) {
    box = entry.box
    serial = entry.serial
    var summary = entry.summary
    summary.lastLabel = label
    self.summary = summary
  }

  var contents: SectionContents { box.contents }

  /// Grows from section to section; changes where a section moves.
  var label: UInt64 { summary.lastLabel }

  /// Whether neither has been changed since they were one.
  func isSame(as other: SectionEntry) -> Bool { box === other.box }

  func relabelled(_ label: UInt64) -> SectionEntry { SectionEntry(self, label: label) }

  func replacing(_ contents: SectionContents) -> SectionEntry {
    SectionEntry(contents, serial: serial, label: label)
  }
}

struct SectionSummary: TreeSummary {
  var itemCount: Int
  var keyedItemCount: Int
  var keyedSectionCount: Int
  var highestCellKind: Int
  var byteCount: Int
  var lastLabel: UInt64

  static let zero = SectionSummary(
    itemCount: 0,
    keyedItemCount: 0,
    keyedSectionCount: 0,
    highestCellKind: 0,
    byteCount: 0,
    lastLabel: 0
  )

  static func + (a: SectionSummary, b: SectionSummary) -> SectionSummary {
    SectionSummary(
      itemCount: a.itemCount + b.itemCount,
      keyedItemCount: a.keyedItemCount + b.keyedItemCount,
      keyedSectionCount: a.keyedSectionCount + b.keyedSectionCount,
      highestCellKind: max(a.highestCellKind, b.highestCellKind),
      byteCount: a.byteCount + b.byteCount,
      lastLabel: max(a.lastLabel, b.lastLabel)
    )
  }
}
