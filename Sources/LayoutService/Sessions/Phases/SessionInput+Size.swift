// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutProtocol
internal import LayoutSession

// Memory of decoded requests: a block of items takes two bytes on the wire and 88 here.

extension SessionInput {
  /// The size of any request.
  private static let overhead = 256
  /// The largest ratio of a layout's size in memory to that on the wire: nested values of a few
  /// bytes.
  static let layoutExpansion = 16

  /// - Complexity: O(blocks and keys of a batch), O(1) for a viewport change without section
  ///   offsets.
  static func byteCount(of event: Event?) -> Int {
    guard case .event(let event, _) = event else { return overhead }
    return overhead + event.byteCount
  }

  /// 0 for other events.
  static func byteCount(ofViewportIn event: Event?) -> Int {
    guard case .event(.viewport, _) = event else { return 0 }
    return byteCount(of: event)
  }
}

extension SessionEvent {
  fileprivate var byteCount: Int {
    switch self {
    case .viewport(let change):
      change.sectionOffsets.count * 32 + (change.traits?.stated.byteCount ?? 0)
    case .update(let batch): batch.byteCount
    case .measurements(let report): report.slots.count * 4 + report.sizes.count * 16
    case .invalidation(let keys): keys.reduce(0) { $0 + $1.byteCount }
    case .scrollTarget(let request): request.byteCount
    case .namedLayout(let name, _): name.utf8.count
    case .outline(let event):
      event.toggledSlots.count * 4 + textByteCount(event.change.expanded)
        + textByteCount(event.change.collapsed)
    case .table(let change):
      TablePreferences(columns: change.columns, order: change.order ?? []).byteCount
    case .options(let options): options.visibility.byteCount
    case .movement(let step): step.byteCount
    case .unsupported(let name): name.utf8.count
    // Layouts are counted by their size on the wire, which the reader knows.
    case .layout, .transition, .resync, .close, .sync: 0
    }
  }
}

extension ScrollRequest {
  fileprivate var byteCount: Int {
    switch self {
    case .release, .neighbor(.point, _, _), .neighbor(.nowhere, _, _): 0
    case .element(let key, _), .neighbor(.element(let key), _, _): key.byteCount
    case .item(let key, _, _), .neighbor(.item(let key), _, _): key.utf8.count
    }
  }
}

extension InteractiveMovement {
  fileprivate var byteCount: Int {
    switch self {
    case .beginItems(.keys(let keys)): textByteCount(keys)
    case .beginItems(.paths(let paths)): paths.count * MemoryLayout<IndexPath>.stride
    case .beginForeign(.collection(let name, let keys)): name.utf8.count + textByteCount(keys)
    case .beginForeign(.new(let items)): items.byteCount
    case .rules(let rules): rules.byteCount
    case .begin, .position, .target, .end, .cancel: 0
    }
  }
}

extension ElementKey {
  fileprivate var byteCount: Int { MemoryLayout<Self>.stride + kind.utf8.count }
}

extension UpdateBatch {
  /// Whether applying the request may take more than a millisecond.
  var isLarge: Bool { byteCount > 64 << 10 }

  fileprivate var byteCount: Int {
    let changes =
      switch change {
      case .operations(let operations):
        operations.reduce(0) { $0 + MemoryLayout<UpdateOperation>.stride + $1.byteCount }
      case .snapshot(let snapshot):
        snapshot.contents.approximateByteCount + textByteCount(snapshot.reloadedItemKeys)
          + textByteCount(snapshot.reconfiguredItemKeys)
      case .outline(let edits):
        edits.reduce(0) { $0 + MemoryLayout<OutlineEdit>.stride + $1.byteCount }
      }
    return requestID.utf8.count + changes
  }
}

extension UpdateOperation {
  fileprivate var byteCount: Int {
    switch self {
    case .insertItems(_, let blocks), .reloadItems(_, _, let blocks),
      .reconfigureItems(_, _, let blocks):
      blocks.reduce(0) { $0 + MemoryLayout<ItemBlock>.stride + $1.columnByteCount }
    case .insertSections(_, let sections): sections.reduce(0) { $0 + $1.byteCount }
    case .reloadSection(_, let section): section.byteCount
    case .deleteItems, .moveItem, .deleteSections, .moveSection, .setSectionMetrics: 0
    }
  }
}

extension OutlineEdit {
  fileprivate var byteCount: Int {
    switch self {
    case .insert(_, let blocks), .replaceChildren(_, let blocks):
      blocks.reduce(0) { $0 + MemoryLayout<ItemBlock>.stride + $1.columnByteCount }
    case .remove(let keys): textByteCount(keys)
    case .expansion(let change): textByteCount(change.expanded) + textByteCount(change.collapsed)
    case .move: 256
    }
  }
}

extension SectionContents {
  fileprivate var byteCount: Int {
    400 + key.utf8.count + layoutName.utf8.count + items.summary.byteCount
  }
}

extension ItemBlock {
  fileprivate var columnByteCount: Int {
    let numbers =
      widths.count + heights.count + xs.count + ys.count + cellKinds.count
    return numbers * MemoryLayout<Double>.stride + textByteCount(keys) + textByteCount(data)
      + outline.levels.count * MemoryLayout<Int>.stride + outline.expanded.count
      + outline.expandable.count
  }
}

/// Short texts are stored in the array itself, longer ones beside it.
private func textByteCount(_ texts: [String]) -> Int {
  texts.reduce(0) { sum, text in
    let count = text.utf8.count
    return sum + MemoryLayout<String>.stride + (count > 15 ? count + 32 : 0)
  }
}
