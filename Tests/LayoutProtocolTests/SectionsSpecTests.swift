// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import Testing

@Suite("LayoutSpec.sections", .timeLimit(.minutes(1)))
struct SectionsSpecTests {
  private func read(
    _ fill: (inout Wire.SectionsLayout) -> Void
  ) throws -> (any CollectionLayout)? {
    var spec = Wire.LayoutSpec()
    fill(&spec.sections)
    return try spec.decoded(by: ReadingRules(), prefix: "layout").layout
  }

  @Test("entries without an axis take that of the sections, and all other defaults of their kinds")
  func defaults() throws {
    let layout = try read {
      $0.scrollDirection = .horizontal
      $0.layouts = [
        .with { $0.flow = .init() },
        .with {
          $0.name = "columns"
          $0.waterfall.columnCount = 2
        },
      ]
    }
    #expect(
      layout as? SectionsLayout
        == SectionsLayout(
          scrollAxis: .horizontal,
          layouts: [
            SectionLayout(.flow(FlowLayout(scrollDirection: .horizontal))),
            SectionLayout(
              name: "columns",
              .waterfall(WaterfallLayout(scrollAxis: .horizontal, columns: .count(2)))
            ),
          ]
        )
    )
    let vertical = try read { $0.layouts = [.with { $0.list = .init() }] }
    #expect(
      vertical as? SectionsLayout
        == SectionsLayout(layouts: [SectionLayout(.list(ListLayout()))])
    )
  }

  @Test(
    "a faulty field is named from the request on",
    arguments: [
      ("layout.sections.layouts", .with { _ in }),
      ("layout.sections.layouts[0]", .with { $0.layouts = [.init()] }),
      (
        "layout.sections.scroll_direction",
        .with {
          $0.scrollDirection = .UNRECOGNIZED(7)
          $0.layouts = [.with { $0.list = .init() }]
        }
      ),
      (
        "layout.sections.inter_section_spacing",
        .with {
          $0.interSectionSpacing = -1
          $0.layouts = [.with { $0.list = .init() }]
        }
      ),
      (
        "layout.sections.layouts[1].flow.item_size.width",
        .with {
          $0.layouts = [
            .with { $0.list = .init() },
            .with { $0.flow.itemSize.width = -1 },
          ]
        }
      ),
      (
        "layout.sections.layouts[0].flow.scroll_direction",
        .with { $0.layouts = [.with { $0.flow.scrollDirection = .horizontal }] }
      ),
      (
        "layout.sections.layouts[0].list",
        .with {
          $0.scrollDirection = .horizontal
          $0.layouts = [.with { $0.list = .init() }]
        }
      ),
      (
        "layout.sections.layouts[0].grid",
        .with {
          $0.scrollDirection = .horizontal
          $0.layouts = [.with { $0.grid = .init() }]
        }
      ),
      (
        "layout.sections.layouts[0].grid.item_size.height",
        .with { $0.layouts = [.with { $0.grid.itemSize.height = -1 }] }
      ),
      (
        "layout.sections.layouts[0].waterfall.column_count",
        .with { $0.layouts = [.with { $0.waterfall = .init() }] }
      ),
      (
        "layout.sections.layouts[0].compositional.name",
        .with { $0.layouts = [.with { $0.compositional.name = "a" }] }
      ),
      (
        "layout.sections.layouts[0].compositional.group.size.width",
        .with { $0.layouts = [.with { $0.compositional = .init() }] }
      ),
      (
        "layout.sections.layouts[0].name",
        .with {
          $0.layouts = [
            .with {
              $0.name = String(repeating: "n", count: 129)
              $0.list = .init()
            }
          ]
        }
      ),
    ] as [(String, Wire.SectionsLayout)]
  )
  func violations(field: String, message: Wire.SectionsLayout) throws {
    let problem = try #require(throws: LayoutProblem.self) { try read { $0 = message } }
    #expect(problem.reason == .fieldInvalid)
    #expect(problem.violations.contains { $0.field == field }, "\(problem.violations)")
  }

  @Test("a bad value in an entry is told once")
  func noEcho() throws {
    let problem = try #require(throws: LayoutProblem.self) {
      try read { $0.layouts = [.with { $0.list.rowHeight = -1 }] }
    }
    #expect(problem.violations.map(\.field) == ["layout.sections.layouts[0].list.row_height"])
  }

  @Test("no layout of sections can be an entry of another one")
  func nested() throws {
    // Field 11 of an entry, as LayoutSpec numbers it: the contract has no such field there.
    let inner: [UInt8] = [0x5a, 0x00]
    let entry = try Wire.SectionLayout(serializedBytes: inner)
    let problem = try #require(throws: LayoutProblem.self) { try read { $0.layouts = [entry] } }
    #expect(problem.violations.map(\.field) == ["layout.sections.layouts[0]"])
    #expect(
      problem.violations.first?.description
        == "is neither flow, list, grid, waterfall, grid lanes nor compositional; one is needed"
    )
  }
}
