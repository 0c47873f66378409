// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Releases", .timeLimit(.minutes(2)))
struct ScrollReleaseTests {
  private struct Case {
    var prepared: any PreparedLayout
    var viewport: Viewport
    var reading: ReadingAxis

    init?(_ prepared: any PreparedLayout, _ container: LayoutContainer, random: inout SplitMix64) {
      guard let axis = prepared.scrollAxis else { return nil }
      self.prepared = prepared
      viewport = Viewport(of: container)
      reading = ReadingAxis(axis: axis, viewport: viewport, contentSize: prepared.contentSize)
      // Insets may be larger than the viewport; then what they leave has no extent of its own.
      guard reading.visible.length > 0 else { return nil }
      viewport.offset = reading.offset(random.double(reading.legal.padded))
    }

    /// Compares answers to releases of all sorts with the places at which scrolling may rest.
    func check(
      _ rests: [NaiveRests.Rest],
      isLimitedToOne: Bool,
      random: inout SplitMix64,
      _ note: String
    ) {
      let naive = NaiveRests(rests: rests)
      for _ in 0 ..< 8 {
        let wanted = random.double(reading.legal.padded)
        let velocity = random.chance(30) ? 0 : random.double(-900 ... 900)
        let target = LayoutQueries(prepared, viewport: viewport).scrollTarget(
          for: .release(
            proposed: reading.offset(wanted),
            velocity: reading.velocity(velocity),
            section: nil
          )
        )
        let answers = naive.answers(
          wanted: min(max(wanted, reading.legal.lowerBound), reading.legal.upperBound),
          current: min(
            max(reading.start(viewport.offset), reading.legal.lowerBound),
            reading.legal.upperBound
          ),
          velocity: velocity,
          isLimitedToOne: isLimitedToOne
        )
        let found = target.map { reading.start($0.offset) } ?? .nan
        #expect(
          answers.isEmpty || answers.contains { abs($0 - found) < 1e-5 },
          "\(found), not \(answers), from \(viewport.offset) to \(wanted) at \(velocity): \(note)"
        )
      }
    }
  }

  @Test("rest on the item that the rule names, with any anchor", arguments: 0 ..< 8)
  func items(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 25 {
      let layout = random.flow()
      let container = random.container()
      let targets = ScrollTargets(
        unit: .items,
        anchor: Double(random.int(0 ... 4)) / 4,
        isLimitedToOne: random.chance(40)
      )
      let prepared = layout.prepare(
        LayoutContext(
          contents: random.sizedContents(),
          container: container,
          options: LayoutOptions(scrollTargets: targets)
        )
      )
      guard let subject = Case(prepared, container, random: &random) else { continue }
      let rests = prepared.cellKeys.compactMap { key -> NaiveRests.Rest? in
        prepared.attributes(of: key, viewport: subject.viewport).map {
          let span = subject.reading.span(of: $0.frame)
          return subject.reading.rest(
            start: span.start,
            length: span.length,
            anchor: targets.anchor
          )
        }
      }
      subject.check(
        rests,
        isLimitedToOne: targets.isLimitedToOne,
        random: &random,
        "\(seed).\(round) \(layout) \(targets)"
      )
    }
  }

  @Test("rest on cells of each kind by the anchor of that kind", arguments: 0 ..< 4)
  func kinds(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 25 {
      let container = random.container()
      let targets = ScrollTargets(
        unit: .items,
        anchor: 0.5,
        kindAnchors: ["video": 1, "photo": 0],
        isLimitedToOne: random.chance(40)
      )
      let layout = ListLayout(rowHeight: random.length(10 ... 200))
      let prepared = layout.prepare(
        LayoutContext(
          contents: random.contents(),
          container: container,
          options: LayoutOptions(scrollTargets: targets)
        )
      )
      guard let subject = Case(prepared, container, random: &random) else { continue }
      let rests = prepared.cellKeys.compactMap { key -> NaiveRests.Rest? in
        prepared.attributes(of: key, viewport: subject.viewport).map {
          let span = subject.reading.span(of: $0.frame)
          return subject.reading.rest(
            start: span.start,
            length: span.length,
            anchor: targets.kindAnchors[key.kind] ?? targets.anchor
          )
        }
      }
      subject.check(
        rests,
        isLimitedToOne: targets.isLimitedToOne,
        random: &random,
        "\(seed).\(round) \(layout) \(targets)"
      )
    }
  }

  @Test("rest on groups, and on sections that scroll by themselves", arguments: 0 ..< 6)
  func groups(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 25 {
      let axis: ScrollAxis = random.chance(60) ? .vertical : .horizontal
      let length = random.length(1 ... 300)
      let spacing = random.length(0 ... 30)
      let container = LayoutContainer(
        size: random.size(100 ... 500),
        insets: random.insets(0 ... 20),
        isRightToLeft: random.chance(40)
      )
      let targets = ScrollTargets(
        unit: .groups,
        anchor: Double(random.int(0 ... 4)) / 4,
        isLimitedToOne: random.chance(40)
      )
      let scrolls = (0 ..< 2).map { _ in random.chance(30) }
      let breadth = random.length(20 ... 60)
      let layout = CompositionalLayout(
        scrollAxis: axis,
        interSectionSpacing: random.length(0 ... 20),
        sections: scrolls.map { scrolls in
          CompositionalSection(
            group: LayoutGroup(
              axis: axis == .vertical ? .horizontal : .vertical,
              size: LayoutSize(
                width: .absolute(axis == .vertical ? breadth : length),
                height: .absolute(axis == .vertical ? length : breadth)
              ),
              subitems: [
                .item(
                  LayoutItem(
                    size: LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(1))
                  )
                )
              ]
            ),
            interGroupSpacing: spacing,
            orthogonalScrolling: scrolls ? .continuous : .none
          )
        }
      )
      let prepared = layout.prepare(
        LayoutContext(
          contents: random.contents(sections: 1 ... 7, items: 8),
          container: container,
          options: LayoutOptions(scrollTargets: targets)
        )
      )
      guard let subject = Case(prepared, container, random: &random) else { continue }
      var seen: Set<Int> = []
      let rests = prepared.cellKeys.compactMap { key -> NaiveRests.Rest? in
        let section = key.indexPath.section
        // All items of a section that scrolls by itself are one group.
        if scrolls[section % 2], !seen.insert(section).inserted { return nil }
        return prepared.attributes(of: key, viewport: subject.viewport).map {
          let span = subject.reading.span(of: $0.frame)
          let rest = subject.reading.rest(
            start: span.start,
            length: span.length,
            anchor: targets.anchor
          )
          // Groups also rest at the ends of the content.
          return .init(wanted: rest.offset, offset: rest.offset)
        }
      }
      subject.check(
        rests,
        isLimitedToOne: targets.isLimitedToOne,
        random: &random,
        "\(seed).\(round) \(layout) \(targets)"
      )
    }
  }

  @Test("follow the same rule in layouts that centre an item by themselves", arguments: 0 ..< 6)
  func ownRules(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 20 {
      var container = random.container()
      container.insets = .zero
      let isLimitedToOne = random.chance(40)
      let axis: ScrollAxis = random.chance(50) ? .horizontal : .vertical
      let size = random.size(20 ... 300)
      let layouts: [any CollectionLayout] = [
        LineLayout(scrollDirection: axis, itemSize: size, lineSpacing: random.length(0 ... 40)),
        CarouselLayout(style: .coverFlow, scrollDirection: axis, itemSize: size),
        StackLayout(scrollDirection: axis, itemSize: size),
      ]
      let contents = random.contents()
      for layout in layouts {
        let prepared = layout.prepare(
          LayoutContext(
            contents: contents,
            container: container,
            options: LayoutOptions(scrollTargets: ScrollTargets(isLimitedToOne: isLimitedToOne))
          )
        )
        guard let subject = Case(prepared, container, random: &random) else { continue }
        let rests = prepared.cellKeys.compactMap { key -> NaiveRests.Rest? in
          prepared.attributes(of: key, viewport: subject.viewport).map {
            let span = subject.reading.span(of: $0.frame)
            return subject.reading.rest(start: span.start, length: span.length, anchor: 0.5)
          }
        }
        subject.check(
          rests,
          isLimitedToOne: isLimitedToOne,
          random: &random,
          "\(seed).\(round) \(layout)"
        )
      }
    }
  }

  @Test(
    "turn to the next page at a flick, wherever they would end",
    arguments: [
      (0.0, 900.0, 0.0, 340.0), (500, 900, 500, 680), (500, 900, 5000, 680), (680, 300, 0, 1020),
      (680, 299, 680, 680), (680, -300, 680, 340), (500, -900, 500, 340), (680.4, 900, 0, 1020),
      (680.4, -900, 0, 340), (679.6, 900, 0, 1020), (3060, 900, 9000, 3060), (0, -900, 0, 0),
    ]
  )
  func pages(from: Double, velocity: Double, proposed: Double, expected: Double) {
    let prepared = FlowLayout(
      scrollDirection: .horizontal,
      itemSize: Size(width: 340, height: 480),
      minimumLineSpacing: 0
    ).prepare(
      LayoutContext(
        contents: plainContents(10),
        container: LayoutContainer(size: Size(width: 340, height: 480)),
        options: LayoutOptions(scrollSnap: .page)
      )
    )
    let viewport = Viewport(offset: Point(x: from, y: 0), size: Size(width: 340, height: 480))
    let target = LayoutQueries(prepared, viewport: viewport).scrollTarget(
      for: .release(
        proposed: Point(x: proposed, y: 0),
        velocity: Point(x: velocity, y: 0),
        section: nil
      )
    )
    #expect(target?.offset == Point(x: expected, y: 0))
  }

  @Test(
    "end where the speed that is left takes them",
    arguments: [
      (DecelerationRate.normal, 900.0, 549.1), (.fast, 900, 189.1), (.normal, -100, 50.1),
      (.normal, -9000, 0), (.fast, 0, 100), (.normal, 90_000, 4520),
    ]
  )
  func projection(rate: DecelerationRate, velocity: Double, expected: Double) {
    let prepared = ListLayout(rowHeight: 50).prepare(
      LayoutContext(
        contents: plainContents(100),
        container: LayoutContainer(size: Size(width: 320, height: 480))
      )
    )
    let viewport = Viewport(offset: Point(x: 0, y: 100), size: Size(width: 320, height: 480))
    let target = LayoutQueries(prepared, viewport: viewport).scrollTarget(
      for: .release(
        proposed: nil,
        velocity: Point(x: 0, y: velocity),
        section: nil,
        deceleration: rate
      )
    )
    expectClose(target?.offset.y ?? .nan, expected)
  }

  @Test("are projected in a section from where the section is")
  func projectionInSection() {
    let prepared = CompositionalLayout(sections: [
      CompositionalSection(
        group: rows(width: .absolute(100)),
        interGroupSpacing: 10,
        orthogonalScrolling: .continuousGroupLeadingBoundary
      )
    ]).prepare(
      LayoutContext(
        contents: plainContents(20),
        container: LayoutContainer(size: Size(width: 320, height: 480))
      )
    )
    var viewport = Viewport(offset: .zero, size: Size(width: 320, height: 480))
    viewport.sectionOffsets = [0: 220]
    func rest(_ velocity: Double, _ rate: DecelerationRate = .normal) -> Double? {
      LayoutQueries(prepared, viewport: viewport).scrollTarget(
        for: .release(
          proposed: nil,
          velocity: Point(x: velocity, y: 0),
          section: 0,
          deceleration: rate
        )
      )?.offset.x
    }
    // 220 + 449.1 is nearest to 660.
    #expect(rest(900) == 660)
    // 220 + 29.7 is nearest to where it is, but a flick goes on.
    #expect(rest(300, .fast) == 330)
    #expect(rest(-300, .fast) == 110)
    #expect(rest(100, .fast) == 220)
  }

  @Test("in sections that scroll by themselves follow the same rule", arguments: 0 ..< 4)
  func sections(seed: UInt64) {
    var random = SplitMix64(seed: 31_000 + seed)
    for round in 0 ..< 150 {
      let scrolling = OrthogonalScrolling.allCases[random.int(2 ... 5)]
      let insets = random.insets(0 ... 30)
      let isLimitedToOne = random.chance(40)
      let row = NaiveRow(
        groups: Array(repeating: random.length(20 ... 400), count: random.int(1 ... 9)),
        spacing: random.length(0 ... 20),
        visible: 320 - insets.leading - insets.trailing
      )
      let prepared = CompositionalLayout(sections: [
        CompositionalSection(
          group: rows(width: .absolute(row.groups[0])),
          contentInsets: insets,
          interGroupSpacing: row.spacing,
          orthogonalScrolling: scrolling
        )
      ]).prepare(
        LayoutContext(
          contents: plainContents(row.groups.count),
          container: LayoutContainer(size: Size(width: 320, height: 480)),
          options: LayoutOptions(scrollTargets: ScrollTargets(isLimitedToOne: isLimitedToOne))
        )
      )
      let rests = row.rests(scrolling)
      let current = random.double((rests.min() ?? 0) ... (rests.max() ?? 0) + 1e-9)
      let later = rests.first { $0 > current + 0.5 }
      let earlier = rests.last { $0 < current - 0.5 }
      let isPaged = scrolling != .continuousGroupLeadingBoundary || isLimitedToOne
      let proposed = random.length(-300 ... 3000)
      for velocity in [0.0, 400, -400] {
        var viewport = Viewport(offset: .zero, size: Size(width: 320, height: 480))
        viewport.sectionOffsets = [0: current]
        let found = LayoutQueries(prepared, viewport: viewport).scrollTarget(
          for: .release(
            proposed: Point(x: proposed, y: 0),
            velocity: Point(x: velocity, y: 0),
            section: 0
          )
        )?.offset.x
        let free = row.rest(scrolling, proposed)
        let farther =
          velocity > 0
          ? row.rest(scrolling, max(proposed, current))
          : row.rest(scrolling, min(proposed, current))
        var expected = free
        if velocity > 0 {
          expected = later.map { isPaged ? $0 : max($0, farther) } ?? rests.last ?? 0
        } else if velocity < 0 {
          expected = earlier.map { isPaged ? $0 : min($0, farther) } ?? rests.first ?? 0
        } else if isPaged, free > current + 0.5 {
          expected = later ?? free
        } else if isPaged, free < current - 0.5 {
          expected = earlier ?? free
        }
        expectClose(
          found ?? .nan,
          expected,
          "\(scrolling) from \(current) to \(proposed) at \(velocity): \(seed).\(round)"
        )
      }
    }
  }

  @Test("in content that scrolls both ways follow the faster axis")
  func bothWays() {
    let prepared = GridLayout(itemSize: Size(width: 100, height: 100)).prepare(
      LayoutContext(
        contents: plainContents(20, 20, 20, 20, 20, 20, 20, 20, 20, 20),
        container: LayoutContainer(size: Size(width: 200, height: 200)),
        options: LayoutOptions(scrollTargets: ScrollTargets(unit: .items, isLimitedToOne: true))
      )
    )
    let viewport = Viewport(offset: Point(x: 300, y: 300), size: Size(width: 200, height: 200))
    func rest(_ velocity: Point) -> Point? {
      LayoutQueries(prepared, viewport: viewport).scrollTarget(
        for: .release(proposed: Point(x: 310, y: 290), velocity: velocity, section: nil)
      )?.offset
    }
    #expect(rest(.zero) == Point(x: 300, y: 300))
    #expect(rest(Point(x: 400, y: 350)) == Point(x: 400, y: 300))
    #expect(rest(Point(x: 0, y: -400)) == Point(x: 300, y: 200))
  }

  @Test("cost no more at the end of large content than elsewhere")
  func cost() {
    let size = Size(width: 300, height: 400)
    let prepared = ListLayout(rowHeight: 50).prepare(
      LayoutContext(
        contents: plainContents(1_000_000),
        container: LayoutContainer(size: size),
        options: LayoutOptions(scrollTargets: ScrollTargets(unit: .items, anchor: 0.5))
      )
    )
    for y in [0.0, 25_000_000, 49_999_500, 49_999_600] {
      for velocity in [-900.0, 900] {
        let work = LayoutWork()
        let viewport = Viewport(offset: Point(x: 0, y: y), size: size)
        let target = LayoutQueries(prepared, viewport: viewport, work: work).scrollTarget(
          for: .release(proposed: nil, velocity: Point(x: 0, y: velocity), section: nil)
        )
        #expect(target?.element != nil)
        #expect(work.steps < 2000, "\(work.steps) from \(y) at \(velocity)")
      }
    }
  }

  @Test("name what is wrong with targets")
  func validation() {
    func fields(_ options: LayoutOptions) -> [String] {
      var findings = LayoutFindings()
      options.validate(findings: &findings)
      return findings.violations.map(\.field)
    }
    #expect(fields(LayoutOptions(scrollTargets: ScrollTargets(unit: .items, anchor: 1))) == [])
    #expect(
      fields(LayoutOptions(scrollTargets: ScrollTargets(unit: .items, anchor: 1.01)))
        == ["scroll_targets.anchor"]
    )
    #expect(
      fields(LayoutOptions(scrollSnap: .page, scrollTargets: ScrollTargets(unit: .groups)))
        == ["scroll_targets.unit"]
    )
    #expect(
      fields(LayoutOptions(scrollSnap: .page, scrollTargets: ScrollTargets(isLimitedToOne: true)))
        == []
    )
    #expect(
      fields(LayoutOptions(scrollTargets: ScrollTargets(anchor: 0.5))) == ["scroll_targets.anchor"]
    )
    #expect(
      fields(LayoutOptions(scrollTargets: ScrollTargets(unit: .groups, kindAnchors: ["a": 1])))
        == ["scroll_targets.kind_anchors"]
    )
  }
}

extension ClosedRange<Double> {
  /// Some way beyond its ends too; never empty.
  fileprivate var padded: ClosedRange<Double> { lowerBound - 50 ... upperBound + 50 }
}
