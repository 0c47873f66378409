// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Scroll maps against a reference", .timeLimit(.minutes(3)))
struct ScrollMapReferenceTests {
  /// A layout with the reference, and how near to an edge answers may differ by rounding.
  private struct Subject {
    let prepared: any PreparedLayout
    let queries: LayoutQueries
    let axis: ScrollAxis
    let naive: NaiveScrollMap
    let extent: Double
    let slack: Double
    let note: String

    func passed(_ place: Double) -> ClosedRange<Int> {
      naive.passed(place - slack) ... naive.passed(place + slack)
    }

    func started(_ place: Double) -> ClosedRange<Int> {
      naive.started(place - slack) ... naive.started(place + slack)
    }
  }

  private func subject(
    _ prepared: any PreparedLayout,
    _ random: inout SplitMix64,
    _ note: String
  ) -> Subject {
    var viewport = Viewport(of: prepared.context.container)
    viewport.offset = Point(x: random.double(-50 ... 500), y: random.double(-50 ... 500))
    viewport.insets = random.chance(50) ? random.insets(0 ... 30) : .zero
    let axis =
      prepared.scrollAxis
      ?? (prepared.contentSize.width > prepared.contentSize.height ? .horizontal : .vertical)
    let isAligned = prepared.context.options.isPixelAligned
    let scale = prepared.context.container.displayScale
    return Subject(
      prepared: prepared,
      queries: LayoutQueries(prepared, viewport: viewport),
      axis: axis,
      naive: NaiveScrollMap(prepared, along: axis, viewport),
      extent: axis.main(prepared.contentSize),
      slack: isAligned && scale > 0 ? 1.01 / scale : 1e-6,
      note: note
    )
  }

  /// Buckets and fractions are those of the reference.
  private func check(
    _ prepared: any PreparedLayout,
    _ random: inout SplitMix64,
    fillsFromEnd: Bool = false,
    _ note: String
  ) {
    let subject = subject(prepared, &random, note)
    let fractions = [0, random.double(0 ... 1), random.double(0 ... 1), 1]
    let sections = Array(0 ..< prepared.context.contents.sectionCount)
    let request = ScrollMapRequest(
      fractions: fractions,
      bucketCount: random.int(1 ... 9),
      sections: sections
    )
    let map = subject.queries.scrollMap(request)
    #expect(map.axis == subject.axis, "\(note)")
    #expect(map.places.count == fractions.count, "\(note)")
    #expect(map.sections.count == sections.count, "\(note)")
    #expect(map.buckets.count == request.bucketCount, "\(note)")
    checkOffsets(map, subject)
    let total = map.buckets.reduce(0) { $0 + $1.itemCount }
    if map.isInOrder {
      #expect(total == prepared.context.contents.itemCount, "\(note)")
      if !fillsFromEnd { checkOrdered(map, subject) }
    } else {
      #expect(total == subject.naive.started(.infinity), "\(note)")
      checkLoose(map, subject)
    }
  }

  private func checkOrdered(_ map: ScrollMap, _ subject: Subject) {
    let count = subject.prepared.context.contents.itemCount
    var passed = 0
    for (index, bucket) in map.buckets.enumerated().dropLast() {
      passed += bucket.itemCount
      let place = subject.extent * Double(index + 1) / Double(map.buckets.count)
      #expect(
        subject.passed(place).contains(passed),
        "\(passed) at \(place), not \(subject.passed(place)): \(subject.note)"
      )
    }
    for place in map.places {
      let ordinal = place.item.flatMap { subject.naive.ordinal(of: $0) } ?? count
      #expect(
        subject.passed(place.position).contains(ordinal),
        "\(ordinal) at \(place), not \(subject.passed(place.position)): \(subject.note)"
      )
    }
  }

  private func checkLoose(_ map: ScrollMap, _ subject: Subject) {
    var before = 0
    for (index, bucket) in map.buckets.enumerated().dropLast() {
      before += bucket.itemCount
      let place = subject.extent * Double(index + 1) / Double(map.buckets.count)
      #expect(
        subject.started(place).contains(before),
        "\(before) at \(place), not \(subject.started(place)): \(subject.note)"
      )
    }
    for place in map.places where subject.slack < 1e-3 {
      let first = subject.naive.inView(place.position)
      let near = [place.position - 1e-6, place.position + 1e-6].map { subject.naive.inView($0) }
      #expect(
        place.item == first || near.contains(place.item),
        "\(place), not \(String(describing: first)): \(subject.note)"
      )
    }
  }

  /// Offsets are legal, and show what they are to show.
  private func checkOffsets(_ map: ScrollMap, _ subject: Subject) {
    let viewport = subject.queries.viewport
    let size = subject.prepared.contentSize
    let legal = viewport.legalOffsets(contentSize: size)
    let axis = subject.axis
    for place in map.places + map.sections {
      let offset = axis.main(place.offset)
      #expect(offset >= axis.main(legal.min) - 1e-6, "\(place): \(subject.note)")
      #expect(offset <= axis.main(legal.max) + 1e-6, "\(place): \(subject.note)")
      #expect((0 ... 1).contains(place.fraction), "\(place): \(subject.note)")
      // Across the axis nothing moves.
      #expect(axis.cross(place.offset) == axis.cross(viewport.offset), "\(subject.note)")
      // Its fraction leads where its offset does.
      let again = subject.queries.scrollMap(ScrollMapRequest(fractions: [place.fraction]))
      let other = axis.main(again.places[0].offset)
      #expect(abs(other - offset) < 1e-6 * max(1, subject.extent), "\(place): \(subject.note)")
    }
  }

  @Test("are those that looking at every item gives", arguments: RandomLayoutKind.allCases)
  func kinds(kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 61_000)
    for round in 0 ..< 60 {
      let layout = kind.layout(&random)
      let context = kind.context(&random)
      // A stack counts the cards that have slid off: see below.
      guard kind != .stack else { continue }
      let fills = (layout as? GridLanesLayout)?.fillReverse ?? false
      check(
        layout.prepare(context),
        &random,
        fillsFromEnd: fills,
        "\(kind) \(round) \(layout) \(context.container)"
      )
    }
  }

  @Test("are right for sections of several layouts, some of which scroll by themselves")
  func sections() {
    var random = SplitMix64(seed: 62_000)
    for round in 0 ..< 120 {
      let layout: any CollectionLayout =
        random.chance(50) ? random.sectionsLayout() : random.compositional()
      let context = LayoutContext(
        contents: random.namedContents(),
        container: random.container()
      )
      let fills = (layout as? SectionsLayout)?.layouts.contains {
        if case .gridLanes(let lanes) = $0.kind { lanes.fillReverse } else { false }
      }
      check(layout.prepare(context), &random, fillsFromEnd: fills ?? false, "\(round) \(layout)")
    }
  }

  @Test("are right for carousels, and for items that lie anywhere")
  func carouselsAndPlaces() {
    var random = SplitMix64(seed: 63_000)
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
        contents: round % 2 == 0 ? random.placedContents(items: 400) : random.contents(items: 12),
        container: random.container()
      )
      check(layout.prepare(context), &random, "\(round) \(layout)")
    }
  }

  @Test("are right for items that lie anywhere after edits of all kinds")
  func editedPlaces() throws {
    for seed in 0 ..< 40 as Range<UInt64> {
      var random = SplitMix64(seed: 67_000 + seed)
      let layout = SpatialLayout(itemSize: random.size(5 ... 60))
      var contents = random.placedContents(items: random.int(1 ... 600))
      let container = random.container()
      var prepared: any PreparedLayout = layout.prepare(
        LayoutContext(contents: contents, container: container)
      )
      for round in 0 ..< 6 {
        let change = try contents.applying(UpdateBatch(random.batch(on: contents)))
        contents = change.new
        prepared = layout.update(prepared, by: change)
        check(prepared, &random, "\(seed), edit \(round)")
      }
    }
  }

  @Test("count every item once, and begin the same again from the end, where items fill from there")
  func fromTheEnd() {
    var random = SplitMix64(seed: 64_000)
    for round in 0 ..< 40 {
      var layout = random.gridLanes(along: .vertical)
      layout.fillReverse = true
      let context = LayoutContext(
        contents: CollectionContents(
          sections: [.init(blocks: [random.block(items: 1 ... 60, upTo: 90)])]
        ),
        container: LayoutContainer(size: Size(width: 300, height: 200))
      )
      let prepared = layout.prepare(context)
      let subject = subject(prepared, &random, "\(round) \(layout)")
      let map = subject.queries.scrollMap(ScrollMapRequest(bucketCount: 7))
      // The last items are seen first: from every edge on, those have begun that begin before it.
      var begun = 0
      for (index, bucket) in map.buckets.enumerated().dropLast() {
        begun += bucket.itemCount
        let place = subject.extent * Double(index + 1) / 7
        let first = prepared.cellKeys.firstIndex {
          prepared.attributes(of: $0, viewport: subject.queries.viewport)
            .map { $0.frame.minY < place } ?? false
        }
        let count = prepared.cellKeys.count
        #expect(begun == count - (first ?? count), "\(round) at \(place): \(layout)")
      }
      checkSeen(subject, &random)
    }
  }

  /// Where items fill from the end, a place names one that is at it, also where one ends just
  /// there; in a gap, the one before the first that begins before it.
  private func checkSeen(_ subject: Subject, _ random: inout SplitMix64) {
    let cells = subject.prepared.cellKeys.compactMap { key in
      subject.prepared.attributes(of: key, viewport: subject.queries.viewport)
        .map { (item: key.indexPath, begin: $0.frame.minY, end: $0.frame.maxY) }
    }
    let range = subject.extent - subject.queries.viewport.size.height
    guard range > 0 else { return }
    let edges = cells.flatMap { [$0.begin, $0.end] }.filter { (0 ... range).contains($0) }
    let positions = edges.prefix(40) + (0 ..< 10).map { _ in random.double(0 ... range) }
    let map = subject.queries.scrollMap(ScrollMapRequest(fractions: positions.map { $0 / range }))
    for place in map.places {
      let at = cells.filter { $0.begin < place.position + 1 / 64 && $0.end > place.position }
      let begun = cells.first { $0.begin < place.position }
      let before = (begun?.item.item ?? cells.count) - 1
      let isRight =
        at.isEmpty ? place.item?.item == max(0, before) : at.contains { $0.item == place.item }
      #expect(isRight, "\(place): \(subject.note)")
    }
  }

  @Test("tell the top card of a stack")
  func stacks() {
    let layout = StackLayout(scrollDirection: .vertical, itemSize: Size(width: 100, height: 80))
    let prepared = layout.prepare(
      LayoutContext(
        contents: CollectionContents(sections: [.init(blocks: [.init(count: 11)])]),
        container: LayoutContainer(size: Size(width: 300, height: 400))
      )
    )
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 400))
    let map = LayoutQueries(prepared, viewport: viewport).scrollMap(
      ScrollMapRequest(fractions: [0, 0.5, 0.55, 1])
    )
    #expect(map.places.map { $0.item?.item } == [0, 5, 5, 10])
    #expect(map.places.map { $0.offset.y.rounded() } == [0, 400, 440, 800])
  }
}
