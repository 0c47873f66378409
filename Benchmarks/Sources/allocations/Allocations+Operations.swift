// SPDX-License-Identifier: Apache-2.0

import AllocationCount
import CollectionLayouts
import Workloads

extension Allocations {
  /// How often memory is asked for in every operation on every subject. The same limits hold for
  /// ten thousand items and for a million.
  mutating func measureOperations() throws {
    let names = Operation.all.map(\.name).joined(separator: " | ")
    print("\nAllocations of one run; \"!\" = more than is committed.\n\n| | items | \(names) |")
    print("|---|--:|\(Operation.all.map { _ in "--:" }.joined(separator: "|"))|")
    for subject in Subject.all {
      for count in [10_000, 1_000_000] {
        let stage = Stage(subject, count: count)
        let cells = try Operation.all.map { operation in
          guard subject.has(operation, of: count) else { return "–" }
          let found = try allocations(of: stage.trial(of: operation))
          let text = "\(Int(found.rounded()))"
          guard let limit = subject.allocationLimit(of: operation) else { return "(\(text))" }
          let isWithin = found <= limit
          isKept = isKept && isWithin
          return text + (isWithin ? "" : " !")
        }
        print("| \(subject.name) | \(count) | \(cells.joined(separator: " | ")) |")
      }
    }
  }

  /// On average, of some runs after the first ones.
  private func allocations(of trial: any Trial) throws -> Double {
    try trial.verify()
    let runs = 20
    let before = allocation_count()
    for _ in 0 ..< runs { _ = try trial.run() }
    return Double(allocation_count() - before) / Double(runs)
  }
}

extension Subject {
  /// - Parameter elements: how many a query finds.
  func queryAllocationLimit(elements: Double) -> Double {
    // A cluster has custom values of its own: two dictionaries.
    if hasClusters { return 8 + 4 * elements }
    let gathersPlaces = layout is WaterfallLayout || layout is GridLanesLayout
    // A list reads lengths through two windows, in each section in view; a waterfall gathers the
    // places of its columns.
    return gathersPlaces || dataset.itemsPerSection != nil ? 8 : 4
  }

  private var hasClusters: Bool { (layout as? SpatialLayout)?.clusters != nil }

  /// nil = as often as there are items, sections or chunks that the operation looks at.
  fileprivate func allocationLimit(of operation: Operation) -> Double? {
    let isDifferent = dataset.sizes == .different
    let movesRest =
      isDifferent
      && (layout is WaterfallLayout || layout is GridLanesLayout || layout is CompositionalLayout)
    return switch operation {
    case .prepare:
      isDifferent || dataset.itemsPerSection != nil || dataset.isPlaced ? nil : 40
    // The window of clusters has some ten of them.
    case .query, .diff: hasClusters ? 100 : 8
    // Some for each of 110 answers; those of a circle or a map are of all elements or nodes.
    case .scrollMap: hasClusters ? nil : 4000
    case .editedFrame where hasClusters: 200
    case .edit(_, .head), .edit(_, .middle), .editedFrame:
      movesRest ? nil : operation.editedCount * 10 + 90
    // Each in a chunk of its own.
    case .edit(_, .scattered): movesRest ? nil : operation.editedCount * 40
    case .edit(_, .tail): operation.editedCount * 10 + 90
    case .encode: layout is CircleLayout ? 40 : 20
    }
  }
}

extension Operation {
  fileprivate var editedCount: Double {
    if case .edit(let items, _) = self { Double(items) } else { 1 }
  }
}
