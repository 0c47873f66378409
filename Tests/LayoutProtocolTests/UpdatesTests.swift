// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import Testing

@Suite("Update batches", .timeLimit(.minutes(2)))
struct UpdatesTests {
  private let limits = ContentsLimits.standard

  private static let operations: [UpdateOperation] = [
    .insertItems(
      at: IndexPath(section: 1, item: 2),
      items: [ItemBlock(count: 2, widths: [3], keys: ["a", "b"])]
    ),
    .deleteItems(section: 0, items: 3 ..< 9),
    .moveItem(from: IndexPath(section: 0, item: 1), to: IndexPath(section: 2, item: 3)),
    .reloadItems(section: 1, items: 0 ..< 1, blocks: [ItemBlock(count: 1, heights: [9])]),
    .reconfigureItems(section: 1, items: 4 ..< 6, blocks: [ItemBlock(count: 2, heights: [1, 2])]),
    .insertSections(
      at: 3,
      [SectionContents(key: "new", blocks: [ItemBlock(count: 7, heights: [1])])]
    ),
    .deleteSections(2 ..< 4),
    .moveSection(from: 5, to: 1),
    .reloadSection(7, SectionContents(key: "seven", blocks: [ItemBlock(count: 2)])),
    .setSectionMetrics(
      8,
      SectionMetrics(inset: EdgeInsets(all: 4), headerSize: Size(width: 0, height: 20))
    ),
  ]

  @Test("every operation survives the way to the wire and back")
  func roundTrip() throws {
    let batch = UpdateBatch(
      requestID: "r1",
      expectedDataVersion: 0,
      change: .operations(Self.operations),
      isAnimated: true
    )
    let message = Wire.UpdateBatch(batch)
    let read = try message.decoded(limits: limits)
    #expect(read.requestID == "r1")
    #expect(read.expectedDataVersion == 0)
    #expect(read.isAnimated)
    // Operations hold contents, which cannot be compared: their messages can.
    #expect(Wire.UpdateBatch(read) == message)
    #expect(message.operations.operations.count == Self.operations.count)
  }

  @Test("an absent expected version stays absent")
  func noExpectation() throws {
    let batch = Wire.UpdateBatch.with { $0.operations = .init() }
    #expect(try batch.decoded(limits: limits).expectedDataVersion == nil)
  }

  @Test("a snapshot survives the way to the wire and back")
  func snapshot() throws {
    let contents = try CollectionContents(
      validating: [
        SectionBlocks(key: "s", blocks: [ItemBlock(count: 2, heights: [3, 4], keys: ["a", "b"])])
      ],
      cellKindNames: ["x", "y"]
    )
    let batch = UpdateBatch(
      change: .snapshot(
        SnapshotUpdate(
          contents: contents,
          reloadedItemKeys: ["a"],
          reconfiguredItemKeys: ["b"]
        )
      )
    )
    let message = Wire.UpdateBatch(batch)
    #expect(Wire.UpdateBatch(try message.decoded(limits: limits)) == message)
    #expect(message.snapshot.contents.cellKindNames == ["x", "y"])
  }

  @Test(
    "a faulty field is named from the batch on",
    arguments: [
      ("operations[0]", .init()),
      ("operations[0].insert_items.at", .with { $0.insertItems = .init() }),
      ("operations[0].insert_items.at.item", .with { $0.insertItems.at.section = 1 }),
      (
        "operations[0].insert_items.blocks[0].widths",
        .with {
          $0.insertItems.at.item = 0
          $0.insertItems.blocks = [
            .with {
              $0.count = 3
              $0.widths = [1, 2]
            }
          ]
        }
      ),
      ("operations[0].move_item.to", .with { $0.moveItem.from.item = 1 }),
      (
        "operations[0].reload_items.blocks[1].heights[0]",
        .with {
          $0.reloadItems.blocks = [
            .with { $0.count = 1 },
            .with {
              $0.count = 1
              $0.heights = [-1]
            },
          ]
        }
      ),
      (
        "operations[0].insert_sections.sections[0].metrics.inset.top",
        .with { $0.insertSections.sections = [.with { $0.metrics.inset.top = .nan }] }
      ),
      (
        "operations[0].reload_section.contents.blocks[0].keys",
        .with {
          $0.reloadSection.contents.blocks = [
            .with {
              $0.count = 2
              $0.keys = ["a"]
            }
          ]
        }
      ),
      (
        "operations[0].set_section_metrics.metrics.interitem_spacing",
        .with { $0.setSectionMetrics.metrics.interitemSpacing = .nan }
      ),
    ] as [(String, Wire.UpdateOperation)]
  )
  func violations(field: String, operation: Wire.UpdateOperation) throws {
    let batch = Wire.UpdateBatch.with { $0.operations.operations = [operation] }
    let problem = try #require(throws: LayoutProblem.self) { try batch.decoded(limits: limits) }
    #expect(problem.reason == .fieldInvalid)
    #expect(problem.violations.map(\.field) == [field])
    let prefixed = try #require(throws: LayoutProblem.self) {
      try batch.decoded(limits: limits, prefix: "batch")
    }
    #expect(prefixed.violations.map(\.field) == ["batch.\(field)"])
  }

  @Test("places that no index path can hold are out of range, not a trap")
  func hugeIndices() throws {
    let operations: [Wire.UpdateOperation] = [
      .with {
        $0.deleteItems = .with {
          $0.firstItem = .max
          $0.itemCount = .max
        }
      },
      .with {
        $0.deleteItems = .with {
          $0.firstItem = 5
          $0.itemCount = .max
        }
      },
      .with { $0.deleteItems = .with { $0.section = .max } },
      .with {
        $0.moveItem = .with {
          $0.from.item = .max
          $0.to.item = .max
        }
      },
      .with {
        $0.deleteSections = .with {
          $0.firstSection = .max
          $0.sectionCount = .max
        }
      },
      .with { $0.moveSection = .with { $0.from = .max } },
    ]
    for operation in operations {
      let batch = Wire.UpdateBatch.with { $0.operations.operations = [operation] }
      let problem = try #require(throws: LayoutProblem.self) { try batch.decoded(limits: limits) }
      #expect(problem.reason == .indexOutOfRange)
      #expect(problem.code == .outOfRange)
    }
  }

  @Test(
    "a batch without a change, with an endless identifier or with too many operations is refused"
  )
  func batches() throws {
    let nothing = try #require(throws: LayoutProblem.self) {
      try Wire.UpdateBatch().decoded(limits: limits)
    }
    #expect(nothing.violations.map(\.field) == ["change"])
    let identifier = Wire.UpdateBatch.with {
      $0.operations = .init()
      $0.requestID = String(repeating: "r", count: 500)
    }
    #expect(
      try #require(throws: LayoutProblem.self) { try identifier.decoded(limits: limits) }
        .violations.map(\.field) == ["request_id"]
    )
    let many = Wire.UpdateBatch.with {
      $0.operations.operations = Array(repeating: .with { $0.deleteItems = .init() }, count: 3)
    }
    #expect(
      try #require(throws: LayoutProblem.self) {
        try many.decoded(limits: ContentsLimits(operations: 2))
      }.reason == .quota(.operations)
    )
  }
}
