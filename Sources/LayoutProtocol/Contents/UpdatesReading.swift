// SPDX-License-Identifier: Apache-2.0

package import CollectionModel
internal import SwiftProtobuf

extension Wire.UpdateBatch {
  /// Reads the batch. Whether it applies to the current contents is checked later, by the model.
  ///
  /// - Parameter prefix: the path of the batch in its request; "" = it is an event of a stream.
  /// - Throws: FIELD_INVALID, INDEX_OUT_OF_RANGE or a quota, with paths such as
  ///   "operations[3].insert_items.blocks[0].widths".
  package func decoded(
    limits: ContentsLimits,
    prefix: String = ""
  ) throws(LayoutProblem) -> UpdateBatch {
    var reader = FieldReader(prefix: prefix)
    let batch = reader.batch(self, limits: limits)
    try reader.finish()
    return batch
  }

  /// The batch as it is stored and as watchers get it: without the version that it expects, which
  /// may differ in a retry.
  package func storedBytes() throws -> [UInt8] {
    var batch = self
    batch.clearExpectedDataVersion()
    return try batch.serializedBytes()
  }

  /// The same for a retry of the batch, whichever call or stream it arrives on.
  fileprivate var digest: UInt64? { (try? storedBytes()).map { Checksum.digest(of: $0) } }
}

extension FieldReader {
  mutating func batch(_ message: Wire.UpdateBatch, limits: ContentsLimits) -> UpdateBatch {
    let change: UpdateBatch.Change
    switch message.change {
    case .operations(let operations):
      if operations.operations.count > limits.operations {
        fail(
          .quotaExceeded(
            .operations,
            limit: UInt64(limits.operations),
            found: UInt64(operations.operations.count),
            field: path(to: "operations")
          )
        )
        change = .operations([])
      } else {
        // Paths leave out `operations.operations`: the outer message only holds the list.
        change = .operations(
          each(operations.operations, "operations") { $1.operation($0) }.compactMap(\.self)
        )
      }
    case .snapshot(let snapshot):
      change = .snapshot(within("snapshot") { $0.snapshot(snapshot, limits: limits) })
    case .outline(let update):
      change = .outline(within("outline") { $0.outlineEdits(update, limits: limits) })
    case nil:
      reject("change", "nothing found; operations, a snapshot or outline edits are needed")
      change = .operations([])
    }
    var batch = UpdateBatch(
      requestID: text(message.requestID, "request_id", maxBytes: FieldReader.maxNameBytes),
      expectedDataVersion: message.hasExpectedDataVersion ? message.expectedDataVersion : nil,
      change: change,
      isAnimated: message.animated,
      newCellKinds: kindNames(message.newCellKindNames, "new_cell_kind_names")
    )
    if !batch.requestID.isEmpty { batch.digest = message.digest }
    return batch
  }

  private mutating func snapshot(
    _ message: Wire.SnapshotUpdate,
    limits: ContentsLimits
  ) -> SnapshotUpdate {
    SnapshotUpdate(
      contents: contents(message.contents, "contents", limits: limits),
      reloadedItemKeys: message.reloadedItemKeys,
      reconfiguredItemKeys: message.reconfiguredItemKeys
    )
  }

  /// Reads one operation.
  ///
  /// - Returns: nil = this version does not know the operation, and it was refused.
  private mutating func operation(_ message: Wire.UpdateOperation) -> UpdateOperation? {
    switch message.operation {
    case .insertItems(let insert):
      within("insert_items") { reader in
        .insertItems(
          at: reader.itemPath(insert.hasAt ? insert.at : nil, "at"),
          items: reader.blocks(insert.blocks, kindCount: nil)
        )
      }
    case .deleteItems(let range):
      within("delete_items") { reader in
        let range = reader.itemRange(range)
        return .deleteItems(section: range.section, items: range.items)
      }
    case .moveItem(let move):
      within("move_item") { reader in
        .moveItem(
          from: reader.itemPath(move.hasFrom ? move.from : nil, "from"),
          to: reader.itemPath(move.hasTo ? move.to : nil, "to")
        )
      }
    case .reloadItems(let replace):
      within("reload_items") { reader in
        let replacement = reader.replacement(replace)
        return .reloadItems(
          section: replacement.section,
          items: replacement.items,
          blocks: replacement.blocks
        )
      }
    case .reconfigureItems(let replace):
      within("reconfigure_items") { reader in
        let replacement = reader.replacement(replace)
        return .reconfigureItems(
          section: replacement.section,
          items: replacement.items,
          blocks: replacement.blocks
        )
      }
    case .insertSections(let insert):
      within("insert_sections") { reader in
        .insertSections(
          at: reader.index(insert.at, "at"),
          reader.each(insert.sections, "sections") { $1.section($0) }
        )
      }
    case .deleteSections(let range):
      within("delete_sections") { reader in
        let first = reader.index(range.firstSection, "first_section")
        // Two 32-bit numbers: the sum does not overflow. The model checks it against the contents.
        return .deleteSections(first ..< first + Int(range.sectionCount))
      }
    case .moveSection(let move):
      within("move_section") { reader in
        .moveSection(from: reader.index(move.from, "from"), to: reader.index(move.to, "to"))
      }
    case .reloadSection(let replace):
      within("reload_section") { reader in
        .reloadSection(
          reader.index(replace.section, "section"),
          reader.within("contents") { $0.section(replace.contents) }
        )
      }
    case .setSectionMetrics(let set):
      within("set_section_metrics") { reader in
        .setSectionMetrics(
          reader.index(set.section, "section"),
          reader.metrics(set.metrics, "metrics")
        )
      }
    case nil: refuseUnknownOperation()
    }
  }

  private mutating func refuseUnknownOperation() -> UpdateOperation? {
    reject(nil, "nothing found, or an operation that this version of the server does not know")
    return nil
  }

  /// Reads the index of a section or item; 0 if it is refused.
  private mutating func index(_ value: UInt32, _ name: StaticString) -> Int {
    if value <= FieldReader.maxIndex { return Int(value) }
    rejectIndex(name, "\(value) found; at most \(FieldReader.maxIndex) is allowed")
    return 0
  }

  /// Reads a range of items. Its end is at most `FieldReader.maxIndex`, so no sum overflows; the
  /// model checks it against the contents.
  private mutating func itemRange(_ message: Wire.ItemRange) -> (section: Int, items: Range<Int>) {
    let section = index(message.section, "section")
    let first = index(message.firstItem, "first_item")
    guard first + Int(message.itemCount) <= Int(FieldReader.maxIndex) else {
      rejectIndex(
        "item_count",
        "\(message.itemCount) items from \(first) on found; items up to "
          + "\(FieldReader.maxIndex) are allowed"
      )
      return (section, first ..< first)
    }
    return (section, first ..< first + Int(message.itemCount))
  }

  private mutating func replacement(
    _ message: Wire.ReplaceItems
  ) -> (section: Int, items: Range<Int>, blocks: [ItemBlock]) {
    let range = within("range") { $0.itemRange(message.range) }
    return (range.section, range.items, blocks(message.blocks, kindCount: nil))
  }
}
