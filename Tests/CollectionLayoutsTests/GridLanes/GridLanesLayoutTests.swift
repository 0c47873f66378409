// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Grid lanes", .timeLimit(.minutes(2)))
struct GridLanesLayoutTests {
  private static let kinds = ["", "wide", "last"]

  /// One section of items with heights alone.
  private func contents(_ heights: [Double], kinds: [Int] = []) -> CollectionContents {
    CollectionContents(
      sections: [
        SectionContents(blocks: [
          ItemBlock(count: heights.count, heights: heights, cellKinds: kinds)
        ])
      ],
      cellKindNames: Self.kinds
    )
  }

  private func prepare(
    _ layout: GridLanesLayout,
    _ contents: CollectionContents,
    _ container: LayoutContainer = .init(size: Size(width: 320, height: 480))
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container))
  }

  private func frames(_ prepared: any PreparedLayout) -> [Rect] {
    let viewport = Viewport(of: prepared.context.container)
    return (0 ..< prepared.context.contents.section(at: 0).items.count).compactMap {
      prepared.cell(0, $0, viewport)?.frame
    }
  }

  private static let three = [
    GridLane(.fraction(1)), GridLane(.length(80)), GridLane(.fraction(3)),
  ]

  @Test("lanes share the room that others leave")
  func unequal() {
    let layout = GridLanesLayout(lanes: Self.three, laneSpacing: 20, flowTolerance: 0)
    #expect(
      frames(prepare(layout, contents([50, 30, 40, 10])))
        == [
          Rect(x: 0, y: 0, width: 50, height: 50), Rect(x: 70, y: 0, width: 80, height: 30),
          Rect(x: 170, y: 0, width: 150, height: 40), Rect(x: 70, y: 30, width: 80, height: 10),
        ]
    )
  }

  @Test("a lane that ends hardly later comes first if it is the next")
  func tolerance() {
    let lanes = [GridLane(.fraction(1), repetition: .count(2))]
    let heights = contents([50, 40, 10])
    let strict = frames(prepare(GridLanesLayout(lanes: lanes, flowTolerance: 0), heights))
    #expect(strict[2].origin == Point(x: 160, y: 40))
    let tolerant = frames(prepare(GridLanesLayout(lanes: lanes, flowTolerance: 10), heights))
    #expect(tolerant[2].origin == Point(x: 0, y: 50))
  }

  @Test("items of a kind span lanes, or lie in a given one")
  func placements() {
    let layout = GridLanesLayout(
      lanes: Self.three,
      laneSpacing: 20,
      flowTolerance: 0,
      placements: [
        GridLanePlacement(cellKind: "wide", span: 2), GridLanePlacement(cellKind: "last", lane: 3),
      ]
    )
    #expect(
      frames(prepare(layout, contents([50, 30, 40, 10], kinds: [2, 1, 2, 0])))
        == [
          Rect(x: 170, y: 0, width: 150, height: 50), Rect(x: 0, y: 0, width: 150, height: 30),
          Rect(x: 170, y: 50, width: 150, height: 40), Rect(x: 0, y: 30, width: 50, height: 10),
        ]
    )
  }

  @Test("dense packing gives items the room that others have left")
  func dense() {
    var layout = GridLanesLayout(
      lanes: [GridLane(.fraction(1), repetition: .count(2))],
      flowTolerance: 0,
      placements: [GridLanePlacement(cellKind: "wide", span: 2)]
    )
    let items = contents([100, 20, 30, 40, 50, 35], kinds: [0, 0, 1, 0, 0, 0])
    func places() -> [Point] { frames(prepare(layout, items)).map(\.origin) }
    let usual: [(Double, Double)] = [(0, 0), (160, 0), (0, 100), (0, 130), (160, 130), (0, 170)]
    #expect(places() == usual.map { Point(x: $0.0, y: $0.1) })
    layout.isDense = true
    // Of the 80 points that are free on the right, 40 are taken, then 35; 50 do not fit.
    let packed: [(Double, Double)] = [(0, 0), (160, 0), (0, 100), (160, 20), (0, 130), (160, 60)]
    #expect(places() == packed.map { Point(x: $0.0, y: $0.1) })
  }

  @Test("room is forgotten after 512 items")
  func forgottenRoom() {
    let layout = GridLanesLayout(
      lanes: [GridLane(.fraction(1), repetition: .count(2))],
      flowTolerance: 0,
      isDense: true,
      placements: [GridLanePlacement(cellKind: "wide", span: 2)]
    )
    // The third item leaves 80 points that no later one needs before the last.
    for (between, isPacked) in [(511, true), (512, false)] {
      let heights = [100.0, 20, 30] + Array(repeating: 90, count: between) + [10]
      let kinds = [0, 0, 1] + Array(repeating: 0, count: between + 1)
      let frame = frames(prepare(layout, contents(heights, kinds: kinds))).last
      #expect((frame?.minY == 20) == isPacked, "\(between)")
    }
  }

  @Test(
    "lanes are filled from either edge, and sections from either end",
    arguments: [false, true]
  )
  func reverse(isUniform: Bool) {
    let layout = GridLanesLayout(
      lanes: Self.three,
      laneSpacing: 20,
      itemSpacing: 5,
      flowTolerance: 0,
      fillReverse: true,
      trackReverse: true
    )
    let found = frames(prepare(layout, contents(isUniform ? [30, 30, 30, 30] : [50, 30, 40, 10])))
    let expected =
      isUniform
      ? [
        Rect(x: 170, y: 35, width: 150, height: 30), Rect(x: 70, y: 35, width: 80, height: 30),
        Rect(x: 0, y: 35, width: 50, height: 30), Rect(x: 170, y: 0, width: 150, height: 30),
      ]
      : [
        Rect(x: 170, y: 0, width: 150, height: 50), Rect(x: 70, y: 20, width: 80, height: 30),
        Rect(x: 0, y: 10, width: 50, height: 40), Rect(x: 70, y: 5, width: 80, height: 10),
      ]
    #expect(found == expected)
  }

  @Test("as many lanes as fit fill the room")
  func filling() {
    let layout = GridLanesLayout(
      lanes: [GridLane(.fraction(1), minimum: 90, repetition: .autoFill)],
      laneSpacing: 10
    )
    let found = frames(prepare(layout, contents([40, 41, 42])))
    expectClose(found.last, Rect(x: 220, y: 0, width: 100, height: 42))
  }

  @Test("rejects parameters that it cannot work with, by their names")
  func validation() {
    #expect(rejectedFields(GridLanesLayout(lanes: [])) == ["lanes"])
    #expect(rejectedFields(GridLanesLayout(lanes: Self.three)).isEmpty)
    #expect(
      rejectedFields(
        GridLanesLayout(
          lanes: [
            GridLane(.fraction(0)), GridLane(.length(-1), minimum: .nan),
            GridLane(.length(1), repetition: .count(0)),
            GridLane(.length(9), repetition: .autoFill),
            GridLane(.fraction(1), repetition: .autoFill),
          ],
          laneSpacing: -1,
          itemSpacing: .infinity,
          flowTolerance: -1,
          placements: [GridLanePlacement(cellKind: "", span: 0, lane: 2000)],
          headerHeight: -1
        )
      ) == [
        "lanes[0].fraction", "lanes[1].length", "lanes[1].minimum", "lanes[2].count",
        "lanes[4].auto_fill", "lanes[4].minimum", "lane_spacing", "item_spacing", "flow_tolerance",
        "placements[0].span", "placements[0].lane", "header_height",
      ]
    )
    let many = GridLane(.length(1), repetition: .count(600))
    #expect(rejectedFields(GridLanesLayout(lanes: [many, many])) == ["lanes"])
  }

  @Test("agrees with naive lanes, whatever is asked", arguments: 0 ..< 200)
  func reference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let layout = random.gridLanes()
    let contents = random.laneContents(items: random.chance(15) ? 900 : 60)
    let prepared = prepare(layout, contents, random.container())
    let viewport = Viewport(of: prepared.context.container)
    let expected = NaiveGridLanes(layout, prepared.context).frames
    let found = prepared.probed(in: Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7), viewport)
      .filter { $0.key.category == .cell }
    #expect(found.count == expected.count, "seed \(seed)")
    for element in found {
      expectClose(expected[element.key.indexPath], element.attributes.frame, "seed \(seed)")
    }
    prepared.checkConsistency(viewport, random: &random, "seed \(seed)")
  }

  @Test("new kinds of cells are placed as they are to be")
  func newKinds() throws {
    func contents(_ items: Int, _ names: [String]) -> CollectionContents {
      var block = ItemBlock(count: items, heights: (0 ..< items).map { Double(20 + $0 % 7) })
      block.keys = (0 ..< items).map { "\($0)" }
      block.cellKinds = (0 ..< items).map { $0 % names.count }
      return CollectionContents(
        sections: [SectionContents(key: "all", blocks: [block])],
        cellKindNames: names
      )
    }
    let layout = GridLanesLayout(
      lanes: Self.three,
      placements: [
        GridLanePlacement(cellKind: "wide", span: 2), GridLanePlacement(cellKind: "last", lane: 3),
      ]
    )
    let old = contents(300, ["", "wide"])
    let new = SnapshotUpdate(contents: contents(320, ["", "last", "wide"]))
    let change = try old.applying(UpdateBatch(change: .snapshot(new)), limits: ContentsLimits())
    let derived = layout.update(prepare(layout, old), by: change)
    #expect(frames(derived) == frames(prepare(layout, change.new)))
  }

  @Test("a derived version equals a fresh one", arguments: 0 ..< 80)
  func updates(seed: UInt64) throws {
    var random = SplitMix64(seed: 1000 + seed)
    let layout = random.gridLanes()
    var contents = random.laneContents(items: random.chance(30) ? 3000 : 60)
    let container = random.container()
    var prepared = prepare(layout, contents, container)
    for _ in 0 ..< 8 {
      let batch = random.laneEdit(of: contents)
      let change = try contents.applying(batch, limits: ContentsLimits())
      contents = change.new
      prepared = layout.update(prepared, by: change)
      let fresh = prepare(layout, contents, container)
      let viewport = Viewport(of: container, at: Point(x: 0, y: random.length(0 ... 900)))
      let everywhere = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)
      #expect(prepared.contentSize == fresh.contentSize, "seed \(seed)")
      #expect(
        prepared.probed(in: everywhere, viewport) == fresh.probed(in: everywhere, viewport),
        "seed \(seed)"
      )
    }
  }
}
