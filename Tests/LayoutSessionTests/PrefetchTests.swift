// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Prefetching", .timeLimit(.minutes(2)))
struct PrefetchTests {
  /// Rows of 48 points, of which ten are in sight.
  private func rows(
    _ prefetch: PrefetchOptions,
    count: Int = 100,
    anchorMode: AnchorMode = .none,
    maxInFlightFrames: Int = 0
  ) -> Scene {
    Scene(
      .keyed(count),
      layout: ListLayout(rowHeight: 48),
      options: SessionOptions(
        maxInFlightFrames: maxInFlightFrames,
        anchorMode: anchorMode,
        prefetch: prefetch
      )
    )
  }

  private func keys(_ change: PrefetchChange?) -> [String] { change?.items.map(\.itemKey) ?? [] }

  private func keys(_ items: some Sequence<Int>) -> [String] { items.map { "a\($0)" } }

  @Test("what lies ahead comes first, the nearest of it before the rest")
  func order() {
    var scene = rows(PrefetchOptions(maxItems: 12, distanceAhead: 0.5, distanceBehind: 0.5))
    let first = scene.prefetch()
    #expect(first?.isReset == true)
    #expect(keys(first) == keys(10 ..< 15))
    #expect(first?.items.map(\.number) == [1, 2, 3, 4, 5])
    #expect(first?.items.first?.key == .cell(0, 10))
    #expect(scene.prefetch() == nil)
    // Down by three rows: the next three come, three of those before are seen, and what is behind
    // comes last.
    scene.scroll(to: 144)
    let second = scene.prefetch()
    #expect(second?.isReset == false)
    #expect(second?.shown == [1, 2, 3])
    #expect(second?.cancelled == [])
    #expect(keys(second) == keys([15, 16, 17, 2, 1, 0]))
    // Up by one: nothing comes that was not there.
    scene.scroll(to: 96)
    let third = scene.prefetch()
    #expect(keys(third) == keys([12]))
    #expect(third?.shown.count == 1)
    #expect(third?.cancelled.count == 1)
  }

  @Test("of a table with thousands of columns the rows are looked at, and no cells")
  func tables() throws {
    let table = TableLayout(
      columns: (0 ..< 3000).map { TableColumn("\($0)", width: .points(0.1)) },
      rowHeight: 0.1
    )
    var session = ViewportSession(
      open: SessionParameters(
        contents: .keyed(20_000),
        layout: LayoutConfiguration(table),
        viewport: ViewportChange(size: Size(width: 300, height: 400)),
        options: SessionOptions(prefetch: PrefetchOptions(maxItems: 5)),
        capabilities: ClientCapabilities(itemKeys: true)
      )
    )
    while let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
    let frame = session.nextFrame(at: .zero)
    _ = try #require(frame)
    let work = LayoutWork(stepLimit: 1_000_000)
    let change = session.nextPrefetch(at: .zero, effort: .bounded(work))
    #expect(work.stop == nil)
    // Below the headers of 32 points.
    #expect(keys(change) == keys(3680 ..< 3685))
  }

  @Test("the nearest ones count where there are more than the most")
  func bound() {
    var scene = rows(PrefetchOptions(maxItems: 3, distanceAhead: 5), count: 1000)
    #expect(keys(scene.prefetch()) == keys([10, 11, 12]))
    scene.scroll(to: 4800)
    let change = scene.prefetch()
    #expect(keys(change) == keys([110, 111, 112]))
    #expect(change?.cancelled == [1, 2, 3])
    scene.send(.options(SessionOptions(prefetch: PrefetchOptions(maxItems: 5000))))
    #expect(scene.session.options.prefetch.maxItems == 1000)
    scene.send(
      .options(SessionOptions(prefetch: PrefetchOptions(maxItems: 5000, distanceAhead: 77)))
    )
    #expect(scene.session.options.prefetch.distanceAhead == 5)
    #expect(keys(scene.prefetch()).count == 55 - 3)
  }

  @Test("an edit above asks for nothing again, and calls off what it deletes by its number")
  func edits() {
    var scene = rows(
      PrefetchOptions(maxItems: 20, distanceAhead: 0.5, distanceBehind: 0),
      anchorMode: .firstVisible
    )
    scene.scroll(to: 480)
    let first = scene.prefetch()
    #expect(keys(first) == keys(20 ..< 25))
    scene.update([.insert("x", "y", at: 0)])
    // The content has moved along with the viewport: index paths have changed, and nothing else.
    #expect(scene.client.offset.y == 576)
    #expect(scene.prefetch() == nil)
    // The second and the fourth of the candidates, whose paths are two further on.
    scene.update([.delete(23 ..< 24), .delete(25 ..< 26)])
    let second = scene.prefetch()
    #expect(second?.cancelled == [2, 4])
    #expect(keys(second) == keys([25, 26]))
    #expect(second?.dataVersion == 2)
    #expect(second?.items.first?.key == .cell(0, 25))
    // A move far away is a call-off too, and a reloaded item is another one.
    scene.update([.move(22, to: 90)])
    #expect(scene.prefetch()?.cancelled == [1])
    scene.update([
      .reloadItems(section: 0, items: 22 ..< 23, blocks: [ItemBlock(count: 1, keys: ["r"])])
    ])
    let last = scene.prefetch()
    #expect(last?.cancelled == [3])
    #expect(keys(last) == ["r"])
  }

  @Test("while a frame is due nothing is told, and then what has changed by then")
  func backpressure() throws {
    var scene = rows(
      PrefetchOptions(maxItems: 20, distanceAhead: 0.5, distanceBehind: 0),
      maxInFlightFrames: 1
    )
    #expect(keys(scene.prefetch()) == keys(10 ..< 15))
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 1440))))
    let frame = try scene.take()
    // It comes with its frame.
    let change = scene.prefetch()
    #expect(keys(change) == keys(40 ..< 45))
    #expect(change?.cancelled == [1, 2, 3, 4, 5])
    for y in [480.0, 960, 2400] {
      scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: y))))
      #expect(scene.session.nextFrame(at: .zero) == nil)
      #expect(scene.prefetch() == nil)
    }
    scene.client.apply(frame)
    try scene.session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
    scene.settle()
    let merged = scene.prefetch()
    #expect(keys(merged) == keys(60 ..< 65))
    #expect(merged?.cancelled == [6, 7, 8, 9, 10])
  }

  @Test("a new stream is told everything again, with the numbers from before")
  func resume() {
    var scene = rows(PrefetchOptions(maxItems: 20, distanceAhead: 0.5, distanceBehind: 0))
    #expect(scene.prefetch()?.isReset == true)
    scene.scroll(to: 48)
    #expect(scene.prefetch()?.items.map(\.number) == [6])
    scene.resume()
    let change = scene.prefetch()
    #expect(change?.isReset == true)
    #expect(keys(change) == keys(11 ..< 16))
    #expect(change?.items.map(\.number) == [2, 3, 4, 5, 6])
    #expect(change?.shown == [])
    #expect(scene.prefetch() == nil)
  }

  @Test("the first change of a stream comes though it names nothing")
  func empty() {
    var scene = rows(PrefetchOptions(maxItems: 20), count: 5)
    #expect(scene.prefetch() == PrefetchChange(isReset: true))
    #expect(scene.prefetch() == nil)
  }

  @Test("other options call off what they do not want, and without any nothing is kept")
  func options() {
    var scene = rows(PrefetchOptions(maxItems: 20, distanceAhead: 0.5))
    let without = Scene(.keyed(100), layout: ListLayout(rowHeight: 48)).session.byteCount
    #expect(keys(scene.prefetch()) == keys(10 ..< 15))
    #expect(scene.session.byteCount > without)
    let options = SessionOptions(anchorMode: .none, prefetch: PrefetchOptions(maxItems: 2))
    scene.send(.options(options))
    #expect(scene.prefetch()?.cancelled == [3, 4, 5])
    // The same options again change nothing.
    scene.send(.options(options))
    #expect(scene.prefetch() == nil)
    scene.send(.options(SessionOptions(anchorMode: .none)))
    #expect(scene.prefetch()?.cancelled == [1, 2])
    scene.scroll(to: 4000)
    #expect(scene.prefetch() == nil)
    #expect(scene.session.prefetching.isEmpty)
  }

  @Test("a client that is to be told of items near reports every scroll step")
  func sensitivity() {
    let scene = rows(PrefetchOptions(maxItems: 1))
    #expect(scene.frames.last?.scrollSensitivity == .everyScroll)
    let plain = Scene(.keyed(100), layout: ListLayout(rowHeight: 48))
    #expect(plain.frames.last?.scrollSensitivity == .coverage)
  }

  @Test("contents that are replaced call off everything")
  func reset() {
    var scene = rows(PrefetchOptions(maxItems: 3))
    #expect(scene.prefetch()?.items.map(\.number) == [1, 2, 3])
    scene.session.collectionReset(contents: .keyed(40), version: 7)
    scene.settle()
    let change = scene.prefetch()
    #expect(change?.cancelled == [1, 2, 3])
    #expect(change?.items.map(\.number) == [4, 5, 6])
    #expect(change?.dataVersion == 7)
  }

  @Test("what takes more than a small effort is left to the owner, or given up beyond limits")
  func effort() throws {
    let widths = (0 ..< 200_000).map { Double(10 + $0 % 7) }
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: widths.count, widths: widths, heights: widths)])
    ])
    // All items are in one line, so that a query looks at each.
    var session = ViewportSession(
      open: SessionParameters(
        contents: contents,
        layout: LayoutConfiguration(FlowLayout()),
        viewport: ViewportChange(size: Size(width: 1e8, height: 400)),
        options: SessionOptions(prefetch: PrefetchOptions(maxItems: 10)),
        maxElements: 1000
      )
    )
    while let request = session.wantedLayout { _ = session.supply(request.prepare(), for: request) }
    #expect(session.nextFrame(at: .zero) != nil)
    #expect(session.nextPrefetch(at: .zero, effort: .small) == nil)
    #expect(session.needsTurn)
    var twin = session
    #expect(session.nextPrefetch(at: .zero, effort: .bounded(LayoutWork()))?.isReset == true)
    // Given up, it is not tried again before something changes.
    #expect(twin.nextPrefetch(at: .zero, effort: .bounded(LayoutWork(stepLimit: 1000))) == nil)
    #expect(twin.nextFrame(at: .zero) == nil)
    #expect(!twin.needsTurn)
    #expect(twin.nextPrefetch(at: .zero) == nil)
  }

  @Test("few of very many items within the distances are kept while they are looked for")
  func manyItems() throws {
    var scene = Scene(
      .keyed(200_000),
      layout: GridLayout(itemSize: Size(width: 1, height: 1)),
      options: SessionOptions(anchorMode: .none, prefetch: PrefetchOptions(maxItems: 50)),
      maxElements: 2000
    )
    let keys = keys(scene.prefetch())
    #expect(keys.count == 50)
    let query = try #require(scene.session.query)
    let reference = NaiveAttention.candidates(
      scene.session.options.prefetch,
      in: query.prepared,
      viewport: query.viewport,
      motion: .zero
    )
    #expect(keys == reference.map { "a\($0.item ?? 0)" })
  }

  // MARK: - Against the reference

  private struct Walk {
    var random: SplitMix64
    var scene: Scene
    var client = PrefetchClient()
    var edits = RandomEdits()

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      let layouts = RandomWalkTests.layouts
      scene = Scene(
        .keyed(60, 0, 25),
        layout: layouts[Int(seed) % layouts.count],
        options: SessionOptions(
          anchorMode: AnchorMode.allCases.randomElement(using: &random) ?? .none,
          prefetch: Self.prefetch(using: &random)
        )
      )
    }

    static func prefetch(using random: inout SplitMix64) -> PrefetchOptions {
      PrefetchOptions(
        maxItems: [1, 5, 20, 200].randomElement(using: &random) ?? 5,
        distanceAhead: [nil, 0, 0.3, 2].randomElement(using: &random) ?? nil,
        distanceBehind: [nil, 0, 1].randomElement(using: &random) ?? nil
      )
    }

    mutating func step() throws {
      for _ in 0 ..< Int.random(in: 1 ... 3, using: &random) { change() }
      scene.settle()
      try check()
    }

    private mutating func change() {
      switch Int.random(in: 0 ..< 20, using: &random) {
      case 0 ..< 9: scroll()
      case 9 ..< 14:
        guard let contents = scene.session.baseContents,
          let operation = edits.operation(on: contents, using: &random)
        else { return }
        scene.messages = []
        scene.post(.update(UpdateBatch([operation])))
        #expect(scene.problem == nil)
      case 14:
        scene.post(
          .viewport(
            ViewportChange(
              size: Size(
                width: [320.0, 300, 411.5].randomElement(using: &random) ?? 320,
                height: Double.random(in: 100 ... 600, using: &random).rounded()
              ),
              traits: .init(isRightToLeft: Int.random(in: 0 ..< 4, using: &random) == 0)
            )
          )
        )
      case 15:
        let offset = Double.random(in: 0 ... 500, using: &random).rounded()
        scene.post(
          .viewport(
            ViewportChange(sectionOffsets: [Int.random(in: 0 ..< 4, using: &random): offset])
          )
        )
      case 16:
        guard let layout = RandomWalkTests.layouts.randomElement(using: &random) else { return }
        scene.post(.layout(LayoutChange(layout: LayoutConfiguration(layout))))
      case 17:
        var options = scene.session.options
        options.prefetch = Self.prefetch(using: &random)
        scene.post(.options(options))
      case 18: scene.resume()
      default: scene.post(.resync)
      }
    }

    private mutating func scroll() {
      let step = Double.random(in: -400 ... 400, using: &random).rounded()
      var offset = scene.client.offset
      if Int.random(in: 0 ..< 3, using: &random) > 0 {
        offset.y += step
      } else {
        offset.x += step
      }
      scene.client.scroll(to: offset)
      scene.post(
        .viewport(
          ViewportChange(
            observedFrame: scene.client.lastApplied,
            offset: offset,
            velocity: Bool.random(using: &random) ? Point(x: 0, y: step) : nil
          )
        )
      )
    }

    private mutating func check() throws {
      let session = scene.session
      let query = try #require(session.query)
      let contents = query.prepared.context.contents
      let expected = NaiveAttention.candidates(
        session.options.prefetch,
        in: query.prepared,
        viewport: query.viewport,
        motion: session.motion
      ).map { contents.key(at: $0) ?? "" }
      if let change = scene.prefetch() {
        let before = client.candidates
        client.apply(change)
        for item in change.items {
          #expect(contents.key(at: item.key.indexPath) == item.itemKey)
        }
        for number in change.shown { #expect(isInSight(before[number], query.viewport.rect)) }
        for number in change.cancelled { #expect(!isInSight(before[number], query.viewport.rect)) }
        // What is asked for is in the order of all.
        let asked = Set(client.asked)
        #expect(client.asked == expected.filter { asked.contains($0) })
      }
      #expect(Set(client.candidates.values) == Set(expected))
      #expect(scene.prefetch() == nil)
    }

    private func isInSight(_ key: String?, _ visible: Rect) -> Bool {
      scene.client.slots.values.contains {
        $0.itemKey == key && $0.attributes.boundingBox.meets(visible)
      }
    }
  }

  @Test(
    "each candidate of the rule is asked for once, and is shown or called off once",
    arguments: 0 ..< 56 as Range<UInt64>
  )
  func walk(seed: UInt64) throws {
    var walk = Walk(seed: seed)
    for _ in 0 ..< 60 { try walk.step() }
    #expect(walk.client.changes > 0)
  }
}
