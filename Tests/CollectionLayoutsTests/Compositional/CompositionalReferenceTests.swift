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
    var container = random.marginedContainer()
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
      var contents = random.measuredContents(isMeasured: seed % 2 == 0)
      if random.chance(50) { contents = random.measuringElements(contents) }
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

  @Test("fills groups with subgroups, of which all items decide whether one more fits")
  func groupsOfGroups() {
    for seed in 60_000 ..< 60_300 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let layout = random.groupsOfGroups()
      let contents = random.measuredContents(isMeasured: true)
      var context = context(contents, random: &random, isAligned: false)
      context.options.sectionBackgrounds = []
      NaiveCompositional(layout: layout, context: context).reference
        .check(layout.prepare(context), Viewport(of: context.container), "seed \(seed)")
    }
  }

  @Test("unmeasured items make a shorter group if a measured one behind them lets it take more")
  func behindUnmeasured() {
    let group = LayoutGroup(
      axis: .vertical,
      size: LayoutSize(width: .absolute(100), height: .absolute(100)),
      subitems: [
        .group(
          LayoutGroup(
            axis: .vertical,
            size: LayoutSize(width: .absolute(100), height: .estimated(40)),
            subitems: (0 ..< 2).map { _ in
              .item(LayoutItem(size: LayoutSize(width: .absolute(50), height: .estimated(20))))
            }
          )
        )
      ]
    )
    let layout = CompositionalLayout(sections: [CompositionalSection(group: group)])
    for count in 1000 ..< 1008 {
      // Measured items behind so many others are in another chunk.
      let contents = CollectionContents(sections: [
        SectionContents(blocks: [
          ItemBlock(count: count),
          ItemBlock(count: 2000, heights: Array(repeating: 0.5, count: 2000)),
        ])
      ])
      let context = LayoutContext(
        contents: contents,
        container: LayoutContainer(size: Size(width: 400, height: 600))
      )
      NaiveCompositional(layout: layout, context: context).reference
        .check(layout.prepare(context), Viewport(of: context.container), "\(count) unmeasured")
    }
  }

  @Test("gives siblings of uniform lengths the longest, up to the outermost group")
  func uniform() {
    for seed in 40_000 ..< 40_500 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let base = random.compositional()
      let layout = random.uniform(base)
      let contents = random.measuredContents(isMeasured: true)
      let context = context(contents, random: &random, isAligned: false)
      let viewport = Viewport(of: context.container)
      var plain = context
      plain.options.sectionBackgrounds = []
      let prepared = layout.prepare(plain)
      NaiveCompositional(layout: layout, context: plain).reference
        .check(prepared, viewport, "seed \(seed)")
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
      var contents = random.measuredContents(isMeasured: random.chance(50))
      if random.chance(50) { contents = random.measuringElements(contents) }
      var context = context(contents, random: &random, isAligned: isAligned)
      context.options.sectionBackgrounds = uniqueKinds(context.options.sectionBackgrounds)
      let viewport = Viewport(of: context.container, at: Point(x: 20, y: 130))
      layout.prepare(context).checkConsistency(viewport, random: &random, "seed \(seed)")
    }
  }

  @Test("answers a query with just those elements that meet the rect, in orthogonal sections too")
  func orthogonalQueries() {
    for seed in 20_000 ..< 20_200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let layout = random.compositional()
      var contents = random.measuredContents(isMeasured: random.chance(30))
      if random.chance(30) { contents = random.measuringElements(contents) }
      let context = context(contents, random: &random, isAligned: random.chance(30))
      let prepared = layout.prepare(context)
      var viewport = Viewport(of: context.container)
      for section in 0 ..< contents.sectionCount where random.chance(50) {
        viewport.sectionOffsets[section] = random.length(-50 ... 400)
      }
      let all = prepared.probed(in: .everywhere, viewport)
      for element in all {
        #expect(
          prepared.attributes(of: element.key, viewport: viewport) == element.attributes,
          "\(element.key) seed \(seed)"
        )
      }
      let axis = layout.scrollAxis
      let across = axis.cross(context.container.contentSize)
      for (start, length) in [
        (0, across), (-across, 3 * across), (10, across / 3), (across, 5), (-5, 5),
      ] {
        let rect = axis.rect(
          AxisRect(
            main: random.length(0 ... 300),
            cross: start,
            mainLength: random.length(1 ... 400),
            crossLength: length
          )
        )
        #expect(
          prepared.probed(in: rect, viewport) == all.filter { $0.attributes.frame.meets(rect) },
          "\(rect) seed \(seed)"
        )
      }
    }
  }

  @Test("pins headers and footers where each of them alone would be")
  func pins() {
    for seed in 25_000 ..< 25_400 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let axis: ScrollAxis = random.chance(50) ? .vertical : .horizontal
      var items = ["a", "b", "c", "d"].prefix(random.int(1 ... 4)).map {
        random.boundaryItem(kind: $0)
      }
      for index in items.indices {
        items[index].pinToVisibleBounds = random.chance(70)
        // Where elements without an edge are pinned was not recorded.
        if axis == .vertical, [.leading, .center, .trailing].contains(items[index].alignment) {
          items[index].alignment = .top
        }
        if axis == .horizontal, [.top, .center, .bottom].contains(items[index].alignment) {
          items[index].alignment = .leading
        }
      }
      let count = random.int(0 ... 8)
      let group = rows(.absolute(90), width: .absolute(90))
      let section = CompositionalSection(group: group, boundarySupplementaryItems: items)
      let container = LayoutContainer(
        size: Size(width: 320, height: 300),
        insets: EdgeInsets(top: 7, leading: 9, bottom: 11, trailing: 13)
      )
      let layout = CompositionalLayout(scrollAxis: axis, sections: [section])
      let prepared = layout.prepare(
        LayoutContext(contents: plainContents(count), container: container)
      )
      let naive = NaiveBoundary(
        items,
        axis: axis,
        whole: container.contentSize,
        insets: .zero,
        content: 90 * Double(count),
        grid: nil
      )
      let offset = random.length(-50 ... 900)
      let viewport = Viewport(of: container, at: axis.point(main: offset, cross: 0))
      let visible = (
        offset + axis.mainStart(container.insets),
        offset + axis.main(container.size) - axis.mainEnd(container.insets)
      )
      for element in naive.placed {
        var frame = element.frame
        if element.item.pinToVisibleBounds { frame.main = naive.pinned(element, in: visible) }
        let key = ElementKey.supplementary(element.item.kind, section: 0)
        let found = prepared.attributes(of: key, viewport: viewport)
        expectClose(found?.frame, axis.rect(frame), "\(element.item) seed \(seed)")
        #expect(
          prepared.probed(in: axis.rect(frame), viewport).contains { $0.key == key },
          "\(element.item) seed \(seed)"
        )
      }
    }
  }

  @Test("comes to rest where trying every page or group says")
  func resting() {
    for seed in 27_000 ..< 27_600 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let scrolling = OrthogonalScrolling.allCases[random.int(1 ... 5)]
      let insets = random.insets(0 ... 30)
      let row = NaiveRow(
        groups: Array(repeating: random.length(20 ... 400), count: random.int(1 ... 9)),
        spacing: random.length(0 ... 20),
        visible: 320 - insets.leading - insets.trailing
      )
      let section = CompositionalSection(
        group: rows(width: .absolute(row.groups[0])),
        contentInsets: insets,
        interGroupSpacing: row.spacing,
        orthogonalScrolling: scrolling
      )
      let container = LayoutContainer(size: Size(width: 320, height: 480))
      let prepared = CompositionalLayout(sections: [section]).prepare(
        LayoutContext(contents: plainContents(row.groups.count), container: container)
      )
      for _ in 0 ..< 10 {
        let proposed = random.length(-300 ... 3000)
        // Without a limit of one page or group.
        var viewport = Viewport(of: container)
        viewport.sectionOffsets = [0: proposed]
        func rest(_ proposed: Double) -> Double {
          prepared.restingOffset(
            proposed: Point(x: proposed, y: 0),
            velocity: .zero,
            section: 0,
            viewport: viewport
          )?.offset.x ?? .nan
        }
        expectClose(
          rest(proposed),
          row.rest(scrolling, proposed),
          "\(scrolling) at \(proposed), seed \(seed)"
        )
        guard [.paging, .groupPaging, .groupPagingCentered].contains(scrolling) else { continue }
        // Far proposals end at the next place where the section can rest.
        let rests = row.rests(scrolling)
        let current = rests[random.below(rests.count)]
        viewport.sectionOffsets = [0: current]
        let next = rests.first { $0 > current + 1e-6 } ?? current
        let last = rests.last { $0 < current - 1e-6 } ?? current
        expectClose(rest(1e9), next, "\(scrolling) from \(current), seed \(seed)")
        expectClose(rest(-1e9), last, "\(scrolling) from \(current), seed \(seed)")
      }
    }
  }

  @Test("derives versions that answer as those made from nothing", arguments: 0 ..< 6)
  func updates(batch: UInt64) {
    for seed in 30_000 + batch * 50 ..< 30_000 + batch * 50 + 50 {
      var random = SplitMix64(seed: seed)
      var layout = random.compositional(isScrolling: random.chance(50))
      if random.chance(50) { layout = random.uniform(layout) }
      for index in layout.boundarySupplementaryItems.indices {
        layout.boundarySupplementaryItems[index].pinToVisibleBounds = random.chance(50)
      }
      let hasOrthogonal = layout.sections.contains { $0.orthogonalScrolling != .none }
      var contents = random.measuredContents(isMeasured: true)
      if random.chance(50) { contents = random.measuringElements(contents) }
      let context = LayoutContext(contents: contents, container: random.marginedContainer())
      var prepared = layout.prepare(context)
      for step in 0 ..< 6 {
        let batch = random.batch(for: prepared.context.contents)
        guard var change = try? prepared.context.contents.applying(batch, limits: .standard) else {
          continue
        }
        var measured = change.old.measuredElements.following(change)
        let changed =
          random.chance(50) ? measured.insert(random.measuredElements(in: change.new)) : []
        change = change.settingMeasuredElements(measured, in: changed)
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
