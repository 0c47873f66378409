// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import Workloads

/// Why something grows with the collection that elsewhere does not.
enum GrowthReason: String, CaseIterable {
  case everyItem = "a layout of different sizes is prepared: each item is looked at once"
  case everySection = "a layout is prepared section by section, of which there are more"
  case scattered = "a thousand edits meet as many chunks of items, and not the same few"
  case columns = "columns are edited: everything behind moves for good"
  case blocks = "columns are edited at their end: one reference for each 8,192 items is copied"
  case circle = "a circle has all of its items in view, and all move when their number changes"
  case nodes = "items lie anywhere: the nodes of their index that a line crosses are counted"
  case groups = "cells size themselves: an edit moves items from group to group, up to the last"

  /// nil = none.
  var limit: Double? {
    switch self {
    // Each in a chunk of its own is the most that there can be.
    case .scattered: 25
    case .blocks: 10
    // The square root of a thousand, and caches.
    case .nodes: 80
    case .everyItem, .everySection, .columns, .circle, .groups: nil
    }
  }
}

extension Subject {
  /// What an operation may take on ten million items over what it takes on ten thousand; nil = it
  /// grows by its nature.
  func growthLimit(of operation: Operation) -> Double? {
    if let reason = reason(for: operation) { reason.limit } else { operation.growthLimit }
  }

  private func reason(for operation: Operation) -> GrowthReason? {
    let isDifferent = dataset.sizes == .different
    switch (layout, operation) {
    case (is CircleLayout, .query), (is CircleLayout, .editedFrame), (is CircleLayout, .scrollMap):
      return .circle
    case (is SpatialLayout, .scrollMap): return .nodes
    case (_, .prepare):
      if dataset.itemsPerSection != nil { return .everySection }
      return isDifferent || dataset.isPlaced ? .everyItem : nil
    case (is WaterfallLayout, .edit(_, .tail)) where isDifferent,
      (is GridLanesLayout, .edit(_, .tail)) where isDifferent:
      return .blocks
    case (is WaterfallLayout, .edit) where isDifferent,
      (is GridLanesLayout, .edit) where isDifferent:
      return .columns
    case (is WaterfallLayout, .editedFrame) where isDifferent,
      (is GridLanesLayout, .editedFrame) where isDifferent:
      return .columns
    case (is CompositionalLayout, .edit) where isDifferent: return .groups
    case (is CompositionalLayout, .editedFrame) where isDifferent: return .groups
    case (_, .edit(_, .scattered)): return .scattered
    default: return nil
    }
  }
}

extension Operation {
  /// Deeper trees, a collection that no longer fits into the processor's caches, and room for
  /// noise.
  fileprivate var growthLimit: Double {
    switch self {
    case .query, .scrollMap: 5
    case .editedFrame: 4
    case .prepare, .edit, .diff, .encode: 3
    }
  }

  static var limits: String {
    all.map { "\($0.name) \(Int($0.growthLimit))" }.joined(separator: ", ")
  }
}
