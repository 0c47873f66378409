// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// A client over an unreliable day: it scrolls, edits, measures, resizes, changes layouts, loses
/// frames and acknowledges late, and has at every acknowledged frame what a fresh query gives.
@Suite("Random walks", .timeLimit(.minutes(3)))
struct RandomWalkTests {
  static let layouts: [any CollectionLayout] = [
    ListLayout(), ListLayout(isSelfSizing: true, rowSpacing: 3, headerHeight: 20),
    ListLayout(headerHeight: 30, footerHeight: 10, headersPinToVisibleBounds: true),
    FlowLayout(itemSize: Size(width: 70, height: 40)),
    FlowLayout(estimatedItemSize: Size(width: 60, height: 30)),
    FlowLayout(scrollDirection: .horizontal, itemSize: Size(width: 70, height: 40)),
    CircleLayout(), LineLayout(),
    GridLayout(itemSize: Size(width: 60, height: 30), interitemSpacing: 4, lineSpacing: 6),
    WaterfallLayout(
      columns: .count(3),
      columnSpacing: 5,
      itemSpacing: 4,
      headerHeight: 20,
      headersPinToVisibleBounds: true
    ),
    GridLanesLayout(
      lanes: [GridLane(.fraction(1)), GridLane(.length(90)), GridLane(.fraction(2))],
      laneSpacing: 5,
      itemSpacing: 4,
      headerHeight: 20,
      headersPinToVisibleBounds: true
    ),
    TableLayout(
      columns: [
        TableColumn("c1", width: .points(80), frozen: .leading),
        TableColumn("c2", columns: [TableColumn("c3"), TableColumn("c4", minimum: 50)]),
        TableColumn("c5", width: .points(200)), TableColumn("c6", frozen: .trailing),
      ],
      isSelfSizing: true,
      headerHeight: 20,
      sectionHeaderHeight: 15,
      sectionHeadersPinToVisibleBounds: true
    ),
    CarouselLayout(itemSize: Size(width: 80, height: 80)),
    StackLayout(itemSize: Size(width: 120, height: 80)),
    CompositionalLayout(sections: [shelf, pairs]),
    CompositionalLayout(
      sections: [labelled, shelf],
      boundarySupplementaryItems: [
        BoundarySupplementaryItem(
          kind: "banner",
          size: LayoutSize(width: .fractionalWidth(1), height: .estimated(25)),
          alignment: .top,
          pinToVisibleBounds: true
        )
      ]
    ),
    SectionsLayout(
      interSectionSpacing: 7,
      layouts: [
        SectionLayout(.flow(FlowLayout(estimatedItemSize: Size(width: 60, height: 30)))),
        SectionLayout(.compositional(shelf)),
        SectionLayout(
          .list(ListLayout(isSelfSizing: true, headerHeight: 20, headersPinToVisibleBounds: true))
        ),
        SectionLayout(.grid(GridLayout(itemSize: Size(width: 60, height: 30), lineSpacing: 6))),
      ]
    ),
  ]

  /// Self-sizing columns, all as high as the highest, with badges and a title that size themselves
  /// too.
  private static let labelled = CompositionalSection(
    group: LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .uniformAcrossSiblings(40)),
      subitems: [
        .item(
          LayoutItem(
            size: LayoutSize(width: .fractionalWidth(0.25), height: .uniformAcrossSiblings(40)),
            supplementaryItems: [
              AnchoredSupplementaryItem(
                kind: "count",
                size: LayoutSize(width: .estimated(9), height: .estimated(9)),
                containerAnchor: LayoutAnchor(top: true, trailing: true)
              )
            ]
          )
        )
      ],
      supplementaryItems: [
        AnchoredSupplementaryItem(
          kind: "ribbon",
          size: LayoutSize(width: .estimated(9), height: .absolute(5))
        )
      ]
    ),
    boundarySupplementaryItems: [
      BoundarySupplementaryItem(
        kind: "title",
        size: LayoutSize(width: .fractionalWidth(1), height: .estimated(15)),
        alignment: .top,
        pinToVisibleBounds: true
      )
    ],
    backgrounds: [SectionBackground(kind: "plate")]
  )

  /// A row that scrolls by itself, under a header.
  private static let shelf = CompositionalSection(
    group: LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .absolute(90), height: .absolute(70)),
      subitems: [
        .item(
          LayoutItem(size: LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(1)))
        )
      ]
    ),
    interGroupSpacing: 6,
    orthogonalScrolling: .continuous,
    boundarySupplementaryItems: [
      BoundarySupplementaryItem(
        kind: "header",
        size: LayoutSize(width: .fractionalWidth(1), height: .absolute(24)),
        alignment: .top,
        pinToVisibleBounds: true
      )
    ]
  )

  /// Two to a row, as high as they turn out to be.
  private static let pairs = CompositionalSection(
    group: LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .estimated(40)),
      subitems: [
        .item(LayoutItem(size: LayoutSize(width: .fractionalWidth(0.5), height: .estimated(40))))
      ]
    )
  )

  struct Walk {
    var random: SplitMix64
    var scene: Scene
    var nextKey = 0
    /// Frames on their way to the client.
    var underWay: [SessionFrame] = []
    var isShared: Bool
    var waiting: [(seq: UInt64, batch: UpdateBatch)] = []
    var contents: CollectionContents
    var version: UInt64 = 0

    init(seed: UInt64, hasOutlines: Bool = false) {
      random = SplitMix64(seed: seed)
      isShared = seed % 2 == 1
      contents = hasOutlines ? Self.outlines(seed: seed) : .keyed(60, 0, 25)
      var places = SplitMix64(seed: seed &+ 1000)
      let starts: [SessionStart?] = [
        nil, nil, .edge(.end), .fraction(0.7),
        // In an outline it may be hidden.
        .item(key: hasOutlines ? "c7" : "a30", at: .center),
      ]
      scene = Scene(
        contents,
        layout: RandomWalkTests.layouts.randomElement(using: &random) ?? ListLayout(),
        options: SessionOptions(
          maxInFlightFrames: Int.random(in: 1 ... 4, using: &random),
          anchorMode: AnchorMode.allCases.randomElement(using: &random) ?? .none,
          sizeChangeAnchor: [nil, .start, .end].randomElement(using: &places) ?? nil,
          alignment: [nil, nil, .center, .end].randomElement(using: &places) ?? nil
        ),
        capabilities: ClientCapabilities(
          unitsPerPoint: seed % 3 == 0 ? 192 : 64,
          animations: true,
          pinning: seed % 5 == 0,
          checksums: true,
          itemKeys: true,
          itemData: seed % 2 == 0
        ),
        isShared: isShared,
        expansions: hasOutlines
          ? ViewerExpansions(base: ExpansionBase.allCases[Int(seed / 2 % 3)]) : .init(),
        start: starts.randomElement(using: &places) ?? nil
      )
    }

    mutating func step() throws {
      switch Int.random(in: 0 ..< 100, using: &random) {
      case 0 ..< 40: scroll()
      case 40 ..< 50 where contents.hasOutlines: editOutline()
      case 50 ..< 56 where contents.hasOutlines: expand()
      case 40 ..< 62: edit()
      case 62 ..< 67: resize()
      case 67 ..< 71: changeLayout()
      case 71 ..< 77: measure()
      case 77 ..< 79 where underWay.isEmpty: scene.post(.resync)
      case 79 ..< 85: move()
      case 85 ..< 89: transition()
      case 91 ..< 97: arrange()
      case 89 ..< 91 where underWay.isEmpty: reset()
      default: break
      }
      try commit()
      if Int.random(in: 0 ..< 4, using: &random) > 0 { scene.prepare() }
      if let frame = scene.session.nextFrame(at: .zero) { underWay.append(frame) }
      while !underWay.isEmpty, Int.random(in: 0 ..< 3, using: &random) > 0 { try receive() }
    }

    mutating func receive() throws {
      let frame = underWay.removeFirst()
      guard Int.random(in: 0 ..< 40, using: &random) > 0 else {
        // Lost: this one and what follows up to the keyframe cannot be applied.
        scene.client.skip(frame)
        try scene.session.acknowledge(
          FrameAck(sequence: frame.sequence, isRejected: true),
          at: .zero
        )
        while let next = underWay.first, !next.isKeyframe {
          scene.client.skip(next)
          underWay.removeFirst()
          try scene.session.acknowledge(
            FrameAck(sequence: next.sequence, isRejected: true),
            at: .zero
          )
        }
        return
      }
      scene.client.apply(frame)
      try scene.session.acknowledge(
        FrameAck(sequence: frame.sequence, stateChecksum: scene.client.checksum),
        at: .zero
      )
    }

    mutating func finish() throws {
      try commit()
      while true {
        scene.prepare()
        if let frame = scene.session.nextFrame(at: .zero) { underWay.append(frame) }
        guard !underWay.isEmpty else { break }
        try receive()
      }
      #expect(scene.client.dataVersion == scene.session.dataVersion)
      let offset = try #require(scene.session.query).viewport.offset
      #expect(abs(scene.client.offset.x - offset.x) < 1e-6)
      #expect(abs(scene.client.offset.y - offset.y) < 1e-6)
      scene.checkMirror()
      checkOutlines()
      for _ in 0 ..< 3 { try askForNeighbor() }
    }

    // MARK: - Steps

    mutating func scroll() {
      let step = Double.random(in: -400 ... 400, using: &random).rounded()
      var offset = scene.client.offset
      if Bool.random(using: &random) { offset.y += step } else { offset.x += step / 4 }
      if Int.random(in: 0 ..< 10, using: &random) == 0 { offset.y = step * 5 }
      scene.client.scroll(to: offset)
      let velocity = Bool.random(using: &random) ? Point(x: 0, y: step) : nil
      scene.post(
        .viewport(
          ViewportChange(
            observedFrame: scene.client.lastApplied,
            offset: offset,
            velocity: velocity
          )
        )
      )
    }

    mutating func arrange() {
      let width = Double.random(in: 20 ... 300, using: &random)
      var change = TableChange(
        isReset: Int.random(in: 0 ..< 8, using: &random) == 0,
        isAnimated: Bool.random(using: &random)
      )
      change.columns["c\(Int.random(in: 1 ... 6, using: &random))"] = TableColumnPreference(
        width: Bool.random(using: &random) ? width : nil,
        isHidden: Int.random(in: 0 ..< 4, using: &random) == 0,
        place: TableColumnPreference.Place.allCases.randomElement(using: &random)
      )
      if Bool.random(using: &random) { change.order = ["c5", "c4", "c6"] }
      scene.post(.table(change))
    }

    mutating func edit() {
      let base = contents
      var operations: [UpdateOperation] = []
      let section = Int.random(in: 0 ..< max(1, base.sectionCount), using: &random)
      let count = base.sectionCount > 0 ? base.section(at: section).items.count : 0
      nextKey += 1
      let block = ItemBlock(
        count: 2,
        heights: Bool.random(using: &random) ? [] : [Double(nextKey % 50)],
        keys: ["n\(nextKey)", "m\(nextKey)"],
        data: nextKey % 3 == 0 ? ["d\(nextKey)"] : nextKey % 3 == 1 ? ["", "e\(nextKey)"] : []
      )
      switch Int.random(in: 0 ..< 9, using: &random) {
      case 0 ... 2 where base.sectionCount > 0:
        let place = Int.random(in: 0 ... count, using: &random)
        operations = [.insertItems(at: IndexPath(section: section, item: place), items: [block])]
      case 3 where count > 4:
        let place = Int.random(in: 0 ..< count - 2, using: &random)
        operations = [.delete(place ..< place + 2, section: section)]
      case 4 where count > 1:
        operations = [
          .move(
            Int.random(in: 0 ..< count, using: &random),
            to: Int.random(in: 0 ..< count, using: &random),
            section: section
          )
        ]
      case 5 where count > 2:
        operations = [
          .reloadItems(section: section, items: 0 ..< 2, blocks: [block]),
          .reconfigureItems(
            section: section,
            items: 2 ..< 3,
            // Every other time only the data change.
            blocks: [
              ItemBlock(count: 1, heights: nextKey % 2 == 0 ? [33] : [], data: ["f\(nextKey)"])
            ]
          ),
        ]
      case 6 where base.sectionCount < 6:
        operations = [
          .insertSections(
            at: section,
            [SectionContents(key: "s\(nextKey)", blocks: [block])]
          )
        ]
      case 7 where base.sectionCount > 2:
        operations = [.deleteSections(section ..< section + 1)]
      case 8 where base.sectionCount > 1:
        operations = [
          .moveSection(
            from: section,
            to: Int.random(in: 0 ..< base.sectionCount, using: &random)
          )
        ]
      default: return
      }
      update(UpdateBatch(operations, isAnimated: Bool.random(using: &random)))
    }

    /// Applies a batch, or has it refused, as the contents themselves do.
    mutating func update(_ batch: UpdateBatch) {
      if isShared {
        waiting.append((0, batch))
        return
      }
      let change = try? contents.applying(batch)
      scene.messages = []
      scene.post(.update(batch))
      #expect((scene.problem == nil) == (change != nil))
      if let change { contents = change.new }
    }

    /// As the owner of a shared session: batches of others, and those that the session asked for.
    mutating func commit() throws {
      for case .commit(let seq, let batch) in scene.messages { waiting.append((seq, batch)) }
      scene.messages = []
      for (seq, batch) in waiting {
        do throws(Refusal) {
          let change = try contents.applying(batch)
          contents = change.new
          version += 1
          scene.session.collectionChanged(change, toVersion: version)
          if seq > 0 {
            _ = scene.session.updateSettled(
              seq: seq,
              .committed(version: version, isDuplicate: false),
              at: .zero
            )
          }
        } catch {
          if seq > 0 {
            _ = scene.session.updateSettled(
              seq: seq,
              .refused(Refusal(.batchInconsistent, "\(error)")),
              at: .zero
            )
          }
        }
      }
      waiting = []
    }

    mutating func resize() {
      let widths = [320.0, 300, 411.5]
      scene.post(
        .viewport(
          ViewportChange(
            size: Size(
              width: widths.randomElement(using: &random) ?? 320,
              height: Double.random(in: 200 ... 600, using: &random).rounded()
            ),
            insets: EdgeInsets(
              top: Double(Int.random(in: 0 ... 50, using: &random)),
              leading: 0,
              bottom: 10,
              trailing: 0
            ),
            traits: .init(isRightToLeft: Int.random(in: 0 ..< 4, using: &random) == 0)
          )
        )
      )
    }

    mutating func changeLayout() {
      guard let layout = RandomWalkTests.layouts.randomElement(using: &random) else { return }
      scene.post(
        .layout(
          LayoutChange(
            layout: LayoutConfiguration(layout, scrollEffects: effects()),
            isAnimated: Bool.random(using: &random)
          )
        )
      )
    }

    mutating func measure() {
      let slots = scene.client.slots.filter { $0.value.key.category != .decoration }.keys.sorted()
        .filter { _ in Bool.random(using: &random) }
      let sizes = slots.map { _ in
        Size(
          width: Double(Int.random(in: 20 ... 100, using: &random)),
          height: Double(Int.random(in: 10 ... 90, using: &random))
        )
      }
      scene.post(
        .measurements(
          MeasurementReport(observedFrame: scene.client.lastApplied, slots: slots, sizes: sizes)
        )
      )
    }

    mutating func move() {
      let point =
        scene.client.offset + Point(x: 50, y: Double.random(in: 0 ... 300, using: &random))
      let someItems = (0 ..< 3).map { _ in
        IndexPath(section: 0, item: Int.random(in: 0 ..< 5, using: &random))
      }
      let steps: [InteractiveMovement] = [
        .begin(IndexPath(section: 0, item: Int.random(in: 0 ..< 5, using: &random))),
        .beginItems(.paths(someItems)),
        .position(point), .position(point + Point(x: 20, y: 60)), .end, .cancel,
        .target(IndexPath(section: 0, item: Int.random(in: 0 ..< 5, using: &random))),
      ]
      if let step = steps.randomElement(using: &random) {
        scene.messages = []
        scene.post(.movement(step))
        // What the session commits by itself is committed here too.
        if !isShared { contents = scene.session.contents.whole }
      }
    }

    mutating func transition() {
      let layout = RandomWalkTests.layouts.randomElement(using: &random) ?? ListLayout()
      let steps: [InteractiveTransition] = [
        .begin(LayoutConfiguration(layout, scrollEffects: effects())),
        .progress(Double.random(in: -0.5 ... 1.5, using: &random)),
        .progress(0.5), .finish, .cancel,
      ]
      if let step = steps.randomElement(using: &random) { scene.post(.transition(step)) }
    }

    mutating func reset() {
      guard isShared else { return }
      version += 1
      contents = .keyed(40, 10)
      scene.session.collectionReset(contents: contents, version: version)
    }
  }

  @Test("the client has what a fresh query gives", arguments: 0 ..< 70 as Range<UInt64>)
  func walk(seed: UInt64) throws {
    try walk(Walk(seed: seed))
  }

  @Test("the same with outlines, expanded and edited", arguments: 0 ..< 40 as Range<UInt64>)
  func outlines(seed: UInt64) throws {
    try walk(Walk(seed: seed, hasOutlines: true))
  }

  private func walk(_ start: Walk) throws {
    var walk = start
    for step in 1 ... 150 {
      try walk.step()
      if step % 25 == 0 {
        walk.scene.post(.movement(.cancel))
        walk.scene.post(.transition(.cancel))
        try walk.finish()
      }
    }
  }
}
