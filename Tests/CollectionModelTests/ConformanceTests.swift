// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import Testing

import struct Foundation.Data
import class Foundation.JSONDecoder
import struct Foundation.URL

@testable import CollectionModel

/// The conformance cases about batches, as far as they concern contents alone.
@Suite("Shared batch cases", .timeLimit(.minutes(2)))
struct ConformanceTests {
  @Test(
    "contents after a batch, and what is refused",
    arguments: ["batch_operations", "batch_rejections", "batch_rules", "snapshot_updates"]
  )
  func suite(name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../ConformanceTests/Cases/\(name).json")
    let suite = try JSONDecoder().decode(SharedSuite.self, from: try Data(contentsOf: file))
    #expect(!suite.cases.isEmpty)
    for shared in suite.cases {
      guard let body = shared.batch else { continue }
      var contents = try body.before.contents()
      var refusal: Refusal?
      for batch in body.batches ?? body.batch.map({ [$0] }) ?? [] {
        if batch.expectedDataVersion != nil { continue }
        do {
          let change = try batch.value(for: contents).map { try contents.applying($0) }
          contents = change?.new ?? contents
        } catch let error as Refusal {
          refusal = error
        }
      }
      let isVersionCase = shared.expect.problem?.reason == .one("VERSION_CONFLICT")
      if !isVersionCase {
        #expect(
          (refusal == nil) == (shared.expect.problem == nil),
          "\(shared.id): \(refusal as Any)"
        )
      }
      if let refusal, let reason = shared.expect.problem?.reason {
        #expect(reason.allows(refusal.reason.rawValue), "\(shared.id): \(refusal)")
      }
      if let after = shared.expect.after {
        let found = ReferenceModel(contents).sections.map {
          SharedSection(key: $0.key, items: $0.items.map { $0.values.key ?? "" })
        }
        #expect(found == after, "\(shared.id)")
      }
      #expect(contents.brokenInvariant() == nil, "\(shared.id)")
    }
  }
}
