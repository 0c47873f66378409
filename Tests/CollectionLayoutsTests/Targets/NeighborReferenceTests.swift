// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Neighbours against a reference", .timeLimit(.minutes(3)))
struct NeighborReferenceTests {
  /// All steps from some items lead where trying every item leads, and the answer tells how to show
  /// the item there.
  private func check(_ prepared: any PreparedLayout, random: inout SplitMix64, _ note: String) {
    let keys = prepared.cellKeys
    guard !keys.isEmpty else { return }
    let container = prepared.context.container
    var viewport = Viewport(of: container)
    let legal = viewport.legalOffsets(contentSize: prepared.contentSize)
    viewport.offset = Point(
      x: random.double(legal.min.x ... max(legal.min.x, legal.max.x)),
      y: random.double(legal.min.y ... max(legal.min.y, legal.max.y))
    )
    for section in 0 ..< prepared.context.contents.sectionCount where random.chance(50) {
      viewport.sectionOffsets[section] = random.length(-50 ... 600)
    }
    let queries = LayoutQueries(prepared, viewport: viewport)
    for _ in 0 ..< 3 {
      let start = keys[random.below(keys.count)]
      guard let naive = NaiveNeighbors(prepared, from: start, viewport) else {
        // Items without a position are nowhere.
        let none = queries.scrollTarget(
          for: .neighbor(of: .element(start), step: .next, position: .nearest)
        )
        #expect(none == nil, "\(start): \(note)")
        continue
      }
      for step in NeighborStep.allCases {
        let target = queries.scrollTarget(
          for: .neighbor(of: .element(start), step: step, position: .nearest)
        )
        let note = "\(step) from \(start) at \(viewport.offset): \(note)"
        let answers = naive.answers(step, tolerance: 1e-6)
        guard let found = target?.element, let neighbor = target?.neighbor else {
          #expect(answers.isEmpty, "nothing, not \(answers): \(note)")
          #expect(target == ScrollTarget(offset: viewport.offset), "\(note)")
          continue
        }
        #expect(answers.contains(found), "\(found), not \(answers): \(note)")
        if answers == naive.answers(step, tolerance: 1e-12) {
          #expect(found == answers.first, "not the first of \(answers): \(note)")
        }
        let shown = prepared.viewport(viewport, showing: found)
        #expect(target?.offset == shown.offset, "\(note)")
        let section = found.indexPath.section
        #expect(
          target?.sectionOffset == prepared.sectionOffset(section, viewport: shown),
          "\(note)"
        )
        #expect(
          neighbor.attributes == prepared.attributes(of: found, viewport: shown),
          "\(note)"
        )
      }
    }
  }

  private func container(_ random: inout SplitMix64) -> LayoutContainer {
    var container = random.container()
    if container.size == .zero { container.size = Size(width: 300, height: 200) }
    return container
  }

  @Test("are those that trying every item finds", arguments: RandomLayoutKind.allCases)
  func kinds(kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 51_000)
    for round in 0 ..< 25 {
      let layout = kind.layout(&random)
      var context = kind.context(&random)
      context.container = container(&random)
      check(layout.prepare(context), random: &random, "\(kind) \(round) \(layout)")
    }
  }

  @Test("are found in sections of several layouts, some of which scroll by themselves")
  func sections() {
    var random = SplitMix64(seed: 52_000)
    for round in 0 ..< 80 {
      let layout: any CollectionLayout =
        random.chance(50) ? random.sectionsLayout() : random.compositional()
      let context = LayoutContext(
        contents: random.namedContents(),
        container: container(&random)
      )
      check(layout.prepare(context), random: &random, "\(round) \(layout)")
    }
  }

  @Test("are found in carousels, and among items that lie anywhere")
  func carouselsAndPlaces() {
    var random = SplitMix64(seed: 53_000)
    for round in 0 ..< 60 {
      let style = CarouselLayout.Style.allCases[round % CarouselLayout.Style.allCases.count]
      let layout: any CollectionLayout =
        round % 2 == 0
        ? SpatialLayout(itemSize: random.size(5 ... 60))
        : CarouselLayout(
          style: style,
          scrollDirection: random.chance(60) ? .horizontal : .vertical,
          itemSize: random.size(30 ... 200)
        )
      let context = LayoutContext(
        contents: round % 2 == 0 ? random.placedContents(items: 30) : random.contents(items: 12),
        container: container(&random)
      )
      check(layout.prepare(context), random: &random, "\(round) \(layout)")
    }
  }

  @Test("are rows of outlines that are not hidden")
  func outlines() {
    var random = SplitMix64(seed: 54_000)
    for round in 0 ..< 60 {
      var nodes: [(key: String, level: Int, isExpanded: Bool)] = []
      for index in 0 ..< random.int(1 ... 40) {
        let level = nodes.last.map { random.int(0 ... $0.level + 1) } ?? 0
        nodes.append(("\(index)", level, random.chance(50)))
      }
      let contents = CollectionContents(sections: [
        SectionContents(
          outline: .perViewer,
          blocks: [
            ItemBlock(
              count: nodes.count,
              keys: nodes.map(\.key),
              outline: OutlineColumns(
                levels: nodes.map(\.level),
                expanded: nodes.map(\.isExpanded)
              )
            )
          ]
        )
      ])
      let layout: any CollectionLayout =
        random.chance(50) ? ListLayout(rowHeight: random.length(10 ... 80)) : random.flow()
      let context = LayoutContext(contents: contents.rows, container: container(&random))
      let prepared = layout.prepare(context)
      check(prepared, random: &random, "\(round) \(layout)")

      // The level of the collapsed item below which the walk is.
      var hiding = Int.max
      var visible: [(key: String, level: Int)] = []
      for node in nodes where node.level <= hiding {
        visible.append((node.key, node.level))
        hiding = node.isExpanded ? .max : node.level
      }
      let walked = walk(prepared, from: .first, by: .next)
      #expect(walked.map { $0.neighbor?.itemKey ?? "" } == visible.map(\.key), "\(round)")
      #expect(walked.map { $0.neighbor?.outline.level ?? -1 } == visible.map(\.level), "\(round)")
    }
  }

  @Test("lead through all items in reading order", arguments: RandomLayoutKind.allCases)
  func readingOrder(kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 77)
    for round in 0 ..< 10 {
      var context = kind.context(&random)
      context.contents = random.contents(sections: 0 ... 6, items: 6)
      let prepared = kind.layout(&random).prepare(context)
      let forth = walk(prepared, from: .first, by: .next)
      #expect(forth.compactMap(\.element) == prepared.cellKeys, "\(round)")
      let back = walk(prepared, from: .last, by: .previous)
      #expect(back.compactMap(\.element) == prepared.cellKeys.reversed(), "\(round)")
    }
  }

  /// The targets of one step after the other, until there are no more.
  private func walk(
    _ prepared: any PreparedLayout,
    from first: NeighborStep,
    by next: NeighborStep
  ) -> [ScrollTarget] {
    let queries = LayoutQueries(prepared, viewport: Viewport(of: prepared.context.container))
    var targets: [ScrollTarget] = []
    var origin = NeighborOrigin.nowhere
    var step = first
    while targets.count <= prepared.context.contents.itemCount,
      let target = queries.scrollTarget(
        for: .neighbor(of: origin, step: step, position: .nearest)
      ), let key = target.element
    {
      targets.append(target)
      origin = .element(key)
      step = next
    }
    return targets
  }

  @Test("of sections that scroll by themselves show as much of the item as can be seen")
  func sectionOffsets() throws {
    var random = SplitMix64(seed: 55_000)
    for round in 0 ..< 60 {
      var section = random.compositionalSection(name: "", isScrolling: false)
      section.orthogonalScrolling = [.continuous, .paging, .groupPagingCentered][random.below(3)]
      section.contentInsets = .zero
      let layout = CompositionalLayout(
        scrollAxis: random.chance(70) ? .vertical : .horizontal,
        sections: [section]
      )
      let container = container(&random)
      let prepared = layout.prepare(
        LayoutContext(contents: plainContents(random.int(1 ... 20)), container: container)
      )
      let note = "\(round) \(layout)"
      guard let axis = prepared.scrollAxis else { continue }
      let breadth = axis.cross(container.contentSize)
      var viewport = Viewport(of: container)
      func offset(_ wanted: Double) -> Double {
        viewport.sectionOffsets = [0: wanted]
        return prepared.sectionOffset(0, viewport: viewport) ?? .nan
      }
      let legal = (least: offset(-1e7), greatest: offset(1e7))
      try #require(legal.least <= legal.greatest, "\(note)")
      let current = offset(random.double(legal.least - 20 ... legal.greatest + 20))
      let keys = prepared.cellKeys
      let key = keys[random.below(keys.count)]
      /// How much of the item is seen, and how far the section has scrolled for it.
      func view(_ offset: Double) -> (seen: Double, way: Double) {
        viewport.sectionOffsets = [0: offset]
        let frame = prepared.attributes(of: key, viewport: viewport)?.frame ?? .zero
        let span = axis.axisRect(frame)
        return (min(span.crossEnd, breadth) - max(span.cross, 0), abs(offset - current))
      }
      viewport.sectionOffsets = [0: current]
      let found = try #require(
        prepared.sectionOffset(showing: key, position: .nearest, viewport: viewport),
        "\(note)"
      )
      let (seen, way) = view(found)
      for sample in 0 ... 100 {
        let part = Double(sample) / 100
        let other = view(legal.least + part * (legal.greatest - legal.least))
        #expect(
          other.seen < seen + 1e-6 && (other.seen < seen - 1e-6 || other.way > way - 1e-6),
          "\(other), not \((seen, way)), \(key) from \(current): \(note)"
        )
      }
    }
  }
}
