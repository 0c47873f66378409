// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Groups as long as the longest of their cells", .timeLimit(.minutes(2)))
struct MeasuredGroupsTests {
  private func container(_ random: inout SplitMix64) -> LayoutContainer {
    var container = random.marginedContainer()
    container.displayScale = Double(1 << random.int(0 ... 1))
    return container
  }

  private func body(_ prepared: any PreparedLayout) -> MeasuredGroupsBody? {
    (prepared as? PreparedSections<CompositionalLayout>)?.section(at: 0)?.solved.body
      as? MeasuredGroupsBody
  }

  @Test("have their cells where placing group after group puts them", arguments: 0 ..< 6)
  func frames(batch: UInt64) {
    var found = 0
    for seed in batch * 40 ..< batch * 40 + 40 {
      var random = SplitMix64(seed: seed)
      let layout = random.sideBySide()
      let context = LayoutContext(
        contents: random.unevenContents(along: layout.scrollAxis),
        container: container(&random)
      )
      let prepared = layout.prepare(context)
      if body(prepared) != nil { found += 1 }
      NaiveCompositional(layout: layout, context: context).reference
        .check(prepared, Viewport(of: context.container), "seed \(seed)")
    }
    #expect(found >= 35, "the others have no lengths")
  }

  @Test("are found again after changes as from nothing", arguments: 0 ..< 6)
  func updates(batch: UInt64) {
    for seed in 1000 + batch * 10 ..< 1000 + batch * 10 + 10 {
      var random = SplitMix64(seed: seed)
      let layout = random.sideBySide()
      let container = container(&random)
      var prepared = layout.prepare(
        LayoutContext(
          contents: random.unevenContents(along: layout.scrollAxis),
          container: container
        )
      )
      for step in 0 ..< 8 {
        let contents = prepared.context.contents
        let batch = random.edit(of: contents, perGroup: body(prepared)?.groups.shape.count ?? 1)
        guard let change = try? contents.applying(batch, limits: .standard) else { continue }
        prepared = layout.update(prepared, by: change)
        let fresh = layout.prepare(prepared.context)
        let viewport = Viewport(of: container, at: Point(x: 0, y: 100))
        var reference = Reference(contentSize: fresh.contentSize)
        reference.elements = fresh.probed(in: .everywhere, viewport)
        reference.check(prepared, viewport, "step \(step) of seed \(seed)")
        if step == 7 {
          prepared.checkConsistency(viewport, random: &random, "seed \(seed)")
        }
      }
    }
  }

  @Test(
    "are found again after a batch that changes the last of them and appends",
    arguments: [1, 2, 3],
    [5, 64, 200, 300, 2000]
  )
  func editsBesideAppending(perGroup: Int, count: Int) throws {
    let layout = CompositionalLayout.groups(of: perGroup)
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [
        ItemBlock(count: count, heights: (0 ..< count).map { 20 + Double($0 % 7) })
      ])
    ])
    let prepared = layout.prepare(
      LayoutContext(
        contents: contents,
        container: LayoutContainer(size: Size(width: 320, height: 480))
      )
    )
    #expect(body(prepared) != nil)
    func append(at item: Int) -> UpdateOperation {
      .insertItems(
        at: IndexPath(section: 0, item: item),
        items: [ItemBlock(count: 2, heights: [70, 80])]
      )
    }
    for item in [0, count / 2, count - 3, count - 2, count - 1] {
      let edits: [[UpdateOperation]] = [
        [.deleteItems(section: 0, items: item ..< item + 1), append(at: count - 1)],
        [
          .reconfigureItems(
            section: 0,
            items: item ..< item + 1,
            blocks: [ItemBlock(count: 1, heights: [90])]
          ), append(at: count),
        ],
        [
          .moveItem(
            from: IndexPath(section: 0, item: item),
            to: IndexPath(section: 0, item: count - 1)
          )
        ],
      ]
      for edit in edits {
        let change = try contents.applying(UpdateBatch(edit), limits: .standard)
        let updated = layout.update(prepared, by: change)
        let fresh = layout.prepare(updated.context)
        #expect(updated.contentSize == fresh.contentSize)
        let viewport = Viewport(of: updated.context.container)
        #expect(
          updated.probed(in: .everywhere, viewport) == fresh.probed(in: .everywhere, viewport)
        )
      }
    }
  }

  @Test("stop scrolling where looking at each of them says")
  func extents() throws {
    for seed in 2000 ..< 2060 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var layout = random.sideBySide()
      layout.sections[0].boundarySupplementaryItems = []
      let context = LayoutContext(
        contents: random.unevenContents(along: layout.scrollAxis),
        container: container(&random)
      )
      guard let body = body(layout.prepare(context)) else { continue }
      let extents = try (0 ..< body.groupCount).map { try #require(body.extent(ofGroup: $0)) }
      #expect(extents.map(\.firstItem) == extents.indices.map { $0 * body.groups.shape.count })
      expectClose(extents.last.map { $0.start + $0.length } ?? 0, body.length, "seed \(seed)")
      for (group, next) in zip(extents, extents.dropFirst()) {
        expectClose(
          next.start,
          group.start + group.length + body.groups.shape.spacing,
          "seed \(seed)"
        )
      }
      #expect(body.extent(ofGroup: -1) == nil && body.extent(ofGroup: extents.count) == nil)
      for _ in 0 ..< 20 {
        let place = random.double(-50 ... body.length + 50)
        let nearest = extents.indices.min {
          abs(extents[$0].start - place) < abs(extents[$1].start - place)
        }
        #expect(body.group(nearestTo: place) == nearest, "\(place), seed \(seed)")
      }
    }
  }

  @Test(
    "are looked at where items change, and not behind, though groups begin with other items there"
  )
  func cost() throws {
    let layout = CompositionalLayout.groups(of: 4)
    let heights = (0 ..< 100_000).map { Double(40 + $0 * 7919 % 161) }
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: heights.count, heights: heights)])
    ])
    let prepared = layout.prepare(
      LayoutContext(
        contents: contents,
        container: LayoutContainer(size: Size(width: 320, height: 480))
      )
    )
    #expect(try #require(body(prepared)).byteCount < 4 * heights.count)
    for (items, most) in [(1, 3000), (4, 3000)] {
      let batch = UpdateBatch([
        .insertItems(
          at: IndexPath(section: 0, item: 13),
          items: [ItemBlock(count: items, heights: [77])]
        )
      ])
      let work = LayoutWork(stepLimit: most)
      let change = try contents.applying(batch)
      let updated = try layout.update(prepared, by: change, work: work)
      #expect(updated.contentSize == layout.prepare(updated.context).contentSize)
    }
  }
}

extension CompositionalLayout {
  /// Rows of equally wide cells, each as high as the highest of them.
  fileprivate static func groups(of count: Int) -> CompositionalLayout {
    let cell = LayoutSize(
      width: .fractionalWidth(1 / Double(count)),
      height: .estimated(100)
    )
    return CompositionalLayout(sections: [
      CompositionalSection(
        group: LayoutGroup(
          axis: .horizontal,
          size: LayoutSize(width: .fractionalWidth(1), height: .estimated(100)),
          subitems: [.item(LayoutItem(size: cell))]
        )
      )
    ])
  }
}

extension SplitMix64 {
  /// A layout of groups whose cells lie side by side and have lengths of their own.
  fileprivate mutating func sideBySide() -> CompositionalLayout {
    let axis: ScrollAxis = chance(70) ? .vertical : .horizontal
    let along: LayoutGroup.Axis = axis == .vertical ? .horizontal : .vertical
    func size(_ across: LayoutDimension, _ main: Double) -> LayoutSize {
      axis == .vertical
        ? LayoutSize(width: across, height: .estimated(main))
        : LayoutSize(width: .estimated(main), height: across)
    }
    func whole(_ fraction: Double) -> LayoutDimension {
      axis == .vertical ? .fractionalWidth(fraction) : .fractionalHeight(fraction)
    }
    var group = LayoutGroup(
      axis: along,
      size: size(whole(1), length(20 ... 150)),
      interitemSpacing: chance(50) ? .zero : spacing(),
      contentInsets: chance(30) ? insets(0 ... 12) : .zero,
      edgeSpacing: chance(30) ? edgeSpacing() : .zero
    )
    let count = int(1 ... 3)
    group.subitems = (0 ..< count).map { _ in
      var edges = chance(30) ? edgeSpacing() : .zero
      func fixed(_ spacing: LayoutSpacing) -> LayoutSpacing { .fixed(spacing.minimum) }
      if axis == .vertical {
        (edges.top, edges.bottom) = (fixed(edges.top), fixed(edges.bottom))
      } else {
        (edges.leading, edges.trailing) = (fixed(edges.leading), fixed(edges.trailing))
      }
      let across =
        chance(70)
        ? whole([1, 0.5, 1 / 3, 0.25, 0.125][int(0 ... 4)]) : .absolute(length(15 ... 250))
      return .item(
        LayoutItem(
          size: size(across, length(20 ... 150)),
          contentInsets: chance(30) ? insets(0 ... 8) : .zero,
          edgeSpacing: edges
        )
      )
    }
    if count == 1, chance(40) { group.count = int(1 ... 5) }
    return CompositionalLayout(
      scrollAxis: axis,
      sections: [
        CompositionalSection(
          group: group,
          contentInsets: insets(0 ... 30),
          interGroupSpacing: chance(40) ? 0 : length(0 ... 20),
          boundarySupplementaryItems: chance(30) ? [boundaryItem(kind: "header")] : [],
          backgrounds: chance(20) ? [SectionBackground(kind: "plate", zIndex: 0)] : []
        )
      ]
    )
  }

  /// Some with lengths along an axis, some with the same, some without.
  private mutating func block(_ count: Int, along axis: ScrollAxis) -> ItemBlock {
    let lengths: [Double] =
      switch int(0 ... 3) {
      case 0: []
      case 1: [length(10 ... 200)]
      // Not exact in 32 bits.
      case 2: (0 ..< count).map { _ in length(10 ... 200) + 1e-9 }
      default: (0 ..< count).map { _ in Double(int(10 ... 200)) }
      }
    let others: [Double] = chance(50) ? [] : [length(10 ... 50)]
    return axis == .vertical
      ? ItemBlock(count: count, widths: others, heights: lengths)
      : ItemBlock(count: count, widths: lengths, heights: others)
  }

  fileprivate mutating func unevenContents(along axis: ScrollAxis) -> CollectionContents {
    let blocks = (0 ..< int(2 ... 5)).map { _ in
      block(chance(70) ? int(1 ... 40) : int(300 ... 1500), along: axis)
    }
    return CollectionContents(sections: [SectionContents(blocks: blocks)])
  }

  /// Changes in one place, or in several of which one is the end.
  fileprivate mutating func edit(of contents: CollectionContents, perGroup: Int) -> UpdateBatch {
    let batch = editOfOnePlace(of: contents, perGroup: perGroup)
    let count = contents.sectionCount > 0 ? contents.section(at: 0).items.count : 0
    guard case .operations(let operations) = batch.change, operations.count == 1, chance(50) else {
      return batch
    }
    if case .insertItems = operations[0] { return batch }
    let kept =
      if case .deleteItems(_, let items) = operations[0] { count - items.count } else { count }
    let appended = block(int(1 ... 5), along: .vertical)
    return UpdateBatch(
      operations + [.insertItems(at: IndexPath(section: 0, item: kept), items: [appended])]
    )
  }

  /// A few changes, of which some leave groups where they are.
  private mutating func editOfOnePlace(
    of contents: CollectionContents,
    perGroup: Int
  ) -> UpdateBatch {
    let count = contents.sectionCount > 0 ? contents.section(at: 0).items.count : 0
    let items = chance(50) ? perGroup * int(1 ... 3) : int(1 ... 9)
    if chance(20) || count <= items { return batch(for: contents) }
    if chance(40) {
      let first = int(0 ... count - items)
      let range = first ..< first + items
      if chance(50) { return UpdateBatch([.deleteItems(section: 0, items: range)]) }
      return UpdateBatch([
        .reloadItems(section: 0, items: range, blocks: [block(items, along: .vertical)])
      ])
    }
    let at = chance(20) ? count : int(0 ... count)
    return UpdateBatch([
      .insertItems(
        at: IndexPath(section: 0, item: at),
        items: [block(items, along: .vertical), block(2 * perGroup, along: .horizontal)]
      )
    ])
  }
}
