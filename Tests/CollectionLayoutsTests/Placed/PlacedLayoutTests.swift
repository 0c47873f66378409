// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Placed layouts", .timeLimit(.minutes(2)))
struct PlacedLayoutTests {
  private static let container = LayoutContainer(size: Size(width: 400, height: 300))

  /// How items are placed.
  enum Manner: CaseIterable, Sendable {
    case rows
    case scattered
    case shuffled
    case equal
    case farAway
  }

  private static func contents(_ counts: [Int]) -> CollectionContents {
    CollectionContents(sections: counts.map { SectionContents(blocks: [ItemBlock(count: $0)]) })
  }

  private static func frame(
    _ manner: Manner,
    _ number: Int,
    _ random: inout SplitMix64
  ) -> Rect {
    func any(_ bound: Double) -> Double { Double.random(in: 0 ..< bound, using: &random) }
    switch manner {
    case .rows:
      return Rect(x: Double(number % 8) * 50, y: Double(number / 8) * 40, width: 45, height: 35)
    case .scattered: return Rect(x: any(4000), y: any(3000), width: any(30), height: any(30))
    case .shuffled:
      let place = number * 7919 % 10_007
      return Rect(x: Double(place % 100) * 40, y: Double(place / 100) * 40, width: 39, height: 39)
    case .equal: return Rect(x: 5, y: 5, width: 10, height: 10)
    case .farAway:
      let far = number == 100 ? 0x1p39 : 0
      return Rect(x: far + any(100), y: far + any(9000), width: 0, height: 20)
    }
  }

  /// Elements in any order: a cell for most items, a badge for some, and a title for sections that
  /// have items.
  private static func placement(
    _ contents: CollectionContents,
    _ manner: Manner,
    seed: UInt64
  ) throws -> Placement {
    var random = SplitMix64(seed: seed)
    var elements: [(category: Int, section: Int, item: Int, frame: Rect)] = []
    for section in 0 ..< contents.sectionCount {
      let count = contents.section(at: section).items.count
      if count > 0 { elements.append((2, section, -1, frame(manner, elements.count, &random))) }
      for item in 0 ..< count where item % 11 != 3 {
        elements.append((1, section, item, frame(manner, elements.count, &random)))
        if item % 13 == 0 {
          elements.append((3, section, item, frame(manner, elements.count, &random)))
        }
      }
    }
    var columns = PlacedColumns()
    for element in elements.shuffled(using: &random) {
      columns.count += 1
      columns.categories.append(element.category)
      columns.sections.append(UInt32(element.section))
      columns.items.append(Int32(element.item))
      columns.xs.append(element.frame.x)
      columns.ys.append(element.frame.y)
      columns.widths.append(element.frame.width)
      columns.heights.append(element.frame.height)
    }
    var builder = PlacementBuilder(contents, elementLimit: 100_000)
    var next: Int? = 0
    while let first = next { next = try builder.add(columns, from: first, atMost: 100) }
    return try builder.finish(
      contentSize: Size(width: 4000, height: 4000),
      elementCount: UInt64(elements.count),
      kindNames: ["extra"],
      scrollAxis: nil
    )
  }

  private static func prepared(_ placement: Placement) -> PreparedPlacement {
    PreparedPlacement(
      placement,
      LayoutContext(contents: placement.contents, container: container),
      work: .unlimited
    )
  }

  private static func found(_ prepared: PreparedPlacement, _ rect: Rect) -> [LayoutElement] {
    var buffer = ElementBuffer()
    prepared.appendElements(
      in: rect,
      viewport: Viewport(offset: .zero, size: container.size),
      to: &buffer
    )
    return buffer.elements
  }

  @Test("the elements in a rect are those whose frames meet it", arguments: Manner.allCases)
  func queries(_ manner: Manner) throws {
    let placement = try Self.placement(Self.contents([700, 0, 1, 300]), manner, seed: 4)
    let prepared = Self.prepared(placement)
    var random = SplitMix64(seed: 9)
    for _ in 0 ..< 60 {
      let rect = Rect(
        x: Double.random(in: -50 ..< 3000, using: &random),
        y: Double.random(in: -50 ..< 3000, using: &random),
        width: Double.random(in: 0 ..< 900, using: &random),
        height: Double.random(in: 0 ..< 900, using: &random)
      )
      let needed = placement.elements.filter { $0.frame.meets(rect) }
        .sorted(by: LayoutElement.precedes)
      var found = Self.found(prepared, rect)
      if !prepared.appendsInOrder { found.sort(by: LayoutElement.precedes) }
      #expect(found.map(\.indexPath) == needed.map(\.indexPath))
      #expect(found.map(\.classRank) == needed.map(\.classRank))
      #expect(found.map(\.frame) == needed.map(\.frame))
    }
  }

  @Test("items that lie one behind the other are answered in order, without an order of their own")
  func order() throws {
    let contents = Self.contents([2000])
    for (manner, isInOrder) in [
      (Manner.rows, true), (.equal, true), (.shuffled, false), (.scattered, false),
    ] {
      let prepared = Self.prepared(try Self.placement(contents, manner, seed: 1))
      #expect(prepared.appendsInOrder == isInOrder, "\(manner)")
    }
  }

  @Test("few leaves are touched, in whatever order items are placed", arguments: Manner.allCases)
  func leaves(_ manner: Manner) throws {
    let placement = try Self.placement(Self.contents([4000]), manner, seed: 2)
    let index = Self.prepared(placement).index.frames
    var elements = placement.elements
    elements.sort(by: LayoutElement.precedes)
    var entries = SpatialEntries()
    for (number, element) in elements.enumerated() {
      entries.append(
        number,
        at: [element.frame.x, element.frame.y],
        size: element.frame.size
      )
    }
    let curve = SpatialIndex(entries, curve: nil, content: .corners, work: .unlimited)
    let least = curve.leavesTouched(by: Self.container.size)
    #expect(index.leavesTouched(by: Self.container.size) <= 2 * least)
  }

  @Test("what an update places is found as if it had been placed anew", arguments: 1 ..< 20)
  func updates(_ seed: Int) throws {
    let old = try Self.placement(Self.contents([50, 30]), .scattered, seed: UInt64(seed))
    let batch = UpdateBatch([
      .deleteItems(section: 0, items: seed ..< seed + 7),
      .moveItem(from: IndexPath(section: 1, item: 3), to: IndexPath(section: 0, item: 2)),
      .insertItems(at: IndexPath(section: 1, item: seed), items: [ItemBlock(count: 4)]),
    ])
    let change = try old.contents.applying(batch)
    var builder = PlacementBuilder(
      change.new,
      from: old,
      KeptItems(change),
      elementLimit: 1000
    )
    // Replaces one element, so that not all that were kept are in use.
    var columns = PlacedColumns()
    (columns.count, columns.items, columns.widths, columns.heights) = (1, [0], [77], [7])
    let isNew = change.new.itemCount > 0
    _ = try builder.add(columns, from: 0, atMost: 1)
    #expect(isNew && builder.finishingCost >= 0)
    let replaced = old.elements.contains {
      $0.category == .cell
        && change.newIndexPath(ofOld: $0.indexPath) == IndexPath(section: 0, item: 0)
    }
    let kept = old.elements.filter { change.newIndexPath(ofOld: $0.indexPath) != nil }.count
    let placement = try builder.finish(
      contentSize: .zero,
      elementCount: UInt64(kept + (replaced ? 0 : 1)),
      kindNames: ["extra"],
      scrollAxis: nil
    )
    let found = Self.found(Self.prepared(placement), Rect(x: -1, y: -1, width: 9000, height: 9000))
    #expect(found.count == placement.elements.count)
    for element in old.elements {
      guard let path = change.newIndexPath(ofOld: element.indexPath),
        path != IndexPath(section: 0, item: 0) || element.category != .cell
      else { continue }
      #expect(
        found.contains {
          $0.indexPath == path && $0.category == element.category && $0.frame == element.frame
        }
      )
    }
    #expect(found.contains { $0.frame == Rect(x: 0, y: 0, width: 77, height: 7) })
  }

  @Test("an answer that nobody wants any more ends the work")
  func stopped() throws {
    let old = try Self.placement(Self.contents([5000]), .rows, seed: 1)
    let change = try old.contents.applying(
      UpdateBatch([.deleteItems(section: 0, items: 0 ..< 1)])
    )
    let work = LayoutWork(stepsBetweenChecks: 1) { false }
    let builder = PlacementBuilder(
      change.new,
      from: old,
      KeptItems(change),
      elementLimit: 10_000,
      within: work
    )
    #expect(work.stop == .cancelled)
    #expect(builder.byteCount < old.byteCount)
  }
}
