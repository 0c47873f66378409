// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Layouts of sections against each section laid out alone", .timeLimit(.minutes(2)))
struct SectionsReferenceTests {
  private func context(_ random: inout SplitMix64) -> LayoutContext {
    var kinds: Set<String> = []
    let backgrounds = random.chance(40) ? random.sectionBackgrounds() : []
    return LayoutContext(
      contents: random.namedContents(),
      container: random.container(),
      options: LayoutOptions(
        sectionBackgrounds: backgrounds.filter { kinds.insert($0.kind).inserted }
      )
    )
  }

  private func viewport(_ context: LayoutContext, _ random: inout SplitMix64) -> Viewport {
    var viewport = Viewport(
      of: context.container,
      at: Point(x: random.length(-50 ... 600), y: random.length(-50 ... 600))
    )
    for section in 0 ..< context.contents.sectionCount where random.chance(30) {
      viewport.sectionOffsets[section] = random.length(-50 ... 400)
    }
    return viewport
  }

  @Test("are the stack of them", arguments: 0 ..< 6)
  func frames(batch: UInt64) {
    for seed in batch * 60 ..< batch * 60 + 60 {
      var random = SplitMix64(seed: seed)
      let layout = random.sectionsLayout()
      let context = context(&random)
      let viewport = viewport(context, &random)
      StackedSections(layout: layout, context: context, viewport: viewport).reference
        .check(layout.prepare(context), viewport, "seed \(seed)")
    }
  }

  @Test("are so after random batches too", arguments: 0 ..< 6)
  func updates(batch: UInt64) {
    for seed in 1000 + batch * 30 ..< 1000 + batch * 30 + 30 {
      var random = SplitMix64(seed: seed)
      let layout = random.sectionsLayout()
      let context = context(&random)
      var prepared = layout.prepare(context)
      for step in 0 ..< 6 {
        let batch = random.batch(for: prepared.context.contents)
        guard let change = try? prepared.context.contents.applying(batch, limits: .standard) else {
          continue
        }
        prepared = layout.update(prepared, by: change)
        let viewport = viewport(prepared.context, &random)
        StackedSections(layout: layout, context: prepared.context, viewport: viewport).reference
          .check(prepared, viewport, "step \(step) of seed \(seed)")
      }
    }
  }

  @Test("answer the same whichever way they are asked, and keep the order of items")
  func consistency() {
    for seed in 2000 ..< 2150 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let layout = random.sectionsLayout(isScrolling: false)
      var context = context(&random)
      context.options.isPixelAligned = random.chance(30)
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: context.container, at: Point(x: 20, y: 130))
      prepared.checkConsistency(viewport, random: &random, "seed \(seed)")
      guard prepared.appendsInOrder else { continue }
      var buffer = ElementBuffer()
      prepared.appendElements(in: .everywhere, viewport: viewport, to: &buffer)
      let cells = buffer.elements.filter { $0.category == .cell }.map(\.indexPath)
      #expect(cells == cells.sorted(), "seed \(seed)")
    }
  }

  @Test("derive versions that answer as those made from nothing, aligned to pixels or not")
  func derived() {
    for seed in 3000 ..< 3100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let layout = random.sectionsLayout(isScrolling: false)
      var context = context(&random)
      context.options.isPixelAligned = random.chance(50)
      checkUpdates(layout, context, batches: 5, random: &random, "seed \(seed)")
    }
  }
}
