// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import Dispatch
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Synchronization
import Testing

@Suite("First frames", .timeLimit(.minutes(2)))
struct FirstFrameTests {
  /// A list whose layout of large contents waits until somebody lets it go on.
  private struct SlowList: CollectionLayout {
    let gate: PreparationGate
    let list = ListLayout(rowHeight: 10)

    var kindName: String { "custom:slow" }
    var placesInOrder: Bool { true }

    func prepare(_ context: LayoutContext) -> any PreparedLayout {
      if context.contents.itemCount >= 200_000 { gate.pass() }
      return list.prepare(context)
    }

    static func == (a: Self, b: Self) -> Bool { a.gate === b.gate }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(gate)) }
  }

  @Test("what is in view does not wait for what is below")
  func beginning() async throws {
    let gate = PreparationGate()
    var layouts = LayoutRegistry()
    layouts.register(name: "slow") { _, _ in SlowList(gate: gate) }
    var configuration = ServiceConfiguration.patient
    configuration.timing.beginning = .zero
    // So that a test that fails ends.
    defer { gate.open() }
    try await withServer(configuration, layouts: layouts) { clients in
      _ = try await clients.collections.createCollection(
        .with {
          $0.collectionID = "a"
          $0.contents.sections = [
            .with {
              // Of different sizes, so that they are in several chunks.
              $0.blocks = (0 ..< 10).map { block in
                .with {
                  $0.count = 20_000
                  $0.heights = [Double(10 + block % 2)]
                }
              }
            }
          ]
        }
      )
      try await clients.withSession { probe in
        let opened = try await probe.open {
          $0.collection = "collections/a"
          $0.layout.custom.name = "slow"
        }
        let first = try await probe.frame()
        #expect(gate.passCount == 0)
        #expect(first.baseFrameSeq == 0)
        #expect(first.liveCount > 5)
        probe.send {
          $0.eventSeq = 2
          $0.scrollTarget.element.key.category = .cell
          $0.scrollTarget.element.key.indexPath.section = 0
          $0.scrollTarget.element.key.indexPath.item = 199_999
        }
        gate.open()
        let target = try await probe.next { response -> Wire.ScrollTarget? in
          if case .scrollTarget(let target) = response.message { target } else { nil }
        }
        #expect(gate.passCount == 1)
        #expect(target.contentOffset.y > 1_900_000)
        let size = try await clients.queries.getContentSize(
          .with { $0.target.session = opened.session }
        )
        #expect(size.contentSize.height == target.contentOffset.y + 200)
      }
    }
  }
}
