// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// First frames of contents whose layout takes long.
@Suite("Beginnings of large contents", .timeLimit(.minutes(2)))
struct ProvisionalLayoutTests {
  private static let layouts: [any CollectionLayout] = [
    ListLayout(headerHeight: 30, footerHeight: 10, headersPinToVisibleBounds: true),
    FlowLayout(
      minimumLineSpacing: 5,
      minimumInteritemSpacing: 7,
      headerReferenceSize: .init(width: 9, height: 20)
    ),
    FlowLayout(scrollDirection: .horizontal, minimumInteritemSpacing: 3),
    WaterfallLayout(columns: .count(3), columnSpacing: 5, itemSpacing: 4),
    CompositionalLayout(
      sections: [
        CompositionalSection(
          group: LayoutGroup(
            axis: .horizontal,
            size: LayoutSize(width: .fractionalWidth(1), height: .estimated(40)),
            subitems: [
              .item(
                LayoutItem(
                  size: LayoutSize(width: .fractionalWidth(0.5), height: .estimated(40))
                )
              )
            ]
          )
        )
      ]
    ),
  ]

  /// Two sections of items of different sizes with keys, in several chunks.
  private static func contents(_ random: inout SplitMix64) -> CollectionContents {
    CollectionContents(
      sections: (0 ..< 2).map { section in
        let count = Int.random(in: 1500 ... 4000, using: &random)
        return SectionContents(
          key: "s\(section)",
          blocks: [
            ItemBlock(
              count: count,
              widths: (0 ..< count).map { _ in Double(Int.random(in: 20 ... 90, using: &random)) },
              heights: (0 ..< count).map { _ in Double(Int.random(in: 20 ... 90, using: &random)) },
              keys: (0 ..< count).map { "\(section).\($0)" }
            )
          ]
        )
      }
    )
  }

  @Test(
    "show what the whole shows, and then only the content size changes",
    arguments: layouts.indices
  )
  func beginnings(_ index: Int) throws {
    var random = SplitMix64(seed: UInt64(index))
    var shown = 0
    for round in 0 ..< 12 {
      let contents = Self.contents(&random)
      let axis: ScrollAxis = index == 2 ? .horizontal : .vertical
      let offset = round == 0 ? 0 : Double(Int.random(in: 0 ... 3000, using: &random))
      let scene = Scene(
        contents,
        layout: Self.layouts[index],
        offset: axis == .vertical ? Point(x: 0, y: offset) : Point(x: offset, y: 0),
        beginningCount: Int.random(in: 600 ... 1400, using: &random)
      )
      scene.checkMirror()
      #expect(scene.adjustment == .zero)
      guard scene.frames.count == 2 else {
        // It would not have filled the screen.
        #expect(scene.frames.count == 1)
        continue
      }
      shown += 1
      let (first, second) = (scene.frames[0], scene.frames[1])
      #expect(first.isKeyframe && !second.isKeyframe)
      #expect(first.upserts.count > 5)
      #expect(second.upserts.isEmpty && second.removedSlots.isEmpty)
      #expect(second.layoutVersion == first.layoutVersion + 1)
      let guess = axis.main(try #require(first.contentSize))
      let exact = axis.main(try #require(second.contentSize))
      #expect(guess > exact * 0.8 && guess < exact * 1.25)
    }
    #expect(shown > 5)
  }

  @Test("of maps show what is in view at any zoom, and then nothing changes", arguments: 0 ..< 3)
  func maps(_ index: Int) throws {
    var random = SplitMix64(seed: UInt64(index))
    let block = ItemBlock(
      count: 5000,
      xs: (0 ..< 5000).map { _ in Double.random(in: -180 ... 180, using: &random) },
      ys: (0 ..< 5000).map { _ in Double.random(in: -85 ... 85, using: &random) }
    )
    let scene = Scene(
      CollectionContents(sections: [SectionContents(blocks: [block])]),
      layout: SpatialLayout(
        projection: .webMercator,
        zoom: Double(index * 2),
        clusters: index == 2 ? nil : SpatialLayout.Clusters()
      ),
      offset: index == 0 ? .zero : Point(x: 1000 * Double(index - 1), y: 300),
      beginningCount: 1
    )
    scene.checkMirror()
    #expect(scene.frames.count == 2)
    let (first, second) = (scene.frames[0], scene.frames[1])
    #expect(first.isKeyframe && !second.isKeyframe && first.upserts.count > 5)
    #expect(second.upserts.isEmpty && second.removedSlots.isEmpty)
    #expect(second.layoutVersion == first.layoutVersion + 1)
  }

  @Test("are for items that differ: equal ones are whole at once")
  func rules() throws {
    let count = 200_000
    func hasBeginning(_ layout: any CollectionLayout, _ block: ItemBlock) throws -> Bool {
      let session = ViewportSession(
        open: SessionParameters(
          contents: CollectionContents(sections: [SectionContents(key: "", blocks: [block])]),
          layout: LayoutConfiguration(layout),
          viewport: ViewportChange(offset: .zero, size: Size(width: 320, height: 480)),
          capabilities: ClientCapabilities()
        )
      )
      return try #require(session.wantedLayout).hasBeginning
    }
    let equal = ItemBlock(count: count, widths: [30], heights: [20])
    let different = ItemBlock(count: count, heights: (0 ..< count).map { Double(20 + $0 % 7) })
    for layout in Self.layouts {
      #expect(try hasBeginning(layout, different))
      #expect(try !hasBeginning(layout, equal))
    }
  }

  @Test("are asked nothing but what is seen")
  func questions() throws {
    var random = SplitMix64(seed: 1)
    let contents = Self.contents(&random)
    var session = ViewportSession(
      open: SessionParameters(
        contents: contents,
        layout: LayoutConfiguration(Self.layouts[0]),
        viewport: ViewportChange(offset: .zero, size: Size(width: 320, height: 480)),
        capabilities: ClientCapabilities()
      )
    )
    let request = try #require(session.wantedLayout)
    let beginning = try #require(request.prepareBeginning(ofAtLeast: 500))
    session.supply(beginning: beginning, for: request)
    #expect(session.wantedLayout == nil)
    #expect(session.query == nil)
    let first = session.nextFrame(at: .zero)
    #expect(first != nil)
    let whole = try #require(session.wantedLayout)
    #expect(whole.id == request.id)
    #expect(whole.derivation == nil)
    #expect(!whole.hasBeginning)
    // Where the last item stands, the beginning does not know.
    let last = contents.section(at: 1).items.count - 1
    let answer = try session.receive(
      .scrollTarget(.element(.cell(1, last), at: .end)),
      seq: 2,
      at: .zero
    )
    #expect(answer.isEmpty)
    let prepared = whole.prepare()
    let answers = session.supply(prepared, for: whole)
    #expect(answers.contains { if case .scrollTarget = $0 { true } else { false } })
    #expect(session.query != nil)
    let second = session.nextFrame(at: .zero)
    #expect(second?.contentSize == prepared.contentSize)
  }

  @Test("are none where they take too many steps, or nobody wants them any more")
  func budget() throws {
    var random = SplitMix64(seed: 3)
    let session = ViewportSession(
      open: SessionParameters(
        contents: Self.contents(&random),
        layout: LayoutConfiguration(CostlyList(stepsPerItem: 1)),
        viewport: ViewportChange(offset: .zero, size: Size(width: 320, height: 480)),
        capabilities: ClientCapabilities()
      )
    )
    let request = try #require(session.wantedLayout)
    #expect(request.prepareBeginning(ofAtLeast: 1000) != nil)
    let costly = ViewportSession(
      open: SessionParameters(
        contents: Self.contents(&random),
        layout: LayoutConfiguration(CostlyList(stepsPerItem: 10_000)),
        viewport: ViewportChange(offset: .zero, size: Size(width: 320, height: 480)),
        capabilities: ClientCapabilities()
      )
    )
    let work = LayoutWork()
    let beginning = try #require(costly.wantedLayout).prepareBeginning(
      ofAtLeast: 1000,
      within: work
    )
    #expect(beginning == nil)
    #expect(work.steps > 0 && work.steps <= PreparedLayoutRequest.beginningSteps)
    #expect(work.stop == nil)
    let cancelled = LayoutWork { false }
    cancelled.proceed(20_000)
    #expect(cancelled.isStopped)
    let large = ViewportSession(
      open: SessionParameters(
        contents: Self.contents(&random),
        layout: LayoutConfiguration(CostlyList(stepsPerItem: 20)),
        viewport: ViewportChange(offset: .zero, size: Size(width: 320, height: 480)),
        capabilities: ClientCapabilities()
      )
    )
    let unwanted = try #require(large.wantedLayout)
    #expect(unwanted.prepareBeginning(ofAtLeast: 1000) != nil)
    #expect(unwanted.prepareBeginning(ofAtLeast: 1000, within: cancelled) == nil)
  }

  @Test("are none where places depend on the end, or on the offset alone")
  func others() throws {
    var random = SplitMix64(seed: 2)
    let contents = Self.contents(&random)
    func beginning(
      _ layout: any CollectionLayout,
      traits: ViewportChange.Traits? = nil,
      at offset: Point = .zero
    ) throws -> (any PreparedLayout)? {
      let session = ViewportSession(
        open: SessionParameters(
          contents: contents,
          layout: LayoutConfiguration(layout),
          viewport: ViewportChange(
            offset: offset,
            size: Size(width: 320, height: 480),
            traits: traits
          ),
          capabilities: ClientCapabilities()
        )
      )
      return try #require(session.wantedLayout).prepareBeginning(ofAtLeast: 1000)
    }
    let rightToLeft = ViewportChange.Traits(isRightToLeft: true)
    #expect(try beginning(Self.layouts[1], traits: rightToLeft) != nil)
    #expect(try beginning(Self.layouts[2], traits: rightToLeft) == nil)
    #expect(try beginning(Self.layouts[1], at: Point(x: 0, y: 1e6)) == nil)
    #expect(!CircleLayout().placesInOrder)
    #expect(!SpatialLayout().placesInOrder)
  }
}

/// A list that takes as many steps as it is told.
private struct CostlyList: CollectionLayout {
  let stepsPerItem: Int
  let list = ListLayout(rowHeight: 10)

  var kindName: String { "custom:costly" }
  var placesInOrder: Bool { true }

  func prepare(_ context: LayoutContext) -> any PreparedLayout { list.prepare(context) }

  func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    for _ in 0 ..< context.contents.itemCount { guard work.proceed(stepsPerItem) else { break } }
    try work.throwIfStopped()
    return list.prepare(context)
  }
}
