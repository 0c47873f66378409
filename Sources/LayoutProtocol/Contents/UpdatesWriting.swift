// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

extension Wire.UpdateBatch {
  /// The message of a batch.
  package init(_ batch: UpdateBatch) {
    self.init()
    requestID = batch.requestID
    if let version = batch.expectedDataVersion { expectedDataVersion = version }
    animated = batch.isAnimated
    newCellKindNames = batch.newCellKinds
    switch batch.change {
    case .operations(let operations):
      var message = Wire.UpdateOperations()
      message.operations = operations.map(Wire.UpdateOperation.init)
      change = .operations(message)
    case .snapshot(let snapshot):
      var message = Wire.SnapshotUpdate()
      message.contents = Wire.CollectionContents(snapshot.contents)
      message.reloadedItemKeys = snapshot.reloadedItemKeys
      message.reconfiguredItemKeys = snapshot.reconfiguredItemKeys
      change = .snapshot(message)
    case .outline(let edits):
      var message = Wire.OutlineUpdate()
      message.edits = edits.map { Wire.OutlineEdit($0) }
      change = .outline(message)
    }
  }
}

extension Wire.UpdateOperation {
  /// The message of an operation. Indices beyond 32 bits are clamped, which servers refuse.
  package init(_ operation: UpdateOperation) {
    self.init()
    switch operation {
    case .insertItems(let path, let blocks):
      insertItems.at = Wire.IndexPath(path)
      insertItems.blocks = blocks.map(Wire.ItemBlock.init)
    case .deleteItems(let section, let items):
      deleteItems = Wire.ItemRange(section: section, items: items)
    case .moveItem(let from, let to):
      moveItem.from = Wire.IndexPath(from)
      moveItem.to = Wire.IndexPath(to)
    case .reloadItems(let section, let items, let blocks):
      reloadItems = Wire.ReplaceItems(section: section, items: items, blocks: blocks)
    case .reconfigureItems(let section, let items, let blocks):
      reconfigureItems = Wire.ReplaceItems(section: section, items: items, blocks: blocks)
    case .insertSections(let index, let sections):
      insertSections.at = UInt32(clamping: index)
      insertSections.sections = sections.map { Wire.Section($0) }
    case .deleteSections(let range):
      deleteSections.firstSection = UInt32(clamping: range.lowerBound)
      deleteSections.sectionCount = UInt32(clamping: range.count)
    case .moveSection(let from, let to):
      moveSection.from = UInt32(clamping: from)
      moveSection.to = UInt32(clamping: to)
    case .reloadSection(let index, let section):
      reloadSection.section = UInt32(clamping: index)
      reloadSection.contents = Wire.Section(section)
    case .setSectionMetrics(let index, let metrics):
      setSectionMetrics.section = UInt32(clamping: index)
      setSectionMetrics.metrics = Wire.SectionMetrics(metrics)
    }
  }
}

extension Wire.ItemRange {
  fileprivate init(section: Int, items: Range<Int>) {
    self.init()
    self.section = UInt32(clamping: section)
    firstItem = UInt32(clamping: items.lowerBound)
    itemCount = UInt32(clamping: items.count)
  }
}

extension Wire.ReplaceItems {
  fileprivate init(section: Int, items: Range<Int>, blocks: [ItemBlock]) {
    self.init()
    range = Wire.ItemRange(section: section, items: items)
    self.blocks = blocks.map(Wire.ItemBlock.init)
  }
}
