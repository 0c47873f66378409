// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import TestSupport
import Testing

@testable import LayoutService

@Suite("Pages of elements", .timeLimit(.minutes(2)))
struct ElementPagerTests {
  private static let container = LayoutContainer(size: Size(width: 320, height: 480))

  private static func contents(
    _ items: Int,
    sections: Int,
    using random: inout SplitMix64
  ) throws -> CollectionContents {
    var builder = ContentsBuilder(cellKindNames: [""], limits: .standard)
    for section in 0 ..< sections {
      try builder.addSection(key: "s\(section)", metrics: SectionMetrics(), layoutName: "")
      let count = items / sections
      try builder.addItems(
        ItemBlock(
          count: count,
          widths: (0 ..< count).map { _ in Double(Int.random(in: 1 ... 160, using: &random)) },
          heights: (0 ..< count).map { _ in Double(Int.random(in: 0 ... 90, using: &random)) },
          xs: (0 ..< count).map { _ in Double(Int.random(in: 0 ... 300, using: &random)) },
          ys: (0 ..< count).map { _ in Double(Int.random(in: 0 ... 9000, using: &random)) }
        )
      )
    }
    return try builder.finish()
  }

  private static var layouts: [any CollectionLayout] {
    var flow = FlowLayout()
    flow.sectionHeadersPinToVisibleBounds = true
    flow.headerReferenceSize = Size(width: 320, height: 30)
    var separated = ListLayout(headerHeight: 20, footerHeight: 10)
    separated.separatorThickness = 1
    return [
      flow, separated, WaterfallLayout(columns: .count(4)), SpatialLayout(),
      FlowLayout(scrollDirection: .horizontal, footerReferenceSize: Size(width: 20, height: 9)),
      GridLayout(),
    ]
  }

  @Test("pages put together are all elements in order, in a rect as well")
  func pages() throws {
    var random = SplitMix64(seed: 7)
    for layout in Self.layouts {
      let contents = try Self.contents(6000, sections: 5, using: &random)
      let prepared = layout.prepare(
        LayoutContext(
          contents: contents,
          container: layout.significantParts(of: Self.container),
          options: LayoutOptions()
        )
      )
      let queries = LayoutQueries(
        prepared,
        viewport: Viewport(
          offset: Point(x: 0, y: 2000),
          size: Self.container.size
        )
      )
      let size = prepared.contentSize
      for rect in [nil, Rect(x: 0, y: size.height / 3, width: size.width, height: size.height / 3)]
      {
        let whole = queries.elements(in: rect).elements.map(ElementPosition.init)
        let pager = ElementPager(queries: queries, rect: rect, limit: .max)
        for count in [1 + whole.count / 7, 1000] {
          var found: [ElementPosition] = []
          let first = try pager.first(count, after: nil).page
          found += first.buffer.elements.map(ElementPosition.init)
          #expect(found == Array(whole.prefix(count)))
          if prepared.appendsInOrder { #expect(first.visited <= count + 64) }
          let start = try #require(found.first)
          let index = try #require(try pager.first(count, after: start).index)
          var visited = 0
          var indexed = 0
          while found.count < whole.count, let last = found.last {
            let page = try pager.page(count, after: last, by: index)
            let slow = try pager.first(count, after: last).page
            if let page {
              visited += page.visited
              indexed += 1
              #expect(
                page.buffer.elements.map(ElementPosition.init)
                  == slow.buffer.elements.map(ElementPosition.init)
              )
            }
            let next = (page ?? slow).buffer.elements.map(ElementPosition.init)
            try #require(!next.isEmpty)
            found += next
          }
          #expect(found == whole)
          // Each page looks at its own elements and a bucket more, where items lie in order.
          if !(layout is SpatialLayout), indexed > 0 {
            #expect(visited <= 4 * (whole.count + indexed * 1024))
          }
        }
      }
    }
  }

  @Test("a page is found with little more memory than it has, in any order")
  func memory() throws {
    var random = SplitMix64(seed: 9)
    let layout = SpatialLayout()
    let prepared = layout.prepare(
      LayoutContext(
        contents: try Self.contents(200_000, sections: 1, using: &random),
        container: layout.significantParts(of: Self.container),
        options: LayoutOptions()
      )
    )
    let queries = LayoutQueries(
      prepared,
      viewport: Viewport(offset: .zero, size: Self.container.size)
    )
    let whole = queries.elements(in: nil).elements.map(ElementPosition.init)
    let pager = ElementPager(queries: queries, rect: nil, limit: .max)
    for start in [nil, whole[77], whole[150_000]] {
      let page = try pager.first(500, after: start).page
      let after = start.map { start in whole.drop { $0 <= start } } ?? whole[...]
      #expect(page.buffer.elements.map(ElementPosition.init) == Array(after.prefix(500)))
      #expect(page.visited == whole.count)
      #expect(page.buffer.elements.capacity < 1000)
    }
    #expect(pager.byteCount(ofPage: 500) < 65_536 * 80)
  }

  @Test("a query ends with its work, and says why")
  func work() throws {
    var random = SplitMix64(seed: 10)
    for layout in Self.layouts {
      let prepared = layout.prepare(
        LayoutContext(
          contents: try Self.contents(60_000, sections: 3, using: &random),
          container: layout.significantParts(of: Self.container),
          options: LayoutOptions()
        )
      )
      let viewport = Viewport(offset: .zero, size: Self.container.size)
      let start = ElementPosition(indexPath: IndexPath(section: 0, item: 0), classRank: 0)
      let few = LayoutQueries(prepared, viewport: viewport, work: LayoutWork(stepLimit: 10_000))
      #expect(throws: LayoutWork.Stop.tooManySteps(limit: 10_000)) {
        _ = try ElementPager(queries: few, rect: nil, limit: .max).first(10, after: start)
      }
      let unwanted = LayoutQueries(prepared, viewport: viewport, work: LayoutWork { false })
      #expect(throws: LayoutWork.Stop.cancelled) {
        _ = try ElementPager(queries: unwanted, rect: nil, limit: .max).first(10, after: start)
      }
    }
  }

  @Test("more elements than one query may gather are refused")
  func limit() throws {
    var random = SplitMix64(seed: 8)
    let layout = ListLayout()
    let prepared = layout.prepare(
      LayoutContext(
        contents: try Self.contents(100, sections: 1, using: &random),
        container: layout.significantParts(of: Self.container),
        options: LayoutOptions()
      )
    )
    let viewport = Viewport(offset: .zero, size: Self.container.size)
    let queries = LayoutQueries(prepared, viewport: viewport)
    let pager = ElementPager(queries: queries, rect: nil, limit: 99)
    #expect(throws: LayoutProblem.self) { _ = try pager.first(10, after: nil) }
  }

  @Test("the cache keeps the indices that were used last")
  func cache() {
    let cache = ElementIndexCache(capacity: 2)
    func key(_ number: Int) -> ElementIndexCache.Key {
      .init(query: number, identity: 1, dataVersion: 1)
    }
    for number in 0 ..< 2 { cache.insert(ElementIndex(.empty), for: key(number)) }
    #expect(cache.index(for: key(0)) != nil)
    cache.insert(ElementIndex(.empty), for: key(2))
    #expect(cache.index(for: key(0)) != nil && cache.index(for: key(2)) != nil)
    #expect(cache.index(for: key(1)) == nil)
  }
}
