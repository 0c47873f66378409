// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

/// A layout that says nothing of its steps: items at one place, in a result of some bytes.
private struct Silent: CollectionLayout {
  let itemCount: Int
  var bytes = 0

  var kindName: String { "custom:silent" }

  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    Prepared(context: context, itemCount: itemCount, byteCount: bytes)
  }

  struct Prepared: PreparedLayout {
    let context: LayoutContext
    let itemCount: Int
    let byteCount: Int

    var contentSize: Size { Size(width: 100, height: 100) }
    var kindNames: [String] { [""] }
    var scrollAxis: ScrollAxis? { nil }

    func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
      for item in 0 ..< itemCount {
        buffer.append(
          LayoutElement(
            category: .cell,
            kind: 0,
            indexPath: IndexPath(section: 0, item: item),
            frame: Rect(x: 0, y: 0, width: 100, height: 100)
          )
        )
      }
    }

    func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? { nil }
  }
}

@Suite("Layouts that report no steps", .timeLimit(.minutes(1)))
struct UnreportedStepsTests {
  private static let context = LayoutContext(
    contents: plainContents(10),
    container: LayoutContainer(size: Size(width: 300, height: 400))
  )

  @Test("a result that nobody wants any more, or that is too large, is dropped when it is there")
  func results() throws {
    let layout = Silent(itemCount: 10, bytes: 1000)
    let unwanted = LayoutWork { false }
    #expect(throws: LayoutWork.Stop.cancelled) { try layout.prepare(Self.context, work: unwanted) }
    let small = LayoutWork(byteLimit: 999)
    #expect(throws: LayoutWork.Stop.tooManyBytes(limit: 999)) {
      try layout.prepare(Self.context, work: small)
    }
    let work = LayoutWork(byteLimit: 1000) { true }
    let prepared = try layout.prepare(Self.context, work: work)
    #expect(throws: LayoutWork.Stop.cancelled) {
      try layout.update(prepared, by: Self.change, work: LayoutWork { false })
    }
    // Each result is looked at for itself: many updates in one computation are no large result.
    for _ in 0 ..< 5 { _ = try layout.update(prepared, by: Self.change, work: work) }
  }

  private static var change: ContentsChange {
    get throws {
      try context.contents.applying(
        UpdateBatch([
          .insertItems(at: IndexPath(section: 0, item: 0), items: [ItemBlock(count: 1)])
        ])
      )
    }
  }

  @Test("a search counts the elements that it is given, and takes no more once it has to end")
  func search() {
    let prepared = Silent(itemCount: 100_000).prepare(Self.context)
    let viewport = Viewport(offset: .zero, size: Size(width: 300, height: 400))
    let work = LayoutWork(stepLimit: 20_000)
    _ = LayoutQueries(prepared, viewport: viewport, work: work).hitTest(Point(x: 50, y: 50))
    #expect(work.stop == .tooManySteps(limit: 20_000))
    #expect(work.steps < 40_000)
    let enough = LayoutWork(stepLimit: 200_000)
    let found = LayoutQueries(prepared, viewport: viewport, work: enough)
      .hitTest(Point(x: 50, y: 50))
    #expect(found?.key.indexPath.item == 99_999)
    #expect(enough.stop == nil)
  }
}
