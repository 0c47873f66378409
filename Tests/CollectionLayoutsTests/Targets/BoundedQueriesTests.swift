// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Synchronization
import Testing

/// A layout of any number of items, all at one place, that watches how many of them are kept.
private struct Heap: PreparedLayout {
  let context: LayoutContext
  let count: Int
  let most: Peak

  final class Peak: Sendable {
    let elements = Mutex(0)
  }

  var contentSize: Size { Size(width: 100, height: 100) }
  var kindNames: [String] { [""] }
  var scrollAxis: ScrollAxis? { nil }
  var byteCount: Int { 0 }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    var peak = 0
    for item in 0 ..< count {
      buffer.append(
        LayoutElement(
          category: .cell,
          kind: 0,
          indexPath: IndexPath(section: 0, item: item),
          frame: Rect(x: 0, y: 0, width: 100, height: 100),
          // One in the midst is in front of all others, and one is nearer than all others.
          zIndex: item == count / 2 ? 1 : 0
        ),
        extra: ElementExtra(custom: ["item": .number(Double(item))])
      )
      peak = max(peak, buffer.elements.count, buffer.extras.count)
      guard buffer.visit(1), !buffer.isFull else { break }
    }
    most.elements.withLock { $0 = max($0, peak) }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? { nil }
}

@Suite("Bounded queries", .timeLimit(.minutes(3)))
struct BoundedQueriesTests {
  private static let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 400))

  private func heap(_ count: Int, snap: ScrollSnap? = nil) -> Heap {
    Heap(
      context: LayoutContext(
        contents: plainContents(count),
        container: LayoutContainer(size: Self.viewport.size),
        options: LayoutOptions(scrollSnap: snap)
      ),
      count: count,
      most: Heap.Peak()
    )
  }

  @Test("a hit test keeps few elements, and finds the front-most of all")
  func hitTest() {
    let heap = heap(50_000)
    let found = LayoutQueries(heap, viewport: Self.viewport).hitTest(Point(x: 50, y: 50))
    #expect(found?.key == .cell(0, 25_000))
    #expect(found?.attributes.custom == ["item": .number(25_000)])
    #expect(heap.most.elements.withLock { $0 } <= 4096)
  }

  @Test("the cell under a held item is looked for in the same way")
  func cellUnderFinger() {
    let heap = heap(50_000)
    let queries = LayoutQueries(heap, viewport: Self.viewport)
    let point = Point(x: 50, y: 50)
    let front = IndexPath(section: 0, item: 25_000)
    let held = IndexPath(section: 0, item: 31)
    #expect(queries.cell(at: point, preferring: held ... held) == held)
    let other = IndexPath(section: 1, item: 0)
    #expect(queries.cell(at: point, preferring: other ... other) == front)
    #expect(queries.cell(at: Point(x: 100, y: 50), preferring: held ... held) == nil)
    #expect(heap.most.elements.withLock { $0 } <= 4096)
  }

  @Test("a hit test of items that lie at one point finds the last of them")
  func circle() {
    let layout = CircleLayout(itemSize: Size(width: 1e6, height: 1e6))
    let prepared = layout.prepare(
      LayoutContext(
        contents: plainContents(30_000),
        container: LayoutContainer(size: Self.viewport.size)
      )
    )
    let found = LayoutQueries(prepared, viewport: Self.viewport).hitTest(Point(x: 10, y: 10))
    #expect(found?.key == .cell(0, 29_999))
  }

  @Test(
    "a search for the nearest item keeps few elements",
    arguments: [ScrollSnap.itemCenter, .itemLeading]
  )
  func nearest(snap: ScrollSnap) {
    let heap = heap(20_000, snap: snap)
    let target = LayoutQueries(heap, viewport: Self.viewport)
      .scrollTarget(for: .release(proposed: .zero, velocity: .zero, section: nil))
    #expect(target?.element == .cell(0, 0))
    #expect(heap.most.elements.withLock { $0 } <= 4096)
  }

  @Test("a search in a long viewport does not look at all that it shows")
  func longViewport() {
    let size = Size(width: 300, height: 1e12)
    let prepared = ListLayout(rowHeight: 50).prepare(
      LayoutContext(
        contents: plainContents(100_000),
        container: LayoutContainer(size: size),
        options: LayoutOptions(scrollSnap: .itemCenter)
      )
    )
    let work = LayoutWork()
    let target = LayoutQueries(prepared, viewport: Viewport(offset: .zero, size: size), work: work)
      .scrollTarget(for: .release(proposed: .zero, velocity: .zero, section: nil))
    // The last row is nearest to the middle of the viewport.
    #expect(target?.element == .cell(0, 99_999))
    #expect(work.steps < 300_000)
  }

  @Test("a search ends where nobody waits for it")
  func cancelled() {
    let heap = heap(1_000_000)
    let work = LayoutWork(stepsBetweenChecks: 1) { false }
    let queries = LayoutQueries(heap, viewport: Self.viewport, work: work)
    _ = queries.hitTest(Point(x: 1, y: 1))
    #expect(work.stop == .cancelled)
    #expect(work.steps < 10_000)
  }

  @Test("a carousel and a pile of cards show no more items than anybody can tell apart")
  func visibleItems() {
    let context = LayoutContext(
      contents: plainContents(100_000),
      container: LayoutContainer(size: Self.viewport.size)
    )
    let layouts: [any CollectionLayout] = [
      CarouselLayout(style: .rotary, visibleItemsPerSide: Int(UInt32.max)),
      CarouselLayout(style: .linear, spacing: 0),
      CarouselLayout(style: .coverFlow, itemSize: Size(width: 1e-9, height: 10)),
      StackLayout(visibleDepth: Int(UInt32.max)),
    ]
    for layout in layouts {
      let prepared = layout.prepare(context)
      var buffer = ElementBuffer(work: LayoutWork())
      prepared.appendElements(in: .everywhere, viewport: Self.viewport, to: &buffer)
      #expect(buffer.elements.count <= 2010, "\(layout)")
      #expect(buffer.work.map { $0.steps < 10_000 } ?? false, "\(layout)")
    }
  }

  @Test("counts that a query would follow are refused by name")
  func refused() {
    #expect(
      rejectedFields(CarouselLayout(visibleItemsPerSide: 1001)) == ["visible_items_per_side"]
    )
    #expect(rejectedFields(StackLayout(visibleDepth: 1001)) == ["visible_depth"])
    #expect(rejectedFields(StackLayout(visibleDepth: 1000)).isEmpty)
    var findings = LayoutFindings()
    LayoutOptions(
      sectionBackgrounds: (0 ..< 65).map { SectionBackground(kind: "b\($0)") }
    ).validate(findings: &findings)
    #expect(findings.violations.map(\.field) == ["section_backgrounds"])
    #expect(findings.violations.first?.description.contains("65") == true)
    #expect(findings.violations.first?.description.contains("64") == true)
  }

  @Test("findings end where there are enough of them")
  func findings() {
    var findings = LayoutFindings()
    for index in 0 ..< 10_000 {
      findings.reject("f\(index)", "is wrong")
      findings.warn("f\(index)", "is odd")
    }
    #expect(findings.violations.count == LayoutFindings.limit)
    #expect(findings.warnings.count == LayoutFindings.limit)
  }
}
