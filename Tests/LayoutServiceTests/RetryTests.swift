// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import TestSupport
import Testing

@Suite("Retries of batches", .timeLimit(.minutes(2)))
struct RetryTests {
  /// Batches that servers read as the same as simpler ones, and one with what only later releases
  /// know.
  private static let shapes: [(String, @Sendable (inout Wire.UpdateBatch) -> Void)] = [
    ("insertion", { $0 = .inserting(2, at: 1) }),
    (
      "sizes",
      {
        $0 = .inserting(2, at: 1)
        $0.operations.operations[0].insertItems.blocks[0].widths = [10, 10]
        $0.operations.operations[0].insertItems.blocks[0].heights = [0, 0]
      }
    ),
    (
      "empty blocks",
      {
        $0 = .inserting(2, at: 1)
        $0.operations.operations[0].insertItems.blocks.append(.init())
      }
    ),
    ("nothing", { $0.operations = .init() }),
    (
      "new kinds",
      {
        $0.newCellKindNames = ["a"]
        $0.operations = .init()
      }
    ),
    (
      "snapshot",
      {
        $0.snapshot.contents.sections = [
          .with {
            $0.key = "s"
            $0.blocks = [
              .with {
                $0.count = 2
                $0.keys = ["x", "y"]
              }
            ]
          }
        ]
        $0.snapshot.reloadedItemKeys = []
      }
    ),
    (
      "unknown fields",
      {
        $0 = .inserting(1, at: 0)
        try? $0.merge(serializedBytes: [0xf8, 0x7f, 1] as [UInt8])
      }
    ),
  ]

  @Test("the same batch is a retry by whatever call or stream it comes, and another one is none")
  func doors() async throws {
    try await withServer { clients in
      try await clients.createCollection(items: 4)
      try await clients.withSession { probe in
        _ = try await probe.open()
        _ = try await probe.frame()
        var (seq, version) = (1 as UInt64, 0 as UInt64)
        for (index, (name, fill)) in Self.shapes.enumerated() {
          var batch = Wire.UpdateBatch()
          fill(&batch)
          batch.requestID = "r\(index)"
          version += 1
          seq += 1
          let isCallFirst = index % 2 == 0
          let first = isCallFirst ? try await apply(batch, clients).dataVersion : 0
          let sent = batch
          probe.send {
            $0.eventSeq = seq
            $0.update = sent
          }
          let event = try await probe.result(of: seq)
          #expect(event.duplicate == isCallFirst, "\(name)")
          #expect(event.dataVersion == version, "\(name): \(event.problem.message)")
          #expect(!isCallFirst || first == version, "\(name)")
          batch.expectedDataVersion = 1000
          let again = try await apply(batch, clients)
          #expect(again.duplicate && again.dataVersion == version, "\(name)")

          var other = Wire.UpdateBatch.inserting(3, at: 0)
          other.requestID = batch.requestID
          let request = other
          let refused = await problem { _ = try await apply(request, clients) }
          #expect(refused?.reason == .fieldInvalid, "\(name)")
          #expect(refused?.violations.first?.field == "batch.request_id", "\(name)")
          seq += 1
          probe.send {
            $0.eventSeq = seq
            $0.update = request
          }
          let problem = try await probe.result(of: seq).problem
          #expect(problem.fieldViolations.first?.field == "request_id", "\(name)")
        }
      }
    }
  }

  @Test("a private session refuses another batch with the identifier of an earlier one")
  func privateContents() async throws {
    try await withServer { clients in
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 5 }] }]
          $0.layout.list.rowHeight = 10
        }
        _ = try await probe.frame()
        var batch = Wire.UpdateBatch.inserting(1, at: 0)
        batch.requestID = "x"
        var seq = 1 as UInt64
        for isRetry in [false, true] {
          seq += 1
          if isRetry { batch.expectedDataVersion = 0 }
          let sent = batch
          probe.send {
            $0.eventSeq = seq
            $0.update = sent
          }
          let result = try await probe.result(of: seq)
          #expect(result.dataVersion == 1 && result.duplicate == isRetry)
        }
        var other = Wire.UpdateBatch.inserting(2, at: 0)
        other.requestID = "x"
        let sent = other
        probe.send {
          $0.eventSeq = 9
          $0.update = sent
        }
        let refused = try await probe.result(of: 9).problem
        #expect(refused.reason == "FIELD_INVALID")
        #expect(refused.fieldViolations.first?.field == "request_id")
      }
    }
  }

  private func apply(
    _ batch: Wire.UpdateBatch,
    _ clients: Clients
  ) async throws -> CollectionLayout_V1_ApplyUpdatesResponse {
    try await clients.collections.applyUpdates(
      .with {
        $0.name = "collections/a"
        $0.batch = batch
      }
    )
  }
}
