// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutService
import LayoutSession
import SwiftProtobuf
import Testing

/// Producers edit and viewers look on and edit too while connections break at random; what all of
/// them saw is recorded and held against a model.
///
/// `LAYOUT_HISTORY_SEEDS=100` runs the long form: 8 viewers, 2 producers, 1,000 batches.
@Suite("Histories", .serialized, .timeLimit(.minutes(5)))
struct HistoryTests {
  struct Scale: Sendable {
    var viewers = 3
    var producers = 2
    var batchesPerProducer = 60
    /// Frames and bookmarks of all viewers from one cut to the next, at most.
    var notesPerCut = 24
    var cuts = 12
  }

  private static let longSeeds = ProcessInfo.processInfo.environment["LAYOUT_HISTORY_SEEDS"]
    .flatMap { UInt64($0) }

  @Test("a short history keeps every promise", arguments: 1 ... 3 as ClosedRange<UInt64>)
  func short(seed: UInt64) async throws {
    try await check(seed: seed, Scale())
  }

  @Test(
    "long histories keep every promise",
    .enabled(if: longSeeds != nil),
    arguments: 1 ... max(1, longSeeds ?? 1)
  )
  func long(seed: UInt64) async throws {
    try await check(
      seed: seed,
      Scale(viewers: 8, batchesPerProducer: 500, notesPerCut: 100, cuts: 60)
    )
  }

  private func check(seed: UInt64, _ scale: Scale) async throws {
    let start = ModelRows(count: 1000, height: 20)
    let recorder = Recorder()
    try await withServer { clients in
      try await clients.createRows(start)
      let proxy = CuttableProxy(target: clients.port)
      let address = ServerAddress(host: "127.0.0.1", port: try await proxy.start())
      let run = HistoryRun(
        seed: seed,
        scale: scale,
        recorder: recorder,
        clients: clients,
        address: address,
        proxy: proxy
      )
      try await run.run()
      try await proxy.stop()
    }
    let history = recorder.history
    let violations = history.violations(from: start)
    #expect(violations.isEmpty, "seed \(seed): \(violations.prefix(5).joined(separator: "; "))")
    #expect(history.reconnects > 0)
    #expect(history.sights.count > scale.viewers * 5)
  }
}

extension Clients {
  /// A collection "a" with these rows, shown as a list.
  fileprivate func createRows(_ model: ModelRows) async throws {
    _ = try await collections.createCollection(
      .with {
        $0.collectionID = "a"
        $0.collection.defaultLayout.list.rowHeight = 20
        $0.contents.sections = [
          .with {
            $0.blocks = [
              .with {
                $0.count = UInt32(model.rows.count)
                $0.keys = model.rows.map(\.key)
                $0.heights = model.rows.map(\.height)
              }
            ]
          }
        ]
      }
    )
  }
}
