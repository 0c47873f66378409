// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

/// Relations that hold between the answers for related questions, whatever the rules of a layout
/// are.
@Suite("Layouts held against themselves", .timeLimit(.minutes(2)))
struct MetamorphicTests {
  private static let everywhere = Rect(x: -1e7, y: -1e7, width: 2e7, height: 2e7)
  private static let rounds = 40

  private func answers(
    _ prepared: any PreparedLayout,
    at offset: Point = .zero
  ) -> [ElementKey: LayoutAttributes] {
    let viewport = Viewport(of: prepared.context.container, at: offset)
    return Dictionary(
      prepared.probed(in: Self.everywhere, viewport).map { ($0.key, $0.attributes) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private func expectSame(
    _ found: [ElementKey: LayoutAttributes],
    _ expected: [ElementKey: LayoutAttributes],
    _ note: String,
    _ map: (Rect) -> Rect = { $0 }
  ) {
    #expect(Set(found.keys) == Set(expected.keys), "\(note)")
    for (key, expected) in expected {
      guard let found = found[key] else { continue }
      expectClose(found.frame, map(expected.frame), "frame of \(key): \(note)")
      expectClose(found.boundingBox, map(expected.boundingBox), "box of \(key): \(note)")
      #expect(
        found.zIndex == expected.zIndex && found.isHidden == expected.isHidden,
        "\(key): \(note)"
      )
      expectClose(found.alpha, expected.alpha, "alpha of \(key): \(note)")
    }
  }

  @Test(
    "right to left is the mirror image",
    arguments: RandomLayoutKind.allCases.filter { $0 != .circle }
  )
  func mirroring(_ kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 11)
    for round in 0 ..< Self.rounds {
      let layout = kind.layout(&random)
      var context = kind.context(&random)
      // They align to pixels after they have mirrored, which may differ by a pixel.
      if kind == .line || kind == .stack { context.options.isPixelAligned = false }
      context.container.isRightToLeft = false
      let left = layout.prepare(context)
      context.container.isRightToLeft = true
      let right = layout.prepare(context)
      let note = "\(kind) \(round) \(layout)"
      #expect(left.contentSize == right.contentSize, "\(note)")
      let width = left.contentSize.width
      let offset = Point(x: random.length(0 ... 200), y: random.length(0 ... 200))
      let mirrored = Point(x: width - offset.x - context.container.size.width, y: offset.y)
      expectSame(answers(right, at: mirrored), answers(left, at: offset), note) {
        $0.mirrored(inWidth: width)
      }
    }
  }

  @Test("what is twice as large throughout looks the same", arguments: RandomLayoutKind.allCases)
  func scaling(_ kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 12)
    for round in 0 ..< Self.rounds {
      let layout = kind.layout(&random)
      let context = kind.context(&random)
      let small = layout.prepare(context)
      let large = layout.scaled(by: 2).prepare(context.scaled(by: 2))
      let note = "\(kind) \(round) \(layout)"
      let offset = Point(x: random.length(0 ... 200), y: random.length(0 ... 200))
      expectSame(answers(large, at: offset.scaled(by: 2)), answers(small, at: offset), note) {
        $0.scaled(by: 2)
      }
      expectClose(large.contentSize.width, 2 * small.contentSize.width, note)
      expectClose(large.contentSize.height, 2 * small.contentSize.height, note)
    }
  }

  @Test(
    "an edit and its inverse lead back to the same answers",
    arguments: RandomLayoutKind.allCases
  )
  func inverses(_ kind: RandomLayoutKind) throws {
    var random = SplitMix64(seed: 13)
    for round in 0 ..< Self.rounds {
      let layout = kind.layout(&random)
      var context = kind.context(&random)
      if context.contents.sectionCount == 0 { context.contents = plainContents(5, 3) }
      let (edit, inverse) = random.editAndInverse(of: context.contents)
      let before = layout.prepare(context)
      let there = try context.contents.applying(edit, limits: .standard)
      let back = try there.new.applying(inverse, limits: .standard)
      let after = layout.update(layout.update(before, by: there), by: back)
      let note = "\(kind) \(round) \(edit) \(layout)"
      // Sums that are made in another order differ in their last bits.
      expectClose(after.contentSize.width, before.contentSize.width, note)
      expectClose(after.contentSize.height, before.contentSize.height, note)
      expectSame(answers(after), answers(before), note)
    }
  }

  @Test("every way of asking gives the same answer", arguments: RandomLayoutKind.allCases)
  func consistency(_ kind: RandomLayoutKind) {
    var random = SplitMix64(seed: 14)
    for round in 0 ..< Self.rounds {
      let layout = kind.layout(&random)
      let prepared = layout.prepare(kind.context(&random))
      let offset = Point(x: random.length(0 ... 200), y: random.length(0 ... 200))
      // Stacks and the like hide what is far from the offset; they have tests of their own.
      guard kind != .stack else { continue }
      prepared.checkConsistency(
        Viewport(of: prepared.context.container, at: offset),
        random: &random,
        "\(kind) \(round) \(layout)"
      )
    }
  }

  @Test("a section that is split in two places its items as before", arguments: [false, true])
  func splitting(isCompositional: Bool) {
    let row = LayoutSize(width: .fractionalWidth(1), height: .estimated(30))
    let layouts: [any CollectionLayout] =
      isCompositional
      ? [
        CompositionalLayout(sections: [
          CompositionalSection(
            group: LayoutGroup(axis: .horizontal, size: row, subitems: [.item(.init(size: row))])
          )
        ])
      ] : [ListLayout(rowHeight: 30), WaterfallLayout(columns: .count(1))]
    var random = SplitMix64(seed: 15)
    for round in 0 ..< Self.rounds {
      let heights = (0 ..< random.int(2 ... 60)).map { _ in random.length(1 ... 90) }
      let split = random.int(1 ... heights.count - 1)
      func section(_ heights: ArraySlice<Double>) -> SectionContents {
        SectionContents(blocks: [ItemBlock(count: heights.count, heights: Array(heights))])
      }
      let container = random.container()
      let options = LayoutOptions(isPixelAligned: random.chance(30))
      for layout in layouts {
        let frames = [
          [section(heights[...])], [section(heights[..<split]), section(heights[split...])],
        ]
        .map { sections in
          let prepared = layout.prepare(
            LayoutContext(
              contents: CollectionContents(sections: sections),
              container: container,
              options: options
            )
          )
          return prepared.probed(in: Self.everywhere, Viewport(of: container))
            .map(\.attributes.frame)
        }
        #expect(frames[0].count == heights.count)
        for (whole, parts) in zip(frames[0], frames[1]) {
          expectClose(parts, whole, "\(round) \(layout)")
        }
      }
    }
  }
}

extension SplitMix64 {
  /// A batch that the contents allow, and one that undoes it.
  ///
  /// - Precondition: there is a section.
  fileprivate mutating func editAndInverse(
    of contents: CollectionContents
  ) -> (UpdateBatch, UpdateBatch) {
    let section = below(contents.sectionCount)
    let count = contents.section(at: section).items.count
    func path(_ item: Int) -> IndexPath { IndexPath(section: section, item: item) }
    switch int(0 ... 3) {
    case 0 where count > 1:
      let (from, to) = (below(count), below(count))
      return (
        UpdateBatch([.moveItem(from: path(from), to: path(to))]),
        UpdateBatch([.moveItem(from: path(to), to: path(from))])
      )
    case 1:
      let (from, to) = (section, below(contents.sectionCount))
      return (
        UpdateBatch([.moveSection(from: from, to: to)]),
        UpdateBatch([.moveSection(from: to, to: from)])
      )
    case 2:
      return (
        UpdateBatch([.insertSections(at: section, [sizedSection(items: 9)])]),
        UpdateBatch([.deleteSections(section ..< section + 1)])
      )
    default:
      let place = int(0 ... count)
      let block = block(items: 1 ... 40, upTo: 120)
      return (
        UpdateBatch([.insertItems(at: path(place), items: [block])]),
        UpdateBatch([.deleteItems(section: section, items: place ..< place + block.count)])
      )
    }
  }
}
