// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Visibility", .timeLimit(.minutes(2)))
struct VisibilityTests {
  /// Rows of 100 points, of which four and a bit are in sight.
  private func rows(
    _ rules: VisibilityRule...,
    count: Int = 50,
    insets: EdgeInsets = .zero,
    maxInFlightFrames: Int = 0
  ) -> Scene {
    Scene(
      .keyed(count),
      layout: ListLayout(rowHeight: 100),
      size: Size(width: 300, height: 420),
      insets: insets,
      options: SessionOptions(
        maxInFlightFrames: maxInFlightFrames,
        anchorMode: .none,
        visibility: VisibilityOptions(rules: rules)
      )
    )
  }

  private func seen(_ change: VisibilityChange?) -> [String] {
    change?.began.map(\.itemKey) ?? []
  }

  @Test("an element is told when it has been in sight for long enough, and when it leaves")
  func dwell() {
    var scene = rows(VisibilityRule(threshold: 0.8, duration: .milliseconds(500)))
    #expect(scene.see() == VisibilityChange(isReset: true))
    #expect(scene.session.nextDeadline(after: .zero) == .milliseconds(500))
    scene.now = .milliseconds(499)
    #expect(scene.see() == nil)
    scene.now = .milliseconds(500)
    let change = scene.see()
    #expect(seen(change) == ["a0", "a1", "a2", "a3"])
    #expect(change?.began.map(\.number) == [1, 2, 3, 4])
    #expect(change?.began.allSatisfy { $0.seenFor == .milliseconds(500) && $0.rule == 0 } == true)
    #expect(change?.began.first?.key == .cell(0, 0))
    #expect(change?.began.first?.slot == scene.client.slot(itemKey: "a0"))
    #expect(scene.session.visibilityDeadline == nil)
    // Row 4 comes to be seen by 80 of 100 points, row 0 is by as many.
    scene.now = .seconds(2)
    scene.scroll(to: 60)
    let moved = scene.see()
    #expect(moved?.ended == [.init(number: 1, seenFor: .seconds(2))])
    #expect(seen(moved) == [])
    #expect(scene.session.visibilityDeadline == .milliseconds(2500))
    scene.now = .milliseconds(2500)
    #expect(seen(scene.see()) == ["a4"])
  }

  @Test("kinds that only look the same are others, and many elements cost no comparison each")
  func similarKinds() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let tail = String(repeating: "e\u{301}", count: 30)
    let names = [composed + tail, decomposed + tail]
    let contents = CollectionContents(
      sections: [
        SectionContents(
          blocks: [
            ItemBlock(
              count: 10_000,
              cellKinds: (0 ..< 10_000).map { $0 % 2 },
              keys: (0 ..< 10_000).map { "a\($0)" }
            )
          ]
        )
      ],
      cellKindNames: names
    )
    var rules = (0 ..< 7).map { number in
      VisibilityRule(kinds: (0 ..< 16).map { "\(tail)\(number) \($0)" })
    }
    rules.append(VisibilityRule(kinds: [names[1]]))
    var scene = Scene(
      contents,
      layout: ListLayout(rowHeight: 1),
      size: Size(width: 300, height: 9000),
      options: SessionOptions(anchorMode: .none, visibility: VisibilityOptions(rules: rules))
    )
    // Comparing each element with each name took seconds for each step.
    for step in 0 ..< 20 {
      scene.scroll(to: Double(step))
      let change = scene.see()
      guard step == 0 else { continue }
      #expect(change?.began.count == 4500)
      #expect(change?.began.allSatisfy { $0.rule == 7 && $0.key.kind.utf8.first == 0x65 } == true)
    }
  }

  @Test("who is out of sight before the time is over was not seen")
  func tooShort() {
    var scene = rows(VisibilityRule(threshold: 0.5, duration: .seconds(1)))
    _ = scene.see()
    for step in 1 ... 4 {
      scene.now = .milliseconds(step * 900)
      scene.scroll(to: Double(step * 1000))
      #expect(scene.see() == nil)
    }
    scene.now += .seconds(1)
    #expect(seen(scene.see()) == ["a40", "a41", "a42", "a43"])
  }

  @Test("any part counts for a threshold of 0, and insets take it away")
  func insets() {
    var scene = rows(
      VisibilityRule(),
      insets: EdgeInsets(top: 100, leading: 0, bottom: 20, trailing: 0)
    )
    // Between 100 and 400.
    #expect(seen(scene.see()) == ["a1", "a2", "a3"])
    scene.scroll(to: -20)
    #expect(seen(scene.see()) == ["a0"])
    scene.scroll(to: 1)
    #expect(seen(scene.see()) == ["a4"])
    scene.scroll(to: 0)
    #expect(scene.see()?.ended.count == 1)
  }

  @Test("length is measured along the axis of scrolling, area both ways")
  func measures() {
    let item = CompositionalSection(
      group: LayoutGroup(
        axis: .horizontal,
        size: LayoutSize(width: .absolute(200), height: .absolute(100)),
        subitems: [
          .item(
            LayoutItem(size: LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(1)))
          )
        ]
      ),
      orthogonalScrolling: .continuous
    )
    var scene = Scene(
      .keyed(3),
      layout: CompositionalLayout(sections: [item]),
      size: Size(width: 300, height: 400),
      options: SessionOptions(
        visibility: VisibilityOptions(rules: [
          VisibilityRule(threshold: 0.6),
          VisibilityRule(threshold: 0.6, measure: .length),
        ])
      )
    )
    // The second is cut in half at the side.
    let change = scene.see()
    #expect(change?.began.map(\.rule) == [0, 1, 1])
    #expect(seen(change) == ["a0", "a0", "a1"])
    // The section scrolls by itself.
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 100])))
    let scrolled = scene.see()
    #expect(scrolled?.ended.map(\.number) == [1])
    #expect(scrolled?.began.map(\.rule) == [0])
    #expect(seen(scrolled) == ["a1"])
  }

  @Test("a rule that tells once does so, through moves and edits, until the item is another one")
  func once() {
    var scene = rows(VisibilityRule(threshold: 1, isOnce: true))
    #expect(seen(scene.see()) == ["a0", "a1", "a2", "a3"])
    scene.scroll(to: 2000)
    #expect(seen(scene.see()) == ["a20", "a21", "a22", "a23"])
    scene.scroll(to: 0)
    #expect(scene.see()?.began == [])
    scene.update([.insert("x", at: 0), .move(3, to: 1)])
    #expect(seen(scene.see()) == ["x"])
    scene.update([
      .reloadItems(section: 0, items: 1 ..< 2, blocks: [ItemBlock(count: 1, keys: ["r"])])
    ])
    #expect(seen(scene.see()) == ["r"])
  }

  @Test("the elements that are remembered because they are told once are bounded")
  func remembered() {
    var scene = rows(VisibilityRule(isOnce: true), count: 5000)
    _ = scene.see()
    let before = scene.session.byteCount
    for page in 1 ..< 1250 {
      scene.scroll(to: Double(page) * 400)
      _ = scene.see()
    }
    #expect(scene.session.byteCount < before + (64 << 10))
    // The first ones are forgotten.
    scene.scroll(to: 0)
    #expect(seen(scene.see()).contains("a0"))
    scene.scroll(to: 1249 * 400)
    #expect(seen(scene.see()) == [])
  }

  @Test("rules are for cells unless they say otherwise, and for kinds")
  func categories() {
    var scene = Scene(
      .keyed(10, 10),
      layout: ListLayout(rowHeight: 100, headerHeight: 40, footerHeight: 20),
      size: Size(width: 300, height: 300),
      options: SessionOptions(
        visibility: VisibilityOptions(rules: [
          VisibilityRule(categories: [.supplementary]),
          VisibilityRule(categories: [.supplementary, .cell], kinds: ["footer"]),
          VisibilityRule(kinds: ["none"]),
        ])
      )
    )
    #expect(scene.see()?.began.map(\.key) == [.supplementary("header", section: 0)])
    scene.scroll(to: 900)
    let change = scene.see()
    #expect(
      change?.began.map(\.key) == [
        .supplementary("footer", section: 0), .supplementary("header", section: 1),
        .supplementary("footer", section: 0),
      ]
    )
    #expect(change?.began.map(\.rule) == [0, 0, 1])
  }

  @Test("a pinned header stays in sight, whoever pins it", arguments: [false, true])
  func pinned(byRenderer: Bool) {
    var scene = Scene(
      .keyed(30, 30),
      layout: ListLayout(rowHeight: 100, headerHeight: 40, headersPinToVisibleBounds: true),
      size: Size(width: 300, height: 300),
      options: SessionOptions(
        visibility: VisibilityOptions(rules: [
          VisibilityRule(threshold: 1, duration: .seconds(1), categories: [.supplementary])
        ])
      ),
      capabilities: ClientCapabilities(pinning: byRenderer, checksums: true)
    )
    _ = scene.see()
    for step in 1 ... 10 {
      scene.now = .milliseconds(step * 100)
      scene.scroll(to: Double(step * 70))
      let change = scene.see()
      #expect(change?.began.count == (step == 10 ? 1 : nil))
    }
    // The next header pushes it out.
    scene.scroll(to: 3030)
    #expect(scene.see()?.ended.count == 1)
  }

  /// Layouts with pinned headers 40 long whose content scrolls both ways in 300 by 300 points.
  private static let wideLayouts: [any CollectionLayout] = [
    TableLayout(
      columns: [TableColumn("a", width: .points(700)), TableColumn("b")],
      rowHeight: 100,
      headerHeight: 40
    ),
    SectionsLayout(layouts: [
      SectionLayout(
        .list(ListLayout(rowHeight: 100, headerHeight: 40, headersPinToVisibleBounds: true))
      ),
      SectionLayout(.grid(GridLayout(itemSize: Size(width: 50, height: 40)))),
    ]),
  ]

  @Test(
    "a pinned header stays in sight where content scrolls both ways, whoever pins it",
    arguments: [false, true],
    wideLayouts.indices
  )
  func pinnedBothWays(byRenderer: Bool, layout: Int) {
    var scene = Scene(
      .keyed(30, 30),
      layout: Self.wideLayouts[layout],
      size: Size(width: 300, height: 300),
      options: SessionOptions(
        visibility: VisibilityOptions(rules: [
          VisibilityRule(threshold: 0.4, categories: [.supplementary])
        ])
      ),
      capabilities: ClientCapabilities(pinning: byRenderer, checksums: true)
    )
    #expect(scene.session.query?.prepared.scrollAxis == nil)
    // Cells of tables are supplementary as well.
    let began = scene.see()?.began.filter { $0.key.indexPath.item == nil } ?? []
    #expect(began.count == 1)
    for y in [10.0, 500, 1000] {
      scene.scroll(to: y)
      let ended = scene.see()?.ended.map(\.number) ?? []
      #expect(Set(ended).isDisjoint(with: began.map(\.number)))
    }
  }

  @Test("nothing is told while the window is full, and then what is still so")
  func backpressure() throws {
    var scene = rows(VisibilityRule(threshold: 1, duration: .seconds(1)), maxInFlightFrames: 1)
    _ = scene.see()
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 1000))))
    let frame = try scene.take()
    #expect(scene.see() == nil)
    #expect(scene.session.visibilityDeadline == nil)
    scene.now = .milliseconds(900)
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 1100))))
    #expect(scene.session.nextFrame(at: scene.now) == nil)
    scene.now = .milliseconds(1200)
    #expect(scene.see() == nil)
    scene.client.apply(frame)
    try scene.session.acknowledge(FrameAck(sequence: frame.sequence), at: scene.now)
    scene.settle()
    // Row 10 was not in sight when its second was over; rows 11 to 13 were all the time.
    #expect(seen(scene.see()) == ["a11", "a12", "a13"])
    #expect(scene.session.visibilityDeadline == .milliseconds(2200))
  }

  @Test("a new stream is told what is in sight again, and the time between does not count")
  func resume() {
    var scene = rows(
      VisibilityRule(threshold: 1),
      VisibilityRule(threshold: 1, duration: .seconds(3))
    )
    #expect(scene.see()?.began.map(\.number) == [1, 2, 3, 4])
    scene.now = .seconds(1)
    scene.send(.resync)
    #expect(scene.see() == nil)
    scene.now = .seconds(100)
    scene.resume()
    let change = scene.see()
    #expect(change?.isReset == true)
    #expect(change?.began.map(\.number) == [1, 2, 3, 4])
    #expect(change?.began.first?.seenFor == .seconds(1))
    scene.now = .seconds(102)
    #expect(scene.see()?.began.map(\.rule) == [1, 1, 1, 1])
  }

  @Test("other rules end all sightings; without rules nothing is kept")
  func options() {
    var scene = rows(VisibilityRule(threshold: 1))
    _ = scene.see()
    var options = scene.session.options
    scene.send(.options(options))
    #expect(scene.see() == nil)
    scene.now = .seconds(2)
    options.visibility.rules = [VisibilityRule(threshold: 0.1)]
    scene.send(.options(options))
    let change = scene.see()
    #expect(change?.ended.map(\.seenFor) == [.seconds(2), .seconds(2), .seconds(2), .seconds(2)])
    #expect(seen(change) == ["a0", "a1", "a2", "a3", "a4"])
    options.visibility.rules = []
    scene.send(.options(options))
    #expect(scene.see()?.ended.count == 5)
    #expect(scene.session.sightings.isEmpty)
    #expect(scene.see() == nil)
  }

  @Test("a deleted item is seen no more, and one that moves within sight goes on being seen")
  func edits() {
    var scene = rows(VisibilityRule(threshold: 1))
    _ = scene.see()
    scene.now = .seconds(1)
    scene.update([.delete(1 ..< 2), .move(0, to: 2)])
    let change = scene.see()
    #expect(change?.ended == [.init(number: 2, seenFor: .seconds(1))])
    #expect(seen(change) == ["a4"])
    scene.session.collectionReset(contents: .keyed(2), version: 9)
    scene.settle()
    let reset = scene.see()
    #expect(reset?.ended.count == 4)
    #expect(seen(reset) == ["a0", "a1"])
    #expect(reset?.dataVersion == 9)
  }

  // MARK: - Against the reference

  private struct Walk {
    struct Sight: Hashable {
      var rule: Int
      var key: String
    }

    var random: SplitMix64
    var scene: Scene
    var edits = RandomEdits()
    /// Since when what is in sight.
    var starts: [Sight: Duration] = [:]
    var told: [UInt64: Sight] = [:]
    var everTold: Set<Sight> = []
    var isReset = true
    var count = 0

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      let layouts = RandomWalkTests.layouts
      let rules = (0 ..< 3).map { _ in Self.rule(using: &random) }
      self.random = random
      scene = Scene(
        .keyed(60, 0, 25),
        layout: layouts[Int(seed) % layouts.count],
        options: SessionOptions(
          anchorMode: AnchorMode.allCases.randomElement(using: &random) ?? .none,
          visibility: VisibilityOptions(rules: rules)
        )
      )
      self.random = random
    }

    static func rule(using random: inout SplitMix64) -> VisibilityRule {
      VisibilityRule(
        threshold: [0, 0.3, 0.5, 1].randomElement(using: &random) ?? 0,
        measure: VisibilityRule.Measure.allCases.randomElement(using: &random) ?? .area,
        duration: .milliseconds([0, 100, 500, 1500].randomElement(using: &random) ?? 0),
        isOnce: Bool.random(using: &random)
      )
    }

    mutating func step() throws {
      try pass(until: scene.now + .milliseconds(Int.random(in: 0 ... 700, using: &random)))
      for _ in 0 ..< Int.random(in: 1 ... 2, using: &random) { change() }
      scene.settle()
      try check()
    }

    /// Lets time pass, and looks whenever the session wants to be looked at.
    private mutating func pass(until end: Duration) throws {
      while let next = scene.session.nextDeadline(after: scene.now), next <= end {
        #expect(next > scene.now)
        guard next > scene.now else { break }
        scene.now = next
        scene.settle()
        _ = scene.session.heartbeat(at: scene.now)
        try check()
      }
      scene.now = end
    }

    private mutating func change() {
      switch Int.random(in: 0 ..< 20, using: &random) {
      case 0 ..< 10: scroll()
      case 10 ..< 15:
        guard let contents = scene.session.baseContents,
          let operation = edits.operation(on: contents, using: &random)
        else { return }
        scene.messages = []
        scene.post(.update(UpdateBatch([operation])))
        #expect(scene.problem == nil)
      case 15:
        scene.post(
          .viewport(
            ViewportChange(
              size: Size(width: 320, height: Double.random(in: 100 ... 600, using: &random)),
              insets: EdgeInsets(
                top: Double(Int.random(in: 0 ... 50, using: &random)),
                leading: 3,
                bottom: 10,
                trailing: 7
              )
            )
          )
        )
      case 16:
        let offset = Double.random(in: 0 ... 500, using: &random).rounded()
        scene.post(
          .viewport(
            ViewportChange(sectionOffsets: [Int.random(in: 0 ..< 4, using: &random): offset])
          )
        )
      case 17:
        guard let layout = RandomWalkTests.layouts.randomElement(using: &random) else { return }
        scene.post(.layout(LayoutChange(layout: LayoutConfiguration(layout))))
      case 18: resume()
      default: scene.post(.resync)
      }
    }

    private mutating func scroll() {
      let step = Double.random(in: -200 ... 200, using: &random).rounded()
      var offset = scene.client.offset
      if Int.random(in: 0 ..< 4, using: &random) > 0 { offset.y += step } else { offset.x += step }
      scene.client.scroll(to: offset)
      scene.post(
        .viewport(ViewportChange(observedFrame: scene.client.lastApplied, offset: offset))
      )
    }

    /// The stream breaks, and comes back after a while.
    private mutating func resume() {
      scene.settle()
      scene.post(.resync)
      scene.settle()
      let pause = Duration.milliseconds(Int.random(in: 0 ... 5000, using: &random))
      scene.now += pause
      scene.resume()
      for key in starts.keys { starts[key] = min(scene.now, (starts[key] ?? .zero) + pause) }
      isReset = true
    }

    mutating func check() throws {
      let query = try #require(scene.session.query)
      var inSight: Set<Sight> = []
      for (index, rule) in scene.session.options.visibility.rules.enumerated() {
        for element in scene.client.slots.values
        where element.key.category == .cell && !element.attributes.isHidden
          && element.attributes.alpha > 0
        {
          let part = NaiveAttention.part(
            of: element.attributes.boundingBox,
            in: query.viewport.unobscuredRect,
            rule.measure,
            axis: query.prepared.scrollAxis
          )
          if let part, part >= rule.threshold - 1e-6 {
            inSight.insert(Sight(rule: index, key: element.itemKey))
          }
        }
      }
      var ended: [UInt64: Duration] = [:]
      for (number, sight) in told where !inSight.contains(sight) {
        ended[number] = scene.now - (starts[sight] ?? .zero)
        told[number] = nil
      }
      starts = starts.filter { inSight.contains($0.key) }
      for sight in inSight where starts[sight] == nil { starts[sight] = scene.now }
      var began: [Sight: Duration] = [:]
      let going = Set(told.values)
      for (sight, start) in starts {
        let rule = scene.session.options.visibility.rules[sight.rule]
        let seenFor = scene.now - start
        if going.contains(sight) {
          if isReset { began[sight] = seenFor }
        } else if seenFor >= rule.duration, !(rule.isOnce && everTold.contains(sight)) {
          began[sight] = seenFor
          everTold.insert(sight)
        }
      }
      compare(scene.see(), began: began, ended: isReset ? [:] : ended)
      isReset = false
    }

    private mutating func compare(
      _ change: VisibilityChange?,
      began: [Sight: Duration],
      ended: [UInt64: Duration]
    ) {
      #expect((change?.isReset ?? false) == isReset)
      #expect((change != nil) == (isReset || !began.isEmpty || !ended.isEmpty))
      var found: [Sight: Duration] = [:]
      for sighting in change?.began ?? [] {
        let sight = Sight(rule: sighting.rule, key: sighting.itemKey)
        found[sight] = sighting.seenFor
        #expect(scene.client.slots[sighting.slot]?.key == sighting.key)
        #expect(scene.client.slots[sighting.slot]?.itemKey == sighting.itemKey)
        let known = told.first { $0.value == sight }?.key
        #expect(known == nil || known == sighting.number)
        told[sighting.number] = sight
        count += 1
      }
      #expect(found == began)
      let ends = change?.ended.map { ($0.number, $0.seenFor) } ?? []
      #expect(Dictionary(ends) { $1 } == ended)
      #expect(Dictionary(ends) { $1 }.count == ends.count)
    }
  }

  @Test(
    "each sighting of the rules is told once when it begins and once when it is over",
    arguments: 0 ..< 56 as Range<UInt64>
  )
  func walk(seed: UInt64) throws {
    var walk = Walk(seed: seed)
    try walk.check()
    for _ in 0 ..< 60 { try walk.step() }
    #expect(walk.count > 0)
  }
}
