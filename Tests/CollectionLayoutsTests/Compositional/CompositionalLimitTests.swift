// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import Testing

@testable import CollectionLayouts

@Suite("Limits of compositional layouts", .timeLimit(.minutes(3)))
struct CompositionalLimitTests {
  private typealias Limit = CompositionalLayout.Limit

  private func badge(_ kind: String) -> AnchoredSupplementaryItem {
    AnchoredSupplementaryItem(
      kind: kind,
      size: LayoutSize(width: .absolute(1), height: .absolute(1))
    )
  }

  private func group(count: Int, badges: Int = 0) -> LayoutGroup {
    LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .absolute(50)),
      subitems: [
        .item(
          LayoutItem(
            size: LayoutSize(width: .absolute(1), height: .fractionalHeight(1)),
            supplementaryItems: (0 ..< badges).map { badge("a\($0)") }
          )
        )
      ],
      count: count
    )
  }

  private func context(_ sections: Int = 1) -> LayoutContext {
    LayoutContext(
      contents: CollectionContents(
        sections: (0 ..< sections).map { _ in SectionContents(blocks: [ItemBlock(count: 10)]) }
      ),
      container: LayoutContainer(size: Size(width: 400, height: 600))
    )
  }

  @Test(
    "refuses more elements than a section can have, and names the field, the number and the limit"
  )
  func refused() throws {
    var findings = LayoutFindings()
    let headers = (0 ..< 65).map { header("h\($0)") }
    CompositionalLayout(
      sections: [
        CompositionalSection(
          group: group(count: 10, badges: 17),
          boundarySupplementaryItems: headers,
          backgrounds: (0 ..< 33).map { SectionBackground(kind: "b\($0)") },
          visibleItemEffects: Array(
            repeating: VisibleItemEffect(
              attribute: .alpha,
              activeDistance: 1,
              atCenter: 1,
              atDistance: 1
            ),
            count: 17
          )
        )
      ],
      boundarySupplementaryItems: (0 ..< 65).map { header("g\($0)") }
    ).validate(viewportSize: nil, findings: &findings)
    #expect(
      Set(findings.violations.map(\.field)) == [
        "sections[0].group.subitems[0].item.supplementary_items",
        "sections[0].boundary_supplementary_items", "sections[0].backgrounds",
        "sections[0].visible_item_effects", "boundary_supplementary_items",
      ]
    )
    let finding = try #require(
      findings.violations.first { $0.field == "sections[0].boundary_supplementary_items" }
    )
    #expect(finding.description == "has 65 items; at most 64 are allowed")
  }

  @Test("refuses products: items times badges, and too many sections or kinds")
  func products() {
    #expect(
      rejectedFields(
        CompositionalLayout(sections: [CompositionalSection(group: group(count: 5000, badges: 3))])
      ) == ["sections[0].group.count"]
    )
    let section = CompositionalSection(group: group(count: 1))
    #expect(
      rejectedFields(CompositionalLayout(sections: Array(repeating: section, count: 1025)))
        == ["sections"]
    )
    let named = (0 ..< 65).map { index in
      CompositionalSection(
        group: group(count: 1),
        boundarySupplementaryItems: (0 ..< 16).map { header("h\(index).\($0)") }
      )
    }
    #expect(rejectedFields(CompositionalLayout(sections: named)) == ["sections"])
  }

  @Test("a group is full with as many badges as it may have")
  func badges() {
    let environment = SectionEnvironment(
      axis: .vertical,
      container: LayoutContainer(size: Size(width: 400, height: 600)),
      options: LayoutOptions()
    )
    var solver = GroupSolver(
      pixelGrid: environment.pixelGrid,
      kinds: KindIndices((0 ..< 16).map { "a\($0)" }),
      work: .unlimited
    )
    let size = Size(width: 1e6, height: 50)
    _ = solver.layOut(
      group(count: 0, badges: 16),
      extent: .init(size: size, grows: (false, false), container: size)
    )
    #expect(solver.cells.count == 625)
    #expect(solver.badges.count == Limit.badgesPerGroup)
  }

  @Test("solves the templates that sections use, and counts what they keep")
  func templates() throws {
    let layout = CompositionalLayout(
      sections: Array(
        repeating: CompositionalSection(group: group(count: 10_000)),
        count: 1000
      )
    )
    let work = LayoutWork(stepLimit: 200_000)
    let prepared = try layout.prepare(context(), work: work)
    #expect(prepared.byteCount > 10_000 * 32)
    #expect(prepared.byteCount < 2_000_000)
    // All of them are used, and the work says so before they are all there.
    let all = LayoutWork(byteLimit: 4_000_000)
    #expect(throws: LayoutWork.Stop.tooManyBytes(limit: 4_000_000)) {
      try layout.prepare(context(1000), work: all)
    }
    #expect(all.keptBytes < 5_000_000)
  }

  @Test("counts what a plan and backgrounds keep")
  func byteCount() {
    let name = String(repeating: "n", count: 100_000)
    let layout = CompositionalLayout(
      sections: [CompositionalSection(group: rows(), boundarySupplementaryItems: [header(name)])]
    )
    #expect(layout.prepare(context()).byteCount > 100_000)
    var context = context()
    context.options.sectionBackgrounds = [
      SectionBackground(kind: "b", custom: ["a": .list([.string(name), .string(name)])])
    ]
    let layouts: [any CollectionLayout] = [
      FlowLayout(), GridLayout(), LineLayout(), CircleLayout(), CarouselLayout(), StackLayout(),
      SpatialLayout(),
    ]
    for layout in layouts {
      #expect(layout.prepare(context).byteCount > 200_000, "\(layout)")
    }
  }

  @Test(
    "groups that are solved one by one count what they take, in every pass",
    arguments: [LayoutDimension.estimated(40), .uniformAcrossSiblings(40)]
  )
  func steps(height: LayoutDimension) throws {
    let items = 4000
    var block = ItemBlock(count: items)
    // Widths too, so that no arithmetic replaces the solver.
    block.widths = (0 ..< items).map { Double($0 % 7 + 20) }
    block.heights = (0 ..< items).map { Double($0 % 5 + 20) }
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .estimated(40)),
      subitems: [
        .item(LayoutItem(size: LayoutSize(width: .estimated(100), height: height)))
      ]
    )
    let layout = CompositionalLayout(sections: [CompositionalSection(group: group)])
    let context = LayoutContext(
      contents: CollectionContents(sections: [SectionContents(blocks: [block])]),
      container: LayoutContainer(size: Size(width: 120, height: 600))
    )
    let work = LayoutWork()
    _ = try layout.prepare(context, work: work)
    #expect(work.steps >= 16 * items)
    let limited = LayoutWork(stepLimit: 16_384)
    #expect(throws: LayoutWork.Stop.tooManySteps(limit: 16_384)) {
      try layout.prepare(context, work: limited)
    }
    #expect(limited.steps < 2 * 16_384)
  }
}
