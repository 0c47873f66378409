// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Versions of compositional layouts", .timeLimit(.minutes(2)))
struct CompositionalUpdateTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))

  private func prepare(
    _ layout: CompositionalLayout,
    _ contents: CollectionContents,
    _ options: LayoutOptions = LayoutOptions()
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container, options: options))
  }

  /// Sections of one item, with names for their layouts.
  private func contents(_ names: String...) -> CollectionContents {
    CollectionContents(
      sections: names.enumerated().map { index, name in
        SectionContents(
          key: "s\(index)",
          layoutName: name,
          blocks: [ItemBlock(count: 1, keys: ["i\(index)"])]
        )
      }
    )
  }

  private func inserting(
    _ count: Int,
    into contents: CollectionContents
  ) throws -> ContentsChange {
    let sections = (0 ..< count).map {
      SectionContents(key: "new\($0)", blocks: [ItemBlock(count: 1, keys: ["new\($0)"])])
    }
    return try contents.applying(UpdateBatch([.insertSections(at: 0, sections)]))
  }

  @Test("backgrounds of a section stay with the indices that they name when sections are inserted")
  func backgrounds() throws {
    let layout = CompositionalLayout(sections: [
      CompositionalSection(
        group: rows(),
        backgrounds: [SectionBackground(kind: "plate", zIndex: 0, sections: [1])]
      )
    ])
    let change = try inserting(1, into: contents("", "", ""))
    let after = layout.update(prepare(layout, change.old), by: change)
    let viewport = Viewport(of: container)
    for section in 0 ..< 4 {
      let plate = after.attributes(of: .decoration("plate", section: section), viewport: viewport)
      #expect((plate != nil) == (section == 1))
      #expect(after.cell(section, 0, viewport)?.zIndex == (section == 1 ? 1 : 0))
    }
  }

  @Test("backgrounds of the options lift the cells of the sections that they name, and no others")
  func optionBackgrounds() throws {
    let layout = CompositionalLayout(sections: [CompositionalSection(group: rows())])
    let options = LayoutOptions(
      sectionBackgrounds: [SectionBackground(kind: "plate", zIndex: -1, sections: [0])]
    )
    let change = try inserting(2, into: contents("", ""))
    let after = layout.update(prepare(layout, change.old, options), by: change)
    let viewport = Viewport(of: container)
    #expect((0 ..< 4).map { after.cell($0, 0, viewport)?.zIndex } == [1, 0, 0, 0])
  }

  @Test("a section whose layout name a snapshot changes takes the groups of its new entry")
  func renaming() throws {
    let layout = CompositionalLayout(sections: [
      CompositionalSection(name: "low", group: rows(.absolute(50))),
      CompositionalSection(name: "high", group: rows(.absolute(90))),
    ])
    let before = contents("low", "low")
    let change = try before.applying(
      UpdateBatch(change: .snapshot(SnapshotUpdate(contents: contents("high", ""))))
    )
    let after = layout.update(prepare(layout, before), by: change)
    let viewport = Viewport(of: container)
    #expect(after.cell(0, 0, viewport)?.frame.height == 90)
    #expect(after.cell(1, 0, viewport)?.frame.height == 90)
  }

  @Test("groups are formed again after changes to any item of the subgroup that did not fit")
  func lookahead() throws {
    for seed in 700 ..< 800 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let layout = random.groupsOfGroups()
      let contents = random.measuredContents(isMeasured: true)
      let context = LayoutContext(contents: contents, container: container)
      checkUpdates(layout, context, batches: 8, random: &random, "seed \(seed)")
    }
  }

  @Test("derive what they would prepare from nothing, whatever names and backgrounds say")
  func derived() {
    for seed in 0 ..< 80 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var layout = random.compositional(isScrolling: false)
      for section in layout.sections.indices {
        for background in layout.sections[section].backgrounds.indices where random.chance(50) {
          layout.sections[section].backgrounds[background].sections = [0, 3]
        }
      }
      var options = LayoutOptions()
      if random.chance(30) {
        options.sectionBackgrounds = [
          SectionBackground(kind: "board", zIndex: 0, sections: [1, 2])
        ]
      }
      let context = LayoutContext(
        contents: random.namedContents(),
        container: random.container(),
        options: options
      )
      checkUpdates(layout, context, batches: 6, random: &random, "seed \(seed)")
    }
  }
}
