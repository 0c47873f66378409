// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@Suite("Layouts that two threads prepare", .timeLimit(.minutes(3)))
struct AssistedLayoutTests {
  private static let itemCount = 300_000

  private static let layouts: [any CollectionLayout] = [
    FlowLayout(alignment: .leading),
    ListLayout(rowSpacing: 3),
    WaterfallLayout(columns: .count(3)),
    GridLanesLayout(lanes: [GridLane(.fraction(1), repetition: .count(3))]),
    CompositionalLayout(sections: [CompositionalSection(group: rows(.estimated(40)))]),
  ]

  /// Sections of about so many items each; every third one has a hundred times fewer.
  private static func context(sections length: Int) -> LayoutContext {
    var random = SplitMix64(seed: UInt64(length))
    var sections: [SectionContents] = []
    var left = itemCount
    while left > 0 {
      let count = min(left, max(1, sections.count % 3 == 2 ? length / 100 : length))
      left -= count
      let block = ItemBlock(
        count: count,
        widths: (0 ..< count).map { _ in Double(random.int(20 ... 120)) },
        heights: (0 ..< count).map { _ in Double(random.int(20 ... 120)) }
      )
      sections.append(SectionContents(blocks: [block]))
    }
    return LayoutContext(
      contents: CollectionContents(sections: sections),
      container: LayoutContainer(size: Size(width: 400, height: 600))
    )
  }

  private func expectSame(_ found: any PreparedLayout, _ wanted: any PreparedLayout) {
    #expect(found.contentSize == wanted.contentSize)
    #expect(abs(found.byteCount - wanted.byteCount) < wanted.byteCount / 50 + 10_000)
    let viewport = Viewport(offset: .zero, size: found.context.container.size)
    for part in 0 ..< 60 {
      let rect = Rect(
        x: 0,
        y: found.contentSize.height * Double(part) / 60,
        width: 400,
        height: 1500
      )
      #expect(found.probed(in: rect, viewport) == wanted.probed(in: rect, viewport))
    }
  }

  @Test(
    "are those that one thread prepares",
    arguments: layouts,
    [itemCount, 100_000, 40_000, 900]
  )
  func frames(layout: any CollectionLayout, length: Int) throws {
    let context = Self.context(sections: length)
    let wanted = layout.prepare(context)
    for isAtOnce in [true, false] {
      let thread = LentThread()
      let work = LayoutWork(assistance: Assistance(thread: thread, isAtOnce: isAtOnce)) {
        // It may block, so it concerns the computation's own thread alone.
        !LentThread.isCurrent
      }
      expectSame(try layout.prepare(context, work: work), wanted)
      thread.wait()
      // One long column cannot be shared out.
      #expect(thread.loans > 0 || length == Self.itemCount)
      #expect(work.steps >= Self.itemCount / 10)
    }
  }

  @Test("are right if the second thread is called back again and again", arguments: layouts)
  func calledBack(layout: any CollectionLayout) throws {
    let context = Self.context(sections: 70_000)
    let thread = LentThread { $0 % 7 < 5 }
    let work = LayoutWork(assistance: Assistance(thread: thread))
    expectSame(try layout.prepare(context, work: work), layout.prepare(context))
    thread.wait()
  }

  @Test("end when nobody wants them", arguments: layouts, [itemCount, 70_000])
  func cancellation(layout: any CollectionLayout, length: Int) {
    let calls = Mutex(0)
    let thread = LentThread()
    let work = LayoutWork(stepsBetweenChecks: 1000, assistance: Assistance(thread: thread)) {
      calls.withLock {
        $0 += 1
        return $0 < 3
      }
    }
    #expect(throws: LayoutWork.Stop.cancelled) {
      try layout.prepare(Self.context(sections: length), work: work)
    }
    thread.wait()
    #expect(calls.withLock { $0 } == 3)
    #expect(work.stop == .cancelled)
  }

  @Test("keep to the limits of steps and bytes", arguments: layouts, [itemCount, 70_000])
  func limits(layout: any CollectionLayout, length: Int) {
    let context = Self.context(sections: length)
    for isAtOnce in [true, false] {
      let thread = LentThread()
      let steps = LayoutWork(
        stepLimit: 20_000,
        assistance: Assistance(thread: thread, isAtOnce: isAtOnce)
      )
      #expect(throws: LayoutWork.Stop.tooManySteps(limit: 20_000)) {
        try layout.prepare(context, work: steps)
      }
      thread.wait()
      #expect(steps.steps < 250_000)
      let bytes = LayoutWork(
        byteLimit: 5000,
        assistance: Assistance(thread: thread, isAtOnce: isAtOnce)
      )
      #expect(throws: LayoutWork.Stop.tooManyBytes(limit: 5000)) {
        try layout.prepare(context, work: bytes)
      }
      thread.wait()
    }
  }
}
