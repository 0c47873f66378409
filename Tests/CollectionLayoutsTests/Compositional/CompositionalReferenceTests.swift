// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Compositional layout against a naive one", .timeLimit(.minutes(2)))
struct CompositionalReferenceTests {
  private func context(
    _ contents: CollectionContents,
    random: inout SplitMix64,
    isAligned: Bool
  ) -> LayoutContext {
    var container = random.container()
    container.displayScale = Double(1 << random.int(0 ... 1))
    return LayoutContext(
      contents: contents,
      container: container,
      options: LayoutOptions(
        sectionBackgrounds: random.chance(20) ? random.sectionBackgrounds() : [],
        isPixelAligned: isAligned
      )
    )
  }

  @Test("places every element where placing group after group does", arguments: 0 ..< 12)
  func frames(batch: UInt64) {
    for seed in batch * 100 ..< batch * 100 + 100 {
      var random = SplitMix64(seed: seed)
      let layout = random.compositional()
      let contents = random.measuredContents(isMeasured: seed % 2 == 0)
      var context = context(contents, random: &random, isAligned: false)
      context.options.sectionBackgrounds = uniqueKinds(context.options.sectionBackgrounds)
      let prepared = layout.prepare(context)
      var viewport = Viewport(of: context.container)
      for section in 0 ..< contents.sectionCount where random.chance(50) {
        viewport.sectionOffsets[section] = random.length(-50 ... 400)
      }
      var naive = NaiveCompositional(layout: layout, context: context)
      naive.offsets = viewport.sectionOffsets
      naive.reference.check(prepared, viewport, "seed \(seed)")
    }
  }

  @Test("rounds sizes before positions, as the naive one does")
  func pixels() {
    for seed in 5000 ..< 5300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let layout = random.compositional()
      let contents = random.measuredContents(isMeasured: seed % 2 == 0)
      var context = context(contents, random: &random, isAligned: true)
      context.options.sectionBackgrounds = []
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: context.container)
      let expected = NaiveCompositional(layout: layout, context: context).reference
      let found = Dictionary(
        uniqueKeysWithValues: prepared.probed(in: .everywhere, viewport).map {
          ($0.key, $0.attributes.frame)
        }
      )
      #expect(found.count == expected.elements.count, "seed \(seed)")
      for element in expected.elements {
        guard let frame = found[element.key] else { continue }
        // Sums in another order may fall on the other side of a tie.
        let pixel = 1 / context.container.displayScale + 1e-6
        let isClose = zip(
          [frame.x, frame.y, frame.width, frame.height],
          [
            element.attributes.frame.x, element.attributes.frame.y, element.attributes.frame.width,
            element.attributes.frame.height,
          ]
        ).allSatisfy { abs($0 - $1) < pixel }
        #expect(isClose, "\(element.key): \(frame), \(element.attributes.frame), seed \(seed)")
      }
    }
  }

  @Test("answers the same whichever way it is asked", arguments: 0 ..< 6)
  func consistency(batch: UInt64) {
    for seed in 10_000 + batch * 60 ..< 10_000 + batch * 60 + 60 {
      var random = SplitMix64(seed: seed)
      let isAligned = random.chance(30)
      var layout = random.compositional(isScrolling: false)
      for index in layout.sections.indices {
        for item in layout.sections[index].boundarySupplementaryItems.indices {
          layout.sections[index].boundarySupplementaryItems[item].pinToVisibleBounds =
            random.chance(40)
        }
        if random.chance(20) {
          layout.sections[index].visibleItemEffects = [
            VisibleItemEffect(
              attribute: .scale,
              activeDistance: 200,
              atCenter: 1.5,
              atDistance: 0.5
            ),
            VisibleItemEffect(
              attribute: VisibleItemEffect.Attribute.allCases[random.int(1 ... 4)],
              activeDistance: 100,
              atCenter: random.double(-1 ... 1),
              atDistance: 40
            ),
          ]
        }
      }
      let contents = random.measuredContents(isMeasured: random.chance(50))
      var context = context(contents, random: &random, isAligned: isAligned)
      context.options.sectionBackgrounds = uniqueKinds(context.options.sectionBackgrounds)
      let viewport = Viewport(of: context.container, at: Point(x: 20, y: 130))
      layout.prepare(context).checkConsistency(viewport, random: &random, "seed \(seed)")
    }
  }

  @Test("shows orthogonal sections to whoever sees all their width, and one viewport more")
  func orthogonalQueries() {
    for seed in 20_000 ..< 20_200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let layout = random.compositional()
      let contents = random.measuredContents(isMeasured: false)
      let context = context(contents, random: &random, isAligned: false)
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: context.container)
      let all = prepared.probed(in: .everywhere, viewport)
      for element in all {
        #expect(
          prepared.attributes(of: element.key, viewport: viewport) == element.attributes,
          "\(element.key) seed \(seed)"
        )
      }
      let axis = layout.scrollAxis
      let across = axis.cross(context.container.contentSize)
      let part = axis.rect(
        AxisRect(main: 100, cross: 0, mainLength: 300, crossLength: across)
      )
      let wide = axis.rect(
        AxisRect(main: 100, cross: -across, mainLength: 300, crossLength: 3 * across)
      )
      let found = Set(prepared.probed(in: part, viewport))
      for element in all {
        let index = element.key.indexPath.section
        let section = contents.sectionCount > index ? contents.section(at: index) : nil
        let entry =
          layout.sections.first { !$0.name.isEmpty && $0.name == section?.layoutName }
          ?? layout.sections[index % layout.sections.count]
        let scrolls = entry.orthogonalScrolling != .none && element.key.indexPath.item != nil
        #expect(
          found.contains(element) == element.attributes.frame.meets(scrolls ? wide : part),
          "\(element) seed \(seed)"
        )
      }
      // A narrow rect has just what meets it.
      let narrow = axis.rect(
        AxisRect(main: 50, cross: 10, mainLength: 300, crossLength: across / 3)
      )
      #expect(
        prepared.probed(in: narrow, viewport) == all.filter { $0.attributes.frame.meets(narrow) },
        "seed \(seed)"
      )
    }
  }

  @Test("derives versions that answer as those made from nothing", arguments: 0 ..< 6)
  func updates(batch: UInt64) {
    for seed in 30_000 + batch * 50 ..< 30_000 + batch * 50 + 50 {
      var random = SplitMix64(seed: seed)
      let layout = random.compositional(isScrolling: random.chance(50))
      let hasOrthogonal = layout.sections.contains { $0.orthogonalScrolling != .none }
      let contents = random.measuredContents(isMeasured: true)
      let context = LayoutContext(contents: contents, container: random.container())
      var prepared = layout.prepare(context)
      for step in 0 ..< 6 {
        let batch = random.batch(for: prepared.context.contents)
        guard let change = try? prepared.context.contents.applying(batch, limits: .standard) else {
          continue
        }
        prepared = layout.update(prepared, by: change)
        let fresh = layout.prepare(prepared.context)
        let viewport = Viewport(of: context.container, at: Point(x: 0, y: 100))
        var reference = Reference(contentSize: fresh.contentSize)
        reference.elements = fresh.probed(in: .everywhere, viewport)
        reference.check(prepared, viewport, "step \(step) of seed \(seed)")
        if !hasOrthogonal, step == 5 {
          prepared.checkConsistency(viewport, random: &random, "step \(step) of seed \(seed)")
        }
      }
    }
  }

  private func uniqueKinds(_ backgrounds: [SectionBackground]) -> [SectionBackground] {
    var kinds: Set<String> = []
    return backgrounds.filter { kinds.insert($0.kind).inserted }
  }
}
