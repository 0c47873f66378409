// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("GridLayout", .timeLimit(.minutes(2)))
struct GridLayoutTests {
  private func random(_ random: inout SplitMix64) -> (GridLayout, LayoutContext) {
    (
      GridLayout(
        itemSize: random.chance(5) ? .zero : random.size(1 ... 90),
        interitemSpacing: random.length(0 ... 20),
        lineSpacing: random.length(0 ... 20)
      ),
      LayoutContext(
        contents: random.contents(sections: 0 ... 8),
        container: random.container(),
        options: random.options()
      )
    )
  }

  @Test("agrees with its formula and answers alike however it is asked", arguments: 0 ..< 4)
  func agreesWithFormula(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 40 {
      let (layout, context) = self.random(&random)
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: context.container)
      let grid = PixelGrid(scale: context.container.displayScale)
      let size = context.options.isPixelAligned ? grid.round(layout.itemSize) : layout.itemSize
      var longest = 0
      for section in 0 ..< context.contents.sectionCount {
        longest = max(longest, context.contents.section(at: section).items.count)
      }
      let contentSize = Size(
        width: Double(longest) * (size.width + layout.interitemSpacing) + layout.interitemSpacing,
        height: Double(context.contents.sectionCount) * (size.height + layout.lineSpacing)
          + layout.lineSpacing
      )
      #expect(prepared.contentSize == contentSize)
      for key in prepared.cellKeys {
        var frame = Rect(
          x: layout.interitemSpacing
            + Double(key.indexPath.item ?? 0) * (size.width + layout.interitemSpacing),
          y: layout.lineSpacing
            + Double(key.indexPath.section) * (size.height + layout.lineSpacing),
          width: size.width,
          height: size.height
        )
        if context.options.isPixelAligned {
          frame = Rect(origin: grid.round(frame.origin), size: size)
        }
        if context.container.isRightToLeft { frame = frame.mirrored(inWidth: contentSize.width) }
        expectClose(prepared.attributes(of: key, viewport: viewport)?.frame, frame)
      }
      prepared.checkConsistency(viewport, random: &random, "\(seed).\(round) \(layout)")
    }
  }

  @Test("derives from batches what it would prepare from nothing", arguments: 0 ..< 2)
  func updates(seed: UInt64) {
    var random = SplitMix64(seed: 50 + seed)
    for round in 0 ..< 6 {
      let (layout, context) = self.random(&random)
      checkUpdates(layout, context, batches: 15, random: &random, "\(seed).\(round) \(layout)")
    }
  }

  @Test("names every wrong parameter")
  func validation() {
    #expect(rejectedFields(GridLayout()).isEmpty)
    #expect(
      rejectedFields(
        GridLayout(itemSize: Size(width: 1, height: -1), interitemSpacing: .nan, lineSpacing: -1)
      )
        == ["item_size.height", "interitem_spacing", "line_spacing"]
    )
  }
}
