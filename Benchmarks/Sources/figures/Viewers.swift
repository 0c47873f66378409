// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutEngine
import Workloads

/// A thousand viewers of one collection, at once.
enum Viewers {
  /// How often a layout was prepared from nothing, and derived after one committed batch.
  static func computations(_ viewers: Int, items: Int) async throws -> (prepared: Int, derived: Int)
  {
    let engine = LayoutEngine()
    let contents = Workload.contents(items, .different)
    let identity = ContentsIdentity(1)
    let change = try contents.applying(
      Workload.inserts(10, into: items),
      limits: Workload.limits
    )
    let first = PreparationRequest(
      contents: contents,
      version: ContentsVersion(identity: identity, number: 1),
      configuration: LayoutConfiguration(Workload.flow),
      container: Workload.container
    )
    var second = first
    second.contents = change.new
    second.version.number = 2
    second.changes = [VersionedChange(newVersion: 2, change: change)]
    for request in [first, second] {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0 ..< viewers {
          group.addTask { _ = try await engine.preparedLayout(for: request) }
        }
        try await group.waitForAll()
      }
    }
    let statistics = engine.statistics
    let derived = Int(statistics.incrementalUpdates)
    return (Int(statistics.misses) - derived, derived)
  }
}
