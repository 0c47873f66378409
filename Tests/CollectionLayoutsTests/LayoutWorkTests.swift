// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Synchronization
import Testing

@Suite("LayoutWork", .timeLimit(.minutes(3)))
struct LayoutWorkTests {
  private static let itemCount = 200_000

  /// Layouts that place items one by one.
  private static let layouts: [any CollectionLayout] = [
    FlowLayout(),
    ListLayout(),
    WaterfallLayout(columns: .count(3)),
    WaterfallLayout(columns: .count(20)),
    GridLanesLayout(lanes: [GridLane(.fraction(1), repetition: .count(3))]),
    TableLayout(columns: [TableColumn("a"), TableColumn("b", width: .share(1))]),
    CompositionalLayout(sections: [CompositionalSection(group: rows(.estimated(40)))]),
    SectionsLayout(layouts: [SectionLayout(.waterfall(WaterfallLayout(columns: .count(3))))]),
    SpatialLayout(),
  ]

  private static func context(items: Int = itemCount) -> LayoutContext {
    var block = ItemBlock(count: items)
    block.widths = (0 ..< items).map { Double($0 % 7 + 20) }
    block.heights = (0 ..< items).map { Double($0 % 5 + 20) }
    block.xs = (0 ..< items).map { Double($0 % 1000) }
    block.ys = (0 ..< items).map { Double($0 / 1000) }
    return LayoutContext(
      contents: CollectionContents(sections: [SectionContents(blocks: [block])]),
      container: LayoutContainer(size: Size(width: 400, height: 600))
    )
  }

  @Test("ends a computation between chunks when nobody wants the result", arguments: layouts)
  func cancellation(layout: any CollectionLayout) {
    let calls = Mutex(0)
    let work = LayoutWork(stepsBetweenChecks: 1000) {
      calls.withLock {
        $0 += 1
        return $0 < 3
      }
    }
    #expect(throws: LayoutWork.Stop.cancelled) {
      try layout.prepare(Self.context(), work: work)
    }
    // Nobody is asked again after the answer, and little was done after it.
    #expect(calls.withLock { $0 } == 3)
    #expect(work.steps < Self.itemCount / 4)
    #expect(work.stop == .cancelled)
  }

  @Test("ends a computation that takes too many steps", arguments: layouts)
  func steps(layout: any CollectionLayout) {
    let work = LayoutWork(stepLimit: 20_000)
    #expect(throws: LayoutWork.Stop.tooManySteps(limit: 20_000)) {
      try layout.prepare(Self.context(), work: work)
    }
    #expect(work.steps < 100_000)
  }

  @Test("changes nothing where it suffices", arguments: layouts)
  func enough(layout: any CollectionLayout) throws {
    let context = Self.context(items: 5000)
    let work = LayoutWork(stepLimit: 10_000_000, stepsBetweenChecks: 100) { true }
    let prepared = try layout.prepare(context, work: work)
    let unlimited = layout.prepare(context)
    let viewport = Viewport(offset: .zero, size: context.container.size)
    #expect(prepared.contentSize == unlimited.contentSize)
    let (found, wanted) = (prepared, unlimited)
    #expect(found.probed(in: .everywhere, viewport) == wanted.probed(in: .everywhere, viewport))
    #expect(work.steps >= 5000)

    let change = try context.contents.applying(
      UpdateBatch([.insertItems(at: IndexPath(section: 0, item: 7), items: [ItemBlock(count: 3)])])
    )
    let updated = try layout.update(prepared, by: change, work: work)
    #expect(updated.contentSize == layout.update(unlimited, by: change).contentSize)
  }

  @Test("ends an update and leaves the older layout as it is", arguments: layouts)
  func update(layout: any CollectionLayout) throws {
    let context = Self.context()
    let prepared = layout.prepare(context)
    let size = prepared.contentSize
    // Every line is another one afterwards.
    let change = try context.contents.applying(
      UpdateBatch([
        .reloadItems(
          section: 0,
          items: 0 ..< Self.itemCount,
          blocks: [
            ItemBlock(
              count: Self.itemCount,
              widths: (0 ..< Self.itemCount).map { Double($0 % 11 + 20) },
              heights: (0 ..< Self.itemCount).map { Double($0 % 9 + 20) },
              xs: (0 ..< Self.itemCount).map { Double($0 % 997) },
              ys: (0 ..< Self.itemCount).map { Double($0 / 997) }
            )
          ]
        )
      ])
    )
    let work = LayoutWork(stepsBetweenChecks: 500) { false }
    #expect(throws: LayoutWork.Stop.cancelled) {
      try layout.update(prepared, by: change, work: work)
    }
    #expect(work.steps < Self.itemCount / 4)
    #expect(prepared.contentSize == size)
  }

  @Test("ends a computation whose result is too large")
  func bytes() {
    let sections = (0 ..< 1000).map { index in
      SectionContents(blocks: [ItemBlock(count: 10, heights: (0 ..< 10).map { Double($0 + index) })]
      )
    }
    let context = LayoutContext(
      contents: CollectionContents(sections: sections),
      container: LayoutContainer(size: Size(width: 400, height: 600))
    )
    let work = LayoutWork(byteLimit: 10_000)
    #expect(throws: LayoutWork.Stop.tooManyBytes(limit: 10_000)) {
      try ListLayout().prepare(context, work: work)
    }
  }

  @Test("does not begin what is stopped already")
  func stopped() {
    let work = LayoutWork { false }
    #expect(!work.proceed(1_000_000))
    #expect(throws: LayoutWork.Stop.cancelled) {
      try GridLayout().prepare(Self.context(items: 3), work: work)
    }
  }

  @Test("counts nothing where it is unlimited")
  func unlimited() {
    #expect(LayoutWork.unlimited.proceed(.max))
    #expect(LayoutWork.unlimited.keep(bytes: .max))
    #expect(LayoutWork.unlimited.steps == 0)
    #expect(!LayoutWork.unlimited.isStopped)
  }

  @Test("counts to the largest number without overflow")
  func overflow() {
    let work = LayoutWork()
    for _ in 0 ..< 100 { #expect(work.proceed(.max)) }
    #expect(work.proceed(-5))
  }

  @Test("a query may end within a line, however many items that has")
  func longLine() {
    // All in one line, because the items differ in height alone.
    let count = Self.itemCount
    var block = ItemBlock(count: count, widths: [0])
    block.heights = (0 ..< count).map { Double($0 % 5 + 20) }
    let layout = FlowLayout(minimumInteritemSpacing: 0)
    let prepared = layout.prepare(
      LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: [block])]),
        container: LayoutContainer(size: Size(width: 400, height: 600))
      )
    )
    let viewport = Viewport(offset: .zero, size: Size(width: 400, height: 600))
    let calls = Mutex(0)
    let work = LayoutWork(stepsBetweenChecks: 1000) {
      calls.withLock {
        $0 += 1
        return $0 < 3
      }
    }
    var buffer = ElementBuffer(work: work)
    prepared.appendElements(in: .everywhere, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort && work.stop == .cancelled)
    #expect(work.steps < 20_000)

    let limited = LayoutWork(stepLimit: 10_000)
    buffer = ElementBuffer(work: limited)
    prepared.appendElements(in: .everywhere, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort && limited.steps < 20_000)

    buffer = ElementBuffer()
    prepared.appendElements(in: .everywhere, viewport: viewport, to: &buffer)
    #expect(!buffer.isCutShort && buffer.elements.count == count)
  }

  @Test("a query ends at its step limit, or when the work does")
  func query() {
    let prepared = GridLayout(itemSize: .zero).prepare(Self.context())
    let viewport = Viewport(offset: .zero, size: Size(width: 400, height: 600))
    // All cells stand at one point that this rect does not hold.
    let rect = Rect(x: -10, y: -10, width: 10, height: 10)
    var buffer = ElementBuffer(stepLimit: 1000)
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort && buffer.isFull)

    let work = LayoutWork(stepsBetweenChecks: 1) { false }
    buffer = ElementBuffer(work: work)
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(buffer.isCutShort)
    #expect(work.stop == .cancelled)

    buffer = ElementBuffer()
    prepared.appendElements(in: rect, viewport: viewport, to: &buffer)
    #expect(!buffer.isCutShort && buffer.elements.isEmpty)
  }
}
