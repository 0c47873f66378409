// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Scattered edits", .timeLimit(.minutes(2)))
struct ScatteredEditsTests {
  /// Different floats, different doubles, and runs of equal items long enough for the closed form.
  private func contents(_ random: inout SplitMix64) -> CollectionContents {
    func block(_ count: Int, _ scale: Double) -> ItemBlock {
      ItemBlock(
        count: count,
        widths: (0 ..< count).map { _ in Double(random.int(0 ... 400 - 1)) / scale },
        heights: (0 ..< count).map { _ in Double(random.int(0 ... 400 - 1)) / scale }
      )
    }
    let blocks = [
      block(1500, 4), ItemBlock(count: 900, widths: [30], heights: [20]), block(700, 3),
      ItemBlock(count: 300), block(1200, 2),
    ]
    return CollectionContents(sections: [SectionContents(blocks: blocks)])
  }

  /// Operations on every `gap` or so items, all of them applicable together.
  private func batch(
    _ contents: CollectionContents,
    gap: Int,
    length: Int,
    _ random: inout SplitMix64
  ) -> UpdateBatch {
    var operations: [UpdateOperation] = []
    let count = contents.itemCount
    var item = random.int(0 ... gap - 1)
    // How far items have moved at `item`.
    var shift = 0
    while item < count {
      let size = min(1 + random.int(0 ... length - 1), count - item)
      let block = ItemBlock(
        count: size,
        widths: (0 ..< size).map { _ in Double(random.int(0 ... 150 - 1)) },
        heights: (0 ..< size).map { _ in Double(random.int(0 ... 150 - 1)) }
      )
      switch random.int(0 ... 4 - 1) {
      case 0:
        operations.append(.deleteItems(section: 0, items: item ..< item + size))
        shift -= size
      case 1:
        operations.append(
          .reconfigureItems(section: 0, items: item ..< item + size, blocks: [block])
        )
      case 2:
        operations.append(.reloadItems(section: 0, items: item ..< item + size, blocks: [block]))
      default:
        operations.append(
          .insertItems(at: IndexPath(section: 0, item: item + shift), items: [block])
        )
        shift += size
      }
      item += size + 1 + random.int(0 ... gap - 1)
    }
    return UpdateBatch(operations)
  }

  private func frames(_ prepared: any PreparedLayout) -> [LayoutElement] {
    var buffer = ElementBuffer()
    prepared.appendElements(
      in: .everywhere,
      viewport: Viewport(of: prepared.context.container),
      to: &buffer
    )
    buffer.sort()
    return buffer.elements
  }

  private func check(_ layout: some CollectionLayout, seed: UInt64) throws {
    for (gap, length) in [(3, 2), (40, 3), (300, 2), (150, 400), (2000, 20)] {
      var random = SplitMix64(seed: seed)
      let context = LayoutContext(
        contents: contents(&random),
        container: LayoutContainer(size: Size(width: 600, height: 480))
      )
      var prepared = layout.prepare(context)
      for step in 0 ..< 3 {
        let old = prepared.context.contents
        let change = try old.applying(batch(old, gap: gap, length: length, &random))
        prepared = layout.update(prepared, by: change)
        let (found, wanted) = (frames(prepared), frames(layout.prepare(prepared.context)))
        let note = "\(layout.kindName) \(seed), gap \(gap), step \(step)"
        #expect(found.count == wanted.count, "\(note)")
        let wrong = zip(found, wanted).first {
          $0.indexPath != $1.indexPath || abs($0.frame.x - $1.frame.x) > 1e-6
            || abs($0.frame.y - $1.frame.y) > 1e-6 || $0.frame.size != $1.frame.size
        }
        #expect(wrong == nil, "\(note)")
      }
    }
  }

  @Test("lines are those of a layout prepared anew, however many edits a batch has")
  func lines() throws {
    try check(FlowLayout(alignment: .leading), seed: 1)
    try check(FlowLayout(scrollDirection: .horizontal, minimumInteritemSpacing: 0), seed: 2)
    try check(ListLayout(rowSpacing: 3), seed: 3)
  }

  @Test("edit after edit at one place does not leave ever smaller leaves behind")
  func repeatedEdits() throws {
    var random = SplitMix64(seed: 4)
    let layout = FlowLayout()
    var prepared = layout.prepare(
      LayoutContext(
        contents: contents(&random),
        container: LayoutContainer(size: Size(width: 600, height: 480))
      )
    )
    for _ in 0 ..< 300 {
      let block = ItemBlock(count: 1, widths: [80], heights: [Double(random.int(0 ... 90 - 1))])
      let batch = UpdateBatch([
        .insertItems(
          at: IndexPath(section: 0, item: 700 + random.int(0 ... 30 - 1)),
          items: [block]
        )
      ])
      prepared = layout.update(prepared, by: try prepared.context.contents.applying(batch))
    }
    let fresh = layout.prepare(prepared.context)
    #expect(prepared.byteCount < fresh.byteCount * 3 / 2)
  }
}
