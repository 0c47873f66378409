// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

/// Effects by scrolling, for every layout.
@Suite("Scroll effects", .timeLimit(.minutes(2)))
struct ScrollEffectTests {
  private static let everywhere = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)

  private static let insets = EdgeInsets(top: 50, leading: 0, bottom: 0, trailing: 0)

  /// Rows of 100 points in a viewport of 400, with 50 points covered at the top.
  private let rows = ListLayout(rowHeight: 100).prepare(
    LayoutContext(
      contents: plainContents(100),
      container: LayoutContainer(size: Size(width: 300, height: 400), insets: Self.insets)
    )
  )

  private func viewport(at y: Double, isRightToLeft: Bool = false) -> Viewport {
    Viewport(
      offset: Point(x: 0, y: y),
      size: Size(width: 300, height: 400),
      insets: Self.insets,
      isRightToLeft: isRightToLeft
    )
  }

  private func row(_ item: Int, _ effects: [ScrollEffect], at y: Double) -> LayoutAttributes? {
    rows.showing(effects).cell(0, item, viewport(at: y))
  }

  // MARK: - Phases

  @Test("an element fades as it leaves the visible rect")
  func fading() {
    let effect = ScrollEffect(leading: .init(.init(alpha: 0)), trailing: .init(.init(alpha: 0)))
    // The visible rect is from 1000 to 1350: row 10 is wholly visible, row 9 not at all.
    #expect(row(10, [effect], at: 950)?.alpha == 1)
    #expect(row(9, [effect], at: 950)?.alpha == 0)
    #expect(row(12, [effect], at: 950)?.alpha == 1)
    #expect(row(13, [effect], at: 950)?.alpha == 0.5)
    #expect(row(14, [effect], at: 950)?.alpha == 0)
    #expect(row(10, [effect], at: 975)?.alpha == 0.75)
  }

  @Test("thresholds say where a phase begins and ends")
  func thresholds() {
    func alpha(_ identity: ScrollEffect.Threshold) -> Double {
      let effect = ScrollEffect(leading: .init(.init(alpha: 0), identity: identity))
      return row(10, [effect], at: 900)?.alpha ?? -1
    }
    // The middle of row 10 is 100 points behind the start of the visible rect.
    expectClose(alpha(.init(visible: 0.5)), 1)
    expectClose(alpha(.init(visible: 1, centered: 1)), (100.0 + 50) / (175 + 50))
    expectClose(alpha(.init(visible: 1, inset: 100)), 150.0 / 200)
    expectClose(alpha(.init(visible: 1, centered: 0.5)), 150.0 / 162.5)
    expectClose(alpha(.init(visible: 1, inset: 1000)), 150.0 / 225, "not beyond the middle")
  }

  @Test("a discrete effect changes at the identity's threshold")
  func discrete() {
    let effect = ScrollEffect(leading: .init(.init(alpha: 0.25, isHidden: true)), isDiscrete: true)
    #expect(row(10, [effect], at: 950)?.alpha == 1)
    #expect(row(10, [effect], at: 951)?.alpha == 0.25)
    #expect(row(10, [effect], at: 951)?.isHidden == true)
  }

  @Test("an element that is longer than the viewport keeps its identity while it fills it")
  func longElements() {
    let prepared = ListLayout(rowHeight: 1000).prepare(rows.context)
    let effects = [ScrollEffect(leading: .init(.init(alpha: 0)), trailing: .init(.init(alpha: 0)))]
    func alpha(_ y: Double) -> Double? {
      prepared.showing(effects).cell(0, 1, viewport(at: y))?.alpha
    }
    #expect(alpha(950) == 1)
    #expect(alpha(1600) == 1)
    #expect(alpha(1775) == 0.5)
    #expect(alpha(775) == 0.5)
  }

  @Test("hidden and z-index follow the phases")
  func hiddenAndOrder() {
    let effect = ScrollEffect(
      leading: .init(.init(zIndex: -5, isHidden: true)),
      identity: .init(zIndex: 10)
    )
    #expect(row(10, [effect], at: 950)?.zIndex == 10)
    // 10 + (−5 − 10) · 0.5 is 2.5, which is rounded away from zero.
    #expect(row(10, [effect], at: 1000)?.zIndex == 3)
    #expect(row(10, [effect], at: 1000)?.isHidden == false)
    #expect(row(10, [effect], at: 1050)?.isHidden == true)
    #expect(row(10, [effect], at: 1050)?.zIndex == -5)
  }

  @Test("effects are combined: opacities and scales multiply, the rest adds up")
  func combination() {
    let effects = [
      ScrollEffect(
        identity: .init(alpha: 0.5, scale: 2, translation: Point(x: 1, y: 2), zIndex: 1)
      ),
      ScrollEffect(
        identity: .init(alpha: 0.5, scale: 3, translation: Point(x: 3, y: 4), zIndex: 2)
      ),
      ScrollEffect(kinds: ["other"], identity: .init(alpha: 0)),
      ScrollEffect(category: .decoration, identity: .init(alpha: 0)),
    ]
    let found = row(10, effects, at: 950)
    #expect(found?.alpha == 0.25)
    #expect(found?.zIndex == 3)
    #expect(found?.transform == .affine(a: 4, b: 0, c: 0, d: 4, tx: 4, ty: 6))
    #expect(found?.frame == Rect(x: 0, y: 1000, width: 300, height: 100))
  }

  @Test("moves are mirrored in right-to-left environments")
  func mirroredMoves() {
    let effects = [ScrollEffect(identity: .init(translation: Point(x: 30, y: 4)))]
    let seen = rows.showing(effects).cell(0, 10, viewport(at: 950, isRightToLeft: true))
    #expect(seen?.transform == .translation(x: -30, y: 4))
  }

  @Test("very large elements are not transformed")
  func largeElements() {
    let prepared = ListLayout(rowHeight: 4097).prepare(rows.context)
    let effects = [ScrollEffect(identity: .init(alpha: 0.5, scale: 2))]
    let seen = prepared.showing(effects).cell(0, 0, viewport(at: 0))
    #expect(seen?.transform == .identity)
    #expect(seen?.alpha == 0.5)
  }

  @Test("items of a section that scrolls orthogonally follow the section's axis")
  func orthogonalSections() {
    let size = LayoutSize(width: .absolute(100), height: .absolute(80))
    var section = CompositionalSection(
      group: LayoutGroup(axis: .horizontal, size: size, subitems: [.item(.init(size: size))])
    )
    section.orthogonalScrolling = .continuous
    let prepared = CompositionalLayout(sections: [section]).prepare(rows.context)
    let fades = ScrollEffect(
      leading: .init(.init(alpha: 0)),
      trailing: .init(.init(alpha: 0))
    )
    var viewport = viewport(at: -50)
    viewport.sectionOffsets = [0: 150]
    let seen = prepared.showing([fades])
    #expect(seen.cell(0, 0, viewport)?.alpha == 0)
    #expect(seen.cell(0, 1, viewport)?.alpha == 0.5)
    #expect(seen.cell(0, 2, viewport)?.alpha == 1)
    #expect(seen.cell(0, 4, viewport)?.alpha == 0.5)
    var vertical = fades
    vertical.axis = .vertical
    #expect(prepared.showing([vertical]).cell(0, 1, viewport)?.alpha == 1)
  }

  // MARK: - Queries

  @Test("what effects bring into a rect is found, what they take out is not")
  func queries() {
    let effects = [ScrollEffect(leading: .init(.init(translation: Point(x: 0, y: 300))))]
    let seen = rows.showing(effects)
    let viewport = viewport(at: 950)
    let found = seen.probed(in: Rect(x: 0, y: 1000, width: 300, height: 100), viewport)
    // Row 7 is 300 points lower than it would be.
    #expect(found.map(\.key.indexPath.item) == [7, 10])
    let queries = LayoutQueries(rows, shown: seen, viewport: viewport)
    #expect(queries.hitTest(Point(x: 10, y: 650))?.key == .cell(0, 3))
    #expect(queries.scrollTarget(for: .element(.cell(0, 6), position: .start))?.offset.y == 550)
  }

  @Test("a query with few places takes the first of what is seen")
  func limits() {
    let gone = ScrollEffect(identity: .init(translation: Point(x: 4000, y: 0)))
    let seen = ListLayout(rowHeight: 1).prepare(
      LayoutContext(contents: plainContents(20_000), container: rows.context.container)
    )
    .showing([gone, gone])
    var buffer = ElementBuffer(limit: 10)
    seen.appendElements(in: Self.everywhere, viewport: viewport(at: 0), to: &buffer)
    #expect(buffer.isFull)
    #expect(buffer.elements.map(\.indexPath.item) == Array(0 ..< 10))
    #expect(buffer.extras.count == 10)
    // All have moved out of this rect, and none of them takes a place.
    buffer.removeAll()
    let rect = Rect(x: 0, y: 0, width: 300, height: 20_000)
    seen.appendElements(in: rect, viewport: viewport(at: 0), to: &buffer)
    #expect(buffer.elements.isEmpty && buffer.extras.isEmpty && !buffer.isFull)
  }

  @Test("effects are as the rule says", arguments: RandomLayoutKind.allCases)
  func reference(_ kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 31)
    for round in 0 ..< 20 {
      let layout = kind.layout(&random)
      let prepared = layout.prepare(kind.context(&random))
      let effects = random.scrollEffects(kinds: prepared.kindNames)
      var viewport = Viewport(of: prepared.context.container)
      viewport.offset = Point(x: random.length(0 ... 300), y: random.length(0 ... 900))
      viewport.sectionOffsets = [0: random.length(0 ... 200), 1: random.length(0 ... 200)]
      check(prepared, effects, viewport, &random, "\(kind) \(round) \(layout) \(effects)")
    }
  }

  @Test("effects on projected and placed items are as the rule says")
  func samples() {
    var random = SplitMix64(seed: 32)
    for round in 0 ..< 20 {
      let layout: any CollectionLayout =
        round.isMultiple(of: 2)
        ? CarouselLayout(style: .coverFlow, itemSize: random.size(20 ... 200)) : GridLayout()
      let prepared = layout.prepare(
        LayoutContext(contents: random.sizedContents(items: 12), container: random.container())
      )
      let effects = random.scrollEffects(kinds: prepared.kindNames)
      var viewport = Viewport(of: prepared.context.container)
      viewport.offset = Point(x: random.length(0 ... 300), y: random.length(0 ... 900))
      check(prepared, effects, viewport, &random, "\(round) \(layout) \(effects)")
    }
  }

  private func check(
    _ prepared: any PreparedLayout,
    _ effects: [ScrollEffect],
    _ viewport: Viewport,
    _ random: inout SplitMix64,
    _ note: String
  ) {
    let naive = NaiveScrollEffects(
      effects: effects,
      axis: prepared.scrollAxis,
      viewport: viewport
    )
    let seen = prepared.showing(effects)
    var found: [ElementKey: LayoutAttributes] = [:]
    let all = seen.probed(in: Self.everywhere, viewport)
    for element in all { found[element.key] = element.attributes }
    for settled in prepared.probed(in: Self.everywhere, viewport) {
      let path = settled.key.indexPath
      let expected = naive.seen(
        settled.attributes,
        of: settled.key,
        scrollsAcross: path.item != nil
          && prepared.sectionOffset(path.section, viewport: viewport) != nil
      )
      guard let attributes = found[settled.key] else {
        Issue.record("\(settled.key) is missing: \(note)")
        continue
      }
      #expect(attributes.frame == settled.attributes.frame, "\(settled.key): \(note)")
      expectClose(attributes.alpha, expected.alpha, "alpha of \(settled.key): \(note)")
      expectClose(attributes.boundingBox, expected.box, "box of \(settled.key): \(note)")
      #expect(abs(attributes.zIndex - expected.zIndex) <= 1, "\(settled.key): \(note)")
      #expect(attributes.isHidden == expected.isHidden, "\(settled.key): \(note)")
      #expect(attributes.custom == settled.attributes.custom, "\(settled.key): \(note)")
      #expect(
        seen.attributes(of: settled.key, viewport: viewport) == attributes,
        "on demand \(settled.key): \(note)"
      )
    }
    for _ in 0 ..< 6 {
      let rect = Rect(
        x: viewport.offset.x + random.length(-600 ... 600),
        y: viewport.offset.y + random.length(-600 ... 900),
        width: random.length(0 ... 800),
        height: random.length(0 ... 800)
      )
      let expected = all.filter { $0.attributes.boundingBox.meets(rect) }
      #expect(seen.probed(in: rect, viewport) == expected, "in \(rect): \(note)")
      checkHit(Point(x: rect.x, y: rect.y), all, prepared, seen, viewport, note)
    }
  }

  private func checkHit(
    _ point: Point,
    _ all: [ProbedElement],
    _ prepared: any PreparedLayout,
    _ seen: any PreparedLayout,
    _ viewport: Viewport,
    _ note: String
  ) {
    var front: ProbedElement?
    for element in all
    where !element.attributes.isHidden && element.attributes.boundingBox.contains(point) {
      if let best = front, best.attributes.zIndex > element.attributes.zIndex { continue }
      front = element
    }
    let hit = LayoutQueries(prepared, shown: seen, viewport: viewport).hitTest(point)
    #expect(hit?.key == front?.key, "at \(point): \(note)")
    #expect(hit?.attributes == front?.attributes, "at \(point): \(note)")
  }

  @Test(
    "right to left is the mirror image with effects, too",
    arguments: RandomLayoutKind.allCases.filter { $0 != .circle }
  )
  func mirroring(_ kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 33)
    for round in 0 ..< 15 {
      let layout = kind.layout(&random)
      var context = kind.context(&random)
      context.options.isPixelAligned = false
      context.container.isRightToLeft = false
      let left = layout.prepare(context)
      context.container.isRightToLeft = true
      let right = layout.prepare(context)
      let effects = random.scrollEffects(kinds: left.kindNames)
      let offset = Point(x: random.length(0 ... 200), y: random.length(0 ... 200))
      // Insets that leave no room take from one side what they cannot from the other.
      let insets = context.container.insets
      guard context.container.size.width >= insets.leading + insets.trailing else { continue }
      let width = left.contentSize.width
      let mirrored = Point(x: width - offset.x - context.container.size.width, y: offset.y)
      let seen = [(left, offset), (right, mirrored)].map { prepared, offset in
        prepared.showing(effects)
          .probed(in: Self.everywhere, Viewport(of: prepared.context.container, at: offset))
      }
      let note = "\(kind) \(round) \(layout) \(effects)"
      #expect(seen[0].map(\.key) == seen[1].map(\.key), "\(note)")
      for (a, b) in zip(seen[0], seen[1]) {
        let box = a.attributes.boundingBox.mirrored(inWidth: width)
        expectClose(b.attributes.boundingBox, box, tolerance: 1e-4, "\(a.key): \(note)")
        expectClose(b.attributes.alpha, a.attributes.alpha, tolerance: 1e-4, "\(a.key): \(note)")
      }
    }
  }

  // MARK: - Limits

  @Test("effects beyond the limits are refused, each with its field")
  func validation() {
    var findings = LayoutFindings()
    let values = ScrollEffect.Values(
      alpha: 1.5,
      scale: .nan,
      translation: Point(x: 5000, y: -.infinity),
      rotation: 101,
      zIndex: 1_000_001
    )
    ScrollEffect.validate(
      [
        ScrollEffect(
          kinds: Array(repeating: "a", count: 65),
          leading: .init(values, outer: .init(visible: -1, centered: 2, inset: 20_000))
        )
      ],
      findings: &findings
    )
    let leading = "scroll_effects[0].leading"
    #expect(
      findings.violations.map(\.field) == [
        "scroll_effects", "\(leading).values.alpha", "\(leading).values.scale",
        "\(leading).values.translation.x", "\(leading).values.translation.y",
        "\(leading).values.rotation", "\(leading).values.z_index", "\(leading).outer.visible",
        "\(leading).outer.centered", "\(leading).outer.inset",
      ]
    )
    var many = LayoutFindings()
    ScrollEffect.validate(Array(repeating: ScrollEffect(), count: 17), findings: &many)
    #expect(many.violations.map(\.field) == ["scroll_effects"])
  }

  @Test("numbers beyond the limits do no harm where nobody validates")
  func unvalidated() {
    let effects = Array(
      repeating: ScrollEffect(
        identity: .init(
          alpha: .nan,
          scale: .infinity,
          translation: Point(x: .infinity, y: .nan),
          rotation: .infinity,
          zIndex: .max
        )
      ),
      count: 40
    )
    let seen = rows.showing(effects).probed(in: Self.everywhere, viewport(at: 0))
    #expect(seen.count == 100)
    for element in seen {
      let box = element.attributes.boundingBox
      #expect(box.x.isFinite && box.y.isFinite && box.width.isFinite && box.height.isFinite)
    }
  }

  @Test("layouts that differ only in effects are prepared alike")
  func sharing() {
    let plain = LayoutConfiguration(ListLayout())
    let moving = LayoutConfiguration(ListLayout(), scrollEffects: [ScrollEffect()])
    #expect(plain != moving)
    #expect(plain.settled == moving.settled)
  }
}
