// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import SwiftProtobuf

/// Divides changed contents into messages: for each section its header, then runs of items that are
/// kept, and the others in blocks.
struct ChangedParts: IteratorProtocol {
  private let contents: CollectionContents
  private let kept: KeptItems
  private var nextSection = 0
  private var nextItem = 0
  private var nextRun = 0
  private var items = ItemSequence()
  private var blocks = ItemParts(ItemSequence(), in: 0 ..< 0)

  init(_ contents: CollectionContents, _ kept: KeptItems) {
    self.contents = contents
    self.kept = kept
  }

  mutating func next() -> Wire.UpdatePlacementRequest? {
    if let block = blocks.next() { return .with { $0.items = block.withoutData } }
    if nextItem < items.count { return nextItems() }
    guard nextSection < contents.sectionCount else { return nil }
    let section = contents.section(at: nextSection)
    let was = kept.sections[nextSection]
    (items, nextItem) = (section.items, 0)
    nextSection += 1
    return .with {
      $0.section.header = Wire.Section(headerOf: section)
      if let was { $0.section.was = UInt32(clamping: was) }
    }
  }

  private mutating func nextItems() -> Wire.UpdatePlacementRequest? {
    let run = nextRun < kept.runs.count ? kept.runs[nextRun] : nil
    guard let run, run.new.section == nextSection - 1, let start = run.new.item else {
      return sendItems(until: items.count)
    }
    guard start <= nextItem else { return sendItems(until: start) }
    nextRun += 1
    nextItem = start + run.count
    return .with {
      $0.kept.section = UInt32(clamping: run.old.section)
      $0.kept.first = UInt32(clamping: run.old.item ?? 0)
      $0.kept.count = UInt32(clamping: run.count)
    }
  }

  private mutating func sendItems(until end: Int) -> Wire.UpdatePlacementRequest? {
    blocks = ItemParts(items, in: nextItem ..< end)
    nextItem = end
    return next()
  }
}
